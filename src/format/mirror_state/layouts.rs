//! What lay behind each type of record, and when.

use super::Layout;
use crate::format::schema::Kind::{Int8, Int16, Int32, Int64, List, Struct, Text, Uuid};
use crate::format::schema::{ALL, Field, Message, NEVER, Shape, Versions, field, range};

/// Every layout that a prototype had or that was drafted. Of those that may read the same bytes
/// the one comes first that was written longer.
pub static LAYOUTS: [&Layout; 17] = [
    &layout("MirrorTopics 2025-10-24", &[0], &OF_MIRROR, &TOPICS),
    &layout(
        "LastMirrorEpochs after 2026-07-21",
        &[0, 1, 2],
        &OF_PARTITION,
        &POSITION,
    ),
    &layout("LastMirrorEpochs 2026-07-21", &[1], &OF_PARTITION, &EPOCH),
    &layout(
        "MirrorPartitionState after 2026-07-21",
        &[1],
        &OF_PARTITION,
        &STATE_WITH_EPOCHS,
    )
    .with_states(&[6]),
    &layout("LastMirrorEpochs 2026-03-30", &[1], &OF_MIRROR, &EPOCHS),
    &layout(
        "LastMirrorEpochs 2026-07-14",
        &[1],
        &OF_MIRROR,
        &EPOCHS_BY_ID,
    ),
    &layout("LastMirroredOffsets 2025-12-23", &[1], &OF_MIRROR, &OFFSETS),
    &layout(
        "LastMirroredOffsets 2026-02-27",
        &[1],
        &OF_MIRROR,
        &SHORT_OFFSETS,
    ),
    &layout(
        "MirrorOffsetCheckpoints 2025-12-22",
        &[1],
        &OF_MIRROR,
        &CHECKPOINTS,
    ),
    &layout(
        "MirrorPartitionState 2026-07-21",
        &[2],
        &OF_PARTITION,
        &STATE_OF_PARTITION,
    )
    .with_states(&[5]),
    &layout("MirrorPartitionState 2026-01-14", &[2], &OF_MIRROR, &STATE)
        .with_states(&[0, 1, 2, 3, 4]),
    &layout(
        "MirrorPartitionState 2026-05-14",
        &[2],
        &OF_MIRROR,
        &STATE_RETRIED,
    )
    .with_states(&[4, 5]),
    &layout(
        "MirrorPartitionState of hours on 2026-05-14",
        &[2],
        &OF_MIRROR,
        &STATE_RETRIED_FIRST,
    )
    .with_states(&[4]),
    &layout(
        "MirrorPartitionState 2026-06-25",
        &[2],
        &OF_MIRROR,
        &STATE_EXPLAINED,
    )
    .with_states(&[5]),
    &layout(
        "MirrorPartitionState of hours on 2026-07-08",
        &[2],
        &OF_MIRROR,
        &STATE_OFTEN_RETRIED,
    )
    .with_states(&[5]),
    &layout(
        "MirrorPartitionState 2026-07-14",
        &[2],
        &OF_MIRROR,
        &STATE_BY_ID,
    )
    .with_states(&[5]),
    &layout(
        "MirrorPidCollision 2026-03",
        &[3],
        &OF_COLLISION,
        &COLLISION,
    ),
];

const fn layout(
    name: &'static str,
    types: &'static [i16],
    key: &'static Message,
    value: &'static Message,
) -> Layout {
    Layout {
        name,
        types,
        key,
        value,
        states: &[],
    }
}

impl Layout {
    const fn with_states(mut self, states: &'static [usize]) -> Self {
        self.states = states;
        self
    }
}

const fn message(name: &'static str, flexible: Versions, fields: &'static [Field]) -> Message {
    Message::new(name, None, range(0, 0), flexible, fields)
}

const fn key(name: &'static str, fields: &'static [Field]) -> Message {
    message(name, NEVER, fields)
}

const fn value(name: &'static str, fields: &'static [Field]) -> Message {
    message(name, ALL, fields)
}

const fn structure(name: &'static str, fields: &'static [Field]) -> Shape {
    Shape::new(name, i16::MAX, fields)
}

const MIRROR_NAME: Field = field("mirrorName", Text, ALL);
const TOPIC_ID: Field = field("topicId", Uuid, ALL);
const TOPIC_NAME: Field = field("topicName", Text, ALL);
const PARTITION: Field = field("partition", Int32, ALL);
const PARTITION_INDEX: Field = field("partitionIndex", Int32, ALL);
const STATE_BYTE: Field = field("state", Int8, ALL);
const PREVIOUS_STATE: Field = field("previousState", Int8, ALL);
const RETRY_ATTEMPT: Field = field("retryAttempt", Int16, ALL);
const ERROR_MESSAGE: Field = field("errorMessage", Text, ALL).nullable(ALL);
const LAST_MIRROR_EPOCH: Field = field("lastMirrorEpoch", Int32, ALL);

static OF_MIRROR: Message = key("MirrorKey", &[MIRROR_NAME]);
static OF_PARTITION: Message = key("PartitionKey", &[MIRROR_NAME, TOPIC_ID, PARTITION]);
static OF_COLLISION: Message = key(
    "MirrorPidCollisionKey",
    &[
        TOPIC_ID,
        PARTITION,
        field("sourceClusterId", Text, ALL),
        field("originalPid", Int64, ALL),
    ],
);

