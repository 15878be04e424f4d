use proptest::prelude::{any, proptest};

use super::table::{
    clients, group_coordinator, metadata, raft, share_coordinator, storage, transaction_coordinator,
};
use super::{
    Field, Kind, Message, NEVER, Refusal, Shape, Struct, UnknownField, Value, of_name, of_type,
};
use crate::format::cursor::Cursor;
use crate::format::damage::{assert_inside, bit_flips, hex, truncations};
use crate::format::golden::control_records;
use crate::format::malformed::Problem;
use crate::format::transaction_log::{TransactionLogKey, TransactionLogValue};
use crate::format::uuid::Uuid;

fn everything() -> Vec<&'static Message> {
    [
        &clients::DATA[..],
        &group_coordinator::KEYS,
        &group_coordinator::VALUES,
        &metadata::RECORDS,
        &raft::DATA,
        &share_coordinator::KEYS,
        &share_coordinator::VALUES,
        &storage::RECORDS,
        &storage::DATA,
        &transaction_coordinator::KEYS,
        &transaction_coordinator::VALUES,
    ]
    .concat()
}

fn named(name: &str) -> &'static Message {
    of_name(&everything(), name).unwrap()
}

/// All that the bytes are, and nothing behind.
fn whole<'a>(
    message: &'static Message,
    version: i16,
    bytes: &'a [u8],
) -> Result<Struct<'a>, Refusal> {
    let mut cursor = Cursor::new(bytes);
    let read = message.decode(version, &mut cursor)?;
    assert_eq!(cursor.remaining(), 0);
    Ok(read)
}

fn written(message: &'static Message, version: i16, body: &Struct<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    message.encode(version, body, &mut out).unwrap();
    out
}

/// Draws values of any shape.
struct Draw(u64);

impl Draw {
    const TEXTS: [&'static [u8]; 4] = [b"", b"topic", b"\xff\0\"", &[b'x'; 130]];

    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn bytes(&mut self) -> &'static [u8] {
        Self::TEXTS[usize::try_from(self.below(4)).unwrap()]
    }

    fn number(&mut self, low: i64, high: i64) -> Value<'static> {
        let any = self.below(1 << 31).cast_signed();
        Value::Int([low, high, 0, any.clamp(low, high)][usize::try_from(self.below(4)).unwrap()])
    }

    fn value(&mut self, kind: Kind, version: i16, flexible: bool) -> Value<'static> {
        match kind {
            Kind::Bool => Value::Bool(self.below(2) == 1),
            Kind::Int8 => self.number(i8::MIN.into(), i8::MAX.into()),
            Kind::Int16 => self.number(i16::MIN.into(), i16::MAX.into()),
            Kind::Uint16 => self.number(0, u16::MAX.into()),
            Kind::Int32 => self.number(i32::MIN.into(), i32::MAX.into()),
            Kind::Uint32 => self.number(0, u32::MAX.into()),
            Kind::Int64 => self.number(i64::MIN, i64::MAX),
            Kind::Float64 => Value::Float([0.0, 1.5, f64::INFINITY][self.below(3) as usize]),
            Kind::Uuid => Value::Uuid(Uuid(u128::from(self.below(1 << 31)).to_be_bytes())),
            Kind::Text => Value::Text(self.bytes()),
            Kind::Bytes => Value::Bytes(self.bytes()),
            Kind::List(element) => {
                let count = self.below(4);
                Value::List(
                    (0..count)
                        .map(|_| self.value(*element, version, flexible))
                        .collect(),
                )
            }
            Kind::Struct(shape) => Value::Struct(Box::new(self.body(shape, version, flexible))),
        }
    }

    fn field(&mut self, field: &Field, version: i16, flexible: bool) -> Value<'static> {
        if !field.versions.contain(version) || self.below(8) == 0 {
            field.default_value()
        } else if field.nullable.contain(version) && self.below(3) == 0 {
            Value::Null
        } else {
            self.value(field.kind, version, flexible)
        }
    }

    fn body(&mut self, shape: &'static Shape, version: i16, flexible: bool) -> Struct<'static> {
        let mut body = Struct::new(shape);
        for field in shape.fields {
            *body.get_mut(field.name).unwrap() = self.field(field, version, flexible);
        }
        // A null by default may not be null in every version.
        for (field, value) in shape.fields.iter().zip(&mut body.fields) {
            let is_there = field.versions.contain(version);
            if is_there && !field.nullable.contain(version) && *value == Value::Null {
                *value = self.value(field.kind, version, flexible);
            }
        }
        if flexible && self.below(3) == 0 {
            let data = self.bytes();
            body.unknown.push(UnknownField { tag: 1000, data });
        }
        body
    }

    fn message(&mut self, message: &'static Message, version: i16) -> Struct<'static> {
        self.body(&message.shape, version, message.flexible.contain(version))
    }
}

fn versions(message: &Message) -> impl Iterator<Item = i16> + use<> {
    message.versions.lowest..=message.versions.highest
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed in any::<u64>()) {
        let mut draw = Draw(seed);
        for message in everything() {
            for version in versions(message) {
                let body = draw.message(message, version);
                let bytes = written(message, version, &body);
                let read = whole(message, version, &bytes).unwrap();
                assert_eq!(read, body, "{} {version}", message.shape.name);
                assert_eq!(written(message, version, &read), bytes);
            }
        }
    }

    /// Neither a panic nor memory that the bytes do not pay for.
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, version in -2_i16..8) {
        for message in everything() {
            let mut cursor = Cursor::new(&bytes);
            match message.decode(version, &mut cursor) {
                Ok(body) => {
                    let mut out = Vec::new();
                    // What lies in a version that Kafka does not know may have no other form.
                    let _ = message.encode(version, &body, &mut out);
                }
                Err(refusal) => assert_inside(&refusal.fault, &bytes),
            }
        }
    }
}

