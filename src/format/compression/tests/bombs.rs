//! Inputs of up to a few MiB that open to GiBs: reading them through must not hold them.

use super::*;

const OPENED: u64 = 1 << 30;

fn zeros() -> impl Read {
    io::repeat(0).take(OPENED)
}

fn reads_through(codec: Codec, bomb: &[u8], bound: usize) {
    let mut decompressor = Decompressor::new();
    let mut input = BufReader::with_capacity(4096, bomb);
    let mut inflated = decompressor.open(codec, 2, &mut input);
    let mut given = 0;
    loop {
        let count = inflated.fill_buf().unwrap().len();
        assert!(count <= bound);
        given += count as u64;
        inflated.consume(count);
        if count == 0 {
            break;
        }
    }
    assert_eq!(given, OPENED);
    assert!(decompressor.held() <= bound, "{}", decompressor.held());
}

#[test]
fn gzip() {
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::copy(&mut zeros(), &mut bomb).unwrap();
    reads_through(Codec::Gzip, &bomb.finish().unwrap(), 256 << 10);
}

#[test]
fn zstd() {
    let bomb = ::zstd::encode_all(zeros(), 1).unwrap();
    reads_through(Codec::Zstd, &bomb, 256 << 10);
}

#[test]
fn lz4() {
    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
    let info = FrameInfo::new()
        .block_mode(BlockMode::Independent)
        .block_size(BlockSize::Max4MB);
    let mut bomb = FrameEncoder::with_frame_info(info, Vec::new());
    io::copy(&mut zeros(), &mut bomb).unwrap();
    reads_through(Codec::Lz4, &bomb.finish().unwrap(), 5 << 20);
}
