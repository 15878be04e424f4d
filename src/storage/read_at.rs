//! A window of a file as the bytes that entries of fixed width are read from.

use super::source::{ReadError, Window};
use crate::format::entry_file::ReadAt;

impl ReadAt for Window<'_> {
    type Error = ReadError;

    fn length(&self) -> u64 {
        self.source().len()
    }

    fn forward(
        &mut self,
        position: u64,
        length: usize,
        block: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let bytes = self.bytes(position, length)?;
        block.clear();
        block.extend_from_slice(bytes);
        Ok(())
    }

    fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        Window::probe(self, position)
    }
}