#[test]
fn every_byte() {
    let mut draw = Draw(7);
    for message in everything() {
        for version in versions(message) {
            let bytes = written(message, version, &draw.message(message, version));
            for cut in truncations(&bytes) {
                // A message that has nothing in this version is whole at once.
                let refusal = whole(message, version, cut).unwrap_err();
                assert_inside(&refusal.fault, cut);
            }
            for flipped in bit_flips(&bytes) {
                let mut cursor = Cursor::new(&flipped);
                if let Err(refusal) = message.decode(version, &mut cursor) {
                    assert_inside(&refusal.fault, &flipped);
                }
            }
        }
    }
}

/// What Kafka's classes wrote, some of it damaged: taken and refused where the reader for these
/// records alone takes and refuses, which was compared with Kafka's word for word.
#[test]
fn records_of_the_transaction_log() {
    const VERDICTS: &str = include_str!("../../../testdata/structures/transaction-log.tsv");
    let [mut taken, mut refused] = [0, 0];
    for line in VERDICTS.lines() {
        let mut parts = line.split('\t');
        let (kind, bytes) = (parts.next().unwrap(), hex(parts.next().unwrap()));
        let mut cursor = Cursor::new(&bytes);
        let Ok(number) = cursor.i16("version") else {
            continue;
        };
        let list: &[_] = match kind {
            "key" => &transaction_coordinator::KEYS,
            _ => &transaction_coordinator::VALUES,
        };
        let read = match of_type(list, 0) {
            Some(message) if message.versions.contain(number) => {
                message.decode(number, &mut cursor)
            }
            _ => continue,
        };
        let expected = match kind {
            "key" => TransactionLogKey::decode(&bytes).map(|key| key.encode()),
            _ => TransactionLogValue::decode(&bytes).map(|value| value.encode()),
        };
        match (read, expected) {
            (Ok(read), Ok(expected)) => {
                let message = of_type(list, 0).unwrap();
                let ours = written(message, number, &read);
                assert_eq!(
                    [&number.to_be_bytes(), &ours[..]].concat(),
                    expected,
                    "{line}"
                );
                taken += 1;
            }
            (Err(_), Err(_)) => refused += 1,
            (ours, expected) => panic!("{line}: {ours:?}, expected {expected:?}"),
        }
    }
    assert!(taken > 20 && refused > 20, "{taken} {refused}");
}

/// Written by Kafka's classes.
#[test]
fn control_records_of_a_quorum() {
    let mut read = 0;
    for (key, value) in control_records() {
        let name = match key[3] {
            2 => "LeaderChangeMessage",
            3 => "SnapshotHeaderRecord",
            4 => "SnapshotFooterRecord",
            5 => "KRaftVersionRecord",
            6 => "VotersRecord",
            _ => continue,
        };
        let message = named(name);
        // One value has two bytes behind the message, at which Kafka does not look.
        let value = value.strip_suffix(b"\xde\xad").unwrap_or(&value);
        // The version that the value names is not always the one of its layout.
        let mut fitting = versions(message).filter(|version| {
            let mut cursor = Cursor::new(value);
            let body = message.decode(*version, &mut cursor);
            let is_whole = cursor.remaining() == 0;
            is_whole && body.is_ok_and(|body| written(message, *version, &body) == value)
        });
        assert!(fitting.next().is_some(), "{name}");
        read += 1;
    }
    assert!(read >= 5, "{read}");
}

