//! The threads that are parked.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{ParkResult, ParkToken, UnparkResult, UnparkToken};

struct Parked {
    /// Its number.
    number: usize,
    key: usize,
    token: ParkToken,
    changed: Arc<Condvar>,
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
            changed: Arc::default(),
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

    /// Puts these behind those that are parked with that key.
    pub(super) fn requeue(&mut self, numbers: &[usize], key: usize) {
        for number in numbers {
            let at = self.position(*number);
            let parked = self.0.parked.remove(at);
            self.0.parked.push(Parked { key, ..parked });
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
            parked.changed.notify_one();
        }
        result
    }

    /// Waits until this thread is unparked, or the deadline.
    #[track_caller]
    pub(super) fn wait(
        mut self,
        number: usize,
        deadline: Option<Instant>,
        timed_out: impl FnOnce(usize, bool),
    ) -> ParkResult {
        let changed = self.get(number).changed.clone();
        loop {
            let at = self.position(number);
            if let Some(token) = self.0.parked[at].unparked {
                self.0.parked.remove(at);
                return ParkResult::Unparked(token);
            }
            let left = deadline.map(|it| it.saturating_duration_since(Instant::now()));
            self.0 = match left {
                None => changed.wait(self.0).unwrap_or_else(PoisonError::into_inner),
                Some(left) if !left.is_zero() => {
                    let waited = changed.wait_timeout(self.0, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let key = self.0.parked.remove(at).key;
                    let is_last = self.of(key).next().is_none();
                    timed_out(key, is_last);
                    return ParkResult::TimedOut;
                }
            };
        }
    }
}
