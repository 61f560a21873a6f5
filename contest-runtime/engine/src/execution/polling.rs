//! Threads that poll what a lock guards: loops that take a lock, look, give it back, and give way. Two rounds that do
//! the same, from the same state of the thread, without a change to memory in between, change nothing: the next one
//! would not either, until another thread does. So the thread waits for that, like one that
//! [spins](super::spinning) on what it reads.
//!
//! That memory was not changed is known only where the compiler reports accesses. Elsewhere nobody is held back here.

use super::machine::Machine;

use contest_data::decision::ThreadSet;
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
    /// Hash of the round that is about to end.
    ending: u64,
    /// Locks that it took.
    locks: u32,
    /// Memory that others see was written in it, or the clock was read.
    pub wrote: bool,
    /// Atomics inside other objects that were changed in it: a lock is one when it is taken.
    pub inner: u32,
    /// Its last round changed nothing, nor has it since.
    pub idle: bool,
    /// Rounds given while no other thread could run.
    pub granted: u32,
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
    /// The running thread is about to give way: true if it has taken and given back locks since it last did so, and
    /// else has only read.
    pub(super) fn ends_round_of_locks(&mut self) -> bool {
        if !self.limits.accesses || self.over || self.tearing_down {
            return false;
        }
        let events = self.record.events.len();
        let round = self.round_of_locks();
        let poll = &mut self.me().poll;
        match round {
            Some((round, locks)) => {
                if locks > 0 {
                    (poll.ending, poll.locks) = (round | 1, locks);
                }
                locks > 0
            }
            None => {
                poll.begin(events);
                self.end_idling();
                false
            }
        }
    }

    /// What the running thread has done since its last round, as a hash, and how many locks it has taken. `None` if it
    /// has done something else, or too much.
    fn round_of_locks(&self) -> Option<(u64, u32)> {
        let poll = &self.threads[self.running.index()].poll;
        let since = self.record.events.get(poll.since..)?;
        let (mut round, mut locks) = (0_u64, 0);
        if since.len() > LONGEST {
            return None;
        }
        for event in own(since, self.running) {
            let read = match event.action {
                Action::Yield | Action::Arrive(_) => continue,
                // An older value may be read again and again, and then a newer one.
                Action::Load(_) | Action::CasFail(_) if self.weak.on => return None,
                Action::Load(_) | Action::CasFail(_) => event.read,
                Action::OncePeek(_) | Action::PlainRead | Action::TryAcquire(_, false) => 0,
                action if is_of_lock(action) => 0,
                _ => return None,
            };
            locks += u32::from(takes_lock(event.action));
            round = round.rotate_left(7)
                ^ (std::ptr::from_ref(event.location) as u64)
                    .wrapping_add(read)
                    .wrapping_add(u64::from(event.object.0) << 32)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        Some((round, locks))
    }

    /// The running thread gives way. True if it ends a round like the one before, which changed nothing, and nobody
    /// has changed anything since it looked: then it waits for that.
    pub(super) fn polls_in_vain(&mut self) -> bool {
        let running = self.running;
        let thread = &mut self.threads[running.index()];
        let round = std::mem::take(&mut thread.poll.ending);
        if round == 0 {
            return false;
        }
        let state = thread.spin.ends_round_of_locks();
        let poll = &mut thread.poll;
        let unchanged = !poll.wrote && poll.inner == poll.locks;
        let idle = unchanged && state != 0 && poll.last == (round, state);
        let since = poll.since;
        poll.begin(self.record.events.len());
        poll.last = (round, state);
        if !idle {
            self.end_idling();
            return false;
        }
        thread.poll.idle = true;
        let mut objects: Vec<ObjectId> = Vec::new();
        for event in own(&self.record.events[since..], running) {
            if event.object != ObjectId::NONE && !objects.contains(&event.object) {
                objects.push(event.object);
            }
        }
        if objects
            .iter()
            .any(|&object| self.was_changed(object, since))
        {
            return false;
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

    /// True if a thread that does not only poll has used the object after the running one did.
    fn was_changed(&self, object: ObjectId, since: usize) -> bool {
        let on_object = self.record.events[since..]
            .iter()
            .rev()
            .filter(|event| event.object == object || event.second == object);
        let mut after = on_object.take_while(|event| event.thread != self.running);
        after.any(|event| {
            let looks = is_of_lock(event.action)
                || matches!(event.action, Action::Load(_) | Action::Arrive(_));
            !looks || !self.threads[event.thread.index()].poll.idle
        })
    }

    /// The running thread does something else than to poll: what polls looks again.
    pub(super) fn end_idling(&mut self) {
        let bit = self.running_bit();
        let me = &mut self.me().poll;
        me.granted = 0;
        if std::mem::take(&mut me.idle) {
            self.reluctant &= !bit;
            self.spinning &= !self.idle_threads(self.spinning);
        }
    }

    /// Those of these threads whose last round changed nothing.
    fn idle_threads(&self, among: ThreadSet) -> ThreadSet {
        let is_idle = |thread: &ThreadIndex| self.threads[thread.index()].poll.idle;
        let idle = among.into_iter().filter(is_idle);
        idle.fold(ThreadSet::EMPTY, |all, thread| {
            all | ThreadSet::only(thread)
        })
    }

    /// Those of these waiting threads for which the last event, of the running thread, is no news: it polls as they do.
    pub(super) fn not_concerned(&self, waiting: ThreadSet) -> ThreadSet {
        let polls = self.threads[self.running.index()].poll.idle
            && (self.record.events.last()).is_some_and(|event| is_of_lock(event.action));
        match polls {
            true => self.idle_threads(waiting),
            false => ThreadSet::EMPTY,
        }
    }

    /// A thread that polls goes round once more because no other can run: as soon as one can, it comes first.
    pub(super) fn go_round_reluctantly(&mut self, thread: ThreadIndex) {
        let poll = &mut self.threads[thread.index()].poll;
        if poll.idle {
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

fn takes_lock(action: Action) -> bool {
    matches!(action, Action::Acquire(_) | Action::TryAcquire(_, true))
}

/// Takes a lock or gives it back.
fn is_of_lock(action: Action) -> bool {
    takes_lock(action) || matches!(action, Action::Release(_, None))
}
