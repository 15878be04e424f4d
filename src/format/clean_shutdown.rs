//! `.kafka_cleanshutdown`: the file whose presence says that the broker shut down cleanly.
//!
//! ```text
//! {"version":0,"brokerEpoch":307}
//! ```
//!
//! The contents serve KIP-966 only: a broker that cannot read them knows no epoch and still skips
//! recovery. Older releases leave the file empty. Members of other names are passed over.
//! Source: `CleanShutdownFileHandler` 4.4.0.

use super::json;
use super::malformed::{Malformed, Problem};

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanShutdown {
    /// The version, 0 so far; absent counts as 0.
    pub version: i32,
    /// The epoch under which the broker was registered.
    pub broker_epoch: i64,
}

/// Reads the contents; `None` for the empty file of older releases.
///
/// # Errors
/// What [`json::decode`] says; [`Problem::Null`] without a whole number `brokerEpoch`;
/// [`Problem::OutOfRange`] for a version of more than 32 bits. A broker takes any of these for an
/// unknown epoch, but for two that Jackson lets pass: bytes behind the object, and a fraction.
pub fn decode(bytes: &[u8]) -> Result<Option<CleanShutdown>, Malformed> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let members = json::decode(bytes)?;
    let stored = members.integer("version").unwrap_or(0);
    let expected = "a number of 32 bits";
    let version = i32::try_from(stored)
        .map_err(|_| fault("version", Problem::OutOfRange { stored, expected }))?;
    // Jackson takes a number in quotes for a number.
    let quoted = || members.text("brokerEpoch")?.trim().parse().ok();
    let broker_epoch = members
        .integer("brokerEpoch")
        .or_else(quoted)
        .ok_or_else(|| fault("brokerEpoch", Problem::Null))?;
    Ok(Some(CleanShutdown {
        version,
        broker_epoch,
    }))
}

#[cold]
fn fault(field: &'static str, problem: Problem) -> Malformed {
    let at = 0;
    Malformed { field, at, problem }
}

/// Writes the file.
#[must_use]
pub fn encode(file: CleanShutdown) -> Vec<u8> {
    let CleanShutdown {
        version,
        broker_epoch,
    } = file;
    format!("{{\"version\":{version},\"brokerEpoch\":{broker_epoch}}}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILE: &[u8] = include_bytes!("../../testdata/structures/kafka_cleanshutdown");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        let file = decode(FILE).unwrap().unwrap();
        assert_eq!((file.version, file.broker_epoch), (0, 307));
        assert_eq!(encode(file), FILE);
    }

    #[test]
    fn the_empty_file_of_older_releases_is_right() {
        assert_eq!(decode(b""), Ok(None));
    }

    #[test]
    fn damage_is_refused_or_read() {
        for cut in truncations(FILE).skip(1) {
            assert_inside(&decode(cut).unwrap_err(), cut);
        }
        for flipped in bit_flips(FILE) {
            if let Err(fault) = decode(&flipped) {
                assert_inside(&fault, &flipped);
            }
        }
    }

    /// What `CleanShutdownFileHandler.read` made of each file.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("shutdown") {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let stricter = text.ends_with('x') || text.contains("3.7");
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(Some(file)), Some(epoch)) => assert_eq!(file.broker_epoch.to_string(), epoch),
                (Ok(None), None) => assert!(bytes.is_empty()),
                (Err(fault), kafka) => {
                    assert!(kafka.is_none() || stricter, "{fault}: {text}");
                    assert_inside(&fault, &bytes);
                }
                (ours, _) => panic!("{ours:?}, Kafka: {said}: {text}"),
            }
        }
    }
}
