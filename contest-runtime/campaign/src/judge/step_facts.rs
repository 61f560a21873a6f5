//! What steps of an execution depend on, for drawings. Only what is known: an execution is one order of its operations,
//! so a load read from the last write of its atomic before it; but plain memory has no such record, and a value that
//! differs was written by something that is no visible operation.

use std::collections::HashMap;

use contest_data::finding::{LinkKind, StepEffect, StepFacts, StepLink};
use contest_data::trace::{
    Action, BlockedThread, Event, ExecutionRecord, LockMode, ObjectId, ReadWrite, ThreadIndex,
    Writes,
};

use super::event_text::EventWords;

/// Facts about the operations of an execution, by position.
#[derive(Debug)]
pub(super) struct FactsOfSteps {
    steps: Vec<StepFacts>,
    /// The threads of these operations.
    threads: Vec<ThreadIndex>,
    /// Where each lock that is held at the end was taken, by lock and thread.
    taken: HashMap<(ObjectId, ThreadIndex), u32>,
    held: HashMap<ThreadIndex, Vec<(ObjectId, LockMode)>>,
    /// The next number for a row that is no operation.
    next: u32,
}

impl FactsOfSteps {
    /// Goes through the execution once.
    pub(super) fn of(record: &ExecutionRecord) -> Self {
        let words = EventWords::new(record);
        let mut seen = Seen::default();
        let mut steps = Vec::with_capacity(record.events.len());
        for (number, event) in (0..).zip(&record.events) {
            let mut links = seen.links(event);
            if let Some(read) = record.writes.stale_at(number as usize) {
                relink(&mut links, read);
            }
            let effect = effect(event.action);
            seen.note(number, event);
            let held = seen.held.get(&event.thread);
            let mut holds: Vec<String> = held
                .into_iter()
                .flatten()
                .map(|(lock, mode)| held_text(&words, *lock, *mode))
                .collect();
            holds.dedup();
            steps.push(StepFacts {
                number,
                object: words.object(event.object),
                field: field(record, event.object),
                effect,
                holds,
                links,
            });
        }
        Self {
            next: record.events.len() as u32,
            threads: record.events.iter().map(|event| event.thread).collect(),
            steps,
            taken: seen.taken,
            held: seen.held,
        }
    }

    /// Of the operation at this position.
    pub(super) fn at(&self, position: usize) -> Option<StepFacts> {
        self.steps.get(position).cloned()
    }

    /// Of an access of a memory fault by this thread, after so many operations of the execution. `first` is the number
    /// of the other access, if that came before.
    pub(super) fn fault(
        &mut self,
        thread: ThreadIndex,
        after: usize,
        first: Option<u32>,
    ) -> StepFacts {
        let mut before = self.threads.iter().take(after);
        let last = before.rposition(|other| *other == thread);
        let holds = last.and_then(|at| self.steps.get(at));
        let holds = holds.map_or_else(Vec::new, |facts| facts.holds.clone());
        let links = first.map(|step| StepLink {
            why: LinkKind::Conflict,
            step,
        });
        StepFacts {
            effect: StepEffect::Faults,
            holds,
            links: links.into_iter().collect(),
            ..self.row()
        }
    }

    /// Of the row that says what a thread waits for at the end.
    pub(super) fn blocked(&mut self, words: &EventWords<'_>, thread: &BlockedThread) -> StepFacts {
        let holders = thread.waits_for.held_by();
        let links = holders.iter().filter_map(|holder| {
            let step = *self.taken.get(&(thread.object, *holder))?;
            let why = LinkKind::WaitsFor;
            Some(StepLink { why, step })
        });
        let links = links.collect();
        let held = self.held.get(&thread.thread);
        let mut holds: Vec<String> = held
            .into_iter()
            .flatten()
            .map(|(lock, mode)| held_text(words, *lock, *mode))
            .collect();
        holds.dedup();
        StepFacts {
            object: words.object(thread.object),
            effect: StepEffect::Blocked,
            holds,
            links,
            ..self.row()
        }
    }

