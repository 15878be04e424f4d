//! What the simulator writes of its runs, loaded by the real log: it must believe what the
//! simulated replica believed.
//!
//! After a clean stop everything is equal, and the load changes nothing. A replay of the whole log
//! takes batches one by one, while a run took some in groups; what may differ then is what
//! `docs/producer-state.md` says of groups: the last batch of a producer whose markers go back to a
//! lower epoch, and the last stable offset in an index entry. And who was forgotten in the run,
//! after a day of silence or with its snapshots, is known again. Under rules that no release has,
//! real Kafka believes what our twin of it does; that it may refuse such a log is part of it: where
//! a barrier leaves a transaction open and its id goes to a producer without transactions
//! (`InvalidTxnStateException`).
//!
//! Active with a seed in `KFSCK_SIMULATED`, as `.ci/run oracle` has it; it needs a built oracle
//! then (`oracle/run load-logs`), and fails without one.

mod compared;
mod real;
mod runs;

use std::fs;
use std::path::Path;

use compared::{Count, differences};

/// So many random scenarios are run under the rules that real Kafka has.
const RANDOM: u64 = 300;
/// So many under others.
const OTHER: u64 = 60;

#[test]
fn what_a_run_leaves_is_what_the_real_log_loads() {
    let Some(seed) = std::env::var_os("KFSCK_SIMULATED") else {
        return;
    };
    let seed: u64 = seed.to_str().unwrap().parse().unwrap();
    let place = scratch();
    let cases = runs::written(seed, place.path());
    let rows: String = cases.iter().flat_map(runs::Case::rows).collect();
    let list = place.path().join("LIST.tsv");
    fs::write(&list, rows).unwrap();
    let answers = real::answers(&list, &place.path().join("answers.jsonl"));

    let mut count = Count::default();
    let mut text = String::new();
    for case in &cases {
        let found = differences(case, &answers, &mut count);
        if !found.is_empty() {
            text += &format!("{}\n    {}\n", case.name(), found.join("\n    "));
        }
    }
    let again = format!(
        "KFSCK_SIMULATED={seed} cargo test --test it -- state_oracle::simulated, with {RANDOM} \
         random scenarios of this seed"
    );
    assert!(text.is_empty(), "{text}\n{again}");
    count.check();
}

/// Memory where there is a file system of it: these are many small files.
pub(crate) fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    }
    .unwrap()
}
