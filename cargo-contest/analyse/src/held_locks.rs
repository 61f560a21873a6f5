//! What is held and what has protected every access so far, at one point of a body, and how ways are joined.

use super::place::Place;
use super::summary::Mode;

/// A guard that exists from an acquisition (or a call that returns one) until it is dropped: the block that ends in it.
pub(super) type Token = u32;

/// Locks that may be held at one point.
const MOST_HELD: usize = 24;

/// A lock that may be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) lock: Place,
    pub(super) mode: Mode,
    pub(super) token: Token,
    /// Acquisitions it may stem from.
    pub(super) acquisitions: Vec<u32>,
    /// Held on every way that leads here.
    pub(super) surely: bool,
}

/// A lock that protected every access so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Protecting {
    pub(super) lock: Place,
    pub(super) mode: Mode,
    pub(super) acquisitions: Vec<u32>,
}

/// What is known at one point of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) held: Vec<Held>,
    /// By accesses that are shared here; `None` before the first.
    pub(super) shared: Option<Vec<Protecting>>,
    /// By all accesses: some may turn out to be shared in a caller.
    pub(super) all: Option<Vec<Protecting>>,
}

/// One more lock that is held; the same guard again (of the round before) is another acquisition. False if there are
/// too many.
pub(super) fn hold(state: &mut State, held: Held) -> bool {
    if let Some(there) = state.held.iter_mut().find(|it| same_hold(it, &held)) {
        *there = held;
    } else if state.held.len() < MOST_HELD {
        state.held.push(held);
    } else {
        return false;
    }
    true
}

/// An access: only what is held at it, as the same acquisition as before, still protects all of them.
pub(super) fn protect(state: &mut State, shared: bool, own: &[Protecting]) {
    let mut now: Vec<Protecting> = state
        .held
        .iter()
        .filter(|it| it.surely)
        .map(|it| Protecting {
            lock: it.lock,
            mode: it.mode,
            acquisitions: it.acquisitions.clone(),
        })
        .collect();
    now.extend(own.iter().cloned());
    let narrow = |list: &mut Option<Vec<Protecting>>| match list {
        None => *list = Some(now.clone()),
        // Another acquisition on any way that leads here is a gap.
        Some(list) => list.retain(|it| {
            now.iter().any(|other| {
                other.lock == it.lock
                    && other.mode == it.mode
                    && other
                        .acquisitions
                        .iter()
                        .all(|n| it.acquisitions.contains(n))
            })
        }),
    };
    if shared {
        narrow(&mut state.shared);
    }
    narrow(&mut state.all);
}

/// A lock is taken anew: what was protected by the acquisition of the round before is no longer one section with what
/// follows.
pub(super) fn renew(state: &mut State, acquisition: u32) {
    let lists = [&mut state.shared, &mut state.all].into_iter().flatten();
    for list in lists {
        list.retain(|it| !it.acquisitions.contains(&acquisition));
    }
}

/// What follows is protected by nothing.
pub(super) fn unprotect(state: &mut State) {
    state.shared = Some(Vec::new());
    state.all = Some(Vec::new());
}

pub(super) fn join(a: &State, b: &State) -> State {
    let mut held: Vec<Held> = Vec::new();
    for it in a.held.iter().chain(&b.held) {
        if held.iter().any(|other| same_hold(other, it)) {
            continue;
        }
        let one = a.held.iter().find(|other| same_hold(other, it));
        let two = b.held.iter().find(|other| same_hold(other, it));
        let mut joined = it.clone();
        joined.surely = one.is_some_and(|it| it.surely) && two.is_some_and(|it| it.surely);
        for n in one.iter().chain(&two).flat_map(|it| &it.acquisitions) {
            if !joined.acquisitions.contains(n) {
                joined.acquisitions.push(*n);
            }
        }
        held.push(joined);
    }
    State {
        held,
        shared: join_protecting(a.shared.as_ref(), b.shared.as_ref()),
        all: join_protecting(a.all.as_ref(), b.all.as_ref()),
    }
}

pub(super) fn same_hold(a: &Held, b: &Held) -> bool {
    a.token == b.token && a.mode == b.mode && a.lock == b.lock
}

pub(super) fn join_protecting(
    a: Option<&Vec<Protecting>>,
    b: Option<&Vec<Protecting>>,
) -> Option<Vec<Protecting>> {
    match (a, b) {
        (None, other) | (other, None) => other.cloned(),
        (Some(a), Some(b)) => Some(
            a.iter()
                .filter_map(|it| {
                    let other = b
                        .iter()
                        .find(|other| other.lock == it.lock && other.mode == it.mode)?;
                    let mut joined = it.clone();
                    joined.acquisitions.extend(
                        other
                            .acquisitions
                            .iter()
                            .filter(|n| !it.acquisitions.contains(n)),
                    );
                    Some(joined)
                })
                .collect(),
        ),
    }
}
