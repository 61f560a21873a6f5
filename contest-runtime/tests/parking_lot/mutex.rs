//! `Mutex`, `FairMutex` and their guards.

use std::time::{Duration, Instant};

use contest::parking_lot::{
    FairMutex, FairMutexGuard, MappedMutexGuard, Mutex, MutexGuard, const_fair_mutex, const_mutex,
};
use contest::sync::Arc;
use contest::thread;

use super::{assert_outcomes, everywhere};

#[test]
fn only_one_thread_is_between_lock_and_unlock() {
    everywhere(|| {
        let count = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&count);
        let thread = thread::spawn(move || {
            let mut count = theirs.lock();
            let seen = *count;
            thread::yield_now();
            *count = seen + 1;
        });
        let mut mine = count.lock();
        *mine += 1;
        drop(mine);
        thread.join().unwrap();
        assert_eq!(*count.lock(), 2);
    });
}

#[test]
fn a_lock_that_is_held_cannot_be_tried_and_can_be_seen() {
    everywhere(|| {
        let mutex = Mutex::new(());
        assert!(!mutex.is_locked());
        let guard = mutex.lock();
        assert!(mutex.is_locked());
        assert!(mutex.try_lock().is_none());
        drop(guard);
        assert!(mutex.try_lock().is_some());
    });
}

#[test]
fn trying_beside_a_holder_may_go_either_way() {
    assert_outcomes(
        || {
            let mutex = Arc::new(Mutex::new(()));
            let theirs = Arc::clone(&mutex);
            let thread = thread::spawn(move || theirs.try_lock().is_some());
            let guard = mutex.lock();
            drop(guard);
            thread.join().unwrap()
        },
        &[true, false],
    );
}

#[test]
fn nothing_is_poisoned_by_a_panic() {
    everywhere(|| {
        let mutex = Arc::new(Mutex::new(1));
        let theirs = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let _guard = theirs.lock();
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        assert!(thread.join().is_err());
        assert_eq!(*mutex.lock(), 1);
    });
}

#[test]
fn a_fair_unlock_and_a_bump_let_others_in() {
    everywhere(|| {
        let mutex = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let guard = theirs.lock();
            MutexGuard::unlock_fair(guard);
        });
        let mut guard = mutex.lock();
        *guard += 1;
        MutexGuard::bump(&mut guard);
        *guard += 1;
        MutexGuard::unlocked(&mut guard, || ());
        MutexGuard::unlocked_fair(&mut guard, || ());
        MutexGuard::unlock_fair(guard);
        thread.join().unwrap();
        assert_eq!(*mutex.lock(), 2);
    });
}

#[test]
fn while_unlocked_another_thread_may_change_it() {
    assert_outcomes(
        || {
            let mutex = Arc::new(Mutex::new(0));
            let theirs = Arc::clone(&mutex);
            let mut guard = mutex.lock();
            let thread = thread::spawn(move || *theirs.lock() = 1);
            let before = *guard;
            MutexGuard::unlocked(&mut guard, || ());
            let after = *guard;
            drop(guard);
            thread.join().unwrap();
            (before, after)
        },
        &[(0, 0), (0, 1)],
    );
}

#[test]
fn waiting_for_a_lock_has_an_end() {
    everywhere(|| {
        let mutex = Mutex::new(());
        let guard = mutex.lock();
        assert!(mutex.try_lock_for(Duration::from_millis(1)).is_none());
        let deadline = Instant::now() + Duration::from_millis(1);
        assert!(mutex.try_lock_until(deadline).is_none());
        drop(guard);
        assert!(mutex.try_lock_for(Duration::from_millis(1)).is_some());
    });
}

#[test]
fn a_mapped_guard_holds_the_lock() {
    everywhere(|| {
        let mutex = Mutex::new((1, 2));
        let second = MutexGuard::map(mutex.lock(), |pair| &mut pair.1);
        assert!(mutex.try_lock().is_none());
        let mut second = MappedMutexGuard::map(second, |number| number);
        *second = 3;
        MappedMutexGuard::unlock_fair(second);
        assert_eq!(*mutex.lock(), (1, 3));
        assert!(MutexGuard::try_map(mutex.lock(), |_| None::<&mut u8>).is_err());
    });
}

#[test]
fn a_leaked_lock_is_forced_open() {
    everywhere(|| {
        let mutex = Mutex::new(1);
        std::mem::forget(mutex.lock());
        assert!(mutex.try_lock().is_none());
        // SAFETY: the guard that held it was forgotten.
        unsafe { mutex.force_unlock() };
        assert_eq!(*mutex.lock(), 1);
        assert_eq!(mutex.into_inner(), 1);
    });
}

#[test]
fn a_lock_in_an_arc_gives_a_guard_that_keeps_it() {
    everywhere(|| {
        let mutex = Arc::new(Mutex::new(1));
        let guard = mutex.lock_arc();
        assert!(mutex.try_lock_arc().is_none());
        drop(mutex);
        assert_eq!(*guard, 1);
    });
}

#[test]
fn statics_and_constants_can_be_made() {
    static PLAIN: Mutex<u8> = const_mutex(1);
    static FAIR: FairMutex<u8> = const_fair_mutex(2);
    static NEW: Mutex<u8> = Mutex::new(3);
    assert_eq!(*PLAIN.lock() + *FAIR.lock() + *NEW.lock(), 6);
    let mut guard = FAIR.lock();
    FairMutexGuard::bump(&mut guard);
    assert!(FAIR.try_lock().is_none());
}

#[cfg(feature = "explore")]
#[test]
fn opposite_orders_are_a_deadlock() {
    let kind = super::finding(|| {
        let pair = Arc::new((Mutex::new(()), FairMutex::new(())));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let _second = theirs.1.lock();
            let _first = theirs.0.lock();
        });
        let _first = pair.0.lock();
        let _second = pair.1.lock();
        drop((_first, _second));
        thread.join().unwrap();
    });
    assert_eq!(kind, contest::FindingKind::Deadlock);
}

#[cfg(feature = "explore")]
#[test]
fn locking_twice_is_a_deadlock() {
    let kind = super::finding(|| {
        let mutex = Mutex::new(());
        let _once = mutex.lock();
        let _twice = mutex.lock();
    });
    assert_eq!(kind, contest::FindingKind::Deadlock);
}

#[test]
fn to_look_whether_it_is_held_is_a_step() {
    super::assert_outcomes(
        || {
            let lock = Arc::new(Mutex::new(()));
            let theirs = Arc::clone(&lock);
            let thread = thread::spawn(move || drop(theirs.lock()));
            let seen = lock.is_locked();
            thread.join().unwrap();
            seen
        },
        &[false, true],
    );
}
