//! Slices of a file at any position: of the map without a copy, or of one buffer that slides.

use super::source::{ReadError, Source};

/// A reader of one thread: gives slices of a [`Source`].
///
/// Over a map a slice costs a bounds check. Over plain reads there is one buffer, filled from the
/// position asked for: little after a jump, more with each step forward, as a kernel reads ahead.
#[derive(Debug)]
pub struct Window<'a> {
    source: &'a Source,
    /// All bytes, when the file is mapped; the buffers are then unused.
    mapped: Option<&'a [u8]>,
    near: Buffer,
    /// Where probes looked that left the window alone. A search asks for the same few distances
    /// at every position, so each of them is a run forward of its own.
    far: [Buffer; RUNS],
    /// Looks that left the window alone, so far.
    looks: u64,
}

/// A stretch of the file in memory that slides forward.
#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    /// How many of them are bytes of the file.
    filled: usize,
    /// Position in the file of the first.
    start: u64,
    /// How many the next refill reads at least.
    ahead: usize,
    /// How many that is after a jump.
    least: usize,
    /// The number of the look that used it last.
    used: u64,
}

/// Read ahead after a jump; a gap no longer than this is a step forward, not a jump.
const SMALLEST_STEP: usize = 4 << 10;
/// The same for a look at a place far away, half of it in front of the place: who asks what
/// begins there goes on to ask about what ends there.
const GLIMPSE: usize = 1 << 10;
const IN_FRONT: u64 = 1 << 9;
/// Runs forward that may go on beside each other: of each distance at which lengths lead ahead, one
/// for what is there and one for its checksum.
const RUNS: usize = 8;
/// Read ahead after a long run forward.
const LARGEST_STEP: usize = 256 << 10;

impl<'a> Window<'a> {
    /// The longest slice that [`Window::bytes`] gives, in bytes: 16 MiB. It bounds the memory of
    /// a plain reader; a longer stretch is read piece by piece, or by [`Source::range`].
    pub const LARGEST: usize = 16 << 20;

    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            mapped: source.as_slice(),
            near: Buffer::new(SMALLEST_STEP),
            far: [const { Buffer::new(GLIMPSE) }; RUNS],
            looks: 0,
        }
    }

    /// The file that this is a window of.
    #[must_use]
    #[inline]
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// The bytes [`position`, `position` + `length`): fewer only where the file ends, and never
    /// more than [`Window::LARGEST`], mapped or not.
    ///
    /// # Errors
    /// [`ReadError::Read`] and [`ReadError::Shrank`], over plain reads; over a map see
    /// [`Source::check`].
    #[inline]
    pub fn bytes(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        match self.mapped {
            Some(all) => Ok(clip(all, position, length.min(Self::LARGEST))),
            None => self.buffered(position, length),
        }
    }

    /// The `N` bytes at `position`, or `None` where the file ends before the last of them. Leaves
    /// the window where it is, however far away the position.
    ///
    /// # Errors
    /// As [`Window::bytes`].
    #[inline]
    pub fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        match self.mapped {
            Some(all) => Ok(clip(all, position, N).first_chunk().copied()),
            None => self.probe_plain(position),
        }
    }

    fn probe_plain<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        Ok(self.peek_plain(position, N)?.first_chunk().copied())
    }

    /// As [`Window::bytes`], but follows a step forward only and leaves the window where it is
    /// when asked for what lies elsewhere.
    ///
    /// # Errors
    /// As [`Window::bytes`].
    #[inline]
    pub fn glance(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        if self.mapped.is_some() || self.near.is_near(position) {
            self.bytes(position, length)
        } else {
            self.peek(position, length)
        }
    }

    /// As [`Window::bytes`], but leaves the window where it is: for a few bytes far away.
    ///
    /// # Errors
    /// As [`Window::bytes`].
    pub fn peek(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        match self.mapped {
            Some(all) => Ok(clip(all, position, length.min(Self::LARGEST))),
            None => self.peek_plain(position, length),
        }
    }

    fn peek_plain(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        let source = self.source;
        let wanted = length.min(Self::LARGEST).min(left(source, position));
        if self.near.held(position, wanted).is_some() {
            return Ok(self.near.held(position, wanted).unwrap_or_default());
        }
        self.looks = self.looks.saturating_add(1);
        let held = |buffer: &Buffer| buffer.held(position, wanted).is_some();
        let number = match self.far.iter().position(held) {
            Some(number) => number,
            None => self.fill_far(position, wanted)?,
        };
        let Some(buffer) = self.far.get_mut(number) else {
            return Ok(&[]);
        };
        buffer.used = self.looks;
        Ok(buffer.held(position, wanted).unwrap_or_default())
    }

    /// Reads what no buffer holds into one that is near the place, or else the one that was longest
    /// not used; returns which.
    #[cold]
    fn fill_far(&mut self, position: u64, wanted: usize) -> Result<usize, ReadError> {
        let source = self.source;
        let rank = |(_, buffer): &(usize, &mut Buffer)| (!buffer.is_near(position), buffer.used);
        let Some((number, buffer)) = self.far.iter_mut().enumerate().min_by_key(rank) else {
            return Ok(0);
        };
        if !buffer.is_near(position) {
            let begin = position.saturating_sub(IN_FRONT);
            let front = usize::try_from(position.saturating_sub(begin)).unwrap_or_default();
            // What lies in front may fail without harm to what was asked for.
            let _ = buffer.hold(source, begin, front.saturating_add(wanted));
        }
        buffer.hold(source, position, wanted)?;
        Ok(number)
    }

    fn buffered(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        let wanted = length.min(Self::LARGEST).min(left(self.source, position));
        self.near.hold(self.source, position, wanted)?;
        Ok(self.near.held(position, wanted).unwrap_or_default())
    }
}

