//! The interleaving as a table: one column per thread, calls with what happened inside them nested below, one source
//! location per line. First a short table of calls, then the detailed one. The form follows Lincheck's report.
//!
//! Rules: a row that opens a call shows the call; the row that ends it shows what came back; a thread that is left
//! inside a call shows `switch`; nothing is cut off, long cells go on in the next line.

use super::{Row, layout};
use crate::finding::{Finding, InterleavingStep};
use crate::sorted;

/// What a call that has not returned comes back with.
const HUNG: &str = "<hung>";

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

/// The interleaving, step by step. What the main thread does before the others start is left out: it is shown above the
/// table as code.
#[must_use]
pub fn interleaving_table(
    steps: &[InterleavingStep],
    threads: &[Vec<String>],
    width: usize,
) -> String {
    table(steps, threads, &[], width)
}

/// The interleaving of a generated test or of a model, whose threads have names.
#[must_use]
pub fn table_of(finding: &Finding, width: usize) -> String {
    let names = &finding.thread_names;
    table(&finding.interleaving, &finding.threads, names, width)
}

fn table(
    steps: &[InterleavingStep],
    threads: &[Vec<String>],
    names: &[String],
    width: usize,
) -> String {
    // In a model all threads are alike; in a generated test what the main thread does is set apart.
    let has_calls = steps.iter().any(|step| step.call.is_some());
    let prefix = steps
        .iter()
        .take_while(|step| step.thread == 0 && is_header(step))
        .count();
    // Nothing but the main thread: then that is what there is to see.
    let steps = if prefix < steps.len() {
        &steps[prefix..]
    } else {
        steps
    };
    let shown = shown_threads(steps);
    let name =
        |&thread: &usize| (names.get(thread).cloned()).unwrap_or_else(|| thread_name(thread));
    let columns: Vec<String> = shown.iter().map(name).collect();
    let mut rows = vec![Row::Rule];
    let mut open: Vec<Option<u16>> = vec![None; shown.len()];
    let mut previous: Option<usize> = None;
    for step in steps {
        let thread = usize::from(step.thread);
        let Some(column) = shown.iter().position(|shown| *shown == thread) else {
            continue;
        };
        if let Some(last) = previous
            && last != column
        {
            if has_calls && (shown[last] == 0 || shown[column] == 0) {
                rows.push(Row::Rule);
            } else if open[last].is_some() {
                rows.push(cell(last, 1, "switch", ""));
            }
        }
        previous = Some(column);
        let mut opened = false;
        if step.call.is_some() && open[column] != step.call {
            open[column] = step.call;
            opened = is_header(step);
            if let Some(name) = step.call.and_then(|call| call_text(threads, thread, call))
                && !opened
            {
                rows.push(cell(column, 0, &name, ""));
            }
        }
        let indent = usize::from(step.call.is_some());
        if !step.event.is_empty() {
            let location = if step.event.starts_with('…') {
                ""
            } else {
                &step.location
            };
            let indent = if opened { 0 } else { indent };
            rows.push(cell(column, indent, &step.event, location));
        }
        if let Some(result) = &step.result {
            rows.push(cell(column, indent, result, ""));
            if result != HUNG {
                open[column] = None;
            }
        }
    }
    layout(&columns, true, &rows, width)
}

/// The row that opens a call is the call itself: it has no place in the source of the crate.
fn is_header(step: &InterleavingStep) -> bool {
    step.call.is_some() && step.location.is_empty() && !step.event.is_empty()
}

fn cell(column: usize, indent: usize, text: &str, location: &str) -> Row {
    Row::Cell {
        column,
        indent,
        text: text.to_string(),
        location: location.to_string(),
    }
}

/// Threads that do something, in order.
fn shown_threads(steps: &[InterleavingStep]) -> Vec<usize> {
    let mut shown: Vec<usize> = steps.iter().map(|step| usize::from(step.thread)).collect();
    sorted::sort(&mut shown);
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
