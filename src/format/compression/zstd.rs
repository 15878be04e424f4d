//! Zstandard (KIP-110): one context that stays, frames one after another.

use ::zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::buffer::Buffer;
use super::source::{Fault, Source};
use super::{BLOCK_LIMIT, Decode, STRIDE, Step};

const FIELD: &str = "zstd frame";

/// The largest window that a frame may ask for, as a power of two.
const WINDOW_LOG: u32 = BLOCK_LIMIT.ilog2();

/// The state of one run of zstd frames; the context is kept for the next.
#[derive(Default)]
pub(super) struct Zstd {
    context: Option<Decoder<'static>>,
    /// Some of a frame was read, and its end was not.
    inside: bool,
}

impl Zstd {
    pub(super) fn begin(&mut self) -> &mut Self {
        // The last reader may have stopped in the middle. A context that cannot be put back to
        // its start is made anew.
        if let Some(Err(_)) = self.context.as_mut().map(Operation::reinit) {
            self.context = None;
        }
        self.inside = false;
        self
    }
}

impl Decode for Zstd {
    fn step(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault> {
        let context = match &mut self.context {
            Some(context) => context,
            none => {
                let mut context = Decoder::new()?;
                context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
                none.insert(context)
            }
        };
        let input = source.chunk()?;
        let at_end = input.is_empty();
        if at_end && !self.inside {
            return Ok(Step::End);
        }
        let mut from = InBuffer::around(input);
        let mut to = OutBuffer::around(out.spare(STRIDE));
        let hint = context.run(&mut from, &mut to);
        let (used, made) = (from.pos(), to.pos());
        source.advance(used);
        out.wrote(made);
        // The hint is 0 when a frame is complete and all of it has been given.
        self.inside = hint.map_err(|error| source.undecodable(FIELD, error.to_string()))? != 0;
        if at_end && made == 0 && self.inside {
            return Err(source.truncated(FIELD, 1, 0));
        }
        Ok(Step::Progress)
    }
}
