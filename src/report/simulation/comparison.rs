//! Many runs side by side: of one scenario a row each, of several scenarios tables of scenarios
//! by strategies.

use std::collections::BTreeSet;

use crate::report::one_line::on_one_line;
use crate::report::paragraph::wrap;
use crate::report::table::{Align, Table};
use crate::simulate::harm::HarmKind;
use crate::simulate::run::Run;
use crate::simulate::scenario::Scenario;

/// One design under one rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// The strategy's name.
    pub strategy: &'static str,
    /// The rule set's name.
    pub rules: &'static str,
}

/// The designs of one table, in the order of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// What stands above the table.
    pub title: String,
    /// The columns.
    pub designs: Vec<Design>,
    /// The columns differ in their rules.
    pub by_rules: bool,
}

/// Runs to be compared.
#[derive(Debug, Default)]
pub struct Comparison {
    scenarios: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    about: String,
    runs: Vec<(Design, BTreeSet<HarmKind>)>,
}

impl Comparison {
    /// The runs that follow are of this scenario.
    pub fn scenario(&mut self, scenario: &Scenario) {
        self.scenarios.push(Row {
            name: scenario.name.clone(),
            about: on_one_line(&scenario.about).into_owned(),
            runs: Vec::new(),
        });
    }

    /// A run of the last scenario.
    pub fn run(&mut self, run: &Run) {
        let design = Design {
            strategy: run.strategy().name(),
            rules: run.rules().name(),
        };
        if let Some(row) = self.scenarios.last_mut() {
            row.runs.push((design, run.kinds()));
        }
    }

    /// The comparison as text.
    #[must_use]
    pub fn text(&self, tables: &[Columns], seed: u64) -> Vec<u8> {
        let mut out = Vec::new();
        // Of a scenario that could not run there is nothing to show.
        let rows: Vec<_> = self
            .scenarios
            .iter()
            .filter(|row| !row.runs.is_empty())
            .collect();
        match rows.as_slice() {
            [] => {}
            [row] => one_scenario(row, seed, &mut out),
            rows => {
                for (place, columns) in tables.iter().enumerate() {
                    if place > 0 {
                        out.push(b'\n');
                    }
                    let mut title = String::new();
                    wrap(&format!("{}; seed {seed}", columns.title), 0, 0, &mut title);
                    title.push('\n');
                    out.extend_from_slice(title.as_bytes());
                    many_scenarios(rows, columns, &mut out);
                }
                legend(rows, &mut out);
            }
        }
        out
    }
}

/// A row a run, with the kinds of harm in full.
fn one_scenario(row: &Row, seed: u64, out: &mut Vec<u8>) {
    let mut head = format!("{}\n", row.name);
    if !row.about.is_empty() {
        wrap(&row.about, 0, 0, &mut head);
    }
    head += &format!("seed {seed}\n\n");
    out.extend_from_slice(head.as_bytes());
    let mut table = Table::new(&[
        ("strategy", Align::Left),
        ("rules", Align::Left),
        ("verdict", Align::Left),
        ("harm", Align::Left),
    ]);
    let mut before = "";
    for (design, kinds) in &row.runs {
        let strategy = match design.strategy == before {
            true => "",
            false => design.strategy,
        };
        before = design.strategy;
        let verdict = match kinds.is_empty() {
            true => "safe",
            false => "unsafe",
        };
        table.row([
            strategy.to_owned(),
            design.rules.to_owned(),
            verdict.to_owned(),
            lines_of(kinds),
        ]);
    }
    table.write(out);
    out.extend_from_slice(b"\nOne run in full: add --strategy NAME and --rules NAME.\n");
}

