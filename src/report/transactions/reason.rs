//! Why a transaction has its verdict, in a sentence.

use super::Terms;
use crate::analysis::completed_commit::CompletedCommit;
use crate::analysis::hanging_transaction::{Arm, Doubt};
use crate::analysis::open_transactions::{OpenView, Why};
use crate::format::number::Timestamp;
use crate::format::transaction_log::{TransactionLogKey, TransactionStatus};
use crate::report::measure;
use crate::report::one_line::path_on_one_line;
use crate::state::transactions::Transaction;

/// The reason for the verdict on an open transaction.
#[must_use]
pub fn of_open(view: &OpenView<'_>, terms: &Terms) -> String {
    let waited = waited(view, terms);
    let timeout = measure::duration(u64::try_from(terms.max_timeout_ms).unwrap_or(0));
    match (&view.why, view.last_timestamp) {
        (Why::InTime, _) => format!("{waited}, within the timeout of {timeout}"),
        (why, last) => {
            let overdue = match last {
                Some(_) => format!("{waited}, longer than {timeout}"),
                None => waited,
            };
            let more = match &view.committed {
                Some(committed) => of_commit(committed),
                None => of_older_record(view, terms),
            };
            format!("{overdue}; {}{more}", of_overdue(why, terms))
        }
    }
}

/// What an abort of it would do to what its coordinator has committed.
fn of_commit(committed: &CompletedCommit<'_>) -> String {
    let record = format!(
        "record {} of __transaction_state-{}",
        committed.state.offset, committed.partition
    );
    let whose = match committed.is_certain {
        true => format!("it has committed this one ({record})"),
        false => format!(
            "the last one that it committed ({record}) was this one by all that is here, as no \
             marker of that time lies in front of it"
        ),
    };
    format!(
        "; {whose}: an abort throws away records that are committed elsewhere, so no line is \
         given; look for the COMMIT on the other replicas"
    )
}

/// A coordinator's record that is older than the transaction may be an older copy's.
fn of_older_record(view: &OpenView<'_>, terms: &Terms) -> String {
    let Why::Hanging(arm) = &view.why else {
        return String::new();
    };
    let began = view.start_timestamp.unwrap_or(Timestamp::NONE);
    // As it was then, nothing can be copied anew.
    match arm.written_before(began).filter(|_| terms.as_of.is_none()) {
        None => String::new(),
        Some(written) => format!(
            "; its record was last written at {}, before the transaction began: if \
             __transaction_state was copied earlier than the partition, copy it anew before you \
             abort",
            measure::time(written)
        ),
    }
}

fn waited(view: &OpenView<'_>, terms: &Terms) -> String {
    let Some(last) = view.last_timestamp else {
        return "nothing tells when its producer last wrote".to_owned();
    };
    match u64::try_from(terms.now.0.saturating_sub(last.0)) {
        Ok(ms) => format!("its producer last wrote {} ago", measure::duration(ms)),
        Err(_) => format!(
            "its producer last wrote at {}, later than now",
            measure::time(last)
        ),
    }
}

