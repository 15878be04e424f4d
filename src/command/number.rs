//! Whole numbers on the command line, refused with words that say what is wanted.

use std::num::NonZeroU16;
use std::str::FromStr;

use kfsck::format::number::Offset;
use kfsck::report::dump::segment::MOST_THREADS;

/// A reader of a number; `wanted` completes "expected ...".
pub(super) fn number<T: FromStr>(
    wanted: &'static str,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| text.parse().map_err(|_| format!("expected {wanted}"))
}

/// Reads an offset at which a log ended.
pub(super) fn end_offset(text: &str) -> Result<Offset, String> {
    let wanted = number::<i64>(END_OFFSET)(text)?;
    match wanted >= 0 {
        true => Ok(Offset(wanted)),
        false => Err(format!("expected {END_OFFSET}")),
    }
}

/// Reads how many threads to use.
pub(super) fn threads(text: &str) -> Result<NonZeroU16, String> {
    let wanted = number::<NonZeroU16>(THREADS)(text)?;
    match usize::from(wanted.get()) <= MOST_THREADS {
        true => Ok(wanted),
        false => Err(format!("expected {THREADS}")),
    }
}

pub(super) const PRODUCER_ID: &str = "a producer id, a whole number of 64 bits such as 2000 or -7";
pub(super) const PRODUCER_EPOCH: &str = "a whole number from -32768 to 32767";
pub(super) const LEADER_EPOCH: &str = "a whole number from -2147483648 to 2147483647";
pub(super) const OFFSET: &str = "an offset, a whole number of 64 bits";
pub(super) const COUNT: &str = "a whole number of 0 or more";
const END_OFFSET: &str = "an offset, a whole number of 0 or more";
const THREADS: &str = "a whole number from 1 to 64";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_or_refused_with_what_is_wanted() {
        assert_eq!(number::<i64>(PRODUCER_ID)("-7"), Ok(-7));
        let refused = number::<i64>(PRODUCER_ID)("abc").unwrap_err();
        assert!(refused.starts_with("expected a producer id"), "{refused}");
        assert!(number::<i16>(PRODUCER_EPOCH)("70000").is_err());
        assert!(number::<u64>(COUNT)("-1").is_err());
        assert_eq!(end_offset("0"), Ok(Offset(0)));
        for wrong in ["-1", "9223372036854775808", ""] {
            let refused = end_offset(wrong).unwrap_err();
            assert!(refused.ends_with("0 or more"), "{refused}");
        }
        assert!(THREADS.ends_with(&format!(" {MOST_THREADS}")));
        assert!(threads("64").is_ok());
        for wrong in ["0", "65", "-1", "x"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }
}
