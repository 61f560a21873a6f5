//! What an execution has left in memory: equal only where calls that come next find the same.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

use contest::memory::{Isolation, set_user_code};

use crate::scenarios::Process;

static SOMETHING: AtomicU32 = AtomicU32::new(0);

/// The state that `body` leaves behind with what it returns.
fn after<R>(process: &mut Process, body: impl FnOnce() -> R) -> Result<u64, &'static str> {
    process.isolation.begin();
    set_user_code(true);
    let left = body();
    set_user_code(false);
    let state = process.isolation.state();
    std::mem::forget(left);
    process.isolation.end();
    state
}

/// A number on the heap.
fn cell(number: usize) -> Box<AtomicUsize> {
    Box::new(AtomicUsize::new(number))
}

/// A number that is found through an address with a tag in its upper bits.
fn tagged(number: usize) -> Box<usize> {
    let hidden: &'static usize = Box::leak(Box::new(number));
    Box::new(std::ptr::from_ref(hidden).expose_provenance() | 7 << 48)
}

pub(crate) fn states() -> ! {
    let mut process = Process::start();
    let mut of = |body: &dyn Fn() -> Box<dyn std::any::Any>| after(&mut process, body);
    let seven = of(&|| cell(7)).unwrap();
    assert_eq!(of(&|| cell(7)), Ok(seven), "the same calls");
    assert_ne!(of(&|| cell(8)), Ok(seven), "another value");
    let there_and_back = of(&|| {
        let cell = cell(3);
        cell.store(9, SeqCst);
        cell.store(7, SeqCst);
        // What is given back is not part of it.
        drop(vec![1_u8; 300]);
        cell
    });
    assert_eq!(there_and_back, Ok(seven), "other calls, the same state");
    let hidden = of(&|| tagged(1)).unwrap();
    assert_eq!(of(&|| tagged(1)), Ok(hidden));
    assert_ne!(of(&|| tagged(2)), Ok(hidden), "behind a tagged address");
    let elsewhere = of(&|| {
        SOMETHING.store(1, SeqCst);
        cell(7)
    });
    assert_ne!(elsewhere, Ok(seven), "a static");
    // SAFETY: a new block of the C library, which nobody uses.
    let foreign = of(&|| Box::new(unsafe { libc::malloc(64) }.expose_provenance()));
    assert!(foreign.unwrap_err().contains("not under control"));
    let many = of(&|| Box::new((0..200_000).map(cell).collect::<Vec<_>>()));
    assert!(many.unwrap_err().contains("more blocks"));
    process.end()
}
