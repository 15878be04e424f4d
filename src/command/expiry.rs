//! `--expire-after` and `--now`: when a broker forgets a producer.

use clap::Args;
use kfsck::format::number::Timestamp;
use kfsck::report::utc;

use super::session::Session;
use super::time;

/// When producers expire: never, unless asked for.
#[derive(Debug, Args)]
pub(super) struct ExpiryOptions {
    /// Leave out producers that were silent for MS milliseconds or longer, as a broker with this
    /// producer.id.expiration.ms does; an open transaction keeps its producer
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(allow_negative_numbers = true)]
    expire_after: Option<i64>,

    /// The time of --expire-after: ISO-8601, or milliseconds since 1970 [default: the clock's]
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    now: Option<Timestamp>,
}

impl ExpiryOptions {
    /// The age at which producers expire, in milliseconds.
    pub(super) const fn age(&self) -> Option<i64> {
        self.expire_after
    }

    /// The clock and the age; the clock is told where it is the machine's.
    pub(super) fn clock_and_age(&self, session: &mut Session) -> Option<(Timestamp, i64)> {
        let Some(age) = self.expire_after else {
            if self.now.is_some() {
                session.remark(&"--now changes nothing here without --expire-after");
            }
            return None;
        };
        let now = self.now.unwrap_or_else(|| {
            let now = time::now();
            let text = utc::text(now);
            session.remark(&format!("--now is the machine's clock, {text} UTC ({now})"));
            now
        });
        Some((now, age))
    }
}
