//! Times the replay of partitions inside the process, and prints a line of milliseconds for each
//! round: `NAME passed busy`, where busy is the time that the thread had a processor.
//!
//! `cargo run --release --example replay -- ROUNDS PASS PARTITION`, where PASS is one of those
//! below or `all`; `benches/compare/producers` calls it and prints the medians beside those of the
//! real log load.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use kfsck::format::number::Offset;
use kfsck::state::load::{LoadOptions, load};
use kfsck::state::read::{ReadOptions, segments};
use kfsck::state::replay::{Replay, replay};
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

type Failure = Box<dyn std::error::Error>;

/// A pass and its name.
type Pass<'p> = (&'p str, &'p dyn Fn() -> Result<u64, Failure>);

fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [rounds, wanted, path] = &arguments[..] else {
        return Err("expected ROUNDS PASS PARTITION".into());
    };
    let directory = Path::new(path);
    let passes: [Pass<'_>; 5] = [
        ("replay", &|| headers::<1>(directory, false)),
        ("replay-crc", &|| headers::<1>(directory, true)),
        ("replay-five", &|| headers::<5>(directory, false)),
        ("recover", &|| start(directory, false)),
        ("reload", &|| start(directory, true)),
    ];
    let mut out = io::stdout().lock();
    for _ in 0..rounds.parse()? {
        for (name, pass) in &passes {
            if wanted == "all" || wanted == name {
                timed(&mut out, name, pass)?;
            }
        }
    }
    Ok(())
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

/// The whole load as a broker does it, with five batches of each producer: after a clean stop, which
/// reads the log because the snapshot that is put there does not read, or after an unclean one.
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

fn timed(
    out: &mut impl Write,
    name: &str,
    pass: impl FnOnce() -> Result<u64, Failure>,
) -> Result<(), Failure> {
    let (began, worked) = (Instant::now(), on_processor()?);
    let result = pass()?;
    let (passed, busy) = (began.elapsed(), on_processor()?.saturating_sub(worked));
    std::hint::black_box(result);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    writeln!(out, "{name} {:.1} {:.1}", millis(passed), millis(busy))?;
    Ok(())
}

/// How long this process, of one thread, has had a processor.
fn on_processor() -> Result<Duration, Failure> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanos = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(Duration::from_nanos(nanos.parse()?))
}
