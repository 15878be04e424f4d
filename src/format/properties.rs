//! Java property files, such as `meta.properties`: a name and a value a line.
//!
//! Kafka writes them with `Properties.store(Writer)`, so as UTF-8, and reads them with
//! `Properties.load(InputStream)`, so as Latin-1: a value that is not ASCII does not come back.
//! This reader reads as Kafka reads; the writer escapes (`\u00E9`) what is not ASCII, so that it
//! does come back.
//! Source: `PropertiesUtils` 4.4.0, `java.util.Properties`.

use super::malformed::{Malformed, Problem, StreamFault};
use super::text_lines::{self, ByteLines};
use std::fmt::Write;
use std::io::BufRead;

/// The properties of a file, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Properties {
    /// The comment lines before the first property, without their `#`; Kafka writes an empty one
    /// and one with the date.
    pub comments: Vec<String>,
    /// Names and values as written. A name may come twice: then the last one counts.
    pub entries: Vec<(String, String)>,
}

impl Properties {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut entries = self.entries.iter().rev();
        entries
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A property of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Where its line begins, in bytes from the start of the file.
    pub at: usize,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Reads property by property, in the order of the file, up to and with the first fault.
///
/// A `\u` without four hexadecimal digits behind it is the one thing that Java refuses
/// ("Malformed \uxxxx encoding."); a line above 1 MiB, continuations included, is refused here
/// alone.
pub fn entries(input: impl BufRead) -> impl Iterator<Item = Result<Property, StreamFault>> {
    let mut reader = LogicalLines {
        lines: ByteLines::new(input, FIELD),
        over: false,
    };
    std::iter::from_fn(move || {
        loop {
            return match reader.next_line()? {
                Ok(Line::Property(line)) => Some(split(&line).map_err(StreamFault::from)),
                Ok(Line::Comment(_)) => continue,
                Err(fault) => Some(Err(fault)),
            };
        }
    })
}

/// Reads a file in memory, with its comments.
///
/// # Errors
/// As [`entries`].
pub fn decode(bytes: &[u8]) -> Result<Properties, Malformed> {
    let mut properties = Properties::default();
    let mut reader = LogicalLines {
        lines: ByteLines::new(bytes, FIELD),
        over: false,
    };
    while let Some(line) = reader.next_line() {
        match line.map_err(StreamFault::of_bytes)? {
            Line::Comment(text) if properties.entries.is_empty() => {
                properties.comments.push(latin_1(&text));
            }
            Line::Comment(_) => {}
            Line::Property(line) => {
                let Property { name, value, .. } = split(&line)?;
                properties.entries.push((name, value));
            }
        }
    }
    Ok(properties)
}

const FIELD: &str = "property";

enum Line {
    Comment(Vec<u8>),
    Property(Logical),
}

/// A line with its continuation lines, backslashes still in it.
struct Logical {
    bytes: Vec<u8>,
    at: usize,
}

/// `Properties.LineReader`.
struct LogicalLines<R> {
    lines: ByteLines<R>,
    over: bool,
}

impl<R: BufRead> LogicalLines<R> {
    /// The next line that is not blank, or `None` at the end of the file and behind a fault.
    fn next_line(&mut self) -> Option<Result<Line, StreamFault>> {
        if self.over {
            return None;
        }
        let line = self.read_line().transpose();
        self.over = !matches!(line, Some(Ok(_)));
        line
    }

    fn read_line(&mut self) -> Result<Option<Line>, StreamFault> {
        loop {
            let Some((at, natural)) = self.natural_line()? else {
                return Ok(None);
            };
            match natural.split_first() {
                None => {}
                Some((b'#' | b'!', text)) => return Ok(Some(Line::Comment(text.to_vec()))),
                Some(_) => {
                    let first = natural.to_vec();
                    let bytes = self.continued(first, at)?;
                    // A lone backslash with nothing behind it leaves nothing.
                    if !bytes.is_empty() {
                        return Ok(Some(Line::Property(Logical { bytes, at })));
                    }
                }
            }
        }
    }

