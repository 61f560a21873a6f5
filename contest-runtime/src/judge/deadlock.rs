//! No thread can run.

use super::FindingKind;
use super::history::{CallName, History};
use super::judgement::Judge;
use super::verdict::Suspicion;
use crate::trace::{BlockedThread, ThreadIndex};

/// The suspicion for threads that wait for each other.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    blocked: &[BlockedThread],
    calls: Vec<CallName>,
) -> Suspicion {
    let in_calls: Vec<&BlockedThread> = blocked
        .iter()
        .filter(|thread| thread.call.is_some())
        .collect();
    let parts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    let message = match parts.as_slice() {
        [one] => format!("{one} never returns: {}", wait(&in_calls)),
        many => format!(
            "deadlock: {} never return: {}",
            many.join(" and "),
            wait(&in_calls)
        ),
    };
    Suspicion {
        kind: FindingKind::Deadlock,
        message,
        details: blocked.iter().map(|thread| line(history, thread)).collect(),
        locations: locations(&in_calls),
        calls,
    }
}

/// Why, in a few words.
fn wait(blocked: &[&BlockedThread]) -> String {
    if !cycle(blocked).is_empty() {
        return "each waits for what the other holds".to_owned();
    }
    match blocked {
        [] => "nothing is left to wake it".to_owned(),
        [one] => format!("it waits for {}, and no thread can run", one.waits_for),
        _ => "no thread can run".to_owned(),
    }
}

/// Threads on a cycle of "waits for what ... holds".
fn cycle<'a>(blocked: &[&'a BlockedThread]) -> Vec<&'a BlockedThread> {
    let holders = |of: &BlockedThread| -> Vec<&'a BlockedThread> {
        blocked
            .iter()
            .copied()
            .filter(|other| of.held_by.contains(&other.thread))
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

/// `thread 1 waits for Mutex#1 held by thread 2, at src/lib.rs:10:5`
pub(super) fn line(history: &History, thread: &BlockedThread) -> String {
    let who = thread_name(history, thread.thread, &thread.name);
    format!(
        "{who} waits for {} at {}",
        thread.waits_for, thread.location
    )
}

/// `thread 1` for the first lane, `main thread`, else the name the thread has.
pub(super) fn thread_name(history: &History, thread: ThreadIndex, name: &str) -> String {
    if thread == ThreadIndex::MAIN {
        return "main thread".to_owned();
    }
    match history.lane(thread) {
        Some(lane) => format!("thread {}", lane + 1),
        None if name.is_empty() => format!("background thread {}", thread.0),
        None => format!("background thread `{name}`"),
    }
}

/// Where they wait, without repetition.
pub(super) fn locations(blocked: &[&BlockedThread]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for thread in blocked {
        if !all.contains(&thread.location) {
            all.push(thread.location.clone());
        }
    }
    all
}
