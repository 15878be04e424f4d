//! Which batches of a segment cannot stay where their offsets lie, and which of these belong to one
//! place alone.

use super::chain::{Link, longest};
use super::survey::{Bad, Claim, Good, Seen, each_piece, is_below};
use super::terms::Terms;
use crate::format::batch::{Header, MAGIC};
use crate::format::number::Offset;
use crate::state::log_end::right_base;
use crate::state::read::SegmentFile;
use crate::storage::damage::Code;
use crate::storage::segment::walk::{Span, Walk};
use crate::storage::source::{ReadError, Source};
use std::ops::ControlFlow;

/// A batch that can be read.
struct Placed {
    span: Span,
    link: Link,
    is_kept: bool,
}

/// The batches that cannot stay because of where their offsets lie; they must lie below `limit`.
///
/// # Errors
/// A read that failed.
pub(super) fn out_of_order(
    source: &Source,
    file: &SegmentFile,
    limit: Option<Offset>,
    decodes: bool,
    terms: &Terms,
) -> Result<Vec<Bad>, ReadError> {
    let mut all = Vec::new();
    each_piece(source, (file, limit), decodes, terms, &mut |seen| {
        if let Seen::Good(good) = seen {
            let link = Link {
                first: good.first,
                last: good.batch.last_offset,
                records: good.records,
            };
            all.push(Placed {
                span: good.span,
                link,
                is_kept: link.first >= file.base_offset && is_below(link.last, limit),
            });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let inside: Vec<_> = all.iter().map(|placed| placed.is_kept).collect();
    let links = all.iter().filter(|placed| placed.is_kept);
    let links: Vec<_> = links.map(|placed| placed.link).collect();
    let mut stays = longest(&links).into_iter();
    for placed in &mut all {
        placed.is_kept = placed.is_kept && stays.next() == Some(true);
    }
    prefer_room(&mut all, file.base_offset, limit);
    let mut bad = Vec::new();
    let mut before = file.base_offset.plus(-1);
    for (placed, inside) in all.iter().zip(inside) {
        if placed.is_kept {
            before = placed.link.last;
        } else if !inside {
            bad.push(out_of_place(placed, file.base_offset, limit));
        } else {
            let Link { first, last, .. } = placed.link;
            let around = match before < file.base_offset {
                true => "at the beginning of the segment".to_owned(),
                false => format!("behind or around {before}"),
            };
            let message = format!(
                "offsets {first} to {last} {around}: the order that keeps the most batches leaves \
                 them out"
            );
            bad.push(of(placed, message));
        }
    }
    let ends = (file.base_offset, limit, source.len());
    let mut walk = Walk::new(source);
    let kept: Vec<_> = all.iter().filter(|placed| placed.is_kept).collect();
    for bad in &mut bad {
        let at = all.partition_point(|placed| placed.span.position < bad.position);
        if let Some(room) = room(&all, at, ends)
            && !repeats(&mut walk, &kept, all.get(at))?
        {
            bad.belongs = Some(room);
        }
    }
    Ok(bad)
}

/// Of two batches of which one alone can stay, the one behind stays where it leaves the one in
/// front exactly its room: that one was changed upwards, over it.
fn prefer_room(all: &mut [Placed], base: Offset, limit: Option<Offset>) {
    // The last offset in front of the batch at hand.
    let mut in_front = base.plus(-1);
    for at in 1..=all.len() {
        let behind = all.get(at + 1).map(|next| (next.is_kept, next.link.first));
        let Some([one, other]) = all.get_mut(at - 1..=at) else {
            return;
        };
        if !one.is_kept {
            continue;
        }
        let length = one.link.last.0.wrapping_sub(one.link.first.0);
        let room_ends = in_front.0.checked_add(length).map(|last| last + 1);
        let leaves_room = room_ends == Some(other.link.first.0.wrapping_sub(1))
            && one.link.first > in_front.plus(1);
        let fits = is_below(other.link.last, limit)
            && behind.is_none_or(|(is_kept, first)| is_kept && other.link.last < first);
        if leaves_room && fits && !other.is_kept && one.span.magic == MAGIC {
            (one.is_kept, other.is_kept) = (false, true);
        } else {
            in_front = one.link.last;
        }
    }
}

/// The one offset that the batches around a batch leave it, where nothing lies between the three.
fn room(
    all: &[Placed],
    at: usize,
    (base, limit, length): (Offset, Option<Offset>, u64),
) -> Option<Offset> {
    let this = all.get(at).filter(|this| this.span.magic == MAGIC)?;
    let begin = match at.checked_sub(1).and_then(|at| all.get(at)) {
        None => Some((0, base)),
        Some(before) => (before.is_kept).then(|| (end(before.span), before.link.last.plus(1))),
    };
    let behind = match all.get(at + 1) {
        None => limit.map(|limit| (length, limit)),
        Some(next) => (next.is_kept).then_some((next.span.position, next.link.first)),
    };
    let ((from, first), (upto, next)) = (begin?, behind?);
    let room = next.0.checked_sub(first.0)?;
    let needed = this.link.last.0.checked_sub(this.link.first.0)? + 1;
    let adjoins = from == this.span.position && upto == end(this.span);
    (adjoins && room == needed).then_some(first)
}

/// Whether a batch is one that stays, once more.
fn repeats(
    walk: &mut Walk<'_>,
    kept: &[&Placed],
    this: Option<&Placed>,
) -> Result<bool, ReadError> {
    let Some(this) = this else {
        return Ok(false);
    };
    let found = kept.binary_search_by_key(&this.link.first, |placed| placed.link.first);
    let Some(same) = found.ok().and_then(|at| kept.get(at)) else {
        return Ok(false);
    };
    let [one, other] = [walk.head(this.span)?, walk.head(same.span)?];
    Ok(Header::new(&one).stored_crc() == Header::new(&other).stored_crc())
}

/// The last batch of a segment, as long as nothing lies between it and the one in front.
pub(super) struct LastBatch {
    /// Behind the piece in front, if that is a batch.
    due: Option<Offset>,
    /// With the offset at which it is due; of a segment whose offsets rise up to there.
    last: Option<(Good, Offset)>,
}

impl LastBatch {
    /// Of a segment that begins behind an offset.
    pub(super) const fn behind(before: Offset) -> Self {
        Self {
            due: Some(before.plus(1)),
            last: None,
        }
    }

    /// Takes the next piece in; whether offsets rise up to it.
    pub(super) fn piece(&mut self, seen: &Seen, rises: bool) {
        match seen {
            // Zeros that end a file are nothing that was written.
            Seen::Bad(bad) if !bad.is_loss() => {}
            Seen::Bad(_) => (self.due, self.last) = (None, None),
            Seen::Good(good) => {
                let due = self.due.replace(good.batch.next_offset());
                self.last = due.filter(|_| rises).map(|due| (*good, due));
            }
        }
    }

    /// The batch, if it belongs elsewhere: to where the log ended once by the names of files.
    pub(super) fn moved(self, end: Option<Offset>) -> Option<Bad> {
        let (good, due) = self.last.filter(|(good, _)| good.span.magic == MAGIC)?;
        let (first, last) = (good.first, good.batch.last_offset);
        let belongs = right_base(end, due, (first, last))?;
        let placed = Placed {
            span: good.span,
            link: Link {
                first,
                last,
                records: good.records,
            },
            is_kept: false,
        };
        let end = belongs.0.saturating_add(last.0.saturating_sub(first.0));
        let message = format!(
            "offsets {first} to {last} at the end of a log that ended behind {end}, by the name \
             of a producer snapshot or of a segment"
        );
        Some(Bad {
            belongs: Some(belongs),
            ..of(&placed, message)
        })
    }
}

fn end(span: Span) -> u64 {
    span.position + u64::from(span.size)
}

fn out_of_place(placed: &Placed, base: Offset, limit: Option<Offset>) -> Bad {
    let Link { first, last, .. } = placed.link;
    let message = match limit {
        Some(limit) if last >= limit => format!(
            "offsets {first} to {last} in a segment that ends below {limit}, where the next begins"
        ),
        _ => format!("offsets {first} to {last} in a segment that begins at {base}"),
    };
    of(placed, message)
}

fn of(placed: &Placed, message: String) -> Bad {
    let Link {
        first,
        last,
        records,
    } = placed.link;
    Bad {
        position: placed.span.position,
        size: placed.span.size.into(),
        code: Code::OffsetRegression,
        message,
        claim: Some(Claim {
            first,
            last,
            records: Some(records),
        }),
        is_one_batch: true,
        belongs: None,
    }
}
