//! `docs/findings.md`, written from the explanations.

use super::{GROUPS, Group};

/// Letters in a line of the repository's documents.
const WIDTH: usize = 100;

const HEAD: &str = "\
# Findings

What each code of `kfsck check` means, how it comes about, what a broker of release 4.4.0 does with
it, what `kfsck repair` does, and what to do. `kfsck explain CODE` prints the same; this document is
written from those texts. Codes are kept for ever: scripts read them.

An **error** is damage, or something that costs records, state or a start. A **warning** is nothing
that a broker writes by itself. A **note** is legal, or a guess that more evidence would decide; it
never changes the exit code. A finding that depends on how the broker stopped is judged by
`.kafka_cleanshutdown`, as the broker judges it.

**If another replica is healthy, do not repair.** Stop the broker, move the partition's directory
out of the log directory, start it, and let it fetch the partition again. Repair is for the last
copy.
";

/// The whole document.
#[must_use]
pub fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\nContents:\n\n");
    for group in GROUPS {
        let codes = group.entries.iter().map(|entry| {
            let code = entry.code;
            format!("[{code}](#{code})")
        });
        let line = format!(
            "- {}: {}",
            group.title,
            codes.collect::<Vec<_>>().join(", ")
        );
        wrap(&line, 2, &mut text);
    }
    for group in GROUPS {
        push_group(group, &mut text);
    }
    text
}

fn push_group(group: &Group, text: &mut String) {
    text.push_str(&format!("\n## {}\n\n", group.title));
    wrap(group.about, 0, text);
    for entry in group.entries {
        text.push_str(&format!("\n### {}\n\n", entry.code));
        wrap(&sentence(entry.line), 0, text);
        text.push('\n');
        for (heading, _, part) in entry.parts() {
            wrap(&format!("- **{heading}**: {part}"), 2, text);
        }
        if !entry.reports.is_empty() {
            wrap(
                &format!("- **Reports**: {}", entry.reports.join(", ")),
                2,
                text,
            );
        }
    }
}

fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// Breaks a text at its spaces into lines of the document's width.
fn wrap(text: &str, indent: usize, out: &mut String) {
    let mut width = 0;
    for word in text.split(' ') {
        let letters = word.chars().count();
        if width == 0 {
            width = letters;
        } else if width + 1 + letters > WIDTH {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            width = indent + letters;
        } else {
            out.push(' ');
            width += 1 + letters;
        }
        out.push_str(word);
    }
    out.push('\n');
}
