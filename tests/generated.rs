//! The completion scripts, the manual pages and the list of findings in the repository are those
//! that the binary and the library write.
//!
//! `KFSCK_UPDATE=1 cargo test --test generated` renews them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "kfsck.bash"),
    ("elvish", "kfsck.elv"),
    ("fish", "kfsck.fish"),
    ("powershell", "_kfsck.ps1"),
    ("zsh", "_kfsck"),
];

/// File names of one directory and what the files hold.
type Files = BTreeMap<String, Vec<u8>>;

fn kfsck(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kfsck"));
    command
        .args(arguments)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone()
}

fn read(directory: &Path) -> Files {
    let Ok(entries) = fs::read_dir(directory) else {
        return Files::new();
    };
    let entries = entries.map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    entries.collect()
}

/// Compares what the binary wrote with what is committed, or replaces the latter.
fn compare(directory: &str, written: &Files) {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(directory);
    let committed = read(&directory);
    if std::env::var_os("KFSCK_UPDATE").is_some() {
        fs::create_dir_all(&directory).unwrap();
        for name in committed.keys() {
            fs::remove_file(directory.join(name)).unwrap();
        }
        for (name, bytes) in written {
            fs::write(directory.join(name), bytes).unwrap();
        }
        return;
    }
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    let renew = "renew with: KFSCK_UPDATE=1 cargo test --test generated";
    assert_eq!(
        names(&committed),
        names(written),
        "{} is stale; {renew}",
        directory.display()
    );
    for (name, bytes) in written {
        assert!(
            committed[name] == *bytes,
            "{} is stale; {renew}",
            directory.join(name).display()
        );
    }
}

#[test]
fn completions() {
    let written = COMPLETIONS.map(|(shell, name)| (name.into(), kfsck(&["completions", shell])));
    compare("completions", &Files::from(written));
}

#[test]
fn manual_pages() {
    let directory = tempfile::tempdir().unwrap();
    kfsck(&["man", "--output", directory.path().to_str().unwrap()]);
    let written = read(directory.path());
    assert_eq!(written["kfsck.1"], kfsck(&["man"]));
    compare("man", &written);
}

#[test]
fn findings() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/findings.md");
    let written = kfsck::report::explain::document();
    if std::env::var_os("KFSCK_UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == written,
        "docs/findings.md is stale; renew with: KFSCK_UPDATE=1 cargo test --test generated"
    );
}

/// Eighty columns are what a terminal has at least.
#[test]
fn help_fits_eighty_columns() {
    let commands = [
        "",
        "dump-log",
        "pid",
        "pid map",
        "pid explain",
        "pid odds",
        "check",
        "explain",
        "completions",
        "man",
    ];
    for command in commands {
        for option in ["-h", "--help"] {
            let mut arguments: Vec<_> = command.split_whitespace().collect();
            arguments.push(option);
            let output = Command::new(env!("CARGO_BIN_EXE_kfsck"))
                .args(&arguments)
                .env("COLUMNS", "80")
                .assert()
                .success();
            let help = String::from_utf8(output.get_output().stdout.clone()).unwrap();
            let examples = help.split_once("Examples:\n").map_or("", |(_, rest)| rest);
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
            }
            // A wrapped example is none that could be copied.
            for line in examples.lines() {
                assert!(line.starts_with("  kfsck "), "{arguments:?}: {line}");
            }
        }
    }
}
