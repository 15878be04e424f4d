//! `kfsck simulate-chain`: what scripts and people get, and the files that it reads.

mod document;
mod expectations;
mod files;
mod in_step;
mod schema_file;
mod search;
mod text;
mod usage;
mod written;
mod wrong_scenarios;

use crate::program::{Outcome, Run};

/// `kfsck simulate-chain ARG..`
fn simulate(args: &[&str]) -> Run {
    args.iter().fold(Run::new(["simulate-chain"]), Run::arg)
}

/// The same, run to its end.
fn simulated(args: &[&str]) -> Outcome {
    simulate(args).outcome()
}

/// The text of a scenario that comes with the program.
fn builtin(name: &str) -> &'static str {
    let mut all = kfsck::simulate::builtin::ALL.iter();
    let found = all.find(|(one, _)| *one == name);
    found.expect("it comes with the program").1
}

/// A scenario whose names are out to garble a terminal or a drawing.
const HOSTILE: &str = r##"{
  "name": "hostile",
  "about": "x\n\u001b[31m; # %%{init: {}}%%",
  "clusters": [
    {"name": "end", "id": "free; text", "nextProducerId": 5},
    {"name": "B", "id": "\u001b]0;x\u0007", "nextProducerId": 5}
  ],
  "writers": [
    {"name": "a; #<br>\n%%{init: {}}%% end: \"q\" `k` & \u001b[31m", "cluster": "end"},
    {"name": "wrap: \u009b", "cluster": "B"}
  ],
  "steps": [
    {"produce": {"writer": "a; #<br>\n%%{init: {}}%% end: \"q\" `k` & \u001b[31m", "records": 2}},
    {"mirror": {"from": "end", "to": "B"}},
    {"stop": {"cluster": "B"}},
    {"produce": {"writer": "wrap: \u009b"}},
    {"bumpEpoch": {"writer": "wrap: \u009b"}},
    {"produce": {"writer": "wrap: \u009b", "records": 2}},
    {"expect": {"cluster": "B", "producers": 99}}
  ]
}"##;
