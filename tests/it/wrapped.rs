//! Messages of magic 1 inside a compressed wrapper, one of them with a wrong checksum.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

use crate::jsonl;
use crate::run;

const NAME: &str = "00000000003601078496.log";
/// Behind offset, size, crc, magic, attributes, timestamp, null key and the value's size.
const VALUE: usize = 34;

/// The first wrapper of a file of Kafka's own, its messages changed by `change`.
fn rewrapped(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kafka/legacy/magic1-gzip-0");
    let log = fs::read(path.join(NAME)).unwrap();
    assert_eq!((log[16], log[17] & 7), (1, 1), "magic 1, gzip");
    let size = u32::from_be_bytes(log[8..12].try_into().unwrap()) as usize;
    let mut messages = Vec::new();
    GzDecoder::new(&log[VALUE..12 + size])
        .read_to_end(&mut messages)
        .unwrap();
    change(&mut messages);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&messages).unwrap();
    let value = encoder.finish().unwrap();
    let mut wrapper = log[..VALUE].to_vec();
    wrapper[VALUE - 4..VALUE].copy_from_slice(&(value.len() as u32).to_be_bytes());
    wrapper.extend(value);
    let size = (wrapper.len() - 12) as u32;
    wrapper[8..12].copy_from_slice(&size.to_be_bytes());
    let mut crc = Crc::new();
    crc.update(&wrapper[16..]);
    wrapper[12..16].copy_from_slice(&crc.sum().to_be_bytes());
    wrapper
}

#[test]
fn a_wrong_checksum_inside_a_sound_wrapper_is_damage() {
    let sound = rewrapped(|_| {});
    let (dump, run) = jsonl::dump_of(NAME, &sound);
    assert_eq!(
        (dump.damage().count(), run.code),
        (0, Some(0)),
        "{}",
        run.stderr
    );
    let broken = rewrapped(|messages| messages[12] ^= 1);
    let (dump, run) = jsonl::dump_of(NAME, &broken);
    let codes: Vec<_> = dump.damage().map(|damage| &*damage.code).collect();
    assert_eq!(
        (codes, run.code),
        (vec!["crc-mismatch"], Some(1)),
        "{}",
        run.stderr
    );
    let run = run::dump_bytes(NAME, &broken, &["--deep-iteration"]);
    let [told] = run.damage()[..] else {
        panic!("{}", run.stderr)
    };
    assert!(
        told.starts_with("0: crc-mismatch: offset ") && told.contains("inside the wrapper"),
        "{told}"
    );
    assert_eq!(run.text().matches("isValid: false").count(), 1);
    // Its records are not looked at when they are not shown.
    assert_eq!(run::dump_bytes(NAME, &broken, &[]).code, Some(0));
}
