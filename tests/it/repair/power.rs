//! Repairs whose machine loses its power: what was not brought to the disk is there or not, in any
//! combination, and the next run makes the best of it.
//!
//! What the disk surely holds is what was brought to it: the bytes of a file with the write that
//! makes it, the names in a directory with each sync of that directory. Every other change of a
//! name may have come to the disk or not, each for itself; a rename within a directory is one such
//! change.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use kfsck::repair::apply::disk::{Disk, Fill, SystemDisk};
use kfsck::repair::apply::in_place::{apply, settle};
use kfsck::repair::apply::output;
use kfsck::repair::plan::Plan;
use kfsck::storage::directory;
use kfsck::storage::source::Access;
use kfsck::storage::unfinished::UNFINISHED;
use kfsck::storage::work_directory::unsettled;

use super::breaking::Half;
use super::misnamed::exchange;
use super::{Verb, contents, plan};
use crate::program::testdata;

/// A file or a directory.
#[derive(Debug, Clone)]
enum Node {
    File(Rc<(Vec<u8>, SystemTime)>),
    Directory(usize),
}

type Names = BTreeMap<OsString, Node>;

/// One change of names in a directory, all of it or nothing.
#[derive(Debug, Clone)]
struct Change {
    directory: usize,
    names: Vec<(OsString, Option<Node>)>,
}

/// Passes everything on to the system until the power goes, and knows what then is on the disk.
#[derive(Debug)]
struct PowerLoss {
    root: PathBuf,
    /// Steps until then.
    left: usize,
    is_over: bool,
    /// The names in each directory: as the system shows them, and as the disk surely has them.
    now: Vec<Names>,
    durable: Vec<Names>,
    /// What may be on the disk or not, in order.
    pending: Vec<Change>,
}

impl PowerLoss {
    fn new(root: &Path, left: usize) -> Self {
        let mut made = Self {
            root: root.to_owned(),
            left,
            is_over: false,
            now: Vec::new(),
            durable: Vec::new(),
            pending: Vec::new(),
        };
        made.read(root);
        made.durable = made.now.clone();
        made
    }

