//! The interleaving as a table: one column per thread, calls with what happened inside them nested below, one source location per
//! line. First a short table of calls, then the detailed one. The form follows Lincheck's report.
//!
//! Rules: a row that opens a call shows the call; the row that ends it shows what came back; a thread that is left inside a call shows
//! `switch`; the same steps again and again are folded; nothing is cut off, long cells go on in the next line.

use contest::judge::{Finding, InterleavingStep};

/// Least width a column is squeezed to, whatever the terminal.
const LEAST_COLUMN: usize = 12;
/// Longest group of steps that is recognised as the body of a loop.
const LONGEST_LOOP: usize = 4;
/// So many rounds stand before the rest are folded.
const ROUNDS_SHOWN: usize = 1;

/// One line of a table before layout: which column, what, where.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    /// Text in the column of a thread.
    Cell {
        column: usize,
        indent: usize,
        text: String,
        location: String,
    },
    /// One text per thread, for the short table.
    Calls(Vec<String>),
    /// A rule across the table.
    Rule,
}

/// The calls of each thread side by side, with what came back; no interleaving.
#[must_use]
pub fn calls_table(finding: &Finding, width: usize) -> String {
    let columns: Vec<String> = (1..=finding.threads.len()).map(thread_name).collect();
    let longest = finding.threads.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = vec![Row::Rule];
    for call in 0..longest {
        rows.push(Row::Calls(
            finding
                .threads
                .iter()
                .enumerate()
                .map(|(thread, calls)| match calls.get(call) {
                    None => String::new(),
                    Some(text) => {
                        let result = result_of(&finding.interleaving, thread + 1, call);
                        format!(
                            "{text}{}",
                            result.map_or(String::new(), |r| with_result(&r))
                        )
                    }
                })
                .collect(),
        ));
    }
    layout(&columns, false, &rows, width)
}

/// The interleaving, step by step.
#[must_use]
pub fn interleaving_table(
    steps: &[InterleavingStep],
    threads: &[Vec<String>],
    width: usize,
) -> String {
    let shown = shown_threads(steps);
    let columns: Vec<String> = shown.iter().map(|thread| thread_name(*thread)).collect();
    let mut rows = vec![Row::Rule];
    let mut open: Vec<Option<u16>> = vec![None; shown.len()];
    let mut previous: Option<usize> = None;
    for Folded {
        step,
        rounds,
        length,
    } in fold(steps)
    {
        let Some(column) = shown
            .iter()
            .position(|thread| *thread == usize::from(step.thread))
        else {
            continue;
        };
        if let Some(last) = previous
            && last != column
        {
            if shown[last] == 0 || shown[column] == 0 {
                rows.push(Row::Rule);
            } else if open[last].is_some() {
                rows.push(Row::Cell {
                    column: last,
                    indent: 1,
                    text: "switch".to_string(),
                    location: String::new(),
                });
            }
        }
        previous = Some(column);
        if rounds > 0 {
            rows.push(Row::Cell {
                column,
                indent: 1,
                text: match length {
                    1 => format!("… {rounds} more times"),
                    _ => format!("… these {length} steps {rounds} more times"),
                },
                location: String::new(),
            });
            continue;
        }
        let name = step
            .call
            .and_then(|call| call_text(threads, shown[column], call));
        if step.call.is_some() && open[column] != step.call {
            open[column] = step.call;
            if let Some(name) = &name {
                rows.push(Row::Cell {
                    column,
                    indent: 0,
                    text: name.clone(),
                    location: String::new(),
                });
            }
        }
        let indent = usize::from(open[column].is_some() && name.is_some());
        // The row that opens a call says only that it does.
        if !step.event.is_empty() && Some(&step.event) != name.as_ref() {
            rows.push(Row::Cell {
                column,
                indent,
                text: step.event.clone(),
                location: step.location.clone(),
            });
        }
        if let Some(result) = &step.result {
            rows.push(Row::Cell {
                column,
                indent,
                text: result.clone(),
                location: String::new(),
            });
            if !hung(result) {
                open[column] = None;
            }
        }
    }
    layout(&columns, true, &rows, width)
}

/// The main thread has a column only if it does something while others are there to see it.
fn shown_threads(steps: &[InterleavingStep]) -> Vec<usize> {
    let mut shown: Vec<usize> = steps.iter().map(|step| usize::from(step.thread)).collect();
    shown.sort_unstable();
    shown.dedup();
    shown
}

fn thread_name(thread: usize) -> String {
    match thread {
        0 => "main thread".to_string(),
        n => format!("thread {n}"),
    }
}

fn call_text(threads: &[Vec<String>], thread: usize, call: u16) -> Option<String> {
    let calls = threads.get(thread.checked_sub(1)?)?;
    calls.get(usize::from(call)).cloned()
}

fn hung(result: &str) -> bool {
    result == "<hung>"
}

fn result_of(steps: &[InterleavingStep], thread: usize, call: usize) -> Option<String> {
    steps
        .iter()
        .filter(|step| {
            usize::from(step.thread) == thread && step.call.map(usize::from) == Some(call)
        })
        .find_map(|step| step.result.clone())
}

/// `returned Some(1)` as `: Some(1)`; anything else, such as `<hung>`, after a space.
fn with_result(result: &str) -> String {
    match result.strip_prefix("returned ") {
        Some(value) => format!(": {value}"),
        None if result == "returned" => String::new(),
        None => format!(" {result}"),
    }
}

/// A step, or in its place `rounds` further repetitions of the `length` steps before it.
struct Folded<'a> {
    step: &'a InterleavingStep,
    rounds: usize,
    length: usize,
}

/// Folds a group of up to [`LONGEST_LOOP`] steps that is repeated at least twice more.
fn fold(steps: &[InterleavingStep]) -> Vec<Folded<'_>> {
    let mut folded = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let repeated = (1..=LONGEST_LOOP).find_map(|length| {
            let body = steps.get(at..at + length)?;
            if body.iter().any(|step| step.result.is_some()) {
                return None;
            }
            let rounds = steps[at..]
                .chunks_exact(length)
                .take_while(|chunk| *chunk == body)
                .count();
            (rounds >= ROUNDS_SHOWN + 2).then_some((length, rounds))
        });
        match repeated {
            Some((length, rounds)) => {
                let shown = length * ROUNDS_SHOWN;
                folded.extend(steps[at..at + shown].iter().map(|step| Folded {
                    step,
                    rounds: 0,
                    length: 0,
                }));
                folded.push(Folded {
                    step: &steps[at],
                    rounds: rounds - ROUNDS_SHOWN,
                    length,
                });
                at += length * rounds;
            }
            None => {
                folded.push(Folded {
                    step: &steps[at],
                    rounds: 0,
                    length: 0,
                });
                at += 1;
            }
        }
    }
    folded
}

/// Lays rows out: `| a | b |`, and the location after the last column.
fn layout(columns: &[String], locations: bool, rows: &[Row], width: usize) -> String {
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

/// Breaks a text into lines of at most `width`; further lines are indented by two more.
fn wrap(text: &str, indent: usize, width: usize) -> Vec<String> {
    let first = "  ".repeat(indent);
    let further = "  ".repeat(indent + 1);
    let options = textwrap::Options::new(width)
        .initial_indent(&first)
        .subsequent_indent(&further);
    textwrap::wrap(text, options)
        .into_iter()
        .map(|line| line.into_owned())
        .collect()
}

fn length(text: &str) -> usize {
    textwrap::core::display_width(text)
}

#[cfg(test)]
mod tests;
