//! The three indexes of a segment.

use super::{Companion, IndexMode};
use crate::format::offset_index::OffsetIndex;
use crate::format::time_index::TimeIndex;
use crate::format::txn_index::{self, TxnIndex};
use crate::report::dump::index_check::{OffsetCheck, TimeCheck};
use crate::report::dump::mismatch::{Mismatch, Mismatches};
use crate::report::dump::output::{Portions, Refused};
use crate::report::dump::rows::Value;
use crate::report::dump::style::{Style, absolute};
use crate::storage::damage::{Code, Damage};

pub(super) fn offset_index(
    file: &Companion<'_>,
    out: &mut Portions<'_>,
) -> Result<String, Refused> {
    let mut index = OffsetIndex::new(file.source.window(), file.base_offset);
    let is_told = file.style == Style::Kafka && index.file().is_empty();
    if is_told {
        file.say("is empty.", out);
    }
    if file.mode == IndexMode::Sanity {
        match index.sanity_check()? {
            None if is_told => {}
            None => file.say("passed sanity check.", out),
            Some(fault) => insane(fault.stock_text(&file.source.path().display()), out)?,
        }
        return Ok(String::new());
    }
    let mut found = Mismatches::default();
    let mut check = file
        .log
        .map(|log| OffsetCheck::new(log, file.base_offset, file.max_message_size));
    for (number, entry) in index.before_padding().enumerate() {
        let entry = entry?;
        if file.mode == IndexMode::Entries {
            let fields = [
                ("offset", entry.offset.into()),
                ("position", Value::Int(entry.position.into())),
            ];
            out.row("indexEntry", &fields)?;
        }
        if let Some(check) = &mut check
            && let Some(kind) = check.entry(entry)?
        {
            tell(Mismatch { number, kind }, &mut found, out)?;
        }
    }
    if let Some(fault) = index.file().cut() {
        out.malformed(Code::IndexCorrupt, &fault, "")?;
    }
    if file.log.is_none() {
        without_log(out)?;
    }
    Ok(stock_report(file, &found))
}

/// Entries that are checked together: each lot costs a walk over the log at most.
const LOT: usize = 1 << 17;

pub(super) fn time_index(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<String, Refused> {
    let mut index = TimeIndex::new(file.source.window(), file.base_offset);
    if file.mode == IndexMode::Sanity {
        match index.sanity_check()? {
            None => file.say("passed sanity check.", out),
            Some(fault) => insane(fault.stock_text(&file.source.path().display()), out)?,
        }
        return Ok(String::new());
    }
    let mut found = Mismatches::default();
    let mut check = file
        .log
        .map(|log| TimeCheck::new(log, file.offsets, file.base_offset, file.max_record_bytes));
    let mut lot = Vec::new();
    let mut entries = index.before_padding();
    loop {
        let next = entries.next().transpose()?;
        if let Some(entry) = next {
            if file.mode == IndexMode::Entries {
                let fields = [
                    ("timestamp", Value::Int(entry.timestamp.0)),
                    ("offset", entry.offset.into()),
                ];
                out.row("timeIndexEntry", &fields)?;
            }
            if check.is_some() {
                lot.push(entry);
            }
        }
        if (lot.len() == LOT || next.is_none())
            && let Some(check) = &mut check
        {
            check.entries(&lot, &mut |mismatch| tell(mismatch, &mut found, out))?;
            lot.clear();
        }
        if next.is_none() {
            break;
        }
    }
    drop(entries);
    if let Some(fault) = index.file().cut() {
        out.malformed(Code::IndexCorrupt, &fault, "")?;
    }
    match (file.log, file.offsets) {
        (None, _) => without_log(out)?,
        (Some(_), None) => without_offset_index(out)?,
        (Some(_), Some(_)) => {}
    }
    Ok(stock_report(file, &found))
}

pub(super) fn txn_index(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    for entry in TxnIndex::new(file.source.window()).entries() {
        match entry? {
            Ok(txn) => {
                let fields = [
                    ("version", Value::Int(txn_index::CURRENT_VERSION.into())),
                    ("producerId", Value::Producer(txn.producer_id)),
                    ("firstOffset", txn.first_offset.into()),
                    ("lastOffset", txn.last_offset.into()),
                    ("lastStableOffset", txn.last_stable_offset.into()),
                ];
                out.row("abortedTransaction", &fields)?;
            }
            Err(fault) => out.malformed(Code::IndexCorrupt, &fault, "")?,
        }
    }
    Ok(())
}

fn tell(mismatch: Mismatch, found: &mut Mismatches, out: &mut Portions<'_>) -> Result<(), Refused> {
    out.damage(mismatch.damage())?;
    found.take(mismatch);
    Ok(())
}

/// The lines that the stock tool prints on stderr when all files are done; JSON has the damage.
fn stock_report(file: &Companion<'_>, found: &Mismatches) -> String {
    match file.style {
        Style::Kafka => found.stock_report(&absolute(file.source.path())),
        Style::Jsonl(_) => String::new(),
    }
}

fn insane(message: String, out: &mut Portions<'_>) -> Result<(), Refused> {
    out.damage(Damage {
        position: 0,
        size: 0,
        code: Code::IndexCorrupt,
        message,
    })
}

fn without_log(out: &mut Portions<'_>) -> Result<(), Refused> {
    out.damage(Damage {
        position: 0,
        size: 0,
        code: Code::LeftoverFile,
        message: "expected the log of the same segment beside it, found none; entries are shown \
                  unchecked, and a broker deletes the file when it starts"
            .to_owned(),
    })
}

fn without_offset_index(out: &mut Portions<'_>) -> Result<(), Refused> {
    out.damage(Damage {
        position: 0,
        size: 0,
        code: Code::IndexMissing,
        message: "expected an offset index of the same segment beside it, found none; a broker \
                  rebuilds it when it starts"
            .to_owned(),
    })
}
