//! Which batches and records a dump shows.
//!
//! Batches are chosen by their headers alone, so that nothing is decompressed to be left out.

use super::view::AnyHeader;
use crate::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp};
use crate::storage::segment::contents::Entry;

/// The filters; every one that is set must hold.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// One of these producers; empty for any.
    pub producer_ids: Vec<ProducerId>,
    /// This producer epoch.
    pub producer_epoch: Option<ProducerEpoch>,
    /// This leader epoch.
    pub leader_epoch: Option<LeaderEpoch>,
    /// Batches of transactions only.
    pub transactional: bool,
    /// Control batches only.
    pub control: bool,
    /// From this offset on.
    pub start_offset: Option<Offset>,
    /// Up to and with this offset.
    pub end_offset: Option<Offset>,
    /// From this time on.
    pub start_time: Option<Timestamp>,
    /// Up to and with this time.
    pub end_time: Option<Timestamp>,
    /// Show this many batches of each file.
    pub limit: Option<u64>,
}

impl Selection {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let Self {
            producer_ids,
            producer_epoch,
            leader_epoch,
            transactional,
            control,
            start_offset,
            end_offset,
            start_time,
            end_time,
            limit,
        } = self;
        producer_ids.is_empty()
            && producer_epoch.is_none()
            && leader_epoch.is_none()
            && !transactional
            && !control
            && start_offset.is_none()
            && end_offset.is_none()
            && start_time.is_none()
            && end_time.is_none()
            && limit.is_none()
    }

    /// Whether a batch is shown, the limit aside.
    ///
    /// The batch's times reach from the lesser of base and greatest timestamp to the greatest; a
    /// batch whose base timestamp is its delete horizon may begin at any time.
    #[must_use]
    pub fn takes(&self, header: AnyHeader<'_>) -> bool {
        let (first, last) = header.offsets();
        let newest = header.max_timestamp();
        let oldest = match header {
            AnyHeader::Batch(header) if header.attributes().has_delete_horizon() => None,
            AnyHeader::Batch(header) => Some(header.base_timestamp().min(newest)),
            // The time of the last message; those before it may be older.
            AnyHeader::Message(header) if header.attributes & 7 != 0 => None,
            AnyHeader::Message(_) => Some(newest),
        };
        // Messages in a compressed wrapper lie below its offset, how far its header does not say.
        let first = match header {
            AnyHeader::Message(header) if header.attributes & 7 != 0 => None,
            _ => Some(first),
        };
        self.takes_header(header)
            && !self.is_empty_range()
            && self.start_offset.is_none_or(|start| last >= start)
            && self
                .end_offset
                .is_none_or(|end| first.is_none_or(|first| first <= end))
            && self.start_time.is_none_or(|start| newest >= start)
            && self
                .end_time
                .is_none_or(|end| oldest.is_none_or(|oldest| oldest <= end))
    }

    /// Nothing lies between the ends, not even a batch that reaches both.
    fn is_empty_range(&self) -> bool {
        let offsets = self.start_offset.zip(self.end_offset);
        let times = self.start_time.zip(self.end_time);
        offsets.is_some_and(|(start, end)| start > end)
            || times.is_some_and(|(start, end)| start > end)
    }

    fn takes_header(&self, header: AnyHeader<'_>) -> bool {
        let AnyHeader::Batch(header) = header else {
            return self.producer_ids.is_empty()
                && self.producer_epoch.is_none()
                && self.leader_epoch.is_none()
                && !self.transactional
                && !self.control;
        };
        let attributes = header.attributes();
        (self.producer_ids.is_empty() || self.producer_ids.contains(&header.producer_id()))
            && self
                .producer_epoch
                .is_none_or(|epoch| header.producer_epoch() == epoch)
            && self
                .leader_epoch
                .is_none_or(|epoch| header.partition_leader_epoch() == epoch)
            && (!self.transactional || attributes.is_transactional())
            && (!self.control || attributes.is_control())
    }

    /// Whether a record of a shown batch is shown.
    #[must_use]
    #[inline]
    pub fn takes_entry(&self, entry: &Entry<'_>) -> bool {
        self.start_offset.is_none_or(|start| entry.offset >= start)
            && self.end_offset.is_none_or(|end| entry.offset <= end)
            && self.start_time.is_none_or(|start| entry.timestamp >= start)
            && self.end_time.is_none_or(|end| entry.timestamp <= end)
    }
}
