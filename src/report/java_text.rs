//! Text as Java prints it: its reading of bytes that should be UTF-8, and Jackson's JSON strings.

use crate::format::json;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Appends bytes as `new String(bytes, UTF_8)` reads them: what is no UTF-8 becomes U+FFFD.
///
/// Java and Rust replace the same stretches, but for one: the three bytes of an encoded surrogate
/// (ED A0 80 to ED BF BF) are one replacement in Java, and so are two of them alone.
pub fn push_lossy(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Err(fault) = std::str::from_utf8(rest) {
        let Some((valid, invalid)) = rest.split_at_checked(fault.valid_up_to()) else {
            return;
        };
        out.extend(valid);
        out.extend(REPLACEMENT);
        let skipped = surrogate_size(invalid)
            .or(fault.error_len())
            .unwrap_or(invalid.len());
        rest = invalid.get(skipped..).unwrap_or_default();
    }
    out.extend(rest);
}

/// How many bytes belong to an encoded surrogate at the front: 3, or 2 when the last is not there.
fn surrogate_size(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => Some(3),
        [0xed, 0xa0..=0xbf, ..] => Some(2),
        _ => None,
    }
}

/// Appends a JSON string as Jackson writes it ([`json::put_text`]). Bytes that are no UTF-8 as
/// [`push_lossy`].
pub fn push_json_string(bytes: &[u8], out: &mut Vec<u8>) {
    let mut text = Vec::with_capacity(bytes.len());
    push_lossy(bytes, &mut text);
    let mut quoted = String::with_capacity(text.len());
    // The second reading replaces nothing: the first one left UTF-8.
    json::put_text(&String::from_utf8_lossy(&text), &mut quoted);
    out.append(&mut quoted.into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    const TEXTS: &str = include_str!("../../testdata/structures/java-text.tsv");

    /// Every text that Java and Jackson made of some bytes.
    #[test]
    fn bytes_as_java_reads_them() {
        for line in TEXTS.lines() {
            let (bytes, json) = line.split_once('\t').unwrap();
            let mut out = Vec::new();
            push_json_string(&hex(bytes), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), json, "{bytes}");
        }
    }
}
