//! Several copies of one partition, as replicas and backups are: what is open at the end of one may
//! have ended in another that goes on.
//!
//! No broker needs an abort of such a transaction: a follower that is behind fetches the marker
//! from its leader, and a backup serves nobody.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::log_bytes::LogBytes;
use super::open_transactions::{OpenView, Verdict, Why};
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::uuid::Uuid;
use crate::state::batch::{Batch, Control};
use crate::state::read::{Item, ReadOptions, segments};
use crate::state::rules::{Path as Way, Reset, RuleSet};
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::PartitionName;
use crate::storage::topic_id::topic_id;

/// The copies that were given.
#[derive(Debug, Default)]
pub struct PartitionCopies<'d> {
    copies: BTreeMap<(&'d str, i32), Vec<Copy<'d>>>,
}

#[derive(Debug)]
struct Copy<'d> {
    directory: &'d PartitionDirectory,
    cluster: Option<String>,
}

/// The copy in which transactions are open.
#[derive(Debug, Clone, Copy)]
pub struct ThisCopy<'a> {
    /// Which partition.
    pub name: &'a PartitionName,
    /// The directory, or one segment of it.
    pub path: &'a Path,
    /// Its cluster, where its log directory says so.
    pub cluster: Option<&'a str>,
    /// Its batches.
    pub log: LogBytes<'a>,
}

/// How copies are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Whose rules: a barrier ends transactions, where they obey it.
    pub rules: &'static dyn RuleSet,
    /// How to read.
    pub options: ReadOptions,
    /// Markers that were written later do not count.
    pub until: Option<Timestamp>,
}

/// The end of a transaction, in another copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndElsewhere {
    /// The directory of that copy.
    pub path: PathBuf,
    /// The offset of the marker.
    pub offset: Offset,
    /// Whether it aborts.
    pub is_abort: bool,
}

impl EndElsewhere {
    /// What the marker is called.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.is_abort {
            true => "ABORT",
            false => "COMMIT",
        }
    }
}

impl<'d> PartitionCopies<'d> {
    /// One more copy, and the cluster that its log directory names. Directories that are no
    /// partition's own are passed over.
    pub fn add(&mut self, directory: &'d PartitionDirectory, cluster: Option<String>) {
        let name = directory.name.as_ref().filter(|name| name.state.is_none());
        if let Some(name) = name {
            let copies = self.copies.entry((&name.topic, name.partition));
            copies.or_default().push(Copy { directory, cluster });
        }
    }

    /// Where transactions have ended that are open in a copy, by their first offsets. What cannot
    /// be read here is told where that copy itself is read.
    #[must_use]
    pub fn ends(
        &self,
        this: &ThisCopy<'_>,
        open: &BTreeMap<Offset, ProducerId>,
        reading: &Reading,
    ) -> BTreeMap<Offset, EndElsewhere> {
        let mut ends = BTreeMap::new();
        let copies = self.copies.get(&(&*this.name.topic, this.name.partition));
        let others = copies.into_iter().flatten();
        let others = others.filter(|copy| copy.directory.path != this.path);
        // Another cluster may have the same bytes, as a mirror has, and its own coordinators.
        let mut others = others.filter(|copy| !differ(this.cluster, copy.cluster.as_deref()));
        let Some(first) = others.next() else {
            return ends;
        };
        let access = reading.options.access;
        let own = own_topic_id(this.path, reading);
        let Some(known) = Seen::read(this.log, open, reading.options) else {
            return ends;
        };
        for copy in std::iter::once(first).chain(others) {
            // The topic may have been deleted and made anew under its name.
            let theirs = topic_id(copy.directory, access).ok().flatten();
            if !differ(own, theirs) {
                for (first_offset, (offset, is_abort)) in known.ends_in(copy.directory, reading) {
                    ends.entry(first_offset).or_insert_with(|| EndElsewhere {
                        path: copy.directory.path.clone(),
                        offset,
                        is_abort,
                    });
                }
            }
        }
        ends
    }

    /// Gives those of a copy's open transactions that have ended elsewhere their verdict.
    pub fn settle(&self, this: &ThisCopy<'_>, open: &mut [OpenView<'_>], reading: &Reading) {
        let asked = open.iter().filter(|view| is_asked(view));
        let asked: BTreeMap<_, _> = asked
            .map(|view| (view.first_offset, view.producer_id))
            .collect();
        if asked.is_empty() {
            return;
        }
        let mut ends = self.ends(this, &asked, reading);
        for view in open.iter_mut().filter(|view| is_asked(view)) {
            if let Some(end) = ends.remove(&view.first_offset) {
                view.why = Why::EndedElsewhere(end);
                view.abort = None;
            }
        }
    }
}

