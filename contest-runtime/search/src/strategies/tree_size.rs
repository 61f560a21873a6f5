//! Estimates from one execution how many there are: enough to see that a test is far too large for exhaustive
//! exploration.

use crate::coverage::{Contents, access_of};
use contest_data::sorted::SortedMap;
use contest_data::trace::{Action, ExecutionRecord};

/// The binary logarithm of the number of orders in which threads could have changed an object, maximal over the
/// objects, with only program order as a constraint. An estimate in either direction: a handshake leaves fewer, other
/// objects give more.
#[must_use]
pub(super) fn orders(record: &ExecutionRecord) -> f64 {
    let events = record.events.iter();
    let concurrent = events.skip_while(|event| !matches!(event.action, Action::Spawn(_)));
    let mut changes: SortedMap<u32, SortedMap<u16, u32>> = SortedMap::new();
    for event in concurrent {
        if let Some((object, _, true, _)) = access_of(event, Contents::Counted) {
            let by_thread = changes.get_or_default(object.0);
            *by_thread.get_or_default(event.thread.0) += 1;
        }
    }
    let orders = |by_thread: &SortedMap<u16, u32>| {
        let mut placed = 0;
        let mut bits = 0.0;
        for &count in by_thread.values() {
            for turn in 1..=count {
                placed += 1;
                bits += (f64::from(placed) / f64::from(turn)).log2();
            }
        }
        bits
    };
    changes.values().map(orders).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::Random;
    use contest_data::limits::Limits;
    use contest_engine::execution::Engine;
    use contest_std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn three_changes_by_either_of_two_threads_have_twenty_orders() {
        let mut engine = Engine::new(Limits::default());
        let record = engine.run(&mut Random::new(1, 1), || {
            let cell = std::sync::Arc::new(AtomicU32::new(0));
            let add = |cell: &AtomicU32| (0..3).for_each(|_| cell.store(1, Relaxed));
            let other = std::sync::Arc::clone(&cell);
            let thread = contest_std::thread::spawn(move || add(&other));
            add(&cell);
            thread.join().unwrap();
        });
        assert!((orders(record) - 20_f64.log2()).abs() < 1e-9);
    }
}
