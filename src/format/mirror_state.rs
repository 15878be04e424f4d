//! The records of `__mirror_state`, where the prototypes of Cluster Mirroring (KIP-1279) keep what
//! they know of each mirrored partition.
//!
//! ```text
//! key:   | type i16 | the key, never flexible |
//! value: | version i16, always 0 | the value, flexible |
//! ```
//!
//! The design is in no release. It changed what lies behind a type, and which type a record has,
//! without ever changing the version: a record is of the [layouts](Layout) that read its key and
//! its value to the last byte. Where several do, the likeliest comes first. A record without a
//! value takes away what its key names. A record is trusted as far as its batch is.

mod layouts;
mod states;

use super::cursor::Cursor;
use super::schema::{Message, Struct, Value};

pub use layouts::LAYOUTS;
pub use states::state_names;

/// How key and value of a record were laid out for a time.
#[derive(Debug)]
pub struct Layout {
    /// The record's name with the day from which on it was written so: no two are the same.
    pub name: &'static str,
    /// The types that the record had; the newest layout of one was seen without its type.
    pub types: &'static [i16],
    /// The layout of the key.
    pub key: &'static Message,
    /// The layout of the value.
    pub value: &'static Message,
    /// Which of the lists of state numbers were used with it, the oldest first.
    pub(in crate::format) states: &'static [usize],
}

/// What a record says in one of the layouts that fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'a> {
    /// The layout.
    pub layout: &'static Layout,
    /// Whom or what it is about.
    pub key: Struct<'a>,
    /// What it says; `None` takes away what was said before.
    pub value: Option<Struct<'a>>,
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A record of `__mirror_state`.
#[derive(Debug, Clone, PartialEq)]
pub struct MirrorStateRecord<'a> {
    /// The type that its key has.
    pub record_type: i16,
    /// What it says, in the likeliest layout.
    pub likeliest: Reading<'a>,
    /// What else it may say.
    pub others: Vec<Reading<'a>>,
}

/// Why a record is none of the topic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MirrorStateFault {
    /// There is no key.
    #[error("the key is null")]
    NoKey,
    /// The key has no room for its type.
    #[error("the key has no room for the number in front")]
    NoType,
    /// The value has no room for its version.
    #[error("the value has no room for the number in front")]
    NoVersion,
    /// No type that a prototype wrote.
    #[error("type: expected 0 to 3, found {0}")]
    UnknownType(i16),
    /// Another version.
    #[error("version: expected 0, found {0}")]
    UnknownVersion(i16),
    /// No layout reads key and value to their ends.
    #[error("type {record_type}: no known layout has a key and a value of these lengths and bytes")]
    NoLayout {
        /// The type.
        record_type: i16,
    },
}

impl<'a> MirrorStateRecord<'a> {
    /// Reads a record.
    ///
    /// # Errors
    /// [`MirrorStateFault`].
    pub fn decode(
        key: Option<&'a [u8]>,
        value: Option<&'a [u8]>,
    ) -> Result<Self, MirrorStateFault> {
        let mut key = Cursor::new(key.ok_or(MirrorStateFault::NoKey)?);
        let record_type = key.i16("type").map_err(|_| MirrorStateFault::NoType)?;
        if !LAYOUTS
            .iter()
            .any(|layout| layout.types.contains(&record_type))
        {
            return Err(MirrorStateFault::UnknownType(record_type));
        }
        let value = match value {
            None => None,
            Some(value) => {
                let mut cursor = Cursor::new(value);
                match cursor.i16("version") {
                    Ok(0) => Some(cursor),
                    Ok(version) => return Err(MirrorStateFault::UnknownVersion(version)),
                    Err(_) => return Err(MirrorStateFault::NoVersion),
                }
            }
        };
        let of_type = LAYOUTS
            .iter()
            .filter(|layout| layout.types.contains(&record_type));
        let mut readings: Vec<_> = of_type
            .filter_map(|layout| layout.read(key, value))
            .collect();
        // A stable sort: layouts that are as likely stay in the order of the table.
        readings.sort_by_key(|reading| !reading.is_likely());
        let mut readings = readings.into_iter();
        match readings.next() {
            Some(likeliest) => Ok(Self {
                record_type,
                likeliest,
                others: readings.collect(),
            }),
            None => Err(MirrorStateFault::NoLayout { record_type }),
        }
    }
}

