//! What writers do: write, write again, begin and end transactions.

use super::{Misuse, Producer, Sent, Spot, World};
use crate::format::number::{CoordinatorEpoch, Offset, ProducerEpoch};
use crate::simulate::happening::{By, Happening};
use crate::simulate::harm::HarmKind;
use crate::simulate::replica::Appended;
use crate::simulate::scenario::{ProduceStep, RetryStep, WriterKind};
use crate::simulate::stored::{At, Numbered, Stored};
use crate::simulate::truth::{
    Acknowledged, ClusterIndex, Outcome, RecordId, Transaction, TransactionIndex, Truth,
    WriterIndex, Wrote,
};
use crate::state::append::Append;
use crate::state::entry::BatchMetadata;
use crate::state::error::StateError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a mirrored partition takes nothing from clients.
const READ_ONLY: &str = "the partition is a mirror: read-only";
/// Why a leader takes no transactional batch that its coordinator knows nothing of.
const NOT_IN_TRANSACTION: &str =
    "InvalidTxnStateException: the record is not part of an ongoing transaction here";

impl World {
    pub(super) fn produce(&mut self, step: &ProduceStep) -> Result<(), Misuse> {
        let writer = self.writer_named(&step.writer)?;
        let cluster = self.target(writer, step.cluster.as_deref())?;
        let spot = Spot {
            cluster,
            name: &step.topic_partition,
        };
        let (kind, open) = (self.writer(writer).kind, self.writer(writer).open);
        if (kind == WriterKind::Transactional) != open.is_some() {
            return Err(format!(
                "{} has no transaction open: begin one",
                step.writer
            ));
        }
        if open.is_some() && cluster != self.writer(writer).home {
            let problem = "a transaction cannot write to a cluster whose coordinator is another";
            return Err(problem.to_owned());
        }
        if self.partition(spot).is_some_and(|one| one.is_read_only()) {
            self.refuse(spot, By::Client, Some(writer), READ_ONLY);
            return Ok(());
        }
        for batch in 0..step.batches {
            let sent = self.next_batch(writer, spot, step.records);
            let is_told = !(step.ack_lost && batch + 1 == step.batches);
            self.send(spot, sent, is_told);
        }
        Ok(())
    }

    pub(super) fn retry(&mut self, step: &RetryStep) -> Result<(), Misuse> {
        let writer = self.writer_named(&step.writer)?;
        let cluster = self.target(writer, step.cluster.as_deref())?;
        let spot = Spot {
            cluster,
            name: &step.topic_partition,
        };
        let sent = self.writer(writer).last_sent.get(spot.name).copied();
        let Some(sent) = sent else {
            let who = &step.writer;
            return Err(format!("{who} has sent nothing to {} yet", spot.name));
        };
        if cluster != self.writer(writer).home && !self.took_over(spot, self.writer(writer).home) {
            return Err(format!(
                "{} sends elsewhere only after a failover: {} has not stopped mirroring its own \
                 cluster",
                step.writer,
                self.cluster(cluster).name
            ));
        }
        let is_refused = match sent.transaction {
            // The coordinator is asked for the transaction (KIP-890).
            Some(_) if sent.transaction != self.writer(writer).open => Some(NOT_IN_TRANSACTION),
            Some(_) if cluster != self.writer(writer).home => Some(NOT_IN_TRANSACTION),
            _ if self.partition(spot).is_some_and(|one| one.is_read_only()) => Some(READ_ONLY),
            _ => None,
        };
        match is_refused {
            Some(error) => self.refuse(spot, By::Client, Some(writer), error),
            None => self.send(spot, sent, true),
        }
        Ok(())
    }

    /// Whether a partition has stopped mirroring what came, by way of others perhaps, from `home`.
    fn took_over(&self, spot: Spot<'_>, home: ClusterIndex) -> bool {
        let mut link = self.link(spot);
        if link.is_some_and(|link| link.is_read_only()) {
            return true;
        }
        for _ in 0..self.clusters.len() {
            let Some(found) = link else { return false };
            if found.source == home {
                return true;
            }
            let name = spot.name;
            let cluster = found.source;
            link = self.link(Spot { cluster, name });
        }
        false
    }

