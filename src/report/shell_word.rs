//! Words of a command line that is shown to be copied.

use std::path::Path;

/// A word that a shell takes as it stands.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A path that a shell takes as it stands, whatever its bytes are: in `$'...'`, which bash, zsh and
/// ksh know, where it holds what no terminal shows.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    if let Some(text) = path
        .to_str()
        .filter(|text| !text.contains(char::is_control))
    {
        return shell_word(text);
    }
    let mut escaped = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\'' | b'\\' => escaped.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => escaped.push(char::from(*byte)),
            other => escaped += &format!("\\x{other:02x}"),
        }
    }
    format!("$'{escaped}'")
}

#[cfg(test)]
mod tests {
    use super::{shell_path, shell_word};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    #[test]
    fn a_path_of_any_bytes_is_one_word() {
        let path = |bytes| shell_path(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(path(b"a/b-0"), "a/b-0");
        assert_eq!(path("\u{e9}-0".as_bytes()), "'\u{e9}-0'");
        assert_eq!(path(b"bad\xff-0"), r"$'bad\xff-0'");
        assert_eq!(path(b"it's\n\x1b-0"), r"$'it\'s\x0a\x1b-0'");
    }

    #[test]
    fn nothing_in_a_word_means_anything_to_a_shell() {
        assert_eq!(shell_word("a/b_c-1.json"), "a/b_c-1.json");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    }
}
