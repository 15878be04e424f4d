//! What the documents show is what the tool does.
//!
//! Every fenced `console` block of `README.md`, `CONTRIBUTING.md` and `docs/*.md` runs in a shell,
//! in an empty directory beside which `testdata` lies, and must print what the document prints,
//! stderr included. In the document `...` stands for any text of one line, and a line of nothing
//! but `...` for any lines. A block's commands share one shell, so `$ echo $?` tells the exit code
//! of the one before. `cargo run --release --` stands for `kfsck`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Between the outputs of two commands.
const CUT: &str = "\u{1}cut\u{1}\n";

/// One command of a document with what it prints.
struct Example {
    command: String,
    expected: Vec<String>,
    line: usize,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    let mut documents = vec!["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .into_iter()
        .map(|name| root().join(name))
        .collect::<Vec<_>>();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        }
    }
    documents.sort();
    documents
}

/// The examples of a document, a list for each of its blocks.
fn blocks(text: &str) -> Vec<Vec<Example>> {
    let mut blocks = Vec::new();
    let mut block: Option<Vec<Example>> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut block, line) {
            (None, "```console") => block = Some(Vec::new()),
            (None, _) => {}
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(examples), line) => match (line.strip_prefix("$ "), examples.last_mut()) {
                (Some(command), _) => examples.push(Example {
                    command: command.to_owned(),
                    expected: Vec::new(),
                    line: number + 1,
                }),
                (None, Some(last)) => last.expected.push(line.to_owned()),
                (None, None) => panic!("line {}: output without a command", number + 1),
            },
        }
    }
    blocks
}

/// A directory with `testdata` in it, and the program under its name on a path.
fn scratch() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let link = |from: &Path, to: &str| {
        std::os::unix::fs::symlink(from, directory.path().join(to)).unwrap();
    };
    link(&root().join("testdata"), "testdata");
    fs::create_dir(directory.path().join(".bin")).unwrap();
    link(Path::new(env!("CARGO_BIN_EXE_kfsck")), ".bin/kfsck");
    directory
}

/// What each command of a block prints.
fn run(examples: &[Example]) -> Vec<String> {
    let directory = scratch();
    let mut script = "exec 2>&1\nrc=0\n".to_owned();
    for Example { command, .. } in examples {
        let command = command.replace("cargo run --release --", "kfsck");
        script += &format!("(exit $rc)\n{command}\nrc=$?\nprintf '\\001cut\\001\\n'\n");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(directory.path())
        .env(
            "PATH",
            format!("{}/.bin:{path}", directory.path().display()),
        )
        .env("COLUMNS", "80")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("bash");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    output.split(CUT).map(str::to_owned).collect()
}

/// Whether the lines are those expected, `...` standing for anything.
fn matches(expected: &[String], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "..." => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        (Some((first, rest)), Some((line, behind))) => {
            line_matches(first, line) && matches(rest, behind)
        }
        _ => false,
    }
}

fn line_matches(expected: &str, line: &str) -> bool {
    let Some((front, back)) = expected.split_once("...") else {
        return expected == line;
    };
    let Some(rest) = line.strip_prefix(front) else {
        return false;
    };
    let ends = rest.char_indices().map(|(at, _)| at);
    ends.chain([rest.len()])
        .any(|at| line_matches(back, &rest[at..]))
}

/// A block that pipes into a program that is not there cannot be held against the tool.
fn needs_missing_program(examples: &[Example]) -> bool {
    let needs = |name: &str| {
        let piped = format!("| {name} ");
        examples
            .iter()
            .any(|example| example.command.contains(&piped))
    };
    needs("jq") && Command::new("jq").arg("--version").output().is_err()
}

#[test]
fn examples_print_what_the_documents_show() {
    let mut failures = Vec::new();
    let mut count = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for examples in blocks(&text) {
            if needs_missing_program(&examples) {
                continue;
            }
            let outputs = run(&examples);
            for (example, output) in examples.iter().zip(outputs) {
                count += 1;
                let printed: Vec<_> = output.lines().collect();
                if !matches(&example.expected, &printed) {
                    failures.push(format!(
                        "{}:{}: $ {}\n{output}",
                        path.display(),
                        example.line,
                        example.command
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 20, "only {count} examples were found");
}

/// The headings of a document as links name them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
            title.chars().filter(kept).collect::<String>()
        })
        .map(|title| title.replace(' ', "-"))
        .collect()
}

fn assert_leads_somewhere(document: &Path, target: &str, place: &str) {
    if target.contains("://") {
        return;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => document.to_owned(),
        file => document.parent().unwrap().join(file),
    };
    assert!(path.exists(), "{place}: {target} does not exist");
    if !anchor.is_empty() {
        let headings = anchors(&fs::read_to_string(&path).unwrap());
        assert!(
            headings.iter().any(|heading| heading == anchor),
            "{place}: {target} names no heading"
        );
    }
}

/// Links inside the repository lead somewhere; lines of prose are at most 100 wide.
#[test]
fn links_lead_somewhere_and_lines_are_short() {
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let mut fenced = false;
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            fenced ^= line.starts_with("```");
            if fenced {
                continue;
            }
            let table = line.starts_with('|');
            assert!(table || line.chars().count() <= 100, "{place}: too long");
            let links = line.split("](").skip(1);
            for target in links.filter_map(|rest| rest.split(')').next()) {
                assert_leads_somewhere(&path, target, &place);
            }
        }
    }
}

#[test]
fn elisions_match_what_they_stand_for() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (expected, printed, same) in [
        ("a\n...\nd", "a\nb\nc\nd", true),
        ("a\n...", "a", true),
        ("a ... c ... e", "a b c d e", true),
        ("a ... c", "a b", false),
        ("a", "a\nb", false),
        ("a\nb", "a", false),
    ] {
        let printed: Vec<_> = printed.lines().collect();
        assert_eq!(matches(&lines(expected), &printed), same, "{expected:?}");
    }
}
