//! The scenarios that come with the program, each with what it shows.

use crate::report::json::{Object, WideIntegers};
use crate::report::paragraph::wrap;
use crate::simulate::builtin;
use crate::simulate::scenario::ScenarioError;

/// Names and what they show, wrapped.
///
/// # Errors
/// A built-in scenario is wrong.
pub fn text() -> Result<Vec<u8>, ScenarioError> {
    let longest = builtin::ALL.iter().map(|(name, _)| name.len()).max();
    let indent = longest.unwrap_or(0) + 2;
    let mut out = String::new();
    for (name, about) in abouts()? {
        out += &format!("{name:indent$}");
        wrap(&about, indent, indent, &mut out);
    }
    Ok(out.into_bytes())
}

/// `{schema, builtins: [{name, about}]}`.
///
/// # Errors
/// A built-in scenario is wrong.
pub fn json(wide: WideIntegers) -> Result<Vec<u8>, ScenarioError> {
    let mut out = Vec::new();
    let mut document = Object::open(&mut out, wide);
    document.int("schema", super::json::SCHEMA);
    let list = document.name("builtins");
    list.push(b'[');
    for (place, (name, about)) in abouts()?.into_iter().enumerate() {
        if place > 0 {
            list.push(b',');
        }
        let mut object = Object::open(list, wide);
        object.text("name", name);
        object.text("about", &about);
        object.close();
    }
    list.push(b']');
    document.close_line();
    Ok(out)
}

fn abouts() -> Result<Vec<(&'static str, String)>, ScenarioError> {
    let named = builtin::ALL.iter().filter_map(|(name, _)| {
        let scenario = builtin::by_name(name)?;
        Some(scenario.map(|scenario| (*name, scenario.about)))
    });
    named.collect()
}
