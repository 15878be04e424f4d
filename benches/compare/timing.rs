//! Passes over a partition, timed in turn in one thread: what the programs beside it share.

use std::io::{self, Write};
use std::time::{Duration, Instant};

pub(crate) type Failure = Box<dyn std::error::Error>;

/// A pass and its name; it gives how many things it has met.
pub(crate) type Pass<'p> = (&'p str, &'p dyn Fn() -> Result<u64, Failure>);

/// The arguments: how many rounds, which pass or `all`, and of what partition.
pub(crate) struct Asked {
    rounds: usize,
    wanted: String,
    pub(crate) partition: String,
}

impl Asked {
    pub(crate) fn read() -> Result<Self, Failure> {
        let arguments: Vec<_> = std::env::args().skip(1).collect();
        let [rounds, wanted, partition] = &arguments[..] else {
            return Err("expected ROUNDS PASS PARTITION".into());
        };
        Ok(Self {
            rounds: rounds.parse()?,
            wanted: wanted.clone(),
            partition: partition.clone(),
        })
    }

    /// Prints a line for each pass of each round: its name, the milliseconds that passed and those
    /// that the thread had a processor, and what it has met.
    pub(crate) fn run(&self, passes: &[Pass<'_>]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        for _ in 0..self.rounds {
            for (name, pass) in passes {
                if self.wanted == "all" || self.wanted == *name {
                    timed(&mut out, name, pass)?;
                }
            }
        }
        Ok(())
    }
}

fn timed(
    out: &mut impl Write,
    name: &str,
    pass: impl FnOnce() -> Result<u64, Failure>,
) -> Result<(), Failure> {
    let (began, worked) = (Instant::now(), on_processor()?);
    let met = pass()?;
    let (passed, busy) = (began.elapsed(), on_processor()?.saturating_sub(worked));
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (passed, busy) = (millis(passed), millis(busy));
    writeln!(out, "{name} {passed:.1} {busy:.1} {met}")?;
    Ok(())
}

/// How long this process, of one thread, has had a processor.
fn on_processor() -> Result<Duration, Failure> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanos = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(Duration::from_nanos(nanos.parse()?))
}
