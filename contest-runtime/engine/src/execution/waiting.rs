//! Who waits for what: gates, what opens them, and what is left when none is open.

use std::time::Duration;

use super::machine::Machine;
use super::real_time;
use super::virtual_thread::Gate;
use contest_data::decision::ThreadSet;
use contest_data::gap::Gap;
use contest_data::trace::{
    BlockedThread, Ending, HeldLock, LockMode, ObjectId, ObjectName, ThreadIndex, WaitsFor,
};

/// Iterations of a spinning thread before time passes for others: more than loops with back-off have before they block
/// (crossbeam: 11, parking_lot: 10).
const SHORT_SPIN: u32 = 64;
/// So often in an execution the strategy may have a future polled before time passes.
const MOST_EARLY_PROBES: u32 = 2;

/// Objects that a gate looks at.
fn objects_of(gate: Gate, machine: &mut Machine, thread: ThreadIndex) -> (ObjectId, ObjectId) {
    match gate {
        Gate::Open | Gate::Never | Gate::Lanes => (ObjectId::NONE, ObjectId::NONE),
        Gate::Lock(object, _)
        | Gate::Arrive(object)
        | Gate::ReadAgain(object)
        | Gate::Upgrade(object)
        | Gate::Once(object)
        | Gate::Send(object)
        | Gate::Taken(object, _)
        | Gate::Receive(object)
        | Gate::Barrier(object, _)
        | Gate::Signal(object)
        | Gate::Futex(object) => (object, ObjectId::NONE),
        Gate::Wake(condvar, lock) => (condvar, lock),
        Gate::Park => (machine.objects.token(thread), ObjectId::NONE),
        Gate::Woken => (machine.objects.waker(thread), ObjectId::NONE),
        Gate::Join(other) | Gate::Leave(other) => (machine.objects.end(other), ObjectId::NONE),
    }
}

/// A future that is polled before time passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlyProbe {
    thread: ThreadIndex,
    /// Steps of the execution, and those of the thread, until then.
    steps: u32,
    executed: u32,
    /// Some thread has looked at the clock since: what is ready because of the time has lost no wake-up.
    pub saw_clock: bool,
}

impl Machine {
    /// Lists the running thread with the objects its gate looks at.
    pub(super) fn concern(&mut self, gate: Gate) {
        let (first, second) = objects_of(gate, self, self.running);
        self.me().looks_at = (first, second);
        for object in [first, second] {
            if object != ObjectId::NONE {
                self.objects.get_mut(object).concerned.insert(self.running);
            }
        }
    }

    /// Takes the running thread off those lists.
    pub(super) fn unconcern(&mut self) {
        let (first, second) = self.me().looks_at;
        for object in [first, second] {
            if object != ObjectId::NONE {
                self.objects.get_mut(object).concerned.remove(self.running);
            }
        }
    }

    /// The running thread waits at a gate for the end of another one.
    pub(super) fn wait_for_end(&mut self, gate: Gate, end: ObjectId) {
        let running_bit = self.running_bit();
        let me = self.me();
        me.gate = gate;
        me.looks_at = (end, ObjectId::NONE);
        me.deadline = None;
        me.timed_out = false;
        self.objects.get_mut(end).concerned |= running_bit;
        self.enabled &= !running_bit;
    }

    /// The running thread has ended: those that wait for that can go on.
    pub(super) fn open_end(&mut self, end: ObjectId) {
        self.enabled |= self.objects.get(end).concerned;
    }

