//! Makes a random scenario of a seed: clusters, writers and steps that make sense where they
//! stand. Each seed turns some kinds of steps off, so that rare ones come together (swarm testing).

use super::dice::Dice;
use crate::simulate::run::How;
use crate::simulate::scenario::{
    Aborts, BarrierLayout, BarrierWrite, ClusterSpec, ClusterStep, DEFAULT_PARTITION, FetchStep,
    Isolation, LinkStep, MirrorStep, ProduceStep, ReplicaStep, RestartStep, RetryStep, Scenario,
    Snapshots, Step, Stop, StopStep, WaitStep, WriterKind, WriterSpec, WriterStep,
};
use crate::simulate::world::World;

/// Names and ids of the clusters. A and X share the low 32 bits that bit-field ids have of them.
const CLUSTERS: [(&str, &str); 5] = [
    ("A", "8Gu2jmvZSZi-gRiaa9lJsg"),
    ("B", "8GiovbadRjaMa2DUtp1GVQ"),
    ("C", "vAW71LU4Tbu90r7dtThNqg"),
    ("X", X_ID),
    ("D", "hpwez-O4RYyhf6KP47hGZQ"),
];
/// The id of X.
const X_ID: &str = "rOTOevhpQsyJAG5V-GlC5g";
/// The longest time that passes at once: three quarters of what a producer may be silent.
const LONGEST_WAIT_MS: i64 = 64_800_000;
/// How many steps a scenario should have at least.
const FEWEST_STEPS: usize = 8;
/// So many more are possible.
const MORE_STEPS: usize = 40;

/// What may happen in the scenarios of one seed.
struct Swarm {
    transactions: bool,
    plain: bool,
    second_partition: bool,
    replicas: bool,
    elections: bool,
    restarts: bool,
    crashes: bool,
    lags: bool,
    chunks: bool,
    waits: bool,
    bumps: bool,
    retries: bool,
    reassignments: bool,
    failed_stops: bool,
    wraps: bool,
}

impl Swarm {
    fn new(dice: &mut Dice) -> Self {
        let mut half = || dice.odds(1, 2);
        Self {
            transactions: half(),
            plain: half(),
            second_partition: half(),
            replicas: half(),
            elections: half(),
            restarts: half(),
            crashes: half(),
            lags: half(),
            chunks: half(),
            waits: half(),
            bumps: half(),
            retries: half() && half(),
            reassignments: half(),
            failed_stops: half() && half(),
            wraps: half() && half(),
        }
    }
}

/// A scenario while it grows.
struct Draft {
    dice: Dice,
    /// From where to where mirrors go most of the time.
    edges: Vec<(String, String)>,
    swarm: Swarm,
    scenario: Scenario,
}

/// The scenario of a seed, all of whose steps make sense under this strategy and these rules.
#[must_use]
pub fn generate(seed: u64, how: How) -> Scenario {
    let mut dice = Dice::new(seed);
    let swarm = Swarm::new(&mut dice);
    let mut draft = Draft {
        scenario: Scenario {
            schema: 1,
            name: format!("explored-{seed}"),
            about: String::new(),
            form: None,
            barrier_layout: match dice.odds(1, 2) {
                true => BarrierLayout::A,
                false => BarrierLayout::B,
            },
            clusters: Vec::new(),
            writers: Vec::new(),
            steps: Vec::new(),
            expect: Vec::new(),
        },
        dice,
        edges: Vec::new(),
        swarm,
    };
    draft.add_clusters();
    draft.add_edges();
    draft.add_writers();
    let mut world = World::new(&draft.scenario, how.strategy, how.rules, how.seed);
    let wanted = FEWEST_STEPS + draft.dice.below(MORE_STEPS);
    for _ in 0..2 * wanted {
        if let Some(step) = draft.next_step()
            && does_something(&step, &world)
            && world.step(&step).is_ok()
        {
            draft.scenario.steps.push(step);
        }
        if draft.scenario.steps.len() == wanted {
            break;
        }
    }
    draft.scenario
}

