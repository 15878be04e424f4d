//! Topic ids, owners of log directories, partitions that lie in two of them.

use std::fs;
use std::path::Path;

use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::log_directory::check_log_directories;
use kfsck::analysis::log_findings::Severity::{Error, Note, Warning};
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{LogDirectory, Operand, expand};
use kfsck::storage::source::Access;

use super::check;
use super::scene::{Scene, told};
use crate::program::{copy_tree, testdata};

const METADATA: &str = "partition.metadata";

#[test]
fn a_partition_without_the_id_of_its_topic_is_taken_for_a_stray() {
    let scene = Scene::of("txn-both-0");
    scene.remove(METADATA);
    let expected = told(Error, "partition-metadata-mismatch", METADATA, None, None);
    assert_eq!(scene.told(), [expected]);
    scene.take_away();
    assert_eq!(scene.told(), [], "a copy of the segments");
    let scene = Scene::of("empty_topic-0");
    scene.remove(METADATA);
    assert_eq!(scene.told(), []);
    assert_eq!(scene.only("partition-metadata-mismatch").severity, Note);
}

#[test]
fn topic_ids_that_cannot_be_read() {
    for (text, position) in [
        ("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA", 11),
        ("version: 0\n", 11),
        ("version: x\n", 0),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(METADATA, text.as_bytes());
        let code = "partition-metadata-mismatch";
        assert_eq!(scene.told(), [told(Error, code, METADATA, position, None)]);
    }
}

#[test]
fn a_topic_id_that_cannot_be_read_ends_the_start_in_a_directory_on_its_way_out_too() {
    let scene = Scene::of("gone.topic-0.c7e07dc5b22e46719f191e5b78e48730-delete");
    scene.write(METADATA, b"version: 0\n");
    assert_eq!(scene.only("partition-metadata-mismatch").severity, Error);
    scene.remove(METADATA);
    assert_eq!(scene.only("partition-metadata-mismatch").severity, Note);
}

/// A log directory with three partitions of one topic.
fn three() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["my.topic-3-0", "my.topic-3-1", "my.topic-3-2"] {
        copy_tree(&testdata(&format!("main/{name}")), &root.path().join(name));
    }
    fs::copy(
        testdata("main/meta.properties"),
        root.path().join("meta.properties"),
    )
    .unwrap();
    fs::write(root.path().join(".kafka_cleanshutdown"), "").unwrap();
    root
}

fn wrong(findings: Vec<Finding>) -> Vec<Finding> {
    findings
        .into_iter()
        .filter(|finding| finding.severity > Note)
        .collect()
}

#[test]
fn a_partition_whose_topic_id_is_not_that_of_the_others() {
    let root = three();
    assert_eq!(wrong(check(root.path(), Access::Map)), []);
    let odd = root.path().join("my.topic-3-0").join(METADATA);
    fs::write(&odd, "version: 0\ntopic_id: 7YlvJLFmRy2ZQ9tBN3Ofiw").unwrap();
    let wrong = wrong(check(root.path(), Access::Map));
    let [finding] = &wrong[..] else {
        panic!("{wrong:#?}")
    };
    assert_eq!(
        (finding.code.as_str(), &finding.path),
        ("partition-metadata-mismatch", &odd)
    );
    assert_eq!(finding.topic_partition.as_deref(), Some("my.topic-3-0"));
    assert_eq!(
        finding.evidence[0].stored.as_deref(),
        Some("7YlvJLFmRy2ZQ9tBN3Ofiw")
    );
}

/// The cluster knows which of two ids is the topic's, and whose the other one is.
#[test]
fn a_topic_id_of_another_topic_is_told_with_its_name() {
    let root = three();
    let odd = root.path().join("my.topic-3-0").join(METADATA);
    let message = |id: &str| {
        fs::write(&odd, format!("version: 0\ntopic_id: {id}")).unwrap();
        let wrong = wrong(check(root.path(), Access::Map));
        let of_ids = wrong.iter().filter(|finding| finding.path == odd);
        of_ids
            .map(|finding| finding.message.clone())
            .collect::<String>()
    };
    let (plain, nobodys) = ("Rlw3t_trQhquLuE4gwyo8A", "7YlvJLFmRy2ZQ9tBN3Ofiw");
    let unknown = message(plain);
    assert!(unknown.ends_with("renames its directory"), "{unknown}");
    let metadata = "__cluster_metadata-0";
    copy_tree(
        &testdata(&format!("main/{metadata}")),
        &root.path().join(metadata),
    );
    let usual = "b2F_DY92Rdm8jTO4PIupRg is topic my.topic-3";
    for (id, known) in [(plain, "topic plain"), (nobodys, "no topic")] {
        let told = message(id);
        let words = format!("; by {metadata} beside it {usual}, and {id} is {known}");
        assert!(told.ends_with(&words), "{told}");
    }
}

