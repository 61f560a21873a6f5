//! Reads that took an older write than the newest one, in words: which, what they passed over, and what does not order
//! them. With them, compare-exchanges that failed spuriously.

use std::sync::atomic::Ordering;

use contest_data::trace::{Action, Event, ExecutionRecord, ReadWrite, Writes, acquires, releases};

/// Most reads that are explained.
const MOST: usize = 4;

/// A line for each of the first reads that took an older write, and for each spurious failure.
pub(crate) fn explanations(record: &ExecutionRecord) -> Vec<String> {
    let stale: Vec<&ReadWrite> = record.writes.stale().collect();
    let mut lines: Vec<String> = Vec::new();
    for read in &stale {
        let line = explanation(record, read);
        if lines.len() < MOST && !lines.contains(&line) {
            lines.push(line);
        }
    }
    if stale.len() > MOST && lines.len() == MOST {
        lines.push(format!("{} reads took an older value in all", stale.len()));
    }
    for &event in &record.writes.spurious {
        let at = short(record, event as usize);
        lines.push(format!(
            "the `compare_exchange_weak` at {at} failed although it read what it expected, as it may"
        ));
    }
    lines
}

/// What the table adds to a read that took an older write.
pub(super) fn note(record: &ExecutionRecord, position: usize) -> Option<String> {
    if record.writes.spurious.contains(&(position as u32)) {
        return Some(" (spuriously)".to_owned());
    }
    let read = record.writes.stale_at(position)?;
    let newest = newest(record, read)?;
    Some(format!(
        " (older; {} was written at {})",
        record.events[newest].wrote,
        short(record, newest)
    ))
}

fn newest(record: &ExecutionRecord, read: &ReadWrite) -> Option<usize> {
    let newest = read
        .newer
        .iter()
        .rev()
        .find(|&&event| event != Writes::INITIAL)?;
    let newest = *newest as usize;
    (newest < record.events.len()).then_some(newest)
}

/// The location without its column.
fn short(record: &ExecutionRecord, event: usize) -> String {
    let location = record.location(event);
    let without = location.rsplit_once(':').map(|(line, _)| line.to_owned());
    without.unwrap_or(location)
}

fn explanation(record: &ExecutionRecord, read: &ReadWrite) -> String {
    let at = read.event as usize;
    let event = &record.events[at];
    let source = match read.from {
        Writes::INITIAL => "the first value".to_owned(),
        from => format!("the value written at {}", short(record, from as usize)),
    };
    let Some(newest) = newest(record, read) else {
        return format!("the read at {} took {source}", short(record, at));
    };
    let passed = match read.newer.len() {
        1 => format!("passing over the write at {}", short(record, newest)),
        more => format!(
            "passing over {more} newer writes, the last at {}",
            short(record, newest)
        ),
    };
    format!(
        "the {} at {} took {source}, {passed}: {}",
        described(event),
        short(record, at),
        reason(record, newest, at)
    )
}

/// `load(Acquire)`.
fn described(event: &Event) -> String {
    match order(event) {
        Some(order) => format!("`{}` ({order:?})", event.name),
        None => format!("`{}`", event.name),
    }
}

fn order(event: &Event) -> Option<Ordering> {
    match event.action {
        Action::Load(order)
        | Action::Store(order)
        | Action::Rmw(order, _)
        | Action::CasFail(order)
        | Action::Fence(order) => Some(order),
        _ => None,
    }
}

/// Why nothing orders this write before that read.
fn reason(record: &ExecutionRecord, write: usize, read: usize) -> String {
    let events = &record.events;
    let (writer, reader) = (events[write].thread, events[read].thread);
    // A message that the reader had of the writer, from what it did later: the last one before the read.
    let message = record.writes.reads.iter().rev().find_map(|link| {
        let (seen, sent) = (link.event as usize, link.from as usize);
        let is_message = link.from != Writes::INITIAL
            && seen < read
            && events[seen].thread == reader
            && events[sent].thread == writer
            && sent > write;
        is_message.then_some((sent, seen))
    });
    let Some((sent, seen)) = message else {
        let both = [write, read].map(|event| order(&events[event]));
        return match both {
            [Some(Ordering::SeqCst), Some(Ordering::SeqCst)] => {
                "nothing orders the two".to_owned()
            }
            _ => "nothing orders the two; a total order of such operations is kept by `SeqCst` operations or fences only"
                .to_owned(),
        };
    };
    let fence_between = |from: usize, to: usize, which: fn(Ordering) -> bool| {
        let mut between = events[from + 1..to].iter();
        between.any(|event| {
            event.thread == events[to].thread
                && matches!(event.action, Action::Fence(order) if which(order))
        })
    };
    let sends = order(&events[sent]).is_some_and(releases) || fence_between(write, sent, releases);
    let receives =
        order(&events[seen]).is_some_and(acquires) || fence_between(seen, read, acquires);
    let weak = |event: usize| {
        let order = order(&events[event]).unwrap_or(Ordering::Relaxed);
        format!(
            "the `{}` at {} is {order:?}",
            events[event].name,
            short(record, event)
        )
    };
    match (sends, receives) {
        (false, false) => format!(
            "{} and {}, so they do not synchronise",
            weak(sent),
            weak(seen)
        ),
        (false, true) => format!(
            "{}, so it does not synchronise with the `{}` at {} that reads it",
            weak(sent),
            events[seen].name,
            short(record, seen)
        ),
        (true, false) => format!(
            "{}, so the `{}` at {} that it reads does not synchronise with it",
            weak(seen),
            events[sent].name,
            short(record, sent)
        ),
        (true, true) => "nothing orders the two".to_owned(),
    }
}
