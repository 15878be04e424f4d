//! A window of a file as the bytes that entries of fixed width are read from.

use super::source::{ReadError, Window};
use crate::format::entry_file::ReadAt;

impl ReadAt for Window<'_> {
    type Error = ReadError;

    fn length(&self) -> u64 {
        self.source().len()
    }

    #[inline]
    fn forward<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        Ok(self.bytes(position, N)?.first_chunk().copied())
    }

    fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        Window::probe(self, position)
    }
}
