//! What is not replaced: macros, derives, and types that many crates name by unusual paths.

extern crate alloc;

use std::sync::atomic::Ordering;
use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Derived(u8);

struct NeverWakes;

impl alloc::task::Wake for NeverWakes {
    fn wake(self: Arc<Self>) {}
}

fn through_result() -> LockResult<u8> {
    Err(PoisonError::new(3))
}

fn through_try() -> TryLockResult<u8> {
    Err(TryLockError::from(PoisonError::new(4)))
}

fn main() {
    let weak: Weak<u8> = Arc::downgrade(&Arc::new(1));
    assert!(weak.upgrade().is_none());
    assert_eq!(through_result().unwrap_err().into_inner(), 3);
    assert!(matches!(through_try(), Err(TryLockError::Poisoned(_))));
    assert_eq!(Ordering::SeqCst, core::sync::atomic::Ordering::SeqCst);
    let waker = std::task::Waker::from(Arc::new(NeverWakes));
    assert!(waker.will_wake(&waker.clone()));
    let layout = core::alloc::Layout::from_size_align(64, 64).unwrap();
    // SAFETY: the size is not zero.
    let block = unsafe { alloc::alloc::alloc(layout) };
    assert!(!block.is_null());
    // SAFETY: allocated above with the same layout.
    unsafe { std::alloc::dealloc(block, layout) };
    let words: alloc::vec::Vec<String> = vec![format!("{:?}", Derived(1)), String::from(concat!("a", "b"))];
    assert_eq!(words.join(" "), "Derived(1) ab");
    assert_eq!(std::hint::black_box(core::hint::black_box(5)), 5);
    assert!(std::time::Instant::now().elapsed() < core::time::Duration::from_secs(60));
    let joined: std::thread::Result<u8> = std::thread::spawn(|| 7).join();
    assert_eq!(joined.unwrap(), 7);
    let caught = std::panic::catch_unwind(|| std::sync::Mutex::new(1));
    assert!(caught.is_ok());
    print!("unchanged");
    println!();
}
