//! Findings about producer snapshots: each is compared with the log at its offset. Where one is
//! missing that a broker needs, its next start tells (`everything`).

use std::path::{Path, PathBuf};

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use super::terms::Terms;
use super::watch::Watch;
use crate::analysis::belief::Belief;
use crate::analysis::event_verdict::Severity;
use crate::analysis::snapshot_comparison::{Cause, Difference, Outcome};
use crate::analysis::snapshot_health::{DOUBLED_ENTRY, Health};
use crate::analysis::snapshot_queue::{Compared, Reached, SnapshotQueue, snapshots_of};
use crate::analysis::snapshot_replay;
use crate::format::number::Offset;
use crate::state::read::{ReadOptions, SegmentFile};
use crate::state::table::Table;
use crate::storage::directory::PartitionDirectory;

/// The snapshots of a partition while the log goes by.
pub(super) struct Snapshots {
    queue: SnapshotQueue,
    told: Told,
}

/// What is told of them.
struct Told {
    terms: Terms,
    /// With their offsets, ascending.
    snapshots: Vec<(Offset, PathBuf)>,
    bases: Vec<Offset>,
}

impl Snapshots {
    pub(super) fn new(
        partition: &PartitionDirectory,
        belief: &Belief,
        segments: &[SegmentFile],
        terms: &Terms,
    ) -> Self {
        let snapshots = snapshots_of(partition);
        let first = segments.first();
        let first = first.map_or(Offset(0), |first| first.base_offset);
        let how = snapshot_replay::Terms {
            rules: terms.rules,
            read: ReadOptions {
                access: terms.access,
                check_crc: true,
            },
            expiry: None,
        };
        let start = belief.log_start_offset;
        Self {
            queue: SnapshotQueue::new(partition, &snapshots, &how, first, start),
            told: Told {
                terms: *terms,
                snapshots,
                bases: segments.iter().map(|one| one.base_offset).collect(),
            },
        }
    }

    /// The least offset at which the state is wanted.
    pub(super) fn next(&self) -> Option<Offset> {
        self.queue.next()
    }

    /// Before the first batch: the snapshot at the first offset can be compared with nothing.
    pub(super) fn begin(
        &mut self,
        belief: &Belief,
        reached: &Reached<'_>,
        ledger: &mut Ledger<'_>,
        watch: &mut dyn Watch,
    ) {
        let nothing = Table::new();
        let reached = Reached {
            producers: &nothing,
            ..*reached
        };
        self.upto(reached.offset, &reached, ledger, watch);
        self.queue.knows_below = belief.began_with.is_some();
    }

    /// Compares what waits for offsets up to `offset`.
    pub(super) fn upto(
        &mut self,
        offset: Offset,
        reached: &Reached<'_>,
        ledger: &mut Ledger<'_>,
        watch: &mut dyn Watch,
    ) {
        let told = &self.told;
        self.queue.upto(
            offset,
            reached,
            &mut |index, health, compared| match health {
                Ok(health) => told.one(index, &health, &compared, ledger),
                Err(error) => watch.unread(error),
            },
        );
    }

    /// The log ends at `end`, below all that still wait.
    pub(super) fn rest(&mut self, end: Offset, ledger: &mut Ledger<'_>, watch: &mut dyn Watch) {
        let told = &self.told;
        self.queue
            .rest(end, &mut |index, health, compared| match health {
                Ok(health) => told.one(index, &health, &compared, ledger),
                Err(error) => watch.unread(error),
            });
    }

    /// After a stop in order a snapshot lies at the log's end; from an older one on the log is
    /// read.
    pub(super) fn missing(&self, end: Offset, belief: &Belief, ledger: &mut Ledger<'_>) {
        let manager = belief.state.manager();
        if manager.producers().is_empty() && manager.ongoing().count() == 0 {
            return;
        }
        let newest = self.told.snapshots.last();
        let Some((offset, path)) = newest.filter(|(offset, _)| *offset < end) else {
            return;
        };
        let message = format!(
            "the stop was clean, and the snapshot at the log's end {end} is not there: a broker \
             that starts takes the one at {offset} and reads the log from there on"
        );
        let code = FindingCode::SnapshotMissing;
        let finding = Finding::new(code, Severity::Note, &belief.path, message);
        ledger.add(finding.with_offset(end).resting_on(Evidence {
            what: "newest snapshot",
            path: Some(path.clone()),
            offset: Some(*offset),
            ..Evidence::default()
        }));
    }
}

impl Told {
    fn damage(offset: Offset, path: &Path, health: &Health, ledger: &mut Ledger<'_>) {
        for (place, damage) in health.damage.iter().enumerate() {
            let evidence = match health.faults.get(place) {
                Some(fault) => Evidence::fault(fault),
                None => Evidence {
                    what: DOUBLED_ENTRY,
                    position: Some(damage.position),
                    ..Evidence::default()
                },
            };
            let finding = Finding::of_damage(path, damage).with_offset(offset);
            ledger.add(finding.resting_on(evidence));
        }
    }

