//! `kfsck pid`: what mirroring makes of producer ids, by arithmetic alone; no file is read.

use clap::error::ErrorKind;
use clap::{Args, Subcommand, ValueEnum};
use kfsck::analysis::mapping_edges::Edge;
use kfsck::analysis::region_odds::Odds as RegionOdds;
use kfsck::format::cluster_id;
use kfsck::format::malformed::Malformed;
use kfsck::format::number::ProducerId;
use kfsck::format::producer_id_mapping::{Mapping, Region};
use kfsck::report::pid::{self, Form, Mapped, Reached};

use super::output::OutputOptions;
use super::session::Session;

/// Map producer ids as mirroring designs do, explain ids, compute odds of collisions
///
/// Drafts of Cluster Mirroring (KIP-1279) gave mirrored batches other producer ids: negated, or
/// with 32 bits of the source cluster's id beside 31 bits of the producer's (bit-field). These
/// commands do that arithmetic and read no file.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true, subcommand_required = true)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  kfsck pid map --pid 5 --cluster-id ABEiM0RVZneImaq7zN3u_w
  kfsck pid explain -7
  kfsck pid odds --clusters 1000"
)]
pub(super) struct Pid {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Map(Map),
    Explain(Explain),
    Odds(Odds),
}

/// Print what a mapping makes of a producer id
///
/// A warning, and exit code 1, tells where the mapping loses or confuses something: an id of more
/// than 31 bits, a result that is -1, that is the least 64-bit number, that could be a negation as
/// well, or that is not below 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck pid map --pid 5 --cluster-id ABEiM0RVZneImaq7zN3u_w
  kfsck pid map --pid -7 --strategy negate
  kfsck pid map --pid 5 --cluster-id 7YlvJLFmRy2ZQ9tBN3Ofiw --salt 1")]
struct Map {
    /// The producer's id on the source cluster; also 0x and 16 hexadecimal digits
    #[arg(long, value_name = "N", value_parser = parse_id, allow_negative_numbers = true)]
    pid: ProducerId,

    /// The source cluster's id: 22 characters of URL-safe base 64, a UUID, or 32 hex digits
    ///
    /// A bit-field id needs it; a negation does not look at it.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cluster_id: Option<String>,

    /// The mapping
    #[arg(long, value_enum, value_name = "NAME", default_value = "bit-field")]
    strategy: Strategy,

    /// Added to the cluster's region, as after a collision; bit-field only
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    salt: i64,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Strategy {
    /// -(id + 2), of every id
    Negate,
    /// -(id + 2), of ids from 0 up
    NegateIdempotent,
    /// Sign, 32 bits of the cluster's id, low 31 bits of the producer's; of ids from 0 up
    BitField,
}

/// Print everything that a producer id can be
///
/// Its value alone says what it can be, not what it is: a negative id can be a negation or a
/// bit-field id.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck pid explain -9223371946660462587
  kfsck pid explain -7
  kfsck pid explain 0x8000001500000005 --format json")]
struct Explain {
    /// The producer id; also 0x and 16 hexadecimal digits
    #[arg(value_name = "N", value_parser = parse_id, allow_negative_numbers = true)]
    id: ProducerId,

    #[command(flatten)]
    output: OutputOptions,
}

/// Compute how likely two of some clusters share a region of bit-field ids
///
/// Exact, not the usual approximation. A shared region does harm once both clusters have a
/// producer with the same low 31 bits; ids are given out from 0, so they soon do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck pid odds --clusters 65536
  kfsck pid odds --probability 0.5
  kfsck pid odds --clusters 5 --format json")]
struct Odds {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    output: OutputOptions,
}

/// What is known: one of the two.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Question {
    /// How many source clusters there are
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    clusters: Option<u64>,

    /// The probability to be reached, above 0 and at most 1
    #[arg(long, value_name = "P", value_parser = parse_probability)]
    #[arg(allow_negative_numbers = true)]
    probability: Option<f64>,
}

