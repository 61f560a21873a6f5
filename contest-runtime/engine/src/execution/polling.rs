//! Threads that poll what a lock guards: loops that take a lock, look, give it back, and give way. If two rounds do the
//! same, from the same state of the thread, and the second one has changed no memory, the next round changes nothing
//! either, until another thread changes something. So the thread waits for that, like one that
//! [spins](super::spinning) on what it reads.
//!
//! Only where the compiler reports accesses is it known that memory was not changed. Not seen are what functions change
//! that `std` has compiled already, and the stacks of other threads.

use super::machine::Machine;

use contest_data::decision::ThreadSet;
use contest_data::trace::schedule::kind_of;
use contest_data::trace::{Action, Event, ObjectId, ThreadIndex};

/// Longer rounds, in events of all threads, are not looked at.
const LONGEST: usize = 512;

/// What a thread has done since it last gave way, where it took locks.
#[derive(Debug, Default)]
pub(super) struct PollState {
    /// Events of the execution when its last round ended.
    since: usize,
    /// Hash of that round, and the thread's state after it; zeros if it took no lock.
    last: (u64, u64),
    /// The round that is about to end, if it took locks: its hash, and how many.
    ending: Option<(u64, u32)>,
    /// Memory that others see was written in it, or the clock was read.
    pub wrote: bool,
    /// Atomics inside other objects that were changed in it: a lock is one when it is taken.
    pub inner: u32,
    /// The number of events when the first of its last rounds began that changed nothing. None once it has changed
    /// something.
    pub idle: Option<usize>,
    /// Rounds given while no other thread could run. The count of [`SpinState`](super::spinning::SpinState) begins anew
    /// at each lock, this one does not.
    pub granted: u32,
}

/// A round: its hash, the locks that it took, and all that it did.
#[derive(Default)]
struct Round {
    hash: u64,
    locks: u32,
    events: u32,
}

impl PollState {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// A round begins, with this event.
    fn begin(&mut self, since: usize) {
        *self = Self {
            since,
            idle: self.idle,
            granted: self.granted,
            ..Self::default()
        };
    }

    /// The next round may find another time.
    pub(super) fn reads_clock(&mut self) {
        self.wrote = true;
    }
}

impl Machine {
    /// The running thread is about to give way: true if it has taken or given back locks since it last did so, and
    /// otherwise only read.
    pub(super) fn ends_round_of_locks(&mut self) -> bool {
        if !self.limits.accesses || self.over || self.tearing_down {
            return false;
        }
        let events = self.record.events.len();
        let round = self.round_of_locks();
        let poll = &mut self.me().poll;
        match round {
            Some(round) if round.locks > 0 => {
                poll.ending = Some((round.hash, round.locks));
                true
            }
            // Loops that back off give way several times.
            Some(round) if round.events == 0 => false,
            _ => {
                poll.begin(events);
                self.end_idling();
                false
            }
        }
    }

