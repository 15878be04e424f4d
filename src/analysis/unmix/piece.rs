//! Pieces: batches that are of one writer whoever that is.
//!
//! A broker remembers the last five batches of an id. A second writer whose numbers happen to be
//! those of remembered ones is told that they are written, and what it sends next follows on the
//! other's batches as if it were the same writer's. That hides five batches at most: where five and
//! more follow each other under one leader, the next is of whoever wrote them.

use super::member::Member;
use super::writer::{Link, Writer};

/// So many batches of an id a broker remembers (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`).
const REMEMBERED: usize = 5;

/// A run of batches, by their places among the id's; copies between them are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The places of its batches, rising; one at least.
    pub(super) places: Vec<usize>,
}

/// The pieces, and of each batch that was there before the place of its original.
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// (place, place of the original).
    pub(super) copies: Vec<(usize, usize)>,
}

impl Pieces {
    /// Cuts the batches of an id wherever the writer may change.
    pub(super) fn cut(members: &[Member], expiration_ms: i64) -> Self {
        let mut cut = Self {
            pieces: Vec::new(),
            copies: Vec::new(),
        };
        let mut originals = std::collections::HashMap::new();
        let mut chain: Option<Chain<'_>> = None;
        for (place, member) in members.iter().enumerate() {
            let seen = &member.seen;
            if member.is_data() {
                let numbers = (
                    seen.producer_epoch,
                    seen.base_sequence,
                    seen.first_timestamp,
                );
                let original = *originals.entry(numbers).or_insert(place);
                if original != place
                    && members
                        .get(original)
                        .is_some_and(|one| member.is_copy_of(one))
                {
                    cut.copies.push((place, original));
                    continue;
                }
            }
            let goes_on = chain
                .as_mut()
                .is_some_and(|chain| chain.goes_on(member, place, expiration_ms));
            match (goes_on, cut.pieces.last_mut()) {
                (true, Some(piece)) => piece.places.push(place),
                _ => cut.pieces.push(Piece {
                    places: vec![place],
                }),
            }
            if !chain
                .as_ref()
                .is_some_and(|chain| std::ptr::eq(chain.last, member))
            {
                chain = Some(Chain::begin(member, place));
            }
        }
        cut
    }
}

impl Pieces {
    /// Whether one client may have sent all of them, one after the other.
    pub(super) fn are_of_one_writer(&self, members: &[Member]) -> bool {
        follow_each_other(&self.placed(members))
    }

    /// Whether a batch is older than one in front of it: a mirror that goes on with another source
    /// may bring what came before.
    pub(super) fn may_be_misplaced(&self, members: &[Member]) -> bool {
        let placed = self.placed(members).into_iter();
        let mut data = placed.filter(|(_, member)| member.is_data());
        let mut latest = None;
        data.any(|(_, Member { seen, .. })| {
            let is_older = latest > Some(seen.first_timestamp);
            latest = latest.max(Some(seen.max_timestamp));
            is_older
        })
    }

    /// Whether one client may have sent all of them in another order, by their sequences and by
    /// their times.
    pub(super) fn are_of_one_misplaced_writer(&self, members: &[Member]) -> bool {
        let mut placed = self.placed(members);
        // Sequences begin again with 0 one day; times do not. What was sent at one time lies as it
        // was sent, or was misplaced as well and lies by its sequences.
        placed.sort_by_key(|(_, Member { seen, .. })| (seen.producer_epoch, seen.first_timestamp));
        let mut pairs = placed.iter().zip(placed.iter().skip(1));
        let is_in_time = pairs
            .all(|((_, one), (_, other))| one.seen.max_timestamp <= other.seen.first_timestamp);
        is_in_time && follow_each_other(&placed) || {
            placed.sort_by_key(|(_, Member { seen, .. })| {
                let time = seen.first_timestamp;
                (seen.producer_epoch, time, seen.base_sequence)
            });
            is_in_time && follow_each_other(&placed)
        }
    }

    /// The members without copies, each with its place.
    fn placed<'m>(&self, members: &'m [Member]) -> Vec<(usize, &'m Member)> {
        let places = self.pieces.iter().flat_map(|piece| &piece.places);
        places
            .filter_map(|place| Some((*place, members.get(*place)?)))
            .collect()
    }
}

fn follow_each_other(placed: &[(usize, &Member)]) -> bool {
    let mut writer: Option<Writer> = None;
    placed.iter().all(|(place, member)| match &mut writer {
        None => {
            writer = Some(Writer::begin(member, *place));
            true
        }
        Some(known) => {
            let links = known.link(member).is_some();
            known.take(member, *place);
            links
        }
    })
}

/// Batches that follow each other under one leader.
struct Chain<'m> {
    writer: Writer,
    last: &'m Member,
    /// How many of them hold records; a broker remembers no markers.
    length: usize,
}

impl<'m> Chain<'m> {
    fn begin(member: &'m Member, place: usize) -> Self {
        Self {
            writer: Writer::begin(member, place),
            last: member,
            length: usize::from(member.is_data()),
        }
    }

    /// Takes a batch that follows; whether it is surely of the same writer.
    fn goes_on(&mut self, member: &'m Member, place: usize, expiration_ms: i64) -> bool {
        let follows = matches!(self.writer.link(member), Some(Link::Follows | Link::Ends));
        if !follows || member.is_elsewhere(self.last, expiration_ms) {
            return false;
        }
        let is_sure = self.length > REMEMBERED;
        self.writer.take(member, place);
        self.last = member;
        self.length += usize::from(member.is_data());
        is_sure
    }
}
