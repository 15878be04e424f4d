//! What the stock tool gets wrong, one test a fact (D1 to D12): ours is right.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::batches::{self, Batch, CRC_AT, HEADER, LENGTH_AT, MAGIC_AT, split};
use crate::corpus::{self, Fingerprint};
use crate::jsonl::{self, Line};
use crate::run;

const NAME: &str = "00000000000000000000.log";

/// Twelve batches of three records, at every hundredth offset.
fn log() -> Vec<u8> {
    (0..12)
        .flat_map(|number| {
            let batch = Batch::new(number * 100);
            let values = ["one", "two", "three"];
            values
                .iter()
                .fold(batch, |batch, value| {
                    batch.record(None, Some(value.as_bytes()))
                })
                .encode()
        })
        .collect()
}

/// The first offset of each batch that the stock text shows, and whether it is valid.
fn shown(text: &str) -> Vec<(i64, bool)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("baseOffset: "))
        .map(|rest| {
            let offset = rest.split(' ').next().unwrap().parse().unwrap();
            (offset, rest.ends_with("isvalid: true"))
        })
        .collect()
}

#[test]
fn d1_the_first_record_is_held_against_nothing() {
    let log = [batches::plain(100, b"a"), batches::plain(102, b"b")].concat();
    let name = "00000000000000000100.log";
    let run = run::dump_bytes(name, &log, &["--deep-iteration"]);
    assert_eq!(run.code, Some(0));
    assert!(!run.stderr.contains("-1 is followed by"), "{}", run.stderr);
    assert!(
        run.stderr.ends_with("  100 is followed by 102\n"),
        "{}",
        run.stderr
    );
    let whole = run::dump_bytes(name, &batches::plain(100, b"a"), &["--deep-iteration"]);
    assert_eq!(whole.stderr, "");
}

/// The stock tool reads the rest of the log for each entry: these would be 450 million batches.
#[test]
fn d2_a_time_index_costs_one_pass_over_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let (mut log, mut index) = (Vec::new(), Vec::new());
    for offset in 0..30_000_i32 {
        let timestamp = 1_700_000_000_000 + i64::from(offset);
        let batch = Batch {
            timestamp,
            ..Batch::new(offset.into())
        };
        log.extend(batch.record(None, None).encode());
        index.extend(timestamp.to_be_bytes());
        index.extend(offset.to_be_bytes());
    }
    let name = "00000000000000000000.timeindex";
    fs::write(directory.path().join(NAME), log).unwrap();
    fs::write(directory.path().join("00000000000000000000.index"), []).unwrap();
    fs::write(directory.path().join(name), index).unwrap();
    let begin = Instant::now();
    let run = run::dump(directory.path(), &["--verify-index-only", name]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn d3_every_hole_is_listed_and_none_is_damage() {
    let offsets = [0, 5, 6, 9];
    let log: Vec<u8> = offsets
        .iter()
        .flat_map(|at| batches::plain(*at, b"v"))
        .collect();
    let run = run::dump_bytes(NAME, &log, &["--deep-iteration"]);
    assert_eq!(run.code, Some(0), "a hole is legal");
    // The same pair twice: a map keyed by the first offset would hold one.
    let run = run::dump_bytes(NAME, &[&log[..], &log].concat(), &["--deep-iteration"]);
    let pairs: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.contains("followed"))
        .collect();
    assert_eq!(
        pairs,
        [
            "  0 is followed by 5",
            "  6 is followed by 9",
            "  9 is followed by 0",
            "  0 is followed by 5",
            "  6 is followed by 9"
        ]
    );
}

#[test]
fn d4_a_look_creates_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (log, index) = (batches::plain(0, b"v"), "00000000000000000000.timeindex");
    let mut entry = 1_700_000_000_000_i64.to_be_bytes().to_vec();
    entry.extend([0; 4]);
    fs::write(directory.path().join(NAME), log).unwrap();
    fs::write(directory.path().join(index), entry).unwrap();
    for _ in 0..2 {
        let run = run::dump(directory.path(), &[index]);
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains("index-missing"), "{}", run.stderr);
        let missing = run::dump(directory.path(), &["00000000000000000000.index"]);
        assert_eq!(missing.code, Some(3), "{}", missing.stderr);
        assert_eq!(corpus::files(directory.path()).len(), 2);
    }
}

