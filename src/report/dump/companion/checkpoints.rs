//! `leader-epoch-checkpoint` and the four offset checkpoints of a log directory.

use super::Companion;
use crate::format::{leader_epoch_checkpoint, offset_checkpoint};
use crate::report::dump::output::{Portions, Refused};
use crate::report::dump::rows::Value;
use crate::storage::damage::{Code, Damage};

pub(super) fn leader_epochs(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    for line in leader_epoch_checkpoint::entries(file.stream()) {
        let (entry, fault) = match line {
            Ok(line) => line,
            Err(fault) => return file.refused(fault, out),
        };
        let fields = [
            ("leaderEpoch", Value::Int(entry.leader_epoch.0.into())),
            ("startOffset", entry.start_offset.into()),
        ];
        out.row("epochEntry", &fields)?;
        if let Some(fault) = fault {
            out.damage(Damage {
                position: fault.malformed().at as u64,
                size: 0,
                code: Code::CheckpointCorrupt,
                message: fault.to_string(),
            })?;
        }
    }
    Ok(())
}

pub(super) fn offsets(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    for entry in offset_checkpoint::entries(file.stream()) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(fault) => return file.refused(fault, out),
        };
        let partition = format!("{}-{}", entry.topic, entry.partition);
        let fields = [
            ("topicPartition", Value::Text(&partition)),
            ("offset", entry.offset.into()),
        ];
        out.row("checkpointEntry", &fields)?;
    }
    Ok(())
}
