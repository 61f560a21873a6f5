//! `std::sync::Barrier`, of loom's locks.

use std::sync::PoisonError;

use super::locks::{Condvar, Mutex};

/// `std::sync::Barrier`.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    round: Mutex<Round>,
    over: Condvar,
}

#[derive(Debug, Default)]
struct Round {
    number: usize,
    /// Threads that wait in it.
    waiting: usize,
}

/// `std::sync::BarrierWaitResult`.
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// As in `std`.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// As in `std`, but not in a constant.
    #[must_use]
    #[track_caller]
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            round: Mutex::default(),
            over: Condvar::new(),
        }
    }

    /// As in `std`.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let mut round = self.round.lock().unwrap_or_else(PoisonError::into_inner);
        round.waiting += 1;
        if round.waiting >= self.threads {
            round.waiting = 0;
            round.number += 1;
            self.over.notify_all();
            return BarrierWaitResult(true);
        }
        let mine = round.number;
        while round.number == mine {
            round = self
                .over
                .wait(round)
                .unwrap_or_else(PoisonError::into_inner);
        }
        BarrierWaitResult(false)
    }
}
