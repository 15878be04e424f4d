//! `kfsck groups`: who has read how far, from `__consumer_offsets`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kfsck::analysis::group_log::{
    AsOf, CONSUMER_OFFSETS_TOPIC, GroupFault, LogEnd, last_batch, log_end, offsets_partitions, read,
};
use kfsck::analysis::groups::{Groups, TopicPartition, topics_of};
use kfsck::analysis::transaction_logs::cluster_id;
use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
use kfsck::report::groups::{self as report, View};
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::storage::directory::{self, Operand, PartitionDirectory};

use super::number::end_offset;
use super::output::Wide;
use super::partition_files::{CheckpointsBeside, directory_of};
use super::session::Session;
use super::time;

/// Show groups of consumers with the offsets that they have committed, and how far they lag
///
/// Replays partitions of `__consumer_offsets` as a coordinator does: the last commit counts, one
/// without a value takes it away, and what was committed inside a transaction counts when its end
/// marker commits it. The lag is told where the topic's directory lies in the same log directory or
/// in another that is given.
///
/// With `--at-time` or `--at-offset` as it was then, as far as compaction has left the records. The
/// CSV is what `kafka-consumer-groups.sh --reset-offsets --from-file` takes, so a group can be put
/// back to where it was.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck groups /var/kafka/data
  kfsck groups --group-id billing --format json data | jq '.groups[].offsets[] | select(.lag > 0)'
  kfsck groups --at-time 2026-11-30T05:00:00Z --format csv data > offsets.csv")]
pub(super) struct GroupsCommand {
    /// Directories of __consumer_offsets partitions, and log directories with them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Only this group; may be given several times
    #[arg(long, value_name = "ID")]
    group_id: Vec<String>,

    /// As it was at this time: ISO-8601, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    #[arg(conflicts_with = "at_offset")]
    at_time: Option<Timestamp>,

    /// As it was when the log of the one partition that is given ended at this offset
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = end_offset)]
    at_offset: Option<Offset>,

    /// `text`: tables; `json`: one JSON document; `csv`: group,topic,partition,offset
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    format: Format,

    /// In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings
    #[arg(long, value_enum, default_value = "number", value_name = "AS")]
    wide_integers: Wide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

impl GroupsCommand {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        time::tell_odd("--at-time", self.at_time, session);
        let mut operands = Vec::new();
        for path in without_repeats(&self.paths) {
            match directory::expand(path) {
                Ok(operand) => operands.push((path, operand)),
                Err(error) => session.read_error(&error),
            }
        }
        let has_offsets = |operand: &Operand| offsets_partitions(operand).next().is_some();
        let any_has = operands.iter().any(|(_, operand)| has_offsets(operand));
        for (path, operand) in &operands {
            // Another of a broker's log directories tells where the topics in it end.
            let is_beside = any_has && matches!(operand, Operand::Log(_));
            if !has_offsets(operand) && !is_beside {
                session.error(&format!(
                    "{}: expected a directory of {CONSUMER_OFFSETS_TOPIC} or a log directory with \
                     one, found neither",
                    path_on_one_line(path)
                ));
            }
        }
        let operands: Vec<Operand> = operands.into_iter().map(|(_, operand)| operand).collect();
        if let Some((one, other)) = two_clusters(&operands, session) {
            session.error(&format!(
                "{} and {} belong to two clusters, whose groups of one name have nothing to do \
                 with each other; give the directories of one cluster",
                path_on_one_line(&one),
                path_on_one_line(&other)
            ));
            return Ok(());
        }
        let partitions = longest(operands.iter().flat_map(offsets_partitions), session);
        if self.at_offset.is_some() && partitions.len() > 1 {
            session.error(&format!(
                "--at-offset: expected one partition of {CONSUMER_OFFSETS_TOPIC}, found {}: each \
                 has offsets of its own; --at-time works for all",
                partitions.len()
            ));
            return Ok(());
        }
        if partitions.is_empty() {
            return Ok(());
        }
        let as_of = AsOf {
            time: self.at_time,
            offset: self.at_offset,
        };
        let groups = gathered(&partitions, as_of, session);
        let is_past = self.at_time.is_some() || self.at_offset.is_some();
        let log_ends = match is_past {
            // Where the logs ended then nobody knows.
            true => BTreeMap::new(),
            false => log_ends(&groups, &partitions, &operands, session),
        };
        let view = View {
            groups: self.chosen(&groups, session),
            log_ends: &log_ends,
        };
        let answer = match self.format {
            Format::Text => report::text(&view),
            Format::Json => report::json(&view, self.wide_integers.into()),
            Format::Csv => report::csv(&view),
        };
        Ok(session.write(&answer)?)
    }

    fn chosen<'g>(
        &self,
        groups: &'g Groups,
        session: &mut Session,
    ) -> Vec<(&'g str, &'g kfsck::analysis::groups::Group)> {
        let by_id = groups.by_id();
        if self.group_id.is_empty() {
            return by_id
                .iter()
                .map(|(id, group)| (id.as_str(), group))
                .collect();
        }
        let mut chosen = BTreeMap::new();
        for asked in &self.group_id {
            match by_id.get_key_value(asked) {
                Some((id, group)) => {
                    chosen.insert(id.as_str(), group);
                }
                None => session.remark(&format!("no group '{}'", on_one_line(asked))),
            }
        }
        chosen.into_iter().collect()
    }
}

