//! What a broker throws: the class of the exception and its exact text.

use crate::format::number::{CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence};
use std::fmt;

/// Who appends, as `AppendOrigin` has it; a load and a recovery append as [`Origin::Replication`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A replica that copies its leader, and every reading of a log.
    Replication,
    /// A transaction or group coordinator.
    Coordinator,
    /// A producer's request.
    Client,
}

impl Origin {
    /// Kafka's name of the constant.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replication => "REPLICATION",
            Self::Coordinator => "COORDINATOR",
            Self::Client => "CLIENT",
        }
    }
}

/// An error of the producer state. [`fmt::Display`] gives Kafka's message, [`StateError::class`]
/// the exception's simple name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError {
    /// The partition as Kafka prints it, `topic-number`.
    pub partition: String,
    /// The producer; -1 where the error is of none.
    pub producer_id: ProducerId,
    /// The offset of the batch that is refused.
    pub offset: Offset,
    /// Why.
    pub reason: Reason,
}

/// Why a batch is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// `ProducerAppendInfo.checkProducerEpoch`: an epoch below the last one, or not above it for a
    /// marker of transaction version 2.
    Epoch {
        /// The batch's epoch.
        epoch: ProducerEpoch,
        /// The last epoch seen.
        last: ProducerEpoch,
        /// The transaction version as it is printed: -1 for data.
        transaction_version: i16,
    },
    /// The leader's own look at the epoch, before anything else is prepared.
    LeaderEpochCheck {
        /// The batch's epoch.
        epoch: ProducerEpoch,
        /// The last epoch seen.
        last: ProducerEpoch,
    },
    /// A transactional batch whose transaction the coordinator was not asked about (KIP-890).
    Unverified,
    /// Transactions of version 2 begin with sequence 0 where the producer is unknown.
    ExpectedSequenceZero {
        /// The batch's first sequence.
        sequence: Sequence,
    },
    /// A sequence above the lowest one that waits for verification.
    AboveEarliestSeen {
        /// The batch's first sequence.
        sequence: Sequence,
        /// The lowest sequence seen.
        earliest: Sequence,
    },
    /// A new epoch that does not begin with sequence 0.
    NewEpochSequence {
        /// The batch's epoch.
        epoch: ProducerEpoch,
        /// The batch's first sequence.
        sequence: Sequence,
        /// The epoch so far.
        current: ProducerEpoch,
    },
    /// A sequence that does not follow the last one.
    Sequence {
        /// The batch's first sequence.
        sequence: Sequence,
        /// The last sequence; -1 for none.
        last: Sequence,
    },
    /// A plain batch while the producer's transaction is open.
    ExpectedTransactional,
    /// A marker appended without a transaction version by other than replication.
    UnknownTransactionVersion {
        /// Who appends.
        origin: Origin,
    },
    /// A marker of a coordinator that was replaced.
    CoordinatorFenced {
        /// The marker's coordinator epoch.
        epoch: CoordinatorEpoch,
        /// The last one seen.
        current: CoordinatorEpoch,
    },
    /// A transaction ends whose first offset is not among the open ones.
    NotStarted {
        /// Its first offset.
        first_offset: Offset,
        /// Whether it was aborted.
        aborted: bool,
    },
    /// The control record that a producer's batch holds is no end marker.
    Control(ControlFault),
}

/// What is wrong with the first record of a control batch that carries a producer id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlFault {
    /// A type that ends no transaction; the name that Kafka 4.4.0 has for it.
    Type(&'static str),
    /// MIRROR_PID_RESET, which no release knows: to Kafka 4.4.0 a type without a name.
    MirrorPidReset,
    /// A key of fewer than 4 bytes.
    ShortKey(usize),
    /// A key whose version is below 0.
    KeyVersion(i16),
    /// No key.
    NullKey,
    /// No value.
    NullValue,
    /// A value of fewer than 6 bytes.
    ShortValue,
    /// A value whose version is below 0.
    ValueVersion(i16),
    /// A count of records below 0.
    Count(i32),
    /// The first record is no record.
    NoRecord,
    /// The bytes end before the records do.
    Missing,
    /// Bytes lie behind the last record.
    Trailing,
    /// The attributes name no codec.
    Codec(i16),
    /// The records do not decompress; Kafka's text depends on the codec, this one is our own.
    Payload(String),
}

impl ControlFault {
    /// Whether `LogSegment.recover` takes the exception for damage and cuts the log there; any
    /// other ends the broker.
    #[must_use]
    pub const fn is_cut_by_recovery(&self) -> bool {
        matches!(
            self,
            Self::ShortKey(_)
                | Self::KeyVersion(_)
                | Self::ValueVersion(_)
                | Self::Count(_)
                | Self::NoRecord
                | Self::Missing
                | Self::Trailing
        )
    }

    /// The simple name of the exception.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Type(_) | Self::MirrorPidReset | Self::Codec(_) => "IllegalArgumentException",
            Self::Payload(_) => "KafkaException",
            Self::NullKey | Self::NullValue => "NullPointerException",
            Self::ShortValue => "BufferUnderflowException",
            _ => "InvalidRecordException",
        }
    }
}

