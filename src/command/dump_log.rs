//! `kfsck dump-log`: options to a dump of each file, in the order given.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{OsStringValueParser, TypedValueParser, ValueHint};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::analysis::topic_names::TopicNames;
use kfsck::format::coordinator_record::CoordinatorTopic;
use kfsck::format::internal_record::InternalTopic;
use kfsck::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp};
use kfsck::report::dump::companion::IndexMode;
use kfsck::report::dump::decoder::Decoder;
use kfsck::report::dump::file::{self, Options};
use kfsck::report::dump::output::Output;
use kfsck::report::dump::segment::Plan;
use kfsck::report::dump::selection::Selection;
use kfsck::report::dump::style::Style;
use kfsck::report::one_line::path_on_one_line;
use kfsck::storage::directory::{self, Operand, StrayKind};
use kfsck::storage::segment::contents::DEFAULT_MAX_RECORD_BYTES;

use super::number::{COUNT, LEADER_EPOCH, OFFSET, PRODUCER_EPOCH, PRODUCER_ID, number, threads};
use super::output::Wide;
use super::partition_files::tell_empty;
use super::session::Session;
use super::time;

/// Print Kafka's files as kafka-dump-log does, and read on after damage
///
/// Takes segments (.log), indexes (.index, .timeindex, .txnindex), producer snapshots (.snapshot),
/// KRaft snapshots (.checkpoint), the four offset checkpoints, leader-epoch-checkpoint,
/// partition.metadata, meta.properties, quorum-state and .kafka_cleanshutdown; whole partition
/// directories and log directories; `-` for a segment on standard input.
///
/// Damage is told on stderr as `PATH: position N: CODE: message` and gives exit code 1. Every byte
/// of a segment belongs to one batch or to one stretch of damage.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck dump-log --print-data-log orders-0/00000000000000000000.log
  kfsck dump-log --deep-iteration --producer-id 2000 --transactional orders-0
  kfsck dump-log --format jsonl data | jq 'select(.code or .isValid == false)'")]
pub(super) struct DumpLog {
    /// Files and directories, separated by commas; read before PATHs
    #[arg(long, value_name = "FILE,..", value_delimiter = ',')]
    #[arg(value_parser = OsStringValueParser::new().map(PathBuf::from))]
    #[arg(value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,

    /// Files, partition directories and log directories; `-` is standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Print a line for each record
    #[arg(long)]
    deep_iteration: bool,

    /// Print keys and values too; implies --deep-iteration
    #[arg(long)]
    print_data_log: bool,

    /// Check indexes against the log without printing their entries
    #[arg(long)]
    verify_index_only: bool,

    /// Make only the check of indexes that a broker makes when it starts
    #[arg(long)]
    index_sanity_check: bool,

    /// Stop before the first batch that reaches beyond the first N bytes of a log
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    #[arg(value_parser = number::<u64>(COUNT))]
    max_bytes: Option<u64>,

    /// When an .index is checked: the largest batch that an entry may point to, in bytes
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "N",
        default_value_t = 5_242_880,
        value_parser = number::<u64>(COUNT)
    )]
    max_message_size: u64,

    /// Print keys and values alone; a control record is an empty line
    #[arg(long)]
    skip_record_metadata: bool,

    /// How keys are shown; implies --print-data-log
    ///
    /// One of string, int, long, double, hex and base64, or the Java class of one of Kafka's own
    /// decoders, such as org.apache.kafka.tools.api.LongDecoder. Without a name: string.
    #[arg(long, value_name = "DECODER", num_args = 0..=1, default_missing_value = "string")]
    #[arg(value_parser = parse_decoder)]
    key_decoder_class: Option<Decoder>,

    /// How values are shown; takes what --key-decoder-class takes
    #[arg(long, value_name = "DECODER", num_args = 0..=1, default_missing_value = "string")]
    #[arg(value_parser = parse_decoder)]
    value_decoder_class: Option<Decoder>,

    /// Decode the records of __consumer_offsets; implies --print-data-log
    #[arg(long)]
    offsets_decoder: bool,

    /// Decode the records of __transaction_state; implies --print-data-log
    #[arg(long)]
    transaction_log_decoder: bool,

    /// Decode the records of __cluster_metadata and its snapshots; implies --print-data-log
    #[arg(long)]
    cluster_metadata_decoder: bool,

    /// Decode the records of __remote_log_metadata; implies --print-data-log
    #[arg(long)]
    remote_log_metadata_decoder: bool,

    /// Decode the records of __share_group_state; implies --print-data-log
    #[arg(long)]
    share_group_state_decoder: bool,

    /// Decode the records of __mirror_state, in every layout that the prototypes of Cluster
    /// Mirroring (KIP-1279) wrote; implies --print-data-log
    #[arg(long)]
    mirror_state_decoder: bool,

    /// `kafka`: the text of kafka-dump-log; `jsonl`: one JSON object a line
    #[arg(long, value_enum, default_value = "kafka")]
    format: Format,

    /// In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings
    #[arg(long, value_enum, default_value = "number", value_name = "AS")]
    wide_integers: Wide,

    /// Tell a record above N bytes as damage instead of decoding it
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_RECORD_BYTES)]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>(COUNT))]
    max_record_bytes: u64,

    /// Threads that decode and format, 64 at most [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    threads: Option<NonZeroU16>,

    #[command(flatten)]
    filters: Filters,
}

