//! What to do: where each log would be cut, which one to keep and what that costs.

use super::{View, offsets};
use crate::analysis::compare::{Behind, Comparison, Divergence, Keep, Kind, Relation, Side};
use crate::report::measure::count;
use crate::report::paragraph::wrap;

/// What a kind of difference means.
pub(super) const fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::MissingInSource => "dest has batches that source has not",
        Kind::MissingInDest => "source has batches that dest has not",
        Kind::Lag => "source goes on where dest ends: what dest has not fetched yet",
        Kind::LogStart => "below the other's log start, where it was deleted",
        Kind::Content => "sound in both, under one leader epoch, and not the same",
        Kind::Diverged => "the logs part: batches of different leaders, and all behind them",
        Kind::Control => "end markers or barriers that one log alone has",
        Kind::LeaderEpoch => "the same batches under another leader epoch",
        Kind::ProducerIdMapped => "the same batches under an id that a mirroring draft maps to",
        Kind::ProducerId => "the same batches under an id that no mirroring draft maps to",
        Kind::Compacted | Kind::Hole(_) => {
            "the cleaner was there in one log and not yet in the other"
        }
        Kind::Encoding => "the same records, compressed or encoded otherwise",
        Kind::DamagedInSource => "source is damaged; the batches are those of dest",
        Kind::DamagedInDest => "dest is damaged; the batches are those of source",
        Kind::DamagedInBoth => "both are damaged at the same offsets",
    }
}

/// Writes where the logs part by leader epochs, and which one to keep.
pub(super) fn write(view: &View<'_>, out: &mut String) {
    let comparison = view.comparison;
    if comparison.differences.is_empty() {
        return;
    }
    out.push('\n');
    wrap(&by_epochs(comparison), 0, 2, out);
    if let Some(text) = keep(comparison) {
        wrap(&text, 0, 2, out);
    }
}

fn by_epochs(comparison: &Comparison) -> String {
    let [source, dest] = &comparison.lineages;
    let origin = match (source.is_from_checkpoint, dest.is_from_checkpoint) {
        (true, true) => "by leader-epoch-checkpoint",
        (false, false) => "by the batches",
        (true, false) => "by source's leader-epoch-checkpoint and dest's batches",
        (false, true) => "by source's batches and dest's leader-epoch-checkpoint",
    };
    let text = match comparison.divergence {
        None => "Leader epochs: none is common to both, so neither can follow the other from \
                 where it is"
            .to_owned(),
        Some(cut) => {
            let [source, dest] = comparison.behind;
            format!(
                "Leader epochs: the last common one is {}, up to offset {}. A source that \
                 follows dest is cut to there and {}; a dest that follows source {}",
                cut.leader_epoch,
                cut.end_offset,
                loses(source, cut, comparison.end(Side::Source)),
                loses(dest, cut, comparison.end(Side::Dest)),
            )
        }
    };
    let rewritten = match comparison.rewrites_epochs {
        true => {
            "; but this mirror writes its own epochs, so they say nothing of where the logs part"
        }
        false => "",
    };
    format!("{text} ({origin}){rewritten}.")
}

fn loses(behind: Behind, cut: Divergence, end: crate::format::number::Offset) -> String {
    match behind.batches {
        0 => "loses nothing".to_owned(),
        _ => format!(
            "loses {} (offsets {})",
            count(behind.records, "record"),
            offsets(cut.end_offset, end.plus(-1))
        ),
    }
}

fn keep(comparison: &Comparison) -> Option<String> {
    let name = |side: Side| side.name();
    Some(match comparison.keep {
        Keep::Either => return None,
        Keep::LaterLeader(side) => format!(
            "Keep {}: its last leader was elected later, and the cluster cuts the other to \
             match it. Save what the other loses before it starts.",
            name(side)
        ),
        Keep::Longer(side) => match comparison.relation {
            Relation::Mirror if side == Side::Source => {
                "Keep source: dest has nothing of its own, and fetches the rest.".to_owned()
            }
            _ => format!("Keep {}: it holds all that the other has.", name(side)),
        },
        Keep::StoppedMirror if comparison.behind[0].batches == 0 => {
            "Keep dest: the barrier says that the mirror was stopped, and source has nothing that \
             dest lacks. What dest has behind the barrier is its own."
                .to_owned()
        }
        Keep::StoppedMirror => {
            "Keep dest if its clients have moved there: the barrier says that the mirror was \
             stopped. What source has behind that was never mirrored, and a failback cuts it: \
             save it first. If dest was only tried out, keep source."
                .to_owned()
        }
        Keep::Undamaged(side) => format!(
            "Keep {}: it has all of it undamaged. Move the other directory away and let its \
             broker fetch it again.",
            name(side)
        ),
        Keep::Union => "Keep both for now: neither has all of it. `--restore-to DIR` writes their \
                        union."
            .to_owned(),
        Keep::Undecided => "Keep both for now: nothing in the two logs says which one is right. \
                            Which of them led last, and where clients wrote, decides."
            .to_owned(),
    })
}
