//! Text broken into lines of a terminal's width.

/// The width of a terminal that nobody made wider.
pub const WIDTH: usize = 80;

/// Breaks a text at its spaces into lines of at most [`WIDTH`] letters; `indent` spaces stand in
/// front of each line but the first, which begins behind `used` letters that stand there already.
/// A word that fits nowhere keeps a line of its own.
pub fn wrap(text: &str, used: usize, indent: usize, out: &mut String) {
    let mut width = used;
    let mut is_first = true;
    for word in text.split(' ') {
        let letters = word.chars().count();
        if !is_first && width + 1 + letters > WIDTH {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            width = indent;
        } else if !is_first {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += letters;
        is_first = false;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, wrap};

    fn wrapped(text: &str, used: usize, indent: usize) -> String {
        let mut out = "x".repeat(used);
        wrap(text, used, indent, &mut out);
        out
    }

    #[test]
    fn lines_end_in_time_and_begin_under_each_other() {
        let word = "a".repeat(39);
        assert_eq!(
            wrapped(&format!("{word} {word} b"), 0, 0),
            format!("{word} {word}\nb\n")
        );
        assert_eq!(
            wrapped(&format!("{word} {word}"), 2, 2),
            format!("xx{word}\n  {word}\n")
        );
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let word = "a".repeat(WIDTH + 1);
        assert_eq!(
            wrapped(&format!("b {word} c"), 0, 1),
            format!("b\n {word}\n c\n")
        );
        assert_eq!(wrapped("", 0, 4), "\n");
    }
}
