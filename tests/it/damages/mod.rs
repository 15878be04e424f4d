//! Damage to real logs, drawn from a seed: what disks, kills, and people with `rm` and `cp` do to a
//! log directory. A case is a text of a few lines, so that it can be shown, kept and made again.

mod draw;
mod image;
mod operation;

pub(crate) use draw::drawn;
pub(crate) use image::Image;

use std::path::Path;

use operation::Operation;

/// A partition of a corpus and what is done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// Path of the partition's directory in the corpus.
    pub(crate) partition: String,
    /// What happens to the log directory, in order.
    pub(crate) operations: Vec<Operation>,
}

impl Case {
    /// Reads a case: `of PARTITION`, then an operation a line; lines that begin with `#` are
    /// comments.
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let first = lines.next().unwrap_or_default();
        let partition = first.strip_prefix("of ").expect("`of` and a partition");
        Self {
            partition: partition.to_owned(),
            operations: lines.map(Operation::parse).collect(),
        }
    }

    /// The text that [`Case::parse`] reads.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("of {}\n", self.partition);
        for operation in &self.operations {
            text += &format!("{operation}\n");
        }
        text
    }

    /// The log directory with nothing in it but this partition, damaged.
    pub(crate) fn image(&self, corpus: &Path) -> Image {
        let mut image = Image::of(corpus, &self.partition);
        for operation in &self.operations {
            operation.apply(&mut image, corpus);
        }
        image
    }
}

#[test]
fn the_text_of_a_case_is_the_case() {
    let corpus = crate::corpus::Scratch::new();
    for number in 0..40 {
        let case = drawn(&corpus.path, 5, number);
        assert_eq!(Case::parse(&case.text()), case);
        assert_eq!(case, drawn(&corpus.path, 5, number), "a seed fixes all");
    }
}