    /// Joins the lines that a backslash at the end asks for.
    fn continued(&mut self, mut joined: Vec<u8>, at: usize) -> Result<Vec<u8>, StreamFault> {
        while ends_in_escape(&joined) {
            joined.pop();
            match self.natural_line()? {
                Some((_, next)) => text_lines::join(&mut joined, next, (FIELD, at))?,
                None => break,
            }
        }
        Ok(joined)
    }

    /// The next line as the file has it, white space in front of it skipped, and where it begins.
    fn natural_line(&mut self) -> Result<Option<(usize, &[u8])>, StreamFault> {
        let Some((at, line)) = self.lines.next_line()? else {
            return Ok(None);
        };
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | 0x0c);
        let skipped = line.iter().take_while(blank).count();
        let text = line.get(skipped..).unwrap_or_default();
        Ok(Some((at.saturating_add(skipped), text)))
    }
}

/// Whether the line ends in a backslash that no other one escapes.
fn ends_in_escape(line: &[u8]) -> bool {
    let backslashes = line.iter().rev().take_while(|&&byte| byte == b'\\').count();
    !backslashes.is_multiple_of(2)
}

/// Splits a line at the first `=`, `:` or white space that is not escaped.
fn split(line: &Logical) -> Result<Property, Malformed> {
    let mut escaped = false;
    let is_end = |&byte: &u8| {
        let ends = !escaped && matches!(byte, b'=' | b':' | b' ' | b'\t' | 0x0c);
        escaped = byte == b'\\' && !escaped;
        ends
    };
    let end = line.bytes.iter().position(is_end);
    let (name, rest) = line
        .bytes
        .split_at_checked(end.unwrap_or(line.bytes.len()))
        .unwrap_or((&line.bytes, &[]));
    let mut value = trim(rest);
    if let [b'=' | b':', behind @ ..] = value {
        value = trim(behind);
    }
    Ok(Property {
        at: line.at,
        name: unescape(name, line.at)?,
        value: unescape(value, line.at)?,
    })
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | 0x0c, rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// `Properties.loadConvert`, on Latin-1.
fn unescape(bytes: &[u8], at: usize) -> Result<String, Malformed> {
    // Java's text is UTF-16, and a letter outside the first plane comes as two escapes.
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if *byte != b'\\' {
            units.push(u16::from(*byte));
            continue;
        }
        let [escape, behind @ ..] = rest else {
            break;
        };
        rest = behind;
        units.push(match escape {
            b't' => u16::from(b'\t'),
            b'r' => u16::from(b'\r'),
            b'n' => u16::from(b'\n'),
            b'f' => 0x0c,
            b'u' => {
                let (unit, behind) = four_digits(rest).ok_or_else(|| Malformed {
                    field: FIELD,
                    at,
                    problem: Problem::text(bytes, "four hexadecimal digits behind \\u"),
                })?;
                rest = behind;
                unit
            }
            other => u16::from(*other),
        });
    }
    Ok(String::from_utf16_lossy(&units))
}

fn four_digits(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(4)?;
    let mut unit = 0_u16;
    for &digit in digits {
        let value = char::from(digit).to_digit(16)?;
        unit = (unit << 4) | u16::try_from(value).ok()?;
    }
    Some((unit, rest))
}

fn latin_1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// Writes a file as `Properties.store` does. A comment with an end of line in it takes several
/// lines.
#[must_use]
pub fn encode(properties: &Properties) -> Vec<u8> {
    let mut out = String::new();
    for comment in &properties.comments {
        for line in comment.split(['\n', '\r']) {
            out.push('#');
            line.chars()
                .for_each(|letter| put_unicode(letter, &mut out));
            out.push('\n');
        }
    }
    for (name, value) in &properties.entries {
        escape(name, true, &mut out);
        out.push('=');
        escape(value, false, &mut out);
        out.push('\n');
    }
    out.into_bytes()
}

/// `Properties.saveConvert`; of a value, only a space in front is escaped.
fn escape(text: &str, is_name: bool, out: &mut String) {
    for (number, letter) in text.chars().enumerate() {
        match letter {
            ' ' if is_name || number == 0 => out.push_str("\\ "),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            '\\' | '=' | ':' | '#' | '!' => {
                out.push('\\');
                out.push(letter);
            }
            other => put_unicode(other, out),
        }
    }
}