/// As a user who may only read, in a directory where nobody may write.
#[test]
fn d5_reading_is_enough_for_a_transaction_index() {
    let directory = tempfile::tempdir().unwrap();
    let root = corpus::directory();
    let source = corpus::files(&root)
        .into_iter()
        .find(|path| {
            path.extension().is_some_and(|ending| ending == "txnindex")
                && fs::metadata(path).unwrap().len() > 0
        })
        .unwrap();
    let (index, binary) = (
        directory.path().join("00000000000000000000.txnindex"),
        directory.path().join("kfsck"),
    );
    fs::copy(source, &index).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_kfsck"), &binary).unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&index, 0o444);
    mode(&binary, 0o555);
    mode(directory.path(), 0o555);
    let before = Fingerprint::of(&index);
    let mut command = Command::new(&binary);
    command.arg("dump-log").arg(&index);
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        // For the superuser a permission means nothing.
        command.uid(65_534);
    }
    let output = loop {
        // A test beside this one that starts a process has the copy open for writing in it, until
        // that process is another program.
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    let run = run::Run::from(output);
    mode(directory.path(), 0o755);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert!(run.text().contains("lastStableOffset: "));
    assert_eq!(before, Fingerprint::of(&index));
}

#[test]
fn d6_a_damaged_magic_is_told() {
    let mut log = log();
    let (at, _) = split(&log)[5];
    log[at + MAGIC_AT] = 7;
    let run = run::dump_bytes(NAME, &log, &["--deep-iteration"]);
    assert_eq!(run.code, Some(1));
    let [told] = run.damage()[..] else {
        panic!("{}", run.stderr)
    };
    assert!(
        told.starts_with(&format!("{at}: bad-batch-header: ")),
        "{told}"
    );
    assert!(told.contains("magic 0, 1 or 2, found 7"), "{told}");
    assert_eq!(shown(&run.text()).len(), 11);
}

#[test]
fn d7_a_payload_that_does_not_decompress_ends_its_own_batch_alone() {
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        let folder = format!("/codec-{codec}-0/");
        let (path, log) = corpus::segments()
            .into_iter()
            .find(|(path, log)| path.contains(&folder) && !log.is_empty())
            .unwrap();
        let batch = split(&log)[0].1;
        // No checksum covers the base offset.
        let mut log: Vec<u8> = [0, 1000, 2000]
            .iter()
            .flat_map(|offset: &i64| [&offset.to_be_bytes(), &batch[LENGTH_AT..]].concat())
            .collect();
        let (count, at, size) = (3, batch.len(), batch.len());
        let expected = run::dump_bytes(NAME, &log, &["--print-data-log"]);
        log[at + HEADER..at + size].fill(0xa5);
        let run = run::dump_bytes(NAME, &log, &["--print-data-log"]);
        let told = shown(&run.text());
        assert_eq!(told.len(), count, "{path}");
        let invalid: Vec<_> = told.iter().filter(|(_, valid)| !valid).collect();
        assert_eq!(invalid.len(), 1, "{path}");
        let codes: Vec<_> = run
            .damage()
            .iter()
            .map(|told| told.split(": ").nth(1))
            .collect();
        assert_eq!(
            codes,
            [Some("crc-mismatch"), Some("payload-undecodable")],
            "{path}"
        );
        // What follows the batch is shown as if nothing had been.
        let tail = |text: &str| {
            let from = text.find(&format!(" position: {} ", at + size)).unwrap();
            text[from..].to_owned()
        };
        assert_eq!(tail(&run.text()), tail(&expected.text()), "{path}");
    }
}

#[test]
fn d8_a_wrong_length_or_zeros_hide_nothing_behind_them() {
    let sound = log();
    let (at, size) = split(&sound)
        .get(5)
        .map(|(at, batch)| (*at, batch.len()))
        .unwrap();
    let mut damaged = Vec::new();
    for length in [5_i32, 0x7fff_fff0] {
        let mut log = sound.clone();
        log[at + LENGTH_AT..at + LENGTH_AT + 4].copy_from_slice(&length.to_be_bytes());
        damaged.push((log, size));
    }
    let mut zeroed = sound.clone();
    zeroed[at..at + size].fill(0);
    damaged.push((zeroed, size));
    let mut zeros_between = sound[..at].to_vec();
    zeros_between.resize(at + 4096, 0);
    zeros_between.extend_from_slice(&sound[at + size..]);
    damaged.push((zeros_between, 4096));
    for (log, size) in damaged {
        let (dump, run) = jsonl::dump_of(NAME, &log);
        let offsets: Vec<_> = dump
            .batches()
            .filter_map(|batch| batch.base_offset)
            .collect();
        let expected: Vec<_> = (0..12)
            .filter(|number| *number != 5)
            .map(|n| n * 100)
            .collect();
        assert_eq!(offsets, expected, "{}", run.stderr);
        let [damage] = dump.damage().collect::<Vec<_>>()[..] else {
            panic!("{}", run.stderr)
        };
        let place = (damage.position, damage.size_in_bytes);
        assert_eq!(place, (at.try_into().unwrap(), size.try_into().unwrap()));
        assert_eq!(run.code, Some(1));
    }
}

