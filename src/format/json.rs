//! JSON, as far as the small files of a log directory need it: strict, whole in memory, no limits
//! but depth. Members keep their order, numbers their text.

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use std::fmt::Write;

/// The deepest nesting that is read, as in Jackson; Kafka's files nest twice.
const DEPTH_LIMIT: usize = 1000;

const FIELD: &str = "json";

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(String),
    /// A text, its escapes resolved; a lone surrogate becomes U+FFFD.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object.
    Object(Object),
}

/// The members of an object, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object(pub Vec<(String, Value)>);

impl Object {
    /// The member of that name; of several the last, as Jackson takes it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut members = self.0.iter().rev();
        members.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The whole number of that name, if it is one of 64 bits.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The text of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a file that holds one object and nothing else.
///
/// # Errors
/// As [`decode_front`], and [`Problem::Trailing`] for more than white space behind the object.
pub fn decode(bytes: &[u8]) -> Result<Object, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let object = read_front(&mut cursor)?;
    skip_space(&mut cursor);
    if cursor.remaining() > 0 {
        let bytes = u64::try_from(cursor.remaining()).unwrap_or(u64::MAX);
        return Err(cursor.fault(FIELD, Problem::Trailing { bytes }));
    }
    Ok(object)
}

/// Reads the object at the front and does not look behind it, which is how Kafka reads its files.
///
/// # Errors
/// [`Problem::Text`] where something else stands, [`Problem::Truncated`] where the file ends too
/// early, [`Problem::TooLarge`] for nesting deeper than 1000.
pub fn decode_front(bytes: &[u8]) -> Result<Object, Malformed> {
    read_front(&mut Cursor::new(bytes))
}

fn read_front(cursor: &mut Cursor<'_>) -> Result<Object, Malformed> {
    skip_space(cursor);
    expect(cursor, b"{", "an object")?;
    read_object(cursor, 1)
}

fn peek(cursor: &Cursor<'_>) -> Option<u8> {
    cursor.rest().first().copied()
}

fn skip_space(cursor: &mut Cursor<'_>) {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = peek(cursor) {
        let _ = cursor.u8(FIELD);
    }
}

/// What stands here is not what should.
#[cold]
fn unexpected(cursor: &Cursor<'_>, expected: &'static str) -> Malformed {
    let rest = cursor.rest();
    let problem = if rest.is_empty() {
        Problem::Truncated { needed: 1, left: 0 }
    } else {
        Problem::text(rest, expected)
    };
    cursor.fault(FIELD, problem)
}

fn expect(cursor: &mut Cursor<'_>, token: &[u8], expected: &'static str) -> Result<(), Malformed> {
    if cursor.rest().starts_with(token) {
        cursor.take(token.len(), FIELD).map(|_| ())
    } else {
        Err(unexpected(cursor, expected))
    }
}

fn read_value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Value, Malformed> {
    if depth > DEPTH_LIMIT {
        let (size, limit) = (1001, 1000);
        return Err(cursor.fault(FIELD, Problem::TooLarge { size, limit }));
    }
    skip_space(cursor);
    match peek(cursor) {
        Some(b'{') => {
            expect(cursor, b"{", "an object")?;
            read_object(cursor, depth.saturating_add(1)).map(Value::Object)
        }
        Some(b'[') => {
            expect(cursor, b"[", "a list")?;
            read_list(cursor, depth.saturating_add(1)).map(Value::List)
        }
        Some(b'"') => read_text(cursor).map(Value::Text),
        Some(b'-' | b'0'..=b'9') => read_number(cursor).map(Value::Number),
        Some(b't') => expect(cursor, b"true", "`true`").map(|()| Value::Bool(true)),
        Some(b'f') => expect(cursor, b"false", "`false`").map(|()| Value::Bool(false)),
        Some(b'n') => expect(cursor, b"null", "`null`").map(|()| Value::Null),
        _ => Err(unexpected(cursor, "a value")),
    }
}

