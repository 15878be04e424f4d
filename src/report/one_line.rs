//! Text of any origin on one line of a terminal.

use std::borrow::Cow;
use std::path::Path;

/// The text with its control characters escaped (`\n`, `\u{1b}`): names of files may hold ends of
/// lines and sequences that a terminal obeys.
#[must_use]
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if letter.is_control() {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

/// A path as text for people: one line, whatever the name holds.
#[must_use]
pub fn path_on_one_line(path: &Path) -> String {
    on_one_line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        for (text, shown) in [
            ("", ""),
            ("a b\u{e9}\\n", "a b\u{e9}\\n"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31mred\u{9b}", "\\u{1b}[31mred\\u{9b}"),
        ] {
            assert_eq!(on_one_line(text), shown);
        }
    }
}
