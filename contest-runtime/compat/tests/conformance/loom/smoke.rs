//! loom `tests/smoke.rs`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, outcomes};

#[test]
fn an_increment_in_two_steps_is_lost_in_some_interleaving() {
    let counts = outcomes(|| {
        let count = Arc::new(AtomicU32::new(0));
        let threads = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let seen = count.load(Ordering::Acquire);
                count.store(seen + 1, Ordering::Release);
            })
        });
        join_all(threads);
        count.load(Ordering::Relaxed)
    });
    assert_eq!(counts, [1, 2].into());
}
