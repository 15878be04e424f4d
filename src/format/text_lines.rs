//! Lines of a text file as Java's `BufferedReader.readLine` gives them, with their places.

use super::malformed::{Malformed, Problem};
use std::str::FromStr;

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Where it begins in the file, in bytes.
    pub(super) at: usize,
}

impl<'a> Line<'a> {
    /// A fault of `field` in this line, which should be `expected`.
    #[cold]
    pub(super) fn fault(&self, field: &'static str, expected: &'static str) -> Malformed {
        Malformed {
            field,
            at: self.at,
            problem: Problem::text(self.text.as_bytes(), expected),
        }
    }

    /// Reads `text`, a part of this line, as a decimal number; Java takes a leading `+` too.
    ///
    /// Java also takes digits of other scripts. No Kafka writes them, and here they are refused.
    pub(super) fn number<T: FromStr>(
        &self,
        text: &str,
        field: &'static str,
    ) -> Result<T, Malformed> {
        let expected = "a decimal number in its range";
        text.parse().map_err(|_| self.fault(field, expected))
    }

    /// The words of the line as `Pattern.compile("\\s+").split(line)` gives them: white space in
    /// front makes an empty first word, white space at the end makes none.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let leading = self.text.starts_with(is_space).then_some("");
        let rest = self.text.split(is_space).filter(|word| !word.is_empty());
        leading.into_iter().chain(rest)
    }
}

/// What `\s` means in a Java pattern.
pub(super) const fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// Walks the lines: `\n`, `\r` and `\r\n` end one, and so does the end of the file.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    rest: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a file, which Java reads as strict UTF-8.
    ///
    /// # Errors
    /// [`Problem::Text`] at the first byte that is not UTF-8.
    pub(super) fn new(bytes: &'a [u8], field: &'static str) -> Result<Self, Malformed> {
        match str::from_utf8(bytes) {
            Ok(rest) => Ok(Self { rest, at: 0 }),
            Err(fault) => {
                let at = fault.valid_up_to();
                let found = bytes.get(at..).unwrap_or_default();
                Err(Malformed {
                    field,
                    at,
                    problem: Problem::text(found, "UTF-8"),
                })
            }
        }
    }

    /// Where the next line begins, or the end of the file.
    pub(super) const fn place(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
        let (text, behind) = self.rest.split_at_checked(end)?;
        let rest = behind
            .strip_prefix("\r\n")
            .or_else(|| behind.strip_prefix(['\n', '\r']))
            .unwrap_or(behind);
        let line = Line { text, at: self.at };
        let taken = self.rest.len().saturating_sub(rest.len());
        self.at = self.at.saturating_add(taken);
        self.rest = rest;
        Some(line)
    }
}
