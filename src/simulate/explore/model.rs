//! Small models whose schedules can all be tried.

use crate::simulate::scenario::{
    Aborts, BarrierLayout, BarrierWrite, ClusterSpec, DEFAULT_PARTITION, Isolation, LinkStep,
    MirrorStep, ProduceStep, ReplicaStep, RestartStep, Scenario, Snapshots, Step, Stop, StopStep,
    WriterKind, WriterSpec, WriterStep,
};

/// A model: clusters, writers, and what may happen at any time.
#[derive(Debug, Clone)]
pub struct Model {
    /// Clusters and writers, without steps.
    pub scenario: Scenario,
    /// What may happen.
    pub steps: Vec<Step>,
}

const A: (&str, &str) = ("A", "8Gu2jmvZSZi-gRiaa9lJsg");
const B: (&str, &str) = ("B", "8GiovbadRjaMa2DUtp1GVQ");
const X: (&str, &str) = ("X", "rOTOevhpQsyJAG5V-GlC5g");
const C: (&str, &str) = ("C", "vAW71LU4Tbu90r7dtThNqg");

/// The models: a pair with failback, a chain, two sources, two of one region, transactions, faults.
#[must_use]
pub fn models() -> Vec<Model> {
    let sources = sources(("sources", "C mirrors A and B in turn."), B, "b");
    let about =
        "C mirrors A and X in turn, whose ids share the bits that bit-field ids have of them.";
    let regions = self::sources(("regions", about), X, "x");
    vec![pair(), chain(), sources, regions, transactions(), faults()]
}

fn model(
    (name, about): (&str, &str),
    clusters: &[((&str, &str), usize)],
    writers: &[(&str, WriterKind)],
    steps: Vec<Step>,
) -> Model {
    let home = |writer: &str| writer.get(..1).unwrap_or_default().to_uppercase();
    let scenario = Scenario {
        schema: 1,
        name: name.to_owned(),
        about: about.to_owned(),
        form: None,
        barrier_layout: BarrierLayout::B,
        clusters: clusters
            .iter()
            .map(|((name, id), replicas)| ClusterSpec {
                name: (*name).to_owned(),
                id: (*id).to_owned(),
                replicas: *replicas,
                next_producer_id: 0,
            })
            .collect(),
        writers: writers
            .iter()
            .map(|(name, kind)| WriterSpec {
                name: (*name).to_owned(),
                cluster: home(name),
                kind: *kind,
                transaction_version: 1,
                first_sequence: 0,
            })
            .collect(),
        steps: Vec::new(),
        expect: Vec::new(),
    };
    Model { scenario, steps }
}

fn pair() -> Model {
    let steps = vec![
        produce("a"),
        produce("b"),
        mirror("A", "B"),
        mirror("B", "A"),
        stop("B"),
        stop("A"),
    ];
    let writers = [("a", WriterKind::Idempotent), ("b", WriterKind::Idempotent)];
    let about = "B mirrors A, A mirrors B; each stops and writes.";
    model(("pair", about), &[(A, 1), (B, 1)], &writers, steps)
}

fn chain() -> Model {
    let steps = vec![
        produce("a"),
        produce("b"),
        mirror("A", "B"),
        mirror("B", "C"),
        stop("B"),
        stop("C"),
        produce("c"),
    ];
    let writers = [
        ("a", WriterKind::Idempotent),
        ("b", WriterKind::Idempotent),
        ("c", WriterKind::Idempotent),
    ];
    let about = "A is mirrored to B, B to C; B and C stop and write.";
    let clusters = [(A, 1), (B, 1), (C, 1)];
    model(("chain", about), &clusters, &writers, steps)
}

fn sources(name: (&str, &str), second: (&str, &str), writer: &str) -> Model {
    let reassign = |from: &str| {
        Step::Reassign(LinkStep {
            from: from.to_owned(),
            to: "C".to_owned(),
            topic_partition: DEFAULT_PARTITION.to_owned(),
        })
    };
    let steps = vec![
        produce("a"),
        produce(writer),
        mirror("A", "C"),
        reassign(second.0),
        mirror(second.0, "C"),
        reassign("A"),
    ];
    let writers = [
        ("a", WriterKind::Idempotent),
        (writer, WriterKind::Idempotent),
    ];
    model(name, &[(A, 1), (second, 1), (C, 1)], &writers, steps)
}

fn transactions() -> Model {
    let of = |name: &str| WriterStep {
        writer: name.to_owned(),
    };
    let steps = vec![
        Step::Begin(of("a")),
        produce("a"),
        Step::Commit(of("a")),
        Step::Abort(of("a")),
        mirror("A", "B"),
        stop("B"),
        produce("b"),
    ];
    let writers = [
        ("a", WriterKind::Transactional),
        ("b", WriterKind::Idempotent),
    ];
    let about = "B mirrors transactions of A, stops and writes.";
    model(("transactions", about), &[(A, 1), (B, 1)], &writers, steps)
}

fn faults() -> Model {
    let elect = |replica| {
        Step::Elect(ReplicaStep {
            cluster: "B".to_owned(),
            replica,
            topic_partition: None,
        })
    };
    let steps = vec![
        produce("a"),
        mirror("A", "B"),
        stop("B"),
        produce("b"),
        Step::Lag(ReplicaStep {
            cluster: "B".to_owned(),
            replica: 1,
            topic_partition: None,
        }),
        elect(1),
        Step::Restart(RestartStep {
            cluster: "B".to_owned(),
            replica: 1,
            stop: Stop::Unclean,
            snapshots: Snapshots::Kept,
        }),
    ];
    let writers = [("a", WriterKind::Idempotent), ("b", WriterKind::Idempotent)];
    let about =
        "B, with two replicas, mirrors A, stops and writes; its followers lag, lead, crash.";
    model(("faults", about), &[(A, 1), (B, 2)], &writers, steps)
}

fn produce(writer: &str) -> Step {
    Step::Produce(ProduceStep {
        writer: writer.to_owned(),
        cluster: None,
        topic_partition: DEFAULT_PARTITION.to_owned(),
        records: 1,
        batches: 1,
        ack_lost: false,
    })
}

fn mirror(from: &str, to: &str) -> Step {
    Step::Mirror(MirrorStep {
        from: from.to_owned(),
        to: to.to_owned(),
        topic_partition: DEFAULT_PARTITION.to_owned(),
        batches: None,
        chunk: 1,
        isolation: Isolation::default(),
        late_fencing: false,
    })
}

fn stop(cluster: &str) -> Step {
    Step::Stop(StopStep {
        cluster: cluster.to_owned(),
        topic_partition: None,
        barrier: BarrierWrite::Written,
        aborts: Aborts::Written,
    })
}
