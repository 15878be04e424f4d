//! What `inspect-snapshot` finds, as lines on stderr.

use kfsck::analysis::snapshot_comparison::{Cause, Difference, Outcome};
use kfsck::analysis::snapshot_health::position_of;
use kfsck::analysis::snapshot_replay::Compared;
use kfsck::format::producer_snapshot::Version;
use kfsck::report::snapshot::{self, View};

use super::session::Session;

/// What is wrong with the bytes.
pub(super) fn tell_health(view: &View<'_>, session: &mut Session) {
    for damage in &view.health.damage {
        session.damage(view.path, damage);
    }
    let Some(snapshot) = &view.health.snapshot else {
        return;
    };
    if let Some(tail) = &snapshot.stale_tail {
        let message = format!(
            "the checksum holds for the first {} bytes: a shorter snapshot was written over a \
             longer one; every entry is right",
            tail.start
        );
        session.note(view.path, &message);
    }
    if snapshot.version == Version::V2 {
        let message = "version 2, written only by the bit-field prototype of cluster mirroring; a \
                       stock broker deletes the file and rebuilds the state from the log";
        session.note(view.path, &message);
    }
}

/// What is not as the log has it.
pub(super) fn tell_comparison(view: &View<'_>, compared: &Compared, session: &mut Session) {
    match compared {
        Compared::Unreadable => {}
        Compared::BehindLogEnd(end) => {
            let message = format!(
                "the log ends at {end}, below the snapshot's offset: records were lost, or this \
                 is another log's; a broker deletes the file when it starts"
            );
            session.finding(view.path, 0, "snapshot-stray", &message);
        }
        Compared::BelowFirstSegment(first) => {
            let message = format!("not compared: the log begins at {first}, above its offset");
            session.note(view.path, &message);
        }
        Compared::Differences(differences) => tell_differences(view, differences, session),
    }
}

fn tell_differences(view: &View<'_>, differences: &[Difference], session: &mut Session) {
    let (legal, wrong): (Vec<_>, Vec<_>) = differences
        .iter()
        .partition(|difference| difference.is_legal());
    let barrier = |difference: &&Difference| match difference.cause {
        Some(Cause::BeforeBarrier(barrier)) => Some(barrier),
        _ => None,
    };
    let (before, other): (Vec<_>, Vec<_>) =
        wrong.into_iter().partition(|one| barrier(one).is_some());
    if let Some(first) = before.first()
        && let Some(offset) = barrier(first)
    {
        let message = format!(
            "holds producers from before the barrier at offset {offset}, as a broker writes it \
             that does not obey barriers: {}",
            snapshot::summary(&before)
        );
        let position = position(view, first);
        session.finding(view.path, position, "snapshot-before-barrier", &message);
    }
    if let Some(first) = other.first() {
        let is = |outcome| other.iter().filter(|one| one.outcome == outcome).count();
        let message = format!(
            "not what a replay of the log gives: {} missing, {} extra, {} different; producers {}",
            is(Outcome::Missing),
            is(Outcome::Extra),
            is(Outcome::Differs),
            snapshot::summary(&other)
        );
        let position = position(view, first);
        session.finding(view.path, position, "snapshot-mismatch", &message);
    }
    if !legal.is_empty() {
        let message = format!(
            "legal differences from the log (retention, compaction or expiry): producers {}",
            snapshot::summary(&legal)
        );
        session.note(view.path, &message);
    }
}

/// Where the producer's entry lies; the count's place where it has none.
fn position(view: &View<'_>, difference: &Difference) -> u64 {
    const COUNT: u64 = 6;
    let Some(snapshot) = &view.health.snapshot else {
        return COUNT;
    };
    let mut entries = snapshot.entries.iter();
    let index = entries.rposition(|entry| entry.producer_id == difference.producer_id);
    index
        .and_then(|index| position_of(snapshot, index))
        .unwrap_or(COUNT)
}
