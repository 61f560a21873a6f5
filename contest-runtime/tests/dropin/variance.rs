//! Variance, unsizing and drop check as in `std`. Most of these tests are in that they compile.

use std::fmt::Debug;
use std::sync::Arc;

use contest::sync::atomic::AtomicPtr;
use contest::sync::{Mutex, MutexGuard, OnceLock, RwLock, RwLockReadGuard};

fn shorter<'a, 'b: 'a>(guard: RwLockReadGuard<'b, &'static str>) -> RwLockReadGuard<'a, &'a str> {
    guard
}

#[test]
fn a_read_guard_is_covariant_in_its_value() {
    let lock = RwLock::new("text");
    assert_eq!(*shorter(lock.read().unwrap()), "text");
}

fn shorter_borrow<'a, 'b: 'a>(guard: MutexGuard<'b, u8>) -> MutexGuard<'a, u8> {
    guard
}

#[test]
fn a_mutex_guard_is_covariant_in_its_lifetime() {
    let lock = Mutex::new(3);
    assert_eq!(*shorter_borrow(lock.lock().unwrap()), 3);
}

#[test]
fn locks_of_a_sized_type_coerce_to_locks_of_an_unsized_one() {
    let text: Arc<Mutex<dyn Debug>> = Arc::new(Mutex::new("text"));
    assert_eq!(format!("{:?}", &*text.lock().unwrap()), "\"text\"");
    let slice: Box<RwLock<[u8]>> = Box::new(RwLock::new([1, 2, 3]));
    slice.write().unwrap()[0] = 9;
    assert_eq!(slice.read().unwrap().len(), 3);
    assert_eq!(slice.try_read().unwrap()[0], 9);
    assert!(text.try_lock().is_ok());
    assert!(!text.is_poisoned());
}

#[test]
#[expect(
    clippy::needless_late_init,
    reason = "the order of the drops is the test"
)]
fn a_lock_may_hold_a_reference_to_what_dies_at_the_same_time() {
    // `value` is dropped before the locks: allowed because they touch a reference in no way when they are dropped.
    let mutex;
    let cell;
    let value = 5;
    mutex = Mutex::new(&value);
    cell = OnceLock::new();
    cell.set(&value).unwrap();
    assert_eq!(**mutex.lock().unwrap(), **cell.get().unwrap());
}

#[test]
fn an_atomic_pointer_needs_nothing_of_what_it_points_to() {
    struct Opaque;
    let pointer = AtomicPtr::<Opaque>::default();
    assert!(format!("{pointer:p}").starts_with("0x"));
}