impl Buffer {
    const fn new(least: usize) -> Self {
        Self {
            bytes: Vec::new(),
            filled: 0,
            start: 0,
            ahead: least,
            least,
            used: 0,
        }
    }

    fn held(&self, position: u64, length: usize) -> Option<&[u8]> {
        let filled = self.bytes.get(..self.filled)?;
        let offset = usize::try_from(position.checked_sub(self.start)?).ok()?;
        filled.get(offset..)?.get(..length)
    }

    /// Whether `position` lies in the buffer or a step behind it.
    fn is_near(&self, position: u64) -> bool {
        let offset = position.checked_sub(self.start).map(usize::try_from);
        let reach = self.filled.saturating_add(SMALLEST_STEP);
        self.filled > 0 && offset.is_some_and(|offset| offset.is_ok_and(|at| at <= reach))
    }

    /// Has `wanted` bytes at `position`, which the file had when it was opened.
    #[inline]
    fn hold(&mut self, source: &Source, position: u64, wanted: usize) -> Result<(), ReadError> {
        if wanted > 0 && self.held(position, wanted).is_none() {
            self.refill(source, position, wanted)?;
        }
        Ok(())
    }

    #[cold]
    fn refill(&mut self, source: &Source, position: u64, wanted: usize) -> Result<(), ReadError> {
        // A step back, or a first step, is a jump.
        self.ahead = if self.is_near(position) {
            self.ahead.saturating_mul(2).min(LARGEST_STEP)
        } else {
            self.least
        };
        let offset = match position.checked_sub(self.start) {
            Some(offset) => usize::try_from(offset).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let kept = self.filled.saturating_sub(offset);
        if kept > 0 {
            self.bytes.copy_within(offset..self.filled, 0);
        }
        (self.start, self.filled) = (position, kept);
        let most = wanted.max(self.ahead).min(left(source, position));
        // What was only read ahead may fail without harm to what was asked for.
        if most == wanted || self.fill_to(source, most).is_err() {
            self.fill_to(source, wanted)?;
        }
        Ok(())
    }

    /// Reads until the buffer holds `target` bytes of the file.
    fn fill_to(&mut self, source: &Source, target: usize) -> Result<(), ReadError> {
        if self.bytes.len() < target {
            self.bytes.resize(target, 0);
        }
        let position = u64::try_from(self.filled).map(|filled| self.start.saturating_add(filled));
        let fresh = self.bytes.get_mut(self.filled..target);
        source.read_exact_at(fresh.unwrap_or_default(), position.unwrap_or(u64::MAX))?;
        self.filled = target;
        Ok(())
    }
}

/// Bytes of the file from `position` on, as far as a slice can count.
fn left(source: &Source, position: u64) -> usize {
    usize::try_from(source.len().saturating_sub(position)).unwrap_or(usize::MAX)
}

#[inline]
fn clip(all: &[u8], position: u64, length: usize) -> &[u8] {
    let rest = usize::try_from(position)
        .ok()
        .and_then(|position| all.get(position..))
        .unwrap_or_default();
    rest.get(..length).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::{Buffer, IN_FRONT, SMALLEST_STEP, Window};
    use crate::storage::source::{Access, ReadError, Source};
    use proptest::prelude::{Strategy, any, prop_oneof};
    use std::io::{BufRead, Read, Write};

    /// Bytes that differ from place to place, in a file and in memory.
    fn sample(length: usize) -> (tempfile::NamedTempFile, Vec<u8>) {
        let bytes: Vec<u8> = (0..length)
            .map(|at| (at * 31 / 7 + at / 251) as u8)
            .collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        (file, bytes)
    }

    fn expected(bytes: &[u8], position: u64, length: usize) -> &[u8] {
        let start = usize::try_from(position)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        &bytes[start
            ..start
                .saturating_add(length.min(Window::LARGEST))
                .min(bytes.len())]
    }

    /// Where a walk asks next: a step forward, a step back, anywhere, or absurdly far.
    fn requests() -> impl Strategy<Value = Vec<(u8, u32, usize)>> {
        let length = prop_oneof![0_usize..100, 0..40_000_usize, any::<usize>()];
        proptest::collection::vec((0_u8..8, any::<u32>(), length), 1..40)
    }

    proptest::proptest! {
        #[test]
        fn map_and_plain_reads_equal_the_file(
            size in prop_oneof![0_usize..10, 0..300_000_usize],
            requests in requests(),
        ) {
            let (file, bytes) = sample(size);
            let map = Source::open(file.path(), Access::Map).unwrap();
            let plain = Source::open(file.path(), Access::Plain).unwrap();
            assert!(cfg!(not(unix)) || map.as_slice() == Some(&bytes));
            assert!(plain.as_slice().is_none());
            let (mut map_window, mut plain_window) = (map.window(), plain.window());
            let mut at = 0_u64;
            for (step, distance, length) in requests {
                let distance = u64::from(distance);
                at = match step {
                    0..4 => at + distance % 5_000,
                    4..6 => at.saturating_sub(distance % 5_000),
                    6 => distance % (size as u64 + 10),
                    _ => u64::MAX - distance,
                };
                let expected = expected(&bytes, at, length);
                assert_eq!(map_window.bytes(at, length).unwrap(), expected);
                assert_eq!(plain_window.bytes(at, length).unwrap(), expected);
                let far = distance % (size as u64 + 10);
                let probed: Option<[u8; 17]> =
                    self::expected(&bytes, far, 17).first_chunk().copied();
                assert_eq!(map_window.probe(far).unwrap(), probed);
                assert_eq!(plain_window.probe(far).unwrap(), probed);
                // The probe has not moved the window.
                assert_eq!(plain_window.bytes(at, length).unwrap(), expected);
                let (mut mapped, mut read) = (Vec::new(), Vec::new());
                map.range(at, length as u64).read_to_end(&mut mapped).unwrap();
                plain.range(at, length as u64).read_to_end(&mut read).unwrap();
                assert_eq!(mapped, read);
                assert_eq!(expected, &read[..expected.len()]);
                at = at.min(size as u64);
            }
        }
    }

    #[test]
    fn a_slice_is_never_longer_than_the_largest() {
        let (file, bytes) = sample(Window::LARGEST + 9);
        for access in [Access::Map, Access::Plain] {
            let source = Source::open(file.path(), access).unwrap();
            let slice_length = source.window().bytes(3, usize::MAX).unwrap().len();
            assert_eq!(slice_length, Window::LARGEST);
            let mut streamed = Vec::new();
            source
                .range(3, u64::MAX)
                .read_to_end(&mut streamed)
                .unwrap();
            assert!(streamed == bytes[3..]);
        }
    }

    #[test]
    fn a_jump_reads_little_and_steps_forward_read_ahead() {
        let (file, _) = sample(4 << 20);
        let source = Source::open(file.path(), Access::Plain).unwrap();
        let mut window = source.window();
        for position in [3 << 20, 5, 2 << 20] {
            window.bytes(position, 61).unwrap();
            assert_eq!(window.near.filled, SMALLEST_STEP);
        }
        // Headers of small batches: each lies a little behind the one before.
        for step in 0..1_300 {
            window.bytes((2 << 20) + step * 1_500, 61).unwrap();
        }
        assert!(
            window.near.filled >= 16 * SMALLEST_STEP,
            "{}",
            window.near.filled
        );
    }

    /// Looks far away cost one read each, also when the bytes in front are asked for next; and they
    /// do not drive out the run forward that goes on between them.
    #[test]
    fn looks_at_far_places_are_one_read_each() {
        let (file, _) = sample(4 << 20);
        let source = Source::open(file.path(), Access::Plain).unwrap();
        let mut window = source.window();
        let places = [3 << 20, 2 << 20, (1 << 20) + 777, 5 << 19, 7 << 19];
        for (step, far) in (0..).zip(places) {
            window.peek(step * 100, 61).unwrap();
            window.probe::<17>(far).unwrap().unwrap();
            window.peek(far - 255, 255).unwrap();
            let holding = |from: u64, length| {
                let held = |buffer: &&Buffer| buffer.held(from, length).is_some();
                window.far.iter().filter(held).count()
            };
            assert_eq!(holding(far - 255, 255 + 17), 1, "{far}");
            assert_eq!(holding(step * 100, 61), 1, "{far}");
            let starts: Vec<_> = window.far.iter().map(|buffer| buffer.start).collect();
            assert!(starts.contains(&(far - IN_FRONT)), "{starts:?}");
        }
    }

    #[test]
    fn a_file_cut_while_it_is_read_plainly_is_an_error_at_the_place() {
        let (file, bytes) = sample(1 << 20);
        let source = Source::open(file.path(), Access::Plain).unwrap();
        let mut window = source.window();
        window.bytes(0, 10).unwrap();
        file.as_file().set_len(500_000).unwrap();
        // What is left can still be read, up to the last byte.
        assert_eq!(
            window.bytes(499_000, 1_000).unwrap(),
            &bytes[499_000..500_000]
        );
        let error = window.bytes(499_500, 501).unwrap_err();
        assert!(
            matches!(
                error,
                ReadError::Shrank {
                    length_at_open: 1_048_576,
                    length_now: 500_000,
                    ..
                }
            ),
            "{error:?}"
        );
        assert_eq!(error.position(), Some(500_000));
        assert!(matches!(
            window.probe::<4>(600_000),
            Err(ReadError::Shrank { .. })
        ));
        assert!(window.probe::<4>(2_000_000).unwrap().is_none());
        let mut range = source.range(499_999, 2);
        let error = range
            .fill_buf()
            .unwrap_err()
            .downcast::<ReadError>()
            .unwrap();
        assert_eq!(error.position(), Some(500_000));
        assert!(source.check().is_err());
    }
}