    fn target(&self, writer: WriterIndex, name: Option<&str>) -> Result<ClusterIndex, Misuse> {
        name.map_or(Ok(self.writer(writer).home), |name| {
            self.cluster_named(name)
        })
    }

    pub(super) fn refuse(
        &mut self,
        spot: Spot<'_>,
        by: By,
        writer: Option<WriterIndex>,
        error: &str,
    ) {
        self.tell(|world| Happening::Refused {
            site: world.site(spot),
            by,
            writer,
            error: error.to_owned(),
        });
    }

    /// Gives a writer an id, if it has none (InitProducerId).
    fn identify(&mut self, index: WriterIndex) -> Option<Producer> {
        let writer = self.writer(index);
        let (home, kind) = (writer.home, writer.kind);
        if kind == WriterKind::Plain {
            return None;
        }
        if let Some(producer) = writer.producer {
            return Some(producer);
        }
        let cluster = self.cluster_mut(home);
        let broker = 0;
        let producer = Producer {
            id: cluster.allocator.next(broker),
            epoch: ProducerEpoch(0),
        };
        self.writer_mut(index).producer = Some(producer);
        self.tell(|_| Happening::IdGiven {
            cluster: home,
            writer: index,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
        });
        Some(producer)
    }

    fn next_batch(&mut self, index: WriterIndex, spot: Spot<'_>, count: u32) -> Sent {
        let producer = self.identify(index);
        let timestamp = self.now;
        let writer = self.writer_mut(index);
        let first = RecordId {
            writer: index,
            number: writer.written,
        };
        writer.written += u64::from(count);
        let mut numbered = Numbered::NONE;
        if let Some(producer) = producer {
            let begin = writer.first_sequence;
            let next = writer
                .sequences
                .entry(spot.name.to_owned())
                .or_insert(begin);
            numbered = Numbered {
                producer_id: producer.id,
                producer_epoch: producer.epoch,
                base_sequence: *next,
            };
            *next = next.plus(i32::try_from(count).unwrap_or(i32::MAX));
        }
        let sent = Sent {
            numbered,
            first,
            count,
            transaction: writer.open,
            timestamp,
        };
        writer.last_sent.insert(spot.name.to_owned(), sent);
        if let Some(transaction) = sent.transaction
            && let Some(known) = self.transactions.get_mut(transaction.0)
        {
            known.partitions.insert(spot.name.to_owned());
        }
        sent
    }

    fn send(&mut self, spot: Spot<'_>, sent: Sent, is_told: bool) {
        let truth = Truth {
            origin: spot.cluster,
            wrote: Wrote::Data {
                first: sent.first,
                count: sent.count,
                transaction: sent.transaction,
            },
        };
        let is_transactional = sent.transaction.is_some();
        let at = At {
            timestamp: sent.timestamp,
            ..self.at_end(spot)
        };
        let stored = Stored::data(at, sent.numbered, sent.count, is_transactional, truth);
        let batches = [Arc::new(stored)];
        let in_order = self.is_in_order(spot, &sent);
        match self.append_to_leader(spot, (Append::CLIENT, By::Client), &batches) {
            Ok(Appended::Taken) => {
                self.replicate(spot, true, usize::MAX);
                if is_told {
                    self.acknowledge(spot, &sent, at.offset, false);
                }
            }
            Ok(Appended::Duplicate(kept)) => self.take_for_repeat(spot, &sent, &kept),
            Err(error) => self.refuse_write(spot, &sent, in_order, &error),
        }
    }

