//! loom `tests/deadlock.rs`.

use std::rc::Rc;
use std::sync::Arc;

use contest::FindingKind;
use contest::sync::Mutex;
use contest::thread;

use crate::runs::{fails, join_all};

#[test]
fn locks_taken_in_opposite_orders_are_a_deadlock() {
    let (kind, _) = fails(|| {
        let locks = Arc::new([Mutex::new(1), Mutex::new(2)]);
        let threads = [(0, 1), (1, 0)].map(|(first, second)| {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let first = locks[first].lock().unwrap();
                assert_eq!(*first + *locks[second].lock().unwrap(), 3);
            })
        });
        join_all(threads);
    });
    assert_eq!(kind, FindingKind::Deadlock);
}

#[test]
fn threads_of_loom_models_may_share_what_is_not_send() {
    let failure = std::panic::catch_unwind(|| {
        contest_compat::loom::model(|| {
            let locks = Rc::new([Mutex::new(1), Mutex::new(2)]);
            let theirs = Rc::clone(&locks);
            let thread = contest_compat::loom::spawn(move || {
                let first = theirs[1].lock().unwrap();
                *first + *theirs[0].lock().unwrap()
            });
            let first = locks[0].lock().unwrap();
            let _sum = *first + *locks[1].lock().unwrap();
            drop(first);
            thread.join().unwrap();
        });
    });
    let text = *failure.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("deadlock"), "{text}");
}