/// Whether somebody may have to abort it. What no producer has, a marker ends nowhere.
fn is_asked(view: &OpenView<'_>) -> bool {
    let is_held = !matches!(view.why, Why::NoProducer { .. });
    is_held && view.verdict() != Verdict::Ongoing
}

/// Whether both are known, and are not the same.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

/// A segment lies in the directory of its partition.
fn own_topic_id(path: &Path, reading: &Reading) -> Option<Uuid> {
    let directory = match path.is_dir() {
        true => path,
        false => path.parent()?,
    };
    let listed = PartitionDirectory::list(directory);
    topic_id(&listed, reading.options.access).ok().flatten()
}

/// What a copy shows of its open transactions.
struct Seen<'o> {
    open: &'o BTreeMap<Offset, ProducerId>,
    /// Their first batches, as far as they are here.
    firsts: BTreeMap<Offset, Batch>,
    /// The last batch of the log.
    last: Batch,
}

impl<'o> Seen<'o> {
    fn read(
        log: LogBytes<'_>,
        open: &'o BTreeMap<Offset, ProducerId>,
        options: ReadOptions,
    ) -> Option<Self> {
        let (from, _) = open.first_key_value()?;
        let (mut firsts, mut last) = (BTreeMap::new(), None);
        let read = log.visit(*from, options, &mut |_| false, &mut |item| {
            if let Item::Batch(batch, _) = item {
                if open.contains_key(&batch.base_offset) {
                    firsts.insert(batch.base_offset, *batch);
                }
                last = Some(*batch);
            }
            ControlFlow::Continue(())
        });
        read.ok()?;
        let last = last?;
        Some(Self { open, firsts, last })
    }

    /// The markers in another copy that end them, by first offsets: where each lies, and whether
    /// it aborts.
    ///
    /// They count only if the other copy has all of this one and goes on behind its end. A former
    /// leader may have written a marker that no follower had, which the cluster has cut away since:
    /// beside the copy of the later leader, in which the transaction does hang, it lies where that
    /// one has other batches. Copies whose batches are the same at one offset, leader epoch
    /// included, are the same in front of it; so the last batch here is looked for there, and the
    /// first one of each transaction as well: a log of another life may have a batch alike.
    fn ends_in(
        &self,
        directory: &PartitionDirectory,
        reading: &Reading,
    ) -> BTreeMap<Offset, (Offset, bool)> {
        let mut begun: BTreeMap<ProducerId, Offset> = BTreeMap::new();
        for (offset, id) in self.open {
            // Of what began in front of this log only the end tells.
            if !self.firsts.contains_key(offset) {
                begun.insert(*id, *offset);
            }
        }
        let (mut ends, mut has_all) = (BTreeMap::new(), false);
        let obeys = reading.rules.reset(Way::Load) != Reset::Ignored;
        let from = self.open.keys().next().copied().unwrap_or(Offset(0));
        let there = segments(directory);
        let there = LogBytes::Segments(&there);
        let needs = &mut |batch: &Batch| batch.base_offset > self.last.base_offset;
        let visit = &mut |item: Item<'_>| {
            let Item::Batch(batch, control) = item else {
                // A marker may lie in what is damaged.
                return match has_all {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
            };
            if let Some(id) = self.open.get(&batch.base_offset) {
                match self.firsts.get(&batch.base_offset) {
                    Some(first) if is_same(first, batch) => {
                        begun.insert(*id, batch.base_offset);
                    }
                    None if batch.producer_id == *id => {}
                    _ => {
                        begun.remove(id);
                    }
                }
            }
            has_all |= is_same(&self.last, batch);
            if batch.base_offset <= self.last.base_offset {
                return ControlFlow::Continue(());
            }
            match control {
                _ if !has_all || begun.is_empty() => return ControlFlow::Break(()),
                Some(Control::MirrorPidReset) if obeys => return ControlFlow::Break(()),
                Some(Control::Marker(marker))
                    if reading.until.is_none_or(|until| marker.timestamp <= until) =>
                {
                    if let Some(first) = begun.remove(&batch.producer_id) {
                        ends.insert(first, (batch.base_offset, marker.is_abort));
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        };
        // Markers in front of what cannot be read count.
        let _ = there.visit(from, reading.options, needs, visit);
        ends
    }
}

/// Whether it is the same batch, wherever it lies.
fn is_same(one: &Batch, other: &Batch) -> bool {
    let size = one.place.size == other.place.size;
    let place = one.place;
    size && *one == Batch { place, ..*other }
}
