//! The command that aborts a transaction, as `kafka-transactions.sh` of Kafka 4.4.0 takes it
//! (`TransactionsCommand.AbortTransactionCommand`).

use crate::analysis::open_transactions::Abort;
use crate::report::shell_word::shell_word;
use crate::storage::partition_name::PartitionName;

/// The command line; what the log cannot tell stands in angle brackets.
#[must_use]
pub fn abort_command(name: Option<&PartitionName>, abort: Abort) -> String {
    let (topic, partition) = match name {
        Some(name) => (option("--topic", &name.topic), name.partition.to_string()),
        None => ("--topic <TOPIC>".to_owned(), "<PARTITION>".to_owned()),
    };
    let which = match abort {
        Abort::StartOffset(offset) => format!("--start-offset {offset}"),
        Abort::Producer {
            producer_id,
            producer_epoch,
            coordinator_epoch,
        } => format!(
            "--producer-id {producer_id} --producer-epoch {producer_epoch} \
             --coordinator-epoch {coordinator_epoch}"
        ),
    };
    format!(
        "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort {topic} \
         --partition {partition} {which}"
    )
}

/// A value that a shell and the stock tool take as it stands.
fn option(name: &str, value: &str) -> String {
    let quoted = shell_word(value);
    // What begins with a dash is an option to the stock tool, unless it stands behind `=`.
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{between}{quoted}")
}

#[cfg(test)]
mod tests {
    use super::{Abort, abort_command, option};
    use crate::format::number::{CoordinatorEpoch, Offset, ProducerEpoch, ProducerId};
    use crate::storage::partition_name::PartitionName;

    #[test]
    fn by_offset_and_by_producer() {
        let name = PartitionName::parse("my.topic-3-2".as_ref());
        let offset = Abort::StartOffset(Offset(65));
        assert_eq!(
            abort_command(name.as_ref(), offset),
            "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort --topic my.topic-3 \
             --partition 2 --start-offset 65"
        );
        let producer = Abort::Producer {
            producer_id: ProducerId(2007),
            producer_epoch: ProducerEpoch(3),
            coordinator_epoch: CoordinatorEpoch(4),
        };
        assert_eq!(
            abort_command(None, producer),
            "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort --topic <TOPIC> \
             --partition <PARTITION> --producer-id 2007 --producer-epoch 3 --coordinator-epoch 4"
        );
    }

    #[test]
    fn a_name_that_no_broker_takes_breaks_no_shell() {
        assert_eq!(option("--topic", "it's $HOME"), "--topic 'it'\\''s $HOME'");
        assert_eq!(option("--topic", "-x"), "--topic=-x");
        assert_eq!(option("--topic", "__a.b-c_9"), "--topic __a.b-c_9");
    }
}
