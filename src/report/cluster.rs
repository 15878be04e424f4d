//! A cluster as its metadata tell it: tables for people, or a JSON document.

use super::json::{Object, WideIntegers, array, push_int, push_text};
use super::measure::count;
use super::one_line::{on_one_line, path_on_one_line};
use super::table::{Align, Table};
use crate::analysis::cluster_image::{Broker, ClusterImage, Partition, Resource, Topic};
use crate::analysis::cluster_log::ClusterLog;
use crate::format::uuid::Uuid;
use std::path::Path;

/// The cluster as text: what it was read from, then brokers, topics and what was configured.
#[must_use]
pub fn text(path: &Path, log: &ClusterLog) -> Vec<u8> {
    let image = &log.image;
    let mut out = format!(
        "{}\nmetadata up to offset {}, epoch {}\n",
        path_on_one_line(path),
        log.end_offset,
        log.epoch
    );
    if let Some(snapshot) = &log.snapshot {
        let name = snapshot.file_name().unwrap_or_default().to_string_lossy();
        out += &format!("began with {}\n", on_one_line(&name));
    }
    out += &match image.next_producer_id() {
        Some(next) => format!("producer ids below {next} are given out to brokers\n"),
        None => "no producer id was given out\n".to_owned(),
    };
    for (name, level) in image.features() {
        out += &format!("feature {} {level}\n", on_one_line(name));
    }
    let mut out = out.into_bytes();
    if !image.brokers().is_empty() {
        out.push(b'\n');
        brokers(image).write(&mut out);
    }
    out.push(b'\n');
    let partitions = image.topics().values().map(|topic| topic.partitions.len());
    let head = format!(
        "{}, {}\n",
        count(image.topics().len() as u64, "topic"),
        count(partitions.sum::<usize>() as u64, "partition")
    );
    out.extend_from_slice(head.as_bytes());
    if !image.topics().is_empty() {
        topics(image, &mut out);
    }
    for (resource, keys) in image.configs() {
        let kind = kind_of(resource);
        let name = match resource.name.as_str() {
            "" => "every one",
            name => name,
        };
        let head = format!("\n{kind} {}\n", on_one_line(name));
        out.extend_from_slice(head.as_bytes());
        for (key, value) in keys {
            let line = format!("  {}={}\n", on_one_line(key), on_one_line(value));
            out.extend_from_slice(line.as_bytes());
        }
    }
    out
}

fn kind_of(resource: &Resource) -> String {
    let name = resource.kind_name().map(str::to_owned);
    name.unwrap_or_else(|| format!("UNKNOWN({})", resource.kind))
}

fn brokers(image: &ClusterImage) -> Table {
    let mut table = Table::new(&[
        ("broker", Align::Right),
        ("state", Align::Left),
        ("rack", Align::Left),
        ("listeners", Align::Left),
    ]);
    for (id, broker) in image.brokers() {
        let mut head = [
            id.to_string(),
            state(broker).to_owned(),
            on_one_line(broker.rack.as_deref().unwrap_or("-")).into_owned(),
        ];
        // One a line; a broker without any has its line all the same.
        let listeners = broker.listeners.iter().map(|place| {
            let host = on_one_line(&place.host);
            format!("{}://{host}:{}", on_one_line(&place.name), place.port)
        });
        let listeners: Vec<_> = listeners.collect();
        for row in 0..listeners.len().max(1) {
            let [id, state, rack] = std::mem::take(&mut head);
            let listener = listeners.get(row).cloned().unwrap_or_default();
            table.row([id, state, rack, listener]);
        }
    }
    table
}

const fn state(broker: &Broker) -> &'static str {
    match (broker.is_fenced, broker.in_controlled_shutdown) {
        (true, _) => "fenced",
        (false, true) => "stopping",
        (false, false) => "active",
    }
}

/// By name, as people look for them.
fn by_name(image: &ClusterImage) -> Vec<(&Uuid, &Topic)> {
    let mut topics: Vec<_> = image.topics().iter().collect();
    topics.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
    topics
}