    fn one(&self, index: usize, health: &Health, compared: &Compared, ledger: &mut Ledger<'_>) {
        let Some((offset, path)) = self.snapshots.get(index) else {
            return;
        };
        let of_file = |code, severity, text: String| {
            Finding::new(code, severity, path, text).with_offset(*offset)
        };
        Self::damage(*offset, path, health, ledger);
        let is_read = health.is_read_by(self.terms.rules);
        if let Some(refusal) = health.refusal.as_ref().filter(|_| health.damage.is_empty()) {
            let severity = match is_read {
                true => Severity::Note,
                false => Severity::Error,
            };
            let text = format!("a released broker says \"{refusal}\" and deletes the file");
            let version = health.head.version.unwrap_or_default();
            ledger.add(
                of_file(FindingCode::SnapshotCorrupt, severity, text)
                    .at(0)
                    .resting_on(Evidence::values("version", &version, &1)),
            );
        }
        match compared {
            Compared::BehindLogEnd(end) => {
                let text = format!(
                    "a snapshot above the log's end {end}: a broker that starts deletes it, and \
                     what lay between is not in this log"
                );
                ledger.add(
                    of_file(FindingCode::SnapshotStray, Severity::Warning, text)
                        .resting_on(Evidence::values("offset", offset, end)),
                );
            }
            Compared::BelowFirstSegment(first) => {
                let text = format!(
                    "a snapshot below the first segment {first}: a broker that starts deletes it"
                );
                ledger.add(
                    of_file(FindingCode::SnapshotStray, Severity::Note, text)
                        .resting_on(Evidence::values("offset", offset, first)),
                );
            }
            Compared::Differences(differences) => {
                if self.is_stray(*offset) {
                    let text = "a snapshot at no segment's base and below the last one: a broker \
                                that starts deletes it"
                        .to_owned();
                    let last = self.bases.last().copied().unwrap_or(*offset);
                    let finding = of_file(FindingCode::SnapshotStray, Severity::Note, text);
                    ledger.add(finding.resting_on(Evidence {
                        what: "last segment",
                        offset: Some(last),
                        ..Evidence::default()
                    }));
                }
                // What damage has put there is nobody's state.
                let is_whole = health.is_valid();
                let is_newest = index + 1 == self.snapshots.len();
                let told = differences.iter().filter(|one| is_whole && !one.is_legal());
                for difference in told {
                    let (code, severity, text) = of_difference(difference, is_newest && is_read);
                    let finding = of_file(code, severity, text);
                    ledger.add(with_fields(finding, difference));
                }
            }
            Compared::Unreadable => {}
        }
    }

    /// A broker that rolled segments behind it leaves it; one in the last segment is the last
    /// clean stop's.
    fn is_stray(&self, offset: Offset) -> bool {
        let is_base = self.bases.binary_search(&offset).is_ok();
        !is_base && self.bases.last().is_some_and(|last| offset < *last)
    }
}

/// What a difference is. The newest snapshot is the one that a broker goes on with.
fn of_difference(difference: &Difference, is_newest: bool) -> (FindingCode, Severity, String) {
    let id = difference.producer_id;
    if let Some(Cause::BeforeBarrier(barrier)) = difference.cause {
        let text = format!(
            "producer {id} is in the snapshot, and wrote before the barrier at offset {barrier}: a \
             broker that loads it goes on as if there were no barrier"
        );
        return (FindingCode::SnapshotBeforeBarrier, Severity::Warning, text);
    }
    let severity = match is_newest {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let text = match (difference.outcome, difference.cause) {
        (_, Some(Cause::NegativeId)) => {
            let text = format!(
                "producer {id} is in the snapshot; its id is below 0, and by these rules no such \
                 producer comes out of a log"
            );
            return (FindingCode::SnapshotMismatch, Severity::Warning, text);
        }
        (Outcome::Missing, _) => format!(
            "producer {id} is not in the snapshot, and the log tells of it: a broker that loads it \
             takes a repeated batch for a new one"
        ),
        (Outcome::Extra, _) => format!(
            "producer {id} is in the snapshot, and nothing in the log tells of it: what it wrote \
             is lost, or the snapshot is another log's"
        ),
        _ => {
            let names: Vec<_> = difference.fields.iter().map(|field| field.name).collect();
            format!(
                "producer {id}: snapshot and log differ in {}",
                names.join(", ")
            )
        }
    };
    (FindingCode::SnapshotMismatch, severity, text)
}

fn with_fields(finding: Finding, difference: &Difference) -> Finding {
    let mut finding = finding.with_producer(difference.producer_id);
    let text = |value: Option<i64>| value.map(|value| value.to_string());
    let fields = difference.fields.iter();
    let said = fields.filter(|field| field.snapshot.is_some() || field.log.is_some());
    let fields = said.map(|field| Evidence {
        what: field.name,
        stored: text(field.snapshot),
        computed: text(field.log),
        ..Evidence::default()
    });
    finding.evidence.extend(fields);
    finding
}