impl Layout {
    fn read<'a>(&'static self, key: Cursor<'a>, value: Option<Cursor<'a>>) -> Option<Reading<'a>> {
        let whole = |message: &'static Message, mut cursor: Cursor<'a>| {
            let body = message.decode(0, &mut cursor).ok()?;
            (cursor.remaining() == 0).then_some(body)
        };
        Some(Reading {
            layout: self,
            key: whole(self.key, key)?,
            value: match value {
                None => None,
                Some(value) => Some(whole(self.value, value)?),
            },
        })
    }
}

impl Reading<'_> {
    /// Whether all numbers are such as a prototype writes.
    fn is_likely(&self) -> bool {
        let of_value = self.value.iter().flat_map(Struct::fields);
        self.key.fields().chain(of_value).all(|(field, value)| {
            let Value::Int(number) = *value else {
                return true;
            };
            match field.name {
                "state" | "previousState" => matches!(number, -1..=8 | 16 | 32),
                "retryAttempt" => (-1..=1000).contains(&number),
                "partition" => number >= 0,
                "lastMirrorEpoch" | "lastMirrorOffset" | "leaderEpoch" | "stateEpoch" => {
                    number >= -1
                }
                _ => true,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;
    use std::collections::BTreeSet;

    const TOPIC: &str = "00112233445566778899aabbccddeeff";

    fn decoded<'a>(key: &'a [u8], value: &'a [u8]) -> MirrorStateRecord<'a> {
        MirrorStateRecord::decode(Some(key), Some(value)).unwrap()
    }

    fn named(key: &str, value: &str) -> Vec<&'static str> {
        let (key, value) = (hex(key), hex(value));
        let record = decoded(&key, &value);
        let others = record.others.iter().map(|reading| reading.layout.name);
        std::iter::once(record.likeliest.layout.name)
            .chain(others)
            .collect()
    }

    /// Key of the mirror `m`, and of its partition 0 of a topic.
    fn of_partition(record_type: &str) -> String {
        format!("{record_type} 0001 6d {TOPIC} 00000000")
    }

    #[test]
    fn a_state_of_july_by_hand() {
        let (key, value) = (hex(&of_partition("0002")), hex("0000 06 ff 0000 00 00"));
        let record = decoded(&key, &value);
        assert_eq!(record.others, []);
        let Reading { layout, key, value } = record.likeliest;
        assert_eq!(layout.name, "MirrorPartitionState 2026-07-21");
        assert_eq!(key.text("mirrorName"), Some(&b"m"[..]));
        let value = value.unwrap();
        assert_eq!(value.int("state"), Some(6));
        assert_eq!(value.int("previousState"), Some(-1));
        assert_eq!(value.get("errorMessage"), Some(&Value::Null));
        assert_eq!(state_names(layout, 6), ["STOPPED"]);
    }

    #[test]
    fn a_state_has_every_name_that_its_number_had() {
        let mut layouts = LAYOUTS.iter();
        let first = layouts.find(|layout| layout.name == "MirrorPartitionState 2026-01-14");
        assert_eq!(
            state_names(first.unwrap(), 4),
            ["STOPPED", "STOPPING", "PAUSED"]
        );
        assert_eq!(state_names(first.unwrap(), 99), [""; 0]);
    }

    #[test]
    fn a_type_means_what_its_length_says() {
        let epoch = named(&of_partition("0001"), "0000 00000007 00");
        assert_eq!(epoch, ["LastMirrorEpochs 2026-07-21"]);
        let state = "0000 07 00000007 00000002 00 0000 06 00";
        let state = named(&of_partition("0001"), state);
        assert_eq!(state, ["MirrorPartitionState after 2026-07-21"]);
        let position = "0000 00000007 0000000000000009 00";
        for record_type in ["0000", "0001", "0002"] {
            let position = named(&of_partition(record_type), position);
            assert_eq!(position, ["LastMirrorEpochs after 2026-07-21"]);
        }
        // Topic a, partition 0.
        let of_mirror = "0001 0001 6d";
        let offset = named(
            of_mirror,
            "0000 02 02 61 02 00000000 0000000000000009 00 00 00",
        );
        assert_eq!(offset, ["LastMirroredOffsets 2025-12-23"]);
        let by_id = format!("0000 02 {TOPIC} 02 00000000 00000007 00 00 00");
        assert_eq!(named(of_mirror, &by_id), ["LastMirrorEpochs 2026-07-14"]);
        let state = named("0002 0001 6d", "0000 02 61 00000000 02 00");
        assert_eq!(state, ["MirrorPartitionState 2026-01-14"]);
        let topics = named("0000 0001 6d", "0000 02 02 61 00 00");
        assert_eq!(topics, ["MirrorTopics 2025-10-24"]);
        let key = format!("0003 {TOPIC} 00000001 0001 73 0000000000000005");
        let collision = named(&key, "0000 0000000000000009 02 74 000000000000000a 00");
        assert_eq!(collision, ["MirrorPidCollision 2026-03"]);
    }

    #[test]
    fn what_several_layouts_read_has_all_of_them() {
        let both = named(
            "0001 0001 6d",
            "0000 02 02 61 02 00000000 00000007 00 00 00",
        );
        assert_eq!(
            both,
            [
                "LastMirrorEpochs 2026-03-30",
                "LastMirroredOffsets 2026-02-27"
            ]
        );
        // Of the state before and the retries so far, the order was another for hours: 6 is a
        // state, and 1536 would be many retries.
        let kept = named("0002 0001 6d", "0000 02 61 00000000 07 06 0000 00");
        let swapped = named("0002 0001 6d", "0000 02 61 00000000 07 0000 06 00");
        let (usual, of_hours) = (
            "MirrorPartitionState 2026-05-14",
            "MirrorPartitionState of hours on 2026-05-14",
        );
        assert_eq!(kept, [usual, of_hours]);
        assert_eq!(swapped, [usual, of_hours]);
        let many = named("0002 0001 6d", "0000 02 61 00000000 07 0006 10 00");
        assert_eq!(many, [of_hours, usual]);
        // Nobody knows what is taken away.
        let gone = MirrorStateRecord::decode(Some(&hex("0001 0001 6d")), None).map(|record| {
            assert_eq!(record.likeliest.value, None);
            record.others.len()
        });
        assert_eq!(gone, Ok(4));
    }

    #[test]
    fn each_fault_where_it_is() {
        let fault = |key: Option<&str>, value: &str| {
            let (key, value) = (key.map(hex), hex(value));
            MirrorStateRecord::decode(key.as_deref(), Some(&value)).unwrap_err()
        };
        let july = of_partition("0002");
        assert_eq!(fault(None, ""), MirrorStateFault::NoKey);
        assert_eq!(fault(Some("00"), ""), MirrorStateFault::NoType);
        assert_eq!(fault(Some("0004"), ""), MirrorStateFault::UnknownType(4));
        assert_eq!(fault(Some(&july), "00"), MirrorStateFault::NoVersion);
        assert_eq!(
            fault(Some(&july), "0001"),
            MirrorStateFault::UnknownVersion(1)
        );
        let record_type = 2;
        let none = MirrorStateFault::NoLayout { record_type };
        assert_eq!(fault(Some(&july), "0000 06 ff 0000 00 00 00"), none);
        assert_eq!(fault(Some("0002 0001 6d 00"), "0000 06"), none);
    }

    #[test]
    fn layouts_have_names_of_their_own() {
        let names: BTreeSet<_> = LAYOUTS.iter().map(|layout| layout.name).collect();
        assert_eq!(names.len(), LAYOUTS.len());
    }
}
