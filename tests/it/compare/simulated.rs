//! Mirrors that the simulator wrote under every design, against what it knows of each batch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kfsck::analysis::compare::{Comparison, IdRelation, Kind, Relation, Side};
use kfsck::format::number::ProducerId;
use kfsck::simulate::builtin;
use kfsck::simulate::cluster::Cluster;
use kfsck::simulate::replica::Replica;
use kfsck::simulate::run::{How, Run, run};
use kfsck::simulate::stored::Stored;
use kfsck::simulate::strategy;
use kfsck::simulate::write_logs::write_logs;
use kfsck::state::rules;

use super::{compared, equal};

/// Where a replica was written.
fn place(root: &Path, run: &Run, cluster: &Cluster, replica: usize, name: &str) -> PathBuf {
    let mut place = root.join(&run.scenario).join(run.strategy().name());
    place.push(&cluster.name);
    if cluster.replicas > 1 {
        place.push(replica.to_string());
    }
    place.join(name)
}

/// What the truth says of two logs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expected {
    equal: u64,
    mapped: u64,
    epochs: u64,
    /// Where a batch of one is not that of the other, or only one has any.
    first_other: Option<i64>,
    /// Source has it, and dest has nothing at all any more.
    lag: u64,
    /// Ids of the same batch in both.
    ids: BTreeSet<(i64, i64)>,
}

fn is_same_batch(one: &Stored, other: &Stored) -> bool {
    one.truth == other.truth && one.batch.first_timestamp == other.batch.first_timestamp
}

fn expected(source: &Replica, dest: &Replica) -> Expected {
    let by_offset = |replica: &Replica| -> BTreeMap<i64, Arc<Stored>> {
        let log = replica.log().iter();
        log.map(|stored| (stored.batch.base_offset.0, Arc::clone(stored)))
            .collect()
    };
    let (one, other) = (by_offset(source), by_offset(dest));
    let mut expected = Expected::default();
    let offsets: BTreeSet<i64> = one.keys().chain(other.keys()).copied().collect();
    for offset in offsets {
        match (one.get(&offset), other.get(&offset)) {
            (Some(source), Some(dest)) if is_same_batch(source, dest) => {
                let ids = (source.batch.producer_id, dest.batch.producer_id);
                let epochs = [source, dest].map(|one| one.batch.partition_leader_epoch);
                match (ids.0 == ids.1, epochs[0] == epochs[1]) {
                    (true, true) => expected.equal += 1,
                    (true, false) => expected.epochs += 1,
                    (false, _) => expected.mapped += 1,
                }
                if ids.0 != ProducerId::NONE {
                    expected.ids.insert((ids.0.0, ids.1.0));
                }
            }
            (Some(stored), None) if stored.batch.base_offset >= dest.end() => {
                expected.lag += 1;
            }
            _ => {
                expected.first_other.get_or_insert(offset);
            }
        }
    }
    expected
}

fn found(comparison: &Comparison) -> Expected {
    let batches = |kind| comparison.tally(kind).batches;
    let other = [
        Kind::Content,
        Kind::Diverged,
        Kind::Control,
        Kind::MissingInSource,
        Kind::MissingInDest,
        Kind::ProducerId,
    ];
    let mut differences = comparison.differences.iter();
    let first = differences.find(|one| other.contains(&one.kind));
    let is_parted = comparison.tally(Kind::Diverged).stretches > 0;
    let pairs = comparison.ids.iter();
    Expected {
        equal: comparison.totals.equal.batches,
        mapped: batches(Kind::ProducerIdMapped),
        epochs: batches(Kind::LeaderEpoch),
        first_other: first.map(|one| one.offset.0),
        lag: match is_parted {
            true => 0,
            false => batches(Kind::Lag),
        },
        ids: pairs
            .filter_map(|pair| Some((pair.source?.0, pair.dest?.0)))
            .collect(),
    }
}

/// Runs a scenario under every design, writes it and gives each mirror that there is at its end.
fn each_mirror(visit: &mut dyn FnMut(&str, &Run, &Expected, &Comparison)) {
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        for strategy in strategy::ALL {
            let how = How {
                strategy,
                rules: rules::by_name("mapped").unwrap(),
                seed: 1,
                is_traced: false,
            };
            let run = run(&scenario, how).unwrap();
            let root = tempfile::tempdir().unwrap();
            write_logs(&run, root.path()).unwrap();
            for cluster in run.world.clusters() {
                for (partition_name, partition) in &cluster.partitions {
                    let Some(link) = partition.link else {
                        continue;
                    };
                    let origin = &run.world.clusters()[link.source.0];
                    let Some(of_origin) = origin.partitions.get(partition_name) else {
                        continue;
                    };
                    let source = place(root.path(), &run, origin, of_origin.leader, partition_name);
                    let dest = place(root.path(), &run, cluster, partition.leader, partition_name);
                    let expected = expected(of_origin.leader(), partition.leader());
                    let told = format!(
                        "{name} {} {} -> {} {partition_name}",
                        strategy.name(),
                        origin.name,
                        cluster.name
                    );
                    let comparison = compared(&source, &dest);
                    visit(&told, &run, &expected, &comparison);
                }
            }
        }
    }
}

