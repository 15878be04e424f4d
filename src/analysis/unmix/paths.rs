//! Every way to share an id's batches out among writers that does not contradict what clients do,
//! and how unlikely each is beside the others.
//!
//! Piece by piece, from the first on: a node is what all writers have sent so far, an edge gives
//! the next piece to one of them. Ways with fewer writers beyond those known of come first. Then,
//! backwards, each piece's possible writers are those of edges that lie on a way as good as the
//! best.

use super::member::Member;
use super::piece::Piece;
use super::writer::{Link, Writer};
use crate::format::number::ProducerEpoch;
use std::collections::{BTreeMap, HashMap};

/// So many writers are told apart.
pub const MOST_WRITERS: usize = 8;
/// So many nodes are kept for one piece.
const MOST_NODES: usize = 1024;

/// What speaks against a batch older than the writer's last one, in tenths of a natural logarithm.
const EARLIER: u32 = 20;
/// The same against ways that need batches in another order than they were sent.
const MISPLACED: u32 = 20;
/// The same against a writer whose first batch does not begin with sequence 0.
const NOT_AT_ZERO: u32 = 20;
/// The same against one that goes on exactly where another ended, under the same leader.
const TURN: u32 = 15;

/// How bad a way is, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Cost {
    /// How often somebody does what no client does.
    broken: u32,
    /// How many writers there are beyond those that are known of.
    writers: u32,
    /// What speaks against it otherwise, in tenths of a natural logarithm.
    doubt: u32,
}

impl Cost {
    const fn plus(self, other: Self) -> Self {
        Self {
            broken: self.broken.saturating_add(other.broken),
            writers: self.writers.saturating_add(other.writers),
            doubt: self.doubt.saturating_add(other.doubt),
        }
    }

    /// Whether ways of the two costs are both to be thought of.
    const fn stands_beside(self, best: Self) -> bool {
        self.broken == best.broken && self.writers == best.writers
    }
}

struct Edge {
    /// The node of the piece before.
    from: usize,
    writer: usize,
    link: Link,
    cost: Cost,
}

struct Node {
    writers: Vec<Writer>,
    /// Who wrote the last piece.
    by: usize,
    /// The best way to here.
    cost: Cost,
    edges: Vec<Edge>,
}

/// Who may have written a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) writer: usize,
    pub(super) link: Link,
    /// What speaks against the best way in which this one wrote it.
    pub(super) doubt: u32,
}

/// What came out.
pub(super) struct Ways {
    /// Of each piece all who may have written it, the likeliest first; one at least.
    pub(super) candidates: Vec<Vec<Candidate>>,
    /// The writers of the likeliest way.
    pub(super) likeliest: Vec<usize>,
    /// There were more ways than can be looked at: some candidates may be missing.
    pub(super) is_cut_short: bool,
}

impl Ways {
    /// Takes the candidates of other ways in, as less likely ones.
    pub(super) fn doubt_by(&mut self, other: Self) {
        for (own, others) in self.candidates.iter_mut().zip(other.candidates) {
            for mut candidate in others {
                if own.iter().all(|one| one.writer != candidate.writer) {
                    candidate.doubt += MISPLACED;
                    own.push(candidate);
                }
            }
        }
        self.is_cut_short |= other.is_cut_short;
    }
}

/// What is known beside the log.
pub(super) struct Known {
    /// So many writers may there be, 1 or more.
    pub(super) writers: usize,
    /// Who wrote a piece, by its place.
    pub(super) decided: BTreeMap<usize, usize>,
    /// Whether a mirror may have brought batches in another order than they were sent.
    pub(super) in_any_order: bool,
}

/// Shares pieces out.
pub(super) fn ways(
    members: &[Member],
    pieces: &[Piece],
    known: &Known,
    expiration_ms: i64,
) -> Ways {
    let least = known.decided.values().max().map_or(1, |writer| writer + 1);
    let mut most = least.max(known.writers).min(MOST_WRITERS);
    let lowest_behind = lowest_behind(members);
    let (layers, is_cut_short) = loop {
        let among = Among {
            members,
            lowest_behind: &lowest_behind,
            pieces,
            known,
            expiration_ms,
            most,
        };
        match among.layers() {
            Some(found) => break found,
            None => most += 1,
        }
    };
    let candidates = backwards(&layers);
    let likeliest = likeliest(&layers);
    Ways {
        candidates,
        likeliest,
        is_cut_short,
    }
}

/// Of each batch the lowest epoch of those behind it.
fn lowest_behind(members: &[Member]) -> Vec<ProducerEpoch> {
    let mut lowest = ProducerEpoch(i16::MAX);
    let backwards = members.iter().rev().map(|member| {
        let behind = lowest;
        lowest = lowest.min(member.seen.producer_epoch);
        behind
    });
    let mut all: Vec<_> = backwards.collect();
    all.reverse();
    all
}

