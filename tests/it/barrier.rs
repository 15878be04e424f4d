//! The barrier of cluster mirroring (control type 7), from bytes labelled by hand.
//!
//! Offset 100, leader epoch 7; the ABORT of producer 5 in front of it at offset 99.

use crate::batches;
use crate::corpus::bytes_of;
use crate::jsonl::{Control, ControlType, Reason};
use crate::run;
use crate::told::tells;

/// Layout A, 98 bytes: version, source cluster id, no tags.
const SOURCED: &str = "
    0000000000000064 00000056 00000007 02 f22ff56c 0020 00000000
    0000019d0aa3cc00 0000019d0aa3cc00 ffffffffffffffff ffff ffffffff 00000001
    48 00 00 00 08 00000007 34 0000 17 414245694d305256 5a6e65496d617137 7a4e33755f77 00 00";
/// Layout B, 75 bytes: version, no tags.
const BARE: &str = "
    0000000000000064 0000003f 00000007 02 fd99d6dc 0020 00000000
    0000019d0aa3cc00 0000019d0aa3cc00 ffffffffffffffff ffff ffffffff 00000001
    1a 00 00 00 08 00000007 06 0000 00 00";
/// The end of the transaction that was open, 78 bytes.
const ABORT: &str = "
    0000000000000063 00000042 00000007 02 c5efdfdc 0030 00000000
    0000019d0aa3cc00 0000019d0aa3cc00 0000000000000005 0000 ffffffff 00000001
    20 00 00 00 08 00000000 0c 000000000000 00";

const NAME: &str = "00000000000000000099.log";

fn text_of(log: &[u8]) -> Vec<String> {
    let run = run::dump_bytes(NAME, log, &["--print-data-log"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = run.text();
    text.lines().skip(2).map(str::to_owned).collect()
}

#[test]
fn the_three_vectors_in_the_stock_text() {
    let (abort, sourced, bare) = (bytes_of(ABORT), bytes_of(SOURCED), bytes_of(BARE));
    assert_eq!((abort.len(), sourced.len(), bare.len()), (78, 98, 75));
    let header = |offset: i64, end: &str| {
        format!(
            "baseOffset: {offset} lastOffset: {offset} count: 1 baseSequence: -1 lastSequence: -1 \
             {end} compresscodec: none"
        )
    };
    let record = |offset: i64, size: usize, end: &str| {
        format!(
            "| offset: {offset} CreateTime: 1774000000000 keySize: 4 valueSize: {size} \
             sequence: -1 headerKeys: []{end}"
        )
    };
    let abort_header = header(
        99,
        "producerId: 5 producerEpoch: 0 partitionLeaderEpoch: 7 isTransactional: true \
         isControl: true deleteHorizonMs: OptionalLong.empty position: 0 \
         CreateTime: 1774000000000 size: 78 magic: 2",
    );
    let barrier_header = |size: usize| {
        header(
            100,
            &format!(
                "producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 7 isTransactional: false \
                 isControl: true deleteHorizonMs: OptionalLong.empty position: 78 \
                 CreateTime: 1774000000000 size: {size} magic: 2"
            ),
        )
    };
    let marker = record(99, 6, " endTxnMarker: ABORT coordinatorEpoch: 0");
    assert_eq!(
        text_of(&[&abort[..], &sourced].concat()),
        [
            format!("{abort_header} crc: 3320831964 isvalid: true"),
            marker.clone(),
            format!("{} crc: 4063229292 isvalid: true", barrier_header(98)),
            record(
                100,
                26,
                " MirrorPidReset {\"version\":0,\"sourceClusterId\":\"ABEiM0RVZneImaq7zN3u_w\"}"
            ),
        ]
    );
    assert_eq!(
        text_of(&[&abort[..], &bare].concat()),
        [
            format!("{abort_header} crc: 3320831964 isvalid: true"),
            marker,
            format!("{} crc: 4254717660 isvalid: true", barrier_header(75)),
            record(100, 3, " MirrorPidReset {\"version\":0}"),
        ]
    );
}

#[test]
fn the_three_vectors_as_json() {
    let log = [bytes_of(ABORT), bytes_of(SOURCED), bytes_of(BARE)].concat();
    // The two layouts stand for one barrier: both have its offset.
    let dump = tells(
        NAME,
        &log,
        &[
            "0+78 batch 99..99",
            "78+98 batch 100..100",
            "176+75 batch 100..100",
            "176+0 offset-regression",
        ],
        Reason::EndOfFile,
    );
    let control = |offset, control_type, control_type_id| Control {
        offset,
        timestamp: 1_774_000_000_000,
        control_type,
        control_type_id: Some(control_type_id),
        version: Some(0),
        coordinator_epoch: None,
        source_cluster_id: None,
        data: None,
        data_base64: None,
    };
    let expected = [
        Control {
            coordinator_epoch: Some(Some(0)),
            ..control(99, ControlType::Abort, 0)
        },
        Control {
            source_cluster_id: Some(Some("ABEiM0RVZneImaq7zN3u_w".to_owned())),
            ..control(100, ControlType::MirrorPidReset, 7)
        },
        Control {
            source_cluster_id: Some(None),
            ..control(100, ControlType::MirrorPidReset, 7)
        },
    ];
    assert_eq!(dump.controls().cloned().collect::<Vec<_>>(), expected);
}

/// Several in a row are legal: the writer repeats a barrier when an answer is lost.
#[test]
fn barriers_in_a_row_are_no_damage() {
    let value = [0, 0, 0];
    let key = [0, 0, 0, 7];
    let log: Vec<u8> = (0..3)
        .flat_map(|offset| batches::control(offset, Some(&key), Some(&value)))
        .collect();
    tells(
        NAME,
        &log,
        &["0+75 batch 0..0", "75+75 batch 1..1", "150+75 batch 2..2"],
        Reason::EndOfFile,
    );
}

#[test]
fn control_records_that_say_nothing_are_kept_and_told() {
    let marker = Some(&[0, 0, 0, 0, 0, 1][..]);
    for (key, value, code) in [
        (None, marker, "marker-malformed"),
        (Some(&[0, 0][..]), marker, "marker-malformed"),
        (Some(&[0, 0, 0, 1]), None, "marker-malformed"),
        (Some(&[0, 0, 0, 0]), Some(&[0][..]), "marker-malformed"),
        (Some(&[0, 0, 0, 2]), None, "marker-malformed"),
        (Some(&[0, 0, 0, 7]), None, "barrier-malformed"),
        (Some(&[0, 0, 0, 7]), Some(&[0, 0, 9]), "barrier-malformed"),
    ] {
        let batch = batches::control(0, key, value);
        let size = batch.len();
        let log = [batch, batches::plain(1, b"v")].concat();
        let place = format!("0+{size} batch 0..0");
        let fault = format!("0+0 {code}");
        let next = format!("{size}+{} batch 1..1", log.len() - size);
        let dump = tells(NAME, &log, &[&place, &fault, &next], Reason::EndOfFile);
        assert_eq!(dump.controls().count(), 1);
    }
}

/// The text shows the version of the value, and so does JSON, whatever the key's is.
#[test]
fn both_formats_tell_the_version_of_the_value() {
    let log = batches::control(0, Some(&[0, 1, 0, 7]), Some(&[0, 5, 0]));
    let run = run::dump_bytes(NAME, &log, &["--print-data-log"]);
    let text = run.text();
    assert!(
        text.ends_with(" MirrorPidReset {\"version\":5}\n"),
        "{text}"
    );
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    let versions: Vec<_> = dump.controls().map(|control| control.version).collect();
    assert_eq!(versions, [Some(5)]);
}
