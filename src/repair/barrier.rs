//! `repair barrier`: the barrier of Cluster Mirroring (KIP-1279), where a mirror that stopped has
//! written none.

use super::error::{PlanError, Refusal};
use super::plan::{Plan, Verb};
use super::sound::internal_topic;
use super::tail::{Tail, procedure};
use super::terms::Terms;
use crate::format::control_batch::put_mirror_pid_reset;
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::number::Timestamp;
use crate::state::batch::Control;
use crate::state::rules::{Path, Reset};
use crate::storage::directory::PartitionDirectory;

/// What barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barrier {
    /// Its value: layout A names the source cluster, B does not.
    pub value: MirrorPidReset,
    /// Its time.
    pub timestamp: Timestamp,
}

/// Plans to append a barrier; nothing where one ends the log.
///
/// # Errors
/// A file that cannot be read; an internal topic, a log that is not sound.
pub fn plan(
    directory: &PartitionDirectory,
    barrier: &Barrier,
    terms: &Terms,
) -> Result<Plan, PlanError> {
    if let Some(topic) = internal_topic(directory.name.as_ref()) {
        return Err(PlanError::Refused {
            path: directory.path.clone(),
            refusal: Refusal::Internal(topic),
        });
    }
    let tail = Tail::read(directory, terms, &mut |_| {})?;
    if tail.last_control == Some(Control::MirrorPidReset) {
        let why = "the log ends with a barrier: one more would say nothing new".to_owned();
        return tail.nothing(Verb::Barrier, why);
    }
    let place = tail.place(barrier.timestamp);
    let open: Vec<_> = tail.manager().ongoing().collect();
    let mut bytes = Vec::new();
    put_mirror_pid_reset(place, &barrier.value, &mut bytes).map_err(|fault| {
        PlanError::Refused {
            path: directory.path.clone(),
            refusal: Refusal::Producers(fault.to_string()),
        }
    })?;
    let layout = match barrier.value {
        MirrorPidReset::Sourced { .. } => "a",
        _ => "b",
    };
    let detail = format!("a MIRROR_PID_RESET, layout {layout}");
    let control = Control::MirrorPidReset;
    let mut plan = tail.append(Verb::Barrier, bytes.clone(), &control, detail)?;
    for open in open {
        plan.warnings.push(format!(
            "a transaction of producer {} is open from offset {} on, across the barrier: `kfsck \
             repair abort` first, as a mirror that stops does",
            open.producer_id, open.first_offset
        ));
    }
    if terms.rules.reset(Path::Load) == Reset::Ignored {
        plan.warnings.push(
            "a broker of any release up to 4.4.0 passes over a barrier: it goes on knowing every \
             producer, and so does the snapshot at the new end; for brokers that obey barriers: \
             --rules barrier"
                .to_owned(),
        );
    }
    procedure(&mut plan, &bytes, place);
    Ok(plan)
}