static TOPIC: Shape = structure("Topic", &[field("name", Text, ALL)]);
static TOPICS: Message = value(
    "MirrorTopicsValue",
    &[field("topics", List(&Struct(&TOPIC)), ALL)],
);

static CHECKPOINT_PARTITION: Shape = structure(
    "Partition",
    &[
        PARTITION_INDEX,
        field("checkpointOffset", Int64, ALL),
        field("leaderEpoch", Int64, ALL),
    ],
);
static CHECKPOINT_TOPIC: Shape = structure(
    "Topic",
    &[
        field("name", Text, ALL),
        field("partitions", List(&Struct(&CHECKPOINT_PARTITION)), ALL),
    ],
);
static CHECKPOINTS: Message = value(
    "MirrorOffsetCheckpointsValue",
    &[field("topics", List(&Struct(&CHECKPOINT_TOPIC)), ALL)],
);

static OFFSET_PARTITION: Shape = structure(
    "Partition",
    &[PARTITION_INDEX, field("lastMirroredOffset", Int64, ALL)],
);
static OFFSET_TOPIC: Shape = structure(
    "Topic",
    &[
        field("name", Text, ALL),
        field("partitions", List(&Struct(&OFFSET_PARTITION)), ALL),
    ],
);
static OFFSETS: Message = value(
    "LastMirroredOffsetsValue",
    &[field("topics", List(&Struct(&OFFSET_TOPIC)), ALL)],
);

static SHORT_OFFSET_PARTITION: Shape = structure(
    "Partition",
    &[PARTITION_INDEX, field("lastMirroredOffset", Int32, ALL)],
);
static SHORT_OFFSET_TOPIC: Shape = structure(
    "Topic",
    &[
        field("name", Text, ALL),
        field("partitions", List(&Struct(&SHORT_OFFSET_PARTITION)), ALL),
    ],
);
static SHORT_OFFSETS: Message = value(
    "LastMirroredOffsetsValue",
    &[field("topics", List(&Struct(&SHORT_OFFSET_TOPIC)), ALL)],
);

static EPOCH_PARTITION: Shape = structure("Partition", &[PARTITION_INDEX, LAST_MIRROR_EPOCH]);
static EPOCH_TOPIC: Shape = structure(
    "Topic",
    &[
        field("name", Text, ALL),
        field("partitions", List(&Struct(&EPOCH_PARTITION)), ALL),
    ],
);
static EPOCHS: Message = value(
    "LastMirrorEpochsValue",
    &[field("topics", List(&Struct(&EPOCH_TOPIC)), ALL)],
);

static EPOCH_BY_ID_TOPIC: Shape = structure(
    "Topic",
    &[
        TOPIC_ID,
        field("partitions", List(&Struct(&EPOCH_PARTITION)), ALL),
    ],
);
static EPOCHS_BY_ID: Message = value(
    "LastMirrorEpochsValue",
    &[field("topics", List(&Struct(&EPOCH_BY_ID_TOPIC)), ALL)],
);

static EPOCH: Message = value("LastMirrorEpochsValue", &[LAST_MIRROR_EPOCH]);
/// The order of its two fields is that of the code that fills it; its schema was not seen.
static POSITION: Message = value(
    "LastMirrorEpochsValue",
    &[LAST_MIRROR_EPOCH, field("lastMirrorOffset", Int64, ALL)],
);

static STATE: Message = of_state(&[TOPIC_NAME, PARTITION, STATE_BYTE]);
static STATE_RETRIED: Message = of_state(&[
    TOPIC_NAME,
    PARTITION,
    STATE_BYTE,
    PREVIOUS_STATE,
    RETRY_ATTEMPT,
]);
static STATE_RETRIED_FIRST: Message = of_state(&[
    TOPIC_NAME,
    PARTITION,
    STATE_BYTE,
    RETRY_ATTEMPT,
    PREVIOUS_STATE,
]);
static STATE_EXPLAINED: Message = of_state(&[
    TOPIC_NAME,
    PARTITION,
    STATE_BYTE,
    PREVIOUS_STATE,
    RETRY_ATTEMPT,
    ERROR_MESSAGE,
]);
static STATE_OFTEN_RETRIED: Message = of_state(&[
    TOPIC_NAME,
    PARTITION,
    STATE_BYTE,
    PREVIOUS_STATE,
    field("retryAttempt", Int32, ALL),
    ERROR_MESSAGE,
]);
static STATE_BY_ID: Message = of_state(&[
    TOPIC_ID,
    PARTITION,
    STATE_BYTE,
    PREVIOUS_STATE,
    RETRY_ATTEMPT,
    ERROR_MESSAGE,
]);
static STATE_OF_PARTITION: Message =
    of_state(&[STATE_BYTE, PREVIOUS_STATE, RETRY_ATTEMPT, ERROR_MESSAGE]);
static STATE_WITH_EPOCHS: Message = of_state(&[
    STATE_BYTE,
    field("leaderEpoch", Int32, ALL),
    field("stateEpoch", Int32, ALL),
    ERROR_MESSAGE,
    RETRY_ATTEMPT,
    PREVIOUS_STATE,
]);

const fn of_state(fields: &'static [Field]) -> Message {
    value("MirrorPartitionStateValue", fields)
}

static COLLISION: Message = value(
    "MirrorPidCollisionValue",
    &[
        field("salt", Int64, ALL),
        field("collidingClusterId", Text, ALL),
        field("timestampMs", Int64, ALL),
    ],
);
