//! Leader epochs between a source and its mirror.

use crate::format::number::Offset;
use crate::simulate::run::{How, run};
use crate::simulate::scenario::read;
use crate::simulate::strategy;
use crate::state::rules;

/// The log ends of B behind each of two fetches, the first before its epoch is raised.
fn ends(strategy: &str) -> [Offset; 2] {
    let scenario = |fetches: &str| {
        let text = format!(
            r#"{{"name": "late",
            "clusters": [{{"name": "A", "id": "a"}}, {{"name": "B", "id": "b"}}],
            "writers": [{{"name": "a", "cluster": "A"}}],
            "steps": [
                {{"produce": {{"writer": "a"}}}},
                {{"elect": {{"cluster": "A", "replica": 0}}}},
                {{"produce": {{"writer": "a", "batches": 2}}}},
                {fetches}
            ]}}"#
        );
        let how = How {
            strategy: strategy::by_name(strategy).unwrap(),
            rules: rules::by_name("barrier").unwrap(),
            seed: 1,
            is_traced: false,
        };
        let run = run(&read(&text).unwrap(), how).unwrap();
        run.world.clusters()[1].partitions["orders-0"]
            .leader()
            .end()
    };
    let late = r#"{"mirror": {"from": "A", "to": "B", "chunk": 3, "lateFencing": true}}"#;
    let next = r#"{"mirror": {"from": "A", "to": "B"}}"#;
    [scenario(late), scenario(&format!("{late}, {next}"))]
}

#[test]
fn a_batch_above_the_replicas_epoch_is_skipped_with_the_rest_of_its_fetch() {
    assert_eq!(ends("barrier"), [Offset(1), Offset(3)]);
    // Rewritten batches bear the destination's own epoch.
    assert_eq!(ends("negate"), [Offset(3), Offset(3)]);
}
