//! Repairs that change what brokers know of producers: their plans, and what becomes of them.

mod abort;
mod barrier;
mod cli;
mod pids;
mod refusals;
mod replicas;
mod snapshot;
mod split;

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::number::Offset;
use kfsck::format::producer_snapshot::ProducerEntry;
use kfsck::rebuild::partition::PartitionOptions;
use kfsck::rebuild::replayed::ReplayedPartition;
use kfsck::repair::apply::disk::SystemDisk;
use kfsck::repair::apply::output;
use kfsck::repair::apply::verify::verify;
use kfsck::repair::error::PlanError;
use kfsck::repair::plan::Plan;
use kfsck::repair::terms::Terms;
use kfsck::state::load::{LoadOptions, Loaded, load};
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::partition_name::PartitionName;
use kfsck::storage::source::Access;

use crate::repair::{contents, found_in};
use crate::txns::log::Log;

pub(crate) fn terms() -> Terms {
    Terms::new(Access::Map, Offset(0))
}

/// Writes a partition as a broker would after a clean stop, each log one append.
pub(crate) fn partition(place: &Path, name: &str, logs: &[&Log]) -> PathBuf {
    let name = PartitionName::parse(name.as_ref()).unwrap();
    let options = PartitionOptions::new(place, name);
    let mut writer = ReplayedPartition::<1>::create(&options, &Stock).unwrap();
    for log in logs {
        writer.append(&log.bytes, &mut ()).unwrap();
    }
    let (written, _) = writer.close(&mut ()).unwrap();
    written.directory
}

/// What a stock broker makes of a directory: after a clean stop, or with nothing but the log.
pub(crate) fn loaded(directory: &Path, from_log_alone: bool) -> Box<Loaded<1>> {
    let place = tempfile::tempdir().unwrap();
    let mut path = directory.to_owned();
    if from_log_alone {
        path = place.path().join(directory.file_name().unwrap());
        fs::create_dir(&path).unwrap();
        for (name, bytes) in contents(directory) {
            if !name.ends_with(".snapshot") {
                fs::write(path.join(name), bytes).unwrap();
            }
        }
    }
    let options = LoadOptions {
        clean_shutdown: !from_log_alone,
        ..LoadOptions::new(&Stock)
    };
    let listed = PartitionDirectory::list(&path);
    let name = path.file_name().unwrap().to_str().unwrap();
    load(&listed, name, &options).unwrap().log.unwrap()
}

/// The producers, by id.
pub(crate) fn producers(loaded: &Loaded<1>) -> Vec<ProducerEntry> {
    let mut entries: Vec<_> = loaded.manager.snapshot_entries().collect();
    entries.sort_by_key(|entry| entry.producer_id);
    entries
}

/// Carries out what `plan` gives for the partition, and demands of the result that a broker takes
/// it as it is, that its snapshots say what its log says, and that there is nothing left to do.
pub(crate) fn carried_out(
    directory: &Path,
    plan: &dyn Fn(&PartitionDirectory) -> Result<Plan, PlanError>,
) -> (Plan, PathBuf) {
    let (plan, result) = applied(directory, plan);
    let mut told = found_in(&result, &terms());
    // What these verbs do not mend.
    told.retain(|told| !told.starts_with("warning sequence-gap "));
    told.retain(|told| !told.starts_with("warning negative-producer-id"));
    assert_eq!(told, [""; 0]);
    let clean = loaded(&result, false);
    let alone = loaded(&result, true);
    assert_eq!(producers(&clean), producers(&alone), "{plan:#?}");
    let open = |loaded: &Loaded<1>| loaded.manager.ongoing().collect::<Vec<_>>();
    assert_eq!(open(&clean), open(&alone));
    assert_eq!(clean.last_stable_offset, alone.last_stable_offset);
    (plan, result)
}

/// As [`carried_out`], where snapshots may say what the log does not.
pub(crate) fn applied(
    directory: &Path,
    plan: &dyn Fn(&PartitionDirectory) -> Result<Plan, PlanError>,
) -> (Plan, PathBuf) {
    let before = contents(directory);
    let made = plan(&PartitionDirectory::list(directory)).unwrap();
    assert!(!made.is_empty(), "{made:#?}");
    let place = directory.parent().unwrap().join("result");
    let result = output::write(&mut SystemDisk, &made, &place, Access::Map)
        .unwrap()
        .path;
    assert!(contents(directory) == before, "the input is only read");
    let left = verify(&result, &made.topic_partition, &terms()).unwrap();
    assert_eq!(left, [""; 0], "{made:#?}");
    let again = plan(&PartitionDirectory::list(&result)).unwrap();
    assert!(again.is_empty(), "{:#?}", again.steps);
    (made, result)
}

/// Why there is no plan.
pub(crate) fn refusal(plan: Result<Plan, PlanError>) -> String {
    match plan {
        Err(PlanError::Refused { refusal, .. }) => refusal.to_string(),
        other => panic!("{other:#?}"),
    }
}

/// The last batch of a partition's last segment, with how many bytes are in front of it.
pub(crate) fn last_log(directory: &Path) -> (String, Vec<u8>) {
    let files = contents(directory).into_iter();
    let mut logs = files.filter(|(name, _)| name.ends_with(".log"));
    logs.next_back().unwrap()
}
