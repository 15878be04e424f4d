//! A record set as its first 17 bytes tell it, and whether another one may follow it.

use super::walk::Span;
use crate::format::batch;
use crate::format::frame::Frame;
use crate::format::number::{LeaderEpoch, Offset};

/// What frames somewhere: a known magic, and a length that this magic can have and that lies
/// inside the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Framed {
    size: u32,
    magic: u8,
    offset: Offset,
    leader_epoch: LeaderEpoch,
}

impl Framed {
    /// The record set of these bytes, when it frames and `left` bytes of the file hold it.
    #[inline]
    pub(super) fn of(frame: Frame, left: u64) -> Option<Self> {
        let size = frame.size().filter(|size| *size <= left)?;
        Some(Self {
            size: u32::try_from(size).ok()?,
            magic: frame.magic,
            offset: frame.offset,
            leader_epoch: frame.leader_epoch,
        })
    }

    /// Its place when it begins at `position`.
    #[inline]
    pub(super) const fn at(self, position: u64) -> Span {
        Span {
            position,
            size: self.size,
            magic: self.magic,
        }
    }

    /// Whether `next` looks like what a broker appends behind this one: a greater offset, less
    /// than 2^31 further on as in any one segment, under the same leader epoch. A header that is
    /// read a few bytes off has neither.
    ///
    /// A leader that changes is no fault, only worth another look; nor is a message of magic 0 or
    /// 1, which has no leader epoch.
    #[inline]
    pub(super) fn is_followed_by(self, next: Self) -> bool {
        let step = next.offset.0.checked_sub(self.offset.0);
        self.magic == batch::MAGIC
            && next.magic == batch::MAGIC
            && next.leader_epoch == self.leader_epoch
            && step.is_some_and(|step| step > 0 && i32::try_from(step).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::Framed;
    use crate::format::frame::{Frame, PROBE};

    /// baseOffset 7, batchLength 100, partitionLeaderEpoch 3, magic 2.
    const HEAD: [u8; PROBE] = [0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 100, 0, 0, 0, 3, 2];

    fn framed(change: impl Fn(&mut [u8; PROBE])) -> Framed {
        let mut head = HEAD;
        change(&mut head);
        Framed::of(Frame::decode(&head), 1000).unwrap()
    }

    #[test]
    fn what_may_follow() {
        let here = framed(|_| {});
        assert!(here.is_followed_by(framed(|head| head[7] = 8)));
        assert!(here.is_followed_by(framed(|head| head[4..8].copy_from_slice(&[0x80, 0, 0, 6]))));
        assert!(!here.is_followed_by(here), "the same offset");
        assert!(!here.is_followed_by(framed(|head| head[7] = 6)));
        assert!(!here.is_followed_by(framed(|head| head[4..8].copy_from_slice(&[0x80, 0, 0, 7]))));
        assert!(!here.is_followed_by(framed(|head| (head[7], head[15]) = (8, 4))));
        assert!(!here.is_followed_by(framed(|head| (head[7], head[16]) = (8, 1))));
        assert!(!framed(|head| head[16] = 1).is_followed_by(framed(|head| head[7] = 8)));
    }
}
