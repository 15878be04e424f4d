//! `--rules`: whose producer state.

use clap::{Args, ValueEnum};
use kfsck::state::rules::{Barrier, Fork, Mapped, RuleSet, Stock};

/// Whose rules a log is read by.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct RulesOption {
    /// Whose producer state
    #[arg(
        long = "rules",
        value_enum,
        value_name = "RULES",
        default_value = "barrier"
    )]
    rules: Rules,
}

/// The same where a stock broker is to read what is written.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct StockRulesOption {
    /// Whose producer state
    #[arg(
        long = "rules",
        value_enum,
        value_name = "RULES",
        default_value = "stock"
    )]
    rules: Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state
    Stock,
    /// The barrier design (KIP-1279): a barrier clears every producer and its open transaction
    Barrier,
    /// As designs need that map producer ids: every id but -1 has state, a barrier clears
    Mapped,
    /// The barrier design with the holes of its prototype
    Fork,
}

impl RulesOption {
    pub(super) fn set(self) -> &'static dyn RuleSet {
        self.rules.set()
    }
}

impl StockRulesOption {
    pub(super) fn set(self) -> &'static dyn RuleSet {
        self.rules.set()
    }
}

impl Rules {
    fn set(self) -> &'static dyn RuleSet {
        match self {
            Self::Stock => &Stock,
            Self::Barrier => &Barrier,
            Self::Mapped => &Mapped,
            Self::Fork => &Fork,
        }
    }
}
