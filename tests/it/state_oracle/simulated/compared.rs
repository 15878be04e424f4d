//! A replica of a run against what the real log made of its directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use kfsck::format::number::{LeaderEpoch, ProducerEpoch, ProducerId};
use kfsck::simulate::cluster::Partition;
use kfsck::simulate::replica::{EXPIRATION_MS, Replica};
use kfsck::state::load::LoadOptions;
use kfsck::state::rules::{RuleSet, Stock};
use kfsck::storage::source::Access;

use super::real::{Answers, Load};
use super::runs::{Case, Place};
use crate::state_oracle::answer::{self, Aborted, Answer, Epoch, StoredProducer};
use crate::state_oracle::load;

/// What was compared: a comparison that never happens proves nothing.
#[derive(Debug, Default)]
pub(super) struct Count {
    partitions: usize,
    producers: usize,
    open: usize,
    aborted: usize,
    segments: usize,
    /// Replays of a whole log that must give the simulated state.
    replays: usize,
    /// Those that need not.
    loose_replays: usize,
}

impl Count {
    pub(super) fn check(&self) {
        assert!(self.partitions > 1000, "{self:?}");
        assert!(self.producers > 1000, "{self:?}");
        assert!(self.open > 20, "{self:?}");
        assert!(self.aborted > 2, "{self:?}");
        assert!(self.segments > self.partitions, "{self:?}");
        assert!(self.replays > 2 * self.loose_replays, "{self:?}");
    }
}

/// How the replicas of a run differ from what real Kafka believes of them.
pub(super) fn differences(case: &Case, answers: &Answers, count: &mut Count) -> Vec<String> {
    let mut found = Vec::new();
    for place in case.places() {
        let mut differing = indexes(&place, answers);
        differing.extend(as_it_lies_there(case, &place, answers, count));
        differing.extend(replayed(case, &place, answers, count));
        let name = place.directory.display();
        found.extend(differing.iter().map(|text| format!("{name}: {text}")));
    }
    found
}

/// The dump tool finds every index sane, and no entry that names a wrong place.
fn indexes(place: &Place<'_>, answers: &Answers) -> Vec<String> {
    let mut found = Vec::new();
    for way in ["--index-sanity-check", "--verify-index-only"] {
        let dump = answers.dump(&place.directory, way);
        let indexes = dump.said.matches("Dumping ").count();
        let sane = dump.said.matches(" passed sanity check.\n").count()
            + dump.said.matches(" is empty.\n").count();
        let is_sane = way != "--index-sanity-check" || sane == indexes;
        let is_quiet = dump.error.is_empty() && !dump.said.contains("ismatch");
        if dump.status != 0 || indexes < 2 || !is_sane || !is_quiet {
            found.push(format!("{way}: {}{}", dump.said, dump.error));
        }
    }
    found
}

/// A start after the clean stop that the directory tells of.
fn as_it_lies_there(
    case: &Case,
    place: &Place<'_>,
    answers: &Answers,
    count: &mut Count,
) -> Vec<String> {
    let load = answers.load(&place.directory, "clean");
    let real = Answer::of(load.written());
    let options = LoadOptions {
        clean_shutdown: true,
        recovery_point: place.replica.end(),
        ..options(case)
    };
    let mut found = against_twin(&real, &place.directory, &options);
    if case.run.rules().name() != Stock.name() {
        return found;
    }
    found.extend(real.error.iter().map(|error| format!("real: {error:?}")));
    count.partitions += 1;
    count.producers += place.replica.snapshot_entries().len();
    count.open += place.replica.manager().ongoing().count();
    count.aborted += place.replica.aborted().len();
    count.segments += place.replica.segments().len();
    found.extend(own_files(place, load));
    let simulated = simulated(place, &BTreeSet::new(), false);
    found.extend(answer::differences(
        &seen(&real, load, &BTreeSet::new(), false),
        &simulated,
    ));
    found
}

/// A start that reads the whole log batch by batch, as there is no snapshot.
fn replayed(case: &Case, place: &Place<'_>, answers: &Answers, count: &mut Count) -> Vec<String> {
    let load = answers.load(&place.directory, "unclean");
    let real = Answer::of(load.written());
    let work = super::scratch();
    let copy = work.path().join(place.directory.file_name().unwrap());
    copy_but_snapshots(&place.directory, &copy);
    let mut found = against_twin(&real, &copy, &options(case));
    if case.run.rules().name() != Stock.name() {
        return found;
    }
    found.extend(real.error.iter().map(|error| format!("real: {error:?}")));
    // Who was forgotten is known again: after a day of silence, or with the snapshots.
    let end = case.run.world.now().0;
    let begin = place
        .replica
        .log()
        .first()
        .map(|one| one.batch.first_timestamp.0);
    let has_forgotten = begin.is_some_and(|begin| end - begin >= EXPIRATION_MS);
    if has_forgotten || case.has_lost_snapshots() {
        count.loose_replays += 1;
        return found;
    }
    count.replays += 1;
    let grouped = fallen_back(place.replica);
    let mut simulated = simulated(place, &grouped, true);
    let mut seen = seen(&real, load, &grouped, true);
    // An append takes a lower epoch for the latest, a recovery keeps the highest.
    let epochs = place.replica.log().iter();
    if !epochs.is_sorted_by_key(|stored| stored.batch.partition_leader_epoch) {
        simulated.leader_epochs.clear();
        seen.leader_epochs.clear();
    }
    found.extend(answer::differences(&seen, &simulated));
    found
}