    /// What the running thread has done since its last round. `None` if it has done more than to look under locks, or
    /// too much.
    fn round_of_locks(&self) -> Option<Round> {
        let poll = &self.threads[self.running.index()].poll;
        let since = self.record.events.get(poll.since..)?;
        let mut round = Round::default();
        if since.len() > LONGEST {
            return None;
        }
        for event in own(since, self.running) {
            let read = match event.action {
                Action::Yield | Action::Arrive(_) => continue,
                // An older value may be read again and again, and then a newer one.
                Action::Load(_) | Action::CasFail(_) if self.weak.on => return None,
                Action::Load(_) | Action::CasFail(_) => event.read,
                Action::OncePeek(_) | Action::PlainRead => 0,
                action if is_of_lock(action) => 0,
                // A lock that was tried in vain among them: that it is held is no change to memory.
                _ => return None,
            };
            round.events += 1;
            round.locks += u32::from(takes_lock(event.action));
            round.hash = round.hash.rotate_left(7)
                ^ (std::ptr::from_ref(event.location) as u64)
                    .wrapping_add(read)
                    .wrapping_add(u64::from(kind_of(event.action)) << 24)
                    .wrapping_add(u64::from(event.object.0) << 32)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        Some(round)
    }

    /// The running thread gives way. If its round was like the one before and changed nothing, and no other thread has
    /// changed what it looked at, it waits until one does; then this is true.
    pub(super) fn polls_in_vain(&mut self) -> bool {
        let thread = &mut self.threads[self.running.index()];
        let Some((hash, locks)) = thread.poll.ending.take() else {
            return false;
        };
        let state = thread.spin.end_round();
        let poll = &mut thread.poll;
        let unchanged = !poll.wrote && poll.inner == locks;
        let idle = unchanged && state != 0 && poll.last == (hash, state);
        let since = poll.since;
        poll.begin(self.record.events.len());
        poll.last = (hash, state);
        if !idle {
            self.end_idling();
            return false;
        }
        poll.idle.get_or_insert(since);
        if self.was_changed(since) {
            return false;
        }
        let mut objects: Vec<ObjectId> = Vec::new();
        for event in own(&self.record.events[since..], self.running) {
            if event.object != ObjectId::NONE && !objects.contains(&event.object) {
                objects.push(event.object);
            }
        }
        let bit = self.running_bit();
        for &object in &objects {
            self.objects.get_mut(object).spinners |= bit;
        }
        self.me().spin.waits_on = objects;
        self.spinning |= bit;
        self.slow_path |= bit;
        self.reluctant &= !bit;
        true
    }

    /// True if a thread that does not only poll has used an object after the running one did, in its round since then.
    fn was_changed(&self, since: usize) -> bool {
        let mut used: Vec<ObjectId> = Vec::new();
        let events = self.record.events.iter().enumerate().skip(since);
        for (number, event) in events {
            if event.thread == self.running {
                used.push(event.object);
                continue;
            }
            let idle = self.threads[event.thread.index()].poll.idle;
            let only_polls = is_look(event.action) && idle.is_some_and(|idle| idle <= number);
            let concerns = |object: &ObjectId| [event.object, event.second].contains(object);
            let concerns = used.iter().any(|it| *it != ObjectId::NONE && concerns(it));
            if concerns && !only_polls {
                return true;
            }
        }
        false
    }

    /// The running thread does something else than to poll: what polls looks again.
    pub(super) fn end_idling(&mut self) {
        let bit = self.running_bit();
        let me = &mut self.me().poll;
        me.granted = 0;
        if me.idle.take().is_some() {
            self.reluctant &= !bit;
            self.spinning &= !self.idle_threads(self.spinning);
        }
    }

    /// Those of these threads whose last round changed nothing.
    fn idle_threads(&self, among: ThreadSet) -> ThreadSet {
        let is_idle = |thread: &ThreadIndex| self.threads[thread.index()].poll.idle.is_some();
        let idle = among.into_iter().filter(is_idle);
        idle.fold(ThreadSet::EMPTY, |all, thread| {
            all | ThreadSet::only(thread)
        })
    }

    /// Those of these waiting threads for which the last event, of the running thread, is no news: it polls as they do.
    pub(super) fn not_concerned(&self, waiting: ThreadSet) -> ThreadSet {
        let poll = &self.threads[self.running.index()].poll;
        let takes = || {
            let round = self.record.events.get(poll.since..).unwrap_or_default();
            own(round, self.running).filter(|event| takes_lock(event.action))
        };
        let polls = poll.idle.is_some()
            && (self.record.events.last()).is_some_and(|event| is_of_lock(event.action))
            // Else it has changed something inside what it looked at.
            && poll.inner as usize <= takes().count();
        match polls {
            true => self.idle_threads(waiting),
            false => ThreadSet::EMPTY,
        }
    }

    /// A thread that went on reluctantly does something else: it is one like others again.
    pub(super) fn end_reluctance(&mut self) {
        let other = self
            .record
            .events
            .last()
            .is_some_and(|event| event.thread == self.running && !is_look(event.action));
        if other {
            self.reluctant &= !self.running_bit();
        }
    }

    /// A thread that polls goes round once more because no other can run: as soon as one can, it comes first.
    pub(super) fn go_round_reluctantly(&mut self, thread: ThreadIndex) {
        let poll = &mut self.threads[thread.index()].poll;
        if poll.idle.is_some() {
            poll.granted += 1;
            let bit = ThreadSet::only(thread);
            self.reluctant |= bit;
            self.slow_path |= bit;
        }
    }
}

fn own(events: &[Event], thread: ThreadIndex) -> impl Iterator<Item = &Event> {
    events.iter().filter(move |event| event.thread == thread)
}

/// All that a round of locks may have in it.
fn is_look(action: Action) -> bool {
    use Action::{Arrive, CasFail, Load, OncePeek, PlainRead, Yield};
    let reads = matches!(action, Load(_) | CasFail(_) | OncePeek(_) | PlainRead);
    reads || matches!(action, Arrive(_) | Yield) || is_of_lock(action)
}

fn takes_lock(action: Action) -> bool {
    matches!(action, Action::Acquire(_) | Action::TryAcquire(_, true))
}

/// Takes a lock or gives it back.
fn is_of_lock(action: Action) -> bool {
    takes_lock(action) || matches!(action, Action::Release(_, None))
}
