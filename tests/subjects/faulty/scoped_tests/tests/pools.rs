//! Work for rayon's pools: the global one, which is made at the first use and never ends, and pools of the tests.

use faulty_scoped_tests::{Peak, Slot, Visits};
use rayon::prelude::*;

#[test]
fn both_halves_of_a_join_count() {
    let visits = Visits::default();
    rayon::join(|| visits.add(), || visits.add());
    assert_eq!(visits.get(), 2);
}

#[test]
fn all_items_of_an_iterator_count() {
    let visits = Visits::default();
    [(); 3].par_iter().for_each(|()| visits.add());
    assert_eq!(visits.get(), 3);
}

#[test]
fn tasks_of_a_scope_find_the_peak() {
    let peak = Peak::default();
    rayon::scope(|scope| {
        scope.spawn(|_| peak.see(1));
        scope.spawn(|_| peak.see(2));
    });
    assert_eq!(peak.get(), 2);
}

#[test]
fn a_pool_of_two_fills_a_slot() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let slot = Slot::default();
    let seen = pool.unwrap().install(|| rayon::join(|| slot.put(7), || slot.take()).1);
    assert!(matches!(seen, None | Some(7)), "{seen:?}");
}
