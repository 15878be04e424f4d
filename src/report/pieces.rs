//! Documents that are written while they are made, in pieces, however long their lists are.

use super::json::WideIntegers;

/// Takes bytes of a document.
pub type Write<'w> = &'w mut dyn FnMut(&[u8]) -> std::io::Result<()>;

/// Bytes that are gathered before they are written.
const PIECE: usize = 64 << 10;

/// An object whose lists are written in pieces.
pub(super) struct Pieces<'w> {
    /// What is not written yet.
    pub(super) out: Vec<u8>,
    wide: WideIntegers,
    write: Write<'w>,
}

impl<'w> Pieces<'w> {
    /// Goes on behind the fields of an object in `out`.
    pub(super) const fn behind(out: Vec<u8>, wide: WideIntegers, write: Write<'w>) -> Self {
        Self { out, wide, write }
    }

    /// One more field: a list.
    pub(super) fn array<T>(
        &mut self,
        name: &str,
        items: impl Iterator<Item = T>,
        push: impl Fn(T, WideIntegers, &mut Vec<u8>),
    ) -> std::io::Result<()> {
        self.out
            .extend_from_slice(format!(",\"{name}\":[").as_bytes());
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            push(item, self.wide, &mut self.out);
            if self.out.len() >= PIECE {
                (self.write)(&self.out)?;
                self.out.clear();
            }
        }
        self.out.push(b']');
        Ok(())
    }

    /// Closes the object.
    pub(super) fn close(mut self) -> std::io::Result<()> {
        self.out.push(b'}');
        (self.write)(&self.out)
    }
}