#[test]
fn d9_an_unknown_codec_ends_its_own_batch_alone() {
    let odd = Batch {
        attributes: 5,
        ..Batch::new(100)
    }
    .record(None, Some(b"v"))
    .encode();
    let log = [batches::plain(0, b"v"), odd, batches::plain(200, b"v")].concat();
    let run = run::dump_bytes(NAME, &log, &["--print-data-log"]);
    assert_eq!(shown(&run.text()), [(0, true), (100, true), (200, true)]);
    assert!(
        run.text().contains(" compresscodec: unknown(5) "),
        "{}",
        run.text()
    );
    let [told] = run.damage()[..] else {
        panic!("{}", run.stderr)
    };
    assert!(told.contains(": unknown-codec: "), "{told}");
    assert_eq!(run.text().matches("payload: v").count(), 2);
    assert_eq!(run.code, Some(1));
}

#[test]
fn d10_one_bad_file_does_not_hide_the_next() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("1.log"), batches::plain(1, b"first")).unwrap();
    fs::write(directory.path().join("2.log"), [0xee; 500]).unwrap();
    fs::write(directory.path().join("leader-epoch-checkpoint"), "x\n").unwrap();
    fs::write(directory.path().join("4.log"), batches::plain(4, b"last")).unwrap();
    let files = "1.log,2.log,3.log,leader-epoch-checkpoint,4.log";
    let run = run::dump(directory.path(), &["--print-data-log", "--files", files]);
    assert!(run.text().contains("payload: first") && run.text().contains("payload: last"));
    assert!(
        run.stderr.contains("2.log: position 0: garbage: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("checkpoint-corrupt"), "{}", run.stderr);
    assert!(run.stderr.contains("3.log"), "{}", run.stderr);
    assert_eq!(run.code, Some(3), "the worst counts");
}

/// All that the format stores of a producer, and a refusal is not silent. The comparison with the
/// log is for `inspect-snapshot`.
#[test]
fn d11_a_snapshot_is_shown_whole_and_a_bad_one_is_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/structures");
    let mut snapshot = fs::read(folder.join("txn-both-47.snapshot")).unwrap();
    let name = "00000000000000000047.snapshot";
    let (sound, run) = jsonl::dump_of(name, &snapshot);
    assert_eq!(run.code, Some(0));
    snapshot[2] ^= 1;
    let (dump, run) = jsonl::dump_of(name, &snapshot);
    let producers = |lines: &[Line]| -> Vec<_> {
        let is_producer = |line: &&Line| matches!(line, Line::Producer(_));
        lines.iter().filter(is_producer).cloned().collect()
    };
    assert!(!sound.lines.is_empty());
    assert_eq!(producers(&dump.lines), sound.lines);
    assert_eq!(dump.damage().next().unwrap().code, "snapshot-corrupt");
    assert_eq!(run.code, Some(1));
}

/// Each write to a datagram socket is one datagram: they can be counted.
#[test]
fn d12_output_comes_in_large_pieces() {
    let log: Vec<u8> = (0..400)
        .flat_map(|offset| batches::plain(offset, b"v"))
        .collect();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(NAME), log).unwrap();
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    let mut child = run::command(directory.path())
        .args(["dump-log", "--print-data-log", NAME])
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    ours.set_read_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let mut piece = vec![0; 1 << 20];
    let mut sizes = Vec::new();
    while let Ok(size) = ours.recv(&mut piece) {
        sizes.push(size);
        if size == 0 {
            break;
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(sizes.iter().sum::<usize>() > 100_000, "{sizes:?}");
    assert!(sizes.len() <= 5, "{} writes", sizes.len());
}

/// The checksum of a damaged batch is told as stored and as it should be.
#[test]
fn a_wrong_checksum_is_told_with_both_values() {
    let mut log = log();
    log[CRC_AT] ^= 0x80;
    let run = run::dump_bytes(NAME, &log, &[]);
    let [told] = run.damage()[..] else {
        panic!("{}", run.stderr)
    };
    let mut stored = [0; 4];
    (&log[CRC_AT..]).read_exact(&mut stored).unwrap();
    let stored = u32::from_be_bytes(stored);
    let computed = stored ^ 0x8000_0000;
    assert!(
        told.contains(&format!("stored crc {stored}, computed {computed} over ")),
        "{told}"
    );
}
