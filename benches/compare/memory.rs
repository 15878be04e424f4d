//! Tells how much memory the producers of one partition take.
//!
//! `cargo run --release --example memory -- IDS` replays five one-record batches of each of so many
//! producers, in five rounds over all of them, and keeps five batches of each, or one. The batches
//! are made up as they are taken in and come from no file, so what is measured is the state alone:
//! its bytes a producer, and the greatest size of the process (`VmHWM`).

use std::io::{self, Write};

use kfsck::format::batch::HEADER_SIZE;
use kfsck::format::number::{Offset, ProducerId, Sequence};
use kfsck::state::batch::{Batch, Place};
use kfsck::state::replay::Replay;
use kfsck::state::rules::Stock;

type Failure = Box<dyn std::error::Error>;

const ROUNDS: i32 = 5;
/// Bytes of one of these batches, were it in a file.
const SIZE: u32 = 79;

fn main() -> Result<(), Failure> {
    let ids: i64 = std::env::args().nth(1).ok_or("expected IDS")?.parse()?;
    let mut out = io::stdout().lock();
    // The greatest size never falls, so what needs less comes first.
    replay::<1>(ids, &mut out)?;
    replay::<5>(ids, &mut out)
}

fn replay<const N: usize>(ids: i64, out: &mut impl Write) -> Result<(), Failure> {
    let mut replay = Replay::<N>::new("memory-0", &Stock, Offset(0));
    let mut offset = 0;
    for round in 0..ROUNDS {
        for id in 0..ids {
            replay
                .batch(&batch(id, round, offset), None, &mut ())
                .is_break();
            offset += 1;
        }
    }
    replay.end_segment(&mut ());
    let producers = replay.manager().producers();
    let bytes = producers.allocated_bytes();
    writeln!(
        out,
        "{} producers with {N} of {ROUNDS} batches: {:.1} bytes each, {} MiB of state, at most {} \
         MiB of process",
        producers.len(),
        bytes as f64 / f64::from(producers.len()),
        bytes >> 20,
        most_of_process()? >> 10,
    )?;
    Ok(())
}

fn batch(id: i64, sequence: i32, offset: i64) -> Batch {
    let place = Place {
        segment: Offset(0),
        position: (offset.unsigned_abs() * u64::from(SIZE)) % (1 << 30),
        size: SIZE,
    };
    let mut head = [0; HEADER_SIZE];
    head[16] = 2;
    let mut batch = Batch::new(&head, place);
    batch.base_offset = Offset(offset);
    batch.last_offset = Offset(offset);
    batch.producer_id = ProducerId(id);
    batch.base_sequence = Sequence(sequence);
    batch.last_sequence = Sequence(sequence);
    batch.count = 1;
    batch
}

/// KiB that the process has taken at most.
fn most_of_process() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(kibibytes.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
