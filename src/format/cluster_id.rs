//! The 128 bits of a cluster's id, where its text stands for some.
//!
//! A cluster id is free text (KIP-78). Kafka makes it of 128 random bits, written as
//! [`super::uuid`] has it; the bit-field mapping is defined for such ids alone.

use super::malformed::{Malformed, Problem};
use super::uuid::{SIZE, Uuid};

/// Where the dashes of a UUID stand (RFC 4122).
const DASHES: [usize; 4] = [8, 13, 18, 23];
/// The length of a UUID with its dashes.
const DASHED_SIZE: usize = 36;

/// Reads a cluster id in the form that Kafka gives it; or, which Kafka does not read, as a UUID
/// with dashes (RFC 4122) or as 32 hexadecimal digits.
///
/// # Errors
/// [`Problem::Text`] for any other text, which may still be a cluster's id.
///
/// ```
/// use kfsck::format::cluster_id;
/// let kafkas = cluster_id::parse("ABEiM0RVZneImaq7zN3u_w").unwrap();
/// assert_eq!(cluster_id::parse("00112233-4455-6677-8899-aabbccddeeff"), Ok(kafkas));
/// assert!(cluster_id::parse("production").is_err());
/// ```
pub fn parse(text: &str) -> Result<Uuid, Malformed> {
    const FIELD: &str = "clusterId";
    let bytes = text.as_bytes();
    Uuid::parse(bytes, FIELD)
        .ok()
        .or_else(|| hexadecimal(bytes))
        .or_else(|| hexadecimal(&without_dashes(bytes)?))
        .ok_or_else(|| Malformed {
            field: FIELD,
            at: 0,
            problem: Problem::text(
                bytes,
                "22 characters of URL-safe base 64, a UUID or 32 hexadecimal digits",
            ),
        })
}

fn hexadecimal(text: &[u8]) -> Option<Uuid> {
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != SIZE || !rest.is_empty() {
        return None;
    }
    let mut id = [0; SIZE];
    for (byte, [high, low]) in id.iter_mut().zip(pairs) {
        *byte = (hex_digit(*high)? << 4) | hex_digit(*low)?;
    }
    Some(Uuid(id))
}

fn hex_digit(letter: u8) -> Option<u8> {
    let digit = char::from(letter).to_digit(16)?;
    u8::try_from(digit).ok()
}

fn without_dashes(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() != DASHED_SIZE || DASHES.iter().any(|at| text.get(*at) != Some(&b'-')) {
        return None;
    }
    Some(text.iter().copied().filter(|byte| *byte != b'-').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_of_one_id() {
        let id = Uuid::parse(b"7YlvJLFmRy2ZQ9tBN3Ofiw", "clusterId");
        for text in [
            "7YlvJLFmRy2ZQ9tBN3Ofiw",
            "ed896f24-b166-472d-9943-db4137739f8b",
            "ED896F24-B166-472D-9943-DB4137739F8B",
            "ed896f24b166472d9943db4137739f8b",
        ] {
            assert_eq!(parse(text), id, "{text}");
        }
    }

    #[test]
    fn free_text_has_no_bits() {
        for text in [
            "",
            "my cluster",
            "ed896f24-b166-472d-9943-db4137739f8",
            "ed896f24b166-472d-9943-db4137739f8b0",
            "ed896f24-b166-472d-9943-db41-7739f8b",
            "xd896f24b166472d9943db4137739f8b",
            "+d896f24b166472d9943db4137739f8b",
            "clüster-id-of-22-char",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