    pub(super) fn is_open(&self, thread: ThreadIndex) -> bool {
        let slot = &self.threads[thread.index()];
        match slot.gate {
            Gate::Open => true,
            Gate::Lock(object, mode) => self.objects.get(object).admits(mode),
            Gate::Arrive(object) => self.objects.get(object).is_unwritten(),
            Gate::ReadAgain(object) => self.objects.get(object).is_free(LockMode::Read),
            Gate::Upgrade(object) => self.objects.get(object).can_upgrade(),
            Gate::Wake(_, lock) => {
                slot.notified && self.objects.get(lock).is_free(LockMode::Exclusive)
            }
            Gate::Once(object) => self.objects.get(object).running.is_none(),
            Gate::Send(object) => self.objects.get(object).can_send(),
            Gate::Taken(object, number) => {
                let state = self.objects.get(object);
                state.taken > number || state.receivers == 0
            }
            Gate::Receive(object) => self.objects.get(object).can_receive(),
            Gate::Barrier(object, round) => self.objects.get(object).round != round,
            Gate::Park => slot.token,
            Gate::Woken => slot.task.woken && !slot.task.is_polled,
            Gate::Signal(object) => self.objects.get(object).count > 0,
            Gate::Join(other) => self.threads[other.index()].ended,
            Gate::Leave(other) => self.has_left(other),
            Gate::Futex(_) => slot.notified,
            Gate::Lanes => self.lanes_done == self.harness,
            Gate::Never => false,
        }
    }

    /// The object changed: looks again at every gate that concerns it.
    #[inline]
    pub(super) fn refresh(&mut self, object: ObjectId) {
        let set = self.objects.get(object).concerned;
        if !set.is_empty() {
            self.refresh_threads(set);
        }
    }

    #[inline(never)]
    fn refresh_threads(&mut self, set: ThreadSet) {
        for thread in set {
            self.refresh_thread(thread);
        }
    }

    pub(super) fn refresh_thread(&mut self, thread: ThreadIndex) {
        let bit = ThreadSet::only(thread);
        if self.is_open(thread) {
            self.enabled |= bit;
            self.timed &= !bit;
        } else {
            self.enabled &= !bit;
            let slot = &self.threads[thread.index()];
            if slot.deadline.is_some() && !slot.timed_out {
                self.timed |= bit;
                self.slow_path |= bit;
            }
        }
    }

    /// No thread is enabled: lets time pass or a spinning thread iterate once more, else ends the execution.
    pub(super) fn last_resort(&mut self) -> Option<ThreadSet> {
        if real_time::is_expected()
            && let Some(able) = self.wait_outside()
        {
            return able;
        }
        let spinner = self.least_granted_spinner();
        let sleeper = self.next_sleeper();
        // Time passes while threads spin, so both get their turns. Loops that spin for a little before they block take
        // no time that a sleeper would notice.
        let spin_first = match (spinner, sleeper) {
            (Some((_, granted)), Some(_)) => granted < SHORT_SPIN.max(self.record.steps / 64),
            (Some(_), None) => true,
            _ => false,
        };
        if spin_first && let Some((thread, granted)) = spinner {
            if granted >= self.limits.spin_iterations {
                let blocked = self.blocked_threads();
                self.finish(Ending::Livelock(blocked));
                return None;
            }
            self.go_round(thread);
            return Some(ThreadSet::only(thread));
        }
        if let Some(thread) = sleeper {
            if let Some(early) = self.next_early_probe() {
                return Some(ThreadSet::only(early));
            }
            let all = self.timed & !self.enabled;
            if self.timeouts_are_choices {
                // Which deadline is the earliest depends on when timeouts fired before, and so on the order of what is
                // independent.
                return Some(all);
            }
            if all.has_several() {
                self.leave_out_early_ends();
            }
            return Some(ThreadSet::only(thread));
        }
        let waited_for =
            |slot: &super::virtual_thread::VirtualThread| !slot.ended && !slot.task.detached;
        if !self.threads[..self.live].iter().any(waited_for) {
            self.finish(Ending::Finished);
            return None;
        }
        if let Some(thread) = self.next_probe() {
            return Some(ThreadSet::only(thread));
        }
        if self.probing {
            self.finish_probed();
            return None;
        }
        let blocked = self.blocked_threads();
        self.finish(Ending::Deadlock(blocked));
        None
    }

    /// A spinning thread may go round its loop once more.
    pub(super) fn go_round(&mut self, thread: ThreadIndex) {
        let granted = &mut self.threads[thread.index()].spin.granted;
        let before = *granted;
        *granted += 1;
        // A loop that waits for the clock must see it move; by doubling, any bounded wait ends within the iterations
        // given.
        if self.record.clock_readers.contains(thread) && !real_time::are_processes_expected() {
            let passed = Duration::from_micros(10 << (before / 16).min(36));
            self.clock = self.clock.saturating_add(passed);
            self.record.clock_moved = true;
        }
        self.spinning.remove(thread);
        self.go_round_reluctantly(thread);
    }

