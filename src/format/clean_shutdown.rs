//! `.kafka_cleanshutdown`: the file whose presence says that the broker shut down cleanly.
//!
//! ```text
//! {"version":0,"brokerEpoch":307}
//! ```
//!
//! The contents serve KIP-966 only: a broker that cannot read them knows no epoch and still skips
//! recovery. Older releases leave the file empty. Members of other names are passed over.
//! Source: `CleanShutdownFileHandler` 4.4.0.

use super::json::{self, Value};
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
/// What [`json::decode_front`] says; [`Problem::Null`] without a `brokerEpoch`; [`Problem::Text`]
/// and [`Problem::OutOfRange`] for a member that is no number of its size. A broker takes any of
/// these for an unknown epoch.
pub fn decode(bytes: &[u8]) -> Result<Option<CleanShutdown>, Malformed> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let members = json::decode_front(bytes)?;
    let stored = whole_number("version", members.get("version"))?.unwrap_or(0);
    let expected = "a number of 32 bits";
    let version = i32::try_from(stored)
        .map_err(|_| fault("version", Problem::OutOfRange { stored, expected }))?;
    let broker_epoch = whole_number("brokerEpoch", members.get("brokerEpoch"))?
        .ok_or_else(|| fault("brokerEpoch", Problem::Null))?;
    Ok(Some(CleanShutdown {
        version,
        broker_epoch,
    }))
}

/// A member as Jackson reads it into a number: fractions are cut off, a text may hold a whole
/// number, and null and a blank text are none.
fn whole_number(field: &'static str, value: Option<&Value>) -> Result<Option<i64>, Malformed> {
    const EXPECTED: &str = "a number of 64 bits";
    let refuse = |found: &str| fault(field, Problem::text(found.as_bytes(), EXPECTED));
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(text)) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => cut_off(text).map(Some).ok_or_else(|| refuse(text)),
        },
        Some(Value::Text(text)) => match text.trim() {
            "" => Ok(None),
            trimmed => trimmed.parse().map(Some).map_err(|_| refuse(text)),
        },
        Some(other) => {
            let mut text = String::new();
            json::put_value(other, &mut text);
            Err(refuse(&text))
        }
    }
}

/// The whole part of a number with a fraction or an exponent, if 64 bits hold it.
#[expect(
    clippy::as_conversions,
    reason = "the one conversion there is, of a number that was found to fit"
)]
fn cut_off(text: &str) -> Option<i64> {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let has_point = text.contains(['.', 'e', 'E']);
    let number = text.parse::<f64>().ok()?;
    (has_point && (-BOUND..BOUND).contains(&number)).then_some(number as i64)
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
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(Some(file)), Some(epoch)) => assert_eq!(file.broker_epoch.to_string(), epoch),
                (Ok(None), None) => assert!(bytes.is_empty()),
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}: {text}"),
            }
        }
    }
}
