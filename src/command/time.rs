//! Times on the command line: ISO-8601, or milliseconds since 1970.

use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kfsck::format::number::Timestamp;

use super::session::Session;

/// What the machine's clock says.
pub(super) fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

/// Reads `2026-11-30T04:00:00Z`, the same without a zone (UTC) or without a time, or milliseconds.
pub(super) fn parse(text: &str) -> Result<Timestamp, String> {
    if let Ok(milliseconds) = text.parse() {
        return Ok(Timestamp(milliseconds));
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Ok(Timestamp(instant.as_millisecond()));
    }
    text.parse::<DateTime>()
        .and_then(|local| TimeZone::UTC.to_timestamp(local))
        .map(|instant| Timestamp(instant.as_millisecond()))
        .map_err(|_| {
            "expected a time such as 2026-11-30T04:00:00Z, a date, or milliseconds since 1970"
                .to_owned()
        })
}

/// Four digits are milliseconds by the rule and a year by the eye: says so of an option's time.
pub(super) fn tell_odd(option: &str, time: Option<Timestamp>, session: &mut Session) {
    if let Some(Timestamp(number @ 1000..=9999)) = time {
        let note = format!(
            "{number} is taken for milliseconds since 1970; a year is written {number}-01-01"
        );
        session.note(Path::new(option), &note);
    }
}

/// Reads a duration in milliseconds: `900000`, `30s`, `15m`, `1h`, `7d`.
pub(super) fn parse_duration(text: &str) -> Result<i64, String> {
    const UNITS: [(&str, i64); 5] = [
        ("ms", 1),
        ("s", 1000),
        ("m", 60_000),
        ("h", 3_600_000),
        ("d", 86_400_000),
    ];
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let factor = match unit {
        "" => Some(1),
        unit => UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, ms)| *ms),
    };
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    let count = digits.parse::<i64>().ok().filter(|_| is_number);
    count
        .zip(factor)
        .and_then(|(count, factor)| count.checked_mul(factor))
        .ok_or_else(|| "expected a duration such as 15m, 1h, 30s, or milliseconds".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_time() {
        let expected = Ok(Timestamp(1_774_000_000_000));
        for text in [
            "1774000000000",
            "2026-03-20T09:46:40Z",
            "2026-03-20T10:46:40+01:00",
            "2026-03-20 09:46:40",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("2026-03-20"), Ok(Timestamp(1_773_964_800_000)));
        assert!(parse("yesterday").is_err());
    }

    #[test]
    fn the_forms_of_a_duration() {
        for (text, ms) in [
            ("900000", 900_000),
            ("15m", 900_000),
            ("900s", 900_000),
            ("900000ms", 900_000),
            ("1h", 3_600_000),
            ("2d", 172_800_000),
            ("0", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
        for text in [
            "",
            "m",
            "-1m",
            "+1",
            "1.5h",
            "15 m",
            "15M",
            "1y",
            "9223372036854775807d",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
