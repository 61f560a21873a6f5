//! `thread_local!` in all its forms, on real threads.

#![allow(
    clippy::missing_const_for_thread_local,
    reason = "all forms are tested"
)]

use std::cell::{Cell, RefCell};

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

mod inner {
    contest::thread_local! {
        /// Documented, and seen from outside.
        pub(crate) static VISIBLE: std::cell::Cell<u8> = const { std::cell::Cell::new(8) };
    }
}

contest::thread_local! {
    static PLAIN: Cell<u32> = Cell::new(1);
    static CONSTANT: Cell<u32> = const { Cell::new(2) };
    #[allow(dead_code, reason = "attributes are allowed")]
    /// Attributes and documentation.
    pub static DOCUMENTED: RefCell<Vec<&'static str>> = RefCell::new(Vec::new())
}

contest::thread_local!(static ALONE: RefCell<String> = RefCell::new(init()));
contest::thread_local!(
    static ALONE_WITH_END: Cell<&str> = const { Cell::new("elided") };
);
contest::thread_local! {}

/// Named as something inside the macro might be.
fn init() -> String {
    "init".to_owned()
}

#[test]
fn all_forms_of_the_macro_give_a_key() {
    assert_eq!(
        PLAIN.get() + CONSTANT.get() + u32::from(inner::VISIBLE.get()),
        11
    );
    DOCUMENTED.with_borrow_mut(|list| list.push("item"));
    assert_eq!(DOCUMENTED.take(), ["item"]);
    assert_eq!(ALONE.with_borrow(String::len), 4);
    assert_eq!(ALONE_WITH_END.get(), "elided");
}

#[test]
fn a_key_can_be_used_through_a_reference() {
    static KEY: &thread::LocalKey<Cell<u32>> = &PLAIN;
    fn bump(key: &'static thread::LocalKey<Cell<u32>>) -> u32 {
        key.replace(key.get() + 1)
    }
    let before = PLAIN.get();
    assert_eq!(bump(KEY), before);
    assert_eq!(PLAIN.get(), before + 1);
    assert_eq!(format!("{KEY:?}"), "LocalKey { .. }");
}

#[test]
fn each_real_thread_has_a_value_of_its_own() {
    contest::thread_local!(static OWN: Cell<u32> = const { Cell::new(5) });
    OWN.set(6);
    assert_eq!(thread::spawn(|| OWN.replace(7)).join().unwrap(), 5);
    assert_eq!(OWN.take(), 6);
    assert_eq!(OWN.get(), 0);
}

#[test]
fn setting_first_does_not_run_the_initialiser() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    contest::thread_local!(static COUNTED: RefCell<u32> = {
        RUNS.fetch_add(1, Ordering::SeqCst);
        RefCell::new(0)
    });
    COUNTED.set(3);
    COUNTED.set(4);
    assert_eq!(COUNTED.replace(5), 4);
    assert_eq!(COUNTED.try_with(|value| *value.borrow()), Ok(5));
    assert_eq!(RUNS.load(Ordering::SeqCst), 0);
}

#[test]
fn a_value_is_dropped_with_its_thread_and_gone_while_it_is_dropped() {
    static DROPS: AtomicU32 = AtomicU32::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            let access = DROPPED.try_with(|_| ());
            assert_eq!(format!("{access:?}"), "Err(AccessError)");
            assert_eq!(access.unwrap_err().to_string(), "already destroyed");
            DROPS.fetch_add(1, Ordering::SeqCst);
        }
    }
    contest::thread_local!(static DROPPED: Counted = const { Counted });
    // The values of a scoped thread may outlive the scope, those of a joined one do not.
    thread::spawn(|| DROPPED.with(|_| ())).join().unwrap();
    assert_eq!(DROPS.load(Ordering::SeqCst), 1);
}
