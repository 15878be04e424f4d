//! Groups with their committed offsets: tables for people, a JSON document, or the lines that
//! `kafka-consumer-groups.sh --reset-offsets --from-file` takes.

use super::json::{Object, WideIntegers, array};
use super::measure::count;
use super::one_line::on_one_line;
use super::table::{Align, Table};
use super::utc;
use crate::analysis::group_log::LogEnd;
use crate::analysis::groups::{Committed, Group, TopicPartition};
use crate::format::number::Offset;
use std::collections::BTreeMap;

/// What is shown.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// The groups, by id.
    pub groups: Vec<(&'a str, &'a Group)>,
    /// The ends of the logs that are at hand.
    pub log_ends: &'a BTreeMap<TopicPartition, LogEnd>,
}

impl View<'_> {
    fn log_end(&self, place: &TopicPartition, committed: &Committed) -> Option<Offset> {
        let end = self.log_ends.get(place)?;
        end.is_of(committed).then_some(end.offset)
    }
}

fn lag(committed: &Committed, end: Offset) -> i64 {
    end.0.saturating_sub(committed.offset.0)
}

/// The groups as text: a heading for each, then its offsets.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, (id, group)) in view.groups.iter().enumerate() {
        if number > 0 {
            out.push(b'\n');
        }
        let head = format!(
            "{}: {}, {}, {}\n",
            match *id {
                "" => "''".into(),
                id => on_one_line(id),
            },
            group.kind().name(),
            group.state(),
            count(group.offsets().len() as u64, "committed offset")
        );
        out.extend_from_slice(head.as_bytes());
        if !group.offsets().is_empty() {
            table(view, group).write(&mut out);
        }
    }
    if view.groups.is_empty() {
        out.extend_from_slice(b"no groups\n");
    }
    out
}

/// Columns that say nothing of any row are left out, which makes room for long names of topics.
fn table(view: &View<'_>, group: &Group) -> Table {
    let offsets = group.offsets();
    let has_ends = offsets
        .iter()
        .any(|(place, committed)| view.log_end(place, committed).is_some());
    let has_expiry = offsets
        .values()
        .any(|committed| committed.expire_timestamp.is_some());
    let mut columns = vec![
        ("topic-partition", Align::Left),
        ("committed", Align::Right),
    ];
    if has_ends {
        columns.extend([("log end", Align::Right), ("lag", Align::Right)]);
    }
    columns.push(("committed at", Align::Left));
    if has_expiry {
        columns.push(("expires", Align::Left));
    }
    let mut table = Table::new(&columns);
    let or_dash = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
    for (place, committed) in offsets {
        let mut row = vec![
            on_one_line(&name(place)).into_owned(),
            committed.offset.to_string(),
        ];
        if has_ends {
            let end = view.log_end(place, committed);
            row.push(or_dash(end.map(|end| end.0)));
            row.push(or_dash(end.map(|end| lag(committed, end))));
        }
        row.push(utc::text(committed.commit_timestamp));
        if has_expiry {
            let expires = committed.expire_timestamp;
            row.push(expires.map_or("-".to_owned(), utc::text));
        }
        table.row(row);
    }
    table
}

fn name((topic, partition): &TopicPartition) -> String {
    format!("{topic}-{partition}")
}

/// The groups as one JSON document.
#[must_use]
pub fn json(view: &View<'_>, wide: WideIntegers) -> Vec<u8> {
    let mut out = b"{\"schema\":1,\"groups\":".to_vec();
    array(&mut out, &view.groups, |(id, group), out| {
        let mut object = Object::open(out, wide);
        object.text("groupId", id);
        object.text("type", group.kind().name());
        object.text("state", group.state());
        array(
            object.name("offsets"),
            group.offsets(),
            |(place, committed), out| {
                push_offset(view, place, committed, wide, out);
            },
        );
        object.close();
    });
    out.extend_from_slice(b"}\n");
    out
}

fn push_offset(
    view: &View<'_>,
    place: &TopicPartition,
    committed: &Committed,
    wide: WideIntegers,
    out: &mut Vec<u8>,
) {
    let mut object = Object::open(out, wide);
    object.text("topicPartition", &name(place));
    object.int("committedOffset", committed.offset.0);
    object.optional_int("leaderEpoch", committed.leader_epoch.map(|epoch| epoch.0));
    object.text("metadata", &committed.metadata);
    object.int("commitTimestamp", committed.commit_timestamp.0);
    object.optional_int(
        "expireTimestamp",
        committed.expire_timestamp.map(|time| time.0),
    );
    let end = view.log_end(place, committed);
    object.optional_int("logEndOffset", end.map(|end| end.0));
    object.optional_int("lag", end.map(|end| lag(committed, end)));
    object.close();
}

/// A line for each committed offset: group, topic, partition, offset.
#[must_use]
pub fn csv(view: &View<'_>) -> Vec<u8> {
    let mut out = String::new();
    for (id, group) in &view.groups {
        for ((topic, partition), committed) in group.offsets() {
            let (id, topic, offset) = (quoted(id), quoted(topic), committed.offset);
            out += &format!("{id},{topic},{partition},{offset}\n");
        }
    }
    out.into_bytes()
}

/// A group's id may be any text.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}