/// Writes to a mirror are refused; a scenario of refusals shows little.
fn does_something(step: &Step, world: &World) -> bool {
    let Step::Produce(step) = step else {
        return true;
    };
    let writers = world.writers().iter();
    let home = writers.filter(|writer| writer.name == step.writer);
    let mut partitions = home
        .filter_map(|writer| world.clusters().get(writer.home.0))
        .filter_map(|cluster| cluster.partitions.get(&step.topic_partition));
    !partitions.any(|partition| partition.is_read_only())
}

impl Draft {
    fn add_edges(&mut self) {
        let names = self.cluster_names();
        let (first, last) = (names.first().cloned(), names.last().cloned());
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        let neighbours = names.iter().zip(names.iter().skip(1));
        self.edges = match self.dice.below(4) {
            0 => neighbours
                .map(|(from, to)| (from.clone(), to.clone()))
                .collect(),
            1 => names
                .iter()
                .skip(1)
                .map(|to| (first.clone(), to.clone()))
                .collect(),
            2 => {
                let sources = names.iter().filter(|name| **name != last);
                sources.map(|from| (from.clone(), last.clone())).collect()
            }
            _ => {
                let there = neighbours.map(|(from, to)| (from.clone(), to.clone()));
                there.chain([(last, first)]).collect()
            }
        };
    }

    /// A pair of clusters to mirror between.
    fn edge(&mut self) -> (String, String) {
        match self.dice.odds(4, 5) {
            true => self.dice.pick(&self.edges).cloned().unwrap_or_default(),
            false => (self.cluster(), self.cluster()),
        }
    }

    fn add_clusters(&mut self) {
        let count = 2 + self.dice.below(3);
        let mut clusters = CLUSTERS;
        if self.dice.odds(1, 2) {
            // X comes beside A, and not last: both can be sources of one destination.
            clusters.swap(1, 3);
        }
        for (name, id) in clusters.iter().take(count) {
            let replicas = match self.swarm.replicas {
                true => 1 + self.dice.below(2),
                false => 1,
            };
            self.scenario.clusters.push(ClusterSpec {
                name: (*name).to_owned(),
                id: (*id).to_owned(),
                replicas,
                next_producer_id: 0,
            });
        }
    }

    fn add_writers(&mut self) {
        let names: Vec<String> = self.cluster_names();
        for cluster in &names {
            for number in 1..=1 + self.dice.below(2) {
                let kind = match self.dice.below(4) {
                    0 if self.swarm.plain => WriterKind::Plain,
                    1 | 2 if self.swarm.transactions => WriterKind::Transactional,
                    _ => WriterKind::Idempotent,
                };
                let is_wrapping = self.swarm.wraps && kind != WriterKind::Plain;
                self.scenario.writers.push(WriterSpec {
                    name: format!("{}{number}", cluster.to_lowercase()),
                    cluster: cluster.clone(),
                    kind,
                    transaction_version: 1 + i16::from(self.dice.odds(1, 2)),
                    first_sequence: match is_wrapping && self.dice.odds(1, 2) {
                        true => i32::MAX - 1,
                        false => 0,
                    },
                });
            }
        }
    }

    fn cluster_names(&self) -> Vec<String> {
        let clusters = self.scenario.clusters.iter();
        clusters.map(|cluster| cluster.name.clone()).collect()
    }

    fn cluster(&mut self) -> String {
        let names = self.cluster_names();
        self.dice.pick(&names).cloned().unwrap_or_default()
    }

    fn writer(&mut self) -> String {
        let writers = self.dice.pick(&self.scenario.writers);
        writers.map_or_else(String::new, |writer| writer.name.clone())
    }

    fn partition(&mut self) -> String {
        match self.swarm.second_partition && self.dice.odds(1, 3) {
            true => "payments-0".to_owned(),
            false => DEFAULT_PARTITION.to_owned(),
        }
    }

    fn next_step(&mut self) -> Option<Step> {
        let step = match self.dice.below(20) {
            0..=6 => self.produce(),
            7..=10 => self.mirror(),
            11 => self.stop(),
            12 | 13 if self.swarm.transactions => self.transaction(),
            14 if self.swarm.elections => Step::Elect(self.replica()),
            15 if self.swarm.restarts || self.swarm.crashes => self.restart(),
            16 if self.swarm.lags => self.follow(),
            17 if self.swarm.bumps => {
                let writer = self.writer();
                Step::BumpEpoch(WriterStep { writer })
            }
            18 if self.swarm.reassignments => self.relink(),
            19 => self.other()?,
            _ => return None,
        };
        Some(step)
    }