/// Of a partition that lies in several directories the replica of the latest leader, or of those
/// the one that goes furthest.
fn longest<'o>(
    partitions: impl Iterator<Item = &'o PartitionDirectory>,
    session: &mut Session,
) -> Vec<&'o PartitionDirectory> {
    let mut kept: BTreeMap<i32, &PartitionDirectory> = BTreeMap::new();
    for partition in partitions {
        let number = partition.name.as_ref().map_or(-1, |name| name.partition);
        let Some(known) = kept.insert(number, partition) else {
            continue;
        };
        // What cannot be read is told when it is read for its records.
        let end = |of| last_batch(of, session.access).ok().flatten();
        let (ours, theirs) = (end(partition), end(known));
        let (kept_one, left_out) = match ours.cmp(&theirs) {
            Ordering::Greater => (partition, known),
            Ordering::Equal | Ordering::Less => (known, partition),
        };
        let epoch = |of: Option<(LeaderEpoch, Offset)>| of.map(|(epoch, _)| epoch);
        let goes = match ours == theirs {
            true => "goes as far",
            false if epoch(ours) == epoch(theirs) => "goes further",
            false => "is of a later leader",
        };
        let why = format!(
            "not read: {} {goes}; give this directory alone to see what it tells",
            path_on_one_line(&kept_one.path)
        );
        session.note(&left_out.path, &why);
        kept.insert(number, kept_one);
    }
    kept.into_values().collect()
}

/// The paths, each directory once by whatever name.
fn without_repeats(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut known = BTreeSet::new();
    let real = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    paths
        .iter()
        .filter(|path| known.insert(real(path)))
        .collect()
}

/// Two log directories that belong to different clusters, where there are such.
fn two_clusters(operands: &[Operand], session: &Session) -> Option<(PathBuf, PathBuf)> {
    let partitions = operands.iter().flat_map(offsets_partitions);
    let places: BTreeSet<PathBuf> = partitions
        .map(|partition| directory_of(&partition.path))
        .collect();
    let mut clusters = places
        .into_iter()
        .filter_map(|place| Some((cluster_id(&place, session.access)?, place)));
    let (cluster, first) = clusters.next()?;
    let (_, other) = clusters.find(|(other, _)| *other != cluster)?;
    Some((first, other))
}

fn gathered(partitions: &[&PartitionDirectory], as_of: AsOf, session: &mut Session) -> Groups {
    let mut groups = Groups::default();
    let mut beside = CheckpointsBeside::default();
    for partition in partitions {
        for error in &partition.listing.unreadable {
            session.read_error(error);
        }
        let checkpoints = beside.of(&partition.path, session);
        let access = session.access;
        let tell = &mut |fault| tell(fault, session);
        let log = read(partition, checkpoints, as_of, access, tell);
        if let Some(at) = as_of.offset.filter(|at| *at > log.end_offset) {
            let end = log.end_offset;
            let note = format!("offset {at} is not there: read up to {end}");
            session.note(&partition.path, &note);
        }
        groups.extend(log.groups);
    }
    groups
}

fn tell(fault: GroupFault, session: &mut Session) {
    match fault {
        GroupFault::Read(error) => session.read_error(&error),
        GroupFault::Place { .. } => session.warning(&format!(
            "{}; `kfsck check` says more, another replica may have what is missing",
            on_one_line(&fault.to_string())
        )),
        GroupFault::Missing { .. } => session.warning(&format!(
            "{}; another replica may have them",
            on_one_line(&fault.to_string())
        )),
        GroupFault::Unknown { .. } => session.remark(&on_one_line(&fault.to_string())),
    }
}

/// The lag is told all the same: what is behind the last good batch may be nothing.
fn tell_doubt(end: &LogEnd, session: &mut Session) {
    if let Some(doubt) = &end.doubt {
        let note = format!(
            "{doubt}; the lag is told up to offset {}, and may be too low or too high: `kfsck \
             check` of the partition says what a broker would keep, another replica may have more",
            end.offset
        );
        session.note(&doubt.path, &on_one_line(&note));
    }
}

/// Where the logs of the topics end that lie beside the groups.
fn log_ends(
    groups: &Groups,
    partitions: &[&PartitionDirectory],
    operands: &[Operand],
    session: &mut Session,
) -> BTreeMap<TopicPartition, LogEnd> {
    let mut ends: BTreeMap<_, LogEnd> = BTreeMap::new();
    let beside = partitions
        .iter()
        .filter_map(|partition| partition.path.parent());
    let listed: BTreeMap<PathBuf, &PartitionDirectory> = operands
        .iter()
        .flat_map(Operand::partitions)
        .map(|partition| (partition.path.clone(), partition))
        .collect();
    let given = operands.iter().filter_map(|operand| match operand {
        Operand::Log(log) => Some(log.path.as_path()),
        Operand::File(_) | Operand::Partition(_) => None,
    });
    let mut places: Vec<&Path> = beside.chain(given).collect();
    places.sort_unstable();
    places.dedup();
    for (topic, number) in topics_of(groups) {
        let name = format!("{topic}-{number}");
        // A record may say anything, also what leads elsewhere.
        let is_name = Path::new(&name).components().count() == 1 && !name.starts_with('.');
        for place in places.iter().filter(|_| is_name) {
            let path = place.join(&name);
            let found;
            let directory = match listed.get(&path) {
                Some(directory) => *directory,
                None if path.is_dir() => {
                    found = PartitionDirectory::list(&path);
                    &found
                }
                None => continue,
            };
            match log_end(directory, session.access) {
                Ok(Some(end)) => {
                    tell_doubt(&end, session);
                    let known = ends
                        .entry((topic.clone(), *number))
                        .or_insert_with(|| end.clone());
                    if known.offset < end.offset {
                        *known = end;
                    }
                }
                Ok(None) => {
                    let note = "no segment is here, so nobody knows where the log ends; give the \
                                log directory of another replica as well to see the lag";
                    session.note(&directory.path, &note);
                }
                Err(error) => session.read_error(&error),
            }
        }
    }
    ends
}
