//! Files made of ranges, changed batches and new bytes: what every verb writes with.

use std::sync::Arc;

use kfsck::format::batch::{Header, computed_crc};
use kfsck::format::batch_in_place::BatchInPlace;
use kfsck::format::malformed::Malformed;
use kfsck::format::number::ProducerId;
use kfsck::repair::apply::disk::SystemDisk;
use kfsck::repair::apply::output;
use kfsck::repair::content::{BatchEdit, Content, Piece, Range};
use kfsck::repair::error::ApplyError;
use kfsck::repair::plan::{FilePlan, Kept, Plan, Verb};
use kfsck::storage::source::Access;

use super::{Copied, contents};
use crate::batches::split;

#[derive(Debug)]
struct NewProducer(ProducerId);

impl BatchEdit for NewProducer {
    fn edit(&self, batch: &mut Vec<u8>) -> Result<(), Malformed> {
        let header = Header::at_front_of(batch).expect("a whole batch");
        let (epoch, sequence) = (header.producer_epoch(), header.base_sequence());
        BatchInPlace::open(batch)?.set_producer(self.0, epoch, sequence);
        Ok(())
    }
}

const LOG: &str = "00000000000000000000.log";

/// The first batch as it is, the others with another producer, then bytes of nobody.
fn plan(copied: &Copied, first: u64, all: u64) -> Plan {
    let range = |position, length| Range {
        file: LOG.to_owned(),
        position,
        length,
    };
    let edit = Arc::new(NewProducer(ProducerId(1 << 62)));
    let pieces = vec![
        Piece::Range(range(0, first)),
        Piece::Edited(range(first, all - first), edit),
        Piece::Bytes(b"behind".to_vec()),
    ];
    Plan {
        verb: Verb::Pids,
        topic_partition: "idem-0".to_owned(),
        directory: copied.path.clone(),
        steps: Vec::new(),
        files: vec![
            FilePlan::new(LOG, Content::Pieces(pieces)),
            FilePlan::new("partition.metadata", Content::Unchanged),
            FilePlan::new("leader-epoch-checkpoint", Content::Removed),
        ],
        kept: Kept::default(),
        lost: Vec::new(),
        replicas: None,
        alternatives: Vec::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn each_piece_is_written_as_it_says() {
    let copied = Copied::new("main/idem-0");
    let before = contents(&copied.path);
    let log = &before[LOG];
    let batches = split(log);
    let (first, all) = (batches[0].1.len(), log.len());
    assert!(batches.len() > 2);
    for access in [Access::Map, Access::Plain] {
        let place = tempfile::tempdir().unwrap();
        let plan = plan(&copied, first as u64, all as u64);
        let result = output::write(&mut SystemDisk, &plan, place.path(), access)
            .unwrap()
            .path;
        let after = contents(&result);
        let names: Vec<_> = after.keys().map(String::as_str).collect();
        assert_eq!(names, [LOG, "partition.metadata"]);
        assert_eq!(after["partition.metadata"], before["partition.metadata"]);
        let written = after[LOG].strip_suffix(b"behind").unwrap();
        for ((at, new), (_, old)) in split(written).into_iter().zip(batches.clone()) {
            let (header, was) = (Header::at_front_of(new), Header::at_front_of(old));
            let (header, was) = (header.unwrap(), was.unwrap());
            assert_eq!(header.stored_crc(), computed_crc(new));
            let id = if at == 0 {
                was.producer_id()
            } else {
                ProducerId(1 << 62)
            };
            assert_eq!(header.producer_id(), id);
            assert_eq!(new[61..], old[61..]);
        }
    }
}

#[test]
fn a_range_that_is_not_whole_batches_writes_no_result() {
    let copied = Copied::new("main/idem-0");
    let all = contents(&copied.path)[LOG].len() as u64;
    let place = tempfile::tempdir().unwrap();
    for (first, all) in [(1, all), (0, all - 1), (0, all + 1)] {
        let plan = plan(&copied, first, all);
        let place = place.path().join(format!("{first}-{all}"));
        let written = output::write(&mut SystemDisk, &plan, &place, Access::Map);
        assert!(
            matches!(written, Err(ApplyError::System { .. })),
            "{written:?}"
        );
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
    }
}
