//! A repair in place whose process is killed, again and again.

use std::time::Duration;

use super::{Copied, contents};
use crate::program::Run;

fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    let name = copied.logs()[1].file_name().unwrap().to_owned();
    copied.change(name.to_str().unwrap(), |bytes| bytes[100] ^= 1);
    copied
}

fn repair(copied: &Copied) -> Run {
    Run::new(["repair", "log", "--salvage", "--in-place", "-q"]).arg(&copied.path)
}

#[test]
fn whatever_a_kill_leaves_the_next_run_ends_well() {
    let whole = damaged();
    repair(&whole).outcome().ended_with(0);
    let result = contents(&whole.path);
    for round in 0..40_u64 {
        let copied = damaged();
        let mut child = repair(&copied).start();
        std::thread::sleep(Duration::from_micros(round * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        repair(&copied).outcome().ended_with(0);
        assert!(contents(&copied.path) == result, "round {round}");
    }
}
