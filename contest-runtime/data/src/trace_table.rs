//! Rows of an interleaving as a table for a terminal: one column per thread. The form follows Lincheck's report. One
//! renderer for generated tests and for hand-written models.

mod calls;

pub use calls::{calls_table, interleaving_table, table_of};

/// Least width a column is squeezed to, whatever the terminal.
const LEAST_COLUMN: usize = 12;

/// One line of a table before layout: which column, what, where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Text in the column of a thread.
    Cell {
        /// Number of the column.
        column: usize,
        /// Depth of nesting.
        indent: usize,
        /// What happened.
        text: String,
        /// Where, or empty.
        location: String,
    },
    /// One text per thread, for the short table.
    Calls(Vec<String>),
    /// A rule across the table.
    Rule,
}

/// Lays rows out: `| a | b |`, and the location after the last column. Columns are squeezed until the table is `width`
/// wide, if it can be.
#[must_use]
pub fn layout(columns: &[String], locations: bool, rows: &[Row], width: usize) -> String {
    let mut widths: Vec<usize> = columns.iter().map(|name| length(name)).collect();
    let mut location_width = 0;
    for row in rows {
        match row {
            Row::Cell {
                column,
                indent,
                text,
                location,
            } => {
                widths[*column] = widths[*column].max(2 * indent + length(text));
                location_width = location_width.max(length(location));
            }
            Row::Calls(texts) => {
                for (width, text) in widths.iter_mut().zip(texts) {
                    *width = (*width).max(length(text));
                }
            }
            Row::Rule => {}
        }
    }
    // `| ` and ` ` round each column, and the closing bar with the location behind it.
    let frame = 3 * columns.len() + 1 + if locations { 1 + location_width } else { 0 };
    squeeze(&mut widths, width.saturating_sub(frame));
    let mut out = String::new();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    line(&mut out, &widths, &names, "");
    for row in rows {
        match row {
            Row::Rule => {
                let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                let dashes: Vec<&str> = dashes.iter().map(String::as_str).collect();
                line(&mut out, &widths, &dashes, "");
            }
            Row::Cell {
                column,
                indent,
                text,
                location,
            } => {
                for (n, part) in wrap(text, *indent, widths[*column]).iter().enumerate() {
                    let mut cells = vec![""; columns.len()];
                    cells[*column] = part;
                    line(
                        &mut out,
                        &widths,
                        &cells,
                        if n == 0 { location } else { "" },
                    );
                }
            }
            Row::Calls(texts) => {
                let wrapped: Vec<Vec<String>> = texts
                    .iter()
                    .zip(&widths)
                    .map(|(text, width)| wrap(text, 0, *width))
                    .collect();
                let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
                for n in 0..height {
                    let cells: Vec<&str> = wrapped
                        .iter()
                        .map(|parts| parts.get(n).map_or("", String::as_str))
                        .collect();
                    line(&mut out, &widths, &cells, "");
                }
            }
        }
    }
    out
}

/// Takes from the widest column until all fit into `room`.
fn squeeze(widths: &mut [usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths
            .iter_mut()
            .max()
            .filter(|width| **width > LEAST_COLUMN)
        else {
            return;
        };
        *widest -= 1;
    }
}

fn line(out: &mut String, widths: &[usize], cells: &[&str], location: &str) {
    let mut text = String::from("|");
    for (width, cell) in widths.iter().zip(cells) {
        text.push(' ');
        text.push_str(cell);
        text.push_str(&" ".repeat(width.saturating_sub(length(cell)) + 1));
        text.push('|');
    }
    if !location.is_empty() {
        text.push(' ');
        text.push_str(location);
    }
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Breaks a text into lines of at most `width`; further lines are indented by two more. At its line breaks and at
/// blanks only: a path or a call is easier to read, and to copy, in one piece; but a longer piece is cut.
fn wrap(text: &str, indent: usize, width: usize) -> Vec<String> {
    let mut all = Vec::new();
    for (n, line) in text.split('\n').enumerate() {
        all.extend(wrap_line(line, indent + usize::from(n > 0), width));
    }
    all
}

fn wrap_line(text: &str, indent: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = "  ".repeat(indent);
    let mut line_length = 2 * indent;
    let mut empty = true;
    for mut word in text.split(' ') {
        let blank = usize::from(!empty);
        if !empty && line_length + blank + length(word) > width {
            lines.push(std::mem::take(&mut line));
            line = "  ".repeat(indent + 1);
            line_length = 2 * (indent + 1);
        } else if !empty {
            line.push(' ');
            line_length += 1;
        }
        while line_length + length(word) > width {
            let room = width.saturating_sub(line_length).max(1);
            let cut = prefix(word, room);
            line.push_str(&word[..cut]);
            word = &word[cut..];
            lines.push(std::mem::take(&mut line));
            line = "  ".repeat(indent + 1);
            line_length = 2 * (indent + 1);
            if word.is_empty() {
                break;
            }
        }
        line.push_str(word);
        line_length += length(word);
        empty = false;
    }
    lines.push(line);
    lines
}

/// Bytes of the longest beginning that is at most `columns` wide, of at least one character.
fn prefix(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += width_of(character);
        if used > columns && at > 0 {
            return at;
        }
    }
    text.len()
}

/// Columns of a terminal that the text takes.
fn length(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Coarse, after the ranges of Unicode's East Asian Width: scripts of wide characters take two columns, marks none.
fn width_of(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036F | 0x200B..=0x200F | 0xFE00..=0xFE0F => 0,
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cells_go_on_in_the_next_line_and_nothing_is_lost() {
        assert_eq!(wrap("aa bb cc", 0, 5), ["aa bb", "  cc"]);
        assert_eq!(wrap("abcdefgh", 0, 4), ["abcd", "  ef", "  gh"]);
        assert_eq!(wrap("a", 1, 10), ["  a"]);
        assert_eq!(wrap("a b\nc", 0, 10), ["a b", "  c"]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(length("a\u{4E2D}e\u{0301}"), 4);
    }
}
