//! Times passes over a file inside the process, each several times, and prints the medians.
//!
//! `cargo run --release --example passes -- FILE` compares the header walk, alone and with
//! checksums, with a raw pass of the `crc32c` crate and of crc-fast over the same mapped bytes, and
//! tells what the machine asks for touching the bytes of a file at all.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kfsck::storage::segment::contents::BatchReader;
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::{Access, ReadError, Source};

const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("expected a segment file")?;
    let source = Source::open(Path::new(&path), Access::Map)?;
    let bytes = source.as_slice().ok_or("the file cannot be mapped")?;
    let mut out = io::stdout().lock();
    let raw = median(|| Ok(u64::from(crc32c::crc32c(bytes))))?;
    let passes = [
        ("raw crc32c crate", raw),
        (
            "raw crc-fast",
            median(|| Ok(u64::from(kfsck::format::crc::crc32c(bytes))))?,
        ),
        ("header walk", median(|| walk(&source, false))?),
        ("header walk and checksums", median(|| walk(&source, true))?),
        (
            "a fresh map, each byte once, all processors",
            median(|| touch_all(Path::new(&path)))?,
        ),
    ];
    for (name, time) in passes {
        let speed = source.len() as f64 / time.as_secs_f64() / 1e9;
        let ratio = raw.as_secs_f64() / time.as_secs_f64();
        writeln!(
            out,
            "| {name} | {:.1} ms | {speed:.1} GB/s | {ratio:.2} |",
            millis(time)
        )?;
    }
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What a program that looks at each byte cannot go below here: a new map, the pages brought in by
/// one load of each, given back stretch by stretch, on every processor at once.
fn touch_all(path: &Path) -> Result<u64, ReadError> {
    const STRETCH: u64 = 1 << 20;
    const CACHE_LINE: usize = 64;
    let source = Source::open(path, Access::Map)?;
    let bytes = source.as_slice().unwrap_or_default();
    let next = AtomicU64::new(0);
    let touch = || {
        let mut sum = 0;
        loop {
            let from = next.fetch_add(STRETCH, Ordering::Relaxed);
            if from >= source.len() {
                return sum;
            }
            let to = source.len().min(from + STRETCH);
            let stretch = &bytes[from as usize..to as usize];
            sum += stretch
                .chunks(CACHE_LINE)
                .map(|line| u64::from(line[0]))
                .sum::<u64>();
            source.release(from, STRETCH);
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    Ok(thread::scope(|scope| {
        let others: Vec<_> = (1..processors).map(|_| scope.spawn(touch)).collect();
        let own = touch();
        others
            .into_iter()
            .filter_map(|other| other.join().ok())
            .fold(own, u64::wrapping_add)
    }))
}

/// The median time of a pass; the first, which also maps the pages, does not count.
fn median(mut pass: impl FnMut() -> Result<u64, ReadError>) -> Result<Duration, ReadError> {
    let mut sum = pass()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        sum = sum.wrapping_add(pass()?);
        times.push(start.elapsed());
    }
    std::hint::black_box(sum);
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn walk(source: &Source, checksums: bool) -> Result<u64, ReadError> {
    let mut walk = Walk::new(source);
    let mut reader = BatchReader::new(source, 1 << 20);
    let mut sum = 0;
    while let Some(piece) = walk.next_piece()? {
        if let Piece::Batch(span) = piece {
            sum += u64::from(span.size);
            if checksums && !reader.load(span)?.checksum()?.is_valid() {
                sum += 1;
            }
        }
    }
    Ok(sum)
}
