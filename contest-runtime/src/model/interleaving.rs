//! An execution of a model as rows of a table.

use super::finding::Step;
use contest_campaign::judge::{EventWords, field_rows, fold};
use contest_data::finding::InterleavingStep;
use contest_data::trace::{Action, BlockedThread, Ending, Event, ExecutionRecord, ThreadIndex};
use contest_data::trace_table::{Row, layout};

/// Width of a table that nothing else limits.
const WIDTH: usize = 140;

/// What happened, in order: operations, panics, and at the end what each thread that is left waits for.
pub(super) fn steps(record: &ExecutionRecord, threads: &[String]) -> Vec<Step> {
    let mut words = EventWords::new(&record.objects);
    let mut rows = Vec::new();
    let mut panics = record.panics.iter().peekable();
    let mut fields = field_rows(record).into_iter().peekable();
    for (number, event) in record.events.iter().enumerate() {
        while let Some((access, text)) = fields.next_if(|it| it.0.step as usize <= number) {
            rows.push(row(access.thread.0, text, &access.place.location()));
        }
        while let Some(panic) = panics.next_if(|panic| panic.step as usize <= number) {
            rows.push(row(panic.thread.0, panic_text(panic), &panic.location));
        }
        if let Some(text) = event_text(&mut words, event, threads) {
            rows.push(row(event.thread.0, text, &event.location.to_string()));
        }
    }
    for (access, text) in fields {
        rows.push(row(access.thread.0, text, &access.place.location()));
    }
    for panic in panics {
        rows.push(row(panic.thread.0, panic_text(panic), &panic.location));
    }
    let mut rows = fold(rows);
    if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &record.ending {
        rows.extend(blocked.iter().map(blocked_row));
    }
    rows.into_iter()
        .map(|row| Step {
            thread: row.thread,
            event: row.event,
            location: row.location,
        })
        .collect()
}

fn row(thread: u16, event: String, location: &str) -> InterleavingStep {
    InterleavingStep {
        thread,
        call: None,
        event,
        location: location.to_owned(),
        result: None,
    }
}

fn blocked_row(thread: &BlockedThread) -> InterleavingStep {
    row(
        thread.thread.0,
        // Since when is in the details above the table.
        format!(
            "<hung> {}",
            thread.waits_for.brief_text(&ThreadIndex::title)
        ),
        &thread.location,
    )
}

fn panic_text(panic: &contest_data::trace::Panic) -> String {
    let first = panic.message.lines().next().unwrap_or_default();
    format!("panics: {first}")
}

fn event_text(words: &mut EventWords<'_>, event: &Event, threads: &[String]) -> Option<String> {
    let name = |thread: contest_data::trace::ThreadIndex| {
        threads
            .get(thread.index())
            .map_or("a thread", String::as_str)
            .to_owned()
    };
    match event.action {
        Action::Spawn(thread) => Some(format!("spawn() -> {}", name(thread))),
        Action::Join(thread) => Some(format!("join({})", name(thread))),
        _ => words.event(event),
    }
}

/// The rows as a table, one column for each thread that does something, the location last.
pub(super) fn table(steps: &[Step], threads: &[String]) -> String {
    let mut shown: Vec<u16> = steps.iter().map(|step| step.thread).collect();
    shown.sort_unstable();
    shown.dedup();
    let columns: Vec<String> = shown
        .iter()
        .map(|&thread| threads.get(usize::from(thread)).cloned())
        .map(Option::unwrap_or_default)
        .collect();
    let mut rows = vec![Row::Rule];
    rows.extend(steps.iter().map(|step| {
        Row::Cell {
            column: shown.binary_search(&step.thread).unwrap_or_default(),
            indent: 0,
            text: step.event.clone(),
            // A fold has the location of the row that begins it.
            location: if step.event.starts_with('…') {
                String::new()
            } else {
                step.location.clone()
            },
        }
    }));
    layout(&columns, true, &rows, WIDTH)
}