/// ASCII as it is, anything else as one or two `\uXXXX`.
fn put_unicode(letter: char, out: &mut String) {
    if letter.is_ascii() {
        out.push(letter);
        return;
    }
    for unit in letter.encode_utf16(&mut [0; 2]) {
        // Writing to a string does not fail.
        let _ = write!(out, "\\u{unit:04X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};
    use std::collections::BTreeMap;

    const FILE: &[u8] = include_bytes!("../../testdata/structures/meta.properties");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        let properties = decode(FILE).unwrap();
        assert_eq!(properties.get("cluster.id"), Some("MGfptpuxRxmjw0wF0RpNTg"));
        assert_eq!(properties.get("node.id"), Some("1"));
        assert_eq!(properties.get("broker.id"), None);
        assert_eq!(properties.comments, ["", "Mon Nov 30 03:03:21 UTC 2026"]);
        assert_eq!(encode(&properties), FILE);
    }

    /// Text as the golden file writes it.
    fn escaped(text: &str) -> String {
        let escape = |unit: u16| match u8::try_from(unit) {
            Ok(byte @ b' '..=b'~') if byte != b'\\' => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        };
        text.encode_utf16().map(escape).collect()
    }

    fn shown(properties: &Properties) -> String {
        // Of a name that comes twice the last value counts.
        let map: BTreeMap<_, _> = properties.entries.iter().cloned().collect();
        let pairs = map.iter();
        let pairs = pairs.map(|(name, value)| format!("{}|{}", escaped(name), escaped(value)));
        pairs.collect::<Vec<_>>().join(",")
    }

    /// What `PropertiesUtils.readPropertiesFile` made of each file.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("properties") {
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(properties), Some(read)) => {
                    assert_eq!(shown(&properties), read, "{bytes:x?}");
                    let pieces = std::io::BufReader::with_capacity(1, &bytes[..]);
                    let entries = entries(pieces).map(Result::unwrap);
                    let entries: Vec<_> = entries.map(|p| (p.name, p.value)).collect();
                    assert_eq!(entries, properties.entries);
                    let again = decode(&encode(&properties)).unwrap();
                    assert_eq!(again, properties);
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}"),
            }
        }
    }

    /// What `PropertiesUtils.writePropertiesFile` wrote, but for the letter above ASCII.
    #[test]
    fn files_as_kafka_writes_them() {
        let (bytes, pair) = verdicts("stored").next().unwrap();
        let properties = decode(&bytes).unwrap();
        // Written as UTF-8, read as Latin-1.
        let pair = pair.replace("\\u00e9", "\\u00c3\\u00a9");
        assert_eq!(shown(&properties), pair);
        let text = String::from_utf8(bytes).unwrap();
        let ascii = text.replace('é', "\\u00C3\\u00A9");
        assert_eq!(encode(&properties), ascii.as_bytes());
    }

    #[test]
    fn a_line_continued_without_end_is_given_up() {
        struct Endless(usize);
        impl std::io::Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                buffer.fill_with(|| {
                    self.0 += 1;
                    *b"long\\\n".get(self.0 % 6).unwrap()
                });
                Ok(buffer.len())
            }
        }
        let mut entries = entries(std::io::BufReader::new(Endless(5)));
        let Some(Err(StreamFault::Malformed(fault))) = entries.next() else {
            panic!("a line of endless length");
        };
        assert!(matches!(fault.problem, Problem::TooLarge { .. }), "{fault}");
        assert!(entries.next().is_none());
    }

    #[test]
    fn damage_is_refused_or_read() {
        for damaged in truncations(FILE).map(<[u8]>::to_vec).chain(bit_flips(FILE)) {
            match decode(&damaged) {
                Ok(properties) => {
                    let again = decode(&encode(&properties)).unwrap();
                    assert_eq!(again.entries, properties.entries);
                }
                Err(fault) => assert_inside(&fault, &damaged),
            }
        }
    }
}
