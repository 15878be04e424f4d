//! The exit codes, worst last.

/// How a run ended; the worst of all it met counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Status {
    /// Nothing is wrong.
    #[default]
    Clean,
    /// Damage or another finding.
    Found,
    /// Something could not be read or written to its end.
    Unfinished,
}

impl Status {
    /// The process's exit code. 2 is clap's, for wrong usage.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Found => 1,
            Self::Unfinished => 3,
        }
    }
}
