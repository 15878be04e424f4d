//! What we say of a broker's next start, held against the start of the real one: on damage drawn
//! from a seed (`oracle/run start-answer`), and on what lies in the repository.

mod actions;
mod compared;
mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::corpus;
use crate::damages::{Case, drawn};
use crate::state_oracle::cases::root;

/// Writes a case and its log directory.
fn write(case: &Case, corpus: &Path, directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join("case.txt"), case.text()).unwrap();
    case.image(corpus).write(&directory.join("logs"));
}

/// Has the real broker start with each case.
fn answer(directory: &Path) {
    let oracle = Command::new(root().join("oracle/run"))
        .args(["start-answer", "--now", &compared::NOW.to_string(), "--in"])
        .arg(directory)
        .status();
    assert!(oracle.unwrap().success(), "the oracle has an answer");
}

/// A number in the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

/// The committed cases, made again from the corpus in the repository; with `KFSCK_UPDATE` the
/// oracle answers them anew.
fn committed(work: &Path) -> Vec<PathBuf> {
    let corpus = corpus::Scratch::committed();
    let mut found = Vec::new();
    let kept = root().join("testdata/next-start");
    let mut names: Vec<_> = fs::read_dir(kept)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    for path in &names {
        let text = fs::read_to_string(path.join("case.txt")).unwrap();
        let directory = work.join(path.file_name().unwrap());
        write(&Case::parse(&text), &corpus.path, &directory);
        found.push(directory);
    }
    let is_update = std::env::var_os("KFSCK_UPDATE").is_some();
    if is_update {
        answer(work);
    }
    for (kept, made) in names.iter().zip(&found) {
        let (kept, made) = (kept.join("answer.json"), made.join("answer.json"));
        let (from, to) = match is_update {
            true => (&made, &kept),
            false => (&kept, &made),
        };
        fs::copy(from, to).unwrap();
    }
    assert!(found.len() >= 30, "{} cases", found.len());
    found
}

/// Fresh cases where `KFSCK_STARTS` asks for so many, of the seed `KFSCK_SEED`.
fn fresh(work: &Path) -> Vec<PathBuf> {
    let Some(count) = number("KFSCK_STARTS") else {
        return Vec::new();
    };
    let seed = number("KFSCK_SEED").expect("KFSCK_SEED beside KFSCK_STARTS");
    let corpus = corpus::Scratch::new();
    let mut found = Vec::new();
    for number in 0..count {
        let directory = work.join(format!("{number:05}"));
        write(&drawn(&corpus.path, seed, number), &corpus.path, &directory);
        found.push(directory);
    }
    answer(work);
    found
}

#[test]
fn a_start_does_what_we_say_it_will() {
    let work = tempfile::tempdir().unwrap();
    let mut cases = committed(&work.path().join("committed"));
    cases.extend(fresh(&work.path().join("fresh")));
    let mut differing = Vec::new();
    for case in &cases {
        let found = compared::differences(case);
        if !found.is_empty() {
            let text = fs::read_to_string(case.join("case.txt")).unwrap();
            let name = case.file_name().unwrap().display();
            differing.push(format!("{name}\n{text}{}\n", found.join("\n")));
        }
    }
    let shown: Vec<_> = differing.iter().take(5).cloned().collect();
    let (all, seed) = (cases.len(), number("KFSCK_SEED").unwrap_or(0));
    assert!(
        differing.is_empty(),
        "{} of {all} cases differ; again: KFSCK_SEED={seed} .ci/run oracle\n{}",
        differing.len(),
        shown.join("\n")
    );
}
