//! Records of Kafka's own topics that whoever loads them does not take.
//!
//! How bad one is depends on the loader of 4.4.0: `CoordinatorLoaderImpl` for groups and share
//! groups, `TransactionStateManager` for transactions, `KRaftControlRecordStateMachine` and
//! `KafkaRaftClientDriver` for the metadata, `ConsumerTask` for what lies in remote storage.

use std::ops::ControlFlow;
use std::path::Path;

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use crate::analysis::event_verdict::Severity;
use crate::analysis::transaction_coordinator::{self, is_passed_over};
use crate::format::coordinator_record::{CoordinatorFault, CoordinatorTopic, Half};
use crate::format::internal_record::{InternalFault, InternalTopic};
use crate::format::malformed::{Malformed, Problem};
use crate::format::metadata_record::{MetadataFault, MetadataRecord};
use crate::format::mirror_state::MirrorStateFault;
use crate::format::remote_log_metadata::RemoteLogFault;
use crate::format::schema::{Message, of_type, table};
use crate::state::batch::Batch;
use crate::storage::segment::contents::{Entry, LoadedBatch};
use crate::storage::source::ReadError;

/// What is wrong with a record.
struct Trouble {
    /// In words.
    words: String,
    kind: Kind,
    /// The field, with what is stored there and what was expected.
    field: Evidence,
    /// The type and the version of the record, as far as they are known.
    numbers: Vec<(&'static str, i16)>,
}

/// What keeps a record from being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A type above those known, as a later release may write.
    LaterType,
    /// A version above those known.
    LaterVersion,
    /// A type that no release has or will have.
    NoType,
    /// The same of a version.
    NoVersion,
    /// Bytes that do not fit.
    Bytes,
}

impl Kind {
    const fn of_type(stored: i64) -> Self {
        match stored {
            0.. => Self::LaterType,
            _ => Self::NoType,
        }
    }

    const fn of_version(stored: i64) -> Self {
        match stored {
            0.. => Self::LaterVersion,
            _ => Self::NoVersion,
        }
    }

    const fn is_later(self) -> bool {
        matches!(self, Self::LaterType | Self::LaterVersion)
    }

    const fn is_type(self) -> bool {
        matches!(self, Self::LaterType | Self::NoType)
    }
}