    /// No thread can run: a thread that runs the future of a call polls it all the same, each of them once. A future
    /// that is ready then has lost its wake-up.
    fn next_probe(&mut self) -> Option<ThreadIndex> {
        let waits = |slot: &super::virtual_thread::VirtualThread| {
            let task = &slot.task;
            let left = task.probeable && !task.probed && !task.is_polled;
            slot.gate == Gate::Woken && left && !slot.ended
        };
        let index = self.threads[..self.live].iter().position(waits)?;
        if !std::mem::replace(&mut self.probing, true) {
            self.blocked_at_probe = self.blocked_threads();
        }
        let task = &mut self.threads[index].task;
        task.probed = true;
        task.woken = true;
        let thread = ThreadIndex(index as u16);
        self.refresh_thread(thread);
        Some(thread)
    }

    /// No thread can run before time passes: a thread that runs the future of a call may poll it all the same, if the
    /// strategy says so. A future that is ready then has lost its wake-up, although a timer will hide that.
    fn next_early_probe(&mut self) -> Option<ThreadIndex> {
        if !self.has_harness || self.probing {
            return None;
        }
        let waits = |slot: &super::virtual_thread::VirtualThread| {
            slot.gate == Gate::Woken
                && slot.task.probeable
                && !slot.task.is_polled
                && !slot.ended
                && slot.deadline.is_none()
        };
        let waiting = self.threads[..self.live].iter().enumerate();
        let waiting: Vec<usize> = waiting
            .filter(|(_, slot)| waits(slot))
            .map(|(index, _)| index)
            .collect();
        if waiting.is_empty() {
            return None;
        }
        if self.early_probes >= MOST_EARLY_PROBES {
            self.record.gaps.add(Gap::Probes);
            return None;
        }
        self.early_probes += 1;
        // 0: time passes.
        let choices = waiting.len() as u16 + 1;
        let index = waiting[usize::from(self.choose_value(choices)).checked_sub(1)?];
        self.blocked_at_probe = self.blocked_threads();
        let thread = ThreadIndex(index as u16);
        self.early_probe = Some(EarlyProbe {
            thread,
            steps: self.record.steps,
            executed: self.threads[index].executed,
            saw_clock: false,
        });
        self.threads[index].task.woken = true;
        self.refresh_thread(thread);
        Some(thread)
    }

    /// True if the future of the running thread is polled before time passes.
    pub(super) fn is_early_probe(&self) -> bool {
        self.early_probe
            .as_ref()
            .is_some_and(|probe| probe.thread == self.running)
    }

    /// The poll before time passes is over. If the future is `ready` for nothing but the poll, its wake-up was lost.
    /// Else the execution has shown nothing: what follows is shown where time passes without such a poll.
    pub(super) fn finish_early_probe(&mut self, ready: bool) {
        let Some(probe) = &self.early_probe else {
            return;
        };
        let own = self.threads[probe.thread.index()].executed - probe.executed;
        let alone = self.record.steps - probe.steps == own && !probe.saw_clock;
        if ready && alone {
            self.me().task.ready = true;
            self.finish_probed();
        } else {
            self.finish(Ending::Abandoned);
        }
    }

    /// Ends the execution with the ending that it had before futures were polled without a wake-up.
    pub(super) fn finish_probed(&mut self) {
        let mut blocked = std::mem::take(&mut self.blocked_at_probe);
        for thread in &mut blocked {
            let ready = self.threads[thread.thread.index()].task.ready;
            if ready && let WaitsFor::Wake { .. } = thread.waits_for {
                let timers = self.early_probe.is_some();
                thread.waits_for = WaitsFor::Wake { ready, timers };
            }
        }
        self.finish(Ending::Deadlock(blocked));
    }

    fn least_granted_spinner(&self) -> Option<(ThreadIndex, u32)> {
        let mut best = None;
        for thread in self.spinning & self.enabled {
            let slot = &self.threads[thread.index()];
            let granted = slot.spin.granted.max(slot.poll.granted);
            if best.is_none_or(|(_, least)| granted < least) {
                best = Some((thread, granted));
            }
        }
        best
    }

