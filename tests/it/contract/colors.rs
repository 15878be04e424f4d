//! Colour: on stderr only, and only where somebody sees it or asked for it.

use crate::program::{Run, testdata};

const ESCAPE: char = '\u{1b}';

fn is_colored(options: &[&str], environment: &[(&str, &str)]) -> bool {
    let mut colored = Vec::new();
    for format in ["kafka", "jsonl"] {
        let damaged = testdata("control/cut-tail-0/00000000000000000000.log");
        let run = Run::new(["dump-log", "--format", format]).arg(damaged);
        let run = options.iter().fold(run.arg("absent.log"), Run::arg);
        let run = environment
            .iter()
            .fold(run, |run, (name, value)| run.env(name, value));
        let outcome = run.outcome().ended_with(3);
        assert!(!outcome.text().contains(ESCAPE), "colour on stdout");
        let lines = outcome.stderr.lines();
        colored.extend(lines.map(|line| line.contains(ESCAPE)));
    }
    // Wrong usage is told in the same way.
    let run = options
        .iter()
        .fold(Run::new(["dump-log", "--nope"]), Run::arg);
    let run = environment
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value));
    let outcome = run.outcome().ended_with(2);
    colored.push(outcome.stderr.contains(ESCAPE));
    assert_eq!(colored.len(), 5);
    assert!(
        colored.iter().all(|line| *line == colored[0]),
        "{colored:?}"
    );
    colored[0]
}

#[test]
fn not_without_a_terminal() {
    assert!(!is_colored(&[], &[]));
    assert!(!is_colored(&["--color=auto"], &[]));
}

#[test]
fn options_come_before_the_environment() {
    assert!(is_colored(&["--color=always"], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!is_colored(
        &["--color", "never"],
        &[("CLICOLOR_FORCE", "1")]
    ));
}

#[test]
fn the_environment_is_respected() {
    assert!(is_colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!is_colored(
        &[],
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
    // An empty variable is as good as none.
    assert!(is_colored(
        &[],
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]
    ));
}
