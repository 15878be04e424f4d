//! The files of `testdata/fixtures` that are about producers, each with what its finder wanted to
//! hear of their state.

use crate::batches::Batch;
use crate::state::read_back;
use crate::state::words::{Asked, index_entry, leader_epochs, producers};
use kfsck::format::number::{Offset, ProducerId, Timestamp};
use kfsck::format::producer_snapshot;
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::append::Append;
use kfsck::state::error::Reason;
use kfsck::state::event::{Event, Kind, ignore};
use kfsck::state::load::{Change, LoadOptions, Outcome, load};
use kfsck::state::manager::{Applied, Manager};
use kfsck::state::read::{ReadOptions, SegmentFile};
use kfsck::state::replay::{Replay, Visitor, replay};
use kfsck::state::rules::{ALL, Stock};
use kfsck::state::snapshot::usable_entries;
use kfsck::state::transactions::Transaction;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;
use std::fs;
use std::path::{Path, PathBuf};

const T: i64 = 1_700_000_000_000;
const OPTIONS: ReadOptions = ReadOptions {
    access: Access::Map,
    check_crc: true,
};

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    folder.join(name)
}

#[derive(Default)]
struct Heard {
    words: Vec<String>,
    transactions: Vec<Transaction>,
    stop: Option<String>,
}

impl Visitor for Heard {
    /// Each event with both batches: the one that shows it, and the last of its producer before.
    fn event(&mut self, event: &Event<'_>) {
        let (code, batch) = (event.kind.code(), event.batch);
        let (offset, position) = (batch.base_offset, batch.place.position);
        let mut words = format!("{code} at offset {offset}, byte {position}");
        if let Some(before) = event.previous {
            let position = before.position.unwrap();
            words += &format!(", after offset {}, byte {position}", before.last_offset);
        }
        self.words.push(words);
        if let Kind::WouldStop(error) = &event.kind {
            assert_eq!(error.reason, Reason::ExpectedTransactional);
            self.stop = Some(format!("{}: {error}", error.class()));
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        self.transactions.push(*transaction);
    }

    fn aborted(&mut self, _: Offset, txn: &AbortedTxn) {
        self.words.push(index_entry(txn));
    }
}

/// Replays a fixture, which begins at `base`.
fn replayed(name: &str, base: i64) -> (Replay<5>, Heard) {
    let mut heard = Heard::default();
    let segment = SegmentFile {
        base_offset: Offset(base),
        path: path(name),
    };
    let state = Replay::new("t-0", &Stock, Offset(base));
    let state = replay(state, &[segment], OPTIONS, &mut heard).unwrap();
    (state, heard)
}

/// The state in words, then what was heard on the way.
fn told(name: &str) -> Vec<String> {
    let (state, heard) = replayed(name, 0);
    let mut words = producers(state.manager(), Asked(&[]));
    words.push(format!("LSO {}", state.last_stable_offset()));
    words.extend(heard.words);
    words
}

/// A partition's directory that goes with the test.
struct Partition(tempfile::TempDir);

impl Partition {
    fn new(base: i64, log: &[u8]) -> Self {
        let partition = Self(tempfile::tempdir().unwrap());
        fs::create_dir(partition.path("")).unwrap();
        partition.write(&format!("{base:020}.log"), log);
        partition.write(&format!("{base:020}.index"), &[]);
        partition
    }

