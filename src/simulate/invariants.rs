//! What must hold, whatever the design: judged by the truth alone, never by what the analysis of
//! logs says.

use crate::format::number::{Offset, ProducerId};
use crate::simulate::cluster::Partition;
use crate::simulate::consumer::read_committed;
use crate::simulate::harm::{HarmKind, Unmirrored};
use crate::simulate::scenario::WriterKind;
use crate::simulate::stored::Stored;
use crate::simulate::truth::{
    ClusterIndex, Outcome, RecordId, TransactionIndex, WriterIndex, Wrote,
};
use crate::simulate::world::{Spot, World};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Where a log ends each transaction first, and how.
type Ends = HashMap<TransactionIndex, (Offset, bool)>;

fn ends(log: &[Arc<Stored>]) -> Ends {
    let mut ends = Ends::new();
    for stored in log {
        if let Wrote::Marker {
            transaction,
            is_abort,
            ..
        } = stored.truth.wrote
        {
            let end = (stored.batch.base_offset, is_abort);
            ends.entry(transaction).or_insert(end);
        }
    }
    ends
}

impl World {
    /// Consumers of committed records read the partitions that were touched: they must get nothing
    /// that is undecided or aborted, and miss nothing that is committed.
    pub(super) fn read_as_consumers(&mut self) {
        for (cluster, name) in std::mem::take(&mut self.touched) {
            let spot = Spot {
                cluster,
                name: &name,
            };
            self.read_as_consumer(spot);
        }
    }

    fn read_as_consumer(&mut self, spot: Spot<'_>) {
        let Some(partition) = self.partition(spot) else {
            return;
        };
        let leader = partition.leader();
        let is_transactional = |stored: &Arc<Stored>| stored.batch.is_transactional;
        if !leader.log().iter().any(is_transactional) {
            return;
        }
        let stable = leader.last_stable_offset(partition.high_watermark);
        let shown = read_committed(leader, self.rules, stable);
        let shown: BTreeSet<Offset> = shown.iter().map(|one| one.batch.base_offset).collect();
        let ends = ends(leader.log());
        let mut wrong = Vec::new();
        for stored in leader.log() {
            let batch = &stored.batch;
            let Wrote::Data {
                first,
                transaction: Some(transaction),
                ..
            } = stored.truth.wrote
            else {
                continue;
            };
            if batch.last_offset >= stable {
                break;
            }
            let is_shown = shown.contains(&batch.base_offset);
            let end = ends.get(&transaction);
            let what = match (is_shown, end) {
                (true, None) => "whose transaction nothing has ended here are shown as committed",
                (true, Some((_, true))) => "that were aborted are shown as committed",
                (false, Some((_, false))) => "that were committed are hidden as aborted",
                (false, None) => "whose transaction nothing has ended here are hidden as aborted",
                _ => continue,
            };
            wrong.push((batch.base_offset, batch.producer_id, first.writer, what));
        }
        for (offset, id, writer, what) in wrong {
            self.harm(HarmKind::TransactionCorruption, spot, |harm, world| {
                let name = &world.writer(writer).name;
                harm.offset = Some(offset);
                harm.producer_id = Some(id);
                harm.writers = vec![writer];
                harm.detail = format!("records of {name} {what}");
            });
        }
    }

    /// What must hold at the end of a run.
    pub fn judge_end(&mut self) {
        for index in 0..self.clusters.len() {
            let cluster = ClusterIndex(index);
            let names: Vec<String> = self.cluster(cluster).partitions.keys().cloned().collect();
            for name in &names {
                let spot = Spot { cluster, name };
                self.compare_replicas(spot);
                self.judge_identity(spot);
                self.judge_stability(spot);
                self.judge_records(spot);
                self.judge_stable_offset(spot);
                self.judge_outcomes(spot);
            }
            self.judge_split_transactions(cluster);
        }
    }

    fn log(&self, spot: Spot<'_>) -> Vec<Arc<Stored>> {
        let partition = self.partition(spot);
        partition.map_or_else(Vec::new, |one| one.leader().log().to_vec())
    }

