//! Happens-before by its definition: the transitive closure of program order and of every pair of operations of which
//! one synchronises with the other, over the whole trace.

use std::sync::atomic::Ordering;

use super::Step;
use contest_data::trace::{AccessKind, Action, Blocking, LockMode};

/// For each step of a trace the set of those that happen before it, as bits.
pub(super) fn pasts(trace: &[Step]) -> Vec<u128> {
    assert!(trace.len() <= 128);
    let mut pasts: Vec<u128> = Vec::with_capacity(trace.len());
    for at in 0..trace.len() {
        let mut past = 0;
        for (before, its_past) in pasts.iter().enumerate() {
            if directly(trace, before, at) {
                past |= its_past | 1 << before;
            }
        }
        pasts.push(past);
    }
    pasts
}

fn acquires(order: Ordering) -> bool {
    !matches!(order, Ordering::Relaxed | Ordering::Release)
}

fn releases(order: Ordering) -> bool {
    !matches!(order, Ordering::Relaxed | Ordering::Acquire)
}

/// Program order, or synchronises-with.
fn directly(trace: &[Step], before: usize, at: usize) -> bool {
    let (a, b) = (&trace[before], &trace[at]);
    if a.thread == b.thread {
        return true;
    }
    let (Some(first), Some(second)) = (a.action, b.action) else {
        return a
            .action
            .is_some_and(|first| leads_into(trace, before, first, at))
            || joined(a, b);
    };
    if leads_into(trace, before, first, at) || joined(a, b) {
        return true;
    }
    match (released(a, first), taken(b, second)) {
        (Some((lock, mode)), Some((taken, how))) if lock == taken => {
            return mode == LockMode::Exclusive || how == LockMode::Exclusive;
        }
        _ => {}
    }
    match (first, second) {
        (Action::Unpark, Action::Park(false)) => {
            // Not if an earlier park took the token.
            a.object == b.object
                && !trace[before..at].iter().any(|between| {
                    between.action == Some(Action::Park(false)) && between.object == b.object
                })
        }
        (Action::OnceEnd(_), Action::OnceBegin(_) | Action::OncePeek(_)) => a.object == b.object,
        (
            Action::Send(..) | Action::Receive(..) | Action::Endpoint,
            Action::Send(..) | Action::SendTaken(_) | Action::Receive(..) | Action::Endpoint,
        ) if a.object == b.object => channel(trace, before, at),
        _ => atomics(trace, before, at),
    }
}

fn joined(a: &Step, b: &Step) -> bool {
    matches!(b.action, Some(Action::Join(thread)) if thread.0 == a.thread)
}

/// True if `at` is in a thread that the operation creates or lets go on.
fn leads_into(trace: &[Step], before: usize, first: Action, at: usize) -> bool {
    match first {
        Action::Spawn(new) => new.0 == trace[at].thread,
        Action::BarrierArrive => {
            // The round of `before` ends with its last arrival; what its members do after that comes after it.
            let arrivals = |from: usize| {
                (from..trace.len())
                    .filter(|&step| trace[step].action == Some(Action::BarrierArrive))
            };
            let Some(last) = arrivals(before).find(|&step| trace[step].round_is_complete) else {
                return false;
            };
            let start = (0..last)
                .rev()
                .find(|&step| trace[step].round_is_complete)
                .map_or(0, |end| end + 1);
            at > last
                && arrivals(start)
                    .take_while(|&step| step <= last)
                    .any(|step| trace[step].thread == trace[at].thread)
        }
        _ => false,
    }
}

fn released(step: &Step, action: Action) -> Option<(u32, LockMode)> {
    match action {
        Action::Release(mode, _) => Some((step.object, mode)),
        Action::Wait => Some((step.second?, LockMode::Exclusive)),
        _ => None,
    }
}

fn taken(step: &Step, action: Action) -> Option<(u32, LockMode)> {
    match action {
        Action::Acquire(mode) | Action::TryAcquire(mode, true) => Some((step.object, mode)),
        Action::Wake(_) => Some((step.second?, LockMode::Exclusive)),
        _ => None,
    }
}

