//! What to do about findings of producers, transactions and barriers.

use crate::analysis::check::code::FindingCode;

/// What to do about a code; `None` for codes of other things.
pub(super) fn of_producer(code: FindingCode) -> Option<String> {
    use FindingCode as Code;
    let text = match code {
        Code::SequenceGap => {
            "Compare the offsets around it with another replica: if the producer has batches \
             there that are missing here, let the broker fetch this copy again. If they are the \
             same, look whether the records belong to this topic."
        }
        Code::SequenceRepeat | Code::SequenceOverlap => {
            "Read both batches (kfsck dump-log --print-data-log). The same records: the producer \
             wrote them twice, and consumers got them twice. Different ones: two writers share \
             the id; stop both before you part them."
        }
        Code::EpochRegression | Code::PidCollision => {
            "Stop the writers of this id. Part them in a copy and read which batches are in \
             doubt. Until then start no new producer here: it may be answered as a duplicate, and \
             its records are lost."
        }
        Code::MarkerOldEpoch | Code::CoordinatorEpochRegression => {
            "Look with `kfsck txns` whether a transaction of the producer hangs; if so, abort it \
             with the line that it prints. Nothing else is to be done."
        }
        Code::CoordinatorMismatch => {
            "Make sure that both copies are of one moment, and look for the marker on other \
             replicas: where one has it, fetch the partition again. Append an abort offline only \
             where the coordinator has aborted it too, with all replicas stopped."
        }
        Code::NegativeProducerId => {
            "`kfsck pid explain` tells what the id can be. Consumers of committed data see its \
             aborted records on a stock broker. Unmap in a copy, and look that no local producer \
             uses the original id."
        }
        Code::InternalRecordUndecodable => {
            "Look at the record with kfsck dump-log. If a later release wrote it, run brokers of \
             that. Otherwise compare with another replica; if it is the same there, find who \
             writes to the topic."
        }
        Code::ProducerIdNotIssued => {
            "Before local producers write, let the controller give out ids above this one, or \
             give its batches an id of the reserved range (2^62 and up)."
        }
        Code::BarrierOpenTransaction => {
            "Ask the source cluster how the transaction ended there. If it was aborted or is \
             unknown, append an abort with all replicas stopped; if it was committed, its records \
             may be incomplete here."
        }
        Code::BarrierMissing => {
            "Before local producers write here, let the controller give out ids above the highest \
             in front, or append a barrier with all replicas stopped, the same bytes on each. A \
             stock broker passes over a barrier."
        }
        _ => return None,
    };
    Some(text.to_owned())
}
