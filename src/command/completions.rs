//! `kfsck completions SHELL`.

use clap::Args;
use clap_complete::Shell;

use super::session::Session;

/// Print a completion script for a shell
///
/// The same scripts lie in the repository under `completions/`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck completions bash > ~/.local/share/bash-completion/completions/kfsck
  kfsck completions zsh > \"${fpath[1]}/_kfsck\"
  kfsck completions fish > ~/.config/fish/completions/kfsck.fish")]
pub(super) struct Completions {
    /// The shell that is to complete
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "kfsck", &mut script);
        Ok(session.write(&script)?)
    }
}
