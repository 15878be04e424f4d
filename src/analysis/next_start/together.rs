//! What the start of one partition means for the others of its log directory: the process ends for
//! all of them, or the directory goes offline with all that lies in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Action, NextStart};

/// The next start of what lies at a path: a partition's directory, or a file beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The partition's directory or the file.
    pub path: PathBuf,
    /// What is told of it by itself.
    pub next: NextStart,
}

/// Tells of each partition whether something else in its log directory ends the start: then it is
/// not loaded, or what is done to it is done in vain. What is told twice of one path is told once.
#[must_use]
pub fn together(starts: Vec<Placed>) -> Vec<Placed> {
    let mut told: Vec<Placed> = Vec::new();
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for start in starts {
        match places.get(&start.path).and_then(|at| told.get_mut(*at)) {
            Some(before) => merge(&mut before.next, start.next),
            None => {
                places.insert(start.path.clone(), told.len());
                told.push(start);
            }
        }
    }
    let mut ends: BTreeMap<PathBuf, String> = BTreeMap::new();
    for start in &told {
        if start.next.action == Action::BrokerFails {
            let name = start.next.topic_partition.clone();
            ends.entry(log_directory(&start.path)).or_insert(name);
        }
    }
    for start in &mut told {
        if let Some(by) = ends.get(&log_directory(&start.path)) {
            block(&mut start.next, by);
        }
    }
    told
}

fn log_directory(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// The worse of the two comes first.
fn merge(one: &mut NextStart, mut other: NextStart) {
    if other.action > one.action {
        std::mem::swap(one, &mut other);
    }
    if !other.is_uneventful() {
        one.reason = format!("{}; {}", one.reason, other.reason);
    }
}

fn block(next: &mut NextStart, by: &str) {
    if next.action == Action::BrokerFails {
        return;
    }
    let end = format!("the start ends at {by}, or this log directory goes offline with it");
    next.reason = match next.is_uneventful() {
        true => end,
        false => format!("{end}; before or after that: {}", next.reason),
    };
    if next.action == Action::CleanLoad {
        next.action = Action::BrokerFails;
    }
    next.blocked_by = Some(by.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(path: &str, action: Action, reason: &str) -> Placed {
        let path = PathBuf::from(path);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let next = NextStart {
            topic_partition: name,
            action,
            offset: None,
            records_lost: 0,
            reason: reason.to_owned(),
            forgotten: None,
            blocked_by: None,
        };
        Placed { path, next }
    }

    const NOTHING: &str = super::super::UNEVENTFUL;

    #[test]
    fn one_that_ends_the_start_ends_it_for_all_of_its_directory() {
        let told = together(vec![
            start("d/a-0", Action::CleanLoad, NOTHING),
            start("d/b-0", Action::BrokerFails, "bad"),
            start("d/c-0", Action::Truncates, "cut"),
            start("e/a-0", Action::CleanLoad, NOTHING),
        ]);
        let brief: Vec<_> = told
            .iter()
            .map(|one| (one.next.action, one.next.blocked_by.as_deref()))
            .collect();
        let by = Some("b-0");
        assert_eq!(
            brief,
            [
                (Action::BrokerFails, by),
                (Action::BrokerFails, None),
                (Action::Truncates, by),
                (Action::CleanLoad, None)
            ]
        );
        assert!(told[2].next.reason.ends_with(": cut"), "{:?}", told[2]);
    }

    #[test]
    fn what_is_told_twice_of_one_path_is_told_once_and_the_worse_first() {
        let told = together(vec![
            start("d/a-0", Action::BrokerFails, "twice"),
            start("d/a-0", Action::Recovers, "read again"),
        ]);
        let [one] = &told[..] else { panic!("{told:?}") };
        assert_eq!(one.next.action, Action::BrokerFails);
        assert_eq!(one.next.reason, "twice; read again");
        assert_eq!(one.next.blocked_by, None);
    }

    #[test]
    fn where_nothing_ends_the_start_nothing_changes() {
        let starts = vec![
            start("d/a-0", Action::CleanLoad, NOTHING),
            start("d/c-0", Action::Truncates, "cut"),
        ];
        assert_eq!(together(starts.clone()), starts);
    }
}
