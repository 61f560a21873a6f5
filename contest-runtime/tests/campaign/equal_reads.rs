//! A call that reads the same several times on its way waits for nothing.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use contest::sync::Mutex;
use contest::sync::atomic::AtomicU32;
use contest_data::subject::Subject;

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// A table that the first call makes. To fill it, one value is copied often, as `vec![Atomic::null(); 16]` does.
#[derive(Default)]
struct Table {
    empty: AtomicU32,
    /// Nothing, being made, made.
    state: AtomicU32,
    holds: Mutex<bool>,
}

impl Table {
    /// True if it held nothing.
    fn put(&self) -> bool {
        while self.state.load(SeqCst) != 2 {
            if self.state.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
                contest::thread::yield_now();
                continue;
            }
            let bins = (0..16).map(|_| self.empty.load(Relaxed));
            assert_eq!(bins.sum::<u32>(), 0);
            self.state.store(2, SeqCst);
        }
        !std::mem::replace(&mut *self.holds.lock().unwrap(), true)
    }

    fn clear(&self) {
        *self.holds.lock().unwrap() = false;
    }
}

static TABLE: [Subject; 1] = [Subject {
    name: "Table",
    path: "Table",
    constructors: &[new::<Table>("Table::default()")],
    operations: &[
        operation("put", "{s}.put()", &[], |call| {
            contest::observe!(object::<Table>(call).put())
        }),
        operation("clear", "{s}.clear()", &[], |call| {
            contest::observe!(object::<Table>(call).clear())
        }),
    ],
    state: None,
}];

#[test]
fn a_serial_order_comes_to_the_end_of_a_call_that_reads_the_same_often() {
    let heard = campaign(&TABLE, &settings(1_000));
    assert_eq!(heard.kinds(), [], "{}", heard.text());
    assert!(heard.totals.subjects[0].exhausted > 3, "{}", heard.text());
}
