//! A semaphore that hands its permits over in order.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// One permit.
#[derive(Debug)]
pub struct Permits {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: VecDeque<(u64, Waker)>,
    /// Waiters that were handed a permit and have not taken it.
    granted: Vec<u64>,
    next: u64,
}

impl Permits {
    /// With one permit.
    pub fn new() -> Self {
        let (waiting, granted) = (VecDeque::new(), Vec::new());
        let state = Mutex::new(State {
            free: 1,
            waiting,
            granted,
            next: 0,
        });
        Self { state }
    }

    /// Waits for a permit.
    pub fn acquire(&self) -> Acquire<'_> {
        Acquire {
            permits: self,
            number: None,
        }
    }

    /// Permits that are free.
    pub fn available_permits(&self) -> usize {
        self.state.lock().unwrap().free
    }

    fn give_back(&self) {
        let mut state = self.state.lock().unwrap();
        match state.waiting.pop_front() {
            Some((number, waker)) => {
                state.granted.push(number);
                drop(state);
                waker.wake();
            }
            None => state.free += 1,
        }
    }
}

impl Default for Permits {
    fn default() -> Self {
        Self::new()
    }
}

/// Given back when dropped.
#[derive(Debug)]
pub struct Permit<'a> {
    permits: &'a Permits,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.permits.give_back();
    }
}

/// The future of [`Permits::acquire`].
#[derive(Debug)]
pub struct Acquire<'a> {
    permits: &'a Permits,
    number: Option<u64>,
}

impl<'a> Future for Acquire<'a> {
    type Output = Permit<'a>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit<'a>> {
        let permits = self.permits;
        let mut state = permits.state.lock().unwrap();
        match self.number {
            None if state.free > 0 => state.free -= 1,
            None => {
                state.next += 1;
                let number = state.next;
                state.waiting.push_back((number, context.waker().clone()));
                self.number = Some(number);
                return Poll::Pending;
            }
            Some(number) => {
                let granted = state.granted.iter().position(|other| *other == number);
                let Some(place) = granted else {
                    let own = state.waiting.iter_mut().find(|(other, _)| *other == number);
                    own.expect("it waits").1 = context.waker().clone();
                    return Poll::Pending;
                };
                state.granted.swap_remove(place);
                self.number = None;
            }
        }
        Poll::Ready(Permit { permits })
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.permits.state.lock().unwrap();
        state.waiting.retain(|(other, _)| *other != number);
        let before = state.granted.len();
        state.granted.retain(|other| *other != number);
        if state.granted.len() < before {
            drop(state);
            self.permits.give_back();
        }
    }
}
