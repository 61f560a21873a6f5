//! Atomic operations under a weak memory model: which write is read is a decision of the strategy.

use super::current::StrategyPointer;
use super::machine::Machine;
use super::other_orderings::OtherOrderings;
use crate::happens_before::Synchronisation;
use crate::weak_memory::{Clocks, Request, Taken, Wanted, WeakMemory};
use contest_data::decision::MemoryPoint;
use contest_data::execution_graph::Deeds;
use contest_data::limits::MemoryModel;
use contest_data::trace::{Action, Decision, Ending, Pending, ThreadIndex};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// What an execution keeps for it.
#[derive(Debug, Default)]
pub(super) struct Weak {
    /// Reads may take older writes.
    pub on: bool,
    memory: WeakMemory,
    pub orderings: OtherOrderings,
    /// Where each thread's weak compare-exchanges have failed spuriously.
    spurious: Vec<(ThreadIndex, &'static Location<'static>)>,
}

/// An operation whose choice is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    request: Request,
    taken: Taken,
    /// The thread's epoch.
    epoch: u32,
    /// Number of what it will write, if it does.
    message: u32,
}

impl Chosen {
    /// What the operation finds in memory.
    pub(super) fn value(&self) -> u64 {
        self.taken.value
    }
}

struct Present<'s> {
    synchronisation: &'s Synchronisation,
    thread: ThreadIndex,
}

impl Clocks for Present<'_> {
    fn own(&self) -> &[u32] {
        self.synchronisation.clock(self.thread)
    }

    fn handed_on(&self, message: u32) -> &[u32] {
        self.synchronisation.known_message(message)
    }
}

impl Machine {
    /// Sets up the next execution.
    pub(super) fn reset_weak(&mut self) {
        let own = self.strategy.and_then(StrategyPointer::memory_model);
        let model = own.unwrap_or(self.limits.memory_model);
        self.weak.on = model == MemoryModel::Rc11;
        self.record.schedule.memory_model = model;
        if self.weak.on {
            self.weak.memory.reset();
            self.weak.orderings.reset();
            self.weak.spurious.clear();
            // The strategy also chooses what reads take, so its thread choices cannot be drawn ahead.
            self.walk = None;
        }
    }

    /// Lets the strategy choose whether a weak compare-exchange fails although it finds what it expects; once for each
    /// place and thread, so that a loop ends. If so, returns the read that it is.
    pub(super) fn choose_failure(&mut self, request: &Request, bits: u64) -> Option<Request> {
        let (expected, failure) = request.exchange?;
        let thread = request.thread;
        let site = (thread, self.threads[thread.index()].location);
        if self.weak.spurious.contains(&site) || std::thread::panicking() {
            return None;
        }
        let read = Request {
            deeds: Deeds::Read,
            order: failure,
            exchange: None,
            only: Some(expected),
            ..*request
        };
        self.synchronise();
        let present = Present {
            synchronisation: &self.synchronisation,
            thread,
        };
        self.weak
            .memory
            .consider(&read, bits, &present, Wanted::Allowed);
        if self.weak.memory.alternatives().is_empty() {
            return None;
        }
        let strategy = self.strategy.expect("an execution has a strategy");
        let fails = strategy.fails_spuriously();
        self.note_decision(Decision::Value(u16::from(fails)), 0);
        if !fails {
            return None;
        }
        self.weak.spurious.push(site);
        Some(read)
    }

