//! What real Kafka believes of a log, held against what we believe: random logs that its own code
//! loaded, and random appends that its own checks judged (`oracle/run state-cases`,
//! `append-cases`). Everything must be equal; what an answer leaves out is told in `answer`.
//!
//! A case that differs is made as short as it can be before it is shown, if the oracle is there to
//! answer shorter ones.

pub(crate) mod answer;
mod append;
pub(crate) mod cases;
mod described;
pub(crate) mod load;
mod shrink;
pub(crate) mod simulated;
mod written;

use std::path::{Path, PathBuf};

/// How a case differs; nothing where it does not.
type Difference = fn(&Path) -> Vec<String>;

/// Checks all cases of a kind; the first that differs is shrunk and shown.
fn check(kind: &str, differences: Difference) {
    let cases = cases::all(kind);
    let differing: Vec<(PathBuf, Vec<String>)> = cases
        .iter()
        .map(|case| (case.clone(), differences(case)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    let Some((case, found)) = differing.first() else {
        return;
    };
    let mut text = format!("{} of {} cases differ\n", differing.len(), cases.len());
    for (case, found) in differing.iter().take(5) {
        text += &format!("{}: {}\n", case.display(), found.join("\n    "));
    }
    text += &shrunk(case, differences).unwrap_or_else(|| found.join("\n"));
    panic!("{text}");
}

/// The script of a case without the lines that do not matter, and how it differs.
fn shrunk(case: &Path, differences: Difference) -> Option<String> {
    std::env::var_os("KFSCK_STATES")?;
    let work = tempfile::tempdir().unwrap();
    let scripts = work.path().join("scripts");
    // A script of appends that has lost its first line is a directory to load.
    let of_appends = |case: &Path| {
        cases::script(case)
            .iter()
            .any(|line| line.starts_with("log "))
    };
    let (kind, place) = (of_appends(case), place_of(&differences(case)));
    let fails = |case: &Path| {
        let is_answered = case.join("answer.json").exists() && of_appends(case) == kind;
        is_answered && place_of(&differences(case)) == place
    };
    let shortest = shrink::shortest(cases::script(case), &mut |candidates| {
        let cases = cases::answer(candidates, &scripts);
        cases.iter().map(|case| fails(case)).collect()
    });
    let last = cases::answer(std::slice::from_ref(&shortest), &scripts);
    let found = differences(&last[0]).join("\n");
    let script = shortest.join("\n");
    let again = "oracle/run state-answer --in DIR --out DIR, with this as DIR/NAME/script.txt";
    Some(format!("{script}\n\n{found}\n\n{again}\n"))
}

/// Where the first difference is, without numbers: a shorter script must fail in the same way.
fn place_of(differences: &[String]) -> Option<String> {
    let (place, _) = differences.first()?.split_once(": real")?;
    Some(
        place
            .chars()
            .filter(|letter| !letter.is_numeric())
            .collect(),
    )
}

#[test]
fn what_a_load_makes_of_a_directory_is_what_the_real_load_makes_of_it() {
    check("load", load::differences);
}

#[test]
fn an_append_is_judged_as_the_real_log_judges_it() {
    check("append", append::differences);
}

#[test]
fn what_appends_leave_on_disk_is_what_the_real_log_leaves() {
    check("written", written::differences);
}
