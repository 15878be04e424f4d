//! The two output formats of a dump, and what frames a file in each.

use std::path::Path;

use super::segment::Ending;
use crate::report::json::{Object, WideIntegers};
use crate::report::one_line::on_one_line;
use crate::storage::damage::Damage;
use crate::storage::file_name::FileName;
use crate::storage::segment::walk::End;

/// The version of the JSON fields.
pub const SCHEMA: i64 = 1;

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The text of kafka-dump-log.
    Kafka,
    /// One JSON object a line.
    Jsonl(WideIntegers),
}

/// The beginning of a file's dump: `Dumping PATH`, or a `file` object. `size` is `None` where more
/// may come than will be read.
pub fn push_file(style: Style, path: &Path, name: FileName, size: Option<u64>, out: &mut Vec<u8>) {
    match style {
        Style::Kafka => {
            out.extend_from_slice(b"Dumping ");
            out.extend_from_slice(as_java_prints(path).as_bytes());
            out.push(b'\n');
        }
        Style::Jsonl(wide) => {
            let mut object = Object::open(out, wide);
            object.text("type", "file");
            object.int("schema", SCHEMA);
            object.text("path", &path.to_string_lossy());
            object.text("kind", name.kind.name());
            object.optional_int("baseOffset", name.base_offset.map(|offset| offset.0));
            match size {
                Some(size) => object.uint("sizeInBytes", size),
                None => object.null("sizeInBytes"),
            }
            object.close_line();
        }
    }
}

/// Damage as an object; the stock text has no line for it.
pub fn push_damage(style: Style, damage: &Damage, out: &mut Vec<u8>) {
    if let Style::Jsonl(wide) = style {
        let mut object = Object::open(out, wide);
        object.text("type", "damage");
        object.uint("position", damage.position);
        object.uint("sizeInBytes", damage.size);
        object.text("code", damage.code.as_str());
        object.text("message", &damage.message);
        object.close_line();
    }
}

/// The end of a file's dump: how many bytes at its end are damaged, or an `end` object.
pub fn push_end(style: Style, path: &Path, ending: Ending, out: &mut Vec<u8>) {
    match style {
        Style::Kafka if ending.tail > 0 && ending.reason != End::Limit => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let line = format!("Found {} invalid bytes at the end of {name}\n", ending.tail);
            out.extend_from_slice(line.as_bytes());
        }
        Style::Kafka => {}
        Style::Jsonl(wide) => {
            let mut object = Object::open(out, wide);
            object.text("type", "end");
            object.uint("position", ending.position);
            object.text("reason", ending.reason.as_str());
            object.close_line();
        }
    }
}

/// A path as `java.io.File` prints it: no doubled slashes and none at the end.
#[must_use]
pub fn as_java_prints(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter != '/' || !out.ends_with('/') {
            out.push(letter);
        }
    }
    if out.len() > 1 && out.ends_with('/') {
        out.pop();
    }
    out
}

/// The absolute path as the stock tool names it in its lists on stderr, on one line.
pub(super) fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    on_one_line(&as_java_prints(&absolute)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `new File(...).toString()` gave on Java 17.
    #[test]
    fn paths_as_java_prints_them() {
        for (given, printed) in [
            ("a//b", "a/b"),
            ("a/", "a"),
            ("/", "/"),
            ("//", "/"),
            ("./a", "./a"),
            ("a/../b", "a/../b"),
        ] {
            assert_eq!(as_java_prints(Path::new(given)), printed);
        }
    }
}