/// Producers with a marker of an epoch below the last: what a group of batches leaves of them and
/// what they leave one by one are not the same.
fn fallen_back(replica: &Replica) -> BTreeSet<i64> {
    let mut epochs: BTreeMap<ProducerId, ProducerEpoch> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for stored in replica.log() {
        let batch = &stored.batch;
        let before = epochs.insert(batch.producer_id, batch.producer_epoch);
        if batch.is_control && before.is_some_and(|before| before > batch.producer_epoch) {
            found.insert(batch.producer_id.0);
        }
    }
    found
}

fn options(case: &Case) -> LoadOptions {
    LoadOptions {
        access: Access::Plain,
        clean_shutdown: false,
        now: Some(case.run.world.now()),
        ..LoadOptions::new(&Stock)
    }
}

/// What real Kafka believes is what our twin does.
fn against_twin(real: &Answer, directory: &Path, options: &LoadOptions) -> Vec<String> {
    let mut found = answer::differences(real, &load::answer_of(directory, options));
    let known = ["InvalidTxnStateException"];
    let unknown = real
        .error
        .iter()
        .filter(|error| !known.contains(&error.class.as_str()));
    found.extend(unknown.map(|error| format!("real: {error:?}")));
    found
}

/// What the files beside the segments say, by the real readers, and that the load left all as it
/// was.
fn own_files(place: &Place<'_>, load: &Load) -> Vec<String> {
    let mut found = Vec::new();
    let mut equal = |what: &str, is: bool| {
        if !is {
            found.push(format!("{what}: {load:?}"));
        }
    };
    equal("cluster.id", load.cluster_id == place.cluster.id);
    equal(
        "node.id",
        load.node_id == i32::try_from(place.number).unwrap(),
    );
    equal("topic id", load.topic_id.is_some());
    equal(
        "recovery point",
        load.recovery_point == place.replica.end().0,
    );
    // A start drops the epoch of a leader that has written nothing.
    let mut changed: Vec<&str> = Vec::new();
    if noted_epoch(place).is_some() {
        changed.push("leader-epoch-checkpoint");
    }
    equal("what is there", load.changed == changed);
    found
}

/// The epoch that the leader has noted at the log's end.
fn noted_epoch(place: &Place<'_>) -> Option<LeaderEpoch> {
    let Partition {
        leader,
        leader_epoch,
        link,
        ..
    } = place.partition;
    let latest = place.replica.epochs().latest();
    let is_new = latest.is_none_or(|latest| latest.leader_epoch < *leader_epoch);
    (*leader == place.number && link.is_none() && is_new).then_some(*leader_epoch)
}

/// What is compared of a replica.
#[derive(Debug, serde::Serialize)]
struct Seen {
    producers: Vec<StoredProducer>,
    aborted: Vec<Aborted>,
    log_end_offset: i64,
    high_watermark: i64,
    last_stable_offset: i64,
    leader_epochs: Vec<Epoch>,
    segments: Vec<i64>,
}

/// The last stable offset of an index entry depends on what came in one group: `is_grouped` leaves
/// it out.
fn aborted_of(mut aborted: Aborted, is_grouped: bool) -> Aborted {
    if is_grouped {
        aborted.last_stable_offset = 0;
    }
    aborted
}

fn simulated(place: &Place<'_>, but: &BTreeSet<i64>, is_grouped: bool) -> Seen {
    let replica = place.replica;
    let watermark = place.partition.high_watermark;
    let entries = replica.snapshot_entries();
    let aborted = replica.aborted().iter().map(|txn| Aborted {
        producer_id: txn.producer_id.0,
        first_offset: txn.first_offset.0,
        last_offset: txn.last_offset.0,
        last_stable_offset: txn.last_stable_offset.0,
    });
    Seen {
        producers: but_for(entries.iter().map(load::stored), but),
        aborted: aborted.map(|txn| aborted_of(txn, is_grouped)).collect(),
        log_end_offset: replica.end().0,
        high_watermark: watermark.0,
        last_stable_offset: replica.last_stable_offset(watermark).0,
        leader_epochs: load::epochs(&replica.epochs().entries().collect::<Vec<_>>()),
        segments: replica.segments().iter().map(|base| base.0).collect(),
    }
}

fn seen(real: &Answer, load: &Load, but: &BTreeSet<i64>, is_grouped: bool) -> Seen {
    let log = real.log.as_ref();
    let aborted = real.aborted.values().flatten().cloned();
    let segments = real.segments.keys();
    Seen {
        producers: but_for(
            log.iter()
                .flat_map(|log| &log.producers)
                .map(|producer| producer.stored()),
            but,
        ),
        aborted: aborted.map(|txn| aborted_of(txn, is_grouped)).collect(),
        log_end_offset: log.map_or(-1, |log| log.log_end_offset),
        high_watermark: load.high_watermark.unwrap_or(-1),
        last_stable_offset: load.last_stable_offset.unwrap_or(-1),
        leader_epochs: log.map_or_else(Vec::new, |log| {
            let epochs = log.leader_epochs.iter();
            epochs
                .map(|one| Epoch {
                    epoch: one.epoch,
                    start_offset: one.start_offset,
                })
                .collect()
        }),
        segments: segments.map(|name| name[..20].parse().unwrap()).collect(),
    }
}

fn but_for(
    producers: impl Iterator<Item = StoredProducer>,
    but: &BTreeSet<i64>,
) -> Vec<StoredProducer> {
    producers
        .filter(|one| !but.contains(&one.producer_id))
        .collect()
}

fn copy_but_snapshots(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "snapshot")
        {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}
