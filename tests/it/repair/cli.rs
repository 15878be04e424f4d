//! `kfsck repair` as a command.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::{Copied, contents};
use crate::contract::make_fifo;
use crate::program::{Outcome, Run, copy_tree, set_mode, testdata};

const LOG: [&str; 4] = ["repair", "log", "--salvage", "--now=2026-12-01"];

fn repair(args: &[&str], paths: &[&Path]) -> Outcome {
    paths.iter().fold(Run::new(args), Run::arg).outcome()
}

fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    let name = copied.logs()[1].file_name().unwrap().to_owned();
    copied.change(name.to_str().unwrap(), |bytes| bytes[100] ^= 1);
    copied
}

fn log_directory(copied: &Copied) -> PathBuf {
    copied.path.parent().unwrap().to_owned()
}

#[test]
fn where_and_how_must_be_said() {
    // Whoever opens a FIFO without a writer waits for ever.
    let place = tempfile::tempdir().unwrap();
    let fifo = make_fifo(place.path(), "orders-0");
    let wrong: [&[&str]; 7] = [
        &["repair"],
        &["repair", "log"],
        &["repair", "log", "--dry-run"],
        &["repair", "log", "--salvage"],
        &["repair", "log", "--salvage", "--truncate", "--dry-run"],
        &["repair", "index"],
        &["repair", "index", "--in-place", "--output", "there"],
    ];
    for args in wrong {
        let outcome = repair(args, &[&fifo]).ended_with(2);
        assert_eq!(outcome.text(), "");
        assert!(outcome.stderr.contains("Usage"), "{}", outcome.stderr);
    }
    repair(&["repair", "index", "--dry-run"], &[]).ended_with(2);
}

#[test]
fn what_is_no_directory_of_partitions_ends_with_3_and_hides_no_other() {
    let copied = damaged();
    let place = tempfile::tempdir().unwrap();
    let fifo = make_fifo(place.path(), "orders-0");
    let missing = place.path().join("missing-0");
    let file = copied.logs()[0].clone();
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    for path in [&fifo, &missing, &file] {
        let outcome = repair(&dry, &[path, &copied.path]).ended_with(3);
        assert!(outcome.text().contains("lost:"), "{}", outcome.text());
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
    }
}

#[test]
fn a_plan_is_shown_then_carried_out_then_empty() {
    let copied = damaged();
    let before = contents(&copied.path);
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    let shown = repair(&dry, &[&copied.path]).ended_with(1);
    assert!(contents(&copied.path) == before);
    let lines: Vec<_> = shown.text().lines().collect();
    assert!(
        lines[1].starts_with("better:    if another replica"),
        "{lines:?}"
    );
    let place = tempfile::tempdir().unwrap();
    let output = place.path().join("new/place");
    let written = Run::new(LOG).arg("--output").arg(&output).arg(&copied.path);
    let written = written.outcome().ended_with(0);
    assert!(written.text().starts_with(shown.text()), "the same plan");
    assert!(contents(&copied.path) == before);
    let result = output.join("txn-both-0");
    repair(&dry, &[&result]).ended_with(0);
    // The place is taken now.
    let again = Run::new(LOG).arg("--output").arg(&output).arg(&copied.path);
    let again = again.outcome().ended_with(3);
    assert!(
        again
            .stderr
            .contains("expected nothing or an empty directory")
    );
    assert!(again.stderr.contains("choose another --output, or remove"));
    // Nor does a file hold directories.
    fs::write(place.path().join("file"), "").unwrap();
    let inside = place.path().join("file/out");
    let unmade = Run::new(LOG).arg("--output").arg(&inside).arg(&copied.path);
    let unmade = unmade.outcome().ended_with(3);
    assert!(
        unmade.stderr.contains("; choose another --output"),
        "{}",
        unmade.stderr
    );
    let in_place = [LOG.as_slice(), &["--in-place"]].concat();
    repair(&in_place, &[&copied.path]).ended_with(0);
    assert_eq!(contents(&copied.path), contents(&result));
    let nothing = repair(&in_place, &[&copied.path]).ended_with(0);
    assert!(nothing.text().contains("nothing to do"));
}

