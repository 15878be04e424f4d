//! A run as a sequence diagram in Mermaid's language: writers and clusters are participants.

use super::names::Names;
use super::{View, happening_words, step_words};
use crate::simulate::happening::{By, Happening, Site};
use crate::simulate::harm::Harm;
use crate::simulate::stored::Stored;
use crate::simulate::truth::{ClusterIndex, WriterIndex};
use std::fmt::Write as _;
use std::sync::Arc;

/// The diagram; nothing but its participants when the run was not traced.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let names = Names::of(view.run);
    let mut drawing = Drawing {
        names: &names,
        out: String::from("sequenceDiagram\n"),
    };
    let title = format!("{}: {}", view.scenario.name, view.terms());
    drawing.line(&format!("title {}", label(&title)));
    let world = &view.run.world;
    for writer in (0..world.writers().len()).map(WriterIndex) {
        let name = label(&names.writer_at_home(writer));
        drawing.line(&format!("actor w{} as {name}", writer.0));
    }
    for cluster in (0..world.clusters().len()).map(ClusterIndex) {
        let name = label(names.cluster(cluster));
        drawing.line(&format!("participant c{} as {name}", cluster.0));
    }
    let first = match world.writers().is_empty() {
        true => "c0",
        false => "w0",
    };
    let last = format!("c{}", world.clusters().len().saturating_sub(1));
    let everybody = match first == last {
        true => last,
        false => format!("{first},{last}"),
    };
    let mut is_over = false;
    for happening in world.happenings() {
        if let Happening::Harm(harm) = happening
            && harm.step >= view.scenario.steps.len()
            && !is_over
        {
            drawing.note(&everybody, "end: all logs are judged");
            is_over = true;
        }
        if let Happening::Step(place) = happening {
            let step = view.scenario.steps.get(*place);
            let words = step.map_or_else(String::new, step_words::of);
            drawing.note(&everybody, &format!("{place}: {words}"));
        } else {
            drawing.happening(happening);
        }
    }
    drawing.out.into_bytes()
}

/// A text where Mermaid takes one: its own signs are written as entities.
fn label(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("<br/>"),
            '#' | ';' | '<' | '>' | '%' | '{' | '}' | '&' | '"' | '`' | '\\' => {
                let _ = write!(out, "#{};", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    // An empty text is none.
    match out.trim().is_empty() {
        true => "-".to_owned(),
        false => out,
    }
}

struct Drawing<'a> {
    names: &'a Names<'a>,
    out: String,
}

impl Drawing<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "    {text}");
    }

    fn arrow(&mut self, from: &str, arrow: &str, to: &str, text: &str) {
        self.line(&format!("{from}{arrow}{to}: {}", label(text)));
    }

    fn note(&mut self, over: &str, text: &str) {
        self.line(&format!("Note over {over}: {}", label(text)));
    }

    fn happening(&mut self, happening: &Happening) {
        let site = happening_words::site(happening);
        if let (Some(event), Some(site)) = (happening_words::event(happening, self.names), site) {
            let text = format!("{}: {event}", site.topic_partition);
            return self.note(&cluster(site.cluster), &text);
        }
        match happening {
            Happening::IdGiven {
                cluster: giver,
                writer: whose,
                producer_id,
                producer_epoch,
            } => {
                let text = format!("id {producer_id}, epoch {producer_epoch}");
                self.arrow(&cluster(*giver), "-->>", &writer(*whose), &text);
            }
            Happening::Appended { site, by, batches } => self.appended(site, *by, batches),
            Happening::Acknowledged {
                site,
                writer: whose,
                base_offset,
                is_duplicate,
            } => {
                let text = match is_duplicate {
                    true => format!("confirmed at offset {base_offset}, taken for a repeat"),
                    false => format!("confirmed at offset {base_offset}"),
                };
                self.arrow(&cluster(site.cluster), "-->>", &writer(*whose), &text);
            }
            Happening::Refused {
                site,
                by,
                writer: whose,
                error,
            } => self.refused(site, *by, *whose, error),
            Happening::Restarted {
                cluster: at,
                replica,
                is_clean,
            } => {
                let how = if *is_clean { "clean" } else { "unclean" };
                let text = format!("replica {replica} starts after a stop that was {how}");
                self.note(&cluster(*at), &text);
            }
            Happening::Harm(harm) => self.harm(harm),
            _ => {}
        }
    }

    fn appended(&mut self, site: &Site, by: By, batches: &[Arc<Stored>]) {
        let to = cluster(site.cluster);
        for stored in batches {
            let id = self.names.id(stored.batch.producer_id);
            let batch = happening_words::batch(stored, &id, self.names);
            let name = &site.topic_partition;
            let from = match by {
                By::Client => stored.truth.writer().map_or(to.clone(), writer),
                By::Mirror(source) => cluster(source),
                By::Coordinator | By::MirrorStop | By::Follower => to.clone(),
            };
            let text = match by {
                By::Follower => format!("{name}: replica {} fetches {batch}", site.replica),
                _ => format!("{name}: {batch}"),
            };
            self.arrow(&from, "->>", &to, &text);
        }
    }

    fn refused(&mut self, site: &Site, by: By, whose: Option<WriterIndex>, error: &str) {
        let from = cluster(site.cluster);
        let to = match (by, whose) {
            (By::Client, Some(whose)) => writer(whose),
            (By::Mirror(source), _) => cluster(source),
            _ => from.clone(),
        };
        let text = format!("{}: refused: {error}", site.topic_partition);
        self.arrow(&from, "--x", &to, &text);
    }

    fn harm(&mut self, harm: &Harm) {
        let text = format!(
            "HARM in {}: {}",
            harm.topic_partition,
            happening_words::harm(harm)
        );
        self.line("rect rgb(255, 214, 204)");
        self.note(&cluster(harm.cluster), &text);
        self.line("end");
    }
}

fn cluster(index: ClusterIndex) -> String {
    format!("c{}", index.0)
}

fn writer(index: WriterIndex) -> String {
    format!("w{}", index.0)
}