#[test]
fn every_mirror_differs_from_its_source_as_the_truth_says() {
    let (mut mirrors, mut mapped, mut parted) = (0, 0, 0);
    each_mirror(&mut |told, _, expected, comparison| {
        let mut found = found(comparison);
        // Behind the first batch that is another's nothing is only behind.
        let lag = if comparison.tally(Kind::Diverged).stretches > 0 {
            0
        } else {
            expected.lag
        };
        found.lag = found.lag.min(lag);
        assert_eq!(
            &found,
            &Expected {
                lag,
                ids: expected.ids.clone(),
                ..*expected
            },
            "{told}"
        );
        let end = comparison.equal.last().map(|one| one.last_offset.0);
        if let (Some(other), Some(end)) = (expected.first_other, end) {
            assert!(end != other, "{told}: {:?}", equal(comparison));
        }
        assert_ne!(comparison.relation, Relation::Replicas, "{told}");
        mirrors += 1;
        mapped += usize::from(expected.mapped > 0);
        parted += usize::from(expected.first_other.is_some());
    });
    // A test that sees nothing proves nothing.
    assert!(mirrors > 200, "{mirrors}");
    assert!(mapped > 50, "{mapped}");
    assert!(parted > 50, "{parted}");
}

#[test]
fn ids_are_mapped_as_the_design_maps_them() {
    let mut seen = BTreeSet::new();
    each_mirror(&mut |told, run, _, comparison| {
        for pair in &comparison.ids {
            let mapping = match pair.relation {
                IdRelation::Mapped(mapped) | IdRelation::MappedBack(mapped) => mapped.name(),
                other => other.name(),
            };
            if pair.source.is_some() && pair.dest.is_some() {
                seen.insert((run.strategy().name(), mapping));
            }
            assert_ne!(pair.relation, IdRelation::Changed, "{told}: {pair:?}");
        }
    });
    let of = |strategy: &str| -> Vec<&str> {
        let seen = seen.iter().filter(|(one, _)| *one == strategy);
        seen.map(|(_, mapping)| *mapping).collect()
    };
    assert_eq!(of("verbatim"), ["same"]);
    assert_eq!(of("barrier"), ["same"]);
    // A mirror that went on with another source has what that one mirrored as well, and an id that
    // is back in its own cluster looks as if it was mapped twice: its value alone does not tell.
    for strategy in ["negate", "negate-idempotent"] {
        let mappings = ["double-negation", "negation", "same"];
        assert_eq!(of(strategy), mappings, "{strategy}");
    }
    for strategy in ["bit-field", "bit-field-salt", "bit-field-random-salt"] {
        assert_eq!(of(strategy), ["bit-field", "same"], "{strategy}");
    }
}

#[test]
fn barriers_of_the_mirror_alone_are_told_where_it_stopped() {
    let mut barriers = 0;
    each_mirror(&mut |told, run, _, comparison| {
        let own = comparison.controls.iter();
        let own: Vec<_> = own
            .filter(|one| one.control_type.id() == 7 && one.only_in == Some(Side::Dest))
            .collect();
        match run.strategy().writes_barrier() {
            true => barriers += own.len(),
            false => assert!(own.is_empty(), "{told}: {own:?}"),
        }
        for barrier in own {
            assert!(comparison.tally(Kind::Control).batches > 0, "{told}");
            assert!(barrier.offset < comparison.end(Side::Dest), "{told}");
        }
    });
    assert!(barriers > 10, "{barriers}");
}

/// Replicas of one cluster are the same to the byte, or say where they part.
#[test]
fn replicas_are_told_from_mirrors() {
    let mut pairs = 0;
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        let how = How {
            strategy: strategy::by_name("barrier").unwrap(),
            rules: rules::by_name("barrier").unwrap(),
            seed: 1,
            is_traced: false,
        };
        let run = run(&scenario, how).unwrap();
        let root = tempfile::tempdir().unwrap();
        write_logs(&run, root.path()).unwrap();
        for cluster in run.world.clusters().iter().filter(|one| one.replicas > 1) {
            for (partition_name, partition) in &cluster.partitions {
                let [one, other] = [0, 1]
                    .map(|replica| place(root.path(), &run, cluster, replica, partition_name));
                let comparison = compared(&one, &other);
                assert_eq!(comparison.relation, Relation::Replicas, "{name}");
                let logs = [0, 1].map(|replica| partition.replicas[replica].log());
                let is_same = logs[0] == logs[1];
                assert_eq!(comparison.tallies.is_empty(), is_same, "{name}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 5, "{pairs}");
}
