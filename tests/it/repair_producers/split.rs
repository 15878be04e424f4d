//! `repair pids --split`: simulated collisions, taken apart and compared with who wrote what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kfsck::analysis::unmix::{Decisions, Members, Unmixed, unmix};
use kfsck::format::number::{Offset, ProducerId};
use kfsck::format::producer_snapshot::ProducerEntry;
use kfsck::repair::error::PlanError;
use kfsck::repair::new_ids::RESERVED;
use kfsck::repair::pids::{Pids, Split, plan};
use kfsck::repair::plan::Plan;
use kfsck::simulate::builtin;
use kfsck::simulate::explore::generate;
use kfsck::simulate::run::{How, Run, run};
use kfsck::simulate::stored::Stored;
use kfsck::simulate::strategy;
use kfsck::simulate::truth::WriterIndex;
use kfsck::simulate::write_logs::write_logs;
use kfsck::state::read::{Item, ReadOptions, read_segment, segments};
use kfsck::state::rules;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

use super::pids::NOBODY;
use super::{applied, carried_out, loaded, partition, producers, refusal, terms};
use crate::txns::log::Log;

const DAY_MS: i64 = 86_400_000;

fn asked(split: &Split) -> impl Fn(&PartitionDirectory) -> Result<Plan, PlanError> {
    let pids = Pids::Split(split.clone());
    move |listed| plan(listed, &pids, NOBODY, None, &terms())
}

fn split(id: i64) -> Split {
    Split {
        producer_id: ProducerId(id),
        new_id: None,
        writers: 1,
        decisions: Decisions::new(),
    }
}

/// The producer id of each batch, by base offset.
fn ids(directory: &Path) -> BTreeMap<Offset, ProducerId> {
    let mut ids = BTreeMap::new();
    let options = ReadOptions {
        access: Access::Map,
        check_crc: true,
    };
    for segment in segments(&PartitionDirectory::list(directory)) {
        read_segment(&segment, options, &mut |_| false, &mut |item| {
            let Item::Batch(batch, _) = item else {
                panic!("damage in {}", directory.display());
            };
            ids.insert(batch.base_offset, batch.producer_id);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    }
    ids
}

#[test]
fn a_second_writer_gets_an_id_of_its_own() {
    let place = tempfile::tempdir().unwrap();
    // Both write in transactions; the second begins with a sequence that was there.
    let mut log = Log::default().data(5, 0).data(5, 0).commit(5, 0);
    let again = Log::default().later(60_000).data(5, 0).abort(5, 0);
    for (at, batch) in batches(&again.bytes).into_iter().enumerate() {
        log.bytes
            .extend(moved(&batch, 3 + i64::try_from(at).unwrap(), 9));
    }
    let directory = partition(place.path(), "orders-0", &[&log]);
    let (made, result) = carried_out(&directory, &asked(&split(5)));
    let found: Vec<_> = ids(&result).into_values().map(|id| id.0).collect();
    assert_eq!(found, [5, 5, 5, RESERVED.0, RESERVED.0]);
    let after = loaded(&result, false);
    let aborted: Vec<_> = after.segments[0]
        .aborted
        .iter()
        .map(|txn| txn.producer_id)
        .collect();
    assert_eq!(aborted, [RESERVED], "its marker goes with it");
    assert!(
        made.steps
            .iter()
            .any(|step| step.detail.starts_with("writer 1, now producer"))
    );
    assert!(made.steps.iter().all(|step| !step.file.is_empty()));
    // The id may be chosen.
    let chosen = Split {
        new_id: Some(ProducerId(RESERVED.0 + 7)),
        ..split(5)
    };
    let made = asked(&chosen)(&PartitionDirectory::list(&directory)).unwrap();
    assert!(made.steps[0].detail.contains(&(RESERVED.0 + 7).to_string()));
    for (new, why) in [(-9, "below 0"), (5, "in use"), (6, "controller")] {
        let wrong = Split {
            new_id: Some(ProducerId(new)),
            ..split(5)
        };
        let told = refusal(asked(&wrong)(&PartitionDirectory::list(&directory)));
        assert!(told.contains(why), "{told}");
    }
}

/// The batches of a log.
fn batches(log: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = log;
    let mut batches = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[8..12].try_into().unwrap());
        let (batch, behind) = rest.split_at(12 + usize::try_from(length).unwrap());
        batches.push(batch.to_vec());
        rest = behind;
    }
    batches
}

