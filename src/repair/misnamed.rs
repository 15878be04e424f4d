//! Segment files that bear the name of another place in the log, and their right names.
//!
//! No checksum covers a file's name. Where all batches of some files lie outside what their names
//! leave them, and each fits where another of these names says, the names were exchanged. And a
//! single file belongs where its batches, without a hole between them, fill exactly what its
//! neighbours leave, if no file bears that name. In all other cases the names stay, and the
//! batches are judged by them.

use super::draft::name_of;
use super::plan::{Action, Step};
use super::terms::Terms;
use crate::format::batch::{HEADER_SIZE, Header, MAGIC};
use crate::format::number::Offset;
use crate::state::read::SegmentFile;
use crate::storage::file_name::{FileKind, FileName};
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{ReadError, Source};

/// The offsets of a segment whose batches frame and rise.
#[derive(Debug, Clone, Copy)]
struct Extent {
    first: Offset,
    last: Offset,
    /// No offset is missing between its batches.
    is_dense: bool,
}

/// A file with what it holds.
struct Held {
    file: SegmentFile,
    extent: Option<Extent>,
    /// Its first offset lies outside what the names leave it.
    is_suspect: bool,
}

/// The segments at the base offsets where they belong, in their order.
///
/// # Errors
/// A read that failed.
pub(super) fn placed(
    files: Vec<SegmentFile>,
    terms: &Terms,
) -> Result<Vec<SegmentFile>, ReadError> {
    let suspects = suspects(&files, terms)?;
    if !suspects.contains(&true) {
        return Ok(files);
    }
    let mut held = Vec::with_capacity(files.len());
    for (file, is_suspect) in files.into_iter().zip(suspects) {
        let extent = extent(&file, terms)?;
        held.push(Held {
            file,
            extent,
            is_suspect,
        });
    }
    exchange(&mut held);
    for at in 0..held.len() {
        if let Some(base) = gap_for(&held, at)
            && let Some(one) = held.get_mut(at)
        {
            one.file.base_offset = base;
            one.is_suspect = false;
        }
    }
    let mut files: Vec<_> = held.into_iter().map(|held| held.file).collect();
    files.sort_by_key(|file| file.base_offset);
    Ok(files)
}

/// Of each file whether it begins outside of what the names leave it.
///
/// # Errors
/// A read that failed.
pub(super) fn suspects(files: &[SegmentFile], terms: &Terms) -> Result<Vec<bool>, ReadError> {
    let mut suspects = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let next = files.get(at + 1).map(|next| next.base_offset);
        let first = first_offset(file, terms)?;
        suspects.push(first.is_some_and(|first| {
            first < file.base_offset || next.is_some_and(|next| first >= next)
        }));
    }
    Ok(suspects)
}

/// Whether a file bears another name than that of the place where it belongs.
pub(super) fn is_moved(file: &SegmentFile) -> bool {
    let name = FileName::parse(name_of(&file.path).as_ref());
    name.base_offset != Some(file.base_offset)
}

/// The step that gives a file of so many bytes the name of the place where it belongs.
pub(super) fn moved_step(file: &SegmentFile, size: u64) -> Step {
    let base = file.base_offset;
    let name = FileKind::Log.name_at(base);
    let old = name_of(&file.path);
    Step {
        action: Action::Write,
        file: name.clone(),
        position: None,
        size: Some(size),
        offset: Some(base),
        detail: format!(
            "{old} becomes {name}: its offsets lie outside of what its name leaves it, and fit \
             there; no checksum covers a name"
        ),
    }
}

/// Gives files, none of whose batches lies where its name says, the names of one another: in the
/// order of their offsets, if each then fits.
fn exchange(held: &mut [Held]) {
    let names: Vec<_> = held.iter().map(|one| one.file.base_offset).collect();
    let mut out: Vec<(Extent, usize)> = Vec::new();
    for (at, one) in held.iter().enumerate() {
        let (base, next) = (one.file.base_offset, names.get(at + 1));
        if let Some(extent) = one.extent
            && (extent.last < base || next.is_some_and(|next| extent.first >= *next))
        {
            out.push((extent, at));
        }
    }
    let mut bases = out
        .iter()
        .map(|(_, at)| *at)
        .collect::<Vec<_>>()
        .into_iter();
    out.sort_by_key(|(extent, _)| extent.first);
    let mut fitting = Vec::new();
    for (extent, at) in out {
        let place = bases.next().unwrap_or(at);
        let (base, next) = (names.get(place), names.get(place + 1));
        let fits = base.is_some_and(|base| *base <= extent.first)
            && next.is_none_or(|next| extent.last < *next);
        match base {
            Some(base) if fits => fitting.push((at, *base)),
            _ => return,
        }
    }
    for (at, base) in fitting {
        if let Some(one) = held.get_mut(at) {
            one.file.base_offset = base;
            one.is_suspect = false;
        }
    }
}

/// Where a file belongs whose batches fill exactly what its neighbours leave.
fn gap_for(held: &[Held], at: usize) -> Option<Offset> {
    let this = held.get(at).filter(|one| one.is_suspect)?;
    let extent = this.extent.filter(|extent| extent.is_dense)?;
    let others = || {
        let others = held.iter().enumerate();
        others.filter_map(|(other, one)| (other != at).then_some(one))
    };
    let before = others()
        .filter(|one| one.file.base_offset <= extent.first)
        .max_by_key(|one| one.file.base_offset);
    let next = others()
        .map(|one| one.file.base_offset)
        .filter(|base| *base > extent.first)
        .min();
    let adjoins = before.is_none_or(|one| {
        let ends = one.extent.map(|before| before.last.plus(1));
        !one.is_suspect && ends == Some(extent.first)
    });
    let ends = next.is_none_or(|next| extent.last.plus(1) == next);
    (adjoins && ends && (before.is_some() || next.is_some())).then_some(extent.first)
}

/// The first offset of a segment that begins with a batch of magic 2.
fn first_offset(file: &SegmentFile, terms: &Terms) -> Result<Option<Offset>, ReadError> {
    let source = Source::open(&file.path, terms.access)?;
    let mut window = source.window();
    let head = window.bytes(0, HEADER_SIZE)?;
    let header = Header::at_front_of(head).filter(|header| header.magic() == MAGIC);
    let first = header.map(|header| header.base_offset());
    source.check()?;
    Ok(first)
}

/// The offsets of a segment; `None` where something in it is damaged, older than magic 2, or does
/// not rise.
fn extent(file: &SegmentFile, terms: &Terms) -> Result<Option<Extent>, ReadError> {
    let source = Source::open(&file.path, terms.access)?;
    let mut walk = Walk::new(&source);
    let mut extent: Option<Extent> = None;
    while let Some(piece) = walk.next_piece()? {
        let Piece::Batch(span) = piece else {
            return Ok(None);
        };
        let head = walk.head(span)?;
        let header = Header::new(&head);
        let (first, last) = (header.base_offset(), header.last_offset());
        let behind = extent.map(|extent| extent.last);
        if span.magic < MAGIC || last < first || behind.is_some_and(|behind| first <= behind) {
            return Ok(None);
        }
        let follows = behind.is_none_or(|behind| first == behind.plus(1));
        extent = Some(Extent {
            first: extent.map_or(first, |extent| extent.first),
            last,
            is_dense: extent.is_none_or(|extent| extent.is_dense) && follows,
        });
    }
    source.check()?;
    Ok(extent)
}
