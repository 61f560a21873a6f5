//! What parking_lot_core documents of its queue, with real threads.

use std::time::{Duration, Instant};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use super::parking_lot_core::{
    DEFAULT_PARK_TOKEN, DEFAULT_UNPARK_TOKEN, FilterOp, ParkResult, ParkToken, RequeueOp,
    UnparkToken, park, unpark_all, unpark_filter, unpark_one, unpark_requeue,
};

/// Two keys that no other test uses.
#[derive(Default)]
struct Place {
    state: AtomicUsize,
    other: AtomicUsize,
}

fn key(of: &AtomicUsize) -> usize {
    std::ptr::from_ref(of).addr()
}

impl Place {
    /// Parks while the state is 0, at most so long.
    fn wait(&self, token: usize, timeout: Option<Duration>) -> ParkResult {
        let deadline = timeout.map(|it| Instant::now() + it);
        let is_closed = || self.state.load(SeqCst) == 0;
        // SAFETY: the key is this place's.
        unsafe {
            park(
                key(&self.state),
                is_closed,
                || (),
                |_, _| (),
                ParkToken(token),
                deadline,
            )
        }
    }

    /// Parks `count` threads with tokens 1 and on, and waits until they are parked.
    fn with_parked(count: usize) -> (Arc<Self>, Vec<thread::JoinHandle<ParkResult>>) {
        let place = Arc::new(Self::default());
        let threads: Vec<_> = (1..=count)
            .map(|token| {
                let theirs = place.clone();
                let thread = thread::spawn(move || theirs.wait(token, None));
                while place.parked() < token {
                    thread::yield_now();
                }
                thread
            })
            .collect();
        (place, threads)
    }

    fn parked(&self) -> usize {
        let mut count = 0;
        let counts = |_| {
            count += 1;
            FilterOp::Skip
        };
        // SAFETY: the key is this place's.
        unsafe { unpark_filter(key(&self.state), counts, |_| DEFAULT_UNPARK_TOKEN) };
        count
    }
}

#[test]
fn no_wake_up_is_lost() {
    for _ in 0..2_000 {
        let place = Arc::new(Place::default());
        let theirs = place.clone();
        let thread = thread::spawn(move || theirs.wait(0, None));
        place.state.store(1, SeqCst);
        // SAFETY: the key is this place's.
        let woken = unsafe { unpark_one(key(&place.state), |_| UnparkToken(7)) };
        let expected = match woken.unparked_threads {
            0 => ParkResult::Invalid,
            _ => ParkResult::Unparked(UnparkToken(7)),
        };
        assert_eq!(thread.join().unwrap(), expected);
    }
}

#[test]
fn who_waits_too_long_leaves_the_queue() {
    let place = Place::default();
    let result = place.wait(0, Some(Duration::from_millis(1)));
    assert_eq!(result, ParkResult::TimedOut);
    // SAFETY: the key is this place's.
    let woken = unsafe { unpark_all(key(&place.state), DEFAULT_UNPARK_TOKEN) };
    assert_eq!(woken, 0);
}

#[test]
fn a_filter_chooses_by_token() {
    let (place, threads) = Place::with_parked(3);
    let chooses = |token: ParkToken| match token.0 {
        2 => FilterOp::Unpark,
        _ => FilterOp::Skip,
    };
    // SAFETY: the key is this place's.
    let result = unsafe { unpark_filter(key(&place.state), chooses, |_| UnparkToken(1)) };
    assert_eq!(
        (result.unparked_threads, result.have_more_threads),
        (1, true)
    );
    // SAFETY: the key is this place's.
    let rest = unsafe { unpark_all(key(&place.state), UnparkToken(2)) };
    assert_eq!(rest, 2);
    let tokens = threads.into_iter().map(|it| it.join().unwrap());
    let expected = [2, 1, 2].map(|it| ParkResult::Unparked(UnparkToken(it)));
    assert_eq!(tokens.collect::<Vec<_>>(), expected);
}

#[test]
fn those_that_are_moved_wait_for_the_other_key() {
    let (place, threads) = Place::with_parked(3);
    let (from, to) = (key(&place.state), key(&place.other));
    let moves = || RequeueOp::UnparkOneRequeueRest;
    // SAFETY: the keys are this place's.
    let result = unsafe { unpark_requeue(from, to, moves, |_, _| DEFAULT_UNPARK_TOKEN) };
    assert_eq!((result.unparked_threads, result.requeued_threads), (1, 2));
    // SAFETY: the key is this place's.
    let woken = [from, to].map(|key| unsafe { unpark_all(key, DEFAULT_UNPARK_TOKEN) });
    assert_eq!(woken, [0, 2]);
    for thread in threads {
        assert!(thread.join().unwrap().is_unparked());
    }
    assert_eq!(DEFAULT_PARK_TOKEN, ParkToken(0));
}
