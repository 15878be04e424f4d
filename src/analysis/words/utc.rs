//! Times for people: date and time of day in UTC, to the second.

use super::measure::{MS_OF_A_DAY, civil};
use crate::format::number::Timestamp;

/// From 1970-01-01 to 9999-12-31, in days.
const LAST_DAY: i64 = 2_932_896;

/// `2026-11-30 04:00:00`; `-` for none; the milliseconds where the year would not have four
/// digits, as in a timestamp that was written in microseconds.
#[must_use]
pub fn text(timestamp: Timestamp) -> String {
    let Timestamp(ms) = timestamp;
    if timestamp == Timestamp::NONE {
        return "-".to_owned();
    }
    let day = ms.div_euclid(MS_OF_A_DAY);
    if !(0..=LAST_DAY).contains(&day) {
        return ms.to_string();
    }
    let (year, month, day_of_month) = civil(day);
    let second = ms.rem_euclid(MS_OF_A_DAY) / 1000;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day_of_month:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::format::number::Timestamp;

    /// What `date -u` gives for these seconds.
    #[test]
    fn times_as_the_calendar_has_them() {
        for (ms, expected) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399_999, "2000-02-28 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (1_700_000_000_000, "2023-11-14 22:13:20"),
            (1_798_761_599_999, "2026-12-31 23:59:59"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
            (253_402_300_799_999, "9999-12-31 23:59:59"),
            (253_402_300_800_000, "253402300800000"),
            (-1, "-"),
            (-2, "-2"),
            (i64::MIN, "-9223372036854775808"),
            (i64::MAX, "9223372036854775807"),
        ] {
            assert_eq!(text(Timestamp(ms)), expected);
        }
    }
}