/// A batch elsewhere; neither field is under the checksum.
fn moved(batch: &[u8], offset: i64, leader_epoch: i32) -> Vec<u8> {
    let mut batch = batch.to_vec();
    batch[..8].copy_from_slice(&offset.to_be_bytes());
    batch[12..16].copy_from_slice(&leader_epoch.to_be_bytes());
    batch
}

#[test]
fn one_writer_is_left_alone_unless_a_person_knows_better() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let made = asked(&split(5))(&listed).unwrap();
    assert!(made.is_empty());
    assert!(made.warnings[0].contains("one writer may have written all"));
    let made = asked(&split(6))(&listed).unwrap();
    assert!(made.is_empty() && made.warnings[0].contains("no batch of it"));
    let told = refusal(asked(&Split {
        decisions: Decisions::from([(Offset(9), 1)]),
        ..split(5)
    })(&listed));
    assert!(told.contains("no batch of producer 5 holds it"), "{told}");
    // Then it is not certain who wrote what follows.
    let log = Log::default().data(5, 0).data(5, 0).data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-1", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let told = refusal(asked(&Split {
        decisions: Decisions::from([(Offset(1), 1)]),
        ..split(5)
    })(&listed));
    assert!(told.contains("--assign OFFSET=WRITER"), "{told}");
    assert!(told.contains("writer 1"), "{told}");
}

#[test]
fn a_writer_that_does_not_show_is_looked_for_where_it_is_known_of() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let two = Split {
        writers: 2,
        ..split(5)
    };
    let told = refusal(asked(&two)(&PartitionDirectory::list(&directory)));
    assert!(told.contains("who wrote 2 of its 3 batches"), "{told}");
    assert!(told.contains("offsets 1 to 1"), "{told}");
    let decided = Split {
        decisions: Decisions::from([(Offset(1), 1), (Offset(2), 1)]),
        ..two
    };
    let (_, result) = carried_out(&directory, &asked(&decided));
    let found: Vec<_> = ids(&result).into_values().map(|id| id.0).collect();
    assert_eq!(found, [5, RESERVED.0, RESERVED.0]);
}

#[test]
fn a_decision_that_cannot_be_followed_is_no_other_one() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).data(5, 0).data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    for (offset, writer) in [(1, 7), (0, 1)] {
        let told = refusal(asked(&Split {
            decisions: Decisions::from([(Offset(offset), writer)]),
            ..split(5)
        })(&PartitionDirectory::list(&directory)));
        let expected = format!("offset {offset}: expected its batch to be of writer {writer}");
        assert!(told.contains(&expected), "{told}");
    }
}

#[test]
fn a_marker_for_one_of_two_open_transactions_may_be_of_either() {
    let place = tempfile::tempdir().unwrap();
    // Both begin with sequence 0, and no two leaders tell them apart.
    let mut log = Log::default().data(5, 0);
    let again = Log::default().later(60_000).data(5, 0).commit(5, 0);
    for (at, batch) in batches(&again.bytes).into_iter().enumerate() {
        log.bytes
            .extend(moved(&batch, 1 + i64::try_from(at).unwrap(), 0));
    }
    let directory = partition(place.path(), "orders-0", &[&log]);
    let told = refusal(asked(&split(5))(&PartitionDirectory::list(&directory)));
    assert!(told.contains("who wrote 1 of its 3 batches"), "{told}");
    assert!(told.contains("offsets 2 to 2"), "{told}");
    let decided = Split {
        decisions: Decisions::from([(Offset(2), 1)]),
        ..split(5)
    };
    let (made, result) = carried_out(&directory, &asked(&decided));
    let found: Vec<_> = ids(&result).into_values().map(|id| id.0).collect();
    assert_eq!(found, [5, RESERVED.0, RESERVED.0]);
    let told = |text: &str| made.warnings.iter().any(|warning| warning.contains(text));
    assert!(told("has no marker of its own"), "{:#?}", made.warnings);
}

