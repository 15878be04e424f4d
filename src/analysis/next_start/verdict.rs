//! What a start does, gathered sentence by sentence; the worst comes first.

use super::{Action, Forgotten, NextStart, UNEVENTFUL};
use crate::format::number::Offset;

/// All that a start does with a partition.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    parts: Vec<Part>,
    other_stop: Option<String>,
    /// What is known of no more.
    pub(super) forgotten: Option<Forgotten>,
}

#[derive(Debug)]
struct Part {
    action: Action,
    offset: Option<Offset>,
    lost: u64,
    sentence: String,
    is_of_directory: bool,
}

impl Verdict {
    /// Something that happens: where, how many records it costs, and why, in a sentence without a
    /// full stop.
    pub(super) fn add(
        &mut self,
        action: Action,
        offset: Option<Offset>,
        lost: u64,
        sentence: impl Into<String>,
    ) {
        self.parts.push(Part {
            action,
            offset,
            lost,
            sentence: sentence.into(),
            is_of_directory: false,
        });
    }

    /// The broker loses the log directory, or ends if it has no other.
    pub(super) fn add_offline(&mut self, offset: Option<Offset>, sentence: String) {
        self.parts.push(Part {
            action: Action::BrokerFails,
            offset,
            lost: 0,
            sentence,
            is_of_directory: true,
        });
    }

    /// The worst that happens.
    pub(super) fn action(&self) -> Action {
        let actions = self.parts.iter().map(|part| part.action);
        actions.max().unwrap_or(Action::CleanLoad)
    }

    fn lost(&self) -> u64 {
        let lost = self.parts.iter().map(|part| part.lost);
        lost.fold(0, u64::saturating_add)
    }

    /// Says what the same start would do after a stop that was not clean, where that is worse.
    pub(super) fn or_after_an_unclean_stop(&mut self, other: &Self) {
        // That segments are read again goes without saying.
        let is_worse = other.action() > self.action().max(Action::Recovers);
        if is_worse || other.lost() > self.lost() {
            let (action, told) = (other.action().as_str(), other.told());
            self.other_stop = Some(format!(
                "this supposes that the last stop was clean, as no .kafka_cleanshutdown and no \
                 checkpoint file lies beside the directory; after another stop: {action}, {told}"
            ));
        }
    }

    /// The sentences, the worst first.
    fn told(&self) -> String {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.action));
        let sentences = parts.iter().map(|part| part.sentence.as_str());
        let mut sentences: Vec<&str> = sentences.collect();
        sentences.extend(self.other_stop.as_deref());
        match sentences.is_empty() {
            true => UNEVENTFUL.to_owned(),
            false => sentences.join("; "),
        }
    }

    pub(super) fn into_next_start(self, topic_partition: String) -> NextStart {
        let action = self.action();
        // What a cut costs and what the deletion behind it costs is one loss.
        let is_loss = |action| matches!(action, Action::Truncates | Action::DeletesSegments);
        let of_worst = self
            .parts
            .iter()
            .filter(|part| part.action == action || is_loss(part.action) && is_loss(action));
        NextStart {
            topic_partition,
            action,
            offset: of_worst.filter_map(|part| part.offset).min(),
            records_lost: match action {
                // Nothing was written yet when the process ends.
                Action::BrokerFails => 0,
                _ => self.lost(),
            },
            reason: self.told(),
            forgotten: self.forgotten,
            blocked_by: None,
            is_of_directory: self
                .parts
                .iter()
                .filter(|part| part.action == Action::BrokerFails)
                .all(|part| part.is_of_directory),
        }
    }
}

/// `1 record`, `2 records`.
pub(super) fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}
