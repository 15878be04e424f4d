//! Where a dump goes, and small files' way there: in portions, so that memory does not grow with
//! the file.

use std::io;

use super::rows::{self, Value};
use super::segment::Stop;
use super::style::{self, Style};
use crate::format::malformed::Malformed;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::Source;

/// Output is handed over when there is this much of it.
const PORTION: usize = 256 << 10;
/// The same of damage, which the stock text does not show.
const MOST_DAMAGE: usize = 1024;

/// Where a dump goes.
pub trait Output {
    /// Takes bytes of the output format.
    ///
    /// # Errors
    /// The writer's.
    fn text(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Takes damage, for people.
    fn damage(&mut self, damage: &Damage);

    /// Takes what is legal but worth knowing.
    fn note(&mut self, note: &str);

    /// The file is of no kind that Kafka keeps.
    fn ignored(&mut self);
}

/// Why output was not taken on.
pub(super) type Refused = Stop<io::Error>;

/// Collects output and hands it on, damage behind the text that it belongs to.
pub(super) struct Portions<'o> {
    style: Style,
    output: &'o mut dyn Output,
    /// Files that the output speaks of.
    read: Vec<&'o Source>,
    text: Vec<u8>,
    damage: Vec<Damage>,
}

impl<'o> Portions<'o> {
    /// Hands on to `output` as long as the files in `read` may be believed.
    pub(super) fn new(style: Style, output: &'o mut dyn Output, read: Vec<&'o Source>) -> Self {
        Self {
            style,
            output,
            read,
            text: Vec::new(),
            damage: Vec::new(),
        }
    }

    /// Bytes of the output format; [`Portions::handed_on`] must follow.
    pub(super) const fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Hands on what there is, if it is much.
    pub(super) fn handed_on(&mut self) -> Result<(), Refused> {
        if self.text.len() < PORTION && self.damage.len() < MOST_DAMAGE {
            return Ok(());
        }
        self.flush()
    }

    /// A line of named values.
    #[inline]
    pub(super) fn row(&mut self, kind: &str, fields: &[(&str, Value<'_>)]) -> Result<(), Refused> {
        rows::push(self.style, kind, fields, &mut self.text);
        self.handed_on()
    }

    /// Damage, told at once in JSON and behind the text otherwise.
    pub(super) fn damage(&mut self, damage: Damage) -> Result<(), Refused> {
        style::push_damage(self.style, &damage, &mut self.text);
        self.damage.push(damage);
        self.handed_on()
    }

    /// A structure that is not what it should be; `then` says what a broker does about it.
    pub(super) fn malformed(
        &mut self,
        code: Code,
        fault: &Malformed,
        then: &str,
    ) -> Result<(), Refused> {
        self.damage(Damage {
            position: fault.at as u64,
            size: 0,
            code,
            message: format!("{fault}{then}"),
        })
    }

    /// What is legal but worth knowing, behind all in front of it.
    pub(super) fn note(&mut self, note: &str) -> Result<(), Refused> {
        self.flush()?;
        self.output.note(note);
        Ok(())
    }

    /// Hands on all there is.
    pub(super) fn flush(&mut self) -> Result<(), Refused> {
        // What a page lost under a map has made of the bytes must not be shown.
        for source in &self.read {
            source.check()?;
        }
        self.output.text(&self.text).map_err(Stop::Output)?;
        self.text.clear();
        for damage in self.damage.drain(..) {
            self.output.damage(&damage);
        }
        Ok(())
    }
}