    fn produce(&mut self) -> Step {
        let writer = self.writer();
        let topic_partition = self.partition();
        if self.swarm.retries && self.dice.odds(1, 6) {
            let elsewhere = self.dice.odds(1, 2);
            return Step::Retry(RetryStep {
                cluster: elsewhere.then(|| self.cluster()),
                writer,
                topic_partition,
            });
        }
        Step::Produce(ProduceStep {
            writer,
            cluster: None,
            topic_partition,
            records: u32::from(self.dice.odds(1, 2)) + 1,
            batches: u32::from(self.dice.odds(1, 4)) + 1,
            ack_lost: self.swarm.retries && self.dice.odds(1, 4),
        })
    }

    fn mirror(&mut self) -> Step {
        let few = self.dice.odds(1, 3);
        let (from, to) = self.edge();
        Step::Mirror(MirrorStep {
            from,
            to,
            topic_partition: self.partition(),
            batches: few.then(|| 1 + self.dice.below(3)),
            chunk: match self.swarm.chunks {
                true => u32::try_from(1 + self.dice.below(4)).unwrap_or(1),
                false => 1,
            },
            isolation: Isolation::default(),
            late_fencing: false,
        })
    }

    fn stop(&mut self) -> Step {
        let fails = self.swarm.failed_stops;
        let (_, cluster) = self.edge();
        Step::Stop(StopStep {
            cluster,
            topic_partition: None,
            barrier: match self.dice.below(6) {
                0 if fails => BarrierWrite::Skipped,
                1 => BarrierWrite::Repeated,
                _ => BarrierWrite::Written,
            },
            aborts: match fails && self.dice.odds(1, 4) {
                true => Aborts::Failed,
                false => Aborts::Written,
            },
        })
    }

    fn transaction(&mut self) -> Step {
        let writer = self.writer();
        let step = WriterStep { writer };
        match self.dice.below(4) {
            0 | 1 => Step::Begin(step),
            2 => Step::Commit(step),
            _ => Step::Abort(step),
        }
    }

    fn replica(&mut self) -> ReplicaStep {
        ReplicaStep {
            cluster: self.cluster(),
            replica: self.dice.below(2),
            topic_partition: None,
        }
    }

    fn restart(&mut self) -> Step {
        let is_crash = self.swarm.crashes && (!self.swarm.restarts || self.dice.odds(1, 2));
        Step::Restart(RestartStep {
            cluster: self.cluster(),
            replica: self.dice.below(2),
            stop: match is_crash {
                true => Stop::Unclean,
                false => Stop::Clean,
            },
            snapshots: match is_crash && self.dice.odds(1, 3) {
                true => Snapshots::Lost,
                false => Snapshots::Kept,
            },
        })
    }

    fn follow(&mut self) -> Step {
        if self.dice.odds(1, 2) {
            return Step::Lag(self.replica());
        }
        let all = self.dice.odds(1, 2);
        Step::Fetch(FetchStep {
            cluster: self.cluster(),
            replica: self.dice.below(2),
            topic_partition: self.partition(),
            chunk: (!all).then_some(1),
        })
    }

    fn relink(&mut self) -> Step {
        let (from, to) = self.edge();
        let step = LinkStep {
            from,
            to,
            topic_partition: self.partition(),
        };
        match self.dice.odds(1, 2) {
            true => Step::Reassign(step),
            false => Step::FailBack(step),
        }
    }

    fn other(&mut self) -> Option<Step> {
        let cluster = self.cluster();
        match self.dice.below(4) {
            0 => Some(Step::Roll(ClusterStep { cluster })),
            1 if self.swarm.waits => {
                let part = i64::try_from(1 + self.dice.below(4)).unwrap_or(1);
                let ms = LONGEST_WAIT_MS / 4 * part;
                Some(Step::Wait(WaitStep { ms }))
            }
            2 => Some(Step::Pause(ClusterStep { cluster })),
            3 => Some(Step::Resume(ClusterStep { cluster })),
            _ => None,
        }
    }
}