/// Looks at the records of a data batch.
pub(super) fn look(
    topic: InternalTopic,
    batch: &Batch,
    loaded: &mut LoadedBatch<'_>,
    path: &Path,
    ledger: &mut Ledger<'_>,
) -> Result<(), ReadError> {
    // Where the records themselves do not decode, that is told already.
    loaded.entries(&mut |entry| {
        if let Some(trouble) = trouble(topic, entry) {
            ledger.add(finding(topic, trouble, batch, entry, path));
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

fn finding(
    topic: InternalTopic,
    trouble: Trouble,
    batch: &Batch,
    entry: &Entry<'_>,
    path: &Path,
) -> Finding {
    let (severity, effect) = effect(topic, trouble.kind);
    let text = format!("{}; {effect}", trouble.words);
    let code = FindingCode::InternalRecordUndecodable;
    let mut finding = Finding::new(code, severity, path, text)
        .at(batch.place.position)
        .spanning(batch.place.size.into())
        .with_offset(entry.offset)
        .resting_on(Evidence::place(
            "batch",
            batch.base_offset,
            batch.place.position,
        ))
        .resting_on(Evidence {
            // It lies inside the record, which may be compressed.
            position: None,
            offset: Some(entry.offset),
            ..trouble.field
        });
    for (what, number) in trouble.numbers {
        finding = finding.resting_on(Evidence {
            what,
            stored: Some(number.to_string()),
            ..Evidence::default()
        });
    }
    finding
}

/// How bad it is, and what whoever loads the partition does at it.
const fn effect(topic: InternalTopic, kind: Kind) -> (Severity, &'static str) {
    let severity = match kind.is_later() {
        true => Severity::Warning,
        false => Severity::Error,
    };
    let passed_over = match kind.is_later() {
        true => Severity::Note,
        false => Severity::Warning,
    };
    match topic {
        InternalTopic::Coordinator(CoordinatorTopic::Transactions) => match kind {
            Kind::Bytes => (
                Severity::Error,
                "a transaction coordinator that loads the partition logs an error and knows \
                 nothing of what lies behind",
            ),
            _ => (
                passed_over,
                "a transaction coordinator passes over it with a warning",
            ),
        },
        InternalTopic::Coordinator(_) if kind.is_type() => {
            (passed_over, "a coordinator passes over it with a warning")
        }
        InternalTopic::Coordinator(CoordinatorTopic::Offsets) => (
            severity,
            "a group coordinator fails to load the partition, and its groups get no coordinator",
        ),
        InternalTopic::Coordinator(CoordinatorTopic::ShareState) => (
            severity,
            "a share coordinator fails to load the partition, and its share groups get none",
        ),
        InternalTopic::ClusterMetadata => (
            severity,
            "a controller or broker that reads it ends its process, at each start anew while no \
             snapshot lies behind it",
        ),
        InternalTopic::RemoteLogMetadata => (
            severity,
            "a broker that reads it reads no more of the topic until it starts anew: it learns \
             nothing of segments in remote storage",
        ),
        InternalTopic::MirrorState => (
            passed_over,
            "no release reads this topic; the prototypes wrote nothing like it",
        ),
    }
}

/// What a loader would find wrong.
fn trouble(topic: InternalTopic, entry: &Entry<'_>) -> Option<Trouble> {
    if topic == InternalTopic::Coordinator(CoordinatorTopic::Transactions) {
        let fault = transaction_coordinator::decode(entry).err()?;
        return Some(of_transactions(&fault));
    }
    let fault = topic.decode(entry.key, entry.value).err()?;
    let words = fault.to_string();
    let value = entry.value.unwrap_or_default();
    let (kind, field, numbers) = match &fault {
        InternalFault::Metadata(fault) => of_frame(fault, &table::metadata::RECORDS, value),
        InternalFault::RemoteLog(fault) => of_remote_log(fault, value),
        InternalFault::Mirror(fault) => of_mirroring(fault),
        InternalFault::Coordinator(_, fault) => of_coordinator(fault),
    };
    Some(Trouble {
        words,
        kind,
        field,
        numbers,
    })
}

/// What, where, and the type and version.
type Parts = (Kind, Evidence, Vec<(&'static str, i16)>);

fn of_transactions(fault: &Malformed) -> Trouble {
    let kind = match fault.problem {
        Problem::OutOfRange { stored, .. } if is_passed_over(fault) => match fault.field {
            "type" => Kind::of_type(stored),
            _ => Kind::of_version(stored),
        },
        _ => Kind::Bytes,
    };
    Trouble {
        words: format!("not a record of a transaction coordinator: {fault}"),
        kind,
        field: Evidence::fault(fault),
        numbers: Vec::new(),
    }
}

fn values(what: &'static str, stored: &dyn std::fmt::Display, expected: &str) -> Evidence {
    Evidence::values(what, stored, &expected)
}

fn of_frame(fault: &MetadataFault, records: &[&'static Message], value: &[u8]) -> Parts {
    const KNOWN: &str = "one of Kafka 4.4.0";
    let (kind, field) = match fault {
        MetadataFault::LaterVersion { fault, .. } => return of_frame(fault, records, value),
        MetadataFault::Number(fault) => (Kind::Bytes, Evidence::fault(fault)),
        MetadataFault::TooLarge(name) => {
            (Kind::Bytes, values(name, &"more than 32767", "0 to 32767"))
        }
        MetadataFault::FrameVersion(found) => (
            Kind::of_version(i64::from(*found)),
            values("frame version", found, "1"),
        ),
        MetadataFault::UnknownType(found) => (
            Kind::of_type(i64::from(*found)),
            values("type", found, KNOWN),
        ),
        MetadataFault::Message(_, refusal) => (Kind::Bytes, Evidence::fault(&refusal.fault)),
        MetadataFault::Trailing(_, left) => {
            (Kind::Bytes, values("end", &format!("{left} bytes"), "0"))
        }
    };
    let Some((api_key, version)) = MetadataRecord::type_and_version(value) else {
        return (kind, field, Vec::new());
    };
    let known = of_type(records, api_key);
    let kind = match known {
        Some(message) if message.versions.highest < version => Kind::LaterVersion,
        _ => kind,
    };
    (kind, field, vec![("type", api_key), ("version", version)])
}

fn of_remote_log(fault: &RemoteLogFault, value: &[u8]) -> Parts {
    let field = match fault {
        RemoteLogFault::NoValue => values("value", &"nothing", "a value"),
        RemoteLogFault::Frame(fault) => return of_frame(fault, &table::storage::RECORDS, value),
        RemoteLogFault::StartOffset(found) => values("startOffset", found, "0 or more"),
        RemoteLogFault::EndOffset { start, end } => {
            values("endOffset", end, &format!("{start} or more"))
        }
        RemoteLogFault::NoLeaderEpochs => values("segmentLeaderEpochs", &"none", "one or more"),
        RemoteLogFault::UnknownState { field, id } => values(field, id, "a state of Kafka 4.4.0"),
    };
    let numbers = MetadataRecord::type_and_version(value);
    let numbers = numbers.map(|(api_key, version)| vec![("type", api_key), ("version", version)]);
    (Kind::Bytes, field, numbers.unwrap_or_default())
}

fn of_mirroring(fault: &MirrorStateFault) -> Parts {
    let (kind, field) = match fault {
        MirrorStateFault::NoKey => (Kind::Bytes, values("key", &"nothing", "a key")),
        MirrorStateFault::NoType => (Kind::Bytes, values("type", &"nothing", "a type")),
        MirrorStateFault::NoVersion => (Kind::Bytes, values("version", &"nothing", "a version")),
        MirrorStateFault::UnknownType(found) => (
            Kind::of_type(i64::from(*found)),
            values("type", found, "0 to 3"),
        ),
        MirrorStateFault::UnknownVersion(found) => (
            Kind::of_version(i64::from(*found)),
            values("version", found, "0"),
        ),
        MirrorStateFault::NoLayout { record_type } => (
            Kind::Bytes,
            values("type", record_type, "a key and a value of it"),
        ),
    };
    (kind, field, Vec::new())
}

fn of_coordinator(fault: &CoordinatorFault) -> Parts {
    const KNOWN: &str = "one of Kafka 4.4.0";
    match fault {
        CoordinatorFault::NoKey => (Kind::Bytes, values("key", &"nothing", "a key"), Vec::new()),
        CoordinatorFault::Number(_) => (
            Kind::Bytes,
            values("number in front", &"less than 2 bytes", "2 bytes"),
            Vec::new(),
        ),
        CoordinatorFault::UnknownType(found) => (
            Kind::of_type(i64::from(*found)),
            values("type", found, KNOWN),
            Vec::new(),
        ),
        CoordinatorFault::UnknownVersion {
            record_type,
            version,
            known,
        } => (
            Kind::of_version(i64::from(*version)),
            values("version", version, &known.to_string()),
            vec![("type", *record_type)],
        ),
        CoordinatorFault::Message {
            record_type,
            half,
            number,
            refusal,
        } => {
            let mut numbers = vec![("type", *record_type)];
            // A key has its type in front, and no version.
            if *half == Half::Value {
                numbers.push(("version", *number));
            }
            (Kind::Bytes, Evidence::fault(&refusal.fault), numbers)
        }
    }
}