impl fmt::Display for ControlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WRONG_TYPE: &str = "Invalid control record type for end transaction marker";
        match self {
            Self::Type(name) => write!(f, "{WRONG_TYPE} {name}"),
            Self::MirrorPidReset => write!(f, "{WRONG_TYPE} UNKNOWN"),
            Self::ShortKey(found) => write!(
                f,
                "Invalid value size found for control record key. Must have at least 4 bytes, \
                 but found only {found}"
            ),
            Self::KeyVersion(version) => write!(
                f,
                "Invalid version found for control record: {version}. May indicate data corruption"
            ),
            Self::NullKey => f.write_str(
                "Cannot invoke \"java.nio.ByteBuffer.duplicate()\" because \"key\" is null",
            ),
            Self::NullValue => f.write_str(
                "Cannot invoke \"java.nio.ByteBuffer.getShort()\" because \"value\" is null",
            ),
            Self::ShortValue => f.write_str("null"),
            Self::ValueVersion(version) => write!(
                f,
                "Invalid version found for end transaction marker: {version}. May indicate data \
                 corruption"
            ),
            Self::Count(count) => {
                write!(f, "Found invalid record count {count} in magic v2 batch")
            }
            Self::NoRecord => f.write_str("Found invalid record structure"),
            Self::Missing => f.write_str("Incorrect declared batch size, premature EOF reached"),
            Self::Trailing => {
                f.write_str("Incorrect declared batch size, records still remaining in file")
            }
            Self::Codec(id) => write!(f, "Unknown compression type id: {id}"),
            Self::Payload(fault) => f.write_str(fault),
        }
    }
}

impl StateError {
    /// The simple name of the exception that Kafka throws.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match &self.reason {
            Reason::Epoch { .. } | Reason::LeaderEpochCheck { .. } => {
                "InvalidProducerEpochException"
            }
            Reason::Unverified | Reason::ExpectedTransactional => "InvalidTxnStateException",
            Reason::ExpectedSequenceZero { .. }
            | Reason::AboveEarliestSeen { .. }
            | Reason::NewEpochSequence { .. }
            | Reason::Sequence { .. } => "OutOfOrderSequenceException",
            Reason::CoordinatorFenced { .. } => "TransactionCoordinatorFencedException",
            Reason::UnknownTransactionVersion { .. } | Reason::NotStarted { .. } => {
                "IllegalArgumentException"
            }
            Reason::Control(fault) => fault.class(),
        }
    }

    /// Whether `LogSegment.recover` takes the exception for damage and cuts the log there.
    #[must_use]
    pub const fn is_cut_by_recovery(&self) -> bool {
        match &self.reason {
            Reason::Control(fault) => fault.is_cut_by_recovery(),
            _ => false,
        }
    }

    /// The words that most messages share.
    const fn place<'a>(&'a self, who: &'static str, within: &'static str) -> Place<'a> {
        Place {
            who,
            error: self,
            within,
        }
    }
}

/// Whose batch, where, in which partition.
struct Place<'a> {
    who: &'static str,
    error: &'a StateError,
    /// The word before the partition, where there is one.
    within: &'static str,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { who, error, within } = self;
        let (id, offset, partition) = (error.producer_id, error.offset, &error.partition);
        write!(f, "{who} {id} at offset {offset} in {within}{partition}")
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, offset, partition) = (self.producer_id, self.offset, &self.partition);
        match &self.reason {
            Reason::Epoch {
                epoch,
                last,
                transaction_version: version,
            } => {
                let place = self.place("Epoch of producer", "");
                let than = if *version >= 2 { "<=" } else { "<" };
                write!(
                    f,
                    "{place} is {epoch}, which is {than} the last seen epoch {last} (TV{version})"
                )
            }
            Reason::LeaderEpochCheck { epoch, last } => write!(
                f,
                "Epoch of producer {id} is {epoch}, which is smaller than the last seen epoch \
                 {last}"
            ),
            Reason::Unverified => f.write_str("Record was not part of an ongoing transaction"),
            Reason::ExpectedTransactional => write!(
                f,
                "Expected transactional write from producer {id} at offset \
                 (offset={offset}, segment=[-1:-1]) in partition {partition}"
            ),
            Reason::UnknownTransactionVersion { origin } => write!(
                f,
                "transactionVersion must be explicitly specified, cannot use default value \
                 TV_UNKNOWN for origin {}",
                origin.name()
            ),
            Reason::CoordinatorFenced { epoch, current } => {
                let place = self.place("Invalid coordinator epoch for producerId", "partition ");
                write!(f, "{place}: {epoch} (zombie), {current} (current)")
            }
            Reason::NotStarted {
                first_offset,
                aborted,
            } => write!(
                f,
                "Attempted to complete transaction CompletedTxn[producerId={id}, \
                 firstOffset={first_offset}, lastOffset={offset}, isAborted={aborted}] on \
                 partition {partition} which was not started"
            ),
            Reason::Control(fault) => fault.fmt(f),
            sequence => self.sequence_text(f, sequence),
        }
    }
}

impl StateError {
    fn sequence_text(&self, f: &mut fmt::Formatter<'_>, reason: &Reason) -> fmt::Result {
        let invalid = self.place("Invalid sequence number for producer", "partition ");
        let disorder = self.place("Out of order sequence number for producer", "partition ");
        match reason {
            Reason::ExpectedSequenceZero { sequence } => write!(
                f,
                "{invalid}: {sequence} (incoming seq. number). Expected sequence 0 for \
                 transactions v2 idempotent producer with no existing state."
            ),
            Reason::AboveEarliestSeen { sequence, earliest } => write!(
                f,
                "{disorder}: {sequence} (incoming seq. number), {earliest} (earliest seen sequence)"
            ),
            Reason::NewEpochSequence {
                epoch,
                sequence,
                current,
            } => {
                let who = "Invalid sequence number for new epoch of producer";
                let place = self.place(who, "partition ");
                write!(
                    f,
                    "{place}: {epoch} (request epoch), {sequence} (seq. number), \
                     {current} (current producer epoch)"
                )
            }
            Reason::Sequence { sequence, last } => write!(
                f,
                "{disorder}: {sequence} (incoming seq. number), {last} (current end sequence \
                 number)"
            ),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for StateError {}
