//! Integers as decimal digits, appended to a byte buffer: the innermost loop of every dump.

const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        n += 1;
    }
    pairs
};

/// Longest 64-bit number in digits.
const WIDEST: usize = 20;

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
        return;
    }
    let mut digits = [0; WIDEST];
    let mut at = WIDEST;
    let mut rest = value;
    while rest >= 100 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    let lead = PAIRS[rest as usize];
    if rest >= 10 {
        at -= 1;
        digits[at] = lead[1];
        at -= 1;
        digits[at] = lead[0];
    } else {
        at -= 1;
        digits[at] = lead[1];
    }
    out.extend_from_slice(&digits[at..]);
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
