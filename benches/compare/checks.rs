//! Times `kfsck check --depth crc` inside the process, beside a pass of the `crc32c` crate over the
//! same mapped bytes, and prints a line of milliseconds for each round: `NAME passed busy met`,
//! where busy is the time that the thread had a processor.
//!
//! `cargo run --release --example checks -- ROUNDS PASS PARTITION`, where PASS is one of those
//! below or `all`; `benches/compare/check` calls it and prints the medians.

mod timing;

use std::path::Path;

use kfsck::analysis::check::everything;
use kfsck::analysis::check::terms::{Depth, Terms};
use kfsck::analysis::log_findings::DEFAULT_EXPIRATION_MS;
use kfsck::format::number::Timestamp;
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::file_name::FileKind;
use kfsck::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::{Access, Source};
use timing::{Asked, Failure, Pass};

fn main() -> Result<(), Failure> {
    let asked = Asked::read()?;
    let directory = PartitionDirectory::list(Path::new(&asked.partition));
    let logs = || directory.files_of(FileKind::Log);
    let sources: Vec<Source> = logs()
        .map(|file| Source::open(&file.path, Access::Map))
        .collect::<Result<_, _>>()?;
    let mapped = || sources.iter().filter_map(Source::as_slice);
    let raw = || Ok(mapped().map(|bytes| u64::from(crc32c::crc32c(bytes))).sum());
    let raw_new = || {
        let mut sum = 0;
        for file in logs() {
            let source = Source::open(&file.path, Access::Map)?;
            sum += u64::from(crc32c::crc32c(source.as_slice().unwrap_or_default()));
        }
        Ok(sum)
    };
    let check = || {
        let mut batches = 0;
        for file in logs() {
            let found = &mut |_| {};
            let gathered = everything::segment(file, &terms(), &mut (), found)?;
            batches += gathered.tally.batches;
        }
        Ok(batches)
    };
    let passes: [Pass<'_>; 4] = [
        ("raw", &raw),
        ("raw-new", &raw_new),
        ("walk", &|| walk(&sources)),
        ("check", &check),
    ];
    asked.run(&passes)
}

fn terms() -> Terms {
    Terms {
        rules: &Stock,
        depth: Depth::Crc,
        access: Access::Map,
        now: Timestamp(i64::MAX),
        expiration_ms: DEFAULT_EXPIRATION_MS,
        max_transaction_timeout_ms: 900_000,
        max_record_bytes: DEFAULT_MAX_RECORD_BYTES,
    }
}

/// The walk over headers and the checksums alone: what a check cannot go below.
fn walk(sources: &[Source]) -> Result<u64, Failure> {
    let mut valid = 0;
    for source in sources {
        let mut walk = Walk::new(source);
        let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
        while let Some(piece) = walk.next_piece()? {
            if let Piece::Batch(span) = piece {
                valid += u64::from(reader.load(span)?.checksum()?.is_valid());
            }
        }
    }
    Ok(valid)
}
