//! `--top`: how many rows a table has.

use std::str::FromStr;

/// Rows of a table that a page can hold: what is shown unless `--top` says otherwise.
pub(super) const ROWS: usize = 20;

/// A number of rows, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    All,
    First(usize),
}

impl Top {
    /// How many at most; `None` for all.
    pub(super) const fn limit(self) -> Option<usize> {
        match self {
            Self::All => None,
            Self::First(count) => Some(count),
        }
    }
}

impl FromStr for Top {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            number => number
                .parse()
                .map(Self::First)
                .map_err(|_| "expected a number from 0 up, or `all`".to_owned()),
        }
    }
}
