//! `--producer-id`, where it chooses producers.

use clap::Args;
use kfsck::format::number::ProducerId;

/// Which producers are shown; all, unless some are named.
#[derive(Debug, Args)]
pub(super) struct OnlyProducers {
    /// Only these producers; negative ids are written as they are
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    producer_id: Vec<i64>,
}

impl OnlyProducers {
    /// The ids that were named.
    pub(super) fn ids(&self) -> Vec<ProducerId> {
        self.producer_id.iter().copied().map(ProducerId).collect()
    }
}
