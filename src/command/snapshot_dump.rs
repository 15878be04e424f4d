//! `inspect-snapshot --format kafka`: what `dump-log` prints for a snapshot.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kfsck::analysis::topic_names::TopicNames;
use kfsck::format::number::ProducerId;
use kfsck::report::dump::companion::IndexMode;
use kfsck::report::dump::decoder::Decoder;
use kfsck::report::dump::file::Options;
use kfsck::report::dump::output::Output;
use kfsck::report::dump::segment::Plan;
use kfsck::report::dump::selection::Selection;
use kfsck::report::dump::style::Style;
use kfsck::storage::damage::Damage;
use kfsck::storage::segment::contents::DEFAULT_MAX_RECORD_BYTES;
use kfsck::storage::source::Access;

use super::session::Session;

/// The options of a dump without any.
pub(super) fn options(access: Access) -> Options {
    Options {
        style: Style::Kafka,
        deep: false,
        contents: false,
        skip_metadata: false,
        key: Decoder::default(),
        value: Decoder::default(),
        topic: None,
        topic_by_name: false,
        mode: IndexMode::default(),
        max_message_size: 0,
        access,
        plan: Plan {
            selection: Selection::default(),
            max_bytes: None,
            max_record_bytes: DEFAULT_MAX_RECORD_BYTES,
            threads: 1,
        },
        topic_names: Arc::new(TopicNames::new(access)),
    }
}

/// Passes a dump on, but for the lines of producers that were not asked for.
pub(super) struct StockText<'a> {
    pub(super) session: &'a mut Session,
    pub(super) path: &'a Path,
    /// All when empty.
    pub(super) ids: &'a [ProducerId],
}

impl StockText<'_> {
    fn shows(&self, line: &[u8]) -> bool {
        let Some(rest) = line.strip_prefix(b"producerId: ") else {
            return true;
        };
        self.ids.iter().any(|id| {
            let behind = rest.strip_prefix(id.to_string().as_bytes());
            behind.is_some_and(|behind| behind.starts_with(b" "))
        })
    }
}

impl Output for StockText<'_> {
    fn text(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.ids.is_empty() {
            return self.session.write(bytes);
        }
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let shown: Vec<_> = lines.filter(|line| self.shows(line)).collect();
        self.session.write(&shown.concat())
    }

    fn damage(&mut self, damage: &Damage) {
        self.session.damage(self.path, damage);
    }

    fn note(&mut self, note: &str) {
        self.session.note(self.path, &note);
    }

    fn ignored(&mut self) {}
}
