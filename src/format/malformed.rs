//! The one error of this floor: which field is wrong, where in the bytes at hand, and how.
//!
//! It knows no path and no file position: the floor above adds both.

use std::fmt;
use std::io;

/// Why a structure was not read to its end from a stream.
#[derive(Debug, thiserror::Error)]
pub enum StreamFault {
    /// The bytes are no such structure.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The stream failed.
    #[error(transparent)]
    Input(#[from] io::Error),
}

impl StreamFault {
    /// The fault of a structure that was read from memory, where no stream fails.
    pub(super) fn of_bytes(self) -> Malformed {
        match self {
            Self::Malformed(fault) => fault,
            Self::Input(error) => Malformed {
                field: "input",
                at: 0,
                problem: Problem::Undecodable {
                    reason: error.to_string(),
                },
            },
        }
    }
}

/// A structure that does not decode: the field, its place in the bytes given, and the fault.
///
/// `at` counts from the first byte of the structure that was decoded (a batch, a snapshot, a
/// record), in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} at byte {at}: {problem}")]
pub struct Malformed {
    /// Kafka's name of the field, such as `lastOffsetDelta`.
    pub field: &'static str,
    /// Distance of the field from the first byte of the structure, in bytes.
    pub at: usize,
    /// What was found and what was expected.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The bytes end inside the field.
    Truncated {
        /// Bytes that the field takes.
        needed: usize,
        /// Bytes that are left.
        left: usize,
    },
    /// The stored number is not one that the field may have.
    OutOfRange {
        /// The number as stored.
        stored: i64,
        /// The numbers that are legal, in words: `0 or more`, `0 to 4`.
        expected: &'static str,
    },
    /// The stored number disagrees with one that follows from the other bytes.
    Mismatch {
        /// The number as stored.
        stored: u64,
        /// The number that the bytes give.
        computed: u64,
    },
    /// A variable-length number goes on past its longest encoding.
    EndlessVarint {
        /// The longest encoding, in bytes.
        limit: usize,
    },
    /// Bytes are left behind the end of the structure.
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// A text that is not in the form the field has.
    Text {
        /// The text as found, shortened where it is long.
        found: String,
        /// The form that was expected, in words.
        expected: &'static str,
    },
    /// The field is null and may not be.
    Null,
    /// A decompressor refused its input.
    Undecodable {
        /// What the decompressor said.
        reason: String,
    },
    /// A value would take more memory than the caller allows.
    TooLarge {
        /// Bytes that the value takes, as far as known.
        size: u64,
        /// The limit in force, in bytes.
        limit: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, left } => {
                write!(f, "expected {needed} bytes, found {left}")
            }
            Self::OutOfRange { stored, expected } => {
                write!(f, "expected {expected}, found {stored}")
            }
            Self::Mismatch { stored, computed } => {
                write!(f, "expected {computed}, found {stored}")
            }
            Self::EndlessVarint { limit } => {
                write!(
                    f,
                    "expected a number of at most {limit} bytes, found no last byte"
                )
            }
            Self::Trailing { bytes } => write!(f, "expected the end, found {bytes} more bytes"),
            Self::Text { found, expected } => write!(f, "expected {expected}, found {found:?}"),
            Self::Null => write!(f, "expected a value, found null"),
            Self::Undecodable { reason } => write!(f, "does not decompress: {reason}"),
            Self::TooLarge { size, limit } => {
                write!(f, "takes {size} bytes, more than the limit of {limit}")
            }
        }
    }
}

impl Problem {
    /// The longest text that an error repeats, in bytes.
    const SHOWN: usize = 64;

    /// A [`Problem::Text`] about `found`, shortened and with replaced bytes where it is no UTF-8.
    #[must_use]
    #[cold]
    pub fn text(found: &[u8], expected: &'static str) -> Self {
        let (shown, rest) = found.split_at_checked(Self::SHOWN).unwrap_or((found, &[]));
        let mut found = String::from_utf8_lossy(shown).into_owned();
        if !rest.is_empty() {
            found.push_str("...");
        }
        Self::Text { found, expected }
    }
}

impl Malformed {
    /// The same fault seen from an enclosing structure that begins `by` bytes earlier.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.at = self.at.saturating_add(by);
        self
    }
}