    /// Whether a batch is the next of its writer in this log, or its first: a broker that knew the
    /// truth would take it.
    fn is_in_order(&self, spot: Spot<'_>, sent: &Sent) -> bool {
        let Some(partition) = self.partition(spot) else {
            return true;
        };
        let is_own = |truth: &Truth| match truth.wrote {
            Wrote::Data { first, .. } => first.writer == sent.first.writer,
            _ => false,
        };
        let mut own = partition
            .leader()
            .log()
            .iter()
            .rev()
            .filter(|stored| is_own(&stored.truth));
        match own.next() {
            None => true,
            Some(last) => {
                let batch = &last.batch;
                let (epoch, sequence) = (sent.numbered.producer_epoch, sent.numbered.base_sequence);
                batch.producer_epoch < epoch
                    || batch.producer_epoch == epoch && batch.last_sequence.plus(1) == sequence
            }
        }
    }

    pub(super) fn at_end(&mut self, spot: Spot<'_>) -> At {
        let timestamp = self.now;
        let partition = self.partition_mut(spot);
        At {
            offset: partition.leader().end(),
            leader_epoch: partition.leader_epoch,
            timestamp,
        }
    }

    fn acknowledge(
        &mut self,
        spot: Spot<'_>,
        sent: &Sent,
        base_offset: Offset,
        is_duplicate: bool,
    ) {
        self.acknowledged.push(Acknowledged {
            cluster: spot.cluster,
            topic_partition: spot.name.to_owned(),
            first: sent.first,
            count: sent.count,
            base_offset,
            step: self.step,
        });
        self.tell(|world| Happening::Acknowledged {
            site: world.site(spot),
            writer: sent.first.writer,
            base_offset,
            is_duplicate,
        });
    }

    /// A leader took a batch for a repeat and confirmed it.
    fn take_for_repeat(&mut self, spot: Spot<'_>, sent: &Sent, kept: &BatchMetadata) {
        let base_offset = kept.first_offset();
        let at = self
            .partition(spot)
            .and_then(|one| one.leader().at(base_offset));
        let holder = at.map(|stored| stored.truth);
        let is_same = holder.is_some_and(
            |truth| matches!(truth.wrote, Wrote::Data { first, .. } if first == sent.first),
        );
        self.acknowledge(spot, sent, base_offset, true);
        if is_same {
            return;
        }
        let other = holder.and_then(|truth| truth.writer());
        self.harm(HarmKind::LostWrite, spot, |harm, world| {
            let writer = sent.first.writer;
            harm.offset = Some(base_offset);
            harm.producer_id = Some(sent.numbered.producer_id);
            harm.writers = other.into_iter().chain([writer]).collect();
            let holder = other.map_or("nobody", |other| world.writer(other).name.as_str());
            harm.detail = format!(
                "a write of {} was confirmed at offset {base_offset}, where a batch of {holder} \
                 lies; nothing was appended",
                world.writer(writer).name
            );
        });
    }

    fn refuse_write(&mut self, spot: Spot<'_>, sent: &Sent, in_order: bool, error: &StateError) {
        let writer = sent.first.writer;
        let text = format!("{}: {error}", error.class());
        self.refuse(spot, By::Client, Some(writer), &text);
        if !in_order {
            return;
        }
        let kind = match error.class() {
            "InvalidProducerEpochException" => HarmKind::FencedProducer,
            _ => HarmKind::RejectedWrite,
        };
        self.harm(kind, spot, |harm, world| {
            harm.offset = Some(error.offset);
            harm.producer_id = Some(sent.numbered.producer_id);
            harm.writers = vec![writer];
            harm.detail = format!(
                "a write of {} is refused: {text}",
                world.writer(writer).name
            );
        });
    }

    pub(super) fn begin(&mut self, name: &str) -> Result<(), Misuse> {
        let index = self.writer_named(name)?;
        let writer = self.writer(index);
        if writer.kind != WriterKind::Transactional {
            return Err(format!("{name} is not transactional"));
        }
        if writer.open.is_some() {
            return Err(format!("{name} has a transaction open already"));
        }
        let cluster = writer.home;
        self.identify(index);
        let transaction = TransactionIndex(self.transactions.len());
        self.transactions.push(Transaction {
            writer: index,
            cluster,
            partitions: BTreeSet::new(),
            outcome: Outcome::Open,
        });
        self.writer_mut(index).open = Some(transaction);
        Ok(())
    }

