//! Times, durations and sizes as people read them.

use crate::format::number::Timestamp;

pub(super) const MS_OF_A_DAY: i64 = 86_400_000;

/// A time in UTC, ISO-8601, with milliseconds where there are some:
/// `2026-11-30T04:00:00Z`.
#[must_use]
pub fn time(timestamp: Timestamp) -> String {
    let (days, ms) = (
        timestamp.0.div_euclid(MS_OF_A_DAY),
        timestamp.0.rem_euclid(MS_OF_A_DAY),
    );
    let (year, month, day) = civil(days);
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let fraction = match ms {
        0 => String::new(),
        ms => format!(".{ms:03}"),
    };
    let year = match year {
        0..=9999 => format!("{year:04}"),
        other => format!("{other:+07}"),
    };
    format!(
        "{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}{fraction}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// The same without fractions of a second.
#[must_use]
pub fn second(timestamp: Timestamp) -> String {
    let below = timestamp.0.rem_euclid(1000);
    time(Timestamp(timestamp.0.saturating_sub(below)))
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
pub(super) const fn civil(days: i64) -> (i64, i64, i64) {
    // Years that begin in March have their leap day last; 400 of them have 146,097 days.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + (month <= 2) as i64;
    (year, month, day)
}

/// A duration in its two greatest units: `45 s`, `3 h 12 min`, `2 d 5 h`, `412 d`.
#[must_use]
pub fn duration(ms: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (86_400_000, "d"),
        (3_600_000, "h"),
        (60_000, "min"),
        (1000, "s"),
    ];
    let mut units = UNITS.iter().skip_while(|(size, _)| ms < *size);
    let Some((size, unit)) = units.next() else {
        return format!("{ms} ms");
    };
    let count = ms / size;
    // Beside a hundred of the greater unit the smaller one says nothing.
    match units.next() {
        Some((smaller, name)) if count < 100 && ms % size / smaller > 0 => {
            format!("{count} {unit} {} {name}", ms % size / smaller)
        }
        _ => format!("{count} {unit}"),
    }
}

/// A size: `512 B`, `3.1 KiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let [mut unit, greater @ ..] = UNITS;
    for next in greater {
        if tenths < 10_240 {
            break;
        }
        tenths /= 1024;
        unit = next;
    }
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// A number and its noun, in the plural where it is not one.
#[must_use]
pub fn count(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, duration, second, size, time};
    use crate::format::number::Timestamp;

    #[cfg(feature = "cli")]
    #[test]
    fn times_as_jiff_writes_them() {
        let jiff_text = |ms| jiff::Timestamp::from_millisecond(ms).unwrap().to_string();
        for ms in [
            0,
            -1,
            1_774_000_000_000,
            1_796_013_453_019,
            951_782_400_000,
            951_868_799_999,
            -2_208_988_800_000,
            253_402_207_199_000,
            4_107_542_399_000,
        ] {
            let expected = jiff_text(ms);
            assert_eq!(time(Timestamp(ms)), expected, "{ms}");
        }
        for day in 0..200_000 {
            let ms = (day - 50_000) * 86_400_000;
            assert_eq!(time(Timestamp(ms)), jiff_text(ms));
        }
    }

    #[test]
    fn any_time_has_a_text() {
        assert_eq!(time(Timestamp(i64::MAX)), "+292278994-08-17T07:12:55.807Z");
        assert_eq!(time(Timestamp(i64::MIN)), "-292275055-05-16T16:47:04.192Z");
        assert_eq!(second(Timestamp(1_999)), "1970-01-01T00:00:01Z");
    }

    #[test]
    fn durations_in_two_units() {
        for (ms, text) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (45_000, "45 s"),
            (61_000, "1 min 1 s"),
            (900_000, "15 min"),
            (11_520_000, "3 h 12 min"),
            (190_800_000, "2 d 5 h"),
            (86_400_000 * 412 + 3_600_000, "412 d"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn sizes_and_counts() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (3_174, "3.0 KiB"),
            (1 << 20, "1.0 MiB"),
            (u64::MAX, "15.9 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(
            (count(1, "batch"), count(2, "record")),
            ("1 batch".into(), "2 records".into())
        );
    }
}
