//! `kfsck explain`: what a finding means; no file is read.

use clap::Args;
use kfsck::analysis::check::code::FindingCode;
use kfsck::report::explain;

use super::codes::CodeParser;
use super::output::OutputOptions;
use super::session::Session;

/// Tell what a finding means, how it comes about, what a broker does with it, and what to do
///
/// Without a code, lists all codes with a line each. The same texts are in docs/findings.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck explain
  kfsck explain snapshot-missing
  kfsck explain --format json crc-mismatch zero-tail | jq -r '.codes[].action'")]
pub(super) struct Explain {
    /// Codes of findings, as `kfsck check` and `kfsck dump-log` print them
    #[arg(value_name = "CODE", value_parser = CodeParser, hide_possible_values = true)]
    codes: Vec<FindingCode>,

    #[command(flatten)]
    output: OutputOptions,
}

impl Explain {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let all = match self.codes.as_slice() {
            [] => FindingCode::ALL,
            asked => asked,
        };
        let explanations: Vec<_> = all.iter().copied().filter_map(explain::of).collect();
        let answer = match self.output.json() {
            Some(wide) => explain::json(&explanations, wide),
            None if self.codes.is_empty() => explain::list().into_bytes(),
            None => {
                let texts: Vec<_> = explanations.into_iter().map(explain::text).collect();
                texts.join("\n\n").into_bytes()
            }
        };
        Ok(session.write(&answer)?)
    }
}
