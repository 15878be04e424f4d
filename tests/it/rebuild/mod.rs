//! Partitions and log directories that we write, held against those that real Kafka wrote.

mod log_directory;
mod real;
mod refused;

use std::collections::BTreeMap;
use std::path::Path;

use kfsck::format::producer_snapshot::{self, ProducerEntry, Version};

use crate::corpus;

/// The files of a partition's directory by name. Producers lie in a snapshot in the order of a Java
/// hash map, which is nobody's affair: here they are sorted by id, and all else is to the byte.
pub(crate) fn files_of(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = corpus::files(directory).into_iter();
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            let bytes = match name.ends_with(".snapshot") {
                true => sorted(&bytes),
                false => bytes,
            };
            (name, bytes)
        })
        .collect()
}

fn sorted(snapshot: &[u8]) -> Vec<u8> {
    producer_snapshot::verify(snapshot).unwrap();
    let mut entries: Vec<ProducerEntry> = producer_snapshot::decode(snapshot).unwrap().entries;
    entries.sort_by_key(|entry| entry.producer_id);
    producer_snapshot::encode(Version::V1, &entries).unwrap()
}

/// What differs between two directories, in words; empty where they are the same.
pub(crate) fn differences(
    real: &BTreeMap<String, Vec<u8>>,
    ours: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, bytes) in real {
        match ours.get(name) {
            None => found.push(format!("{name}: real, and not written")),
            Some(own) if own == bytes => {}
            Some(own) => found.push(format!("{name}: real {bytes:02x?}\nours {own:02x?}")),
        }
    }
    let more = ours.keys().filter(|name| !real.contains_key(*name));
    found.extend(more.map(|name| format!("{name}: real has none")));
    found
}
