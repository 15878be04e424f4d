//! Which log directories are of one broker: what ends it ends it for all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::format::uuid::Uuid;
use crate::storage::small_file::owner;
use crate::storage::source::Access;

/// The broker that a log directory says it is of: cluster and node.
type Broker = (String, i32);

/// The brokers of some log directories, as far as their `meta.properties` tell.
#[derive(Debug, Default)]
pub struct Brokers {
    of: BTreeMap<PathBuf, Broker>,
}

impl Brokers {
    /// Reads whose each log directory is. Of a broker two of whose directories bear one
    /// `directory.id` nothing is said: one of them is a copy, and no broker has both.
    #[must_use]
    pub fn read<'p>(directories: impl Iterator<Item = &'p Path>, access: Access) -> Self {
        let mut of = BTreeMap::new();
        let mut seen: BTreeMap<(Broker, Option<Uuid>), PathBuf> = BTreeMap::new();
        let mut copied = Vec::new();
        for directory in directories {
            let Some(owner) = owner(directory, access) else {
                continue;
            };
            let (Some(cluster), Some(node)) = (owner.cluster_id, owner.node_id) else {
                continue;
            };
            let broker = (cluster, node);
            let whole = directory.canonicalize();
            let whole = whole.unwrap_or_else(|_| directory.to_owned());
            let before = seen.insert((broker.clone(), owner.directory_id), whole.clone());
            let is_copied = |before: PathBuf| before != whole && owner.directory_id.is_some();
            if before.is_some_and(is_copied) {
                copied.push(broker.clone());
            }
            of.insert(directory.to_owned(), broker);
        }
        of.retain(|_, broker| !copied.contains(broker));
        Self { of }
    }

    /// Whether two log directories are of one broker.
    #[must_use]
    pub fn are_one(&self, one: &Path, other: &Path) -> bool {
        let broker = |path: &Path| self.of.get(named(path));
        one == other || broker(one).is_some() && broker(one) == broker(other)
    }
}

/// A path without a name stands for the directory at hand.
fn named(path: &Path) -> &Path {
    match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directories_of_one_node_of_one_cluster_belong_together_unless_one_is_a_copy() {
        let place = tempfile::tempdir().unwrap();
        let directory = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("meta.properties"), text).unwrap();
            path
        };
        let first = "directory.id=JfzeNnAKSOKVCnBaN4tMXg\n";
        let second = "directory.id=KfzeNnAKSOKVCnBaN4tMXg\n";
        let of = |node: i32, cluster: &str, id: &str| {
            format!("version=1\ncluster.id={cluster}\nnode.id={node}\n{id}")
        };
        let one = directory("one", &of(1, "c", first));
        let two = directory("two", &of(1, "c", second));
        let node = directory("node", &of(2, "c", ""));
        let cluster = directory("cluster", &of(1, "d", ""));
        let bare = directory("bare", "");
        let all = [&one, &two, &node, &cluster, &bare];
        let paths = || all.iter().map(|path| path.as_path());
        let brokers = Brokers::read(paths(), Access::Map);
        assert!(brokers.are_one(&one, &two) && brokers.are_one(&bare, &bare));
        for other in [&node, &cluster, &bare] {
            assert!(!brokers.are_one(&one, other), "{}", other.display());
        }
        let copy = directory("copy", &of(1, "c", first));
        let brokers = Brokers::read(paths().chain([copy.as_path()]), Access::Map);
        assert!(!brokers.are_one(&one, &two) && !brokers.are_one(&one, &copy));
        assert!(brokers.are_one(&one, &one));
    }
}
