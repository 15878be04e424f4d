//! Repairs that go from one file system to another.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use kfsck::repair::apply::disk::{Disk, SystemDisk};
use kfsck::repair::apply::in_place::apply;
use kfsck::storage::source::Access;

use super::{Copied, Verb, contents, plan};
use crate::program::Run;

fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    copied.change("00000000000000000048.log", |bytes| bytes[100] ^= 1);
    copied
}

fn device(path: &Path) -> u64 {
    fs::metadata(path).unwrap().dev()
}

/// The log directory is a file system by itself: nothing in it gets a second name outside.
#[derive(Debug)]
struct Mounted(ErrorKind);

impl Disk for Mounted {
    fn link(&mut self, _: &Path, _: &Path) -> io::Result<()> {
        Err(self.0.into())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let devices = [from, to.parent().unwrap()].map(device);
        assert_eq!(devices[0], devices[1], "a rename between file systems");
        SystemDisk.rename(from, to)
    }
}

#[test]
fn old_files_are_copied_aside_where_they_cannot_get_a_second_name() {
    let linked = damaged();
    let made = plan(&linked.path, Verb::Truncate);
    let by_link = contents(&apply(&mut SystemDisk, &made, Access::Map).unwrap());
    for kind in [
        ErrorKind::CrossesDevices,
        ErrorKind::Unsupported,
        ErrorKind::PermissionDenied,
    ] {
        let copied = damaged();
        let before = contents(&copied.path);
        let made = plan(&copied.path, Verb::Truncate);
        let aside = apply(&mut Mounted(kind), &made, Access::Map).unwrap();
        assert!(contents(&copied.path) == contents(&linked.path), "{kind}");
        let old = contents(&aside);
        assert_eq!(
            old.keys().collect::<Vec<_>>(),
            by_link.keys().collect::<Vec<_>>()
        );
        for (name, bytes) in old {
            assert!(name == "done.json" || before[&name] == bytes, "{name}");
        }
    }
    // Any other refusal is one.
    let copied = damaged();
    let before = contents(&copied.path);
    let made = plan(&copied.path, Verb::Truncate);
    apply(&mut Mounted(ErrorKind::StorageFull), &made, Access::Map).unwrap_err();
    assert!(contents(&copied.path) == before);
}

#[test]
fn an_output_may_lie_in_another_file_system() {
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let copied = damaged();
    let beside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    assert_ne!(device(memory.path()), device(beside.path()));
    for place in [memory.path(), beside.path()] {
        let run = Run::new(["repair", "log", "--truncate", "-q", "--output"]).arg(place);
        let outcome = run.arg(&copied.path).outcome();
        assert!([0, 1].contains(&outcome.code), "{}", outcome.stderr);
    }
    let [one, other] = [memory.path(), beside.path()].map(|place| place.join("txn-both-0"));
    assert_eq!(contents(&one), contents(&other));
    for name in contents(&one).keys() {
        let modified = |path: &Path| fs::metadata(path.join(name)).unwrap().modified().unwrap();
        assert_eq!(modified(&one), modified(&other), "{name}");
    }
}
