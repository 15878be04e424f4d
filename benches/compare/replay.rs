//! Times the replay of partitions inside the process, and prints a line of milliseconds for each
//! round: `NAME passed busy met`, where busy is the time that the thread had a processor.
//!
//! `cargo run --release --example replay -- ROUNDS PASS PARTITION`, where PASS is one of those
//! below or `all`; `benches/compare/producers` calls it and prints the medians beside those of the
//! real log load.

mod timing;

use std::path::Path;

use kfsck::format::number::Offset;
use kfsck::state::load::{LoadOptions, load};
use kfsck::state::read::{ReadOptions, segments};
use kfsck::state::replay::{Replay, replay};
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;
use timing::{Asked, Failure, Pass};

fn main() -> Result<(), Failure> {
    let asked = Asked::read()?;
    let directory = Path::new(&asked.partition);
    let passes: [Pass<'_>; 5] = [
        ("replay", &|| headers::<1>(directory, false)),
        ("replay-crc", &|| headers::<1>(directory, true)),
        ("replay-five", &|| headers::<5>(directory, false)),
        ("recover", &|| start(directory, false)),
        ("reload", &|| start(directory, true)),
    ];
    asked.run(&passes)
}

fn headers<const N: usize>(directory: &Path, check_crc: bool) -> Result<u64, Failure> {
    let directory = PartitionDirectory::list(directory);
    let options = ReadOptions {
        access: Access::Map,
        check_crc,
    };
    let state = Replay::<N>::new("bench-0", &Stock, Offset(0));
    let state = replay(state, &segments(&directory), options, &mut ())?;
    Ok(state.batches())
}

/// The whole load as a broker does it, with five batches of each producer: after a clean stop,
/// which reads the log because the snapshot that is put there does not read, or after an unclean
/// one.
fn start(directory: &Path, is_clean: bool) -> Result<u64, Failure> {
    let snapshot = directory.join("00000000000000000000.snapshot");
    if is_clean {
        std::fs::write(&snapshot, [0, 1, 0, 0])?;
    }
    let options = LoadOptions {
        clean_shutdown: is_clean,
        ..LoadOptions::new(&Stock)
    };
    let outcome = load::<5>(&PartitionDirectory::list(directory), "bench-0", &options)?;
    if is_clean {
        std::fs::remove_file(&snapshot)?;
    }
    let loaded = outcome.log.map_err(|stop| stop.to_string())?;
    Ok(u64::from(loaded.manager.producers().len()))
}
