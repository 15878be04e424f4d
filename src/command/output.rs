//! The options of commands that answer with tables and sentences or with one JSON document.

use clap::{Args, ValueEnum};
use kfsck::report::json::WideIntegers;

/// How an answer is written.
#[derive(Debug, Args)]
pub(super) struct OutputOptions {
    /// `text`: tables and sentences; `json`: one JSON document
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    format: Format,

    /// In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings
    #[arg(long, value_enum, default_value = "number", value_name = "AS")]
    wide_integers: Wide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// How JSON has integers that a double would round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Wide {
    Number,
    String,
}

impl OutputOptions {
    /// How JSON has its integers; `None` where text was asked for.
    pub(super) fn json(&self) -> Option<WideIntegers> {
        (self.format == Format::Json).then(|| self.wide_integers.into())
    }
}

impl From<Wide> for WideIntegers {
    fn from(wide: Wide) -> Self {
        match wide {
            Wide::Number => Self::Number,
            Wide::String => Self::String,
        }
    }
}
