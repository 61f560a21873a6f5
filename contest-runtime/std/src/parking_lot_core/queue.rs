//! The threads that are parked: by `std`'s `park`, so that a report says for what.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Instant;

use super::{ParkResult, ParkToken, UnparkResult, UnparkToken};

struct Parked {
    /// Its number; who came first has the lowest.
    number: usize,
    key: usize,
    token: ParkToken,
    thread: Thread,
    /// It is unparked, and has not gone on yet.
    unparked: Option<UnparkToken>,
}

struct All {
    parked: Vec<Parked>,
    next: usize,
}

static ALL: Mutex<All> = Mutex::new(All {
    parked: Vec::new(),
    next: 0,
});

/// The queue, locked.
pub(super) struct Queue(MutexGuard<'static, All>);

impl Queue {
    #[track_caller]
    pub(super) fn lock() -> Self {
        Self(ALL.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts this thread at the end. Returns its number.
    pub(super) fn join(&mut self, key: usize, token: ParkToken) -> usize {
        let number = self.0.next;
        self.0.next += 1;
        self.0.parked.push(Parked {
            number,
            key,
            token,
            thread: thread::current(),
            unparked: None,
        });
        number
    }

    /// Those that are parked with a key, in order.
    pub(super) fn of(&self, key: usize) -> impl Iterator<Item = usize> + '_ {
        let waits = move |it: &&Parked| it.key == key && it.unparked.is_none();
        self.0.parked.iter().filter(waits).map(|it| it.number)
    }

    fn get(&mut self, number: usize) -> &mut Parked {
        let at = self.position(number);
        &mut self.0.parked[at]
    }

    fn position(&self, number: usize) -> usize {
        let at = self.0.parked.iter().position(|it| it.number == number);
        at.expect("a thread is in the queue until it goes on")
    }

    pub(super) fn token(&self, number: usize) -> ParkToken {
        self.0.parked[self.position(number)].token
    }

    pub(super) fn requeue(&mut self, numbers: &[usize], key: usize) {
        for number in numbers {
            self.get(*number).key = key;
        }
    }

    /// Unparks these, of those with a key.
    #[track_caller]
    pub(super) fn unpark(
        &mut self,
        key: usize,
        chosen: Vec<usize>,
        callback: impl FnOnce(UnparkResult) -> UnparkToken,
    ) -> UnparkResult {
        let result = UnparkResult {
            unparked_threads: chosen.len(),
            have_more_threads: self.of(key).any(|it| !chosen.contains(&it)),
            ..UnparkResult::default()
        };
        let token = callback(result);
        for number in chosen {
            let parked = self.get(number);
            parked.unparked = Some(token);
            parked.thread.unpark();
        }
        result
    }

    /// Takes this thread out of the queue if it is unparked.
    fn leave_unparked(&mut self, number: usize) -> Option<UnparkToken> {
        let at = self.position(number);
        let token = self.0.parked[at].unparked?;
        self.0.parked.remove(at);
        Some(token)
    }

    /// Takes this thread out of the queue because its time is up.
    fn leave(&mut self, number: usize, timed_out: impl FnOnce(usize, bool)) {
        let at = self.position(number);
        let key = self.0.parked.remove(at).key;
        let is_last = self.of(key).next().is_none();
        timed_out(key, is_last);
    }
}

/// Waits until this thread is unparked, or the deadline.
#[track_caller]
pub(super) fn wait(
    number: usize,
    deadline: Option<Instant>,
    timed_out: impl FnOnce(usize, bool),
) -> ParkResult {
    let mut woken = 0;
    let result = loop {
        let left = deadline.map(|it| it.saturating_duration_since(Instant::now()));
        match left {
            None => thread::park(),
            Some(left) if !left.is_zero() => thread::park_timeout(left),
            Some(_) => {}
        }
        woken += 1;
        let mut queue = Queue::lock();
        if let Some(token) = queue.leave_unparked(number) {
            break ParkResult::Unparked(token);
        }
        if left.is_some_and(|it| it.is_zero()) {
            queue.leave(number, timed_out);
            return ParkResult::TimedOut;
        }
    };
    // A token of `std`'s was meant for other code.
    if woken > 1 && deadline.is_none() {
        thread::current().unpark();
    }
    result
}