    fn row(&mut self) -> StepFacts {
        let number = self.next;
        self.next += 1;
        StepFacts {
            number,
            ..StepFacts::default()
        }
    }
}

/// Of a read that took an older write: that one, and those it passed over.
fn relink(links: &mut Vec<StepLink>, read: &ReadWrite) {
    links.retain(|link| link.why != LinkKind::ReadsFrom);
    let link = |why, step: &u32| StepLink { why, step: *step };
    let known = |step: &&u32| **step != Writes::INITIAL;
    let from = Some(&read.from).filter(known);
    links.extend(from.map(|step| link(LinkKind::ReadsFrom, step)));
    let newer = read.newer.iter().filter(known);
    links.extend(newer.map(|step| link(LinkKind::PassedOver, step)));
}

/// What the operations so far have left.
#[derive(Default)]
struct Seen {
    /// Last write of each atomic: its number and the value.
    written: HashMap<ObjectId, (u32, u64)>,
    held: HashMap<ThreadIndex, Vec<(ObjectId, LockMode)>>,
    taken: HashMap<(ObjectId, ThreadIndex), u32>,
    /// Last release of each lock: of any mode, and of a mode that readers wait for.
    released: HashMap<ObjectId, u32>,
    written_under: HashMap<ObjectId, u32>,
    /// Last step that woke each thread since it began to wait.
    woken: HashMap<ThreadIndex, u32>,
    /// Last time that each token was made available, each initialiser ended.
    made_available: HashMap<ObjectId, u32>,
    /// Messages of each channel that have not been received.
    messages: HashMap<ObjectId, std::collections::VecDeque<u32>>,
}

impl Seen {
    fn links(&mut self, event: &Event) -> Vec<StepLink> {
        let mut links = Vec::new();
        let mut link = |why, step: Option<&u32>| {
            links.extend(step.map(|&step| StepLink { why, step }));
        };
        match event.action {
            Action::Load(_) | Action::Rmw(..) | Action::CasFail(_) => {
                let last = self.written.get(&event.object);
                let same = last.filter(|(_, value)| *value == event.read);
                link(LinkKind::ReadsFrom, same.map(|(step, _)| step));
            }
            Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
                let before = match mode {
                    LockMode::Read => &self.written_under,
                    _ => &self.released,
                };
                link(LinkKind::Unlocked, before.get(&event.object));
            }
            Action::Arrive(true) => link(LinkKind::Unlocked, self.released.get(&event.object)),
            Action::Wake(timeout) => {
                if !timeout {
                    link(LinkKind::Woken, self.woken.get(&event.thread));
                }
                let lock = Some(event.second).filter(|lock| *lock != ObjectId::NONE);
                let released = lock.and_then(|lock| self.released.get(&lock));
                link(LinkKind::Unlocked, released);
            }
            Action::FutexWait(false) => link(LinkKind::Woken, self.woken.get(&event.thread)),
            Action::Park(false) => link(LinkKind::Woken, self.made_available.get(&event.object)),
            Action::OnceBegin(false) | Action::OncePeek(true) => {
                link(LinkKind::ReadsFrom, self.made_available.get(&event.object));
            }
            Action::Receive(_, true) => {
                let queue = self.messages.get_mut(&event.object);
                let sent = queue.and_then(std::collections::VecDeque::pop_front);
                link(LinkKind::Message, sent.as_ref());
            }
            _ => {}
        }
        links
    }

    fn note(&mut self, number: u32, event: &Event) {
        let (thread, object) = (event.thread, event.object);
        match event.action {
            Action::Store(_) | Action::Rmw(..) => {
                self.written.insert(object, (number, event.wrote));
            }
            // What it makes of an atomic's memory is not known.
            Action::PlainWrite => {
                self.written.remove(&object);
            }
            Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
                self.take(number, thread, object, mode);
            }
            Action::Arrive(true) => self.take(number, thread, object, LockMode::Exclusive),
            Action::Release(mode, kept) => {
                self.give(number, thread, object, mode);
                if let Some(kept) = kept {
                    self.held.entry(thread).or_default().push((object, kept));
                }
            }
            Action::Wait => {
                self.woken.remove(&thread);
                if event.second != ObjectId::NONE {
                    self.give(number, thread, event.second, LockMode::Exclusive);
                }
            }
            Action::Wake(_) if event.second != ObjectId::NONE => {
                self.take(number, thread, event.second, LockMode::Exclusive);
            }
            Action::Notify(_) | Action::FutexWake => {
                for woken in (0..64).filter(|bit| event.wrote >> bit & 1 == 1) {
                    self.woken.insert(ThreadIndex(woken), number);
                }
            }
            Action::Unpark | Action::OnceEnd(true) => {
                self.made_available.insert(object, number);
            }
            Action::Park(_) => {
                self.made_available.remove(&object);
            }
            Action::Send(_, true) => self.messages.entry(object).or_default().push_back(number),
            _ => {}
        }
    }

    fn take(&mut self, number: u32, thread: ThreadIndex, lock: ObjectId, mode: LockMode) {
        self.held.entry(thread).or_default().push((lock, mode));
        self.taken.insert((lock, thread), number);
    }

    fn give(&mut self, number: u32, thread: ThreadIndex, lock: ObjectId, mode: LockMode) {
        let held = self.held.entry(thread).or_default();
        let at = held.iter().rposition(|held| *held == (lock, mode));
        // The guard of a lock may be given back by another thread than the one that took it.
        if let Some(at) = at.or_else(|| held.iter().rposition(|(held, _)| *held == lock)) {
            held.remove(at);
        }
        self.released.insert(lock, number);
        if mode != LockMode::Read {
            self.written_under.insert(lock, number);
        }
    }
}

