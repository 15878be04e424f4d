//! What the start of one partition means for the others of its log directory: the process ends for
//! all of them, or the directory goes offline with all that lies in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::brokers::Brokers;
use super::{Action, NextStart};

/// The next start of what lies at a path: a partition's directory, or a file beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The partition's directory or the file.
    pub path: PathBuf,
    /// What is told of it by itself.
    pub next: NextStart,
}

/// Tells of each partition whether something else ends the start: what lies in its log directory,
/// or what ends the broker and lies in another one of the same broker. Then it is not loaded, or
/// what is done to it is done in vain. What is told twice of one path is told once.
#[must_use]
pub fn together(starts: Vec<Placed>, brokers: &Brokers) -> Vec<Placed> {
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
    let mut ended = Vec::new();
    for Placed { path, next } in &told {
        if next.action == Action::BrokerFails {
            let directory = log_directory(path);
            if !next.is_of_directory {
                ended.push((directory.clone(), path.display().to_string()));
            }
            let name = next.topic_partition.clone();
            ends.entry(directory).or_insert(name);
        }
    }
    for Placed { path, next } in &mut told {
        let directory = log_directory(path);
        if let Some(by) = ends.get(&directory) {
            let end = format!("the start ends at {by}, or this log directory goes offline with it");
            block(next, by, end);
            continue;
        }
        let mut others = ended.iter();
        if let Some((_, by)) = others.find(|(other, _)| brokers.are_one(other, &directory)) {
            let end =
                format!("the start of the same broker ends at {by}, in another log directory");
            block(next, by, end);
        }
    }
    told
}

fn log_directory(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// The worse of the two comes first.
fn merge(one: &mut NextStart, mut other: NextStart) {
    let ends_broker =
        |next: &NextStart| next.action == Action::BrokerFails && !next.is_of_directory;
    let is_of_directory = !ends_broker(one) && !ends_broker(&other);
    if other.action > one.action {
        std::mem::swap(one, &mut other);
    }
    if !other.is_uneventful() {
        one.reason = format!("{}; {}", one.reason, other.reason);
    }
    one.is_of_directory = is_of_directory;
}

fn block(next: &mut NextStart, by: &str, end: String) {
    if next.action == Action::BrokerFails {
        return;
    }
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
            is_of_directory: false,
        };
        Placed { path, next }
    }

    const NOTHING: &str = super::super::UNEVENTFUL;

    #[test]
    fn one_that_ends_the_start_ends_it_for_all_of_its_directory() {
        let told = together(
            vec![
                start("d/a-0", Action::CleanLoad, NOTHING),
                start("d/b-0", Action::BrokerFails, "bad"),
                start("d/c-0", Action::Truncates, "cut"),
                start("e/a-0", Action::CleanLoad, NOTHING),
            ],
            &Brokers::default(),
        );
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
        let told = together(
            vec![
                start("d/a-0", Action::BrokerFails, "twice"),
                start("d/a-0", Action::Recovers, "read again"),
            ],
            &Brokers::default(),
        );
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
        assert_eq!(together(starts.clone(), &Brokers::default()), starts);
    }
}