/// Which batches are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
struct Filters {
    /// Only batches of these producers; negative ids are written as they are
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = number::<i64>(PRODUCER_ID)
    )]
    producer_id: Vec<i64>,

    /// Only batches of this producer epoch
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number::<i16>(PRODUCER_EPOCH))]
    producer_epoch: Option<i16>,

    /// Only batches of transactions
    #[arg(long)]
    transactional: bool,

    /// Only control batches
    #[arg(long)]
    control: bool,

    /// Only batches of this leader epoch
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number::<i32>(LEADER_EPOCH))]
    leader_epoch: Option<i32>,

    /// Only batches that reach this offset, and of their records those at or above it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number::<i64>(OFFSET))]
    start_offset: Option<i64>,

    /// Only batches that begin at or below this offset, and records at or below it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number::<i64>(OFFSET))]
    end_offset: Option<i64>,

    /// Only batches and records of this time or later: ISO-8601, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    start_time: Option<Timestamp>,

    /// Only batches and records of this time or earlier
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    end_time: Option<Timestamp>,

    /// Show at most N batches of each file
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    #[arg(value_parser = number::<u64>(COUNT))]
    limit: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Kafka,
    Jsonl,
}

fn parse_decoder(text: &str) -> Result<Decoder, String> {
    Decoder::NAMES
        .into_iter()
        .find(|(class, name, _)| text == *name || (!class.is_empty() && text == *class))
        .map(|(.., decoder)| decoder)
        .ok_or_else(|| {
            "expected string, int, long, double, hex, base64 or the Java class of one of Kafka's \
             own decoders, such as org.apache.kafka.tools.api.LongDecoder"
                .to_owned()
        })
}

/// Options of the stock tool that take no value and there pass over one that is given.
const SWITCHES: [&str; 11] = [
    "--deep-iteration",
    "--print-data-log",
    "--verify-index-only",
    "--index-sanity-check",
    "--skip-record-metadata",
    "--offsets-decoder",
    "--transaction-log-decoder",
    "--cluster-metadata-decoder",
    "--remote-log-metadata-decoder",
    "--share-group-state-decoder",
    "--mirror-state-decoder",
];

/// The switch itself for `--deep-iteration=true` and its like, which scripts for the stock tool
/// write. Of `=false` the stock tool makes the same, and here it stays wrong usage.
pub(super) fn without_true(argument: OsString) -> OsString {
    let switch = argument
        .to_str()
        .and_then(|text| text.strip_suffix("=true"));
    match switch.filter(|switch| SWITCHES.contains(switch)) {
        Some(switch) => switch.into(),
        None => argument,
    }
}

