//! A run step by step, as plain text for a design review.

use super::names::Names;
use super::{View, happening_words, step_words};
use crate::report::one_line::on_one_line;
use crate::report::paragraph::wrap;
use crate::simulate::happening::{By, Happening};
use crate::simulate::stored::Stored;
use crate::simulate::truth::WriterIndex;
use std::sync::Arc;

/// In front of what happens in a step.
const INDENT: &str = "      ";

/// The run as text; nothing but its head when the run was not traced.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let names = Names::of(view.run);
    let mut out = format!("{}\n", view.scenario.name);
    if !view.scenario.about.is_empty() {
        wrap(&on_one_line(&view.scenario.about), 0, 0, &mut out);
    }
    out += &format!("{}\nagain: {}\n", view.terms(), on_one_line(view.replay));
    let mut is_over = false;
    for happening in view.run.world.happenings() {
        if let Happening::Step(place) = happening {
            let step = view.scenario.steps.get(*place);
            out += &format!(
                "\n{place:4}  {}\n",
                step.map_or_else(String::new, step_words::of)
            );
            continue;
        }
        // What shows at the end belongs to no step.
        if let Happening::Harm(harm) = happening
            && harm.step >= view.scenario.steps.len()
            && !is_over
        {
            out.push_str("\n end  all logs are judged\n");
            is_over = true;
        }
        for line in lines(happening, &names) {
            out += &format!("{INDENT}{}\n", on_one_line(&line));
        }
    }
    let kinds: Vec<_> = view.run.kinds().iter().map(|kind| kind.name()).collect();
    out += &match kinds.is_empty() {
        true => "\nsafe: no harm\n".to_owned(),
        false => format!("\nunsafe: {}\n", kinds.join(", ")),
    };
    for text in &view.run.broken {
        out += &format!("not as expected: {}\n", on_one_line(text));
    }
    out.into_bytes()
}

fn lines(happening: &Happening, names: &Names<'_>) -> Vec<String> {
    let place = happening_words::site(happening).map_or_else(String::new, |site| {
        format!("{} {}", names.place(site), site.topic_partition)
    });
    if let Some(event) = happening_words::event(happening, names) {
        return vec![format!("{place}: {event}")];
    }
    match happening {
        Happening::IdGiven {
            cluster,
            writer,
            producer_id,
            producer_epoch,
        } => vec![format!(
            "{}: {} gets id {producer_id}, epoch {producer_epoch}",
            names.cluster(*cluster),
            names.writer(*writer)
        )],
        Happening::Appended { by, batches, .. } => appended(*by, batches, &place, names),
        Happening::Acknowledged {
            writer,
            base_offset,
            is_duplicate,
            ..
        } => {
            let repeat = match is_duplicate {
                true => "; taken for a repeat, nothing is appended",
                false => "",
            };
            let writer = names.writer(*writer);
            vec![format!(
                "{place}: confirmed to {writer} at offset {base_offset}{repeat}"
            )]
        }
        Happening::Refused {
            by, writer, error, ..
        } => vec![format!(
            "{place}: refused{}: {error}",
            refused(*by, *writer, names)
        )],
        Happening::Restarted {
            cluster,
            replica,
            is_clean,
        } => {
            let how = match is_clean {
                true => "a clean stop",
                false => "a crash",
            };
            vec![format!(
                "{}/{replica}: up again after {how}",
                names.cluster(*cluster)
            )]
        }
        Happening::Harm(harm) => vec![format!(
            "HARM on {} in {}: {}",
            names.cluster(harm.cluster),
            harm.topic_partition,
            happening_words::harm(harm)
        )],
        _ => Vec::new(),
    }
}

/// A line a batch; those that came at once are counted.
fn appended(by: By, batches: &[Arc<Stored>], place: &str, names: &Names<'_>) -> Vec<String> {
    let way = happening_words::way(by, names);
    let count = batches.len();
    let lines = batches.iter().enumerate().map(|(number, stored)| {
        let id = names.full_id(stored.batch.producer_id);
        let batch = happening_words::batch(stored, &id, names);
        let which = match count {
            1 => String::new(),
            count => format!(", {} of {count} at once", number + 1),
        };
        format!("{place}: {way}{which}: {batch}")
    });
    lines.collect()
}

/// What was refused.
fn refused(by: By, writer: Option<WriterIndex>, names: &Names<'_>) -> String {
    match (writer, by) {
        (Some(writer), By::Coordinator | By::MirrorStop) => {
            format!(" the marker of {}", names.writer(writer))
        }
        (Some(writer), _) => format!(" {}", names.writer(writer)),
        (None, By::Mirror(source)) => format!(" what {} sent", names.cluster(source)),
        (None, _) => String::new(),
    }
}
