//! One partition of the corpus in a log directory of its own, to be changed and checked.

use std::fs;
use std::path::PathBuf;

use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::log_findings::Severity;
use kfsck::storage::source::Access;

use super::check;
use crate::program::{copy_tree, testdata};

/// A finding as tests compare it: severity, code, file, position, offset.
pub(super) type Told = (Severity, &'static str, String, Option<u64>, Option<i64>);

/// A log directory with one partition.
pub(super) struct Scene {
    root: tempfile::TempDir,
    partition: &'static str,
}

impl Scene {
    /// The partition after a clean stop, with its lines of the checkpoints.
    pub(super) fn of(partition: &'static str) -> Self {
        let scene = Self {
            root: tempfile::tempdir().unwrap(),
            partition,
        };
        copy_tree(&testdata(&format!("main/{partition}")), &scene.path(""));
        for name in ["meta.properties", ".kafka_cleanshutdown"] {
            let bytes = fs::read(testdata(&format!("main/{name}"))).unwrap();
            scene.write_beside(name, &bytes);
        }
        for name in [
            "cleaner-offset-checkpoint",
            "log-start-offset-checkpoint",
            "recovery-point-offset-checkpoint",
            "replication-offset-checkpoint",
        ] {
            let text = fs::read_to_string(testdata(&format!("main/{name}"))).unwrap();
            let (topic, number) = partition.rsplit_once('-').unwrap();
            let own = format!("{topic} {number} ");
            let lines: Vec<_> = text.lines().filter(|line| line.starts_with(&own)).collect();
            let text = format!("0\n{}\n{}\n", lines.len(), lines.join("\n"));
            scene.write_beside(name, text.trim_end_matches('\n').as_bytes());
        }
        assert_eq!(scene.told(), [], "{partition} before anything is changed");
        scene
    }

    /// A file of the partition.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(self.partition).join(name)
    }

    /// A file of the log directory.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(super) fn write_beside(&self, name: &str, bytes: &[u8]) {
        fs::write(self.beside(name), bytes).unwrap();
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub(super) fn edit(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.read(name);
        change(&mut bytes);
        self.write(name, &bytes);
    }

    /// The last stop was not a clean one.
    pub(super) fn kill(&self) {
        fs::remove_file(self.beside(".kafka_cleanshutdown")).unwrap();
    }

    /// The partition alone, as somebody sent it.
    pub(super) fn take_away(&self) {
        for entry in fs::read_dir(self.root.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// All findings; of a log directory and of the partition alone the same of its files.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mapped = check(self.root.path(), Access::Map);
        assert_eq!(check(self.root.path(), Access::Plain), mapped);
        for finding in &mapped {
            assert!(!finding.message.ends_with('.'), "{}", finding.message);
        }
        mapped
    }

    /// The findings of this code, which there must be one of.
    pub(super) fn only(&self, code: &str) -> Finding {
        let mut findings = self.findings();
        findings.retain(|finding| finding.code.as_str() == code);
        assert_eq!(findings.len(), 1, "{findings:#?}");
        findings.remove(0)
    }

    /// Errors and warnings.
    pub(super) fn told(&self) -> Vec<Told> {
        self.all_told()
            .into_iter()
            .filter(|told| told.0 > Severity::Note)
            .collect()
    }

    /// Errors, warnings and notes.
    pub(super) fn all_told(&self) -> Vec<Told> {
        let findings = self.findings().into_iter();
        findings
            .map(|finding| {
                let name = finding.path.strip_prefix(self.root.path()).unwrap();
                let name = name.strip_prefix(self.partition).unwrap_or(name);
                (
                    finding.severity,
                    finding.code.as_str(),
                    name.to_str().unwrap().to_owned(),
                    finding.position,
                    finding.offset.map(|offset| offset.0),
                )
            })
            .collect()
    }
}

/// A finding that is expected.
pub(super) fn told(
    severity: Severity,
    code: &'static str,
    name: &str,
    position: impl Into<Option<u64>>,
    offset: impl Into<Option<i64>>,
) -> Told {
    (
        severity,
        code,
        name.to_owned(),
        position.into(),
        offset.into(),
    )
}