    /// Lets the strategy choose what the published atomic operation of the running thread takes. `bits`: what is in
    /// memory.
    /// `None` if the strategy gives the execution up; it is over then.
    pub(super) fn choose_write(&mut self, request: Request, bits: u64) -> Option<Chosen> {
        self.synchronise();
        let thread = request.thread;
        // What a thread that unwinds or goes round a loop reads is no choice.
        let catches_up = self.me().spin.catches_up();
        let newest_only = catches_up || std::thread::panicking();
        let strategy = self.strategy.expect("an execution has a strategy");
        let wanted = if newest_only {
            Wanted::Newest
        } else if strategy.knows_memory(&self.record.events, thread) {
            Wanted::Coherent
        } else {
            Wanted::Allowed
        };
        let message = self.weak.memory.next_message();
        self.synchronisation.message(message + 1);
        let present = Present {
            synchronisation: &self.synchronisation,
            thread,
        };
        self.weak.memory.consider(&request, bits, &present, wanted);
        let alternatives = self.weak.memory.alternatives();
        let coherent = self.weak.memory.coherent();
        let choice = if coherent.len() > 1 || self.needs_forced_points {
            let point = MemoryPoint {
                events: &self.record.events,
                thread,
                pending: match request.only {
                    Some(_) => Pending {
                        action: Action::CasFail(request.order),
                        ..self.pending[thread.index()]?
                    },
                    None => self.pending[thread.index()]?,
                },
                exchange: request.exchange,
                writes: self.weak.memory.shown(),
                alternatives,
                coherent,
                catches_up: newest_only,
            };
            let Some(choice) = strategy.memory(&point) else {
                self.finish(Ending::Abandoned);
                return None;
            };
            let choice = choice.min(alternatives.len() as u16 - 1);
            if coherent.len() > 1 {
                // Not the number of the alternative: a replay takes it without working out which others the order of
                // `SeqCst` events forbids.
                let taken = alternatives[usize::from(choice)];
                let place = coherent.iter().position(|at| *at == taken);
                let place = place.expect("an alternative is coherent") as u16;
                self.note_decision(Decision::Value(place), 0);
            }
            choice
        } else {
            0
        };
        let taken = self.weak.memory.take(&request, choice);
        self.synchronisation.message(taken.message.max(message));
        Some(Chosen {
            request,
            taken,
            epoch: self.synchronisation.epoch(thread),
            message,
        })
    }

    /// Takes note of what comes next, so that it orders threads as what was chosen does.
    pub(super) fn begin_weak_commit(&mut self, chosen: &Chosen) {
        self.synchronisation.taken = Some((chosen.taken.message, chosen.message));
    }

    /// The operation has become the last event; returns what is to be in memory from now on.
    pub(super) fn end_weak_commit(&mut self, chosen: &Chosen, wrote: Option<u64>) -> u64 {
        self.synchronise();
        self.synchronisation.taken = None;
        let event = self.record.events.len() as u32 - 1;
        let clock = self.synchronisation.clock(chosen.request.thread);
        let (read, newest) = self.weak.memory.performed(
            (&chosen.request, chosen.taken),
            (event, chosen.epoch),
            wrote.map(|value| (chosen.message, value)),
            clock,
        );
        self.record.writes.reads.extend(read);
        if chosen.request.only.is_some() {
            self.record.writes.spurious.push(event);
        }
        newest
    }

    /// The running thread's epoch.
    pub(super) fn present_epoch(&mut self) -> u32 {
        self.synchronise();
        self.synchronisation.epoch(self.running)
    }

    /// A fence of the running thread, at this epoch, has become the last event.
    pub(super) fn note_weak_fence(&mut self, order: Ordering, epoch: u32) {
        self.synchronise();
        let thread = self.running;
        let clock = self.synchronisation.clock(thread);
        self.weak.memory.fence(thread, order, epoch, clock);
    }

    /// The kernel has read the word of a futex for the running thread, so the next read, which is mostly one of that
    /// word, finds nothing older.
    pub(super) fn has_seen_the_word(&mut self) {
        let spin = &mut self.me().spin;
        spin.catch_up = spin.catch_up.max(1);
    }

    /// Lets the strategy choose whether the running thread, which reads the same again and again, goes on all the same.
    pub(super) fn goes_on(&mut self) -> bool {
        let index = self.running.index();
        let Some(pending) = self.pending[index].filter(|_| self.weak.on) else {
            return false;
        };
        let strategy = self.strategy.expect("an execution has a strategy");
        let place = self.threads[index].location;
        let goes_on = strategy.goes_on(&self.record.events, (self.running, pending), place);
        self.note_decision(Decision::Value(u16::from(goes_on)), 0);
        goes_on
    }

    /// True if the running thread would read something new if it read these once more.
    pub(super) fn is_behind(&self) -> bool {
        let reads = self.threads[self.running.index()].spin.reads.iter();
        let memory = &self.weak.memory;
        self.weak.on
            && reads
                .clone()
                .any(|&(object, _)| memory.is_behind(self.running, object))
    }

    /// The execution is over.
    pub(super) fn write_down_writes(&mut self) {
        if self.weak.on {
            self.weak.memory.write_down(&mut self.record.writes);
        }
    }
}
