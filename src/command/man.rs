//! `kfsck man`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::session::Session;

/// Print the manual page, or write the pages of all commands to a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck man | man -l -
  kfsck man --output ~/.local/share/man/man1
  kfsck man --output /tmp/pages && man /tmp/pages/kfsck-dump-log.1")]
pub(super) struct Man {
    /// Write kfsck.1 and a page for each command into this directory, which is made if need be
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let Some(directory) = &self.output else {
            let mut page = Vec::new();
            clap_mangen::Man::new(super::command()).render(&mut page)?;
            return Ok(session.write(&page)?);
        };
        fs::create_dir_all(directory)
            .and_then(|()| clap_mangen::generate_to(super::command(), directory))
            .with_context(|| format!("{}: cannot write the manual pages", directory.display()))
    }
}
