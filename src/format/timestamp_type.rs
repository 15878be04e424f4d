//! What the timestamps of a batch mean.

use std::fmt;

/// The bit of a batch's or message's attributes that tells the two meanings apart (KIP-32).
const LOG_APPEND_TIME: i16 = 1 << 3;

/// The meaning of a batch's timestamps (`TimestampType`, KIP-32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimestampType {
    /// Magic 0 has no timestamps.
    NoTimestampType,
    /// The producer's time.
    CreateTime,
    /// The time at which the leader appended the batch.
    LogAppendTime,
}

impl TimestampType {
    /// The meaning of the timestamps in a batch of `magic` with these attributes.
    #[must_use]
    #[inline]
    pub const fn from_attributes(magic: u8, attributes: i16) -> Self {
        match (magic, attributes & LOG_APPEND_TIME) {
            (0, _) => Self::NoTimestampType,
            (_, 0) => Self::CreateTime,
            _ => Self::LogAppendTime,
        }
    }

    /// Kafka's name for it: `NoTimestampType`, `CreateTime`, `LogAppendTime`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoTimestampType => "NoTimestampType",
            Self::CreateTime => "CreateTime",
            Self::LogAppendTime => "LogAppendTime",
        }
    }
}

impl fmt::Display for TimestampType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_3_means_nothing_in_magic_0() {
        for (magic, attributes, name) in [
            (0, 0b1000, "NoTimestampType"),
            (1, 0b0000, "CreateTime"),
            (1, 0b1010, "LogAppendTime"),
            (2, 0b1_1000, "LogAppendTime"),
            (2, 0b1_0111, "CreateTime"),
        ] {
            let found = TimestampType::from_attributes(magic, attributes);
            assert_eq!(found.to_string(), name);
        }
    }
}