/// The members behind `{`.
fn read_object(cursor: &mut Cursor<'_>, depth: usize) -> Result<Object, Malformed> {
    let mut members = Vec::new();
    skip_space(cursor);
    if peek(cursor) == Some(b'}') {
        expect(cursor, b"}", "`}`")?;
        return Ok(Object(members));
    }
    loop {
        skip_space(cursor);
        let name = read_text(cursor)?;
        skip_space(cursor);
        expect(cursor, b":", "`:`")?;
        members.push((name, read_value(cursor, depth)?));
        skip_space(cursor);
        if peek(cursor) == Some(b'}') {
            expect(cursor, b"}", "`}`")?;
            return Ok(Object(members));
        }
        expect(cursor, b",", "`,` or `}`")?;
    }
}

/// The elements behind `[`.
fn read_list(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<Value>, Malformed> {
    let mut list = Vec::new();
    skip_space(cursor);
    if peek(cursor) == Some(b']') {
        expect(cursor, b"]", "`]`")?;
        return Ok(list);
    }
    loop {
        list.push(read_value(cursor, depth)?);
        skip_space(cursor);
        if peek(cursor) == Some(b']') {
            expect(cursor, b"]", "`]`")?;
            return Ok(list);
        }
        expect(cursor, b",", "`,` or `]`")?;
    }
}

fn read_number(cursor: &mut Cursor<'_>) -> Result<String, Malformed> {
    let start = *cursor;
    let part = |byte: &&u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
    let length = cursor.rest().iter().take_while(part).count();
    let digits = cursor.take(length, FIELD)?;
    if is_number(digits) {
        // Every byte of a number is ASCII.
        return Ok(digits.iter().copied().map(char::from).collect());
    }
    Err(start.fault(FIELD, Problem::text(digits, "a number")))
}

/// `-? (0 | [1-9] [0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let rest = match text {
        [b'0', rest @ ..] => rest,
        [b'1'..=b'9', ..] => digits(text),
        _ => return false,
    };
    let rest = match rest {
        [b'.', fraction @ ..] if fraction.first().is_some_and(u8::is_ascii_digit) => {
            digits(fraction)
        }
        _ => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent).is_empty()
        }
        _ => false,
    }
}

/// What stands behind the digits at the front.
fn digits(mut text: &[u8]) -> &[u8] {
    while let [b'0'..=b'9', rest @ ..] = text {
        text = rest;
    }
    text
}

fn read_text(cursor: &mut Cursor<'_>) -> Result<String, Malformed> {
    expect(cursor, b"\"", "a text")?;
    let mut text = String::new();
    loop {
        let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0x00..0x20);
        let length = cursor.rest().iter().take_while(plain).count();
        let start = *cursor;
        let bytes = cursor.take(length, FIELD)?;
        let run = str::from_utf8(bytes);
        text.push_str(run.map_err(|_| start.fault(FIELD, Problem::text(bytes, "UTF-8")))?);
        match peek(cursor) {
            Some(b'"') => {
                expect(cursor, b"\"", "`\"`")?;
                return Ok(text);
            }
            Some(b'\\') => text.push(read_escape(cursor)?),
            _ => return Err(unexpected(cursor, "the rest of a text")),
        }
    }
}

fn read_escape(cursor: &mut Cursor<'_>) -> Result<char, Malformed> {
    const EXPECTED: &str = "an escape";
    let start = *cursor;
    let _ = cursor.u8(FIELD)?;
    Ok(match cursor.u8(FIELD)? {
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        same @ (b'"' | b'\\' | b'/') => char::from(same),
        b'u' => {
            let first = read_unit(cursor).ok_or_else(|| unexpected(&start, EXPECTED))?;
            let mut units = vec![first];
            let mut ahead = *cursor;
            if (0xd800..0xdc00).contains(&first)
                && expect(&mut ahead, b"\\u", EXPECTED).is_ok()
                && let Some(second @ 0xdc00..0xe000) = read_unit(&mut ahead)
            {
                units.push(second);
                *cursor = ahead;
            }
            let mut letters = char::decode_utf16(units);
            letters
                .next()
                .and_then(Result::ok)
                .unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => return Err(unexpected(&start, EXPECTED)),
    })
}

fn read_unit(cursor: &mut Cursor<'_>) -> Option<u16> {
    let mut unit = 0_u16;
    for &digit in cursor.take(4, FIELD).ok()? {
        let value = char::from(digit).to_digit(16)?;
        unit = (unit << 4) | u16::try_from(value).ok()?;
    }
    Some(unit)
}

/// The text of an object as Jackson writes it: no spaces.
#[must_use]
pub fn encode(object: &Object) -> Vec<u8> {
    let mut out = String::new();
    put_object(object, &mut out);
    out.into_bytes()
}

fn put_object(object: &Object, out: &mut String) {
    out.push('{');
    for (number, (name, value)) in object.0.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        put_text(name, out);
        out.push(':');
        put_value(value, out);
    }
    out.push('}');
}

