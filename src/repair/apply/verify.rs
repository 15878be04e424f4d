//! What is left to say of a result: how a broker would load it, and what a check finds in it.

use crate::analysis::check::code::FindingCode;
use crate::analysis::check::everything::{self, Around};
use crate::analysis::check::finding::Finding;
use crate::analysis::check::known_cluster::KnownCluster;
use crate::analysis::check::terms::Terms as CheckTerms;
use crate::analysis::check::watch::Watch;
use crate::analysis::log_findings::Severity;
use crate::repair::draft::name_of;
use crate::repair::error::ApplyError;
use crate::repair::terms::Terms;
use crate::state::load::{Change, LoadOptions, load};
use crate::state::read::segments;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a broker would not take as it is, in sentences: nothing where a load after a clean stop
/// and one after a kill both keep every byte.
///
/// # Errors
/// A file of the result that cannot be read.
pub fn verify(
    directory: &Path,
    topic_partition: &str,
    terms: &Terms,
) -> Result<Vec<String>, ApplyError> {
    let listed = PartitionDirectory::list(directory);
    let logs = segments(&listed).into_iter();
    let bytes = logs.map(|log| fs::metadata(log.path).map_or(0, |log| log.len()));
    let bytes = bytes.sum();
    let mut left = Vec::new();
    for clean_shutdown in [true, false] {
        let options = LoadOptions {
            clean_shutdown,
            access: terms.access,
            log_start_offset: terms.log_start,
            index_interval_bytes: terms.index_interval_bytes,
            ..LoadOptions::new(terms.rules)
        };
        let outcome = load::<1>(&listed, topic_partition, &options)?;
        terms.tell_read(bytes);
        if let Err(stop) = &outcome.log {
            left.push(format!("{}: a broker ends with {stop}", name_of(directory)));
        }
        for action in &outcome.actions {
            let what = match &action.change {
                Change::Truncated(size) => format!("cuts it to {size} bytes"),
                Change::Deleted(why) if action.name.ends_with(".log") => {
                    format!("deletes it: {why}")
                }
                Change::Deleted(_) | Change::Renamed(_) | Change::Written => continue,
            };
            left.push(format!("{}: a broker {what}", action.name));
        }
    }
    left.sort();
    left.dedup();
    Ok(left)
}

/// What the check of a partition finds in a result that is an error or a warning: a sentence for
/// each code, the worst first. `checkpoints` are those of the log directory that it is made for.
/// Files that cannot be read are for `watch` to hear of.
pub fn check(
    directory: &Path,
    checkpoints: &Checkpoints,
    terms: &CheckTerms,
    watch: &mut dyn Watch,
) -> Vec<String> {
    let mut listed = PartitionDirectory::list(directory);
    for error in std::mem::take(&mut listed.listing.unreadable) {
        watch.unread(error);
    }
    let mut kinds: BTreeMap<(std::cmp::Reverse<Severity>, FindingCode), (u64, Finding)> =
        BTreeMap::new();
    let found = &mut |finding: Finding| {
        if finding.severity != Severity::Note {
            let kind = (std::cmp::Reverse(finding.severity), finding.code);
            kinds.entry(kind).or_insert((0, finding)).0 += 1;
        }
    };
    // What the cluster says of it no repair of its log changes.
    let cluster = &KnownCluster::default();
    let around = Around {
        checkpoints,
        cluster,
        cluster_id: None,
        copies: None,
    };
    everything::partition(&listed, &around, terms, watch, found);
    let kinds = kinds.into_values();
    kinds
        .map(|(count, first)| sentence(count, &first))
        .collect()
}

fn sentence(count: u64, first: &Finding) -> String {
    let severity = first.severity.name();
    let times = match count {
        1 => String::new(),
        count => format!(", {count} times, first"),
    };
    let (code, file) = (first.code, name_of(&first.path));
    format!("{severity} {code}{times} in {file}: {}", first.message)
}