    fn of(name: &str) -> Self {
        Self::new(0, &fs::read(path(name)).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("t-0").join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn start(&self, clean_shutdown: bool) -> Outcome<5> {
        let options = LoadOptions {
            clean_shutdown,
            ..LoadOptions::new(&Stock)
        };
        let directory = PartitionDirectory::list(&self.path(""));
        load(&directory, "t-0", &options).unwrap()
    }

    /// The state after a start, in words.
    fn started(&self, clean_shutdown: bool) -> Vec<String> {
        let log = self.start(clean_shutdown).log.unwrap();
        let mut words = producers(&log.manager, Asked(&[]));
        words.push(format!("LSO {}", log.last_stable_offset));
        words
    }
}

/// One id and epoch goes on across a change of the leader and a day: as an idle producer does, and
/// as a local one does that was given the id of a mirrored one.
#[test]
fn a01_nothing_tells_a_collision_from_an_idle_producer() {
    let name = "a01_pid_collision_survivor.log";
    let survivor = "1: epoch 0, last sequence 3 at offset 3";
    assert_eq!(
        told(name),
        [survivor, "LSO 4"],
        "no event: nothing is wrong"
    );
    let (state, _) = replayed(name, 0);
    let epochs = leader_epochs(
        state.epochs().entries(),
        Asked(&["leader epochs".to_owned()]),
    );
    assert_eq!(epochs.unwrap(), "leader epochs 4 from 0, 5 from 3");
    // Why the lost writes left no bytes: while producer 1 of the mirror is known, the first batch
    // of a local producer 1 is answered with offsets that hold other data.
    let mut manager = Manager::<5>::new("t-0", &Stock);
    let batches = read_back::of_file(&path(name));
    for (batch, _) in &batches {
        let how = Append::FOLLOWER;
        manager.apply(how, batch, None, &mut ignore).unwrap();
    }
    let (first, _) = batches[0];
    let answer = manager.apply(Append::CLIENT, &first, None, &mut ignore);
    let Ok(Applied::Duplicate(old)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(
        (old.first_offset(), old.last_offset),
        (Offset(0), Offset(2))
    );
}

/// Data after an abort begins the next transaction, by itself legal: whether it hangs is for a
/// clock and the coordinator's log to say.
#[test]
fn a03_a_transaction_is_open_behind_an_abort_and_holds_back_what_another_commits() {
    let name = "a03_hanging_txn.log";
    let open = "2000: epoch 0, last sequence 1 at offset 2, coordinator 4, open since 2";
    let other = "2001: epoch 0, last sequence 0 at offset 3, coordinator 4";
    let expected = [open, other, "LSO 2", "index entry 2000: 0..1, LSO 2"];
    assert_eq!(told(name), expected, "and no event");
    let (state, heard) = replayed(name, 0);
    let [hanging] = state.transactions().open()[..] else {
        panic!("{:?}", state.transactions());
    };
    assert_eq!(hanging.producer_id, ProducerId(2000));
    assert_eq!(hanging.first_timestamp, Timestamp(T + 2));
    assert_eq!(hanging.first_place.unwrap().position, 149);
    assert_eq!(
        (hanging.batches, hanging.records, hanging.bytes),
        (1, 1, 71)
    );
    // For the command that aborts it.
    assert_eq!(
        (hanging.first_offset, hanging.producer_epoch.0),
        (Offset(2), 0)
    );
    let ended: Vec<_> = heard
        .transactions
        .iter()
        .map(|txn| (txn.producer_id.0, txn.end.unwrap().marker.is_abort))
        .collect();
    assert_eq!(ended, [(2000, true), (2001, false)]);
    // A start keeps it open, unless somebody has deleted the snapshots.
    let partition = Partition::of(name);
    assert_eq!(partition.started(false), [open, other, "LSO 2"]);
    assert_eq!(partition.started(true), ["nobody", "LSO 5"]);
    partition.write("00000000000000000005.snapshot", &[]);
    assert_eq!(partition.started(true), [open, other, "LSO 2"]);
}

/// The trace of an old broker's bug. A replica takes the marker and the lower epoch with it.
#[test]
fn a04_a_marker_of_a_replaced_coordinator_ends_the_transaction_all_the_same() {
    let name = "a04_coord_epoch_regress.log";
    let state = "7: epoch 0, last sequence 1 at offset 2, coordinator 3";
    let event = "coordinator-epoch-regression at offset 3, byte 220, after offset 2, byte 149";
    let aborted = "index entry 7: 0..1, LSO 2";
    assert_eq!(told(name), [state, "LSO 4", aborted, event]);
    assert_eq!(Partition::of(name).started(false), [state, "LSO 4"]);
    // The leader of today would have refused it.
    let mut manager = Manager::<5>::new("t-0", &Stock);
    let batches = read_back::of_file(&path(name));
    let (last, before) = batches.split_last().unwrap();
    for (batch, control) in before {
        let how = Append::coordinator(1);
        let how = if batch.is_control {
            how
        } else {
            Append::CLIENT
        };
        let applied = manager.apply(how, batch, control.as_ref(), &mut ignore);
        applied.unwrap();
    }
    let (batch, control) = last;
    let refused = manager.apply(Append::coordinator(1), batch, control.as_ref(), &mut ignore);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Invalid coordinator epoch for producerId 7 at offset 3 in partition t-0: 3 (zombie), 5 \
         (current)"
    );
}

#[test]
fn a05_a_marker_of_an_old_epoch_is_told_with_the_batch_that_it_ends() {
    let name = "a05_marker_old_epoch.log";
    let state = "7: epoch 0, coordinator 0";
    let aborted = "index entry 7: 0..1, LSO 2";
    let event = "marker-old-epoch at offset 1, byte 71, after offset 0, byte 0";
    assert_eq!(told(name), [state, "LSO 2", event, aborted]);
    assert_eq!(Partition::of(name).started(false), [state, "LSO 2"]);
}

/// It ends the whole broker at a start, clean or not, under every rule set; the one start that
/// does not notice is the one that reads nothing.
#[test]
fn a05b_a_plain_batch_in_an_open_transaction_ends_a_broker_that_reads_it() {
    let name = "a05b_nontxn_in_open_txn.log";
    let state = "7: epoch 0, last sequence 1 at offset 1, open since 0";
    let event = "non-transactional-in-transaction at offset 1, byte 71, after offset 0, byte 0";
    assert_eq!(told(name), [state, "LSO 0", event]);
    let stop = "InvalidTxnStateException: Expected transactional write from producer 7 at offset \
                (offset=1, segment=[-1:-1]) in partition t-0";
    assert_eq!(replayed(name, 0).1.stop.unwrap(), stop);
    let partition = Partition::of(name);
    assert_eq!(partition.started(true), ["nobody", "LSO 2"]);
    partition.write("00000000000000000002.snapshot", &[]);
    for (rules, clean_shutdown) in ALL
        .map(|rules| [(rules, true), (rules, false)])
        .as_flattened()
    {
        let options = LoadOptions {
            clean_shutdown: *clean_shutdown,
            ..LoadOptions::new(*rules)
        };
        let directory = PartitionDirectory::list(&partition.path(""));
        let outcome = load::<1>(&directory, "t-0", &options).unwrap();
        let found = outcome.log.unwrap_err();
        assert_eq!(found.to_string(), stop);
        assert_eq!((found.segment, found.position), (Some(Offset(0)), Some(71)));
    }
}

/// What compaction leaves: the last offsets and sequences stay known, and nothing is wrong.
#[test]
fn a08_sequences_go_on_where_compaction_took_records() {
    let (state, heard) = replayed("a08_tail_compacted.log", 100);
    let words = producers(state.manager(), Asked(&["9: keeps".to_owned()]));
    let kept = "9: epoch 0, last sequence 35 at offset 115, keeps 20..34 35..35";
    assert_eq!((words, heard.words), (vec![kept.to_owned()], vec![]));
    let last = "9: epoch 0, last sequence 6 at offset 6";
    assert_eq!(told("a08b_empty_batch.log"), [last, "LSO 7"]);
    // A marker whose record is gone ends nothing; what is left of it is an entry without an epoch.
    assert_eq!(told("a08c_empty_control.log"), ["9: epoch -1", "LSO 1"]);
    assert_eq!(told("b_unknown_control.log"), ["nobody", "LSO 1"]);
}

/// Offsets 200 to 205: a plain record, then the batch that the snapshots know as the last of
/// producer 2. The data of producer 1 is below the log's start.
fn below_the_snapshot() -> Partition {
    let mut log = crate::batches::plain(200, b"v");
    let batch = Batch {
        attributes: 0x10,
        producer_id: 2,
        producer_epoch: 3,
        base_sequence: 37,
        ..Batch::new(201)
    };
    let batch = (0..5).fold(batch, |batch, _| batch.record(None, Some(b"v")));
    log.extend(batch.encode());
    Partition::new(200, &log)
}

const SNAPSHOT: &str = "00000000000000000206.snapshot";
const ONE: &str = "1: epoch 0, last sequence 9 at offset 100";
const TWO: &str = "2: epoch 3, last sequence 41 at offset 205, coordinator 7, open since 201";

#[test]
fn a09_a_good_snapshot_knows_a_producer_whose_data_is_gone() {
    let partition = below_the_snapshot();
    fs::copy(path("a09_good.snapshot"), partition.path(SNAPSHOT)).unwrap();
    assert_eq!(partition.started(true), [ONE, TWO, "LSO 201"]);
}

/// A snapshot that a broker refuses is deleted by it, and the log is read: what the log still
/// holds comes back, and no harm is done. Deleted by hand, nothing comes back.
#[test]
fn a09_a_bad_snapshot_is_safe_where_it_lies_and_must_not_be_deleted_by_hand() {
    let mut over_longer = fs::read(path("a09_good.snapshot")).unwrap();
    over_longer.extend([0x5a; 46]);
    let files = [
        "a09_badcrc.snapshot",
        "a09_cut.snapshot",
        "a09_zero.snapshot",
    ];
    let files = files.map(|name| fs::read(path(name)).unwrap());
    let rebuilt = "2: epoch 3, last sequence 41 at offset 205, open since 201";
    for bytes in files.iter().chain([&over_longer]) {
        let partition = below_the_snapshot();
        partition.write(SNAPSHOT, bytes);
        assert_eq!(partition.started(true), [rebuilt, "LSO 201"]);
        let first = &partition.start(true).actions[0];
        assert_eq!(first.name, SNAPSHOT);
        assert!(matches!(first.change, Change::Deleted(_)), "{first:?}");
        fs::remove_file(partition.path(SNAPSHOT)).unwrap();
        assert_eq!(partition.started(true), ["nobody", "LSO 206"]);
    }
}

#[test]
fn a09_what_a_broker_says_of_each_snapshot_and_what_is_readable_in_it() {
    let said = |name: &str| usable_entries(&fs::read(path(name)).unwrap());
    let readable = |bytes: &[u8]| producer_snapshot::decode(bytes).map(|read| read.entries.len());
    let good = said("a09_good.snapshot").unwrap();
    assert_eq!(good.len(), 2);
    let faults = [
        (
            "a09_badcrc.snapshot",
            "Snapshot is corrupt (CRC is no longer valid). Stored crc: 3735928559. Computed crc: \
             1401303724",
            Some(2),
        ),
        (
            "a09_cut.snapshot",
            "Snapshot failed schema validation: null",
            Some(0),
        ),
        (
            "a09_zero.snapshot",
            "Snapshot failed schema validation: Snapshot contained an unknown file version 0",
            None,
        ),
    ];
    for (name, words, entries) in faults {
        assert_eq!(said(name).unwrap_err(), words, "{name}");
        let bytes = fs::read(path(name)).unwrap();
        assert_eq!(readable(&bytes).ok(), entries, "{name}");
    }
    // A short snapshot that was written over a longer file: every entry is right.
    let mut bytes = fs::read(path("a09_good.snapshot")).unwrap();
    bytes.extend([0x5a; 46]);
    assert!(usable_entries(&bytes).is_err());
    let read = producer_snapshot::decode(&bytes).unwrap();
    assert!(read.is_sealed());
    assert_eq!(read.entries, good);
}

#[test]
fn a09_of_one_id_twice_the_second_entry_counts() {
    let partition = below_the_snapshot();
    fs::copy(path("a09_dup_pid.snapshot"), partition.path(SNAPSHOT)).unwrap();
    let second = "1: epoch 1, last sequence 0 at offset 101";
    assert_eq!(partition.started(true), [second, "LSO 206"]);
}
