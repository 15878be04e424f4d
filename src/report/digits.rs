//! Integers as decimal digits, appended to a byte buffer: the innermost loop of every dump.

/// The digits of a number below 10^8 at once: eight bytes, the first digit in the lowest.
///
/// Halves the number into two of four digits, those into four of two, those into eight of one;
/// each step divides all parts with one multiplication. The factors are exact for parts this small.
#[inline]
const fn eight_digits(value: u32) -> u64 {
    let fours = (value / 10_000) as u64 | (((value % 10_000) as u64) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

/// `0` in each of eight bytes.
const ZEROS: u64 = 0x3030_3030_3030_3030;

const TEN_TO_THE_8: u64 = 100_000_000;

/// Appends `value` in decimal.
///
/// ```
/// let mut out = Vec::new();
/// kfsck::report::digits::push_u64(1_774_000_000_000, &mut out);
/// assert_eq!(out, b"1774000000000");
/// ```
#[inline]
pub fn push_u64(value: u64, out: &mut Vec<u8>) {
    if value < 10 {
        out.push(b'0' + value as u8);
    } else {
        push_digits(value, out);
    }
}

fn push_digits(value: u64, out: &mut Vec<u8>) {
    if value < TEN_TO_THE_8 {
        let (text, count) = trimmed(value as u32);
        // Eight bytes are one move; the surplus is cut off again.
        out.extend_from_slice(&text);
        out.truncate(out.len() - (8 - count));
    } else {
        push_u64(value / TEN_TO_THE_8, out);
        out.extend_from_slice(&padded((value % TEN_TO_THE_8) as u32));
    }
}

/// The digits of a number from 1 to below 10^8 without zeros in front, and how many there are;
/// what follows them means nothing.
#[inline]
const fn trimmed(value: u32) -> ([u8; 8], usize) {
    let digits = eight_digits(value);
    let zeros = digits.trailing_zeros() / 8;
    (text_of(digits >> (8 * zeros)), 8 - zeros as usize)
}

/// The eight digits of a number below 10^8, zeros in front included.
#[inline]
const fn padded(value: u32) -> [u8; 8] {
    text_of(eight_digits(value))
}

/// Eight digits as text, the lowest byte first.
#[inline]
const fn text_of(digits: u64) -> [u8; 8] {
    (digits | ZEROS).swap_bytes().to_be_bytes()
}

/// Appends `value` in decimal, with a minus sign below 0.
#[inline]
pub fn push_i64(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    push_u64(value.unsigned_abs(), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_and_the_extremes_read_as_the_standard_library_writes_them() {
        let mut values = vec![0, i64::MIN, i64::MAX];
        values.extend(0..120_000);
        for shift in 0..63 {
            values.extend([1 << shift, (1 << shift) - 1, -(1 << shift)]);
        }
        let mut power = 1_i64;
        while let Some(next) = power.checked_mul(10) {
            values.extend([power - 1, power, -power]);
            power = next;
        }
        for value in values {
            let mut out = Vec::new();
            push_i64(value, &mut out);
            assert_eq!(out, value.to_string().into_bytes());
        }
    }
}
