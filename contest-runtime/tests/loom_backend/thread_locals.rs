//! `thread_local!` in the forms of `std`.

use std::cell::Cell;

use contest::sync::Arc;
use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::thread;

contest::thread_local! {
    /// A constant.
    static CONSTANT: Cell<u32> = const { Cell::new(5) };
    pub(crate) static COMPUTED: Cell<u32> = Cell::new(u32::MAX.count_ones());
}
contest::thread_local!(static ALONE: Cell<u32> = const { Cell::new(7) });

#[test]
fn each_thread_has_its_own_value_in_every_form() {
    super::clean(|| {
        let sum = Arc::new(AtomicU32::new(0));
        let add = |sum: &AtomicU32| {
            let values = [
                CONSTANT.with(|it| it.replace(1)),
                COMPUTED.with(|it| it.replace(2)),
                ALONE.with(|it| it.replace(3)),
            ];
            assert_eq!(values, [5, 32, 7]);
            sum.fetch_add(values.iter().sum(), SeqCst);
        };
        let theirs = Arc::clone(&sum);
        let thread = thread::spawn(move || add(&theirs));
        add(&sum);
        thread.join().unwrap();
        assert_eq!(sum.load(SeqCst), 88);
    });
}
