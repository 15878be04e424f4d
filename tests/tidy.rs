//! The habits of this repository that no compiler and no lint holds.
//!
//! Every check is a function over names and text, and is fed something bad below: a check that
//! finds nothing wrong anywhere has to show first that it can.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines in a file at most.
const MOST_LINES: usize = 500;
/// Letters in a line at most; rustfmt cannot break texts and comments.
const MOST_LETTERS: usize = 100;
/// Names that say nothing about what is in a file.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "helper", "misc", "common"];

/// The floors, lowest first; what stands on one floor does not see its neighbours.
const FLOORS: [&[&str]; 8] = [
    &["format"],
    &["storage"],
    &["state"],
    &["rebuild"],
    &["analysis"],
    &["repair", "simulate"],
    &["report"],
    &["command", "main"],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files but build output and version control, by their path from the root.
fn files() -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let name = folder.join(entry.unwrap().file_name());
            if name.ends_with("target") || name.ends_with(".git") {
                continue;
            }
            if root().join(&name).is_dir() {
                waiting.push(name);
            } else {
                found.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(found.iter().any(|name| name == "src/lib.rs"));
    found
}

fn text_of(name: &str) -> Option<String> {
    String::from_utf8(fs::read(root().join(name)).unwrap()).ok()
}

/// Rust files with their text.
fn sources() -> Vec<(String, String)> {
    let found: Vec<_> = files()
        .into_iter()
        .filter(|name| name.ends_with(".rs"))
        .map(|name| {
            let text = text_of(&name).unwrap();
            (name, text)
        })
        .collect();
    assert!(found.len() > 50);
    found
}

/// Panics with all complaints there are.
fn no_complaints(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The module that a file of `src/` is: `src/format/crc.rs` is `["format", "crc"]`.
fn module_of(name: &str) -> Vec<&str> {
    let name = name.strip_prefix("src/").unwrap();
    let mut parts: Vec<_> = name.strip_suffix(".rs").unwrap().split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// Text without comments: a sentence may speak of any floor. Paths in doc links count as text.
fn code_of(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The floors that a file names by `crate::`, `super::` or `kfsck::` paths, and `{...}` behind.
fn floors_used(name: &str, text: &str) -> BTreeSet<String> {
    let own = module_of(name);
    let code = code_of(text);
    let mut used = BTreeSet::new();
    for start in ["crate::", "kfsck::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == '$' {
                continue;
            }
            used.extend(first_names(&code[at + start.len()..]));
        }
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let rest = &code[at..];
        let ups = rest.split("::").take_while(|part| *part == "super").count();
        // `super` of a module two deep is a folder of the same floor. A file may hold modules of
        // its own, so a path may climb one more than the file lies deep; it then stays inside.
        if ups >= own.len() {
            used.extend(first_names(&rest[ups * "super::".len()..]));
        }
    }
    used
}

/// The first name of a path, or of each path in braces.
fn first_names(path: &str) -> Vec<String> {
    let name_of = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect()
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![name_of(path)];
    };
    let (mut depth, mut names, mut at_start) = (0, Vec::new(), true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            _ if at_start && !letter.is_whitespace() => {
                names.push(name_of(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

/// Paths that lead to a higher floor, to a neighbour, or to a module that has no floor.
fn upward_paths(name: &str, text: &str) -> Vec<String> {
    let own = module_of(name);
    let Some(first) = own.first() else {
        return Vec::new();
    };
    let Some(here) = floor_of(first) else {
        return vec![format!(
            "{name}: {first} has no floor; give it one in tests/tidy.rs"
        )];
    };
    floors_used(name, text)
        .into_iter()
        .filter(|used| used != first)
        .filter_map(|used| {
            let there = floor_of(&used)?;
            let allowed = there < here || FLOORS[here].contains(&"main") && there == here;
            (!allowed).then(|| format!("{name}: {first} may not use {used}"))
        })
        .collect()
}

/// A table that a program wrote may be as long as it likes.
fn is_generated(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains("@generated"))
}

fn too_large(name: &str, text: &str) -> Vec<String> {
    if is_generated(text) {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let count = text.lines().count();
    if count > MOST_LINES {
        complaints.push(format!("{name}: {count} lines, more than {MOST_LINES}"));
    }
    for (number, line) in (1..).zip(text.lines()) {
        let count = line.chars().count();
        if count > MOST_LETTERS {
            complaints.push(format!(
                "{name}:{number}: {count} letters, more than {MOST_LETTERS}"
            ));
        }
    }
    complaints
}

/// Files and modules whose names say nothing.
fn empty_names(name: &str, text: &str) -> Vec<String> {
    let mut names: Vec<&str> = name.trim_end_matches(".rs").split('/').collect();
    names.extend(text.lines().filter_map(|line| {
        let line = line.trim_start().trim_start_matches("pub ");
        line.strip_prefix("mod ")?.split([';', ' ', '{']).next()
    }));
    names
        .into_iter()
        .filter(|part| EMPTY_NAMES.contains(part))
        .map(|part| format!("{name}: the name {part} says nothing"))
        .collect()
}

/// Files of testdata that no README claims: neither that of testdata nor one in their own folder.
/// A claim is the name in backquotes, a pattern with `*`, or the path of a folder above.
fn unclaimed(names: &[String], readme_of: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let is_claimed = |name: &str| {
        let (folder, file) = name.rsplit_once('/').unwrap();
        if file == "README.md" || name == "testdata/.gitattributes" {
            return true;
        }
        let folders =
            std::iter::successors(Some(folder), |folder| Some(folder.rsplit_once('/')?.0));
        folders.into_iter().any(|folder| {
            let path = &name[folder.len() + 1..];
            let readme = readme_of(&format!("{folder}/README.md")).unwrap_or_default();
            claims(&readme).iter().any(|claim| matches(claim, path))
        })
    };
    names
        .iter()
        .filter(|name| name.starts_with("testdata/") && !is_claimed(name))
        .map(|name| format!("{name}: no README says what it is"))
        .collect()
}

/// What a README puts in backquotes in its tables and lists. A heading `## folder/` stands in
/// front of the claims below it.
fn claims(readme: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folder = String::new();
    for line in readme.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            folder = heading.trim().to_owned();
            if !folder.ends_with('/') {
                folder.clear();
            }
        } else if let Some(heading) = line.strip_prefix("### ") {
            let heading = heading.trim();
            found.push(format!("{folder}{heading}"));
        }
        found.extend(
            line.split('`')
                .skip(1)
                .step_by(2)
                .filter(|quoted| !quoted.contains(' '))
                .map(|quoted| format!("{folder}{quoted}")),
        );
    }
    found
}

/// Whether a claim covers a path: the same, everything below a folder, or by its stars.
fn matches(claim: &str, path: &str) -> bool {
    let Some((front, rest)) = claim.split_once('*') else {
        return path == claim
            || path
                .strip_prefix(claim.trim_end_matches('/'))
                .is_some_and(|below| below.starts_with('/'));
    };
    let Some(behind) = path.strip_prefix(front) else {
        return false;
    };
    (0..=behind.len())
        .filter(|at| behind.is_char_boundary(*at))
        .take_while(|at| !behind[..*at].contains('/'))
        .any(|at| matches(rest, &behind[at..]))
}

/// Places of one machine and of one company's network have no place in a repository.
fn local_places(name: &str, text: &str) -> Vec<String> {
    // Written in pieces, so that this file does not find itself.
    let homes = ["work", "root", "home", "Users"].map(|home| format!("/{home}/"));
    let registries =
        ["artifactory", "nexus", "jfrog", "codeartifact"].map(|host| format!("{host}."));
    let mut complaints = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let lower = line.to_lowercase();
        let home = homes.iter().find(|home| {
            // A path in a project may hold such a folder; at its front there is a letter.
            line.match_indices(home.as_str()).any(|(at, _)| {
                let before = line[..at].chars().next_back().unwrap_or(' ');
                !before.is_alphanumeric() && !"_-.}".contains(before)
            })
        });
        let host = registries.iter().find(|host| lower.contains(host.as_str()));
        if let Some(found) = home.or(host) {
            complaints.push(format!("{name}:{number}: speaks of {found}"));
        }
    }
    complaints
}

#[test]
fn no_path_leads_upwards() {
    let complaints: Vec<_> = sources()
        .iter()
        .filter(|(name, _)| name.starts_with("src/"))
        .flat_map(|(name, text)| upward_paths(name, text))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn files_and_lines_are_short() {
    let complaints: Vec<_> = sources()
        .iter()
        .flat_map(|(name, text)| too_large(name, text))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn names_say_something() {
    let complaints: Vec<_> = sources()
        .iter()
        .flat_map(|(name, text)| empty_names(name, text))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn every_file_of_testdata_is_claimed() {
    let names = files();
    let folder = names.iter().filter(|name| name.starts_with("testdata/"));
    assert!(folder.count() > 1000);
    no_complaints(&unclaimed(&names, &|readme| {
        names
            .contains(&readme.to_owned())
            .then(|| text_of(readme).unwrap())
    }));
}

#[test]
fn no_text_speaks_of_one_machine() {
    // Lock files name where packages come from, and what Kafka wrote is as it is.
    let complaints: Vec<_> = files()
        .iter()
        .filter(|name| !name.starts_with("testdata/kafka/"))
        .filter_map(|name| Some((name, text_of(name)?)))
        .flat_map(|(name, text)| local_places(name, &text))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn the_check_of_floors_finds_what_it_should() {
    let bad = |name: &str, text: &str| upward_paths(name, text).len();
    assert_eq!(
        bad("src/format/crc.rs", "use crate::storage::source::Source;"),
        1
    );
    assert_eq!(
        bad("src/format/crc.rs", "use super::super::storage::source;"),
        1
    );
    assert_eq!(
        bad(
            "src/format/crc.rs",
            "use crate::{format::batch, report::json};"
        ),
        1
    );
    assert_eq!(
        bad("src/format/crc.rs", "let x = crate::report::json::text();"),
        1
    );
    assert_eq!(
        bad(
            "src/storage/segment/walk.rs",
            "use crate::state;\nuse kfsck::report;"
        ),
        2
    );
    assert_eq!(bad("src/repair/log.rs", "use crate::simulate::clock;"), 1);
    assert_eq!(bad("src/analysis/gaps.rs", "use crate::repair::plan;"), 1);
    assert_eq!(bad("src/oracle/gaps.rs", ""), 1);
    assert_eq!(
        bad(
            "src/report/dump/file.rs",
            "use super::super::super::command::x;"
        ),
        1
    );
    assert_eq!(
        bad("src/format/crc.rs", "// See crate::storage::source."),
        0
    );
    assert_eq!(bad("src/format/crc.rs", "use super::number::Offset;"), 0);
    assert_eq!(
        bad(
            "src/report/dump/file.rs",
            "use crate::storage::x;\nuse super::view;"
        ),
        0
    );
    assert_eq!(
        bad(
            "src/command/man.rs",
            "use super::session;\nuse kfsck::report::x;"
        ),
        0
    );
    assert_eq!(
        bad(
            "src/main.rs",
            "mod command;\nfn main() { crate::command::main() }"
        ),
        0
    );
    assert_eq!(bad("src/lib.rs", "pub mod format;"), 0);
}

#[test]
fn the_checks_of_size_and_names_find_what_they_should() {
    assert_eq!(too_large("a.rs", &"x\n".repeat(MOST_LINES)).len(), 0);
    assert_eq!(too_large("a.rs", &"x\n".repeat(MOST_LINES + 1)).len(), 1);
    assert_eq!(too_large("a.rs", &"ж".repeat(MOST_LETTERS)).len(), 0);
    assert_eq!(too_large("a.rs", &"x".repeat(MOST_LETTERS + 1)).len(), 1);
    let table = format!("// @generated\n{}", "x\n".repeat(MOST_LINES));
    assert_eq!(too_large("a.rs", &table).len(), 0);
    assert_eq!(empty_names("src/format/utils.rs", "").len(), 1);
    assert_eq!(empty_names("src/misc/crc.rs", "").len(), 1);
    assert_eq!(
        empty_names("src/lib.rs", "mod x;\n    pub mod helpers {\n").len(),
        1
    );
    assert_eq!(empty_names("src/lib.rs", "mod miscellany;").len(), 0);
}

#[test]
fn the_check_of_claims_finds_what_it_should() {
    let readmes = |name: &str| match name {
        "testdata/README.md" => Some("## a/\n| `one.log`, `t-*` | x |\n| `deep/` | y |".to_owned()),
        "testdata/b/README.md" => Some("`two.log` is a segment; cut it `with care`".to_owned()),
        _ => None,
    };
    let missing = |name: &str| unclaimed(&[name.to_owned()], &readmes).len();
    for claimed in [
        "a/one.log",
        "a/deep/x/y",
        "a/t-1",
        "a/t-1/x",
        "b/two.log",
        "b/README.md",
    ] {
        assert_eq!(missing(&format!("testdata/{claimed}")), 0, "{claimed}");
    }
    for stray in [
        "a/two.log",
        "a/deeper",
        "b/one.log",
        "b/one",
        "c/x",
        "a/with",
        "a/s/t-1",
    ] {
        assert_eq!(missing(&format!("testdata/{stray}")), 1, "{stray}");
    }
}

#[test]
fn the_check_of_places_finds_what_it_should() {
    let found = |text: String| local_places("a.md", &text).len();
    assert_eq!(found(format!("see {}work/x", '/')), 1);
    assert_eq!(found(format!("path = \"{}home/me\"", '/')), 1);
    assert_eq!(found(format!("{}root/.cargo", '/')), 1);
    assert_eq!(found(format!("https://{}factory.example", "arti")), 1);
    assert_eq!(found("https://repo.maven.apache.org".to_owned()), 0);
    assert_eq!(found("the log's work/rest, homework".to_owned()), 0);
    assert_eq!(found("${basedir}/work/x".to_owned()), 0);
}