    fn read(&mut self, path: &Path) -> usize {
        let id = self.now.len();
        self.now.push(Names::new());
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let node = match entry.file_type().unwrap().is_dir() {
                true => Node::Directory(self.read(&entry.path())),
                false => file(&entry.path()),
            };
            self.now[id].insert(entry.file_name(), node);
        }
        id
    }

    /// The directory that holds a path, and its name there.
    fn place(&self, path: &Path) -> (usize, OsString) {
        let above = path.parent().unwrap();
        (self.directory(above), path.file_name().unwrap().to_owned())
    }

    fn directory(&self, path: &Path) -> usize {
        let below = path.strip_prefix(&self.root).unwrap();
        below.iter().fold(0, |id, name| match &self.now[id][name] {
            Node::Directory(id) => *id,
            Node::File(_) => panic!("{}", path.display()),
        })
    }

    /// Whether a step is done; the last one before the power goes is.
    fn step(&mut self) -> io::Result<()> {
        if self.is_over {
            return Err(ErrorKind::Interrupted.into());
        }
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => self.is_over = true,
        }
        Ok(())
    }

    fn after(&self) -> io::Result<()> {
        match self.is_over {
            true => Err(ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    fn change(&mut self, directory: usize, names: Vec<(OsString, Option<Node>)>) {
        put(&mut self.now[directory], &names);
        self.pending.push(Change { directory, names });
    }

    /// Which of the pending changes are on the disk: all of the ways, or some where there are many.
    fn ways(&self, dice: &mut ChaCha8Rng) -> Vec<Vec<bool>> {
        let count = self.pending.len();
        if count <= 5 {
            let all = 0..1_u32 << count;
            return all
                .map(|bits| (0..count).map(|at| bits >> at & 1 == 1).collect())
                .collect();
        }
        let alone = |at: usize, is: bool| (0..count).map(|other| (other == at) == is).collect();
        let mut ways: Vec<Vec<bool>> = vec![vec![false; count], vec![true; count]];
        for _ in 0..6 {
            let at = below(dice, count);
            ways.push((0..count).map(|other| other < at).collect());
            ways.push(alone(below(dice, count), true));
            ways.push(alone(below(dice, count), false));
            ways.push((0..count).map(|_| dice.next_u32() & 1 == 1).collect());
        }
        ways
    }

    /// Writes what the disk has into a new directory.
    fn found_again(&self, way: &[bool]) -> tempfile::TempDir {
        let mut names = self.durable.clone();
        names.resize(self.now.len(), Names::new());
        for (change, is_there) in self.pending.iter().zip(way) {
            if *is_there {
                put(&mut names[change.directory], &change.names);
            }
        }
        let place = in_memory();
        write(&names, 0, place.path());
        place
    }
}

fn put(names: &mut Names, change: &[(OsString, Option<Node>)]) {
    for (name, node) in change {
        match node {
            Some(node) => names.insert(name.clone(), node.clone()),
            None => names.remove(name),
        };
    }
}

fn write(names: &[Names], id: usize, path: &Path) {
    for (name, node) in &names[id] {
        let path = path.join(name);
        match node {
            Node::Directory(id) => {
                fs::create_dir(&path).unwrap();
                write(names, *id, &path);
            }
            Node::File(file) => {
                fs::write(&path, &file.0).unwrap();
                let opened = fs::File::options().write(true).open(&path).unwrap();
                opened.set_modified(file.1).unwrap();
            }
        }
    }
}

fn file(path: &Path) -> Node {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    Node::File(Rc::new((fs::read(path).unwrap(), modified)))
}

fn below(dice: &mut ChaCha8Rng, count: usize) -> usize {
    usize::try_from(dice.next_u32()).unwrap() % count
}

/// A directory in memory, where there is such a place: syncs then take no time.
fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

impl Disk for PowerLoss {
    fn create_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.create_directory(path)?;
        let (above, name) = self.place(path);
        let id = self.now.len();
        self.now.push(Names::new());
        self.durable.push(Names::new());
        self.change(above, vec![(name, Some(Node::Directory(id)))]);
        self.after()
    }

    fn write(&mut self, path: &Path, like: Option<&Metadata>, fill: Fill<'_>) -> io::Result<()> {
        self.step()?;
        let is_last = self.is_over;
        SystemDisk.write(path, like, &mut |out| match is_last {
            true => fill(&mut Half(out)),
            false => fill(out),
        })?;
        let (above, name) = self.place(path);
        self.change(above, vec![(name, Some(file(path)))]);
        self.after()
    }

    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.link(from, to)?;
        let (above, name) = self.place(from);
        let node = self.now[above][&name].clone();
        let (above, name) = self.place(to);
        self.change(above, vec![(name, Some(node))]);
        self.after()
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.rename(from, to)?;
        let ((above, old), (other, new)) = (self.place(from), self.place(to));
        assert_eq!(
            above, other,
            "a rename between directories is no single change"
        );
        let node = self.now[above][&old].clone();
        self.change(above, vec![(old, None), (new, Some(node))]);
        self.after()
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.remove_file(path)?;
        let (above, name) = self.place(path);
        self.change(above, vec![(name, None)]);
        self.after()
    }

    fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.remove_directory(path)?;
        let (above, name) = self.place(path);
        self.change(above, vec![(name, None)]);
        self.after()
    }

    fn sync_directory(&mut self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.sync_directory(path)?;
        // The power may go in the middle of it.
        if !self.is_over {
            let id = self.directory(path);
            let (here, elsewhere) = std::mem::take(&mut self.pending)
                .into_iter()
                .partition(|change| change.directory == id);
            self.pending = elsewhere;
            let here: Vec<Change> = here;
            for change in here {
                put(&mut self.durable[id], &change.names);
            }
        }
        self.after()
    }

    fn dress(&mut self, path: &Path, like: &Metadata) -> io::Result<()> {
        self.step()?;
        SystemDisk.dress(path, like)?;
        self.after()
    }
}

const PARTITION: &str = "logs/txn-both-0";

/// What is wrong with a partition.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    /// A loss in its middle: segments and snapshots go.
    Byte,
    /// Two segments bear each other's name.
    Names,
}

fn damaged(wrong: Wrong) -> tempfile::TempDir {
    let place = in_memory();
    let path = place.path().join(PARTITION);
    fs::create_dir_all(&path).unwrap();
    for (name, bytes) in contents(&testdata("main/txn-both-0")) {
        fs::write(path.join(name), bytes).unwrap();
    }
    let [one, other] = [48, 94].map(|base| format!("{base:020}.log"));
    match wrong {
        Wrong::Names => exchange(&path, &one, &other),
        Wrong::Byte => {
            let mut bytes = fs::read(path.join(&one)).unwrap();
            bytes[100] ^= 1;
            fs::write(path.join(one), bytes).unwrap();
        }
    }
    place
}

type Files = BTreeMap<String, Vec<u8>>;

