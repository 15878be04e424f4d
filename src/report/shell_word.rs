//! Words of a command line that is shown to be copied.

/// A word that a shell takes as it stands.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn nothing_in_a_word_means_anything_to_a_shell() {
        assert_eq!(shell_word("a/b_c-1.json"), "a/b_c-1.json");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    }
}
