//! Variable-length numbers: base 128, least significant group first, zigzag where signed (KIP-98).

use super::malformed::Problem;

const MORE: u8 = 0x80;
const GROUP: u8 = 0x7f;

/// The longest encoding of 32 bits, in bytes.
pub const VARINT_LIMIT: usize = 5;
/// The longest encoding of 64 bits, in bytes.
pub const VARLONG_LIMIT: usize = 10;

/// Splits an unsigned varint of at most 5 bytes off the front.
///
/// Bits above the 32nd in the fifth byte are dropped, as `ByteUtils.readUnsignedVarint` does.
///
/// # Errors
/// [`Problem::Truncated`] when the bytes end inside it, [`Problem::EndlessVarint`] after 5 bytes.
#[inline]
pub fn unsigned_varint(bytes: &[u8]) -> Result<(u32, &[u8]), Problem> {
    match bytes.split_first() {
        Some((&first, rest)) if first < MORE => Ok((u32::from(first), rest)),
        _ => long_form(bytes, VARINT_LIMIT).map(|(value, rest)| (low_half(value), rest)),
    }
}

/// Splits a zigzag varint of at most 5 bytes off the front.
///
/// # Errors
/// As [`unsigned_varint`].
#[inline]
pub fn varint(bytes: &[u8]) -> Result<(i32, &[u8]), Problem> {
    let (raw, rest) = unsigned_varint(bytes)?;
    Ok((
        (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg(),
        rest,
    ))
}

/// Splits a zigzag varint of at most 10 bytes off the front.
///
/// # Errors
/// As [`unsigned_varint`], with 10 bytes for the limit.
#[inline]
pub fn varlong(bytes: &[u8]) -> Result<(i64, &[u8]), Problem> {
    let (raw, rest) = match bytes.split_first() {
        Some((&first, rest)) if first < MORE => (u64::from(first), rest),
        _ => long_form(bytes, VARLONG_LIMIT)?,
    };
    Ok((
        (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg(),
        rest,
    ))
}

fn long_form(bytes: &[u8], limit: usize) -> Result<(u64, &[u8]), Problem> {
    let mut value = 0_u64;
    let mut shift = 0_u32;
    let mut rest = bytes;
    for _ in 0..limit {
        let Some((&byte, tail)) = rest.split_first() else {
            // At least one byte more is needed than there is.
            let left = bytes.len();
            return Err(Problem::Truncated {
                needed: left.saturating_add(1),
                left,
            });
        };
        value |= u64::from(byte & GROUP).wrapping_shl(shift);
        rest = tail;
        if byte & MORE == 0 {
            return Ok((value, rest));
        }
        shift = shift.wrapping_add(7);
    }
    Err(Problem::EndlessVarint { limit })
}

fn low_half(value: u64) -> u32 {
    let [_, _, _, _, a, b, c, d] = value.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// Appends `value` as an unsigned varint.
pub fn put_unsigned_varint(value: u32, out: &mut Vec<u8>) {
    put_groups(u64::from(value), out);
}

/// Appends `value` as a zigzag varint.
pub fn put_varint(value: i32, out: &mut Vec<u8>) {
    put_groups(
        u64::from(((value << 1) ^ (value >> 31)).cast_unsigned()),
        out,
    );
}

/// Appends `value` as a zigzag varlong.
pub fn put_varlong(value: i64, out: &mut Vec<u8>) {
    put_groups(((value << 1) ^ (value >> 63)).cast_unsigned(), out);
}

fn put_groups(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let [.., low] = value.to_be_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & GROUP);
            return;
        }
        out.push(low | MORE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labelled by hand after KIP-98: zigzag of 0, -1, 1, 63, -64, 64 and the extremes.
    #[test]
    fn varints_as_the_kip_draws_them() {
        for (bytes, value) in [
            (&[0x00][..], 0),
            (&[0x01], -1),
            (&[0x02], 1),
            (&[0x7e], 63),
            (&[0x7f], -64),
            (&[0x80, 0x01], 64),
            (&[0xfe, 0xff, 0xff, 0xff, 0x0f], i32::MAX),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], i32::MIN),
        ] {
            assert_eq!(varint(bytes), Ok((value, &[][..])), "{bytes:x?}");
            let mut out = Vec::new();
            put_varint(value, &mut out);
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn a_number_without_a_last_byte_is_refused() {
        assert_eq!(varint(&[0x80; 5]), Err(Problem::EndlessVarint { limit: 5 }));
        assert_eq!(
            varlong(&[0x80; 12]),
            Err(Problem::EndlessVarint { limit: 10 })
        );
        assert_eq!(
            varint(&[0x80; 2]),
            Err(Problem::Truncated { needed: 3, left: 2 })
        );
        assert_eq!(varint(&[]), Err(Problem::Truncated { needed: 1, left: 0 }));
    }
}
