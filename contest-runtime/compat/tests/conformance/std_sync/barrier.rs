//! std `barrier.rs`.

use std::panic::RefUnwindSafe;
use std::sync::Arc;

use contest::sync::Barrier;
use contest::sync::mpsc::{TryRecvError, channel};
use contest::thread;

use crate::runs::inside_and_outside;

#[test]
fn no_thread_passes_before_all_have_arrived_and_one_leads() {
    inside_and_outside(|| {
        let barrier = Arc::new(Barrier::new(3));
        let (sender, receiver) = channel();
        for _ in 0..2 {
            let (barrier, sender) = (Arc::clone(&barrier), sender.clone());
            thread::spawn(move || sender.send(barrier.wait().is_leader()).unwrap());
        }
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        let mut leaders = u32::from(barrier.wait().is_leader());
        for _ in 0..2 {
            leaders += u32::from(receiver.recv().unwrap());
        }
        assert_eq!(leaders, 1);
    });
}

#[test]
fn a_barrier_is_unwind_safe_by_reference() {
    fn check<T: RefUnwindSafe>(_: T) {}
    check(Barrier::new(1));
}
