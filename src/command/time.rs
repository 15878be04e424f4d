//! Times on the command line: ISO-8601, or milliseconds since 1970.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kfsck::format::number::Timestamp;

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
}
