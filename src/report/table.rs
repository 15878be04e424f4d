//! Tables for people: a line of names, then a line a row, columns apart by two spaces.

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

/// How a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// A table being filled.
#[derive(Debug)]
pub struct Table {
    grid: Grid,
}

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(columns.iter().map(|(name, _)| *name));
        for (column, (_, align)) in grid.column_iter_mut().zip(columns) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
            column.set_padding((0, 2));
        }
        Self { grid }
    }

    /// Adds a row.
    pub fn row<I: IntoIterator<Item = String>>(&mut self, cells: I) {
        self.grid.add_row(cells);
    }

    /// Writes it, without spaces at the ends of lines.
    pub fn write(&self, out: &mut Vec<u8>) {
        for line in self.lines() {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
    }

    /// Its lines, without spaces at their ends.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.grid.lines().map(|line| line.trim_end().to_owned())
    }

    /// Letters in its longest line.
    #[must_use]
    pub fn width(&self) -> usize {
        let widths = self.lines().map(|line| line.chars().count());
        widths.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Table};

    #[test]
    fn numbers_stand_under_each_other_and_lines_end_with_text() {
        let mut table = Table::new(&[
            ("producerId", Align::Right),
            ("origin", Align::Left),
            ("epoch", Align::Right),
        ]);
        table.row(["7", "local", "0"].map(str::to_owned));
        table.row(["-9223371946660462587", "x", "12"].map(str::to_owned));
        let mut out = Vec::new();
        table.write(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "          producerId  origin  epoch\n\
             \x20                  7  local       0\n\
             -9223371946660462587  x          12\n"
        );
    }
}
