//! The plan in sentences: what would be better comes first, then what is lost.

use super::{Outcome, View};
use crate::format::number::Offset;
use crate::repair::plan::{Kept, Lost, Plan, Step, Verb};
use crate::repair::replicas::Replicas;
use crate::report::measure::count;
use crate::report::one_line::{on_one_line, path_on_one_line};
use crate::report::paragraph::wrap;

/// How many lines of a kind are shown.
const MOST: usize = 50;

/// The plan as text, with what became of it.
#[must_use]
pub fn text(view: &View<'_>) -> String {
    let plan = view.plan;
    let mut out = format!("{}\n", path_on_one_line(&plan.directory));
    if plan.is_empty() {
        out += "nothing to do\n";
        lines("warning", &plan.warnings, &mut out);
    } else {
        todo(plan, &mut out);
    }
    if let Some(outcome) = &view.outcome {
        done(plan, outcome, &mut out);
    }
    out
}

fn todo(plan: &Plan, out: &mut String) {
    lines("better", &plan.alternatives, out);
    kept(plan.kept, out);
    let lost: Vec<_> = plan.lost.iter().map(loss).collect();
    lines("lost", &lost, out);
    if let Some(known) = &plan.replicas {
        line("replicas", &replicas(known), out);
    }
    lines("warning", &plan.warnings, out);
    let steps: Vec<_> = plan.steps.iter().map(step).collect();
    lines("step", &steps, out);
}

fn done(plan: &Plan, outcome: &Outcome<'_>, out: &mut String) {
    let is_written = outcome.path != plan.directory;
    if is_written || outcome.set_aside.is_some() {
        line("result", &path_on_one_line(outcome.path), out);
    }
    if let Some(path) = outcome.set_aside {
        line("old files", &path_on_one_line(path), out);
    }
    match outcome.left {
        [] => line(
            "check",
            "nothing is wrong with it, and a broker keeps every byte",
            out,
        ),
        left => lines("left", left, out),
    }
    if !plan.is_empty() {
        procedure(plan, outcome, out);
    }
}

fn lines(name: &str, texts: &[String], out: &mut String) {
    for text in texts.iter().take(MOST) {
        line(name, &on_one_line(text), out);
    }
    if let Some(more) = texts.len().checked_sub(MOST).filter(|more| *more > 0) {
        line(
            name,
            &format!("and {more} more; --format json has all"),
            out,
        );
    }
}

fn line(name: &str, text: &str, out: &mut String) {
    const INDENT: usize = 11;
    let name = format!("{name}:");
    *out += &format!("{name:<INDENT$}");
    wrap(text, INDENT, INDENT, out);
}

fn kept(kept: Kept, out: &mut String) {
    let records = count(kept.records, "record");
    let text = match (kept.first_offset, kept.last_offset) {
        (Some(first), Some(last)) => format!("{records}, offsets {first} to {last}"),
        _ => records,
    };
    line("kept", &text, out);
}

fn replicas(known: &Replicas) -> String {
    let brokers = |ids: &[i32]| {
        let ids: Vec<_> = ids.iter().map(i32::to_string).collect();
        match ids.len() {
            0 => "no broker".to_owned(),
            1 => format!("broker {}", ids.join(", ")),
            _ => format!("brokers {}", ids.join(", ")),
        }
    };
    let leader = match known.leader {
        -1 => "no leader".to_owned(),
        leader => format!("leader {leader}"),
    };
    let own = match known.own {
        Some(own) => format!("this directory is broker {own}'s"),
        None => "whose directory this is, no meta.properties beside it tells".to_owned(),
    };
    let eligible = match known.eligible.is_empty() {
        true => String::new(),
        false => format!(", eligible to lead {}", brokers(&known.eligible)),
    };
    format!(
        "{}; in sync {}{eligible}; {leader} in epoch {}, by the cluster's metadata up to offset \
         {}; {own}",
        brokers(&known.brokers),
        brokers(&known.isr),
        known.leader_epoch,
        known.end_offset
    )
}

fn loss(lost: &Lost) -> String {
    let records = match lost.records {
        Some(records) => count(records, "record"),
        None => "an unknown number of records".to_owned(),
    };
    let offsets = match (lost.first_offset, lost.last_offset) {
        (Some(first), Some(last)) if first == last => format!("offset {first}, "),
        (Some(first), Some(last)) => format!("offsets {first} to {last}, "),
        (Some(first), None) => format!("offset {first} and what follows, "),
        _ => String::new(),
    };
    format!("{offsets}{records}: {}", lost.reason)
}

fn step(step: &Step) -> String {
    let mut text = format!("{} {}", step.action.as_str(), step.file);
    if let Some(size) = step.size {
        text += &format!(", {}", count(size, "byte"));
    }
    if let Some(position) = step.position {
        text += &format!(" at {position}");
    }
    format!("{text}: {}", step.detail)
}

/// What the result depends on that does not lie in it.
fn log_start(plan: &Plan, start: Offset) -> String {
    let name = &plan.topic_partition;
    let (topic, partition) = name.rsplit_once('-').unwrap_or((name, "0"));
    format!(
        ". The log begins at {start} by log-start-offset-checkpoint; wherever else the result is \
         checked, planned again or started, that file must lie beside it with the line \"{topic} \
         {partition} {start}\", or the log begins with its first segment"
    )
}

/// What is left to do by hand.
fn procedure(plan: &Plan, outcome: &Outcome<'_>, out: &mut String) {
    // What is appended must be the same on every replica first.
    let start = match plan.verb {
        Verb::Barrier | Verb::Abort => {
            "start no broker before every other replica has the same batch or has been moved away"
        }
        _ => "start the broker",
    };
    let text = match outcome.set_aside.is_some() {
        true => format!("{start}; the old files can go when all is well"),
        false => format!(
            "stop the broker, move {} out of its log directory, move the result there, {start}; \
             the checkpoints of the log directory stay as they are{}",
            path_on_one_line(&plan.directory),
            outcome
                .log_start
                .map_or_else(String::new, |start| log_start(plan, start)),
        ),
    };
    line("next", &text, out);
}