    /// Between two barriers one id is one writer.
    fn judge_identity(&mut self, spot: Spot<'_>) {
        let mut holders: HashMap<ProducerId, WriterIndex> = HashMap::new();
        for stored in self.log(spot) {
            if stored.is_barrier() {
                holders.clear();
                continue;
            }
            let (id, offset) = (stored.batch.producer_id, stored.batch.base_offset);
            let Some(writer) = stored.truth.writer().filter(|_| id != ProducerId::NONE) else {
                continue;
            };
            let holder = *holders.entry(id).or_insert(writer);
            if holder != writer {
                self.harm(HarmKind::PidCollision, spot, |harm, world| {
                    let [first, second] = [holder, writer].map(|one| world.writer(one));
                    let home = |one: ClusterIndex| world.cluster(one).name.clone();
                    harm.offset = Some(offset);
                    harm.producer_id = Some(id);
                    harm.writers = vec![holder.min(writer), holder.max(writer)];
                    harm.detail = format!(
                        "{} of {} and {} of {} are both {id}",
                        first.name,
                        home(first.home),
                        second.name,
                        home(second.home)
                    );
                });
            }
        }
    }

    /// A writer keeps its id; no id becomes -1 or was it.
    fn judge_stability(&mut self, spot: Spot<'_>) {
        let mut ids: HashMap<WriterIndex, ProducerId> = HashMap::new();
        for stored in self.log(spot) {
            let Some(writer) = stored.truth.writer() else {
                continue;
            };
            let (id, offset) = (stored.batch.producer_id, stored.batch.base_offset);
            let kept = *ids.entry(writer).or_insert(id);
            let is_plain = self.writer(writer).kind == WriterKind::Plain;
            let what = if kept != id {
                format!("was {kept} before")
            } else if is_plain != (id == ProducerId::NONE) {
                "is confused with no producer".to_owned()
            } else {
                continue;
            };
            self.harm(HarmKind::IdentityChange, spot, |harm, world| {
                harm.offset = Some(offset);
                harm.producer_id = Some(id);
                harm.writers = vec![writer];
                harm.detail = format!("the id {id} of {} {what}", world.writer(writer).name);
            });
        }
    }

    /// What was confirmed is there, and nothing is there twice.
    fn judge_records(&mut self, spot: Spot<'_>) {
        let mut found: BTreeMap<RecordId, Offset> = BTreeMap::new();
        let mut doubled = Vec::new();
        for stored in self.log(spot) {
            let offsets = stored.batch.base_offset.0..;
            for (offset, record) in offsets.map(Offset).zip(stored.truth.records()) {
                if let Some(first) = found.insert(record, offset) {
                    doubled.push((record, first, offset, stored.batch.producer_id));
                }
            }
        }
        for (record, first, offset, id) in doubled {
            if self.writer(record.writer).kind == WriterKind::Plain {
                // Nothing guards it against its own retries.
                continue;
            }
            self.harm(HarmKind::DuplicateWrite, spot, |harm, world| {
                let name = &world.writer(record.writer).name;
                harm.offset = Some(offset);
                harm.producer_id = Some(id);
                harm.writers = vec![record.writer];
                harm.detail = format!("a record of {name} is at offset {first} and at {offset}");
            });
        }
        let is_here =
            |loss: &&Unmirrored| loss.cluster == spot.cluster && loss.topic_partition == spot.name;
        let cut_off = self.losses.iter().filter(is_here);
        let excused: BTreeSet<RecordId> = cut_off.map(|loss| loss.record).collect();
        let mut missing = Vec::new();
        for ack in &self.acknowledged {
            if ack.cluster != spot.cluster || ack.topic_partition != spot.name {
                continue;
            }
            for number in (ack.first.number..).take(usize::try_from(ack.count).unwrap_or(0)) {
                let writer = ack.first.writer;
                let record = RecordId { writer, number };
                if !found.contains_key(&record) && !excused.contains(&record) {
                    missing.push((record, ack.base_offset));
                }
            }
        }
        for (record, offset) in missing {
            let is_told = self.harms.as_slice().iter().any(|harm| {
                harm.kind == HarmKind::LostWrite
                    && harm.cluster == spot.cluster
                    && harm.topic_partition == spot.name
                    && harm.writers.contains(&record.writer)
            });
            if is_told {
                continue;
            }
            self.harm(HarmKind::LostWrite, spot, |harm, world| {
                let name = &world.writer(record.writer).name;
                harm.offset = Some(offset);
                harm.writers = vec![record.writer];
                harm.detail =
                    format!("a record of {name}, confirmed at offset {offset}, is not in the log");
            });
        }
    }

