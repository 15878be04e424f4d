//! Random runs wilder than those that look for harm: writers turn up on clusters that are not
//! theirs, days pass, brokers lose their snapshots.

use kfsck::simulate::scenario::{Scenario, Step, read};
use kfsck::simulate::strategy::Strategy;
use kfsck::simulate::world::World;
use kfsck::state::rules::RuleSet;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many steps are tried.
const STEPS: usize = 80;
const CLUSTERS: [(&str, &str); 4] = [
    ("A", "8Gu2jmvZSZi-gRiaa9lJsg"),
    ("B", "8GiovbadRjaMa2DUtp1GVQ"),
    ("C", "vAW71LU4Tbu90r7dtThNqg"),
    // Shares the region of A.
    ("X", "rOTOevhpQsyJAG5V-GlC5g"),
];

/// Draws of one seed.
struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, count: u32) -> u32 {
        let bits = u64::from(self.0.next_u32());
        u32::try_from((bits * u64::from(count)) >> 32).unwrap()
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[usize::try_from(self.below(u32::try_from(from.len()).unwrap())).unwrap()]
    }
}

/// A run of a seed, with the judgement at its end.
pub(crate) fn run(
    seed: u64,
    strategy: &'static dyn Strategy,
    rules: &'static dyn RuleSet,
) -> World {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let (scenario, writers) = scenario(&mut dice);
    let clusters: Vec<String> = scenario
        .clusters
        .iter()
        .map(|one| one.name.clone())
        .collect();
    let mut world = World::new(&scenario, strategy, rules, seed);
    // Each seed leaves some kinds of steps out.
    let kinds = dice.0.next_u32() | 0b11_1111;
    for _ in 0..STEPS {
        let kind = dice.below(24);
        if kinds >> kind & 1 == 1 {
            // A step that makes no sense changes nothing.
            for step in steps(&mut dice, kind, &clusters, &writers) {
                let _ = world.step(&step);
            }
        }
    }
    world.judge_end();
    world
}

fn scenario(dice: &mut Dice) -> (Scenario, Vec<String>) {
    let count = usize::try_from(2 + dice.below(5).min(2)).unwrap();
    let clusters: Vec<String> = CLUSTERS
        .iter()
        .take(count)
        .map(|(name, id)| {
            let replicas = 1 + dice.below(2);
            // Most clusters give out the same ids.
            let first = [0, 0, 0, 7000][usize::try_from(dice.below(4)).unwrap()];
            format!(
                r#"{{"name":"{name}","id":"{id}","replicas":{replicas},"nextProducerId":{first}}}"#
            )
        })
        .collect();
    let mut names = Vec::new();
    let mut writers = Vec::new();
    for (name, _) in CLUSTERS.iter().take(count) {
        for number in 0..1 + dice.below(2) {
            let writer = format!("{}{number}", name.to_lowercase());
            let kind = ["idempotent", "transactional"][usize::from(dice.below(3) == 0)];
            let version = 1 + dice.below(2);
            let first = [0, 0, 0, i32::MAX - 1][usize::try_from(dice.below(4)).unwrap()];
            writers.push(format!(
                r#"{{"name":"{writer}","cluster":"{name}",
                    "kind":"{kind}","transactionVersion":{version},"firstSequence":{first}}}"#
            ));
            names.push(writer);
        }
    }
    let text = format!(
        r#"{{"schema":1,"name":"random","clusters":[{}],"writers":[{}],
           "steps":[{{"wait":{{"ms":1}}}}]}}"#,
        clusters.join(","),
        writers.join(",")
    );
    (read(&text).unwrap(), names)
}

/// A step of a kind, with those that give it a meaning.
fn steps(dice: &mut Dice, kind: u32, clusters: &[String], writers: &[String]) -> Vec<Step> {
    let (mut from, mut to) = (dice.pick(clusters), dice.pick(clusters));
    if dice.below(6) > 0 {
        // Most mirrors go down a chain.
        let last = u32::try_from(clusters.len() - 1).unwrap();
        let place = usize::try_from(dice.below(last)).unwrap();
        (from, to) = (&clusters[place], &clusters[place + 1]);
    }
    let writer = dice.pick(writers);
    let (one, few) = (dice.below(2), 1 + dice.below(3));
    let produce = |writer: &str| {
        let batches = 1 + one;
        format!(r#"{{"produce":{{"writer":"{writer}","records":{few},"batches":{batches}}}}}"#)
    };
    let of = |name: &str| format!(r#"{{"{name}":{{"writer":"{writer}"}}}}"#);
    let texts = match kind {
        0..=3 | 20 | 21 => vec![of("begin"), produce(writer)],
        4 | 5 => vec![format!(
            r#"{{"mirror":{{"from":"{from}","to":"{to}","chunk":{few}}}}}"#
        )],
        6 => vec![format!(
            r#"{{"mirror":{{"from":"{from}","to":"{to}","batches":{few}}}}}"#
        )],
        7 | 8 | 22 => {
            let how = ["", r#","barrier":"skipped","aborts":"failed""#][usize::from(kind == 8)];
            let home = to.to_lowercase();
            let locals = writers.iter().filter(|one| one.starts_with(&home));
            let stop = format!(r#"{{"stop":{{"cluster":"{to}"{how}}}}}"#);
            [stop]
                .into_iter()
                .chain(locals.map(|one| produce(one)))
                .collect()
        }
        9 => vec![format!(r#"{{"failBack":{{"from":"{from}","to":"{to}"}}}}"#)],
        10 => vec![format!(r#"{{"reassign":{{"from":"{from}","to":"{to}"}}}}"#)],
        11 | 12 => vec![of("commit")],
        13 => vec![of("abort")],
        14 => vec![of("bumpEpoch")],
        15 => vec![of("retry")],
        16 => vec![format!(
            r#"{{"produce":{{"writer":"{writer}","cluster":"{to}"}}}}"#
        )],
        17 => vec![format!(
            r#"{{"wait":{{"ms":{}}}}}"#,
            i64::from(few) * 43_200_000
        )],
        18 => vec![format!(
            r#"{{"elect":{{"cluster":"{to}","replica":{one}}}}}"#
        )],
        _ => {
            let stop = ["clean", "unclean"][usize::from(few == 1)];
            let kept = ["kept", "lost"][usize::try_from(one).unwrap()];
            vec![format!(
                r#"{{"restart":{{"cluster":"{to}","stop":"{stop}","snapshots":"{kept}"}}}}"#
            )]
        }
    };
    let read = |text: &String| serde_json::from_str(text).unwrap();
    texts.iter().map(read).collect()
}