/// The ways among a number of writers.
struct Among<'a> {
    members: &'a [Member],
    /// Of each member the lowest epoch of those behind it.
    lowest_behind: &'a [ProducerEpoch],
    pieces: &'a [Piece],
    known: &'a Known,
    expiration_ms: i64,
    most: usize,
}

impl Among<'_> {
    /// All nodes, piece by piece, and whether there were too many; `None` where so many writers
    /// contradict what clients do and one more need not.
    fn layers(&self) -> Option<(Vec<Vec<Node>>, bool)> {
        let mut is_cut_short = false;
        let mut layers: Vec<Vec<Node>> = Vec::with_capacity(self.pieces.len());
        for (place, piece) in self.pieces.iter().enumerate() {
            let step = Step {
                members: self.members,
                lowest_behind: self.lowest_behind,
                piece,
                decided: self.known.decided.get(&place).copied(),
                known: self.known.writers,
                in_any_order: self.known.in_any_order,
                expiration_ms: self.expiration_ms,
                most: self.most,
            };
            let layer = step.layer(layers.last(), &mut is_cut_short);
            let is_broken = layer.first().is_some_and(|node| node.cost.broken > 0);
            if is_broken && self.most < MOST_WRITERS {
                return None;
            }
            layers.push(layer);
        }
        Some((layers, is_cut_short))
    }
}

/// The step to one piece.
struct Step<'a> {
    members: &'a [Member],
    lowest_behind: &'a [ProducerEpoch],
    piece: &'a Piece,
    decided: Option<usize>,
    /// How many writers are known of.
    known: usize,
    in_any_order: bool,
    expiration_ms: i64,
    /// How many writers there may be.
    most: usize,
}

impl Step<'_> {
    fn layer(&self, before: Option<&Vec<Node>>, is_cut_short: &mut bool) -> Vec<Node> {
        let mut nodes: HashMap<(Vec<Writer>, usize), Node> = HashMap::new();
        let root = [Node {
            writers: Vec::new(),
            by: 0,
            cost: Cost::default(),
            edges: Vec::new(),
        }];
        let before: &[Node] = before.map_or(&root, Vec::as_slice);
        for (from, node) in before.iter().enumerate() {
            for (writer, link, cost) in self.edges_of(node) {
                let mut writers = node.writers.clone();
                self.take(&mut writers, writer);
                let total = node.cost.plus(cost);
                let key = (writers.clone(), writer);
                let next = nodes.entry(key).or_insert(Node {
                    writers,
                    by: writer,
                    cost: total,
                    edges: Vec::new(),
                });
                next.cost = next.cost.min(total);
                next.edges.push(Edge {
                    from,
                    writer,
                    link,
                    cost,
                });
            }
        }
        let mut nodes: Vec<Node> = nodes.into_values().collect();
        let order = |node: &Node| {
            let last = |writer: &Writer| writer.last;
            let lasts: Vec<usize> = node.writers.iter().map(last).collect();
            (node.cost, node.by, lasts)
        };
        nodes.sort_by_cached_key(order);
        let broken = nodes.first().map_or(0, |node| node.cost.broken);
        nodes.retain(|node| node.cost.broken == broken);
        *is_cut_short |= nodes.len() > MOST_NODES;
        nodes.truncate(MOST_NODES);
        nodes
    }

    /// Who could have written the piece where things stand as in `node`.
    fn edges_of(&self, node: &Node) -> Vec<(usize, Link, Cost)> {
        let count = node.writers.len();
        let one_more = usize::from(count < self.most);
        let all = 0..count + one_more;
        let asked = self.decided.or_else(|| self.sole(node));
        let allowed = all.filter(|writer| asked.is_none_or(|asked| asked == *writer));
        let edges: Vec<_> = allowed
            .filter_map(|writer| {
                let link = self.link(node, writer)?;
                Some((writer, link, self.cost(node, writer, link)))
            })
            .collect();
        if !edges.is_empty() {
            return edges;
        }
        // Nobody can have, or only one who was not decided for.
        let writer = self.decided.unwrap_or(node.by).min(count);
        let cost = Cost {
            broken: 1,
            writers: self.surplus(node, writer),
            doubt: 0,
        };
        vec![(writer, Link::Decided, cost)]
    }

    /// Whose a marker is that comes for the one open transaction under the leader of its last
    /// batch: a cluster gives an id to one producer, and that one's coordinator alone writes
    /// markers. Two sources of a mirror may have the same leader epoch, so this is not said where
    /// more writers are known of, nor of a marker behind which an epoch below its own goes on: it
    /// may be that of somebody else who left nothing but this.
    fn sole(&self, node: &Node) -> Option<usize> {
        if self.known > 1 {
            return None;
        }
        let member = self.member()?;
        let lowest_behind = self.lowest_behind.get(*self.piece.places.first()?)?;
        if *lowest_behind < member.seen.producer_epoch {
            return None;
        }
        let last = node.writers.get(node.by)?;
        let before = self.members.get(last.last)?;
        let ends = |writer: &&Writer| writer.link(member) == Some(Link::Ends);
        let is_sole = ends(&last)
            && node.writers.iter().filter(ends).count() == 1
            && !member.is_elsewhere(before, self.expiration_ms);
        is_sole.then_some(node.by)
    }

    fn link(&self, node: &Node, writer: usize) -> Option<Link> {
        let member = self.member()?;
        match node.writers.get(writer) {
            None => Some(Link::Begins),
            Some(known) if self.in_any_order => known.link_in_any_order(member),
            Some(known) => known.link(member),
        }
    }

    fn cost(&self, node: &Node, writer: usize, link: Link) -> Cost {
        let mut doubt = link.doubt();
        if let Some(member) = self.member() {
            let known = node.writers.get(writer);
            if known.is_some_and(|known| known.is_later_than(member)) {
                doubt += EARLIER;
            }
            if link == Link::Begins && member.seen.base_sequence.0 != 0 {
                doubt += NOT_AT_ZERO;
            }
            if self.is_turn(node, writer) {
                doubt += TURN;
            }
        }
        Cost {
            broken: 0,
            writers: self.surplus(node, writer),
            doubt,
        }
    }

    /// 1 where a piece of `writer` brings in one more than are known of.
    fn surplus(&self, node: &Node, writer: usize) -> u32 {
        u32::from(writer == node.writers.len() && writer >= self.known)
    }

    /// Whether the piece follows on another writer's batch under the same leader.
    fn is_turn(&self, node: &Node, writer: usize) -> bool {
        let last = node.writers.get(node.by);
        let before = last.and_then(|last| self.members.get(last.last));
        let Some(((last, before), member)) = last.zip(before).zip(self.member()) else {
            return false;
        };
        writer != node.by
            && !member.is_elsewhere(before, self.expiration_ms)
            && matches!(
                last.link(member),
                Some(Link::Follows | Link::NewEpoch | Link::Ends)
            )
    }

    fn member(&self) -> Option<&Member> {
        self.members.get(*self.piece.places.first()?)
    }

    fn take(&self, writers: &mut Vec<Writer>, writer: usize) {
        let places = self.piece.places.iter();
        for (place, member) in places.filter_map(|place| Some((*place, self.members.get(*place)?)))
        {
            match writers.get_mut(writer) {
                Some(known) => known.take(member, place),
                None => writers.push(Writer::begin(member, place)),
            }
        }
    }
}