/// Before and behind the repair, and what was planned for.
fn before_and_behind(wrong: Wrong) -> (Files, Files) {
    let place = damaged(wrong);
    let path = place.path().join(PARTITION);
    let before = contents(&path);
    let plan = plan(&path, Verb::Truncate);
    apply(&mut SystemDisk, &plan, Access::Map).unwrap();
    (before, contents(&path))
}

/// The next run: everything is as it was or as it was to be, and nothing is lost.
fn settled(root: &Path, before: &Files, behind: &Files) -> bool {
    let path = root.join(PARTITION);
    settle(&mut SystemDisk, &path).unwrap();
    let now = contents(&path);
    assert!(now == *before || now == *behind, "neither old nor new");
    assert_eq!(unsettled(&path), None);
    if now == *behind {
        let aside = contents(&root.join("logs.kfsck-repair-txn-both-0"));
        for (name, bytes) in before {
            let is_there = now.get(name) == Some(bytes) || aside.get(name) == Some(bytes);
            assert!(is_there, "{name} is lost");
        }
    }
    now == *behind
}

#[test]
fn a_repair_in_place_is_whole_or_not_there_after_a_loss_of_power() {
    for wrong in [Wrong::Byte, Wrong::Names] {
        in_place_is_whole_or_not_there(wrong);
    }
}

fn in_place_is_whole_or_not_there(wrong: Wrong) {
    let (before, behind) = before_and_behind(wrong);
    let mut dice = ChaCha8Rng::seed_from_u64(5);
    let (mut old, mut new, mut again) = (0, 0, 0);
    for at in 0.. {
        let place = damaged(wrong);
        let plan = plan(&place.path().join(PARTITION), Verb::Truncate);
        let mut disk = PowerLoss::new(place.path(), at);
        let applied = apply(&mut disk, &plan, Access::Map);
        let is_done = !disk.is_over;
        applied.map_err(|error| assert!(!is_done, "{error}")).ok();
        for way in disk.ways(&mut dice) {
            let found = disk.found_again(&way);
            if is_done {
                // What is said to be done lasts.
                assert!(contents(&found.path().join(PARTITION)) == behind, "{way:?}");
            }
            // The power goes once more while the next run settles it.
            let mut second = PowerLoss::new(found.path(), below(&mut dice, 12));
            let _broken = settle(&mut second, &found.path().join(PARTITION));
            if second.is_over {
                let ways = second.ways(&mut dice);
                let way = &ways[below(&mut dice, ways.len())];
                let found = second.found_again(way);
                settled(found.path(), &before, &behind);
                again += 1;
            }
            let found = disk.found_again(&way);
            match settled(found.path(), &before, &behind) {
                true => new += 1,
                false => old += 1,
            }
        }
        if is_done {
            break;
        }
    }
    assert!(
        old > 100 && new > 100 && again > 100,
        "{wrong:?}: {old} {new} {again}"
    );
}

fn written(disk: &mut dyn Disk, plan: &Plan, place: &Path) -> Option<output::Output> {
    output::write(disk, plan, &place.join("new/place"), Access::Map).ok()
}

#[test]
fn an_output_is_whole_or_bears_another_name_after_a_loss_of_power() {
    let (before, behind) = before_and_behind(Wrong::Byte);
    let mut dice = ChaCha8Rng::seed_from_u64(6);
    let mut replaced = 0;
    for at in 0.. {
        let place = damaged(Wrong::Byte);
        let made = plan(&place.path().join(PARTITION), Verb::Truncate);
        let mut disk = PowerLoss::new(place.path(), at);
        let is_done = written(&mut disk, &made, place.path()).is_some();
        assert_eq!(is_done, !disk.is_over);
        for way in disk.ways(&mut dice) {
            let found = disk.found_again(&way);
            let path = found.path().join(PARTITION);
            assert!(contents(&path) == before, "the input is only read");
            let target = found.path().join("new/place/txn-both-0");
            if target.exists() {
                assert!(contents(&target) == behind, "{at} {way:?}");
                continue;
            }
            assert!(!is_done, "{way:?}");
            let partial = target.with_file_name(format!("txn-both-0{UNFINISHED}"));
            if partial.exists() {
                directory::expand(&partial).unwrap_err();
            }
            let plan = plan(&path, Verb::Truncate);
            let again = written(&mut SystemDisk, &plan, found.path()).unwrap();
            replaced += usize::from(again.replaced);
            assert!(contents(&target) == behind, "{at} {way:?}");
            assert!(!partial.exists());
        }
        if is_done {
            break;
        }
    }
    assert!(replaced > 20, "{replaced}");
}
