//! `meta.properties`: whose log directory this is (KIP-866, KIP-858), as a broker makes it out of
//! the properties of the file.
//!
//! ```text
//! version=1                                absent: 0
//! cluster.id=MGfptpuxRxmjw0wF0RpNTg        free text; needed in version 1
//! node.id=1                                needed in version 1; version 0 has broker.id
//! directory.id=JfzeNnAKSOKVCnBaN4tMXg      in either version; 100 ids are reserved
//! ```
//!
//! Properties of other names are passed over. A file that is refused takes the directory off line,
//! and one of a reserved directory id keeps the broker from starting.
//! Source: `MetaProperties`, `MetaPropertiesVersion`, `PropertiesUtils` and
//! `MetaPropertiesEnsemble.verify` 4.4.0.

use super::malformed::{Malformed, Problem, StreamFault};
use super::properties::{self, Properties, Property};
use super::uuid::Uuid;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaProperties {
    /// The version, 0 or 1.
    pub version: i32,
    /// The cluster; in version 0 it may be absent.
    pub cluster_id: Option<String>,
    /// The node; in version 0 it may be absent.
    pub node_id: Option<i32>,
    /// The directory (KIP-858).
    pub directory_id: Option<Uuid>,
}

impl MetaProperties {
    /// Reads a file in memory.
    ///
    /// # Errors
    /// The first fault that Kafka stops at.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut gathered = Gathered::default();
        for property in properties::entries(bytes) {
            gathered.take(&property.map_err(StreamFault::of_bytes)?);
        }
        gathered.read()
    }
}

/// The properties that count, of the many that a file may have. Of a name that comes twice the
/// last value counts.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    found: [Option<(String, usize)>; NAMES.len()],
}

const VERSION: &str = "version";
const CLUSTER_ID: &str = "cluster.id";
const BROKER_ID: &str = "broker.id";
const NODE_ID: &str = "node.id";
const DIRECTORY_ID: &str = "directory.id";
const NAMES: [&str; 5] = [VERSION, CLUSTER_ID, BROKER_ID, NODE_ID, DIRECTORY_ID];

impl Gathered {
    /// Looks at the next property of the file.
    pub fn take(&mut self, property: &Property) {
        let Property { at, name, value } = property;
        for (known, found) in NAMES.iter().zip(&mut self.found) {
            if known == name {
                *found = Some((value.clone(), *at));
            }
        }
    }

    /// What a broker reads, when the whole file was looked at.
    ///
    /// # Errors
    /// The first fault that Kafka stops at: at the line of the property, or at the start of the
    /// file for one that is missing ([`Problem::Null`]).
    pub fn read(&self) -> Result<MetaProperties, Malformed> {
        let version = match self.get(VERSION) {
            None => 0,
            Some((text, at)) => {
                // What `String.trim` takes away.
                let trimmed = text.trim_matches(|letter| letter <= ' ');
                match number(VERSION, trimmed, at)? {
                    known @ 0..=1 => known,
                    other => return Err(out_of_range(VERSION, other, "0 or 1", at)),
                }
            }
        };
        let node = match version {
            0 => self.get(BROKER_ID).map(|found| (BROKER_ID, found)),
            _ => Some((NODE_ID, self.required(NODE_ID)?)),
        };
        let node_id = node.map(|(name, (text, at))| number(name, text, at));
        let node_id = node_id.transpose()?;
        let directory_id = match self.get(DIRECTORY_ID) {
            None => None,
            Some((text, at)) => Some(directory_id(text, at)?),
        };
        if version > 0 {
            self.required(CLUSTER_ID)?;
        }
        Ok(MetaProperties {
            version,
            cluster_id: self.get(CLUSTER_ID).map(|(text, _)| text.to_owned()),
            node_id,
            directory_id,
        })
    }

    /// The value of a name and where its line begins.
    fn get(&self, name: &str) -> Option<(&str, usize)> {
        let mut known = NAMES.iter().zip(&self.found);
        let (_, found) = known.find(|(known, _)| **known == name)?;
        found.as_ref().map(|(value, at)| (value.as_str(), *at))
    }

