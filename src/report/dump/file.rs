//! The dump of one file of any kind: finds what lies beside it and feeds the right view.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::companion::{self, Companion, IndexMode};
use super::decoder::Decoder;
use super::jsonl::Jsonl;
use super::kafka::KafkaText;
use super::output::Output;
use super::segment::{self, Beginning, Ending, Plan, Portion};
use super::style::{self, Style};
use super::view::View;
use crate::analysis::topic_names::TopicNames;
use crate::format::internal_record::InternalTopic;
use crate::format::number::Offset;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::KafkaFile;
use crate::storage::file_name::{FileKind, FileName, Suffix};
use crate::storage::partition_name::PartitionName;
use crate::storage::segment::walk::End;
use crate::storage::source::{Access, ReadError, Source};

pub use super::segment::Stop;

/// What to show of each file and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The output format.
    pub style: Style,
    /// Show records.
    pub deep: bool,
    /// Show keys and values.
    pub contents: bool,
    /// Leave out what is known of records beside keys and values.
    pub skip_metadata: bool,
    /// How keys are shown.
    pub key: Decoder,
    /// How values are shown.
    pub value: Decoder,
    /// The topic by whose rules keys and values are read; `key` and `value` then mean nothing.
    pub topic: Option<InternalTopic>,
    /// Where no topic is given: in JSON lines, the one that the file's directory is named after.
    pub topic_by_name: bool,
    /// What to do with indexes.
    pub mode: IndexMode,
    /// Largest batch that an offset index entry may point to, in bytes.
    pub max_message_size: u64,
    /// How files are reached.
    pub access: Access,
    /// What to read of segments.
    pub plan: Plan,
    /// The names of topics, for ids in JSON.
    pub topic_names: Arc<TopicNames>,
}

/// Dumps a file; returns what the stock tool says on stderr when all files are done.
///
/// # Errors
/// [`Stop::Read`] when the file cannot be read to its end, [`Stop::Output`] when the output does
/// not take more.
pub fn dump(
    file: &KafkaFile,
    options: &Options,
    output: &mut dyn Output,
) -> Result<String, Stop<io::Error>> {
    let name = named(file);
    if name.kind == FileKind::Unknown {
        let mut out = Vec::new();
        if options.style == Style::Kafka {
            style::push_file(options.style, &file.path, name, None, &mut out);
        }
        output.text(&out).map_err(Stop::Output)?;
        output.ignored();
        return Ok(String::new());
    }
    match name.kind {
        FileKind::Log | FileKind::KraftSnapshot => {
            let source = match options.plan.may_stop_early() {
                true => Source::open_growing(&file.path, options.access)?,
                false => Source::open(&file.path, options.access)?,
            };
            segment(name, &source, options, output)
        }
        _ => small(
            name,
            &Source::open(&file.path, options.access)?,
            options,
            output,
        ),
    }
}

/// The name's meaning; what is no regular file and says nothing by its name is read as a segment.
fn named(file: &KafkaFile) -> FileName {
    let regular = || fs::metadata(&file.path).is_ok_and(|metadata| metadata.is_file());
    let mut name = file.name;
    if name.kind == FileKind::Unknown && (file.path.as_os_str() == "-" || !regular()) {
        name.kind = FileKind::Log;
    }
    name
}

/// The topic whose partition a file lies in, if it is one of Kafka's own.
fn of_directory(path: &Path) -> Option<InternalTopic> {
    let path = std::path::absolute(path).ok()?;
    let partition = PartitionName::parse(path.parent()?.file_name()?)?;
    InternalTopic::of_name(&partition.topic)
}

fn segment(
    mut name: FileName,
    source: &Source,
    options: &Options,
    output: &mut dyn Output,
) -> Result<String, Stop<io::Error>> {
    let mut beginning = Beginning::new(source, options.plan.max_bytes);
    if name.kind == FileKind::Log && name.base_offset.is_none() {
        name.base_offset = beginning.first_offset()?;
    }
    // How much comes of one that grows is not known.
    let size = (!source.is_growing()).then(|| source.len());
    let mut head = Vec::new();
    style::push_file(options.style, source.path(), name, size, &mut head);
    if options.style == Style::Kafka {
        head.extend_from_slice(title(name, source.path()).as_bytes());
    }
    output.text(&head).map_err(Stop::Output)?;
    match options.style {
        Style::Kafka => {
            let view = KafkaText {
                deep: options.deep,
                contents: options.contents,
                skip_metadata: options.skip_metadata,
                key: options.key,
                value: options.value,
                topic: options.topic,
            };
            stream(&view, source.path(), beginning, options, output)
        }
        Style::Jsonl(wide) => {
            let by_name = || of_directory(source.path()).filter(|_| options.topic_by_name);
            let topic = options.topic.or_else(by_name);
            let has_records = options.contents && topic.is_some();
            let topics = || options.topic_names.of_log_directory_of(source.path());
            let view = Jsonl {
                deep: options.deep,
                contents: options.contents,
                key: options.key,
                value: options.value,
                topic,
                wide,
                topics: has_records.then(topics).flatten(),
            };
            stream(&view, source.path(), beginning, options, output)
        }
    }
}

