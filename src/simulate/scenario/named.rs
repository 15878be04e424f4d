//! What a step is called and which names it uses.

use super::Step;

/// What steps are called, in the order of the documents.
pub(super) const KINDS: [&str; 20] = [
    "produce",
    "retry",
    "begin",
    "commit",
    "abort",
    "bumpEpoch",
    "mirror",
    "stop",
    "failOver",
    "failBack",
    "reassign",
    "pause",
    "resume",
    "restart",
    "elect",
    "lag",
    "fetch",
    "roll",
    "wait",
    "expect",
];

/// The names that a step uses, to be looked up in its scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named<'a> {
    /// A writer.
    pub writer: Option<&'a str>,
    /// Clusters, each with its field.
    pub clusters: Vec<(&'static str, &'a str)>,
    /// A partition.
    pub partition: Option<&'a str>,
    /// A broker of each cluster.
    pub replica: Option<usize>,
}

impl Step {
    /// Its name in a file.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Produce(_) => "produce",
            Self::Retry(_) => "retry",
            Self::Begin(_) => "begin",
            Self::Commit(_) => "commit",
            Self::Abort(_) => "abort",
            Self::BumpEpoch(_) => "bumpEpoch",
            Self::Mirror(_) => "mirror",
            Self::Stop(_) => "stop",
            Self::FailOver(_) => "failOver",
            Self::FailBack(_) => "failBack",
            Self::Reassign(_) => "reassign",
            Self::Pause(_) => "pause",
            Self::Resume(_) => "resume",
            Self::Restart(_) => "restart",
            Self::Elect(_) => "elect",
            Self::Lag(_) => "lag",
            Self::Fetch(_) => "fetch",
            Self::Roll(_) => "roll",
            Self::Wait(_) => "wait",
            Self::Expect(_) => "expect",
        }
    }

    /// The names that it uses.
    #[must_use]
    pub fn named(&self) -> Named<'_> {
        let mut named = Named::default();
        match self {
            Self::Produce(step) => {
                named.writer = Some(&step.writer);
                named.clusters = cluster(step.cluster.as_deref());
                named.partition = Some(&step.topic_partition);
            }
            Self::Retry(step) => {
                named.writer = Some(&step.writer);
                named.clusters = cluster(step.cluster.as_deref());
                named.partition = Some(&step.topic_partition);
            }
            Self::Begin(step) | Self::Commit(step) | Self::Abort(step) | Self::BumpEpoch(step) => {
                named.writer = Some(&step.writer);
            }
            Self::Mirror(step) => {
                named.clusters = vec![("from", &step.from), ("to", &step.to)];
                named.partition = Some(&step.topic_partition);
            }
            Self::FailBack(step) | Self::Reassign(step) => {
                named.clusters = vec![("from", &step.from), ("to", &step.to)];
                named.partition = Some(&step.topic_partition);
            }
            Self::Stop(step) | Self::FailOver(step) => {
                named.clusters = cluster(Some(&step.cluster));
                named.partition = step.topic_partition.as_deref();
            }
            Self::Pause(step) | Self::Resume(step) | Self::Roll(step) => {
                named.clusters = cluster(Some(&step.cluster));
            }
            Self::Restart(step) => {
                named.clusters = cluster(Some(&step.cluster));
                named.replica = Some(step.replica);
            }
            Self::Elect(step) | Self::Lag(step) => {
                named.clusters = cluster(Some(&step.cluster));
                named.partition = step.topic_partition.as_deref();
                named.replica = Some(step.replica);
            }
            Self::Fetch(step) => {
                named.clusters = cluster(Some(&step.cluster));
                named.partition = Some(&step.topic_partition);
                named.replica = Some(step.replica);
            }
            Self::Wait(_) => {}
            Self::Expect(step) => {
                named.clusters = cluster(Some(&step.cluster));
                named.partition = Some(&step.topic_partition);
            }
        }
        named
    }
}

fn cluster(name: Option<&str>) -> Vec<(&'static str, &str)> {
    name.map(|name| ("cluster", name)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Step};

    #[test]
    fn every_kind_of_step_is_listed() {
        let problem = |kind: &str| {
            let step: Result<Step, _> = serde_json::from_str(&format!("{{\"{kind}\": 0}}"));
            step.unwrap_err().to_string()
        };
        let unknown = problem("?");
        for kind in KINDS {
            assert!(!problem(kind).contains("unknown variant"), "{kind}");
            assert!(unknown.contains(&format!("`{kind}`")), "{kind}: {unknown}");
        }
        assert_eq!(
            unknown.matches("`").count(),
            2 * (KINDS.len() + 1),
            "{unknown}"
        );
    }
}
