//! What `kfsck pid` answers, as text or as a JSON document.

use std::fmt::Write as _;

use super::json::{Object, WideIntegers, array};
use crate::analysis::mapping_edges::Edge;
use crate::analysis::region_odds::{Odds, REGIONS};
use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::{Mapping, Reading, Region};

/// The version of the JSON documents.
const SCHEMA: i64 = 1;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Sentences and tables.
    Text,
    /// One JSON document.
    Json(WideIntegers),
}

/// An id that was mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// The id on the source cluster.
    pub original: ProducerId,
    /// How it was mapped.
    pub mapping: Mapping,
    /// The source cluster's id as it was given; a negation does not look at it.
    pub cluster_id: Option<String>,
    /// What was added to the cluster's region, in a bit-field mapping.
    pub salt: i64,
}

/// The clusters that make a probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// The probability that was asked for.
    pub asked: f64,
    /// The number of clusters that comes nearest to it.
    pub nearest: Odds,
    /// The fewest clusters that reach it.
    pub least: Odds,
}

/// The name of a mapping, as options and JSON have it.
#[must_use]
pub const fn strategy(mapping: Mapping) -> &'static str {
    match mapping {
        Mapping::Negate => "negate",
        Mapping::NegateIdempotent => "negate-idempotent",
        Mapping::BitField(_) => "bit-field",
    }
}

/// What an edge means for an id, in one sentence.
#[must_use]
pub fn edge_message(edge: Edge, id: ProducerId) -> String {
    match edge {
        Edge::Passes if id == ProducerId::NONE => {
            "-1 stands for no producer and is not mapped".to_owned()
        }
        Edge::Passes => format!("{id} is below 0 and passes as it is"),
        Edge::Aliased(of) => {
            format!("{id} has more than 31 bits: it becomes what {of} becomes")
        }
        Edge::BecomesNone => {
            "the result is -1, which stands for no producer: the batches of an idempotent producer \
             seem to have none"
                .to_owned()
        }
        Edge::IsNegation(of) => format!(
            "the result is also -({of} + 2), the negation of {of}: the logs of both designs cannot \
             be told apart here"
        ),
        Edge::IsBitField(Region(region)) => {
            format!("the result is also a bit-field id of region {region}")
        }
        Edge::BecomesLeast => "the result is the least 64-bit number, which has no opposite: who \
                               negates it gets it back"
            .to_owned(),
        Edge::BecomesLocal => "the result is not below 0: a local producer of the destination \
                               may have it"
            .to_owned(),
    }
}

const fn edge_code(edge: Edge) -> &'static str {
    match edge {
        Edge::Passes => "passes",
        Edge::Aliased(_) => "aliased",
        Edge::BecomesNone => "becomes-none",
        Edge::IsNegation(_) => "also-negation",
        Edge::IsBitField(_) => "also-bit-field",
        Edge::BecomesLeast => "least-number",
        Edge::BecomesLocal => "becomes-local",
    }
}

/// The answer of `pid map`.
#[must_use]
pub fn map(mapped: &Mapped, form: Form) -> Vec<u8> {
    match form {
        Form::Text => map_text(mapped).into_bytes(),
        Form::Json(wide) => map_json(mapped, wide),
    }
}

fn map_text(mapped: &Mapped) -> String {
    let id = mapped.mapping.map(mapped.original);
    let mut text = format!(
        "{} becomes {id} ({}) by {}\n",
        mapped.original,
        hex(id),
        strategy(mapped.mapping)
    );
    let Mapping::BitField(region) = mapped.mapping else {
        return text;
    };
    let salt = match mapped.salt {
        0 => String::new(),
        salt => format!(" with salt {salt}"),
    };
    let cluster_id = mapped.cluster_id.as_deref().unwrap_or_default();
    let _ = writeln!(
        text,
        "cluster {cluster_id}{salt}: region {} (0x{:08X})",
        region.0, region.0
    );
    if mapped.original.0 >= 0 {
        push_fields(id, &mut text);
    }
    text
}

/// The three fields of a bit-field id, bit by bit.
fn push_fields(id: ProducerId, text: &mut String) {
    let bits = format!("{:064b}", id.0);
    let (sign, rest) = bits.split_at(1);
    let (region, low) = rest.split_at(32);
    let _ = writeln!(text, "\n  sign  {:32}  low 31 bits", "region");
    let _ = writeln!(text, "  {sign:4}  {region}  {low}");
}

fn map_json(mapped: &Mapped, wide: WideIntegers) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.int("schema", SCHEMA);
    object.text("strategy", strategy(mapped.mapping));
    match &mapped.cluster_id {
        Some(id) => object.text("clusterId", id),
        None => object.null("clusterId"),
    }
    if let Mapping::BitField(region) = mapped.mapping {
        object.int("salt", mapped.salt);
        object.int("region", region.0);
    }
    object.wide_id("originalProducerId", mapped.original.0);
    object.producer_id(mapped.mapping.map(mapped.original).0);
    let edges = Edge::all_of(mapped.mapping, mapped.original);
    for (name, is_warning) in [("warnings", true), ("notes", false)] {
        let chosen = edges.iter().filter(|edge| edge.is_warning() == is_warning);
        array(object.name(name), chosen, |edge, out| {
            let mut object = Object::open(out, wide);
            object.text("code", edge_code(*edge));
            object.text("message", &edge_message(*edge, mapped.original));
            object.close();
        });
    }
    object.close_line();
    out
}

