//! Batches as a reader of producer state sees them, from bytes or from a file.

use kfsck::format::number::Offset;
use kfsck::state::batch::{Batch, Control};
use kfsck::state::read::{Item, read_source};
use kfsck::storage::source::{Access, Source};
use std::ops::ControlFlow;
use std::path::Path;

/// A segment's batches, with what control records say.
pub(super) fn of_bytes(base_offset: Offset, bytes: &[u8]) -> Vec<(Batch, Option<Control>)> {
    let source = Source::from_bytes("segment.log", bytes.to_vec());
    batches(&source, base_offset)
}

/// The same of a file that begins at offset 0.
pub(super) fn of_file(path: &Path) -> Vec<(Batch, Option<Control>)> {
    batches(&Source::open(path, Access::Map).unwrap(), Offset(0))
}

fn batches(source: &Source, base_offset: Offset) -> Vec<(Batch, Option<Control>)> {
    let mut found = Vec::new();
    let mut visit = |item: Item<'_>| match item {
        Item::Batch(batch, control) => {
            found.push((*batch, control.cloned()));
            ControlFlow::Continue(())
        }
        Item::Damage(damage) => panic!("{damage:?}"),
    };
    read_source(source, base_offset, true, &mut |_| true, &mut visit).unwrap();
    found
}
