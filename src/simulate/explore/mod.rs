//! Searches for harm: random scenarios, all schedules of small models, and what is left of a
//! scenario when everything that does not matter is taken away.

mod dice;
mod exhaustive;
mod generate;
mod model;
mod search;
mod shrink;

pub use dice::Dice;
pub use exhaustive::{Exhausted, Limits, exhaust};
pub use generate::generate;
pub use model::{Model, models};
pub use search::{Explored, Found, explore};
pub use shrink::shrink;
