//! How much of a file is read to tell what it holds.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use kfsck::analysis::topic_names::TopicNames;
use kfsck::report::dump::companion::IndexMode;
use kfsck::report::dump::decoder::Decoder;
use kfsck::report::dump::file::{self, Options};
use kfsck::report::dump::output::Output;
use kfsck::report::dump::segment::Plan;
use kfsck::report::dump::selection::Selection;
use kfsck::report::dump::style::Style;
use kfsck::storage::damage::Damage;
use kfsck::storage::directory;
use kfsck::storage::source::Access;

/// Counts what it is told.
#[derive(Default)]
struct Told {
    damage: usize,
}

impl Output for Told {
    fn text(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn damage(&mut self, _: &Damage) {
        self.damage += 1;
    }

    fn note(&mut self, _: &str) {}

    fn ignored(&mut self) {}
}

/// Bytes that this thread had from system calls.
fn bytes_read() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/io").unwrap();
    let count = text.lines().find_map(|line| line.strip_prefix("rchar: "));
    count.unwrap().parse().unwrap()
}

fn dump(path: &Path) -> Told {
    let options = Options {
        style: Style::Kafka,
        deep: false,
        contents: false,
        skip_metadata: false,
        key: Decoder::default(),
        value: Decoder::default(),
        topic: None,
        topic_by_name: false,
        mode: IndexMode::Entries,
        max_message_size: 5 << 20,
        access: Access::Plain,
        plan: Plan {
            selection: Selection::default(),
            max_bytes: None,
            max_record_bytes: 1 << 20,
            threads: 1,
        },
        topic_names: Arc::new(TopicNames::new(Access::Plain)),
    };
    let mut told = Told::default();
    for found in directory::expand(path).unwrap().files() {
        file::dump(found, &options, &mut told).unwrap();
    }
    told
}

/// A name that is no offset makes the first batch give it: it is not searched for a second time.
#[test]
fn a_segment_is_walked_over_once_whatever_its_name() {
    const SIZE: usize = 8 << 20;
    let directory = tempfile::tempdir().unwrap();
    for name in ["00000000000000000000.log", "copy.log"] {
        let path = directory.path().join(name);
        fs::write(&path, vec![0xee; SIZE]).unwrap();
        let before = bytes_read();
        let told = dump(&path);
        let read = bytes_read() - before;
        assert_eq!(told.damage, 1, "{name}");
        assert!(read >= SIZE as u64, "{name}: {read}");
        assert!(read < SIZE as u64 * 3 / 2, "{name}: {read}");
    }
}