    fn required(&self, field: &'static str) -> Result<(&str, usize), Malformed> {
        let missing = Malformed {
            field,
            at: 0,
            problem: Problem::Null,
        };
        self.get(field).ok_or(missing)
    }
}

fn number(field: &'static str, text: &str, at: usize) -> Result<i32, Malformed> {
    text.parse().map_err(|_| Malformed {
        field,
        at,
        problem: Problem::text(text.as_bytes(), "a decimal number of 32 bits"),
    })
}

fn directory_id(text: &str, at: usize) -> Result<Uuid, Malformed> {
    let id = Uuid::parse(text.as_bytes(), DIRECTORY_ID).map_err(|fault| fault.shifted(at))?;
    let value = i128::from_be_bytes(id.0);
    // The upper half is 0, and the lower one, taken with its sign, below 100.
    let low = u64::try_from(value).map(u64::cast_signed);
    if low.is_ok_and(|low| low < 100) {
        return Err(Malformed {
            field: DIRECTORY_ID,
            at,
            problem: Problem::text(text.as_bytes(), "an id that Kafka does not reserve"),
        });
    }
    Ok(id)
}

fn out_of_range(field: &'static str, stored: i32, expected: &'static str, at: usize) -> Malformed {
    let stored = i64::from(stored);
    let problem = Problem::OutOfRange { stored, expected };
    Malformed { field, at, problem }
}

/// Writes the file without a comment that tells the date; absent values have no line.
#[must_use]
pub fn encode(file: &MetaProperties) -> Vec<u8> {
    let node = match file.version {
        0 => BROKER_ID,
        _ => NODE_ID,
    };
    let values = [
        (node, file.node_id.map(|id| id.to_string())),
        (DIRECTORY_ID, file.directory_id.map(|id| id.to_string())),
        (VERSION, Some(file.version.to_string())),
        (CLUSTER_ID, file.cluster_id.clone()),
    ];
    let entries = values.into_iter();
    let entries = entries.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    properties::encode(&Properties {
        comments: vec![String::new()],
        entries: entries.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILE: &[u8] = include_bytes!("../../testdata/structures/meta.properties");

    #[test]
    fn a_file_of_a_broker() {
        let file = MetaProperties::decode(FILE).unwrap();
        assert_eq!((file.version, file.node_id), (1, Some(1)));
        assert_eq!(file.cluster_id.as_deref(), Some("MGfptpuxRxmjw0wF0RpNTg"));
        assert!(file.directory_id.is_some());
    }

    #[test]
    fn the_file_of_a_broker_is_written_again_but_for_its_date() {
        let text = String::from_utf8(encode(&MetaProperties::decode(FILE).unwrap())).unwrap();
        let real = str::from_utf8(FILE).unwrap().lines();
        let undated: Vec<_> = real
            .enumerate()
            .filter(|(number, _)| *number != 1)
            .collect();
        let lines: Vec<_> = undated.into_iter().map(|(_, line)| line).collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), lines);
        assert!(text.ends_with('\n'));
    }

    /// What `MetaProperties.Builder` and `MetaPropertiesEnsemble.verify` made of each file; of
    /// errors only that there was one.
    #[test]
    fn files_as_kafka_reads_them() {
        let mut seen = 0;
        for (bytes, said) in verdicts("meta") {
            seen += 1;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match (MetaProperties::decode(&bytes), said.strip_prefix("read ")) {
                (Ok(file), Some(kafka)) => {
                    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
                    let ours = [
                        file.version.to_string(),
                        shown(file.cluster_id),
                        shown(file.node_id.map(|id| id.to_string())),
                        shown(file.directory_id.map(|id| id.to_string())),
                    ];
                    assert_eq!(ours.join("|"), kafka, "{text}");
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}: {text}"),
            }
        }
        assert!(seen > 40);
    }

    #[test]
    fn damage_is_refused_or_read() {
        for damaged in truncations(FILE).map(<[u8]>::to_vec).chain(bit_flips(FILE)) {
            if let Err(fault) = MetaProperties::decode(&damaged) {
                assert_inside(&fault, &damaged);
            }
        }
    }
}
