//! Where a field stands in the text of a scenario, and which field stands at a place: what errors
//! need to be found by eye.

use super::ScenarioError;

/// Adds the line of the field that an error names.
///
/// A field that is not there, because its default was wrong, has the line of what it is in.
#[must_use]
pub fn locate(mut error: ScenarioError, text: &str) -> ScenarioError {
    let mut found = 0;
    let mut depth = 0;
    walk(text, text.len(), |path, at| {
        let is_on_the_way = error.field == path
            || error
                .field
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with(['.', '[']));
        if is_on_the_way && path.len() > depth {
            (found, depth) = (at, path.len());
        }
    });
    let before = text.get(..found).unwrap_or_default();
    error.line = Some(before.matches('\n').count() + 1);
    error
}

/// The field whose value or name stands at a place, as `steps[3].produce.writer`; empty on the
/// outside. `line` and `column` count from 1, the latter in bytes, as serde counts them.
pub(super) fn field_at(text: &str, line: usize, column: usize) -> String {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let end = before.map(str::len).sum::<usize>() + column;
    walk(text, end.min(text.len()), |_, _| {})
}

/// The first field that holds a list where none belongs. Serde would take the values of an object
/// in their order, without their names.
pub(super) fn stray_list(text: &str) -> Option<String> {
    const LISTS: [&str; 6] = [
        "clusters",
        "writers",
        "steps",
        "rules",
        "harm",
        "producerIds",
    ];
    let mut stray = None;
    walk(text, text.len(), |path, _| {
        // A list shows by its first member.
        if let Some(list) = path.strip_suffix("[0]") {
            let last = list.rsplit('.').next().unwrap_or_default();
            if list != "expect" && !LISTS.contains(&last) && stray.is_none() {
                stray = Some(list.to_owned());
            }
        }
    });
    stray
}

/// One bracket that is open.
struct Open {
    /// Letters of the path in front of it.
    length: usize,
    /// The place in a list; `None` in an object.
    place: Option<usize>,
}

/// Goes over a JSON text up to `end`, calls `visit` with each path and the byte where its name or
/// value begins, and gives the path that it ends in.
fn walk(text: &str, end: usize, mut visit: impl FnMut(&str, usize)) -> String {
    let bytes = text.as_bytes();
    let mut path = String::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).filter(|_| at < end) {
        match byte {
            b'{' | b'[' => {
                let place = (*byte == b'[').then_some(0);
                let length = path.len();
                open.push(Open { length, place });
                enter(&mut path, open.last(), at + 1, &mut visit);
            }
            b'}' | b']' => {
                if let Some(closed) = open.pop() {
                    path.truncate(closed.length);
                }
            }
            b',' => {
                if let Some(inner) = open.last_mut() {
                    path.truncate(inner.length);
                    inner.place = inner.place.map(|place| place + 1);
                }
                enter(&mut path, open.last(), at + 1, &mut visit);
            }
            b'"' => {
                let close = end_of_string(bytes, at);
                let is_name = next_sign(bytes, close) == Some(b':');
                if let Some(inner) = open.last().filter(|inner| is_name && inner.place.is_none()) {
                    path.truncate(inner.length);
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(text.get(at + 1..close - 1).unwrap_or_default());
                    visit(&path, at);
                }
                at = close;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    path
}

/// A member of a list begins.
fn enter(path: &mut String, inner: Option<&Open>, at: usize, visit: &mut impl FnMut(&str, usize)) {
    if let Some(place) = inner.and_then(|inner| inner.place) {
        path.push_str(&format!("[{place}]"));
        visit(path, at);
    }
}

/// The byte behind the string that begins at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut close = at + 1;
    loop {
        match bytes.get(close) {
            Some(b'\\') => close += 2,
            Some(b'"') => return close + 1,
            Some(_) => close += 1,
            None => return bytes.len().max(at + 2),
        }
    }
}

fn next_sign(bytes: &[u8], from: usize) -> Option<u8> {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter()
        .copied()
        .find(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::{field_at, locate};
    use crate::simulate::scenario::ScenarioError;

    const TEXT: &str = r#"{
  "name": "x",
  "clusters": [
    {"name": "A", "id": "a \" , [ {"},
    {"name": "B",
     "id": "b"}
  ],
  "steps": [
    {"produce": {"topicPartition": "writer",
                 "writer": "a"}},
    [1, [2,
      3]]
  ]
}"#;

    fn line_of(field: &str) -> Option<usize> {
        let error = ScenarioError {
            line: None,
            field: field.to_owned(),
            problem: String::new(),
        };
        locate(error, TEXT).line
    }

    #[test]
    fn fields_are_found_where_they_stand() {
        for (field, line) in [
            ("name", 2),
            ("clusters", 3),
            ("clusters[0].name", 4),
            ("clusters[1].name", 5),
            ("clusters[1].id", 6),
            ("steps[0].produce.writer", 10),
            ("steps[1][1][1]", 11),
            // Not there: what it is in.
            ("clusters[1].replicas", 4),
            ("steps[0].produce.records", 9),
            ("expect", 1),
        ] {
            assert_eq!(line_of(field), Some(line), "{field}");
        }
    }

    #[test]
    fn places_are_told_by_their_fields() {
        for (line, column, field) in [
            (1, 1, ""),
            (2, 10, "name"),
            (4, 12, "clusters[0].name"),
            (4, 30, "clusters[0].id"),
            (6, 14, "clusters[1].id"),
            (6, 15, "clusters[1]"),
            (10, 30, "steps[0].produce.writer"),
            (12, 7, "steps[1][1][1]"),
            (13, 3, "steps"),
            (14, 1, ""),
            (99, 1, ""),
        ] {
            assert_eq!(field_at(TEXT, line, column), field, "{line}:{column}");
        }
    }

    #[test]
    fn no_text_is_too_broken() {
        for end in 0..TEXT.len() {
            let cut = TEXT.get(..end).unwrap_or_default();
            field_at(cut, 99, 99);
        }
        for text in ["\"", "\"\\", "}]", ",", "\"\\\\\\"] {
            field_at(text, 1, 9);
        }
    }
}
