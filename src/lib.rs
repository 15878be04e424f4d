//! Reads the files that an Apache Kafka broker keeps in a partition directory, offline.
//!
//! Every file kind of a 4.x broker is covered, and the message formats 0 and 1 of older ones. Any
//! bytes may be given: nothing panics, nothing a file declares sizes memory, and what is wrong is
//! said with its place in the file. Nothing that is there is ever changed, but by
//! [`repair::apply::in_place`].
//!
//! # Walking a segment
//!
//! [`Source`](storage::source::Source) holds the bytes of a file: mapped, read piece by piece, or
//! from memory. A [`Walk`](storage::segment::walk::Walk) over it tells for every byte whether it
//! belongs to a batch or to damage, and goes on behind the damage.
//!
//! ```
//! use kfsck::format::batch::Header;
//! use kfsck::storage::segment::walk::{Piece, Walk};
//! use kfsck::storage::source::Source;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Two empty batches as compaction leaves them, at offsets 5 and 9, then 20 bytes of zeros.
//! let mut bytes = Vec::new();
//! for base_offset in [5_i64, 9] {
//!     let mut batch = [0; 61];
//!     batch[..8].copy_from_slice(&base_offset.to_be_bytes());
//!     batch[11] = 61 - 12; // batchLength: the bytes behind itself
//!     batch[16] = 2; // magic
//!     bytes.extend(batch);
//! }
//! bytes.extend([0; 20]);
//!
//! let source = Source::from_bytes("00000000000000000005.log", bytes);
//! let mut walk = Walk::new(&source);
//! let mut base_offsets = Vec::new();
//! while let Some(piece) = walk.next_piece()? {
//!     match piece {
//!         Piece::Batch(span) => {
//!             let head = walk.head(span)?;
//!             let base_offset = Header::new(&head).base_offset();
//!             println!("a batch at byte {} begins with offset {base_offset}", span.position);
//!             base_offsets.push(base_offset.0);
//!         }
//!         Piece::Damage(damage) => {
//!             println!("byte {}: {}: {}", damage.position, damage.code, damage.message);
//!             assert_eq!((damage.position, damage.size), (122, 20));
//!             assert_eq!(damage.code.as_str(), "zero-tail");
//!         }
//!     }
//! }
//! assert_eq!(base_offsets, [5, 9]);
//! # Ok(())
//! # }
//! ```
//!
//! A walk looks at frames alone. [`BatchReader`](storage::segment::contents::BatchReader) compares
//! checksums and decodes the records of a batch while it decompresses them, one at a time.
//!
//! # Floors
//!
//! A module may use only its own floor and lower ones:
//!
//! - [`mod@format`]: bytes to values and back, one on-disk structure a file; no path, no clock, no
//!   printing, no panic on any bytes;
//! - [`storage`]: files and directories, and the walk that accounts for every byte of a segment;
//! - [`state`]: what a broker would believe after reading a log: producers, transactions, leader
//!   epochs;
//! - [`rebuild`]: whole partitions and log directories, written as a broker would leave them;
//! - [`analysis`]: judgements over what was read, as data;
//! - [`repair`]: what would make a partition sound again, as a plan, and the plan carried out;
//! - [`simulate`]: clusters that mirror each other, with a ground truth of who wrote what;
//! - [`report`]: values to text or JSON on writers that the caller gives.
//!
//! The binary (feature `cli`, on by default) adds the command line on top. Use the library alone
//! with `default-features = false`.
//!
//! Until 1.0 the library's interface may change in any minor release. What the binary prints is
//! kept stable: see `docs/dump-log.md` in the repository.
// Bytes of any origin never end the process. Floors that see only values lift what they need.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::string_slice
    )
)]

pub mod analysis;
pub mod format;
pub mod rebuild;
pub mod repair;
pub mod report;
pub mod simulate;
pub mod state;
pub mod storage;