/// The kinds with commas between, broken to fit beside the other columns.
fn lines_of(kinds: &BTreeSet<HarmKind>) -> String {
    const ROOM: usize = 39;
    let mut out = String::new();
    let mut width = 0;
    for (place, kind) in kinds.iter().enumerate() {
        let comma = if place + 1 < kinds.len() { "," } else { "" };
        let word = format!("{}{comma}", kind.name());
        if width > 0 && width + 1 + word.len() > ROOM {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        width += word.len();
        out.push_str(&word);
    }
    out
}

/// A row a scenario, a column a design; a letter for each kind of harm.
fn many_scenarios(rows: &[&Row], columns: &Columns, out: &mut Vec<u8>) {
    let heads: Vec<&str> = columns
        .designs
        .iter()
        .map(|design| match columns.by_rules {
            true => design.rules,
            false => heading(design.strategy),
        })
        .collect();
    let mut shape = vec![("scenario", Align::Left)];
    shape.extend(heads.iter().map(|head| (*head, Align::Left)));
    let mut table = Table::new(&shape);
    let kinds_of = |row: &Row, design: &Design| {
        let mut runs = row.runs.iter();
        let found = runs.find(|(one, _)| one == design);
        found.map(|(_, kinds)| kinds.clone())
    };
    let mut safe = vec![0_usize; columns.designs.len()];
    for row in rows {
        let mut cells = vec![row.name.clone()];
        for (design, safe) in columns.designs.iter().zip(&mut safe) {
            cells.push(match kinds_of(row, design) {
                None => "?".to_owned(),
                Some(kinds) if kinds.is_empty() => {
                    *safe += 1;
                    "safe".to_owned()
                }
                Some(kinds) => kinds.into_iter().map(letter).collect(),
            });
        }
        table.row(cells);
    }
    let mut last = vec![format!("safe, of {}", rows.len())];
    last.extend(safe.iter().map(usize::to_string));
    table.row(last);
    table.write(out);
}

/// The name of a strategy, broken so that seven of them fit beside each other.
fn heading(strategy: &'static str) -> &'static str {
    match strategy {
        "verbatim" => "verba-\ntim",
        "negate-idempotent" => "negate\nidemp.",
        "bit-field" => "bit\nfield",
        "bit-field-salt" => "bit\nfield\nsalt",
        "bit-field-random-salt" => "bit\nfield\nrandom\nsalt",
        other => other,
    }
}

/// What stands for a kind of harm in a table.
const fn letter(kind: HarmKind) -> char {
    match kind {
        HarmKind::PidCollision => 'C',
        HarmKind::SilentOverwrite => 'O',
        HarmKind::SilentEpochRegression => 'E',
        HarmKind::TransactionCorruption => 'T',
        HarmKind::LostWrite => 'L',
        HarmKind::RejectedWrite => 'R',
        HarmKind::DuplicateWrite => 'D',
        HarmKind::FencedProducer => 'F',
        HarmKind::StuckLso => 'S',
        HarmKind::IdentityChange => 'I',
        HarmKind::ReplicaDivergence => 'V',
    }
}

/// The letters that were used, three to a line.
fn legend(rows: &[&Row], out: &mut Vec<u8>) {
    let used: BTreeSet<HarmKind> = rows
        .iter()
        .flat_map(|row| &row.runs)
        .flat_map(|(_, kinds)| kinds.iter().copied())
        .collect();
    let used: Vec<_> = HarmKind::ALL
        .into_iter()
        .filter(|kind| used.contains(kind))
        .map(|kind| format!("{} {}", letter(kind), kind.name()))
        .collect();
    let mut text = String::from("\n");
    // Down the columns, as a reader looks for a letter.
    let height = used.len().div_ceil(3).max(1);
    for line in 0..height.min(used.len()) {
        let cells: Vec<_> = used.iter().skip(line).step_by(height).collect();
        let cells: Vec<_> = cells.into_iter().map(|cell| format!("{cell:25}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    if used.is_empty() {
        text.clear();
    }
    text += "\nOne run in full: name one scenario and one --strategy.\n";
    out.extend_from_slice(text.as_bytes());
}
