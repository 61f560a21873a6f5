//! Orderings that a place may have instead of its own.

use contest_data::orderings::MemoryOrder::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use contest_data::orderings::{AtomicPlace, AtomicRole, OrderingChange};

/// What an operation of this role accepts, the weakest first. A fence that is `Relaxed` is none.
fn accepted(role: AtomicRole) -> &'static [MemoryOrder] {
    match role {
        AtomicRole::Load => &[Relaxed, Acquire, SeqCst],
        AtomicRole::Store => &[Relaxed, Release, SeqCst],
        AtomicRole::Update | AtomicRole::Exchange | AtomicRole::Fence => {
            &[Relaxed, Acquire, Release, AcqRel, SeqCst]
        }
    }
}

/// What a failed compare-exchange accepts.
const FAILURES: [MemoryOrder; 3] = [Relaxed, Acquire, SeqCst];
/// What a fence that is not there may be.
const FENCES: [MemoryOrder; 4] = [Acquire, Release, AcqRel, SeqCst];

/// How much an ordering forbids, as a number: `Acquire` and `Release` alike.
fn strength(order: MemoryOrder) -> u32 {
    match order {
        Relaxed => 0,
        Acquire | Release => 1,
        AcqRel => 2,
        SeqCst => 3,
    }
}

/// The place with the strongest orderings, if it has not got them; never a new fence.
#[must_use]
pub fn strongest(place: &AtomicPlace) -> Option<OrderingChange> {
    let change = OrderingChange {
        order: SeqCst,
        failure: place.failure.map(|_| SeqCst),
        ..OrderingChange::none(place)
    };
    is_stronger(&change).then_some(change)
}

/// A sequentially consistent fence right before the operation.
pub(super) fn fenced(place: &AtomicPlace) -> Option<OrderingChange> {
    (place.role != AtomicRole::Fence).then(|| OrderingChange {
        fence_before: Some(SeqCst),
        ..OrderingChange::none(place)
    })
}

/// What is between the place as it is written and this stronger change of it, the weakest first, without either.
pub(super) fn between(change: &OrderingChange) -> Vec<OrderingChange> {
    let place = &change.place;
    let mut found = Vec::new();
    if let Some(fence) = change.fence_before {
        let weaker = FENCES
            .iter()
            .filter(|it| **it != fence && fence.is_at_least(**it));
        found.extend(weaker.map(|fence| OrderingChange {
            fence_before: Some(*fence),
            ..change.clone()
        }));
        return found;
    }
    for other in alternatives(place) {
        let within = change.order.is_at_least(other.order)
            && change
                .failure
                .zip(other.failure)
                .is_none_or(|(most, it)| most.is_at_least(it));
        if within && is_stronger(&other) && other != *change {
            found.push(other);
        }
    }
    found
}

/// What is weaker than what is written, the weakest first.
pub(super) fn weaker(place: &AtomicPlace) -> Vec<OrderingChange> {
    let mut found = alternatives(place);
    found.retain(is_weaker);
    found
}

/// The orderings that the operation accepts, the weakest first.
fn alternatives(place: &AtomicPlace) -> Vec<OrderingChange> {
    let mut found = Vec::new();
    let failures: Vec<Option<MemoryOrder>> = match place.failure {
        Some(_) => FAILURES.map(Some).to_vec(),
        None => vec![None],
    };
    for order in accepted(place.role) {
        for failure in &failures {
            found.push(OrderingChange {
                order: *order,
                failure: *failure,
                ..OrderingChange::none(place)
            });
        }
    }
    found.sort_by_key(|it| strength(it.order) + it.failure.map_or(0, strength));
    found
}

/// True if it is stronger in some way, and weaker in none.
#[must_use]
pub fn is_stronger(change: &OrderingChange) -> bool {
    let place = &change.place;
    *change != OrderingChange::none(place)
        && change.order.is_at_least(place.order)
        && change
            .failure
            .zip(place.failure)
            .is_none_or(|(new, old)| new.is_at_least(old))
}

/// True if it is weaker in some way, and stronger in none.
#[must_use]
pub fn is_weaker(change: &OrderingChange) -> bool {
    let place = &change.place;
    *change != OrderingChange::none(place)
        && place.order.is_at_least(change.order)
        && place
            .failure
            .zip(change.failure)
            .is_none_or(|(old, new)| old.is_at_least(new))
        && change.fence_before.is_none()
}