impl DumpLog {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        let wrong = |kind, message| Err(clap::Error::raw(kind, message));
        if self.inputs().next().is_none() {
            return wrong(
                ErrorKind::MissingRequiredArgument,
                "expected --files FILE,.. or at least one PATH, found neither",
            );
        }
        if self.inputs().filter(|path| path.as_os_str() == "-").count() > 1 {
            return wrong(
                ErrorKind::ArgumentConflict,
                "expected `-` once, found it again: standard input can be read only once",
            );
        }
        Ok(())
    }

    /// All that is to be read, in order. A list may end with a comma, as the stock tool's may.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let named = |path: &&PathBuf| !path.as_os_str().is_empty();
        self.files.iter().filter(named).chain(&self.paths)
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let options = self.options(session);
        let mut report = String::new();
        time::tell_odd("--start-time", self.filters.start_time, session);
        time::tell_odd("--end-time", self.filters.end_time, session);
        for path in self.inputs() {
            let operand = match directory::expand(path) {
                Ok(operand) => operand,
                Err(error) => {
                    session.read_error(&error);
                    if error.kind() == io::ErrorKind::NotFound && is_list(path) {
                        session.note(path, &"only --files splits at commas, PATH never does");
                    }
                    continue;
                }
            };
            for file in operand.files() {
                let mut output = Terminal {
                    session: &mut *session,
                    path: &file.path,
                };
                match file::dump(file, &options, &mut output) {
                    Ok(more) => report += &more,
                    Err(file::Stop::Read(error)) => session.read_error(&error),
                    Err(file::Stop::Output(error)) => return Err(error.into()),
                }
            }
            tell_strays(&operand, session);
            tell_empty(&operand, session);
        }
        // As the stock tool does, when all files are done.
        if !report.is_empty() {
            session.line(&report);
        }
        Ok(())
    }

    /// Of several decoders the one that the stock tool takes.
    fn topic(&self) -> Option<InternalTopic> {
        let coordinator = InternalTopic::Coordinator;
        let asked = [
            (self.offsets_decoder, coordinator(CoordinatorTopic::Offsets)),
            (
                self.transaction_log_decoder,
                coordinator(CoordinatorTopic::Transactions),
            ),
            (
                self.cluster_metadata_decoder,
                InternalTopic::ClusterMetadata,
            ),
            (
                self.remote_log_metadata_decoder,
                InternalTopic::RemoteLogMetadata,
            ),
            (
                self.share_group_state_decoder,
                coordinator(CoordinatorTopic::ShareState),
            ),
            (self.mirror_state_decoder, InternalTopic::MirrorState),
        ];
        let mut asked = asked.into_iter();
        asked.find_map(|(is_asked, topic)| is_asked.then_some(topic))
    }

    fn options(&self, session: &Session) -> Options {
        let topic = self.topic();
        let contents = self.print_data_log
            || topic.is_some()
            || self.key_decoder_class.is_some()
            || self.value_decoder_class.is_some();
        Options {
            style: match self.format {
                Format::Kafka => Style::Kafka,
                Format::Jsonl => Style::Jsonl(self.wide_integers.into()),
            },
            deep: self.deep_iteration || contents,
            contents,
            skip_metadata: self.skip_record_metadata,
            key: self.key_decoder_class.unwrap_or_default(),
            value: self.value_decoder_class.unwrap_or_default(),
            topic,
            topic_by_name: self.key_decoder_class.is_none() && self.value_decoder_class.is_none(),
            mode: match (self.index_sanity_check, self.verify_index_only) {
                (true, _) => IndexMode::Sanity,
                (false, true) => IndexMode::Verify,
                (false, false) => IndexMode::Entries,
            },
            max_message_size: self.max_message_size,
            access: session.access,
            plan: Plan {
                selection: self.filters.selection(),
                // The stock tool's default stands for no limit.
                max_bytes: self.max_bytes.filter(|bytes| *bytes != i32::MAX as u64),
                max_record_bytes: self.max_record_bytes,
                threads: self
                    .threads
                    .map_or_else(processors, |threads| threads.get().into()),
            },
            topic_names: Arc::new(TopicNames::new(session.access)),
        }
    }
}

fn is_list(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&b',')
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Filters {
    fn selection(&self) -> Selection {
        Selection {
            producer_ids: self.producer_id.iter().copied().map(ProducerId).collect(),
            producer_epoch: self.producer_epoch.map(ProducerEpoch),
            leader_epoch: self.leader_epoch.map(LeaderEpoch),
            transactional: self.transactional,
            control: self.control,
            start_offset: self.start_offset.map(Offset),
            end_offset: self.end_offset.map(Offset),
            start_time: self.start_time,
            end_time: self.end_time,
            limit: self.limit,
        }
    }
}

/// Where the dump of one file goes.
struct Terminal<'a> {
    session: &'a mut Session,
    path: &'a Path,
}

impl Output for Terminal<'_> {
    fn text(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.session.write(bytes)
    }

    fn damage(&mut self, damage: &kfsck::storage::damage::Damage) {
        self.session.damage(self.path, damage);
    }

    fn note(&mut self, note: &str) {
        self.session.note(self.path, &note);
    }

    fn ignored(&mut self) {
        self.session.line(&format!(
            "Ignoring unknown file {}",
            path_on_one_line(self.path)
        ));
    }
}

fn tell_strays(operand: &Operand, session: &mut Session) {
    for listing in operand.listings() {
        for stray in &listing.strays {
            let what = match stray.kind {
                StrayKind::File => "stray file: no name that a broker gives",
                StrayKind::Directory => "stray directory: no name that a broker gives",
                StrayKind::RemoteIndexCache => "the broker's cache of remote indexes; not read",
                StrayKind::Special => "a FIFO, socket or device; not read",
            };
            session.note(&stray.path, &what);
        }
        for error in &listing.unreadable {
            session.read_error(error);
        }
    }
}