#[test]
fn a_marker_that_ended_the_others_transaction_is_told() {
    let place = tempfile::tempdir().unwrap();
    // The second writer's marker, of a higher epoch, comes for the first one's transaction.
    let log = Log::default()
        .data(5, 0)
        .commit(5, 1)
        .data(5, 1)
        .commit(5, 1);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let decided = Split {
        decisions: Decisions::from([
            (Offset(0), 0),
            (Offset(1), 1),
            (Offset(2), 1),
            (Offset(3), 1),
        ]),
        ..split(5)
    };
    let (made, result) = carried_out(&directory, &asked(&decided));
    let told = |text: &str| made.warnings.iter().any(|warning| warning.contains(text));
    assert!(told("the COMMIT at offset 1"), "{:#?}", made.warnings);
    assert!(
        told("producer 5 is open from offset 0"),
        "{:#?}",
        made.warnings
    );
    assert_eq!(loaded(&result, false).last_stable_offset, Offset(0));
}

/// A log directory of a run, with what its leader holds.
struct Written<'r> {
    directory: PathBuf,
    log: Vec<&'r Stored>,
}

fn written<'r>(run: &'r Run, place: &Path) -> Vec<Written<'r>> {
    write_logs(run, place).unwrap();
    let root = place.join(&run.scenario).join(run.strategy().name());
    let mut all = Vec::new();
    for cluster in run.world.clusters() {
        let mut directory = root.join(&cluster.name);
        for (name, partition) in &cluster.partitions {
            let leader = partition.leader();
            let number = partition
                .replicas
                .iter()
                .position(|one| std::ptr::eq(one, leader));
            if cluster.replicas > 1 {
                directory = root.join(&cluster.name).join(number.unwrap().to_string());
            }
            all.push(Written {
                directory: directory.join(name),
                log: leader.log().iter().map(AsRef::as_ref).collect(),
            });
        }
    }
    all
}

/// How the batches of an id are told apart, with who each writer is and what must be decided.
fn judged(log: &[&Stored], id: ProducerId) -> (Unmixed, Vec<WriterIndex>, Decisions) {
    let mut members = Members::new(id);
    for stored in log {
        members.batch(&stored.batch, stored.control.as_ref());
    }
    let members = members.into_members();
    let own: Vec<_> = log
        .iter()
        .filter(|stored| stored.batch.producer_id == id)
        .collect();
    let truth: Vec<_> = own
        .iter()
        .map(|stored| stored.truth.writer().unwrap())
        .collect();
    let found = unmix(&members, 1, &Decisions::new(), DAY_MS).unwrap();
    let mut names = BTreeMap::new();
    for run in found.runs.iter().filter(|run| !run.is_ambiguous()) {
        names.insert(truth[run.places[0]], run.writer);
    }
    let mut decisions = Decisions::new();
    for run in found.runs.iter().filter(|run| run.is_ambiguous()) {
        for place in &run.places {
            // Where all of the second writer's are in doubt, it is the other.
            let other = usize::from(names.get(&truth[0]) == Some(&0));
            let writer = names.get(&truth[*place]).copied().unwrap_or(other);
            decisions.insert(members[*place].seen.base_offset, writer);
        }
    }
    (found, truth, decisions)
}

