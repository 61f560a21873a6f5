//! loom `tests/thread_local.rs`.

use std::cell::RefCell;
use std::sync::Mutex;

use contest::thread;

use crate::runs::{join_all, passes};

contest::thread_local! {
    static NUMBER: RefCell<u32> = const { RefCell::new(1) };
    static OTHER: RefCell<u32> = RefCell::new(2);
}

fn fresh_then(number: u32) {
    assert_eq!(NUMBER.take(), 1);
    NUMBER.set(number);
    thread::yield_now();
    NUMBER.with_borrow(|now| assert_eq!(*now, number));
}

#[test]
fn every_thread_has_a_value_of_its_own() {
    passes(|| {
        let threads = [2, 3].map(|number| thread::spawn(move || fresh_then(number)));
        fresh_then(4);
        join_all(threads);
    });
}

#[test]
fn one_value_may_be_used_while_another_is() {
    passes(|| {
        NUMBER.with(|mine| *mine.borrow_mut() = OTHER.with_borrow(|other| *other));
        NUMBER.with_borrow(|number| assert_eq!(*number, 2));
    });
}

#[test]
fn a_value_is_dropped_when_its_thread_ends_that_of_main_too() {
    static DROPPED: Mutex<Vec<&str>> = Mutex::new(Vec::new());

    struct Name(&'static str);

    impl Drop for Name {
        fn drop(&mut self) {
            DROPPED.lock().unwrap().push(self.0);
        }
    }

    contest::thread_local! {
        static NAME: RefCell<Name> = const { RefCell::new(Name("")) };
    }

    passes(|| {
        DROPPED.lock().unwrap().clear();
        for name in ["first", "second"] {
            thread::spawn(move || NAME.with_borrow_mut(|here| here.0 = name))
                .join()
                .unwrap();
            assert_eq!(DROPPED.lock().unwrap().last(), Some(&name));
        }
        NAME.with_borrow_mut(|here| here.0 = "main");
    });
    assert_eq!(*DROPPED.lock().unwrap(), ["first", "second", "main"]);
}