/// Most partitions may be those of the other topic.
#[test]
fn the_id_that_the_cluster_knows_is_right_whatever_most_have() {
    let root = three();
    let metadata = |number: u8| {
        root.path()
            .join(format!("my.topic-3-{number}"))
            .join(METADATA)
    };
    for number in [1, 2] {
        fs::write(
            metadata(number),
            "version: 0\ntopic_id: 7YlvJLFmRy2ZQ9tBN3Ofiw",
        )
        .unwrap();
    }
    let accused = || {
        let wrong = wrong(check(root.path(), Access::Map));
        let of_ids = wrong.into_iter().map(|finding| finding.path);
        of_ids
            .filter(|path| path.ends_with(METADATA))
            .collect::<Vec<_>>()
    };
    assert_eq!(accused(), [metadata(0)]);
    let cluster = "__cluster_metadata-0";
    copy_tree(
        &testdata(&format!("main/{cluster}")),
        &root.path().join(cluster),
    );
    assert_eq!(accused(), [metadata(1), metadata(2)]);
}

#[test]
fn what_keeps_a_broker_from_starting_in_a_log_directory() {
    let root = three();
    fs::create_dir(root.path().join("lost+found")).unwrap();
    fs::create_dir(root.path().join("remote-log-index-cache")).unwrap();
    fs::write(root.path().join("notes.txt"), "").unwrap();
    fs::write(root.path().join(".lock"), "").unwrap();
    fs::write(root.path().join("bootstrap.checkpoint"), "").unwrap();
    fs::write(root.path().join("00000000000000000000.log"), "").unwrap();
    fs::write(root.path().join("replication-offset-checkpoint.tmp"), "").unwrap();
    let mut all: Vec<_> = check(root.path(), Access::Map)
        .into_iter()
        .map(|finding| {
            let name = finding
                .path
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (finding.severity, finding.code.as_str(), name)
        })
        .collect();
    all.sort();
    let name = str::to_owned;
    assert_eq!(
        all,
        [
            (
                Note,
                "leftover-file",
                name("replication-offset-checkpoint.tmp")
            ),
            (Note, "stray-file", name("00000000000000000000.log")),
            (Note, "stray-file", name("notes.txt")),
            (Error, "start-blocked", name("lost+found")),
        ]
    );
}

#[test]
fn a_log_directory_that_does_not_say_whose_it_is() {
    let path = "meta.properties";
    let checkpoint = "recovery-point-offset-checkpoint";
    for (text, severity) in [(None, Error), (Some("version=1\nnode.id=1\n"), Error)] {
        let root = three();
        fs::write(root.path().join(checkpoint), "0\n0\n").unwrap();
        match text {
            Some(text) => fs::write(root.path().join(path), text).unwrap(),
            None => fs::remove_file(root.path().join(path)).unwrap(),
        }
        let wrong = wrong(check(root.path(), Access::Map));
        let blocked: Vec<_> = wrong
            .iter()
            .filter(|finding| finding.path.ends_with(path))
            .map(|finding| (finding.severity, finding.code.as_str()))
            .collect();
        assert_eq!(blocked, [(severity, "start-blocked")]);
    }
    // A copy of some partitions is nobody's.
    let root = three();
    fs::remove_file(root.path().join(path)).unwrap();
    fs::remove_file(root.path().join(".kafka_cleanshutdown")).unwrap();
    assert_eq!(wrong(check(root.path(), Access::Map)), []);
}

fn log_directory(path: &Path) -> LogDirectory {
    match expand(path).unwrap() {
        Operand::Log(directory) => directory,
        other => panic!("{other:?}"),
    }
}

