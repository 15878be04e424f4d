//! Text as Java makes it, where a dump must equal the stock tool's byte for byte.

use std::io::Write as _;

/// U+FFFD in UTF-8.
const REPLACEMENT: [u8; 3] = [0xef, 0xbf, 0xbd];

/// Appends what Java prints, in UTF-8, for `new String(bytes, UTF_8)`.
///
/// Sound UTF-8 comes out as it is. Of the rest, each longest piece that could begin a character
/// becomes one U+FFFD, as Unicode recommends and [`String::from_utf8_lossy`] does. Java has one
/// exception: an encoded surrogate (`ED A0..BF xx`) counts as one piece, not three.
///
/// ```
/// use kfsck::format::java_text::push_java_utf8;
/// let mut out = Vec::new();
/// push_java_utf8(b"a\xed\xa0\x80b\xc0\x80", &mut out);
/// assert_eq!(out, "a\u{fffd}b\u{fffd}\u{fffd}".as_bytes());
/// ```
#[inline]
pub fn push_java_utf8(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_ascii() {
        out.extend_from_slice(bytes);
    } else {
        push_beyond_ascii(bytes, out);
    }
}

fn push_beyond_ascii(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Err(error) = std::str::from_utf8(rest) {
        let Some((sound, broken)) = rest.split_at_checked(error.valid_up_to()) else {
            break;
        };
        let piece = match *broken {
            [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => 3,
            [0xed, 0xa0..=0xbf, ..] => 2,
            _ => error.error_len().unwrap_or(broken.len()),
        };
        out.extend_from_slice(sound);
        out.extend_from_slice(&REPLACEMENT);
        rest = broken.get(piece..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// What `String.hashCode` gives for `new String(bytes, UTF_8)`.
///
/// ```
/// assert_eq!(kfsck::format::java_text::java_hash_code(b"ab"), 97 * 31 + 98);
/// ```
#[must_use]
pub fn java_hash_code(bytes: &[u8]) -> i32 {
    let mut text = Vec::new();
    push_java_utf8(bytes, &mut text);
    let text = String::from_utf8_lossy(&text);
    text.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    })
}

/// Appends what `Double.toString` gives from JDK 19 on: the fewest digits that tell the value
/// from its neighbours, but two at least. Before, some values had a digit too many (JDK-4511638).
///
/// Values from 10^-3 up to 10^7 are plain, others scientific; the rest is `NaN`, `Infinity` and
/// `-Infinity`.
///
/// ```
/// use kfsck::format::java_text::push_java_double;
/// let mut out = Vec::new();
/// push_java_double(1e21, &mut out);
/// assert_eq!(out, b"1.0E21");
/// ```
pub fn push_java_double(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
        return;
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        out.extend_from_slice(b"Infinity");
    } else if magnitude == 0.0 {
        out.extend_from_slice(b"0.0");
    } else {
        push_finite(magnitude, out);
    }
}

fn push_finite(magnitude: f64, out: &mut Vec<u8>) {
    let text = shortest(magnitude);
    let Some((digits, exponent)) = text.split_once('e') else {
        return;
    };
    let (first, rest) = digits.split_once('.').unwrap_or((digits, "0"));
    match exponent.parse::<i32>() {
        Ok(places @ 0..=6) => {
            let places = usize::try_from(places).unwrap_or_default();
            let (whole, fraction) = rest.split_at_checked(places).unwrap_or((rest, ""));
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            put(out, format_args!("{first}{whole:0<places$}.{fraction}"));
        }
        Ok(places @ -3..=-1) => {
            let zeros = places.unsigned_abs().saturating_sub(1);
            let zeros = usize::try_from(zeros).unwrap_or_default();
            // A zero that only made up the second digit is no digit of the value.
            let rest = rest.trim_end_matches('0');
            put(out, format_args!("0.{:0<zeros$}{first}{rest}", ""));
        }
        _ => put(out, format_args!("{first}.{rest}E{exponent}")),
    }
}

/// The digits that Java chooses, as `d.ddde[-]n`.
fn shortest(magnitude: f64) -> String {
    let shortest = format!("{magnitude:e}");
    let digits = shortest.bytes().take_while(|&byte| byte != b'e');
    let places = digits.skip_while(|&byte| byte != b'.').skip(1).count();
    // Rust takes the upper one where two are equally close, and Java the even one. And where one
    // digit tells the value apart, Java takes the closest two: 4.9E-324 for the smallest value.
    let nearest = format!("{magnitude:.0$e}", places.max(1));
    // At a power of two the neighbour below is nearer, and the closest digits may be that one's.
    if nearest.parse() == Ok(magnitude) {
        nearest
    } else {
        shortest
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a Vec cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf8(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        push_java_utf8(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        push_java_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// What Java 17 gave; `?` stands for U+FFFD. All inputs of up to three bytes and seven
    /// million longer ones were compared with it once; these are the kinds there are.
    #[test]
    fn broken_utf8_is_replaced_as_java_replaces_it() {
        for (bytes, java) in [
            (&b"\x80"[..], "?"),
            (b"\xbf\xbf", "??"),
            (b"\xc0\x80", "??"),
            (b"\xc1\xbf", "??"),
            (b"\xc2", "?"),
            (b"\xc2A", "?A"),
            (b"a\xc3", "a?"),
            (b"\xe0\x80\x80", "???"),
            (b"\xe0\xa0", "?"),
            (b"\xe0\xa0A", "?A"),
            (b"\xe2\x82", "?"),
            (b"\xe2\x82A", "?A"),
            (b"\xed\xa0\x80", "?"),
            (b"\xed\xbf\xbf", "?"),
            (b"\xed\xa0", "?"),
            (b"\xed\xa0A", "?A"),
            (b"\xed\xbf", "?"),
            (b"\xed\xa0\x80\xed\xb0\x80", "??"),
            (b"\xf0\x80\x80\x80", "????"),
            (b"\xf0\x9f", "?"),
            (b"\xf0\x9f\x98", "?"),
            (b"\xf0\x9f\x98A", "?A"),
            (b"\xf0\x9fAA", "?AA"),
            (b"\xf4\x90\x80\x80", "????"),
            (b"\xf5\x80\x80\x80", "????"),
            (b"\xf8\x88\x80\x80", "????"),
            (b"\xfe", "?"),
            (b"\xffA", "?A"),
        ] {
            assert_eq!(utf8(bytes), java.replace('?', "\u{fffd}"), "{bytes:x?}");
        }
    }

    #[test]
    fn sound_utf8_stays() {
        for text in [
            "",
            "plain",
            "w\u{f6}rld \u{4e16}\u{754c} \u{1f600}\u{fffd}\u{10ffff}",
        ] {
            assert_eq!(utf8(text.as_bytes()), text);
        }
    }

    /// After the rules in the documentation of `Double.toString` (JDK 19).
    #[test]
    fn doubles_have_the_fewest_digits_and_the_even_one_of_two() {
        for (value, java) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (100.0, "100.0"),
            (1234.5, "1234.5"),
            (0.001, "0.001"),
            (0.05, "0.05"),
            (0.0123, "0.0123"),
            (9.999e-4, "9.999E-4"),
            (9_999_999.0, "9999999.0"),
            (9_999_999.999_999_998, "9999999.999999998"),
            (1e7, "1.0E7"),
            (1.234_567_8e7, "1.2345678E7"),
            (1e23, "1.0E23"),
            (2e23, "2.0E23"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (1e-323, "9.9E-324"),
            (2f64.powi(-25), "2.9802322387695312E-8"),
            (2f64.powi(-44), "5.684341886080802E-14"),
            (f64::NAN, "NaN"),
            (-f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), java);
        }
    }
}
