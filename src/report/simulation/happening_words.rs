//! What happens in a run, in words.

use super::names::Names;
use crate::simulate::happening::{By, Happening, Site};
use crate::simulate::harm::Harm;
use crate::simulate::stored::Stored;
use crate::state::batch::Control;

/// One batch: what it is, its offsets, its producer's numbers, whose it is.
pub(super) fn batch(stored: &Stored, id: &str, names: &Names<'_>) -> String {
    let batch = &stored.batch;
    let offsets = range("offset", batch.base_offset.0, batch.last_offset.0);
    let kind = match &stored.control {
        Some(Control::MirrorPidReset) => return format!("MIRROR_PID_RESET, {offsets}"),
        Some(Control::Marker(marker)) if marker.is_abort => "ABORT, ",
        Some(Control::Marker(_)) => "COMMIT, ",
        _ if batch.is_transactional => "transactional, ",
        _ => "",
    };
    let whose = names.author(stored).unwrap_or_default();
    let mut out = format!("{kind}{offsets}, ");
    if batch.producer_id.0 == -1 {
        out += "no id";
    } else {
        out += &format!("id {id}, epoch {}", batch.producer_epoch);
    }
    if batch.base_sequence.0 >= 0 {
        let sequences = range(
            "sequence",
            batch.base_sequence.0.into(),
            batch.last_sequence.0.into(),
        );
        out += &format!(", {sequences}");
    }
    format!("{out} ({whose})")
}

fn range(noun: &str, first: i64, last: i64) -> String {
    match first == last {
        true => format!("{noun} {first}"),
        false => format!("{noun}s {first} to {last}"),
    }
}

/// By which way batches come to a log.
pub(super) fn way(by: By, names: &Names<'_>) -> String {
    match by {
        By::Client => "appended".to_owned(),
        By::Coordinator => "appended by the coordinator".to_owned(),
        By::Mirror(source) => format!("mirrored from {}", names.cluster(source)),
        By::MirrorStop => "appended at the stop".to_owned(),
        By::Follower => "fetched from the leader".to_owned(),
    }
}

/// A harm in one sentence without a full stop.
pub(super) fn harm(harm: &Harm) -> String {
    let at = harm
        .offset
        .map_or_else(String::new, |offset| format!(" at offset {offset}"));
    format!("{}{at}: {}", harm.kind.name(), harm.detail)
}

/// What happens to a partition that is neither an append nor an answer; `None` for those.
pub(super) fn event(happening: &Happening, names: &Names<'_>) -> Option<String> {
    Some(match happening {
        Happening::Link { source, state, .. } => {
            format!("mirror of {}: {}", names.cluster(*source), state.name())
        }
        Happening::Truncated { from, to, .. } => format!("cut from offset {from} to {to}"),
        Happening::Led {
            site, leader_epoch, ..
        } => format!(
            "replica {} leads in leader epoch {leader_epoch}",
            site.replica
        ),
        Happening::Salted {
            original_id,
            producer_id,
            salt,
            ..
        } => format!(
            "{} would collide: salt {salt} makes it {}",
            names.id(*original_id),
            names.full_id(*producer_id)
        ),
        _ => return None,
    })
}

/// Where it happens, of what happens in a partition.
pub(super) const fn site(happening: &Happening) -> Option<&Site> {
    match happening {
        Happening::Appended { site, .. }
        | Happening::Acknowledged { site, .. }
        | Happening::Refused { site, .. }
        | Happening::Link { site, .. }
        | Happening::Truncated { site, .. }
        | Happening::Led { site, .. }
        | Happening::Salted { site, .. } => Some(site),
        Happening::Step(_)
        | Happening::IdGiven { .. }
        | Happening::Restarted { .. }
        | Happening::Harm(_) => None,
    }
}
