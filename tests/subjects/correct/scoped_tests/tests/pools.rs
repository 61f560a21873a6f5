//! Work for rayon's pools: the global one, which is made at the first use and never ends, and pools of the tests.

use correct_scoped_tests::{Peak, Slot, Visits};
use rayon::prelude::*;
use std::sync::mpsc::channel;

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

#[test]
fn a_pool_may_be_dropped_with_work_in_it() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (sender, receiver) = channel();
    pool.spawn(move || sender.send(7).unwrap());
    drop(pool);
    assert_eq!(receiver.recv(), Ok(7));
}

#[test]
fn what_is_spawned_globally_comes_back() {
    let (sender, receiver) = channel();
    rayon::spawn(move || sender.send(rayon::current_thread_index()).unwrap());
    assert!(receiver.recv().unwrap().is_some());
}

#[test]
fn a_sum_is_the_sum() {
    let sum: u32 = (1..9_u32).into_par_iter().with_min_len(4).sum();
    assert_eq!(sum, 36);
}

#[test]
#[should_panic(expected = "half")]
fn a_panic_in_one_half_arrives() {
    rayon::join(|| (), || panic!("half"));
}
