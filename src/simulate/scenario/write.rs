//! Writes scenario files as people like to read them: a line for each cluster, writer and step.

use super::{BarrierLayout, Scenario};
use serde::Serialize;

/// The text of a scenario's file; [`super::read`] gives the same scenario back.
#[must_use]
pub fn write(scenario: &Scenario) -> String {
    let mut fields = vec![
        field("schema", &scenario.schema),
        field("name", &scenario.name),
    ];
    if !scenario.about.is_empty() {
        fields.push(field("about", &scenario.about));
    }
    if let Some(form) = &scenario.form {
        fields.push(field("form", form));
    }
    if scenario.barrier_layout != BarrierLayout::default() {
        fields.push(field("barrierLayout", &scenario.barrier_layout));
    }
    fields.push(list("clusters", &scenario.clusters));
    fields.push(list("writers", &scenario.writers));
    fields.push(list("steps", &scenario.steps));
    if !scenario.expect.is_empty() {
        fields.push(list("expect", &scenario.expect));
    }
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// A value in JSON. A scenario is texts and numbers: there is nothing that JSON cannot say.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn field(name: &str, value: &impl Serialize) -> String {
    format!("  \"{name}\": {}", json(value))
}

fn list(name: &str, items: &[impl Serialize]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("\n    {}", json(item)))
        .collect();
    let end = match items.is_empty() {
        true => "",
        false => "\n  ",
    };
    format!("  \"{name}\": [{}{end}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::builtin;
    use crate::simulate::scenario::read;

    #[test]
    fn what_is_written_reads_the_same() {
        for (name, text) in builtin::ALL {
            let scenario = read(text).unwrap();
            let written = write(&scenario);
            assert_eq!(read(&written).unwrap(), scenario, "{name}");
            assert_eq!(written.lines().count(), text.lines().count(), "{name}");
        }
    }
}
