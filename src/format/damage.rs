//! What tests do to bytes: cut them at every length, flip every bit of them.

use super::malformed::Malformed;

/// The bytes cut after 0, 1, 2, ... of them; never the whole.
pub(crate) fn truncations(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..bytes.len()).map(|length| &bytes[..length])
}

/// The bytes with one bit flipped, each bit once.
pub(crate) fn bit_flips(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

/// Asserts that a fault lies in the bytes that it is a fault of, or right behind them.
pub(crate) fn assert_inside(fault: &Malformed, bytes: &[u8]) {
    assert!(fault.at <= bytes.len(), "{fault} of {} bytes", bytes.len());
}

/// Reads the hexadecimal notation of the golden files; spaces do not count.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The text files of one kind that Kafka's readers were given, with what they said.
pub(crate) fn verdicts(kind: &str) -> impl Iterator<Item = (Vec<u8>, &'static str)> {
    const FILES: &str = include_str!("../../testdata/structures/text-files.tsv");
    FILES.lines().filter_map(move |line| {
        let (bytes, said) = line
            .strip_prefix(kind)?
            .strip_prefix('\t')?
            .split_once('\t')?;
        Some((hex(bytes), said))
    })
}
