//! A repair in place that is broken off anywhere, and what the next run makes of it.

use std::fs::Metadata;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use kfsck::repair::apply::disk::{Disk, Fill, SystemDisk};
use kfsck::repair::apply::in_place::{Settled, apply, settle};
use kfsck::repair::error::ApplyError;
use kfsck::storage::source::Access;
use kfsck::storage::work_directory::unsettled;

use super::{Copied, Verb, contents, plan};

/// How a step is broken off.
#[derive(Debug, Clone, Copy)]
enum Break {
    /// In front of it.
    Before,
    /// When it is done; a file is written in half.
    After,
}

/// Breaks off at a step, and does nothing any more.
#[derive(Debug)]
struct Breaking {
    left: usize,
    how: Break,
    is_over: bool,
}

impl Breaking {
    fn new(at: usize, how: Break) -> Self {
        Self {
            left: at,
            how,
            is_over: false,
        }
    }

    fn step(&mut self, done: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let broken = || Err(io::Error::from(ErrorKind::Interrupted));
        if self.is_over {
            return broken();
        }
        if self.left > 0 {
            self.left -= 1;
            return done();
        }
        self.is_over = true;
        if let Break::After = self.how {
            done()?;
        }
        broken()
    }
}

/// Passes on half of what is written.
pub(super) struct Half<'a>(pub(super) &'a mut dyn Write);

impl Write for Half<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(&bytes[..bytes.len() / 2])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Disk for Breaking {
    fn create_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.create_directory(path))
    }

    fn write(&mut self, path: &Path, like: Option<&Metadata>, fill: Fill<'_>) -> io::Result<()> {
        let is_last = self.left == 0;
        self.step(|| {
            SystemDisk.write(path, like, &mut |out| match is_last {
                true => fill(&mut Half(out)),
                false => fill(out),
            })
        })
    }

    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.link(from, to))
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.rename(from, to))
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.remove_file(path))
    }

    fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.remove_directory(path))
    }

    fn sync_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step(|| SystemDisk.sync_directory(path))
    }

    fn dress(&mut self, path: &Path, like: &Metadata) -> io::Result<()> {
        self.step(|| SystemDisk.dress(path, like))
    }
}

/// A partition with a loss in its middle, and segments and snapshots that go.
fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    let logs = copied.logs();
    let name = logs[1].file_name().unwrap().to_str().unwrap().to_owned();
    copied.change(&name, |bytes| bytes[100] ^= 1);
    copied
}

fn work_of(copied: &Copied) -> PathBuf {
    let logs = copied.path.parent().unwrap();
    let name = copied.path.file_name().unwrap().to_str().unwrap();
    logs.with_file_name(format!("logs.kfsck-repair-{name}"))
}

#[test]
fn a_repair_in_place_sets_the_old_files_aside_and_leaves_nothing_else() {
    let copied = damaged();
    let before = contents(&copied.path);
    let plan = plan(&copied.path, Verb::Truncate);
    let beside = contents_of_result(&copied);
    let aside = apply(&mut SystemDisk, &plan, Access::Map).unwrap();
    assert_eq!(aside, work_of(&copied));
    assert_eq!(contents(&copied.path), beside);
    let old = contents(&aside);
    for (name, bytes) in &before {
        if beside.get(name) != Some(bytes) {
            assert_eq!(old.get(name), Some(bytes), "{name}");
        }
    }
    assert_eq!(unsettled(&copied.path), None);
    assert_eq!(
        settle(&mut SystemDisk, &copied.path).unwrap(),
        Settled::Nothing
    );
}

/// What `--output` gives for the same damage.
fn contents_of_result(copied: &Copied) -> std::collections::BTreeMap<String, Vec<u8>> {
    contents(&super::repaired(&copied.path, Verb::Truncate, &super::terms()).1)
}

#[test]
fn broken_off_at_any_step_it_is_undone_or_finished() {
    let result = contents_of_result(&damaged());
    let (mut undone, mut finished) = (0, 0);
    for how in [Break::Before, Break::After] {
        for at in 0.. {
            let copied = damaged();
            let before = contents(&copied.path);
            let plan = plan(&copied.path, Verb::Truncate);
            let mut disk = Breaking::new(at, how);
            let applied = apply(&mut disk, &plan, Access::Map);
            if !disk.is_over {
                applied.unwrap();
                assert!(at > 15, "{at} steps");
                break;
            }
            applied.unwrap_err();
            // The run that settles it is broken off as well, at each of its steps.
            for again in 0.. {
                let mut disk = Breaking::new(again, how);
                let settled = settle(&mut disk, &copied.path);
                if !disk.is_over {
                    match settled.unwrap() {
                        Settled::Undone => undone += 1,
                        Settled::Finished => finished += 1,
                        Settled::Nothing => {}
                    }
                    break;
                }
            }
            let now = contents(&copied.path);
            assert!(now == before || now == result, "{how:?} {at}");
            assert_eq!(unsettled(&copied.path), None);
            if now == before {
                apply(&mut SystemDisk, &plan, Access::Map).unwrap();
                assert!(contents(&copied.path) == result, "{how:?} {at}");
            }
        }
    }
    assert!(undone > 10 && finished > 5, "{undone} {finished}");
}

