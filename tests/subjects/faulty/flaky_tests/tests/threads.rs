//! Tests as people write them: a few threads, one run.

use std::sync::Arc;
use std::thread::scope;

use faulty_flaky_tests::*;

/// Runs both, the first one in a thread of its own.
fn both<A: Send, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| {
        let a = scope.spawn(a);
        let b = b();
        (a.join().unwrap(), b)
    })
}

#[test]
fn no_bump_is_lost() {
    let counter = Counter::default();
    both(|| counter.bump(), || counter.bump());
    assert_eq!(counter.get(), 2);
}

#[test]
fn an_account_is_not_overdrawn() {
    let account = Account::with(100);
    both(|| account.withdraw(60), || account.withdraw(60));
    assert!(account.balance() >= 0);
}

#[test]
fn transfers_in_both_directions_end() {
    let bank = Bank::default();
    both(|| bank.to_right(1), || bank.to_left(1));
}

#[test]
fn a_lazy_value_is_made_once() {
    let lazy = Lazy::default();
    both(|| lazy.get(), || lazy.get());
    assert_eq!(lazy.made(), 1);
}

#[test]
fn whoever_waits_at_the_gate_gets_through() {
    let gate = Gate::default();
    both(|| gate.wait(), || gate.open());
}

#[test]
fn the_sum_of_a_pair_stays() {
    let pair = Pair::default();
    let (_, sum) = both(|| pair.shift(7), || pair.sum());
    assert_eq!(sum, 100);
}

#[test]
fn two_take_one_value() {
    let queue = Queue::default();
    queue.push(5);
    let (a, b) = both(|| queue.take(), || queue.take());
    assert_eq!(a + b, 5);
}

#[test]
fn sums_under_a_spin_lock() {
    let spin = Spin::default();
    both(|| spin.add(1), || spin.add(2));
    assert_eq!(spin.add(0), 3);
}

#[test]
fn a_latch_lets_all_pass() {
    let latch = Latch::new(1);
    scope(|scope| {
        scope.spawn(|| latch.wait());
        scope.spawn(|| latch.wait());
        latch.count_down();
    });
}

#[test]
fn tickets_stay_below_three() {
    let tickets = Tickets::default();
    for _ in 0..2 {
        tickets.next();
    }
    let (a, b) = both(|| tickets.next(), || tickets.next());
    assert!(a <= 2 && b <= 2, "{a} and {b}");
}

#[test]
fn one_is_elected() {
    let election = Election::default();
    let (a, b) = both(|| election.stand(), || election.stand());
    assert!(a != b);
}

#[test]
fn a_shared_block_is_freed() {
    let (a, b) = Shared::pair(3);
    let sum = both(move || a.value(), move || b.value());
    assert_eq!(sum, (3, 3));
}

#[test]
fn the_last_one_of_a_list() {
    let list = List::with(&[1, 2]);
    let (_, last) = both(|| list.clear(), || list.last());
    assert!(last.is_none() || last == Some(2));
}

#[test]
fn a_parked_thread_wakes() {
    let parked = Parked::default();
    both(|| parked.wait(), || parked.set());
}

#[test]
fn a_cached_value_or_none() {
    let cache = Cache::default();
    let value = Arc::new(9);
    cache.put(&value);
    let (_, found) = both(move || drop(value), || cache.get());
    assert!(found.is_none() || found == Some(9));
}

#[test]
fn what_is_taken_in_is_done() {
    let pipeline = Pipeline::default();
    let (taken, done) = both(|| pipeline.submit(1), || pipeline.close());
    assert_eq!(usize::from(taken), done);
}

#[test]
fn a_version_belongs_to_its_value() {
    let versioned = Versioned::default();
    let (_, (version, value)) = both(|| versioned.set(1), || versioned.get());
    assert_eq!(version, value);
}

#[test]
fn no_more_permits_than_there_are() {
    let permits = Permits::new(1);
    let (a, b) = both(|| permits.try_acquire(), || permits.try_acquire());
    assert!(a != b);
    assert_eq!(permits.left(), 0);
}

#[test]
fn the_first_value_is_kept() {
    let first = First::default();
    let (a, b) = both(|| first.keep(1), || first.keep(2));
    assert_eq!(a, b);
}

#[test]
fn a_listener_may_leave() {
    let hub = Hub::default();
    both(|| hub.publish(1), || hub.leave());
}