fn effect(action: Action) -> StepEffect {
    match action {
        Action::Load(_) | Action::CasFail(_) | Action::PlainRead | Action::OncePeek(_) => {
            StepEffect::Reads
        }
        Action::Store(_) | Action::PlainWrite => StepEffect::Writes,
        Action::Rmw(..) => StepEffect::Updates,
        Action::Acquire(_)
        | Action::TryAcquire(_, true)
        | Action::Arrive(true)
        | Action::Wake(_) => StepEffect::Locks,
        Action::Release(..) => StepEffect::Unlocks,
        Action::Wait | Action::Arrive(false) => StepEffect::Waits,
        Action::Notify(_)
        | Action::FutexWake
        | Action::Unpark
        | Action::Send(_, true)
        | Action::OnceEnd(true) => StepEffect::Wakes,
        _ => StepEffect::Other,
    }
}

/// The package's field that an object is in.
fn field(record: &ExecutionRecord, object: ObjectId) -> String {
    let named = record.object_name(object).filter(|it| it.of_package);
    named.map_or_else(String::new, |it| it.field.to_owned())
}

fn held_text(words: &EventWords<'_>, lock: ObjectId, mode: LockMode) -> String {
    let name = words.object(lock);
    match mode {
        LockMode::Exclusive => name,
        LockMode::Read => format!("{name} (read)"),
        LockMode::Upgradable => format!("{name} (upgradable)"),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;

    fn record(objects: &[&'static str], events: &[(u16, Action, u32, u64, u64)]) -> FactsOfSteps {
        let mut record = ExecutionRecord::empty();
        record.objects = objects.to_vec();
        for &(thread, action, object, read, wrote) in events {
            record.events.push(Event {
                thread: ThreadIndex(thread),
                index: 0,
                call: Some(0),
                action,
                object: ObjectId(object),
                second: ObjectId::NONE,
                location: Location::caller(),
                name: "",
                read,
                wrote,
            });
        }
        FactsOfSteps::of(&record)
    }

    fn links(facts: &FactsOfSteps, at: usize) -> Vec<(LinkKind, u32)> {
        let links = facts.at(at).unwrap().links;
        links.iter().map(|link| (link.why, link.step)).collect()
    }

    #[test]
    fn a_load_reads_from_the_last_write_unless_something_unseen_wrote_between() {
        let store = |thread, value| (thread, Action::Store(SeqCst), 0, 0, value);
        let load = |thread, value| (thread, Action::Load(SeqCst), 0, value, 0);
        let facts = record(&["AtomicU32"], &[store(1, 1), store(2, 2), load(1, 2)]);
        assert_eq!(links(&facts, 2), [(LinkKind::ReadsFrom, 1)]);
        let facts = record(&["AtomicU32"], &[store(1, 1), load(2, 7)]);
        assert_eq!(links(&facts, 1), []);
    }

    #[test]
    fn a_lock_links_to_its_release_and_is_held_until_then() {
        let exclusive = LockMode::Exclusive;
        let facts = record(
            &["Mutex", "Mutex"],
            &[
                (1, Action::Acquire(exclusive), 0, 0, 0),
                (1, Action::Acquire(exclusive), 1, 0, 0),
                (1, Action::Release(exclusive, None), 0, 0, 0),
                (2, Action::Acquire(exclusive), 0, 0, 0),
            ],
        );
        assert_eq!(facts.at(1).unwrap().holds, ["Mutex#1", "Mutex#2"]);
        assert_eq!(facts.at(2).unwrap().holds, ["Mutex#2"]);
        assert_eq!(links(&facts, 3), [(LinkKind::Unlocked, 2)]);
    }

    #[test]
    fn readers_wait_for_writers_only() {
        let facts = record(
            &["RwLock"],
            &[
                (1, Action::Acquire(LockMode::Read), 0, 0, 0),
                (1, Action::Release(LockMode::Read, None), 0, 0, 0),
                (2, Action::Acquire(LockMode::Read), 0, 0, 0),
                (2, Action::Release(LockMode::Read, None), 0, 0, 0),
                (1, Action::Acquire(LockMode::Exclusive), 0, 0, 0),
            ],
        );
        assert_eq!(facts.at(0).unwrap().holds, ["RwLock#1 (read)"]);
        assert_eq!(links(&facts, 2), []);
        assert_eq!(links(&facts, 4), [(LinkKind::Unlocked, 3)]);
    }

    #[test]
    fn an_access_of_a_fault_holds_what_its_thread_holds_then() {
        let exclusive = LockMode::Exclusive;
        let mut facts = record(
            &["Mutex"],
            &[
                (1, Action::Acquire(exclusive), 0, 0, 0),
                (2, Action::Yield, 0, 0, 0),
                (1, Action::Release(exclusive, None), 0, 0, 0),
            ],
        );
        let first = facts.fault(ThreadIndex(1), 2, None);
        assert_eq!(first.holds, ["Mutex#1"]);
        let second = facts.fault(ThreadIndex(2), 2, Some(first.number));
        assert!(second.holds.is_empty());
        assert_eq!(second.links[0].step, first.number);
        assert!(facts.fault(ThreadIndex(1), 3, None).holds.is_empty());
    }

    #[test]
    fn messages_come_in_the_order_in_which_they_were_sent() {
        use contest_data::trace::Blocking::Waits;
        let send = (1, Action::Send(Waits, true), 0, 0, 0);
        let receive = (2, Action::Receive(Waits, true), 0, 0, 0);
        let facts = record(&["channel"], &[send, send, receive, receive, receive]);
        assert_eq!(links(&facts, 2), [(LinkKind::Message, 0)]);
        assert_eq!(links(&facts, 3), [(LinkKind::Message, 1)]);
        assert_eq!(links(&facts, 4), []);
    }

    #[test]
    fn a_wake_names_the_notification_with_this_thread_in_its_mask() {
        let facts = record(
            &["Condvar"],
            &[
                (1, Action::Wait, 0, 0, 0),
                (2, Action::Wait, 0, 0, 0),
                (3, Action::Notify(false), 0, 0, 0b010),
                (1, Action::Wake(false), 0, 0, 0),
                (2, Action::Wake(false), 0, 0, 0),
            ],
        );
        assert_eq!(links(&facts, 3), [(LinkKind::Woken, 2)]);
        assert_eq!(links(&facts, 4), []);
    }
}