/// All who may have written each piece.
fn backwards(layers: &[Vec<Node>]) -> Vec<Vec<Candidate>> {
    let mut rest = vec![Cost::default(); layers.last().map_or(0, Vec::len)];
    let ends = layers.last().into_iter().flatten().map(|node| node.cost);
    let best = ends.min().unwrap_or_default();
    let mut all = Vec::with_capacity(layers.len());
    for (at, layer) in layers.iter().enumerate().rev() {
        let before = at.checked_sub(1).and_then(|at| layers.get(at));
        let mut behind: Vec<Option<Cost>> = vec![None; before.map_or(1, Vec::len)];
        let mut found: BTreeMap<usize, Candidate> = BTreeMap::new();
        for (node, rest) in layer.iter().zip(&rest) {
            for edge in &node.edges {
                let onward = edge.cost.plus(*rest);
                if let Some(place) = behind.get_mut(edge.from) {
                    *place = Some(place.map_or(onward, |known| known.min(onward)));
                }
                let from = before.and_then(|before| before.get(edge.from));
                let total = from.map_or(Cost::default(), |from| from.cost).plus(onward);
                if !total.stands_beside(best) {
                    continue;
                }
                let candidate = Candidate {
                    writer: edge.writer,
                    link: edge.link,
                    doubt: total.doubt - best.doubt,
                };
                let known = found.entry(edge.writer).or_insert(candidate);
                if candidate.doubt < known.doubt {
                    *known = candidate;
                }
            }
        }
        let mut candidates: Vec<Candidate> = found.into_values().collect();
        candidates.sort_by_key(|candidate| (candidate.doubt, candidate.writer));
        all.push(candidates);
        let dead = Cost {
            broken: u32::MAX,
            ..Cost::default()
        };
        rest = behind
            .into_iter()
            .map(|cost| cost.unwrap_or(dead))
            .collect();
    }
    all.reverse();
    all
}

/// The writers of the best way.
fn likeliest(layers: &[Vec<Node>]) -> Vec<usize> {
    let mut writers = Vec::with_capacity(layers.len());
    let mut at = 0;
    for (place, layer) in layers.iter().enumerate().rev() {
        // Nodes are sorted: the first of the last layer is the best.
        let Some(node) = layer.get(at) else { break };
        writers.push(node.by);
        let before = place.checked_sub(1).and_then(|place| layers.get(place));
        let cost = |edge: &Edge| {
            let from = before.and_then(|before| before.get(edge.from));
            from.map_or(edge.cost, |from| from.cost.plus(edge.cost))
        };
        let best = node.edges.iter().min_by_key(|edge| (cost(edge), edge.from));
        at = best.map_or(0, |edge| edge.from);
    }
    writers.reverse();
    writers
}
