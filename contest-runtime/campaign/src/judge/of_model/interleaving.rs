//! An execution of a model as rows of a table.

use crate::judge::event_text::EventWords;
use crate::judge::interleaving::{Rows, fold, walk};
use crate::judge::timing::{is_of_system, place};
use contest_data::finding::InterleavingStep;
use contest_data::trace::{
    Action, BlockedThread, Ending, Event, ExecutionRecord, Panic, PlainAccess, ThreadIndex,
};

/// What happened, in order: operations, panics, and at the end what each thread that is left waits for.
pub(super) fn steps(record: &ExecutionRecord, threads: &[String]) -> Vec<InterleavingStep> {
    let mut table = Table {
        threads,
        words: EventWords::new(record),
        panics: &record.panics,
        rows: Vec::new(),
    };
    walk(record, &mut table);
    if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &record.ending {
        table.rows.extend(blocked.iter().map(blocked_row));
    }
    fold(table.rows)
}

struct Table<'a> {
    threads: &'a [String],
    words: EventWords<'a>,
    /// Those without a row yet.
    panics: &'a [Panic],
    rows: Vec<InterleavingStep>,
}

impl Table<'_> {
    fn name(&self, thread: ThreadIndex) -> &str {
        super::name(self.threads, thread)
    }

    /// True if the thread's last row says the same at the same line: a request to the system is two steps, its begin
    /// and its end.
    fn is_shown(&self, event: &Event, text: Option<&str>, location: &str) -> bool {
        let mut rows = self.rows.iter().rev();
        let before = rows.find(|it| it.thread == event.thread.0);
        before.is_some_and(|it| Some(&*it.event) == text && it.location == location)
    }
}

impl Rows for Table<'_> {
    fn event(&mut self, record: &ExecutionRecord, number: usize, event: &Event) {
        let text = match event.action {
            Action::Spawn(thread) => Some(format!("spawn() -> {}", self.name(thread))),
            Action::Join(thread) => Some(format!("join({})", self.name(thread))),
            _ => of_system(event).or_else(|| self.words.of(record, number)),
        };
        let location = match record.delayed {
            Some(delayed) if delayed as usize == number => place(record).unwrap_or_default(),
            _ => location_in_package(record, number),
        };
        if of_system(event).is_some() {
            let stack = record.stack(number);
            let is_of_engine = stack.is_some_and(|it| it.frame_in_package().is_none());
            if is_of_engine || self.is_shown(event, text.as_deref(), &location) {
                return;
            }
        }
        let caller = record.caller(number).filter(|it| *it != location);
        self.rows.extend(text.map(|text| InterleavingStep {
            caller,
            ..row(event.thread.0, text, &location)
        }));
    }

    fn field(&mut self, _: &ExecutionRecord, access: &PlainAccess, text: String) {
        if access.place.is_of_engine() {
            return;
        }
        let location = access.place.location();
        self.rows.push(row(access.thread.0, text, &location));
    }

    fn between(&mut self, _: &ExecutionRecord, step: u32) {
        while let Some((panic, rest)) = self.panics.split_first()
            && panic.step <= step
        {
            self.panics = rest;
            let first = panic.message.lines().next().unwrap_or_default();
            let text = format!("panics: {first}");
            self.rows.push(row(panic.thread.0, text, &panic.location));
        }
    }
}

/// What code under test asks of the system, where what stands in for libc makes a step of it.
fn of_system(event: &Event) -> Option<String> {
    let (_, file) = event.location.file().split_once("contest-runtime/")?;
    let (_, file) = file.split_once("/src/")?;
    let text = match (file, event.action) {
        ("symbols/environment.rs", Action::Load(_)) => "reads an environment variable",
        ("symbols/environment.rs", Action::Rmw(..)) => "changes an environment variable",
        ("symbols/paths.rs", Action::Rmw(..)) => "changes a file",
        ("symbols/paths.rs", Action::Load(_)) => "looks at a file",
        ("symbols/addresses.rs", Action::Rmw(..)) => "finds its port taken by another program",
        ("panic.rs", Action::Rmw(..)) => "uses the panic hook",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Where an event is; of one in what stands in for libc, the line of the package that led there, if that is known.
fn location_in_package(record: &ExecutionRecord, event: usize) -> String {
    let location = record.location(event);
    if !is_of_system(&location) {
        return location;
    }
    let frame = record
        .stack(event)
        .and_then(|place| place.frame_in_package());
    let place = frame.map(|frame| frame.place().to_owned());
    place.filter(|place| !place.is_empty()).unwrap_or(location)
}

fn row(thread: u16, event: String, location: &str) -> InterleavingStep {
    InterleavingStep {
        thread,
        call: None,
        event,
        location: location.to_owned(),
        ..InterleavingStep::default()
    }
}

fn blocked_row(thread: &BlockedThread) -> InterleavingStep {
    // Since when is in the details above the table.
    let text = thread.brief_text(&ThreadIndex::title);
    InterleavingStep {
        result: Some("<hung>".to_owned()),
        ..row(thread.thread.0, text, thread.place())
    }
}
