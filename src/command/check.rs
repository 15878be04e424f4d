//! `kfsck check`: what is wrong with partitions, and what a broker will do with them.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::terms::{Depth as CheckDepth, Terms};
use kfsck::analysis::log_findings::DEFAULT_EXPIRATION_MS;
use kfsck::format::number::Timestamp;
use kfsck::report::check::Report;
use kfsck::report::check::json::JsonReport;
use kfsck::report::check::text::{self, TextReport};
use kfsck::storage::directory;
use kfsck::storage::segment::contents::DEFAULT_MAX_RECORD_BYTES;

use super::check_run::Run;
use super::codes::CodeParser;
use super::number::{COUNT, number, threads};
use super::output::OutputOptions;
use super::partition_files::{one_standard_input, tell_empty};
use super::rules::RulesOption;
use super::session::Session;
use super::time;

/// Check whole partitions: log, indexes, snapshots, checkpoints, and what a broker will do
///
/// Reads each log once and holds everything beside it against it: indexes, producer snapshots,
/// leader epochs, checkpoints, names, what two writers under one producer id leave behind. Each
/// finding has a code, its evidence, what to do, and the command that repairs it;
/// `kfsck explain CODE` tells more.
///
/// Says for each partition what a stock 4.4.0 broker will do with it when it starts next: load it
/// as it is, recover it, cut it, delete segments, forget producers, show aborted records, or not
/// start at all.
///
/// Errors and warnings give exit code 1, notes do not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck check /var/lib/kafka/data
  kfsck check orders-0 --depth crc --ignore future-timestamp
  kfsck check --format json data | jq -r '.findings[].repair | values'")]
pub(super) struct Check {
    /// Partition directories, log directories and segments; `-` is a segment on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// How deep to look; each looks at all that the ones before it do
    #[arg(long, value_enum, value_name = "DEPTH", default_value = "records")]
    depth: Depth,

    /// Only findings of these codes
    #[arg(long, value_name = "CODE,..", value_delimiter = ',')]
    #[arg(value_parser = CodeParser, hide_possible_values = true)]
    only: Vec<FindingCode>,

    /// No findings of these codes
    #[arg(long, value_name = "CODE,..", value_delimiter = ',')]
    #[arg(value_parser = CodeParser, hide_possible_values = true)]
    ignore: Vec<FindingCode>,

    /// In text, show at most N findings of each kind in each partition [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number::<usize>(COUNT))]
    top: Option<usize>,

    /// Threads that check, a partition each, 64 at most [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    threads: Option<NonZeroU16>,

    #[command(flatten)]
    rules: RulesOption,

    #[command(flatten)]
    judging: Judging,

    #[command(flatten)]
    output: OutputOptions,
}

/// By what findings are judged that depend on time or on a broker's settings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judging")]
struct Judging {
    /// The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    now: Option<Timestamp>,

    /// The brokers' producer.id.expiration.ms: after so much silence a producer may begin anew
    ///
    /// A day, as on a broker that nobody has configured: what the next start forgets depends on it.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(allow_negative_numbers = true, default_value_t = DEFAULT_EXPIRATION_MS)]
    expire_after: i64,

    /// The cluster's transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds
    #[arg(long, value_name = "TIME", value_parser = time::parse_duration, default_value = "15m")]
    #[arg(allow_negative_numbers = true)]
    max_transaction_timeout: i64,

    /// Tell a record above N bytes as damage instead of decoding it
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_RECORD_BYTES)]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>(COUNT))]
    max_record_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Depth {
    /// Headers of batches, and control records
    Framing,
    /// Checksums
    Crc,
    /// Each record, decompressed
    Records,
    /// Each batch is written anew and compared
    Rewrite,
}

impl Check {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        one_standard_input(&self.paths)
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let mut operands = Vec::new();
        let mut unread = 0;
        for path in &self.paths {
            match directory::expand(path) {
                Ok(operand) => {
                    tell_empty(&operand, session);
                    operands.push(operand);
                }
                Err(error) => {
                    unread += 1;
                    session.read_error(&error);
                }
            }
        }
        let terms = self.terms(session);
        let report: Box<dyn Report> = match self.output.json() {
            Some(wide) => Box::new(JsonReport::new(wide)),
            None => Box::new(TextReport::new(text::Terms {
                depth: terms.depth,
                rules: terms.rules.name(),
                now: terms.now,
                is_clock: self.judging.now.is_none(),
                top: self.top,
            })),
        };
        let wanted = |finding: &Finding| {
            let code = finding.code;
            (self.only.is_empty() || self.only.contains(&code)) && !self.ignore.contains(&code)
        };
        Run::new(&terms, report, unread).over(&operands, self.threads(), &wanted, session)?;
        Ok(())
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, usize::from),
            |threads| threads.get().into(),
        )
    }

    fn terms(&self, session: &Session) -> Terms {
        Terms {
            rules: self.rules.set(),
            depth: match self.depth {
                Depth::Framing => CheckDepth::Framing,
                Depth::Crc => CheckDepth::Crc,
                Depth::Records => CheckDepth::Records,
                Depth::Rewrite => CheckDepth::Rewrite,
            },
            access: session.access,
            now: self.judging.now.unwrap_or_else(time::now),
            expiration_ms: self.judging.expire_after,
            max_transaction_timeout_ms: self.judging.max_transaction_timeout,
            max_record_bytes: self.judging.max_record_bytes,
        }
    }
}
