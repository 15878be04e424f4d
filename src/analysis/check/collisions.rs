//! Ids that two writers share, and barriers that should have parted them.

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use super::producers::Producers;
use crate::analysis::event_verdict::Severity;
use crate::analysis::strands::{self, Boundary, Grade, Report, Seen, Stop};
use crate::format::number::Offset;

/// A mirror raises the leader epoch by steps of 10 and keeps it 3 above the source's at least.
const RISE_OF_A_MIRROR: i32 = 3;

/// Tells what the strands of a log show.
pub(super) fn tell(report: &Report, producers: &Producers, ledger: &mut Ledger<'_>) {
    for finding in &report.findings {
        ledger.add(collision(finding, producers));
        if let Some(missing) = missing_between(finding, report, producers) {
            ledger.add(missing);
        }
    }
    if report.left_out > 0 {
        let text = format!(
            "{} more ids that two writers share or seem to are not told",
            report.left_out
        );
        let path = producers.path_of(Offset(i64::MAX));
        let code = FindingCode::PidCollision;
        ledger.add(Finding::new(code, Severity::Warning, path, text));
    }
    guessed_stops(report, producers, ledger);
}

fn place(what: &'static str, seen: &Seen, producers: &Producers) -> Evidence {
    Evidence {
        what,
        path: Some(producers.path_of(seen.base_offset).to_owned()),
        offset: Some(seen.base_offset),
        stored: Some(format!(
            "epoch {}{}, leader epoch {}, time {}",
            seen.producer_epoch,
            match seen.base_sequence.0 {
                // A marker has none.
                ..0 => String::new(),
                first => format!(", sequences {first} to {}", seen.last_sequence),
            },
            seen.partition_leader_epoch,
            seen.max_timestamp
        )),
        ..Evidence::default()
    }
}

fn collision(found: &strands::Finding, producers: &Producers) -> Finding {
    let severity = match found.grade {
        Grade::Certain => Severity::Error,
        Grade::Likely => Severity::Warning,
        Grade::Possible => Severity::Note,
    };
    let signs: Vec<_> = found.evidence.iter().map(|one| one.sign.name()).collect();
    let mut text = format!(
        "two writers under producer id {} ({}, confidence {:.2}): {} in offsets {} to {}; signs \
         (docs/collisions.md): {}",
        found.producer_id,
        found.grade,
        found.confidence,
        match found.strand_count {
            1 => "1 strand of batches".to_owned(),
            count => format!("{count} strands of batches"),
        },
        found.section.first_offset,
        found.section.end_offset.plus(-1),
        signs.join(", ")
    );
    let deciders = found.deciders();
    if !deciders.is_empty() {
        text += &format!("; what would decide: {}", deciders.join("; "));
    }
    let path = producers.path_of(found.offset());
    let mut finding = Finding::new(FindingCode::PidCollision, severity, path, text)
        .with_offset(found.offset())
        .with_producer(found.producer_id);
    // Many signs of a pair of batches name the two once each.
    for one in &found.evidence {
        let before = place("batch before", &one.earlier, producers);
        for evidence in [before, place(one.sign.name(), &one.later, producers)] {
            if !finding.evidence.contains(&evidence) {
                finding.evidence.push(evidence);
            }
        }
    }
    finding
}

/// A collision whose strands lie on both sides of a rise of the leader epoch, with no barrier
/// between: where a mirror stops, a barrier should have parted them.
fn missing_between(
    found: &strands::Finding,
    report: &Report,
    producers: &Producers,
) -> Option<Finding> {
    if found.grade == Grade::Possible {
        return None;
    }
    let parts = |boundary: &&Boundary| {
        let rises = matches!(boundary.stop, Stop::LeaderEpochRise { .. });
        let mut pairs = found.evidence.iter();
        rises
            && pairs.any(|one| {
                one.earlier.last_offset < boundary.offset
                    && boundary.offset <= one.later.base_offset
            })
    };
    let boundary = report.risk.boundaries.iter().find(parts)?;
    let text = format!(
        "producer id {} has one writer before the leader epoch rose and another behind, as where a \
         mirror stops, and no barrier (MIRROR_PID_RESET) parts them",
        found.producer_id
    );
    Some(of_boundary(boundary, Severity::Warning, text, producers).with_producer(found.producer_id))
}

fn of_boundary(
    boundary: &Boundary,
    severity: Severity,
    text: String,
    producers: &Producers,
) -> Finding {
    let path = producers.path_of(boundary.offset);
    let finding = Finding::new(FindingCode::BarrierMissing, severity, path, text)
        .with_offset(boundary.offset);
    match boundary.stop {
        Stop::LeaderEpochRise { from, to } => {
            finding.resting_on(Evidence::values("partitionLeaderEpoch", &to, &from))
        }
        Stop::Barrier => finding,
    }
}

/// In a log that has barriers, a rise of the leader epoch by as much as a mirror raises it which no
/// barrier follows.
fn guessed_stops(report: &Report, producers: &Producers, ledger: &mut Ledger<'_>) {
    let boundaries = &report.risk.boundaries;
    let barriers = boundaries.iter().filter(|one| one.stop == Stop::Barrier);
    // Where some barriers were not kept, what follows a rise is not known.
    if report.risk.barriers == 0 || barriers.count() as u64 != report.risk.barriers {
        return;
    }
    for (place, boundary) in boundaries.iter().enumerate() {
        let Stop::LeaderEpochRise { from, to } = boundary.stop else {
            continue;
        };
        let is_barrier = |one: &&Boundary| one.stop == Stop::Barrier;
        let before = place.checked_sub(1).and_then(|place| boundaries.get(place));
        let is_behind_one = before
            .filter(is_barrier)
            .is_some_and(|barrier| barrier.offset.plus(1) == boundary.offset);
        let is_followed = boundaries.get(place + 1).filter(is_barrier).is_some();
        let is_small = to.0.saturating_sub(from.0) < RISE_OF_A_MIRROR;
        if is_behind_one || is_followed || is_small {
            continue;
        }
        let text = format!(
            "the leader epoch rose from {from} to {to}, and no barrier follows before the next \
             rise: mirroring may have stopped here without one; the mirror's records of its stops \
             (__mirror_state) would decide"
        );
        ledger.add(of_boundary(boundary, Severity::Note, text, producers));
    }
}