/// Two operations on one channel.
fn channel(trace: &[Step], before: usize, at: usize) -> bool {
    let object = trace[at].object;
    let of = |step: usize, action: Action| {
        trace[step].object == object && trace[step].action == Some(action)
    };
    // Number of the message that went in or out, if one did.
    let put =
        |step: usize| of(step, Action::Send(Blocking::Waits, true)).then_some(trace[step].number);
    let got = |step: usize| {
        of(step, Action::Receive(Blocking::Waits, true)).then(|| {
            (0..step)
                .filter(|&other| of(other, Action::Receive(Blocking::Waits, true)))
                .count() as u64
        })
    };
    // Endpoints before and after a step.
    let ends_after = |step: usize| {
        let last = (0..=step).rev().find(|&other| of(other, Action::Endpoint));
        last.map_or((1, 1), |last| {
            (trace[last].ends.senders, trace[last].ends.receivers)
        })
    };
    let drops = |step: usize| {
        if !of(step, Action::Endpoint) {
            return (false, false);
        }
        let before = step.checked_sub(1).map_or((1, 1), ends_after);
        let after = ends_after(step);
        (after.0 < before.0, after.1 < before.1)
    };
    let (drops_sender, drops_receiver) = drops(before);
    let capacity = trace[at].ends.capacity;
    let (senders, receivers) = ends_after(at);
    match trace[at].action.expect("an operation") {
        Action::Receive(_, true) => put(before).is_some() && put(before) == got(at),
        Action::Receive(_, false) => drops_sender && senders == 0,
        Action::Send(_, false) => drops_receiver && receivers == 0,
        Action::Send(_, true) => match (put(at), got(before)) {
            (Some(number), Some(taken)) => {
                capacity.is_some_and(|capacity| capacity > 0 && taken + capacity as u64 == number)
            }
            _ => false,
        },
        // The sender of a rendezvous message learns that it was taken.
        Action::SendTaken(true) => got(before) == Some(trace[at].number),
        Action::Endpoint => {
            let (sender, receiver) = drops(at);
            let abandoned = senders == 0 && receivers == 0;
            let left = put(before).is_some_and(|number| {
                receivers == 0 && !(0..at).any(|step| got(step) == Some(number))
            });
            (sender && (drops_sender || abandoned && drops_receiver))
                || (receiver && (drops_receiver || abandoned && drops_sender || left))
        }
        _ => false,
    }
}

/// `before` synchronises with `at` through an atomic: each is the atomic operation itself or a fence on its side.
fn atomics(trace: &[Step], before: usize, at: usize) -> bool {
    let sources = |write: usize| {
        // The write itself, or a release fence before it in its thread.
        let order = match trace[write].action {
            Some(Action::Store(order) | Action::Rmw(order, _)) => order,
            _ => unreachable!("a write"),
        };
        (write == before && releases(order))
            || (before < write
                && trace[before].thread == trace[write].thread
                && matches!(trace[before].action, Some(Action::Fence(order)) if releases(order)))
    };
    let reads: Vec<usize> = match trace[at].action {
        Some(Action::Load(order) | Action::CasFail(order) | Action::Rmw(order, _))
            if acquires(order) =>
        {
            vec![at]
        }
        Some(Action::Fence(order)) if acquires(order) => (0..at)
            .filter(|&step| {
                trace[step].thread == trace[at].thread
                    && matches!(
                        trace[step].action,
                        Some(Action::Load(_) | Action::CasFail(_) | Action::Rmw(..))
                    )
            })
            .collect(),
        _ => return false,
    };
    reads.into_iter().any(|read| {
        // The write that it reads from, and those whose release sequence, real or hypothetical, contains that one.
        let mut upto = read;
        while let Some(write) = (0..upto).rev().find(|&step| {
            trace[step].object == trace[read].object
                && matches!(trace[step].action, Some(Action::Store(_) | Action::Rmw(..)))
        }) {
            if sources(write) {
                return true;
            }
            if matches!(trace[write].action, Some(Action::Store(_))) {
                return false;
            }
            upto = write;
        }
        false
    })
}

/// All pairs of accesses that race on a byte: `(byte, first, second)`, by the second.
pub(super) fn races(trace: &[Step], pasts: &[u128]) -> Vec<(usize, usize, usize)> {
    let mut races = Vec::new();
    for (second, step) in trace.iter().enumerate() {
        let Some((kind, location, size)) = step.access else {
            continue;
        };
        for byte in location..location + size {
            for first in (0..second).rev() {
                let Some((earlier, start, length)) = trace[first].access else {
                    continue;
                };
                if !(start..start + length).contains(&byte) {
                    continue;
                }
                if earlier == AccessKind::Free {
                    break;
                }
                let unordered = pasts[second] & (1 << first) == 0;
                if unordered && earlier.conflicts(kind) {
                    races.push((byte, first, second));
                }
            }
        }
    }
    races
}