/// The answer of `pid explain`.
#[must_use]
pub fn explain(id: ProducerId, form: Form) -> Vec<u8> {
    match form {
        Form::Text => explain_text(id).into_bytes(),
        Form::Json(wide) => explain_json(id, wide),
    }
}

fn explain_text(id: ProducerId) -> String {
    let mut text = format!("{id} ({}) can be\n", hex(id));
    for reading in Reading::all_of(id) {
        let (kind, meaning) = (reading_kind(reading), reading_meaning(reading, id));
        let _ = writeln!(text, "  {kind:9}  {meaning}");
    }
    let state = if id.0 < 0 {
        "; a stock broker keeps no state for it"
    } else {
        ""
    };
    let _ = writeln!(text, "By its value it counts as {}{state}.", id.origin());
    text
}

const fn reading_kind(reading: Reading) -> &'static str {
    match reading {
        Reading::Local => "local",
        Reading::None => "none",
        Reading::Negation(_) => "negation",
        Reading::BitField { .. } => "bit-field",
    }
}

fn reading_meaning(reading: Reading, id: ProducerId) -> String {
    match reading {
        Reading::Local => "an id that a controller gave out".to_owned(),
        Reading::None => "no producer".to_owned(),
        Reading::Negation(of) if id.0 >= 0 => {
            format!("-({of} + 2), the negation of {of}: negated a second time")
        }
        Reading::Negation(of) => format!("-({of} + 2), the negation of {of}"),
        Reading::BitField { region, low_bits } => format!(
            "region {} (0x{:08X}), low 31 bits {low_bits}",
            region.0, region.0
        ),
    }
}

fn explain_json(id: ProducerId, wide: WideIntegers) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.int("schema", SCHEMA);
    object.producer_id(id.0);
    object.text("origin", id.origin());
    let readings = Reading::all_of(id);
    array(object.name("readings"), readings.iter(), |reading, out| {
        let mut object = Object::open(out, wide);
        object.text("kind", reading_kind(*reading));
        match *reading {
            Reading::Local | Reading::None => {}
            Reading::Negation(of) => object.producer_id(of.0),
            Reading::BitField { region, low_bits } => {
                object.int("region", region.0);
                object.int("low31Bits", low_bits);
            }
        }
        object.close();
    });
    object.close_line();
    out
}

/// The answer of `pid odds --clusters`.
#[must_use]
pub fn odds(odds: Odds, form: Form) -> Vec<u8> {
    match form {
        Form::Text => format!(
            "{}: two of them share a region with probability {}\n",
            counted(odds.clusters),
            probability_text(odds)
        )
        .into_bytes(),
        Form::Json(wide) => odds_json(wide, |object| {
            object.uint("clusters", odds.clusters);
            object.decimal("probability", odds.probability);
        }),
    }
}

fn counted(clusters: u64) -> String {
    match clusters {
        1 => "1 cluster".to_owned(),
        _ => format!("{clusters} clusters"),
    }
}

/// The answer of `pid odds --probability`.
#[must_use]
pub fn reached(reached: Reached, form: Form) -> Vec<u8> {
    let Reached {
        asked,
        nearest,
        least,
    } = reached;
    match form {
        Form::Text => format!(
            "nearest to {asked}: {}, probability {}\n\
             the fewest to reach it: {}, probability {}\n",
            counted(nearest.clusters),
            probability_text(nearest),
            counted(least.clusters),
            probability_text(least)
        )
        .into_bytes(),
        Form::Json(wide) => odds_json(wide, |object| {
            object.decimal("askedProbability", asked);
            object.uint("clusters", nearest.clusters);
            object.decimal("probability", nearest.probability);
            object.uint("leastClusters", least.clusters);
            object.decimal("leastProbability", least.probability);
        }),
    }
}

fn odds_json(wide: WideIntegers, fields: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.int("schema", SCHEMA);
    object.uint("regions", REGIONS);
    fields(&mut object);
    object.close_line();
    out
}

/// A probability with seven digits, as a share of a hundred where that reads well, and as one in
/// how many.
fn probability_text(odds: Odds) -> String {
    let probability = odds.probability;
    if odds.clusters > REGIONS {
        return "1 (certain)".to_owned();
    }
    // What is left to 1 has few digits that a double can tell.
    let left = 1.0 - probability;
    if left < 1e-14 {
        return "above 1 - 1e-14".to_owned();
    }
    if left < 1e-6 {
        return format!("1 - {left:.2e}");
    }
    if probability == 0.0 {
        return "0".to_owned();
    }
    if probability < 0.001 {
        return format!("{probability:.6e} (1 in {:.0})", 1.0 / probability);
    }
    format!("{probability:.7} ({:.1} %)", probability * 100.0)
}

fn hex(id: ProducerId) -> String {
    format!("0x{:016X}", id.0)
}