fn of_overdue(why: &Why<'_>, terms: &Terms) -> String {
    match why {
        Why::InTime => String::new(),
        Why::Known {
            transactional_id,
            state,
        } => format!(
            "but the coordinator of {} has it as {} and will end it",
            id_text(transactional_id),
            state.value.transaction_status
        ),
        Why::EndedElsewhere(end) => format!(
            "but its {} lies at offset {} of {}: this copy is behind",
            end.kind(),
            end.offset,
            path_on_one_line(&end.path)
        ),
        Why::NoProducer { since_barrier } => {
            let left = match since_barrier {
                true => "a barrier took its producer away",
                false => "no producer has it",
            };
            let gone = match since_barrier {
                true => "a restart from a later snapshot, which does not know it, lets go of it",
                false => "a broker that builds its producer state from the log again drops it",
            };
            format!("{left}, so neither a marker nor kafka-transactions.sh ends it; {gone}")
        }
        Why::ForeignProducer => {
            "its producer id is below 0, so its coordinator is that of another \
                                 cluster, and a stock broker takes no marker for it"
                .to_owned()
        }
        Why::NoCoordinator => "whether a coordinator will end it is for __transaction_state to \
                               say (--transaction-log DIR)"
            .to_owned(),
        Why::NoPartition => "the directory's name does not say which partition this is, and that \
                             decides whether it hangs"
            .to_owned(),
        Why::Undecided(doubt) => {
            let is_of_copy = matches!(
                doubt,
                Doubt::UnreadPartitions { .. } | Doubt::IncompletePartition(_)
            );
            let then = match terms.as_of.is_some() && is_of_copy {
                true => "; what they knew then may have been cleaned away since",
                false => "",
            };
            of_doubt(doubt) + then
        }
        Why::Hanging(arm) => of_arm(arm),
    }
}

fn of_arm(arm: &Arm<'_>) -> String {
    match arm {
        Arm::NoTransactionalId => {
            "no transactional id uses its producer id, so no coordinator will end it".to_owned()
        }
        Arm::UnknownTransaction {
            transactional_id,
            found_in,
            home,
        } => format!(
            "the coordinator of {}, which uses its producer id, does not know it, for the record \
             lies in __transaction_state-{found_in} and belongs into __transaction_state-{home}; \
             so nobody will end it",
            id_text(transactional_id)
        ),
        Arm::PartitionNotInTransaction {
            transactional_id,
            state,
        } => {
            let status = state.value.transaction_status;
            let which = match status {
                TransactionStatus::Empty
                | TransactionStatus::CompleteCommit
                | TransactionStatus::CompleteAbort => {
                    format!("has no transaction now ({status})")
                }
                _ => format!("has a transaction ({status}) without this partition"),
            };
            format!(
                "{}, which uses its producer id, {which}, so its coordinator will not end this one",
                id_text(transactional_id)
            )
        }
    }
}

fn of_doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::UnknownPartitionCount => "how many partitions __transaction_state has \
                                         cannot be told, so some may be missing here \
                                         (--transaction-log-partitions N)"
            .to_owned(),
        Doubt::MisplacedIds => "a transactional id uses its producer id, but no number of \
                                partitions puts all ids of __transaction_state where they lie, so \
                                it is not known which coordinator should have it \
                                (--transaction-log-partitions N)"
            .to_owned(),
        Doubt::UnreadPartitions { lowest, unread, of } => {
            let listed: Vec<_> = lowest.iter().map(u32::to_string).collect();
            let more = match unread.saturating_sub(listed.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "of the {of} partitions of __transaction_state these are not here or not whole: \
                 {}{more}",
                listed.join(", ")
            )
        }
        Doubt::IncompletePartition(number) => format!(
            "__transaction_state-{number}, which its coordinator keeps, could not be read whole"
        ),
    }
}

/// A transactional id in quotes; what is not UTF-8 shows as U+FFFD, and what a terminal would obey
/// as an escape.
fn id_text(key: &TransactionLogKey) -> String {
    let mut text = "transactional id '".to_owned();
    for letter in String::from_utf8_lossy(&key.transactional_id).chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text.push('\'');
    text
}

/// What is said of a transaction that ended.
#[must_use]
pub fn of_ended(transaction: &Transaction) -> String {
    match &transaction.end {
        None => String::new(),
        Some(end) => format!("the marker at offset {} ended it", end.offset),
    }
}

#[cfg(test)]
mod tests {
    use super::{TransactionLogKey, id_text};

    #[test]
    fn an_id_cannot_speak_to_a_terminal() {
        let key = TransactionLogKey {
            transactional_id: b"a\x1b[2J\n\xff".to_vec(),
        };
        let expected = "transactional id 'a\\u{1b}[2J\\n\u{fffd}'";
        assert_eq!(id_text(&key), expected);
    }
}
