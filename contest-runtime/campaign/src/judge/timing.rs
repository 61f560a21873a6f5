//! Failures that need a thread that was held up: which, where, for how long, and what was over before it went on.

use super::of_model::Failure;
use contest_data::delay::{Delay, DelayPoint};
use contest_data::finding::FindingKind;
use contest_data::trace::{Action, ExecutionRecord, Frame, Place};

/// What stands in for libc and for the panic hook, whose callers have no place that it knows.
const OF_SYSTEM: [&str; 2] = [
    "contest-runtime/driver/src/",
    "contest-runtime/std/src/panic",
];

/// True for a place in what stands in for the system.
pub(crate) fn is_of_system(place: &str) -> bool {
    OF_SYSTEM.iter().any(|it| place.contains(it))
}

/// True if a port that the system gave was taken by another program before it was asked for again.
pub(crate) fn port_was_taken(record: &ExecutionRecord) -> bool {
    let mut events = record.events.iter();
    events.any(|event| event.location.file().ends_with("symbols/addresses.rs"))
}

/// The failure as one of timing, if the execution that shows it has a delay. `names`: those of its threads.
pub(crate) fn of_timing(failure: Failure, record: &ExecutionRecord, names: &[String]) -> Failure {
    let Some(delay) = record.schedule.leeway.delay else {
        return failure;
    };
    let place = place(record);
    let at = (place.as_ref()).map_or_else(String::new, |place| format!(" at {place}"));
    let ms = delay.ms;
    let condition = match (delay.at, record.delayed) {
        (DelayPoint::Step(..), Some(event)) => {
            let event = event as usize;
            let thread = record.events[event].thread.index();
            let name = names.get(thread).map_or("a thread", String::as_str);
            let until = match sleep_over(record, event) {
                _ if outlives_its_scope(record, event) => {
                    "before its scope ends, which does not wait for destructors of thread-locals"
                        .to_owned()
                }
                Some(place) => format!("within {ms} ms, before the sleep at {place} is over"),
                None => format!("within {ms} ms"),
            };
            format!("passes only if {name} goes on{at} {until}")
        }
        (DelayPoint::Reading(_), Some(_)) if ms == 0 => {
            format!("passes only if the clock has moved when it is read again{at}")
        }
        (DelayPoint::Reading(_), Some(_)) => {
            format!("passes only if less than {ms} ms go by before the clock is read{at}")
        }
        _ => "fails shortly before midnight of 31 December".to_owned(),
    };
    let mut locations: Vec<String> = place.into_iter().collect();
    for location in failure.locations {
        if !locations.contains(&location) {
            locations.push(location);
        }
    }
    Failure {
        kind: FindingKind::Timing,
        message: format!("{condition}: {}", failure.message),
        details: failure.details,
        locations,
    }
}

/// The line of the package at which the thread was held up: of the step that it took next.
pub(super) fn place(record: &ExecutionRecord) -> Option<String> {
    let delayed = record.delayed? as usize;
    let event = match record.schedule.leeway.delay?.at {
        DelayPoint::Reading(_) => delayed,
        _ => next_of_same(record, delayed).unwrap_or(delayed),
    };
    let place = match record.stack(event) {
        // The line of a dependency says nothing about the test.
        Some(stack @ Place::Stack(_)) => frame_of_test(stack)?.place().to_owned(),
        _ if matches!(record.schedule.leeway.delay?.at, DelayPoint::Reading(_)) => return None,
        _ => record.location(event),
    };
    (!place.is_empty() && !is_of_system(&place)).then_some(place)
}

/// The innermost function of the package, unless it is there only because it runs an executor: `#[tokio::test]` does so
/// at the last line of a test, whatever the test does at that time.
fn frame_of_test(stack: Place) -> Option<&'static Frame> {
    let frame = stack.frame_in_package()?;
    let Place::Stack(frames) = stack else {
        return Some(frame);
    };
    let outside = frames.iter().position(|it| std::ptr::eq(it, frame))?;
    let runs_executor = |it: &Frame| it.function.contains("::block_on");
    let called = frames[..outside].last();
    (!called.is_some_and(runs_executor)).then_some(frame)
}

/// The next step of the thread that took this one.
fn next_of_same(record: &ExecutionRecord, event: usize) -> Option<usize> {
    let thread = record.events[event].thread;
    let mut later = record.events.iter().skip(event + 1);
    Some(event + 1 + later.position(|it| it.thread == thread)?)
}

/// True if the scope of the thread that was held up ended before that thread did.
fn outlives_its_scope(record: &ExecutionRecord, delayed: usize) -> bool {
    let thread = record.events[delayed].thread;
    let mut later = record.events.iter().skip(delayed);
    let over = later.find(|it| match it.action {
        Action::Join(other) => other == thread,
        Action::End => it.thread == thread,
        _ => false,
    });
    over.is_some_and(|it| it.action == Action::Join(thread))
}

/// Where the last sleep stands that another thread ended while this one was held up.
fn sleep_over(record: &ExecutionRecord, delayed: usize) -> Option<String> {
    let next = next_of_same(record, delayed).unwrap_or(record.events.len());
    let mut between = (delayed + 1..next).rev();
    let sleep = between.find(|event| record.events[*event].action == Action::Sleep)?;
    let place = (record.caller(sleep)).unwrap_or_else(|| record.location(sleep));
    (!place.is_empty()).then_some(place)
}

/// The shortest delay at the same place that does, by halving; `does` says whether one does.
pub(crate) fn shortest(delay: Delay, mut does: impl FnMut(Delay) -> bool) -> Delay {
    let (mut too_short, mut long) = (0, delay.ms);
    while long - too_short > 1 {
        let middle = Delay {
            ms: too_short + (long - too_short) / 2,
            ..delay
        };
        if does(middle) {
            long = middle.ms;
        } else {
            too_short = middle.ms;
        }
    }
    Delay { ms: long, ..delay }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_runs_an_executor_is_not_where_a_thread_was_held_up() {
        let frame = |function: &str, of_dependency| Frame {
            function: function.to_owned(),
            location: "src/lib.rs:9:5".to_owned(),
            of_dependency,
        };
        let found = |called: &str| {
            let stack = vec![frame(called, true), frame("app::a_test", false)];
            frame_of_test(Place::Stack(stack.leak())).is_some()
        };
        assert!(found("tokio::time::sleep"));
        assert!(!found("<tokio::runtime::runtime::Runtime>::block_on::<()>"));
    }

    #[test]
    fn the_shortest_delay_is_found_by_halving() {
        for least in [1, 2, 40, 989, 990] {
            let mut tries = 0;
            let found = shortest(Delay::at(DelayPoint::Reading(0)), |delay| {
                tries += 1;
                delay.ms >= least
            });
            assert_eq!(found.ms, least);
            assert!(tries <= 10);
        }
    }
}