    pub(super) fn end_transaction(&mut self, name: &str, is_abort: bool) -> Result<(), Misuse> {
        let index = self.writer_named(name)?;
        let (Some(transaction), Some(producer)) =
            (self.writer(index).open, self.writer(index).producer)
        else {
            return Err(format!("{name} has no transaction open"));
        };
        let version = self.writer(index).transaction_version;
        if version >= 2 && self.writer(index).is_exhausted() {
            return Err(format!(
                "{name} has used up its epochs: a broker gives a new id"
            ));
        }
        if version >= 2 {
            self.writer_mut(index).bump();
        }
        let epoch = self
            .writer(index)
            .producer
            .map_or(producer.epoch, |one| one.epoch);
        self.writer_mut(index).open = None;
        let mut partitions = BTreeSet::new();
        let cluster = self.writer(index).home;
        if let Some(known) = self.transactions.get_mut(transaction.0) {
            known.outcome = match is_abort {
                true => Outcome::Aborted,
                false => Outcome::Committed,
            };
            partitions = known.partitions.clone();
        }
        for name in &partitions {
            let spot = Spot { cluster, name };
            if self.partition(spot).is_some_and(|one| one.is_read_only()) {
                self.refuse(
                    spot,
                    By::Coordinator,
                    Some(index),
                    "the partition is a mirror",
                );
                continue;
            }
            let truth = Truth {
                origin: cluster,
                wrote: Wrote::Marker {
                    writer: index,
                    transaction,
                    is_abort,
                    by_mirror: false,
                },
            };
            let at = self.at_end(spot);
            let marker = (is_abort, CoordinatorEpoch(0));
            let stored = Stored::marker(at, (producer.id, epoch), marker, truth);
            self.write_marker(spot, stored, (version, By::Coordinator));
        }
        Ok(())
    }

    /// Appends a marker; one that is refused leaves its transaction open for ever.
    pub(super) fn write_marker(&mut self, spot: Spot<'_>, stored: Stored, how: (i16, By)) {
        let (version, by) = how;
        let (writer, id) = (stored.truth.writer(), stored.batch.producer_id);
        let append = Append::coordinator(version);
        match self.append_to_leader(spot, (append, by), &[Arc::new(stored)]) {
            Ok(_) => self.replicate(spot, true, usize::MAX),
            Err(error) => {
                let text = format!("{}: {error}", error.class());
                self.refuse(spot, by, writer, &text);
                self.harm(HarmKind::TransactionCorruption, spot, |harm, _| {
                    harm.offset = Some(error.offset);
                    harm.producer_id = Some(id);
                    harm.writers = writer.into_iter().collect();
                    harm.detail = format!("the marker of a transaction is refused: {text}");
                });
            }
        }
    }

    pub(super) fn bump_epoch(&mut self, name: &str) -> Result<(), Misuse> {
        let index = self.writer_named(name)?;
        if self.writer(index).open.is_some() {
            return Err(format!("{name} has a transaction open: end it first"));
        }
        if self.identify(index).is_none() {
            return Err(format!("{name} has no producer id"));
        }
        if self.writer(index).is_exhausted() {
            return Err(format!(
                "{name} has used up its epochs: a broker gives a new id"
            ));
        }
        self.writer_mut(index).bump();
        let writer = self.writer(index);
        let (cluster, producer) = (writer.home, writer.producer);
        if let Some(producer) = producer {
            self.tell(|_| Happening::IdGiven {
                cluster,
                writer: index,
                producer_id: producer.id,
                producer_epoch: producer.epoch,
            });
        }
        Ok(())
    }
}
