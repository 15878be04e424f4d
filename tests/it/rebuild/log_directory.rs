//! The files of a log directory beside its partitions.

use std::collections::BTreeMap;
use std::fs;

use kfsck::format::clean_shutdown;
use kfsck::format::meta_properties::{Gathered, MetaProperties};
use kfsck::format::number::Offset;
use kfsck::format::offset_checkpoint;
use kfsck::format::properties;
use kfsck::rebuild::log_directory::{LogDirectoryFiles, PartitionOffsets, Stop};

use crate::corpus;

/// The files that lie in a directory itself, without the line of a date.
fn files_of(directory: &std::path::Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().is_file());
    files
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap();
            let lines = text.split_inclusive('\n');
            let undated = lines.filter(|line| !line.starts_with('#') || *line == "#\n");
            (entry.file_name().into_string().unwrap(), undated.collect())
        })
        .collect()
}

/// The lines of checkpoints lie in the order of a Java hash map, each file in its own.
fn sorted(mut files: BTreeMap<String, String>) -> BTreeMap<String, String> {
    for (name, text) in &mut files {
        if name.ends_with("-checkpoint") {
            let mut lines: Vec<_> = text.split_inclusive('\n').collect();
            lines.get_mut(2..).unwrap_or_default().sort_unstable();
            *text = lines.concat();
        }
    }
    files
}

/// Real files, read and written again.
#[test]
fn log_directories_of_real_brokers_are_written_again() {
    for name in ["main", "crash/clean", "crash/unclean"] {
        let directory = corpus::directory().join(name);
        let read = |name: &str| fs::read(directory.join(name)).unwrap();
        let starts = offset_checkpoint::decode(&read("log-start-offset-checkpoint")).unwrap();
        let marks = offset_checkpoint::decode(&read("replication-offset-checkpoint")).unwrap();
        let points = offset_checkpoint::decode(&read("recovery-point-offset-checkpoint")).unwrap();
        let meta = meta_properties(&read("meta.properties"));
        let partitions = marks.iter().map(|mark| {
            let of = |entries: &[offset_checkpoint::OffsetEntry]| {
                let mut entries = entries.iter();
                let is_same =
                    |topic: &str, number: i32| (topic, number) == (&mark.topic, mark.partition);
                let entry = entries.find(|entry| is_same(&entry.topic, entry.partition));
                entry.map(|entry| entry.offset)
            };
            PartitionOffsets {
                topic: mark.topic.clone(),
                partition: mark.partition,
                first_segment: Offset(0),
                log_start_offset: of(&starts).unwrap_or(Offset(0)),
                recovery_point: of(&points).unwrap(),
                high_watermark: mark.offset,
            }
        });
        let shutdown = fs::read(directory.join(".kafka_cleanshutdown")).ok();
        let files = LogDirectoryFiles {
            cluster_id: meta.cluster_id.unwrap(),
            node_id: meta.node_id.unwrap(),
            directory_id: meta.directory_id.unwrap(),
            partitions: partitions.collect(),
            stop: shutdown.map_or(Stop::Killed, |bytes| Stop::Clean {
                broker_epoch: clean_shutdown::decode(&bytes)
                    .unwrap()
                    .unwrap()
                    .broker_epoch,
            }),
        };
        let place = tempfile::tempdir().unwrap();
        files.write(place.path()).unwrap();
        let mut real = files_of(&directory);
        // What the cleaner has cleaned is in no other file.
        real.insert("cleaner-offset-checkpoint".to_owned(), String::new());
        assert_eq!(sorted(files_of(place.path())), sorted(real), "{name}");
    }
}

fn meta_properties(bytes: &[u8]) -> MetaProperties {
    let mut gathered = Gathered::default();
    for property in properties::entries(bytes) {
        gathered.take(&property.unwrap());
    }
    gathered.read().unwrap()
}

#[test]
fn a_file_that_is_there_stays() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("meta.properties");
    fs::write(&path, "mine").unwrap();
    let files = LogDirectoryFiles {
        cluster_id: "cluster".into(),
        node_id: 0,
        directory_id: kfsck::format::uuid::Uuid([1; 16]),
        partitions: Vec::new(),
        stop: Stop::Killed,
    };
    let error = files.write(place.path()).unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), "mine");
}