    /// The last stable offset waits only for transactions that somebody can end.
    fn judge_stable_offset(&mut self, spot: Spot<'_>) {
        let Some(partition) = self.partition(spot) else {
            return;
        };
        let watermark = partition.high_watermark;
        let stable = partition.leader().last_stable_offset(watermark);
        if stable >= watermark {
            return;
        }
        let ends = ends(partition.leader().log());
        let held = partition.leader().manager().ongoing().next();
        let (id, writer) = match held {
            None => return,
            Some(open) => {
                let stored = partition.leader().at(open.first_offset);
                let transaction = stored.and_then(|stored| match stored.truth.wrote {
                    Wrote::Data { transaction, .. } => transaction,
                    _ => None,
                });
                if let Some(transaction) = transaction
                    && !ends.contains_key(&transaction)
                    && self.can_be_ended(transaction, spot, partition)
                {
                    return;
                }
                let writer = stored.and_then(|stored| stored.truth.writer());
                (open.producer_id, writer)
            }
        };
        self.harm(HarmKind::StuckLso, spot, |harm, _| {
            harm.offset = Some(stable);
            harm.producer_id = Some(id);
            harm.writers = writer.into_iter().collect();
            harm.detail = format!(
                "the last stable offset stays at {stable}, log end {watermark}: nobody will end \
                 the transaction of producer {id}"
            );
        });
    }

    /// What a coordinator has decided and shown stays so on its own cluster.
    fn judge_outcomes(&mut self, spot: Spot<'_>) {
        let mut ends: Vec<_> = ends(&self.log(spot)).into_iter().collect();
        ends.sort_unstable();
        for (transaction, (offset, is_abort)) in ends {
            let Some(known) = self.transactions.get(transaction.0) else {
                continue;
            };
            let (writer, outcome) = (known.writer, known.outcome);
            let is_other = match outcome {
                Outcome::Open => false,
                Outcome::Committed => is_abort,
                Outcome::Aborted => !is_abort,
            };
            if known.cluster != spot.cluster || !is_other {
                continue;
            }
            self.harm(HarmKind::TransactionCorruption, spot, |harm, world| {
                let found = if is_abort { "an ABORT" } else { "a COMMIT" };
                harm.offset = Some(offset);
                harm.writers = vec![writer];
                harm.detail = format!(
                    "a transaction of {} was {outcome} here, and {found} of a mirror ends it now",
                    world.writer(writer).name
                );
            });
        }
    }

    /// A marker can still come: from the own coordinator, or through the mirror.
    fn can_be_ended(
        &self,
        transaction: TransactionIndex,
        spot: Spot<'_>,
        partition: &Partition,
    ) -> bool {
        let Some(known) = self.transactions.get(transaction.0) else {
            return false;
        };
        let is_own = known.cluster == spot.cluster && known.outcome == Outcome::Open;
        is_own || partition.is_read_only()
    }

    /// A transaction that its writer committed counts in all of its partitions or in none, once
    /// mirroring has stopped.
    fn judge_split_transactions(&mut self, cluster: ClusterIndex) {
        for place in 0..self.transactions.len() {
            let transaction = TransactionIndex(place);
            let Some(known) = self.transactions.get(place).cloned() else {
                continue;
            };
            if known.cluster == cluster || known.partitions.len() < 2 {
                continue;
            }
            let mut committed = None;
            let mut not = None;
            for name in &known.partitions {
                let spot = Spot { cluster, name };
                let Some(partition) = self.partition(spot) else {
                    not = not.or(Some(name.clone()));
                    continue;
                };
                if partition.is_read_only() || partition.link.is_none() {
                    // What is missing may still come, or was never to come.
                    committed = None;
                    break;
                }
                match ends(partition.leader().log()).get(&transaction) {
                    Some((offset, false)) => committed = Some((name.clone(), *offset)),
                    _ => not = not.or(Some(name.clone())),
                }
            }
            if let (Some((name, offset)), Some(other)) = (committed, not) {
                let spot = Spot {
                    cluster,
                    name: &name,
                };
                self.harm(HarmKind::TransactionCorruption, spot, |harm, world| {
                    harm.offset = Some(offset);
                    harm.writers = vec![known.writer];
                    harm.detail = format!(
                        "a transaction of {} counts in {name} and not in {other}: the stop split \
                         it",
                        world.writer(known.writer).name
                    );
                });
            }
        }
    }
}