#[test]
fn what_a_broker_has_changed_meanwhile_is_not_replaced() {
    for at in 0.. {
        let copied = damaged();
        let plan = plan(&copied.path, Verb::Truncate);
        let mut disk = Breaking::new(at, Break::Before);
        let _broken = apply(&mut disk, &plan, Access::Map);
        assert!(disk.is_over, "a journal was never left behind");
        if !work_of(&copied).join("journal.json").exists() {
            continue;
        }
        let logs = copied.logs();
        let name = logs[1].file_name().unwrap().to_str().unwrap().to_owned();
        copied.change(&name, |bytes| bytes.extend(b"appended"));
        let changed = contents(&copied.path).remove(&name);
        let error = settle(&mut SystemDisk, &copied.path).unwrap_err();
        assert!(matches!(error, ApplyError::Changed { .. }), "{error}");
        let now = contents(&copied.path);
        assert_eq!(now.get(&name), changed.as_ref());
        assert!(now.keys().all(|name| !name.contains("staged")));
        assert_eq!(unsettled(&copied.path), None);
        break;
    }
}

/// `txn-both-0` a second time and `txn-both-0-2` a first time are not the same.
#[test]
fn what_another_partition_has_set_aside_is_left_alone() {
    let copied = damaged();
    let other = copied.path.with_file_name("txn-both-0-2");
    std::fs::create_dir(&other).unwrap();
    for (name, bytes) in contents(&copied.path) {
        std::fs::write(other.join(name), bytes).unwrap();
    }
    let first = plan(&copied.path, Verb::Truncate);
    apply(&mut SystemDisk, &first, Access::Map).unwrap();
    let mut broken = Breaking::new(20, Break::Before);
    apply(&mut broken, &plan(&other, Verb::Truncate), Access::Map).unwrap_err();
    let left = unsettled(&other).unwrap();
    assert_eq!(unsettled(&copied.path), None);
    settle(&mut SystemDisk, &copied.path).unwrap();
    assert_eq!(unsettled(&other), Some(left));
    settle(&mut SystemDisk, &other).unwrap();
    // The second repair of the first partition, broken off; the first one's files are removed.
    let name = copied.logs()[0]
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    copied.change(&name, |bytes| bytes[100] ^= 1);
    let mut broken = Breaking::new(20, Break::Before);
    apply(
        &mut broken,
        &plan(&copied.path, Verb::Truncate),
        Access::Map,
    )
    .unwrap_err();
    std::fs::remove_dir_all(work_of(&copied)).unwrap();
    let second = unsettled(&copied.path).unwrap();
    assert!(
        second
            .to_str()
            .unwrap()
            .ends_with("logs.kfsck-repair-txn-both-0+2")
    );
    assert_ne!(
        settle(&mut SystemDisk, &copied.path).unwrap(),
        Settled::Nothing
    );
}

#[test]
fn a_directory_in_which_no_run_has_written_down_what_it_does_is_left_alone() {
    // The name is taken by somebody else's files, also some that a repair would set aside.
    let copied = damaged();
    let work = work_of(&copied);
    std::fs::create_dir(&work).unwrap();
    std::fs::create_dir(work.join("mine")).unwrap();
    for name in ["notes.txt", "00000000000000000047.log"] {
        std::fs::write(work.join(name), "mine").unwrap();
    }
    let plan = plan(&copied.path, Verb::Truncate);
    assert_eq!(unsettled(&copied.path), None);
    let aside = apply(&mut SystemDisk, &plan, Access::Map).unwrap();
    assert!(aside.to_str().unwrap().ends_with("+2"), "{aside:?}");
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 3);
    // Backups whose record was removed are nobody's to remove.
    let old = contents(&aside).len();
    std::fs::remove_file(aside.join("done.json")).unwrap();
    let settled = settle(&mut SystemDisk, &copied.path).unwrap();
    assert_eq!(settled, Settled::Nothing);
    assert_eq!(contents(&aside).len(), old - 1);
}

#[test]
fn undoing_removes_nothing_but_second_names_that_the_run_gave() {
    let copied = damaged();
    let before = contents(&copied.path);
    let plan = plan(&copied.path, Verb::Truncate);
    let work = work_of(&copied);
    let at = (0..)
        .find(|at| {
            let copied = damaged();
            let mut disk = Breaking::new(*at, Break::Before);
            let _broken = apply(&mut disk, &plan_of(&copied), Access::Map);
            work_of(&copied).join("journal.json").exists()
        })
        .unwrap();
    // In front of the journal; what is set aside is all there.
    let mut disk = Breaking::new(at - 1, Break::Before);
    apply(&mut disk, &plan, Access::Map).unwrap_err();
    assert!(work.join("begun.json").exists());
    std::fs::create_dir(work.join("mine")).unwrap();
    std::fs::write(work.join("notes.txt"), "mine").unwrap();
    let settled = settle(&mut SystemDisk, &copied.path).unwrap();
    assert_eq!(settled, Settled::Undone);
    assert!(contents(&copied.path) == before);
    let left: Vec<_> = std::fs::read_dir(&work)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
    assert_eq!(unsettled(&copied.path), None);
}

fn plan_of(copied: &Copied) -> kfsck::repair::plan::Plan {
    plan(&copied.path, Verb::Truncate)
}

/// Copies have no lock: the partition itself is claimed.
#[test]
fn a_partition_that_another_run_repairs_is_left_alone() {
    let copied = damaged();
    let before = contents(&copied.path);
    let plan = plan(&copied.path, Verb::Truncate);
    let claim = kfsck::storage::lock::claim(&copied.path).unwrap().unwrap();
    let error = apply(&mut SystemDisk, &plan, Access::Map).unwrap_err();
    assert!(matches!(error, ApplyError::Claimed { .. }), "{error}");
    assert!(contents(&copied.path) == before && !work_of(&copied).exists());
    drop(claim);
    apply(&mut SystemDisk, &plan, Access::Map).unwrap();
}
