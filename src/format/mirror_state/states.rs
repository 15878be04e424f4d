//! What the numbers of states stood for: they changed six times.

use super::Layout;

/// Names by number.
type Names = [(i64, &'static str)];

/// The lists, by the day from which on they were used.
static LISTS: [&Names; 7] = [
    // 2026-01-14
    &[
        (0, "PREPARING_MIRRORING"),
        (1, "MIRRORING"),
        (2, "STOPPING"),
        (4, "STOPPED"),
        (8, "FAILED"),
    ],
    // 2026-01-15; 0 had two names, one behind the other.
    &[
        (0, "INITIALIZING"),
        (1, "PREPARING"),
        (2, "MIRRORING"),
        (4, "STOPPING"),
        (8, "STOPPED"),
        (16, "FAILED"),
        (32, "UNKNOWN"),
    ],
    // 2026-02-12
    &[
        (0, "PREPARING"),
        (1, "MIRRORING"),
        (2, "STOPPING"),
        (4, "STOPPED"),
        (8, "FAILED"),
        (16, "UNKNOWN"),
    ],
    // 2026-02-25
    &[
        (0, "PREPARING"),
        (1, "MIRRORING"),
        (2, "PAUSING"),
        (3, "PAUSED"),
        (4, "STOPPING"),
        (5, "STOPPED"),
        (6, "FAILED"),
        (16, "UNKNOWN"),
    ],
    // 2026-05-07
    &[
        (0, "LOG_TRUNCATION"),
        (1, "EPOCH_FENCING"),
        (2, "MIRRORING"),
        (3, "PAUSING"),
        (4, "PAUSED"),
        (5, "STOPPING"),
        (6, "STOPPED"),
        (7, "FAILED"),
        (16, "UNKNOWN"),
    ],
    // 2026-06-18; 16 stayed the default of the state before.
    &[
        (-1, "UNKNOWN"),
        (0, "LOG_TRUNCATION"),
        (1, "EPOCH_FENCING"),
        (2, "MIRRORING"),
        (3, "PAUSING"),
        (4, "PAUSED"),
        (5, "STOPPING"),
        (6, "STOPPED"),
        (7, "FAILED"),
        (16, "UNKNOWN"),
    ],
    // After 2026-07-21
    &[
        (-1, "UNKNOWN"),
        (0, "LOG_ALIGNMENT"),
        (1, "EPOCH_FENCING"),
        (2, "ULE_RECOVERY"),
        (3, "MIRRORING"),
        (4, "PAUSING"),
        (5, "PAUSED"),
        (6, "STOPPING"),
        (7, "STOPPED"),
        (8, "FAILED"),
    ],
];

/// What a number of a state in a layout stands for, the oldest meaning first: several names where
/// the numbers changed while the layout did not.
#[must_use]
pub fn state_names(layout: &Layout, number: i64) -> Vec<&'static str> {
    let lists = layout.states.iter().filter_map(|list| LISTS.get(*list));
    let named = lists.filter_map(|names| names.iter().find(|(own, _)| *own == number));
    let mut found = Vec::new();
    for (_, name) in named {
        if !found.contains(name) {
            found.push(*name);
        }
    }
    found
}
