//! A partition of `__consumer_offsets` that is given more than once.

use std::fs;
use std::path::PathBuf;

use super::{Log, parsed};
use crate::program::Run;

/// Of two copies of a partition the longer one tells.
#[test]
fn a_copy_that_is_behind_is_not_read() {
    let short = Log::default().commit("g", Some(5), -1).written();
    let long = Log::default()
        .commit("g", Some(5), -1)
        .commit("g", Some(6), -1)
        .written();
    let paths: [PathBuf; 2] = [short.path().to_owned(), long.path().to_owned()];
    for [one, other] in [[&paths[0], &paths[1]], [&paths[1], &paths[0]]] {
        let run = Run::new(["groups", "--format", "json"]).arg(one).arg(other);
        let outcome = run.outcome().ended_with(0);
        assert_eq!(parsed(&outcome)[0].offsets[0].committed_offset, 6);
        assert!(outcome.stderr.contains("not read: "), "{}", outcome.stderr);
    }
}

#[test]
fn of_equal_copies_the_first_is_read_and_a_directory_given_twice_is_one() {
    let one = Log::default().commit("g", Some(5), -1).written();
    let other = Log::default().commit("g", Some(5), -1).written();
    let run = Run::new(["groups", "--format", "json"]).arg(one.path());
    let outcome = run.arg(other.path()).outcome().ended_with(0);
    assert_eq!(parsed(&outcome).len(), 1);
    let first = one.path().join("__consumer_offsets-7");
    let said = format!("note: not read: {} goes as far\n", first.display());
    assert!(outcome.stderr.ends_with(&said), "{}", outcome.stderr);
    let again = one.path().join(".");
    let run = Run::new(["groups", "--format", "json"]).arg(one.path());
    let outcome = run.arg(again).outcome().ended_with(0);
    assert_eq!((parsed(&outcome).len(), &outcome.stderr[..]), (1, ""));
}

/// A group of that name in the other cluster is another group.
#[test]
fn two_clusters_are_not_read_together() {
    let place = |cluster: &str| {
        let place = Log::default().commit("g", Some(5), -1).written();
        let meta = format!("cluster.id={cluster}\nversion=1\n");
        fs::write(place.path().join("meta.properties"), meta).unwrap();
        place
    };
    let (one, same, other) = (place("a"), place("a"), place("b"));
    let both = |other: &tempfile::TempDir| {
        let run = Run::new(["groups"]).arg(one.path()).arg(other.path());
        run.outcome()
    };
    both(&same).ended_with(0);
    let refused = both(&other).ended_with(3);
    assert!(
        refused.stderr.contains("belong to two clusters"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.text(), "");
}
