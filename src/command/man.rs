//! `kfsck man`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command};

use super::session::Session;

/// Print the manual page, or write the pages of all commands
///
/// The same pages lie in the repository under `man/`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck man | man -l -
  kfsck man --output ~/.local/share/man/man1
  kfsck man --output pages && man pages/kfsck-dump-log.1")]
pub(super) struct Man {
    /// Write kfsck.1 and a page a command into DIR, which is made if need be
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let mut root = super::command().disable_help_subcommand(true);
        root.build();
        let Some(directory) = &self.output else {
            return Ok(session.write(page(&root)?.1.as_bytes())?);
        };
        write_pages(&root, directory)
            .with_context(|| format!("{}: cannot write the manual pages", directory.display()))
    }
}

fn write_pages(root: &Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut waiting = vec![root];
    while let Some(command) = waiting.pop() {
        let (name, text) = page(command)?;
        fs::write(directory.join(name), text)?;
        waiting.extend(command.get_subcommands());
    }
    Ok(())
}

/// A command's page and the name of its file.
fn page(command: &Command) -> io::Result<(String, String)> {
    let man = clap_mangen::Man::new(command.clone())
        .source(concat!("kfsck ", env!("CARGO_PKG_VERSION")))
        .manual("kfsck manual");
    let mut text = Vec::new();
    man.render(&mut text)?;
    // What stands behind the options has no heading of its own in clap.
    let text = String::from_utf8_lossy(&text)
        .replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n")
        .replace(".SH EXTRA\nExit codes:\n", ".SH \"EXIT STATUS\"\n.nf\n")
        .replace("\n.SH VERSION\n", "\n.fi\n.SH VERSION\n");
    Ok((man.get_filename(), text))
}
