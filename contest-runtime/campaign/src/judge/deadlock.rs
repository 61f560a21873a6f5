//! No thread can run.

use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::CallName;
use contest_data::trace::{BlockedThread, ThreadIndex, WaitsFor, is_executor_thread};

/// The suspicion for threads that wait for each other.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    blocked: &[BlockedThread],
    calls: Vec<CallName>,
) -> Suspicion {
    let in_calls = in_calls(blocked);
    let parts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    let message = match (parts.as_slice(), in_calls.as_slice()) {
        ([call], [thread]) => format!("{call} never returns: it {}", state(history, thread)),
        ([call], _) => format!("{call} never returns: no thread can run"),
        (calls, threads) => {
            let why = if cycle(threads).is_empty() {
                "no thread can run"
            } else {
                "each waits for what the other holds"
            };
            format!("{} never return: {why}", calls.join(" and "))
        }
    };
    Suspicion {
        kind: FindingKind::Deadlock,
        rests_on_order: false,
        only_reads: false,
        message,
        details: lines(history, blocked),
        locations: locations(&in_calls),
        calls,
    }
}

/// Threads that hang in a call of the test.
pub(super) fn in_calls(blocked: &[BlockedThread]) -> Vec<&BlockedThread> {
    blocked
        .iter()
        .filter(|thread| thread.call.is_some())
        .collect()
}

/// A line for each thread that hangs: `thread 1 waits for Mutex#1, held by thread 2, at src/lib.rs:10:5`. The main
/// thread is left out where it only joins the others.
pub(super) fn lines(history: &History, blocked: &[BlockedThread]) -> Vec<String> {
    blocked
        .iter()
        .filter(|thread| thread.thread != ThreadIndex::MAIN || thread.call.is_some())
        .filter(|thread| !is_idle_executor(blocked, thread))
        .map(|thread| {
            let who = thread_name(history, thread.thread, &thread.name);
            let at = match thread.place() {
                "" => String::new(),
                location => format!(", at {location}"),
            };
            format!("{who} {}{at}", state(history, thread))
        })
        .collect()
}

/// A thread of an executor that has no task which could go on, which is no news. While one of several waits for the
/// kernel, others may wait until it no longer does.
fn is_idle_executor(blocked: &[BlockedThread], thread: &BlockedThread) -> bool {
    is_executor_thread(&thread.name)
        && match &thread.waits_for {
            WaitsFor::Notification(_) | WaitsFor::Futex(_) | WaitsFor::Unpark => true,
            other => {
                let holders = other.held_by();
                !holders.is_empty()
                    && holders.iter().all(|holder| {
                        let mut others = blocked.iter();
                        others.any(|it| {
                            it.thread == *holder
                                && is_executor_thread(&it.name)
                                && it.waits_for.held_by().is_empty()
                        })
                    })
            }
        }
}

/// What the thread waits for. The engine numbers virtual threads; people see those of the test.
pub(super) fn state(history: &History, thread: &BlockedThread) -> String {
    thread.text(&|other| match other {
        ThreadIndex::MAIN => other.title(),
        _ => thread_name(history, other, ""),
    })
}

/// Threads on a cycle of "waits for what ... holds".
pub(super) fn cycle<'a>(blocked: &[&'a BlockedThread]) -> Vec<&'a BlockedThread> {
    let holders = |of: &BlockedThread| -> Vec<&'a BlockedThread> {
        blocked
            .iter()
            .copied()
            .filter(|other| of.waits_for.held_by().contains(&other.thread))
            .collect()
    };
    blocked
        .iter()
        .copied()
        .filter(|start| {
            let mut reached: Vec<ThreadIndex> = Vec::new();
            let mut next = holders(start);
            while let Some(thread) = next.pop() {
                if !reached.contains(&thread.thread) {
                    reached.push(thread.thread);
                    next.extend(holders(thread));
                }
            }
            reached.contains(&start.thread) && reached.len() > 1
        })
        .collect()
}

/// `thread 1` for the first lane, `main thread`, else `background thread 3`, with the name it has.
pub(super) fn thread_name(history: &History, thread: ThreadIndex, name: &str) -> String {
    if thread == ThreadIndex::MAIN {
        return "main thread".to_owned();
    }
    let number = history.number(thread);
    match history.lane(thread) {
        Some(_) => format!("thread {number}"),
        None if name.is_empty() || name == thread.title() => format!("background thread {number}"),
        None => format!("background thread {number} `{name}`"),
    }
}

/// Where they wait, without repetition.
pub(super) fn locations(blocked: &[&BlockedThread]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for thread in blocked {
        if !thread.location.is_empty() && !all.contains(&thread.location) {
            all.push(thread.location.clone());
        }
    }
    all
}
