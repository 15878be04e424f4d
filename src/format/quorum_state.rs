//! `quorum-state`: whom a KRaft node voted for and follows, as one JSON object on the first line
//! (KIP-595, `QuorumStateData.json`).
//!
//! ```text
//! {"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAA...","data_version":1}
//! ```
//!
//! Version 0 has `clusterId`, `appliedOffset` and `currentVoters` and no `votedDirectoryId`. -1
//! stands for no node. Kafka reads the first line only.
//! Source: `FileQuorumStateStore` 4.4.0, whose words are: "File ended prematurely.", "Deserialized
//! node NODE is not an object node", "Deserialized node NODE does not have data_version field",
//! "data_version (N) is not within the min (0) and max (1) supported version", "QuorumStateData:
//! unable to locate field 'NAME', which is mandatory in version N".

use super::json::{self, Object, Value};
use super::malformed::{Malformed, Problem};
use super::uuid::Uuid;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuorumState {
    /// The version of the layout, 0 or 1.
    pub data_version: i16,
    /// The leader's node id, -1 when it is not known.
    pub leader_id: i32,
    /// The leader's epoch.
    pub leader_epoch: i32,
    /// The node voted for in this epoch, -1 for none.
    pub voted_id: i32,
    /// The directory of that node; [`Uuid::ZERO`] in version 0.
    pub voted_directory_id: Uuid,
    /// All members as the file has them, those above included.
    pub members: Object,
}

/// Reads the file.
///
/// # Errors
/// What [`json::decode_front`] says of the first line; [`Problem::Null`] for a member that the
/// version asks for and the file lacks; [`Problem::OutOfRange`] or [`Problem::Text`] for one of
/// another kind. The place is that of the line, for want of a better one.
pub fn decode(bytes: &[u8]) -> Result<QuorumState, Malformed> {
    let line = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).next();
    let members = json::decode_front(line.unwrap_or_default())?;
    let version = members.get("data_version").map(short_value);
    let data_version = match version.ok_or_else(|| fault("data_version", Problem::Null))? {
        version @ 0..=1 => version,
        other => {
            let stored = i64::from(other);
            let expected = "0 or 1";
            return Err(fault(
                "data_version",
                Problem::OutOfRange { stored, expected },
            ));
        }
    };
    let voted_directory_id = match members.get("votedDirectoryId") {
        None if data_version == 0 => Uuid::ZERO,
        None => return Err(fault("votedDirectoryId", Problem::Null)),
        Some(_) => {
            let text = members.text("votedDirectoryId").unwrap_or_default();
            Uuid::parse(text.as_bytes(), "votedDirectoryId")?
        }
    };
    if data_version == 0 {
        check_version_0(&members)?;
    }
    Ok(QuorumState {
        data_version,
        leader_id: integer(&members, "leaderId")?,
        leader_epoch: integer(&members, "leaderEpoch")?,
        voted_id: integer(&members, "votedId")?,
        voted_directory_id,
        members,
    })
}

/// `JsonNode.shortValue`: the lowest 16 bits of a number's whole part, 0 for what is no number.
fn short_value(value: &Value) -> i16 {
    let Value::Number(text) = value else {
        return 0;
    };
    let [.., high, low] = match (text.parse::<i128>(), text.parse::<f64>()) {
        (Ok(whole), _) => whole.to_be_bytes(),
        (Err(_), Ok(double)) => i128::from(to_int(double)).to_be_bytes(),
        (Err(_), Err(_)) => return 0,
    };
    i16::from_be_bytes([high, low])
}

#[expect(
    clippy::as_conversions,
    reason = "the one conversion there is; it rounds and saturates as Java's does"
)]
const fn to_int(double: f64) -> i32 {
    double as i32
}

/// The members that only version 0 asks for.
fn check_version_0(members: &Object) -> Result<(), Malformed> {
    if members.text("clusterId").is_none() {
        return Err(fault("clusterId", Problem::Null));
    }
    integer::<i64>(members, "appliedOffset")?;
    match members.get("currentVoters") {
        Some(Value::Null) => Ok(()),
        Some(Value::List(voters)) => voters.iter().try_for_each(check_voter),
        _ => Err(fault("currentVoters", Problem::Null)),
    }
}

fn check_voter(voter: &Value) -> Result<(), Malformed> {
    match voter {
        Value::Object(members) => integer::<i32>(members, "voterId").map(|_| ()),
        _ => Err(fault("voterId", Problem::Null)),
    }
}

fn integer<T: TryFrom<i64>>(members: &Object, name: &'static str) -> Result<T, Malformed> {
    let Some(stored) = members.integer(name) else {
        return Err(fault(name, Problem::Null));
    };
    let expected = "a number in its range";
    T::try_from(stored).map_err(|_| fault(name, Problem::OutOfRange { stored, expected }))
}

#[cold]
fn fault(field: &'static str, problem: Problem) -> Malformed {
    let at = 0;
    Malformed { field, at, problem }
}

/// Writes the members as they are, which is what Kafka's file holds: no end of line.
#[must_use]
pub fn encode(state: &QuorumState) -> Vec<u8> {
    json::encode(&state.members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILE: &[u8] = include_bytes!("../../testdata/structures/quorum-state");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        let state = decode(FILE).unwrap();
        assert_eq!(
            (state.data_version, state.leader_id, state.leader_epoch),
            (1, 1, 3)
        );
        assert_eq!((state.voted_id, state.voted_directory_id), (-1, Uuid::ZERO));
        assert_eq!(encode(&state), FILE);
    }

    /// After the schema of version 0.
    #[test]
    fn version_0() {
        let file = [
            r#"{"clusterId":"x","leaderId":-1,"leaderEpoch":2,"votedId":2,"#,
            r#""appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}"#,
        ]
        .concat()
        .into_bytes();
        let state = decode(&file).unwrap();
        assert_eq!(
            (state.voted_id, state.members.text("clusterId")),
            (2, Some("x"))
        );
        assert_eq!(encode(&state), file);
    }

    /// What `FileQuorumStateStore` made of each file; of errors only that there was one.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("quorum") {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(state), Some(kafka)) => {
                    let (leader, epoch) = (state.leader_id, state.leader_epoch);
                    let (voted, directory) = (state.voted_id, state.voted_directory_id);
                    assert_eq!(format!("{leader}|{epoch}|{voted}|{directory}"), kafka);
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}: {text}"),
            }
        }
    }

    #[test]
    fn damage_is_refused_or_read() {
        for cut in truncations(FILE) {
            assert_inside(&decode(cut).unwrap_err(), cut);
        }
        for flipped in bit_flips(FILE) {
            if let Err(fault) = decode(&flipped) {
                assert_inside(&fault, &flipped);
            }
        }
    }
}
