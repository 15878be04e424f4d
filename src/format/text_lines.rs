//! Lines of a text file as Java's `BufferedReader.readLine` gives them, with their places.

use super::malformed::{Malformed, Problem, StreamFault};
use std::io::BufRead;
use std::str::{FromStr, Utf8Error};

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

/// The longest line that is read, in bytes. Kafka sets no limit; its own lines have hundreds.
const LONGEST: usize = 1 << 20;

/// Cuts a stream into lines of bytes: `\n`, `\r` and `\r\n` end one, and so does the end of the
/// stream. One line at a time is in memory.
#[derive(Debug)]
pub(super) struct ByteLines<R> {
    input: R,
    field: &'static str,
    line: Vec<u8>,
    /// Where the next line begins, but for a `\n` that belongs to the end of the last.
    next: usize,
    behind_return: bool,
}

impl<R: BufRead> ByteLines<R> {
    /// The lines of a stream; `field` is what faults call it.
    pub(super) const fn new(input: R, field: &'static str) -> Self {
        Self {
            input,
            field,
            line: Vec::new(),
            next: 0,
            behind_return: false,
        }
    }

    /// Where the next line begins, or the end of the file.
    pub(super) const fn place(&self) -> usize {
        self.next
    }

    /// The next line without its end, and where it begins; `None` at the end of the stream.
    ///
    /// # Errors
    /// [`Problem::TooLarge`] for a line above 1 MiB, or the stream's.
    pub(super) fn next_line(&mut self) -> Result<Option<(usize, &[u8])>, StreamFault> {
        self.line.clear();
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let mut begin = self.next;
        loop {
            let piece = self.input.fill_buf()?;
            let Some(first) = piece.first() else {
                let is_line = !self.line.is_empty();
                return Ok(is_line.then_some((begin, &self.line)));
            };
            if self.behind_return && *first == b'\n' {
                self.input.consume(1);
                (self.behind_return, begin) = (false, begin.saturating_add(1));
                self.next = begin;
                continue;
            }
            self.behind_return = false;
            // A mapped file is one piece; of that, what the line may still take and one more.
            let room = LONGEST.saturating_sub(self.line.len());
            let near = piece.get(..room.saturating_add(1)).unwrap_or(piece);
            let end = near.iter().position(is_end);
            let text = near.get(..end.unwrap_or(near.len())).unwrap_or(near);
            if text.len() > room {
                return Err(too_long(self.field, begin).into());
            }
            self.line.extend_from_slice(text);
            self.behind_return = end.and_then(|end| piece.get(end)) == Some(&b'\r');
            let taken = text.len().saturating_add(usize::from(end.is_some()));
            self.input.consume(taken);
            self.next = self.next.saturating_add(taken);
            if end.is_some() {
                return Ok(Some((begin, &self.line)));
            }
        }
    }
}

/// The fault of a line, or of several that make one, above 1 MiB.
#[cold]
fn too_long(field: &'static str, at: usize) -> Malformed {
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX);
    let size = limit.saturating_add(1);
    let problem = Problem::TooLarge { size, limit };
    Malformed { field, at, problem }
}

/// Appends a continuation to a line.
///
/// # Errors
/// [`Problem::TooLarge`] where both are more than 1 MiB; `at` is where the line begins.
pub(super) fn join(
    line: &mut Vec<u8>,
    more: &[u8],
    (field, at): (&'static str, usize),
) -> Result<(), Malformed> {
    if line.len().saturating_add(more.len()) > LONGEST {
        return Err(too_long(field, at));
    }
    line.extend_from_slice(more);
    Ok(())
}

/// Walks the lines of a stream that Java reads as strict UTF-8.
#[derive(Debug)]
pub(super) struct Lines<R> {
    lines: ByteLines<R>,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a stream; `field` is what faults call it.
    pub(super) const fn new(input: R, field: &'static str) -> Self {
        Self {
            lines: ByteLines::new(input, field),
        }
    }

    /// Where the next line begins, or the end of the file.
    pub(super) const fn place(&self) -> usize {
        self.lines.place()
    }

    /// The next line; `None` at the end of the stream.
    ///
    /// # Errors
    /// [`Problem::Text`] at the first byte that is not UTF-8, [`Problem::TooLarge`] for a line
    /// above 1 MiB, or the stream's.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>, StreamFault> {
        let field = self.lines.field;
        let Some((at, bytes)) = self.lines.next_line()? else {
            return Ok(None);
        };
        let text = str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error, (field, at)))?;
        Ok(Some(Line { text, at }))
    }
}

/// The fault of `bytes`, which begin at `at`.
#[cold]
pub(super) fn not_utf8(
    bytes: &[u8],
    error: Utf8Error,
    (field, at): (&'static str, usize),
) -> Malformed {
    let sound = error.valid_up_to();
    let found = bytes.get(sound..).unwrap_or_default();
    Malformed {
        field,
        at: at.saturating_add(sound),
        problem: Problem::text(found, "UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// The lines of a text, read in pieces of every size.
    fn lines(text: &str) -> Vec<(usize, String)> {
        let read = |size| {
            let mut lines = Lines::new(BufReader::with_capacity(size, text.as_bytes()), "text");
            let mut all = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                all.push((line.at, line.text.to_owned()));
            }
            assert_eq!(lines.place(), text.len());
            all
        };
        let all = read(1);
        for size in 2..=text.len() {
            assert_eq!(read(size), all);
        }
        all
    }

    /// As `BufferedReader.readLine` has them.
    #[test]
    fn all_three_ends_of_a_line() {
        let expect = |text, lines_of_it: &[(usize, &str)]| {
            let found = lines(text);
            let found: Vec<_> = found.iter().map(|(at, line)| (*at, &**line)).collect();
            assert_eq!(found, lines_of_it, "{text:?}");
        };
        expect("", &[]);
        expect("a", &[(0, "a")]);
        expect("a\n", &[(0, "a")]);
        expect("\n", &[(0, "")]);
        expect("a\r\nb\rc\nd", &[(0, "a"), (3, "b"), (5, "c"), (7, "d")]);
        expect("a\n\rb\r\r\n", &[(0, "a"), (2, ""), (3, "b"), (5, "")]);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let endless = BufReader::new(std::io::repeat(b'x'));
        let mut lines = Lines::new(endless, "text");
        let Err(StreamFault::Malformed(fault)) = lines.next_line() else {
            panic!("a line of endless length");
        };
        assert!(matches!(fault.problem, Problem::TooLarge { .. }));
        let long = "x".repeat(LONGEST);
        let mut lines = Lines::new(long.as_bytes(), "text");
        assert_eq!(lines.next_line().unwrap().unwrap().text, long);
    }

    #[test]
    fn what_is_not_utf8_is_told_with_its_place() {
        let mut lines = Lines::new(&b"good\nb\xffd\n"[..], "text");
        assert!(lines.next_line().unwrap().is_some());
        let Err(StreamFault::Malformed(fault)) = lines.next_line() else {
            panic!("not refused");
        };
        assert_eq!(fault.at, 6);
    }
}
