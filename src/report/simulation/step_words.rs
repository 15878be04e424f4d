//! The steps of a scenario in words.

use crate::report::measure::{count, duration};
use crate::report::one_line::on_one_line;
use crate::simulate::scenario::{
    Aborts, BarrierWrite, ExpectStep, FetchStep, Isolation, MirrorStep, ProduceStep, RestartStep,
    Snapshots, Step, Stop, StopStep,
};

/// A step as a sentence without a full stop, on one line.
pub(super) fn of(step: &Step) -> String {
    let words = match step {
        Step::Produce(step) => produce(step),
        Step::Retry(step) => format!(
            "{} sends its last batch again to {}{}",
            step.writer,
            step.topic_partition,
            on(step.cluster.as_deref())
        ),
        Step::Begin(step) => format!("{} begins a transaction", step.writer),
        Step::Commit(step) => format!("{} commits", step.writer),
        Step::Abort(step) => format!("{} aborts", step.writer),
        Step::BumpEpoch(step) => format!("{} gets the next epoch of its id", step.writer),
        Step::Mirror(step) => mirror(step),
        Step::Stop(step) => stop(step, "stops mirroring"),
        Step::FailOver(step) => stop(step, "fails over"),
        Step::FailBack(step) => format!(
            "{} becomes the mirror of {} for {}, and is cut to what both share",
            step.to, step.from, step.topic_partition
        ),
        Step::Reassign(step) => format!(
            "{} goes on with {} as the source of {}",
            step.to, step.from, step.topic_partition
        ),
        Step::Pause(step) => format!("{} pauses its mirrors", step.cluster),
        Step::Resume(step) => format!("{} resumes its mirrors", step.cluster),
        Step::Restart(step) => restart(step),
        Step::Elect(step) => format!(
            "replica {} of {} is elected to lead{}",
            step.replica,
            step.cluster,
            for_partition(step.topic_partition.as_deref())
        ),
        Step::Lag(step) => format!(
            "replica {} of {} lags{}",
            step.replica,
            step.cluster,
            for_partition(step.topic_partition.as_deref())
        ),
        Step::Fetch(step) => fetch(step),
        Step::Roll(step) => format!("every replica of {} begins a new segment", step.cluster),
        Step::Wait(step) => {
            let ms = u64::try_from(step.ms).unwrap_or(0);
            format!("{} go by", duration(ms))
        }
        Step::Expect(step) => expect(step),
    };
    on_one_line(&words).into_owned()
}

fn on(cluster: Option<&str>) -> String {
    cluster.map_or_else(String::new, |cluster| format!(" on {cluster}"))
}

fn for_partition(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" in {name}"))
}

fn produce(step: &ProduceStep) -> String {
    let records = count(step.records.into(), "record");
    let what = match step.batches {
        1 => records,
        batches => format!("{batches} batches of {records}"),
    };
    let lost = match step.ack_lost {
        true => "; the last confirmation is lost",
        false => "",
    };
    format!(
        "{} writes {what} to {}{}{lost}",
        step.writer,
        step.topic_partition,
        on(step.cluster.as_deref())
    )
}

fn mirror(step: &MirrorStep) -> String {
    let mut words = format!(
        "{} mirrors {} from {}",
        step.to, step.topic_partition, step.from
    );
    words += &match step.batches {
        None => String::new(),
        Some(0) => ", which is set up and fetches nothing yet".to_owned(),
        Some(1) => ", 1 batch at most".to_owned(),
        Some(batches) => format!(", {batches} batches at most"),
    };
    if step.chunk > 1 {
        words += &format!(", {} batches a fetch", step.chunk);
    }
    if step.isolation == Isolation::ReadCommitted {
        words += ", below the last stable offset";
    }
    if step.late_fencing {
        words += ", before its leader epoch is raised";
    }
    words
}

fn stop(step: &StopStep, verb: &str) -> String {
    let mut words = format!(
        "{} {verb}{}",
        step.cluster,
        for_partition(step.topic_partition.as_deref())
    );
    words += match step.barrier {
        BarrierWrite::Written => "",
        BarrierWrite::Skipped => ", without a barrier",
        BarrierWrite::Repeated => ", with the barrier twice",
    };
    words += match step.aborts {
        Aborts::Written => "",
        Aborts::Failed => ", and cannot write its ABORT markers",
    };
    words
}

fn restart(step: &RestartStep) -> String {
    let how = match step.stop {
        Stop::Clean => "stops in order",
        Stop::Unclean => "crashes",
    };
    let lost = match step.snapshots {
        Snapshots::Kept => "",
        Snapshots::Lost => ", loses its snapshots",
    };
    format!(
        "replica {} of {} {how}{lost} and starts again",
        step.replica, step.cluster
    )
}

fn fetch(step: &FetchStep) -> String {
    let chunk = step.chunk.map_or_else(String::new, |chunk| {
        let batches = match chunk {
            1 => "1 batch".to_owned(),
            chunk => format!("{chunk} batches"),
        };
        format!(", {batches} a fetch")
    });
    format!(
        "replica {} of {} fetches {}{chunk}",
        step.replica, step.cluster, step.topic_partition
    )
}

fn expect(step: &ExpectStep) -> String {
    let mut wanted = Vec::new();
    if let Some(offset) = step.log_end_offset {
        wanted.push(format!("log end {offset}"));
    }
    if let Some(offset) = step.last_stable_offset {
        wanted.push(format!("last stable offset {offset}"));
    }
    if let Some(ids) = &step.producer_ids {
        let ids: Vec<_> = ids.iter().map(i64::to_string).collect();
        wanted.push(format!("producer ids {}", ids.join(", ")));
    }
    if let Some(producers) = step.producers {
        let producers = u64::try_from(producers).unwrap_or(u64::MAX);
        wanted.push(format!("state of {}", count(producers, "producer")));
    }
    let asked: Vec<_> = [&step.strategy, &step.rules]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let asked = match asked.is_empty() {
        true => String::new(),
        false => format!(" (only {})", asked.join(" under ")),
    };
    format!(
        "expected of {} on {}{asked}: {}",
        step.topic_partition,
        step.cluster,
        wanted.join("; ")
    )
}
