//! std `lazy_lock.rs`, without its tests of `LazyCell`, which is not replaced.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::sync::{LazyLock, Mutex, OnceLock};
use contest::thread;

use crate::runs::inside_and_outside;

#[test]
fn a_lazy_value_is_made_at_first_use_by_whoever_comes_first() {
    inside_and_outside(|| {
        let calls = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&calls);
        let lazy = Arc::new(LazyLock::new(move || {
            theirs.fetch_add(1, Ordering::SeqCst) + 92
        }));
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        let shared = Arc::clone(&lazy);
        let thread = thread::spawn(move || assert_eq!(**shared, 92));
        assert_eq!(**lazy, 92);
        thread.join().unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn the_default_is_made_by_default() {
    inside_and_outside(|| {
        let lazy: LazyLock<Mutex<Vec<u8>>> = LazyLock::default();
        lazy.lock().unwrap().push(7);
        assert_eq!(*lazy.lock().unwrap(), [7]);
    });
}

#[test]
fn a_static_may_be_lazy() {
    static NUMBERS: LazyLock<Vec<u8>> = LazyLock::new(|| (1..4).collect());
    fn through_a_function() -> &'static [u8] {
        static NUMBERS: OnceLock<Vec<u8>> = OnceLock::new();
        NUMBERS.get_or_init(|| (1..4).collect())
    }
    thread::spawn(|| assert_eq!(*NUMBERS, [1, 2, 3]))
        .join()
        .unwrap();
    assert_eq!(*NUMBERS, through_a_function());
}

#[test]
fn a_lazy_value_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<LazyLock<String>>();
}

#[test]
fn an_exclusive_lazy_value_can_be_forced_and_changed() {
    inside_and_outside(|| {
        let text = "abc".to_owned();
        let mut lazy = LazyLock::new(move || text);
        LazyLock::force_mut(&mut lazy).clear();
        assert_eq!(LazyLock::force_mut(&mut lazy), "");
    });
}

fn message_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn a_lazy_value_whose_maker_panicked_says_so_at_every_later_use() {
    inside_and_outside(|| {
        let mut lazy: LazyLock<String> = LazyLock::new(|| panic!("made badly"));
        assert_eq!(message_of(|| assert_eq!(lazy.len(), 0)), "made badly");
        let poisoned = "LazyLock instance has previously been poisoned";
        assert_eq!(message_of(|| assert_eq!(lazy.len(), 0)), poisoned);
        assert_eq!(
            message_of(|| LazyLock::force_mut(&mut lazy).clear()),
            poisoned
        );
    });
}