/// The second line of the stock text.
fn title(name: FileName, path: &Path) -> String {
    match (name.kind, name.base_offset, name.epoch) {
        (FileKind::Log, offset, _) => {
            format!("Log starting offset: {}\n", offset.unwrap_or(Offset(0)))
        }
        (_, Some(offset), Some(epoch)) => {
            format!("Snapshot end offset: {offset}, epoch: {epoch}\n")
        }
        _ if path
            .file_name()
            .is_some_and(|name| name == "bootstrap.checkpoint") =>
        {
            "KRaft bootstrap snapshot\n".to_owned()
        }
        _ => "Snapshot end offset: unknown, epoch: unknown\n".to_owned(),
    }
}

fn stream<V: View>(
    view: &V,
    path: &Path,
    beginning: Beginning<'_>,
    options: &Options,
    output: &mut dyn Output,
) -> Result<String, Stop<io::Error>> {
    let mut gaps = Gaps::default();
    let mut misfits = Misfits::default();
    let ending = segment::dump(
        beginning,
        view,
        &options.plan,
        &mut |portion: &mut Portion| {
            output.text(&portion.text)?;
            for damage in &portion.damage {
                match damage.code {
                    Code::RecordUndecodable => misfits.take(damage),
                    _ => output.damage(damage),
                }
            }
            gaps.take(&portion.gaps);
            Ok(())
        },
    )?;
    let mut tail = Vec::new();
    style::push_end(options.style, path, ending, &mut tail);
    output.text(&tail).map_err(Stop::Output)?;
    misfits.tell(output);
    Ok(match options.style {
        Style::Kafka if options.plan.selection.is_everything() => gaps.stock_report(path),
        _ => String::new(),
    })
}

/// Keys and values that the chosen decoder does not fit: one is told, the others are counted.
#[derive(Debug, Default)]
struct Misfits {
    first: Option<String>,
    more: u64,
}

impl Misfits {
    fn take(&mut self, misfit: &Damage) {
        match self.first {
            None => self.first = Some(misfit.message.clone()),
            Some(_) => self.more += 1,
        }
    }

    fn tell(self, output: &mut dyn Output) {
        if let Some(first) = self.first {
            let more = match self.more {
                0 => String::new(),
                more => format!("; {more} more like it"),
            };
            output.note(&format!("{first}{more}"));
        }
    }
}

/// Places where offsets do not follow one another, as many as are worth telling.
#[derive(Debug, Default)]
struct Gaps {
    told: Vec<(Offset, Offset)>,
    more: usize,
}

impl Gaps {
    /// A compacted segment may have a hole at each record; memory must not grow with them.
    const MOST: usize = 10_000;

    fn take(&mut self, gaps: &[(Offset, Offset)]) {
        let room = Self::MOST - self.told.len();
        let (told, more) = gaps.split_at(gaps.len().min(room));
        self.told.extend_from_slice(told);
        self.more += more.len();
    }

    /// The lines that the stock tool prints on stderr when all files are done.
    fn stock_report(&self, path: &Path) -> String {
        if self.told.is_empty() {
            return String::new();
        }
        let mut report = format!("Non-consecutive offsets in {}\n", style::absolute(path));
        for (before, after) in &self.told {
            report += &format!("  {before} is followed by {after}\n");
        }
        if self.more > 0 {
            report += &format!("  and {} more\n", self.more);
        }
        report
    }
}

fn small(
    mut name: FileName,
    source: &Source,
    options: &Options,
    output: &mut dyn Output,
) -> Result<String, Stop<io::Error>> {
    let is_index = matches!(name.kind, FileKind::OffsetIndex | FileKind::TimeIndex);
    let beside = |wanted| match is_index && options.mode != IndexMode::Sanity {
        true => sibling(source.path(), name, wanted, options.access),
        false => Ok(None),
    };
    let log = beside("log")?;
    let offsets = if name.kind == FileKind::TimeIndex {
        beside("index")?
    } else {
        None
    };
    let base_offset = match (name.base_offset, &log) {
        (Some(offset), _) => Some(offset),
        (None, Some(log)) => Beginning::new(log, None).first_offset()?,
        (None, None) => None,
    };
    name.base_offset = base_offset;
    let mut head = Vec::new();
    let size = Some(source.len());
    style::push_file(options.style, source.path(), name, size, &mut head);
    output.text(&head).map_err(Stop::Output)?;
    let file = Companion {
        source,
        name,
        log: log.as_ref(),
        offsets: offsets.as_ref(),
        base_offset: base_offset.unwrap_or(Offset(0)),
        mode: options.mode,
        max_message_size: options.max_message_size,
        max_record_bytes: options.plan.max_record_bytes,
        style: options.style,
        topic_names: &options.topic_names,
    };
    let report = companion::dump(&file, output)?;
    let ending = Ending {
        reason: End::EndOfFile,
        position: source.len(),
        tail: 0,
    };
    let mut tail = Vec::new();
    style::push_end(options.style, source.path(), ending, &mut tail);
    output.text(&tail).map_err(Stop::Output)?;
    Ok(report)
}

/// The file of the same segment with another ending, if there is one. A file on its way out is
/// first looked for beside others on their way out.
fn sibling(
    path: &Path,
    name: FileName,
    wanted: &str,
    access: Access,
) -> Result<Option<Source>, ReadError> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file_name.split('.').next().unwrap_or_default();
    let suffix = name.suffix.map_or("", Suffix::as_str);
    let candidates: [PathBuf; 2] = [
        format!("{stem}.{wanted}{suffix}"),
        format!("{stem}.{wanted}"),
    ]
    .map(|name| path.with_file_name(name));
    match candidates.into_iter().find(|candidate| candidate.is_file()) {
        Some(found) => Source::open(&found, access).map(Some),
        None => Ok(None),
    }
}
