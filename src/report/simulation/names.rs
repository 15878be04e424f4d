//! What a run calls its clusters, its writers and their ids: names as a terminal shows them, ids
//! in the notation of the designs.

use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::{Reading, Region};
use crate::report::one_line::on_one_line;
use crate::simulate::happening::Site;
use crate::simulate::run::Run;
use crate::simulate::stored::Stored;
use crate::simulate::truth::{ClusterIndex, WriterIndex};
use crate::simulate::world::World;

/// The names of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    world: &'a World,
    is_bit_field: bool,
}

impl<'a> Names<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        Self {
            world: &run.world,
            // Elsewhere an id below 0 is a negation.
            is_bit_field: run.strategy().name().starts_with("bit-field"),
        }
    }

    /// The name of a cluster, which is fit for a directory.
    pub(super) fn cluster(&self, index: ClusterIndex) -> &'a str {
        let cluster = self.world.clusters().get(index.0);
        cluster.map_or("?", |cluster| &cluster.name)
    }

    /// The name of a writer as its scenario has it.
    pub(super) fn plain_writer(&self, index: WriterIndex) -> &'a str {
        let writer = self.world.writers().get(index.0);
        writer.map_or("?", |writer| &writer.name)
    }

    /// The name of a writer, on one line.
    pub(super) fn writer(&self, index: WriterIndex) -> String {
        on_one_line(self.plain_writer(index)).into_owned()
    }

    /// A writer and where it is at home.
    pub(super) fn writer_at_home(&self, index: WriterIndex) -> String {
        let home = self.world.writers().get(index.0).map(|one| one.home);
        let home = home.map_or("?", |home| self.cluster(home));
        format!("{} of {home}", self.writer(index))
    }

    /// Whose batch it is; nothing for a barrier.
    pub(super) fn author(&self, stored: &Stored) -> Option<String> {
        stored.truth.writer().map(|writer| self.writer(writer))
    }

    /// A cluster, and the broker where it has several.
    pub(super) fn place(&self, site: &Site) -> String {
        let cluster = self.world.clusters().get(site.cluster.0);
        let name = self.cluster(site.cluster);
        match cluster.is_some_and(|cluster| cluster.replicas > 1) {
            true => format!("{name}/{}", site.replica),
            false => name.to_owned(),
        }
    }

    /// An id in few letters: `5`, `-7`, `F(42,5)`, `none`.
    pub(super) fn id(&self, id: ProducerId) -> String {
        match self.fields(id) {
            _ if id == ProducerId::NONE => "none".to_owned(),
            Some((region, low_bits)) => format!("F({},{low_bits})", region.0),
            None => id.to_string(),
        }
    }

    /// An id as error messages have it, with its fields: `-9223371946660462587 = F(42,5)`.
    pub(super) fn full_id(&self, id: ProducerId) -> String {
        match self.fields(id) {
            Some(_) => format!("{id} = {}", self.id(id)),
            None => self.id(id),
        }
    }

    /// Region and low bits of an id that the bit-field design mapped.
    pub(super) fn fields(&self, id: ProducerId) -> Option<(Region, u32)> {
        if !self.is_bit_field || id >= ProducerId::NONE {
            return None;
        }
        Reading::all_of(id).into_iter().find_map(|one| match one {
            Reading::BitField { region, low_bits } => Some((region, low_bits)),
            _ => None,
        })
    }

    /// The clusters whose region it is.
    pub(super) fn holders(&self, region: Region) -> Vec<&'a str> {
        let clusters = self.world.clusters().iter();
        clusters
            .filter(|cluster| cluster.region == Some(region))
            .map(|cluster| cluster.name.as_str())
            .collect()
    }
}