/// Each topic's name and id, and below them its partitions in columns that go through all topics:
/// a line has room for many replicas.
fn topics(image: &ClusterImage, out: &mut Vec<u8>) {
    let mut table = Table::new(&[
        ("partition", Align::Right),
        ("leader", Align::Right),
        ("epoch", Align::Right),
        ("replicas", Align::Left),
        ("isr", Align::Left),
    ]);
    let topics = by_name(image);
    for (number, partition) in topics.iter().flat_map(|(_, topic)| &topic.partitions) {
        table.row([
            number.to_string(),
            match partition.leader {
                -1 => "none".to_owned(),
                leader => leader.to_string(),
            },
            partition.leader_epoch.to_string(),
            list(&partition.replicas),
            list(&partition.isr),
        ]);
    }
    let mut push = |line: &str| {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    };
    let mut lines = table.lines();
    lines.next().iter().for_each(|head| push(head));
    for (id, topic) in topics {
        push(&format!("{}  {id}", on_one_line(&topic.name)));
        if topic.partitions.is_empty() {
            push("     none");
        }
        let own = lines.by_ref().take(topic.partitions.len());
        own.for_each(|line| push(&line));
    }
}

fn list(brokers: &[i32]) -> String {
    let brokers: Vec<_> = brokers.iter().map(ToString::to_string).collect();
    match brokers.is_empty() {
        true => "-".to_owned(),
        false => brokers.join(","),
    }
}

/// The cluster as one JSON document.
#[must_use]
pub fn json(log: &ClusterLog, wide: WideIntegers) -> Vec<u8> {
    let image = &log.image;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.int("schema", 1);
    object.int("offset", log.end_offset.0);
    object.int("epoch", log.epoch.0);
    object.optional_int("nextProducerId", image.next_producer_id().map(|id| id.0));
    let mut features = Object::open(object.name("features"), wide);
    for (name, level) in image.features() {
        push_int((*level).into(), wide, features.foreign_name(name));
    }
    features.close();
    array(
        object.name("brokers"),
        image.brokers(),
        |(id, broker), out| {
            push_broker(*id, broker, wide, out);
        },
    );
    array(object.name("topics"), by_name(image), |(id, topic), out| {
        push_topic(id, topic, wide, out);
    });
    array(
        object.name("configs"),
        image.configs(),
        |(resource, keys), out| {
            let mut object = Object::open(out, wide);
            object.text("type", &kind_of(resource));
            object.text("name", &resource.name);
            let mut configs = Object::open(object.name("configs"), wide);
            for (key, value) in keys {
                push_text(value, configs.foreign_name(key));
            }
            configs.close();
            object.close();
        },
    );
    object.close_line();
    out
}

fn push_broker(id: i32, broker: &Broker, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.int("brokerId", id);
    object.int("brokerEpoch", broker.epoch);
    object.text("incarnationId", &broker.incarnation_id.to_string());
    match &broker.rack {
        Some(rack) => object.text("rack", rack),
        None => object.null("rack"),
    }
    object.boolean("isFenced", broker.is_fenced);
    object.boolean("inControlledShutdown", broker.in_controlled_shutdown);
    array(object.name("listeners"), &broker.listeners, |place, out| {
        let mut object = Object::open(out, wide);
        object.text("name", &place.name);
        object.text("host", &place.host);
        object.int("port", place.port);
        object.close();
    });
    array(object.name("logDirs"), &broker.log_dirs, |id, out| {
        push_text(&id.to_string(), out);
    });
    object.close();
}

fn push_topic(id: &Uuid, topic: &Topic, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("name", &topic.name);
    object.text("topicId", &id.to_string());
    let partitions = object.name("partitions");
    array(partitions, &topic.partitions, |(number, partition), out| {
        push_partition(*number, partition, wide, out);
    });
    object.close();
}

fn push_partition(number: i32, partition: &Partition, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.int("partition", number);
    object.int("leader", partition.leader);
    for (name, brokers) in [
        ("replicas", &partition.replicas),
        ("isr", &partition.isr),
        (
            "eligibleLeaderReplicas",
            &partition.eligible_leader_replicas,
        ),
        ("lastKnownElr", &partition.last_known_elr),
    ] {
        array(object.name(name), brokers, |broker, out| {
            out.extend_from_slice(broker.to_string().as_bytes());
        });
    }
    object.int("leaderEpoch", partition.leader_epoch.0);
    object.int("partitionEpoch", partition.partition_epoch);
    object.close();
}