/// Appends the text of a value as Jackson writes it: no spaces.
pub fn put_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) => out.push_str(text),
        Value::Text(text) => put_text(text, out),
        Value::Object(object) => put_object(object, out),
        Value::List(list) => {
            out.push('[');
            for (number, element) in list.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                put_value(element, out);
            }
            out.push(']');
        }
    }
}

/// Appends a text as Jackson writes it: quotes, backslashes and control characters escaped
/// (`\u001F`, upper case), everything else as it is.
pub fn put_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..' ' => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations};

    /// Our reading against that of serde_json, whose verdict must be the same.
    fn agrees_with_serde(bytes: &[u8]) {
        let theirs: Result<serde_json::Map<String, serde_json::Value>, _> =
            serde_json::from_slice(bytes);
        match (decode(bytes), theirs) {
            (Ok(object), Ok(theirs)) => {
                let ours: serde_json::Value = serde_json::from_slice(&encode(&object)).unwrap();
                assert_eq!(ours, serde_json::Value::Object(theirs));
            }
            (Err(fault), Err(_)) => assert_inside(&fault, bytes),
            // A lone surrogate is an error there and a replacement here, as is a number too large.
            (Ok(object), Err(theirs)) => {
                let reason = theirs.to_string();
                let known = ["surrogate", "hex escape", "out of range"];
                assert!(
                    known.iter().any(|known| reason.contains(known)),
                    "{reason} {object:?}"
                );
            }
            (Err(fault), Ok(_)) => panic!("{fault}: {}", String::from_utf8_lossy(bytes)),
        }
    }

    const TEXTS: [&str; 6] = [
        r#"{"leaderId":1,"leaderEpoch":3,"votedId":-1,"data_version":1}"#,
        r#" { "a" : [ 1 , -0.5e+3 , { } , [ ] , null , true , false ] , "b" : { "c" : "d" } } "#,
        r#"{"\u0041\ud83d\udc3b\"\\\/\b\f\n\r\t":"é漢\ud83dx","a":1,"a":2}"#,
        "{}",
        r#"{"n":[0,-0,10,1.0,1e5,1E-5,123456789012345678901234567890]}"#,
        r#"{"v":0,"currentVoters":[{"voterId":1},{"voterId":2}]}"#,
    ];

    #[test]
    fn reads_what_serde_reads() {
        for text in TEXTS {
            agrees_with_serde(text.as_bytes());
            assert!(decode(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_what_serde_refuses() {
        for text in [
            "",
            " ",
            "[]",
            "1",
            "{",
            "{}x",
            "{}{}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{a:1}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e}"#,
            r#"{"a":+1}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":[1 2]}"#,
            r#"{"a":"b}"#,
            r#"{"a":"\q"}"#,
            r#"{"a":"\u00g0"}"#,
            r#"{"a":tru}"#,
            r#"{'a':1}"#,
            "{\"a\":\"\n\"}",
            "{\"a\":1}\0",
            r#"{"a":NaN}"#,
            r#"{"a":1}}"#,
            "\u{feff}{}",
        ] {
            assert!(decode(text.as_bytes()).is_err(), "{text}");
            agrees_with_serde(text.as_bytes());
        }
    }

    #[test]
    fn damage_is_judged_as_serde_judges_it() {
        for text in TEXTS {
            for damaged in truncations(text.as_bytes()).map(<[u8]>::to_vec) {
                agrees_with_serde(&damaged);
            }
            for damaged in bit_flips(text.as_bytes()) {
                agrees_with_serde(&damaged);
            }
        }
    }

    #[test]
    fn nesting_ends_in_an_error_and_not_in_the_stack() {
        let deep = [b"{\"a\":".as_slice(), &[b'['; 100_000]].concat();
        let fault = decode(&deep).unwrap_err();
        assert!(matches!(fault.problem, Problem::TooLarge { .. }), "{fault}");
    }
}