/// Both writers are known as the log shows them, unless the id was forgotten; all others as before.
fn compare_states(before: &Path, after: &Path, id: ProducerId) {
    let is_own = |entry: &ProducerEntry| entry.producer_id == id || entry.producer_id == RESERVED;
    let [old, new, alone] = [(before, false), (after, false), (after, true)]
        .map(|(directory, from_log_alone)| producers(&loaded(directory, from_log_alone)));
    let own = |entries: &[ProducerEntry]| {
        let own = entries.iter().filter(|entry| is_own(entry));
        own.cloned().collect::<Vec<_>>()
    };
    let others = |entries: &[ProducerEntry]| {
        let others = entries.iter().filter(|entry| !is_own(entry));
        others.cloned().collect::<Vec<_>>()
    };
    assert_eq!(others(&new), others(&old));
    let expected = match own(&old).is_empty() {
        true => Vec::new(),
        false => own(&alone),
    };
    assert_eq!(own(&new), expected, "{}", before.display());
}

/// Whether two writers share an id in a leader's log.
fn has_shared(run: &Run) -> bool {
    let partitions = run
        .world
        .clusters()
        .iter()
        .flat_map(|cluster| cluster.partitions.values());
    let mut logs = partitions.map(|partition| partition.leader().log());
    logs.any(|log| {
        let mut writers: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for stored in log {
            let own = writers.entry(stored.batch.producer_id).or_default();
            own.extend(stored.truth.writer());
        }
        writers.values().any(|writers| writers.len() == 2)
    })
}

/// Splits what two writers share; gives how many ids there were, and of how many it was certain.
fn taken_apart(run: &Run) -> (u64, u64) {
    let (mut shared, mut certain) = (0, 0);
    if !has_shared(run) {
        return (0, 0);
    }
    let place = tempfile::tempdir().unwrap();
    for Written { directory, log } in written(run, place.path()) {
        let all: BTreeSet<_> = log.iter().map(|stored| stored.batch.producer_id).collect();
        // What a stock broker keeps state of.
        for id in all.into_iter().filter(|id| id.0 >= 0) {
            let (found, truth, decisions) = judged(&log, id);
            let writers: BTreeSet<_> = truth.iter().collect();
            if writers.len() != 2 || found.count != 2 {
                continue;
            }
            shared += 1;
            let mut ask = split(id.0);
            if found.is_certain() {
                certain += 1;
            } else {
                let told = refusal(asked(&ask)(&PartitionDirectory::list(&directory)));
                assert!(told.contains("is not certain"), "{told}");
                ask.decisions = decisions;
            }
            let elsewhere = tempfile::tempdir().unwrap();
            let copy = elsewhere
                .path()
                .join("logs")
                .join(directory.file_name().unwrap());
            crate::program::copy_tree(&directory, &copy);
            let (_, result) = applied(&copy, &asked(&ask));
            compare_states(&directory, &result, id);
            let first = truth[0];
            for (stored, new) in log.iter().zip(ids(&result).into_values()) {
                let old = stored.batch.producer_id;
                let expected = match stored.truth.writer() {
                    Some(writer) if old == id && writer != first => RESERVED,
                    _ => old,
                };
                assert_eq!(new, expected, "{}", directory.display());
            }
        }
    }
    (shared, certain)
}

fn how(seed: u64) -> How {
    How {
        strategy: strategy::ALL
            .into_iter()
            .find(|one| one.name() == "verbatim")
            .unwrap(),
        rules: rules::by_name("stock").unwrap(),
        seed,
        is_traced: false,
    }
}

#[test]
fn simulated_collisions_come_apart_as_they_were_written() {
    let (mut shared, mut certain) = (0, 0);
    let mut add = |run: &Run| {
        let (more, sure) = taken_apart(run);
        shared += more;
        certain += sure;
    };
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        add(&run(&scenario, how(1)).unwrap());
    }
    for seed in 0..1500 {
        add(&run(&generate(seed, how(seed)), how(seed)).unwrap());
    }
    assert!(
        shared >= 15 && certain >= 8,
        "{shared} shared, {certain} certain"
    );
}