    /// Name of an object in reports.
    fn object_name(&self, object: ObjectId) -> ObjectName {
        let all = self.objects.all();
        let what = all[object.0 as usize].what;
        let number = all[..=object.0 as usize]
            .iter()
            .filter(|state| state.what == what)
            .count();
        ObjectName {
            what,
            number,
            field: None,
        }
    }

    /// What every unfinished thread waits for.
    pub(super) fn blocked_threads(&mut self) -> Vec<BlockedThread> {
        let mut blocked = Vec::new();
        for index in 0..self.live {
            let thread = ThreadIndex(index as u16);
            let gate = self.threads[index].gate;
            // A thread that has returned from all its calls is not stuck.
            if self.threads[index].ended || gate == Gate::Lanes {
                continue;
            }
            let (object, _) = objects_of(gate, self, thread);
            let spinning = self.spinning.contains(thread);
            let slot = &self.threads[index];
            let waits_for = self.waits_for(thread, spinning);
            // Where a future waits is not where the harness polls it.
            let location = if slot.task.probeable && gate == Gate::Woken {
                String::new()
            } else {
                slot.location.to_string()
            };
            blocked.push(BlockedThread {
                thread,
                name: slot.name.clone().unwrap_or_else(|| thread.title()),
                object,
                waits_for,
                location,
                call: slot.call,
                awaited: None,
                line: None,
            });
        }
        blocked
    }

    /// True if readers hold the lock, and another one has to wait for a writer.
    fn is_behind_writers(&self, object: ObjectId) -> bool {
        let state = self.objects.get(object);
        state.is_free(LockMode::Read) && !state.waiting.is_empty()
    }

    fn held(&self, object: ObjectId) -> HeldLock {
        let state = self.objects.get(object);
        HeldLock {
            name: self.object_name(object),
            by: threads_of(state.holders()),
            since: state.taken_at,
        }
    }

    fn waits_for(&self, thread: ThreadIndex, spinning: bool) -> WaitsFor {
        let slot = &self.threads[thread.index()];
        let name = |object| self.object_name(object);
        match slot.gate {
            Gate::Open if spinning => {
                let read = slot.spin.waits_on.iter();
                WaitsFor::Change(read.map(|&object| name(object)).collect())
            }
            Gate::Open => WaitsFor::Nothing,
            Gate::Lock(object, LockMode::Read) if self.is_behind_writers(object) => {
                WaitsFor::LockBehind {
                    lock: self.held(object),
                    writers: threads_of(self.objects.get(object).waiting),
                }
            }
            Gate::Lock(object, _) | Gate::Arrive(object) | Gate::ReadAgain(object) => {
                WaitsFor::Lock(self.held(object))
            }
            Gate::Upgrade(object) => WaitsFor::Upgrade(self.held(object)),
            Gate::Wake(_, lock) if slot.notified => WaitsFor::LockAgain(self.held(lock)),
            Gate::Wake(condvar, _) => WaitsFor::Notification(name(condvar)),
            Gate::Once(object) => WaitsFor::Initialiser {
                of: name(object),
                by: self.objects.get(object).running,
            },
            Gate::Send(object) => WaitsFor::Room(name(object)),
            Gate::Taken(object, _) => WaitsFor::Receiver(name(object)),
            Gate::Receive(object) => WaitsFor::Message(name(object)),
            Gate::Barrier(object, _) => WaitsFor::Barrier {
                of: name(object),
                arrived: self.objects.get(object).count,
            },
            Gate::Park => WaitsFor::Unpark,
            Gate::Woken if slot.task.kept => WaitsFor::Kept,
            Gate::Woken => WaitsFor::Wake {
                ready: slot.task.ready,
                timers: false,
            },
            Gate::Signal(object) => WaitsFor::Signal(name(object)),
            Gate::Join(other) | Gate::Leave(other) => WaitsFor::End(other),
            Gate::Futex(queue) => WaitsFor::Futex(name(queue)),
            Gate::Lanes => WaitsFor::Lanes,
            Gate::Never => WaitsFor::Time,
        }
    }
}

fn threads_of(set: ThreadSet) -> Vec<ThreadIndex> {
    set.iter().collect()
}
