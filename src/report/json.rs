//! JSON written by hand into a byte buffer: objects of one line, integers as integers.
//!
//! Field names are Kafka's own; see the contract in `docs/dump-log.md`.

use super::digits;

/// The largest integer that a reader with doubles holds exactly: 2^53.
const EXACT_IN_A_DOUBLE: u64 = 1 << 53;

/// How integers outside +-2^53 are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WideIntegers {
    /// As numbers, like all others.
    #[default]
    Number,
    /// As strings, for readers that hold every number in a double.
    String,
}

/// An object or array being written; closing it is the caller's last call.
#[derive(Debug)]
pub struct Object<'o> {
    out: &'o mut Vec<u8>,
    wide: WideIntegers,
    first: bool,
}

impl<'o> Object<'o> {
    /// Opens an object.
    pub fn open(out: &'o mut Vec<u8>, wide: WideIntegers) -> Self {
        out.push(b'{');
        Self {
            out,
            wide,
            first: true,
        }
    }

    /// Writes a field's name and gives the buffer for its value.
    #[inline]
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// Writes a field's name that comes from the input, and gives the buffer for its value.
    pub fn foreign_name(&mut self, name: &str) -> &mut Vec<u8> {
        self.separate();
        push_text(name, self.out);
        self.out.push(b':');
        self.out
    }

    #[inline]
    fn separate(&mut self) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
    }

    /// A field that holds an integer.
    #[inline]
    pub fn int(&mut self, name: &str, value: impl Into<i64>) {
        let wide = self.wide;
        push_int(value.into(), wide, self.name(name));
    }

    /// A field that holds an unsigned integer.
    #[inline]
    pub fn uint(&mut self, name: &str, value: u64) {
        let quoted = self.wide == WideIntegers::String && value > EXACT_IN_A_DOUBLE;
        let out = self.name(name);
        quote_if(quoted, out, |out| digits::push_u64(value, out));
    }

    /// A field that holds an integer or null.
    pub fn optional_int(&mut self, name: &str, value: Option<impl Into<i64>>) {
        match value {
            Some(value) => self.int(name, value),
            None => self.null(name),
        }
    }

    /// A field that holds true or false.
    pub fn boolean(&mut self, name: &str, value: bool) {
        self.name(name)
            .extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// A field that holds null: unknown, or none.
    pub fn null(&mut self, name: &str) {
        self.name(name).extend_from_slice(b"null");
    }

    /// A field that holds a text.
    pub fn text(&mut self, name: &str, value: &str) {
        push_text(value, self.name(name));
    }

    /// A field that holds bytes: under `name` as text when they are UTF-8, else under
    /// `name` + `Base64`.
    pub fn bytes(&mut self, name: &str, value: Option<&[u8]>) {
        match value.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
            None => self.null(name),
            Some((_, Ok(text))) => self.text(name, text),
            Some((bytes, Err(_))) => self.base64(name, bytes),
        }
    }

    /// A field that holds bytes as base64, under `name` + `Base64`.
    pub fn base64(&mut self, name: &str, value: &[u8]) {
        let out = self.name(name);
        // The name stands there already as `"name":`; the suffix goes before the quote.
        out.truncate(out.len() - 2);
        out.extend_from_slice(b"Base64\":\"");
        base64(value, out);
        out.push(b'"');
    }

    /// A field that holds a finite number with a point, with the digits that tell it from its
    /// neighbours.
    pub fn decimal(&mut self, name: &str, value: f64) {
        let digits = format!("{value:?}");
        self.name(name).extend_from_slice(digits.as_bytes());
    }

    /// A producer id, with its hexadecimal form where a double would round it.
    pub fn producer_id(&mut self, value: i64) {
        self.wide_id("producerId", value);
    }

    /// A producer id under another name, its hexadecimal form under that name + `Hex`.
    pub fn wide_id(&mut self, name: &str, value: i64) {
        self.int(name, value);
        if value.unsigned_abs() > EXACT_IN_A_DOUBLE {
            self.text(&format!("{name}Hex"), &format!("0x{value:016X}"));
        }
    }

    /// Closes the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    /// Closes the object and the line.
    pub fn close_line(self) {
        self.out.extend_from_slice(b"}\n");
    }
}

/// Appends an array, each of whose items `push` appends.
pub fn array<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(b']');
}

/// Appends an integer.
#[inline]
pub fn push_int(value: i64, wide: WideIntegers, out: &mut Vec<u8>) {
    let quoted = wide == WideIntegers::String && value.unsigned_abs() > EXACT_IN_A_DOUBLE;
    quote_if(quoted, out, |out| digits::push_i64(value, out));
}

#[inline]
fn quote_if(quoted: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if quoted {
        out.push(b'"');
    }
    write(out);
    if quoted {
        out.push(b'"');
    }
}

/// Appends a text in quotes; control characters are escaped, all else stays UTF-8.
pub fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| escape(*byte).is_some()) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        match escape(tail[0]) {
            Some(b'u') => out.extend_from_slice(format!("\\u{:04x}", tail[0]).as_bytes()),
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            None => {}
        }
        rest = &tail[1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// What follows the backslash for a byte that may not stand in a JSON text as it is.
const fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' => Some(byte),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\t' => Some(b't'),
        0x08 => Some(b'b'),
        0x0c => Some(b'f'),
        0x00..=0x1f => Some(b'u'),
        _ => None,
    }
}

/// Appends bytes as base64 (RFC 4648, with padding).
pub fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let mut word = [0; 4];
        word[1..=group.len()].copy_from_slice(group);
        let word = u32::from_be_bytes(word);
        for digit in 0..4_usize {
            out.push(if digit <= group.len() {
                ALPHABET[(word >> (18 - 6 * digit) & 0x3f) as usize]
            } else {
                b'='
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn base64_as_rfc_4648_has_it() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(written(|out| base64(bytes.as_bytes(), out)), text);
        }
    }

    #[test]
    fn a_text_reads_back_through_serde() {
        let text: String = (0..0x250_u32).filter_map(char::from_u32).collect();
        let json = written(|out| push_text(&text, out));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn wide_integers_become_strings_only_when_asked() {
        let edge = 1 << 53;
        assert_eq!(
            written(|out| push_int(edge, WideIntegers::String, out)),
            edge.to_string()
        );
        let beyond = -edge - 1;
        assert_eq!(
            written(|out| push_int(beyond, WideIntegers::String, out)),
            format!("\"{beyond}\"")
        );
        assert_eq!(
            written(|out| push_int(beyond, WideIntegers::Number, out)),
            beyond.to_string()
        );
    }

    #[test]
    fn decimals_read_back_as_the_same_number() {
        for value in [0.0, 1.0, 0.1, 2.328_306_436_538_696_3e-10, 1e300] {
            let json = written(|out| {
                let mut object = Object::open(out, WideIntegers::String);
                object.decimal("probability", value);
                object.close();
            });
            let read: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(read["probability"].as_f64(), Some(value), "{json}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_come_as_base64_under_another_name() {
        let json = written(|out| {
            let mut object = Object::open(out, WideIntegers::Number);
            object.bytes("key", Some(&[0xff]));
            object.bytes("value", None);
            object.producer_id(-9_223_371_946_660_462_587);
            object.close();
        });
        assert_eq!(
            json,
            "{\"keyBase64\":\"/w==\",\"value\":null,\"producerId\":-9223371946660462587,\
             \"producerIdHex\":\"0x8000001500000005\"}"
        );
    }
}