/// A partition of version 2 (KIP-966) field by field; 8000 is no tag of Kafka's.
#[test]
fn a_flexible_message_by_hand() {
    let bytes = hex("00000007 00112233445566778899aabbccddeeff \
         03 00000001 00000002 02 00000001 01 01 00000001 00000005 00000009 \
         02 ffeeddccbbaa99887766554433221100 03 00 01 01 01 05 02 00000002 c03e 02 abcd");
    let partition = named("PartitionRecord");
    let body = whole(partition, 2, &bytes).unwrap();
    assert_eq!(body.int("partitionId"), Some(7));
    let ints = |name| -> Vec<_> { body.list(name).unwrap_or_default().to_vec() };
    assert_eq!(ints("replicas"), [Value::Int(1), Value::Int(2)]);
    assert_eq!(ints("isr"), [Value::Int(1)]);
    assert_eq!(body.int("leader"), Some(1));
    assert_eq!(body.int("leaderRecoveryState"), Some(1));
    assert_eq!(body.int("leaderEpoch"), Some(5));
    assert_eq!(body.int("partitionEpoch"), Some(9));
    assert_eq!(ints("eligibleLeaderReplicas"), [Value::Int(2)]);
    assert_eq!(body.get("lastKnownElr"), Some(&Value::Null));
    assert_eq!(body.get("noSuchField"), None);
    let data: &[u8] = &[0xab, 0xcd];
    assert_eq!(body.unknown, [UnknownField { tag: 8000, data }]);
    assert_eq!(written(partition, 2, &body), bytes);
}

fn refused(name: &str, version: i16, bytes: &str) -> (&'static str, Problem) {
    let bytes = hex(bytes);
    let mut cursor = Cursor::new(&bytes);
    let refusal = named(name).decode(version, &mut cursor).unwrap_err();
    (refusal.fault.field, refusal.fault.problem)
}

#[test]
fn what_kafkas_readers_refuse() {
    let left = |needed, left| Problem::Truncated { needed, left };
    // A name: null, longer than the bytes, longer than a text may be.
    assert_eq!(refused("TopicRecord", 0, "00"), ("name", Problem::Null));
    assert_eq!(refused("TopicRecord", 0, "7f 61"), ("name", left(126, 1)));
    let long = "818002";
    assert!(matches!(
        refused("TopicRecord", 0, long),
        ("name", Problem::OutOfRange { stored: 32_768, .. })
    ));
    // Lists: more than the bytes left, and more than 32 bits of Java hold.
    let partition = "00000007 00112233445566778899aabbccddeeff";
    for (count, needed) in [("ffffffff07", 0x7fff_fffe), ("8080808008", 0x7fff_ffff)] {
        let fault = refused("PartitionRecord", 0, &format!("{partition} {count} 00"));
        assert_eq!(fault, ("replicas", left(needed, 1)));
    }
    // Tagged fields: more than the bytes left, and a tag of a later version.
    let quiet = "01 01 01 01 00000001 00000005 00000009";
    let fault = refused("PartitionRecord", 0, &format!("{partition} {quiet} 05 00"));
    assert_eq!(fault, ("taggedFields", left(5, 1)));
    let fault = refused(
        "PartitionRecord",
        0,
        &format!("{partition} {quiet} 01 01 01 00"),
    );
    assert!(matches!(
        fault,
        (
            "eligibleLeaderReplicas",
            Problem::OutOfRange { stored: 1, .. }
        )
    ));
    // A version that nobody knows yet reads like the last one, but for structures inside.
    let mut cursor = Cursor::new(&[2, b'a', 0, 5, 0]);
    assert!(named("FeatureLevelRecord").decode(9, &mut cursor).is_ok());
    let quota = "02 0561 0000 03";
    assert!(matches!(
        refused("ClientQuotaRecord", 1, quota),
        ("EntityData", Problem::OutOfRange { stored: 1, .. })
    ));
    // Before flexible versions: a negative length is null.
    assert_eq!(
        refused("GroupMetadataValue", 0, "ffff"),
        ("protocolType", Problem::Null)
    );
    let fault = refused("GroupMetadataValue", 0, "0000 00000001 ffff ffff 7fffffff");
    assert_eq!(fault, ("members", left(0x7fff_ffff, 0)));
}

