//! Threads of scopes borrow what is on the stack of the test.

use correct_scoped_tests::{Peak, Shelves, Slot, Visits};

#[test]
fn two_scoped_threads_count() {
    let visits = Visits::default();
    std::thread::scope(|scope| {
        scope.spawn(|| visits.add());
        scope.spawn(|| visits.add());
    });
    assert_eq!(visits.get(), 2);
}

#[test]
fn the_peak_is_what_a_scoped_thread_returns() {
    let peak = Peak::default();
    let seen = std::thread::scope(|scope| {
        let low = scope.spawn(|| peak.see(1));
        peak.see(2);
        low.join().unwrap();
        scope.spawn(|| peak.get()).join().unwrap()
    });
    assert_eq!(seen, 2);
}

#[test]
fn a_slot_on_the_stack_is_full_or_empty() {
    let slot = Slot::default();
    std::thread::scope(|scope| {
        scope.spawn(|| slot.put(7));
        let _ = slot.take();
    });
}

#[test]
fn both_ways_in_a_scope_of_crossbeam() {
    let shelves = Shelves::default();
    crossbeam_utils::thread::scope(|scope| {
        scope.spawn(|_| shelves.lower(1));
        scope.spawn(|_| shelves.lift(2));
    })
    .unwrap();
}

#[test]
fn a_thread_of_a_thread_of_crossbeam_counts() {
    let visits = Visits::default();
    crossbeam_utils::thread::scope(|scope| {
        scope.spawn(|scope| {
            scope.spawn(|_| visits.add());
            visits.add();
        });
    })
    .unwrap();
    assert_eq!(visits.get(), 2);
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_a_scoped_thread_arrives() {
    std::thread::scope(|scope| {
        scope.spawn(|| panic!("no"));
    });
}

#[test]
fn a_scope_in_a_thread_of_a_scope() {
    let visits = Visits::default();
    std::thread::scope(|scope| {
        scope.spawn(|| std::thread::scope(|scope| drop(scope.spawn(|| visits.add()))));
        visits.add();
    });
    assert_eq!(visits.get(), 2);
}

#[test]
fn both_halves_of_a_slice_are_written() {
    let mut numbers = [1, 2, 3, 4];
    let (left, right) = numbers.split_at_mut(2);
    std::thread::scope(|scope| {
        scope.spawn(|| left.fill(5));
        right.fill(6);
    });
    assert_eq!(numbers, [5, 5, 6, 6]);
}
