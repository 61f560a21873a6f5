//! Poisoning as in `std`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use contest::sync::{Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, TryLockError};

fn panicking(f: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err());
}

#[test]
fn a_panic_with_the_guard_poisons_the_mutex() {
    let lock = Mutex::new(1);
    panicking(|| {
        *lock.lock().unwrap() = 2;
        let _guard = lock.lock().unwrap();
        panic!("poison");
    });
    assert!(lock.is_poisoned());
    assert_eq!(*lock.lock().unwrap_err().into_inner(), 2);
    assert!(matches!(lock.try_lock(), Err(TryLockError::Poisoned(_))));
    lock.clear_poison();
    assert_eq!(*lock.lock().unwrap(), 2);
    assert_eq!(lock.into_inner().unwrap(), 2);
}

#[test]
fn exclusive_access_to_a_poisoned_mutex_says_so() {
    let mut lock = Mutex::new(1);
    panicking(|| {
        let _guard = lock.lock();
        panic!("poison");
    });
    assert!(lock.get_mut().is_err());
    assert!(lock.into_inner().is_err());
}

#[test]
fn a_guard_taken_and_dropped_during_a_panic_does_not_poison() {
    struct LocksInDrop<'a>(&'a Mutex<u8>);
    impl Drop for LocksInDrop<'_> {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let lock = Mutex::new(1);
    panicking(|| {
        let _locks = LocksInDrop(&lock);
        panic!("elsewhere");
    });
    assert!(!lock.is_poisoned());
    assert_eq!(*lock.lock().unwrap(), 2);
}

#[test]
fn only_a_writer_poisons_a_read_write_lock() {
    let lock = RwLock::new(1);
    panicking(|| {
        let _guard = lock.read().unwrap();
        panic!("no poison");
    });
    assert!(!lock.is_poisoned());
    panicking(|| {
        let _guard = lock.write().unwrap();
        panic!("poison");
    });
    assert!(lock.is_poisoned());
    assert!(lock.read().is_err() && lock.write().is_err());
    assert!(matches!(lock.try_read(), Err(TryLockError::Poisoned(_))));
    assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
    lock.clear_poison();
    assert_eq!(*lock.read().unwrap(), 1);
}

#[test]
fn a_downgraded_guard_does_not_poison() {
    let lock = RwLock::new(1);
    panicking(|| {
        let _guard = contest::sync::RwLockWriteGuard::downgrade(lock.write().unwrap());
        panic!("no poison");
    });
    assert!(!lock.is_poisoned());
}

#[test]
fn a_wait_on_a_poisoned_mutex_gives_an_error_with_the_guard() {
    let lock = Mutex::new(1);
    let condvar = Condvar::new();
    panicking(|| {
        let _guard = lock.lock();
        panic!("poison");
    });
    let guard = lock.lock().unwrap_err().into_inner();
    let (guard, result) = condvar
        .wait_timeout(guard, std::time::Duration::from_millis(1))
        .unwrap_err()
        .into_inner();
    assert!(result.timed_out());
    assert_eq!(*guard, 1);
}

#[test]
fn a_once_whose_initialiser_panicked_is_poisoned_until_forced() {
    let once = Once::new();
    panicking(|| once.call_once(|| panic!("poison")));
    assert!(!once.is_completed());
    panicking(|| once.call_once(|| ()));
    panicking(|| once.wait());
    let mut poisoned = false;
    once.call_once_force(|state| poisoned = state.is_poisoned());
    assert!(poisoned && once.is_completed());
}

#[test]
fn a_cell_whose_initialiser_panicked_can_be_initialised_again() {
    let cell = OnceLock::new();
    panicking(|| {
        cell.get_or_init(|| panic!("no value"));
    });
    assert_eq!(cell.get(), None);
    assert_eq!(*cell.get_or_init(|| 3), 3);
}

#[test]
fn a_lazy_value_whose_initialiser_panicked_stays_poisoned() {
    let lazy = LazyLock::<u8>::new(|| panic!("no value"));
    panicking(|| {
        LazyLock::force(&lazy);
    });
    assert_eq!(LazyLock::get(&lazy), None);
    panicking(|| {
        LazyLock::force(&lazy);
    });
}