#[test]
fn what_no_message_has_room_for() {
    let topic = named("TopicRecord");
    let fault = |change: &dyn Fn(&mut Struct<'static>), version| {
        let mut body = Struct::new(&topic.shape);
        change(&mut body);
        let misfit = topic.encode(version, &body, &mut Vec::new()).unwrap_err();
        misfit.to_string()
    };
    let set = |value: Value<'static>| {
        move |body: &mut Struct<'static>| *body.get_mut("name").unwrap() = value.clone()
    };
    assert_eq!(fault(&set(Value::Null), 0), "name: null may not be");
    assert_eq!(
        fault(&set(Value::Int(1)), 0),
        "name: the value is of another kind"
    );
    let long: &'static [u8] = Box::leak(vec![b'x'; 32_768].into_boxed_slice());
    let too_long = "name: the text has more than 32767 bytes";
    assert_eq!(fault(&set(Value::Text(long)), 0), too_long);

    let partition = named("PartitionRecord");
    let mut body = Struct::new(&partition.shape);
    let mut out = Vec::new();
    *body.get_mut("leader").unwrap() = Value::Int(1 << 31);
    let misfit = partition.encode(0, &body, &mut out).unwrap_err();
    assert_eq!(misfit.to_string(), "leader: the number is too large");
    *body.get_mut("leader").unwrap() = Value::Int(1);
    *body.get_mut("directories").unwrap() = Value::List(vec![Value::Uuid(Uuid::ZERO)]);
    let misfit = partition.encode(0, &body, &mut out).unwrap_err();
    assert_eq!(
        misfit.to_string(),
        "directories: the version does not have the field"
    );
    assert!(partition.encode(1, &body, &mut out).is_ok());
    let misfit = topic.encode(0, &body, &mut out).unwrap_err();
    assert_eq!(misfit.field, "TopicRecord");
}

/// Bytes that a value takes at least.
fn least(kind: Kind, version: i16, flexible: bool) -> usize {
    match kind {
        Kind::Bool | Kind::Int8 => 1,
        Kind::Int16 | Kind::Uint16 => 2,
        Kind::Int32 | Kind::Uint32 => 4,
        Kind::Int64 | Kind::Float64 => 8,
        Kind::Uuid => 16,
        Kind::Text if !flexible => 2,
        Kind::Bytes | Kind::List(_) if !flexible => 4,
        Kind::Text | Kind::Bytes | Kind::List(_) => 1,
        Kind::Struct(shape) => {
            let stored = shape
                .fields
                .iter()
                .filter(|field| field.versions.contain(version) && !field.tagged.contain(version));
            let sum: usize = stored
                .map(|field| least(field.kind, version, flexible))
                .sum();
            sum + usize::from(flexible)
        }
    }
}

fn lists(shape: &'static Shape, found: &mut Vec<(&'static Field, Kind)>) {
    for field in shape.fields {
        let inner = match field.kind {
            Kind::List(element) => {
                found.push((field, *element));
                *element
            }
            kind => kind,
        };
        if let Kind::Struct(shape) = inner {
            lists(shape, found);
        }
    }
}

/// The interpreter relies on it: the memory of a list is a small multiple of its bytes.
#[test]
fn every_element_of_a_list_takes_bytes_for_its_fields() {
    let mut seen = 0;
    for message in everything() {
        let mut found = Vec::new();
        lists(&message.shape, &mut found);
        for (field, element) in found {
            for version in versions(message).filter(|version| field.versions.contain(*version)) {
                let bytes = least(element, version, message.flexible.contain(version));
                let values = match element {
                    Kind::Struct(shape) => shape.fields.len() + 1,
                    _ => 1,
                };
                assert!(bytes * 2 >= values, "{} {}", message.shape.name, field.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn no_two_fields_of_a_structure_share_name_or_tag() {
    fn look(shape: &'static Shape) {
        for (number, field) in shape.fields.iter().enumerate() {
            for other in &shape.fields[..number] {
                let tags = field.tagged != NEVER && other.tagged != NEVER;
                assert!(field.name != other.name && !(tags && field.tag == other.tag));
            }
            match field.kind {
                Kind::Struct(shape) | Kind::List(&Kind::Struct(shape)) => look(shape),
                _ => {}
            }
        }
    }
    everything().iter().for_each(|message| look(&message.shape));
    let records = metadata::RECORDS.len();
    assert!(records >= 27, "{records}");
    assert_eq!(of_type(&metadata::RECORDS, 6), None);
    assert_eq!(
        of_type(&metadata::RECORDS, 3),
        of_name(&metadata::RECORDS, "PartitionRecord")
    );
}