/// The findings of two log directories with these lines in `meta.properties`; each holds
/// `shared-0`, and the second under this name.
fn two(own: [&str; 2], name: &str) -> Vec<(kfsck::analysis::log_findings::Severity, String)> {
    let root = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|name| root.path().join(name));
    for ((path, lines), name) in paths.iter().zip(own).zip(["shared-0", name]) {
        copy_tree(&testdata("main/idem-0"), &path.join(name));
        copy_tree(
            &testdata("main/idem-1"),
            &path.join(format!("own.{}-1", path.ends_with("one"))),
        );
        if !lines.is_empty() {
            fs::write(path.join("meta.properties"), lines).unwrap();
        }
    }
    let directories = paths.each_ref().map(|path| log_directory(path));
    let checkpoints = paths
        .each_ref()
        .map(|path| Checkpoints::read(path, Access::Map));
    let pairs: Vec<_> = directories.iter().zip(&checkpoints).collect();
    let mut found = Vec::new();
    let unread = check_log_directories(&pairs, Access::Map, &mut |finding| {
        if finding.code.as_str() == "duplicate-partition" {
            assert_eq!(finding.topic_partition.as_deref(), Some("shared-0"));
            assert_eq!(finding.path, paths[1].join(name));
        }
        found.push((finding.severity, finding.code.as_str().to_owned()));
    });
    assert!(unread.is_empty());
    found
}

#[test]
fn a_partition_in_two_log_directories_of_one_broker() {
    let of = |node: i32, cluster: &str, directory: &str| {
        format!("version=1\nnode.id={node}\ncluster.id={cluster}\ndirectory.id={directory}\n")
    };
    let (a, b) = ("7YlvJLFmRy2ZQ9tBN3Ofiw", "8YlvJLFmRy2ZQ9tBN3Ofiw");
    let one = of(1, "c", a);
    let check = |other: &str, name: &str| two([&one, other], name);
    let duplicate = |severity| vec![(severity, "duplicate-partition".to_owned())];
    let blocked = |severity| vec![(severity, "start-blocked".to_owned())];
    assert_eq!(check(&of(1, "c", b), "shared-0"), duplicate(Error));
    // A copy on its way to another directory, and what is on its way out.
    for state in ["future", "delete", "stray"] {
        assert_eq!(check(&of(1, "c", b), &format!("shared-0.0f-{state}")), []);
    }
    // A replica of another broker.
    assert_eq!(check(&of(2, "c", b), "shared-0"), []);
    // Another cluster's broker of the same number, or a copy of the directory.
    assert_eq!(check(&of(1, "d", b), "shared-0"), blocked(Note));
    assert_eq!(check(&of(1, "c", a), "shared-0"), blocked(Note));
    // Nobody says whose they are.
    assert_eq!(two(["", ""], "shared-0"), duplicate(Warning));
}

/// Which of the two is the old one the ids tell, and the cluster's metadata.
#[test]
fn the_topic_ids_of_a_partition_in_two_log_directories() {
    let (plain, nobodys) = ("Rlw3t_trQhquLuE4gwyo8A", "7YlvJLFmRy2ZQ9tBN3Ofiw");
    let root = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| root.path().join(name));
    for path in &paths {
        copy_tree(&testdata("main/plain-0"), &path.join("plain-0"));
    }
    let odd = paths[1].join("plain-0").join(METADATA);
    let message = || {
        let listed = paths.each_ref().map(|path| expand(path).unwrap());
        let logs = listed.each_ref().map(|operand| match operand {
            Operand::Log(log) => log,
            other => panic!("{other:?}"),
        });
        let checkpoints = paths
            .each_ref()
            .map(|path| Checkpoints::read(path, Access::Map));
        let pairs: Vec<_> = logs.into_iter().zip(&checkpoints).collect();
        let mut told = Vec::new();
        check_log_directories(&pairs, Access::Map, &mut |finding| {
            if finding.code.as_str() == "duplicate-partition" {
                told.push(finding.message);
            }
        });
        assert_eq!(told.len(), 1, "{told:?}");
        told.remove(0)
    };
    let same = message();
    assert!(same.ends_with("or ends earlier"), "{same}");
    fs::write(&odd, format!("version: 0\ntopic_id: {nobodys}")).unwrap();
    let apart = message();
    let ids = format!("; the topic ids differ, {nobodys} here and {plain} there");
    assert!(apart.ends_with(&ids), "{apart}");
    let metadata = "__cluster_metadata-0";
    copy_tree(
        &testdata(&format!("main/{metadata}")),
        &paths[0].join(metadata),
    );
    let named = message();
    let ids = format!(
        "{nobodys} (in __cluster_metadata no topic) here and {plain} (in __cluster_metadata topic \
         plain) there"
    );
    assert!(named.ends_with(&ids), "{named}");
}