impl Pid {
    /// What clap cannot tell by itself, with the names of the commands that it concerns.
    pub(super) fn validate(&self) -> Result<(), (&'static [&'static str], clap::Error)> {
        match &self.verb {
            Verb::Map(map) => map
                .validate()
                .map_err(|error| (["pid", "map"].as_slice(), error)),
            Verb::Explain(_) | Verb::Odds(_) => Ok(()),
        }
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let answer = match &self.verb {
            Verb::Map(map) => map.answer(session)?,
            Verb::Explain(explain) => pid::explain(explain.id, form(&explain.output)),
            Verb::Odds(odds) => odds.answer(),
        };
        Ok(session.write(&answer)?)
    }
}

fn form(output: &OutputOptions) -> Form {
    match output.json() {
        Some(wide) => Form::Json(wide),
        None => Form::Text,
    }
}

impl Map {
    fn validate(&self) -> Result<(), clap::Error> {
        let wrong = |message| Err(clap::Error::raw(ErrorKind::ValueValidation, message));
        if self.strategy != Strategy::BitField && self.salt != 0 {
            return wrong("--salt moves a region, and only bit-field ids have one".to_owned());
        }
        if self.strategy == Strategy::BitField && self.cluster_id.is_none() {
            let kind = ErrorKind::MissingRequiredArgument;
            let message = "expected --cluster-id ID: a bit-field id holds bits of the cluster's id";
            return Err(clap::Error::raw(kind, message));
        }
        match self.mapping() {
            Ok(_) => Ok(()),
            Err(fault) => wrong(format!(
                "--cluster-id: {}; a cluster's id may be any text (KIP-78), but only 128 bits \
                 have a region",
                fault.problem
            )),
        }
    }

    fn mapping(&self) -> Result<Mapping, Malformed> {
        Ok(match self.strategy {
            Strategy::Negate => Mapping::Negate,
            Strategy::NegateIdempotent => Mapping::NegateIdempotent,
            Strategy::BitField => {
                let cluster_id = cluster_id::parse(self.cluster_id.as_deref().unwrap_or_default())?;
                Mapping::BitField(Region::of(cluster_id).salted(self.salt))
            }
        })
    }

    fn answer(&self, session: &mut Session) -> anyhow::Result<Vec<u8>> {
        let mapped = Mapped {
            original: self.pid,
            mapping: self.mapping()?,
            cluster_id: self.cluster_id.clone(),
            salt: self.salt,
        };
        for edge in Edge::all_of(mapped.mapping, mapped.original) {
            let message = pid::edge_message(edge, mapped.original);
            if edge.is_warning() {
                session.warning(&message);
            } else {
                session.remark(&message);
            }
        }
        Ok(pid::map(&mapped, form(&self.output)))
    }
}

impl Odds {
    fn answer(&self) -> Vec<u8> {
        let form = form(&self.output);
        let Question {
            clusters,
            probability,
        } = self.question;
        match probability {
            Some(asked) => {
                let nearest = RegionOdds::nearest(asked);
                let least = RegionOdds::reaching(asked);
                pid::reached(
                    Reached {
                        asked,
                        nearest,
                        least,
                    },
                    form,
                )
            }
            None => pid::odds(RegionOdds::of(clusters.unwrap_or_default()), form),
        }
    }
}

/// A 64-bit id: decimal, or the hexadecimal form in which JSON has wide ids.
fn parse_id(text: &str) -> Result<ProducerId, String> {
    let id = match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => {
            u64::from_str_radix(digits, 16).map(u64::cast_signed)
        }
        _ => text.parse(),
    };
    id.map(ProducerId).map_err(|_| {
        "expected a number of 64 bits with its sign, or 0x and up to 16 hexadecimal digits"
            .to_owned()
    })
}

fn parse_probability(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|probability| *probability > 0.0 && *probability <= 1.0)
        .ok_or_else(|| "expected a number above 0 and at most 1, such as 0.5".to_owned())
}