#[test]
fn what_is_no_journal_is_told_with_what_to_do() {
    let copied = damaged();
    let work = log_directory(&copied).with_file_name("logs.kfsck-repair-txn-both-0");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("journal.json"), "{\"schema\":1,").unwrap();
    let in_place = [LOG.as_slice(), &["--in-place"]].concat();
    let told = repair(&in_place, &[&copied.path]).ended_with(3).stderr;
    for part in [
        "not a journal of a repair",
        "move the journal's directory away",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn a_log_that_begins_inside_its_first_segment_needs_its_line_wherever_it_goes() {
    let copied = Copied::new("main/trimmed.kept-0");
    copied.change("00000000000000000050.log", |bytes| bytes[100] ^= 1);
    let place = tempfile::tempdir().unwrap();
    let written = |output: &str| {
        let output = place.path().join(output);
        let run = Run::new(LOG).arg("--output").arg(&output).arg(&copied.path);
        let text = run
            .outcome()
            .text()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        (output, text)
    };
    let (_, text) = written("without");
    assert!(!text.contains("log-start-offset-checkpoint"), "{text}");
    let checkpoint = "log-start-offset-checkpoint";
    fs::copy(
        testdata("main").join(checkpoint),
        log_directory(&copied).join(checkpoint),
    )
    .unwrap();
    let (output, text) = written("with");
    assert!(
        text.contains("with the line \"trimmed.kept 0 26\""),
        "{text}"
    );
    // So it is: without the line there is more to do, with it there is nothing.
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    let result = output.join("trimmed.kept-0");
    repair(&dry, &[&result]).ended_with(1);
    fs::write(output.join(checkpoint), "0\n1\ntrimmed.kept 0 26\n").unwrap();
    repair(&dry, &[&result]).ended_with(0);
}

#[test]
fn a_log_directory_with_a_broker_on_it_is_left_alone() {
    let copied = damaged();
    let before = contents(&copied.path);
    let lock = log_directory(&copied).join(".lock");
    let place = tempfile::tempdir().unwrap();
    let file = File::create(&lock).unwrap();
    let output = place.path().to_str().unwrap();
    let targets: [&[&str]; 2] = [&["--in-place"], &["--output", output]];
    // As `FileChannel.tryLock` takes it.
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for target in targets {
        let outcome = repair(&[&LOG, target].concat(), &[&copied.path]).ended_with(3);
        assert!(outcome.stderr.contains(".lock"), "{}", outcome.stderr);
        assert!(contents(&copied.path) == before);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    // A plan may be asked for, and says what stands in the way.
    let dry = repair(&[&LOG, ["--dry-run"].as_slice()].concat(), &[&copied.path]).ended_with(1);
    assert!(dry.stderr.contains("holds this lock"), "{}", dry.stderr);
    // Closing gives it back; the file stays, as a broker leaves it.
    drop(file);
    repair(&[&LOG, targets[0]].concat(), &[&copied.path]).ended_with(0);
}

#[test]
fn the_last_line_counts_the_partitions_of_a_log_directory() {
    let copied = damaged();
    let logs = log_directory(&copied);
    let sound = logs.join("plain-0");
    copy_tree(&testdata("main/plain-0"), &sound);
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    let outcome = repair(&dry, &[&logs]).ended_with(1);
    let line = "\n2 partitions: 1 with something to do, 1 with nothing to do\n";
    assert!(outcome.text().ends_with(line), "{}", outcome.text());
    let alone = repair(&dry, &[&sound]).ended_with(0);
    assert!(!alone.text().contains("partitions: "), "{}", alone.text());
}

#[test]
fn no_result_lies_where_a_broker_would_find_it() {
    let copied = damaged();
    let logs = log_directory(&copied);
    fs::write(logs.join("meta.properties"), "version=1\n").unwrap();
    for output in [
        logs.clone(),
        logs.join("repaired"),
        copied.path.join("repaired"),
    ] {
        let run = Run::new(LOG).arg("--output").arg(&output).arg(&copied.path);
        let outcome = run.outcome().ended_with(3);
        assert!(
            outcome.stderr.contains("in a log directory"),
            "{}",
            outcome.stderr
        );
    }
    assert_eq!(fs::read_dir(&logs).unwrap().count(), 2);
    // Nor in another broker's, or in another partition.
    let other = damaged();
    for (from, output) in [
        (&other, logs.join("new/deep")),
        (&other, other.path.join("new")),
        (&copied, other.path.join("new")),
    ] {
        let run = Run::new(LOG).arg("--output").arg(&output).arg(&from.path);
        let outcome = run.outcome().ended_with(3);
        let told = "in a partition";
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
        assert!(!output.exists(), "{}", output.display());
    }
}

/// A directory does not take the place of a link, so none is written to do so.
#[test]
fn a_link_keeps_the_place_of_a_result_as_a_file_does() {
    let copied = damaged();
    let place = tempfile::tempdir().unwrap();
    let (empty, output) = (place.path().join("empty"), place.path().join("out"));
    fs::create_dir(&empty).unwrap();
    fs::create_dir(&output).unwrap();
    std::os::unix::fs::symlink(&empty, output.join("txn-both-0")).unwrap();
    let run = Run::new(LOG).arg("--output").arg(&output).arg(&copied.path);
    let outcome = run.outcome().ended_with(3);
    let told = "txn-both-0: expected nothing or an empty directory, found a symbolic link";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    assert_eq!(fs::read_dir(&output).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
}

/// Of a log that starts in front of its first segment the rest is in remote storage.
#[test]
fn a_tiered_log_is_cut_by_force_alone() {
    let copied = damaged();
    fs::remove_file(&copied.logs()[0]).unwrap();
    let checkpoint = log_directory(&copied).join("log-start-offset-checkpoint");
    fs::write(checkpoint, "0\n1\ntxn-both 0 0\n").unwrap();
    let cut = ["repair", "log", "--truncate", "--dry-run"];
    let outcome = repair(&cut, &[&copied.path]).ended_with(3);
    let told = "remote storage";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    let forced = [cut.as_slice(), &["--force"]].concat();
    repair(&forced, &[&copied.path]).ended_with(1);
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    repair(&dry, &[&copied.path]).ended_with(1);
}

#[test]
fn in_a_log_directory_what_is_not_repaired_is_passed_over() {
    let copied = damaged();
    let logs = log_directory(&copied);
    for other in ["__cluster_metadata-0", "gone-0.0123456789abcdef-delete"] {
        fs::create_dir(logs.join(other)).unwrap();
    }
    let dry = [LOG.as_slice(), &["--dry-run"]].concat();
    let outcome = repair(&dry, &[&logs]).ended_with(1);
    assert!(outcome.stderr.contains("note"), "{}", outcome.stderr);
    repair(&dry, &[&logs.join("__cluster_metadata-0")]).ended_with(3);
}

#[test]
#[cfg(unix)]
fn mode_and_times_come_along() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let copied = damaged();
    let logs = copied.logs();
    fs::set_permissions(&logs[1], fs::Permissions::from_mode(0o640)).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    let file = File::options().write(true).open(&logs[1]).unwrap();
    file.set_modified(time).unwrap();
    repair(&[&LOG, ["--in-place"].as_slice()].concat(), &[&copied.path]).ended_with(0);
    let metadata = fs::metadata(&logs[1]).unwrap();
    assert_eq!(metadata.modified().unwrap(), time);
    assert_eq!(metadata.mode() & 0o777, 0o640);
}

/// Where the log begins decides whether a broker deletes all of it: without that nothing is
/// written.
#[test]
fn a_checkpoint_that_cannot_be_read_is_told_and_nothing_is_written() {
    let place = tempfile::tempdir().unwrap();
    set_mode(place.path(), 0o777);
    let logs = place.path().join("logs");
    copy_tree(&testdata("main/txn-both-0"), &logs.join("txn-both-0"));
    set_mode(&logs, 0o777);
    set_mode(&logs.join("txn-both-0"), 0o777);
    let partition = logs.join("txn-both-0");
    fs::write(partition.join("00000000000000000048.log"), [0; 100]).unwrap();
    let checkpoint = logs.join("log-start-offset-checkpoint");
    fs::write(&checkpoint, "0\n0\n").unwrap();
    set_mode(&checkpoint, 0);
    let before = contents(&partition);
    let output = place.path().join("out");
    let output = output.to_str().unwrap();
    let asked: [&[&str]; 3] = [&["--dry-run"], &["--in-place"], &["--output", output]];
    for how in asked {
        let run = Run::new([&LOG, how].concat())
            .unprivileged()
            .arg(&partition);
        let outcome = run.outcome().ended_with(3);
        let name = "log-start-offset-checkpoint: Permission denied";
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
        let is_dry = how == ["--dry-run"];
        assert_eq!(
            outcome.text().contains("step: "),
            is_dry,
            "{}",
            outcome.text()
        );
        assert!(contents(&partition) == before && !Path::new(output).exists());
    }
    for command in ["check", "producers", "txns", "dump-log"] {
        let path = if command == "dump-log" {
            &logs
        } else {
            &partition
        };
        let outcome = Run::new([command])
            .unprivileged()
            .arg(path)
            .outcome()
            .ended_with(3);
        let name = "log-start-offset-checkpoint: Permission denied";
        assert!(
            outcome.stderr.contains(name),
            "{command}: {}",
            outcome.stderr
        );
    }
    let compare = Run::new(["compare"])
        .arg(&partition)
        .arg(&partition)
        .unprivileged();
    compare.outcome().ended_with(3);
}
