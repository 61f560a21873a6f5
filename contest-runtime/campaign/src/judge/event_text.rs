//! Events in words. Objects have the names of their fields, or names like `Mutex#1`; addresses never appear.

use std::collections::HashMap;

use super::cancelled::await_text;
use super::older_writes;
use contest_data::delay::{CLOCK_STANDS_STILL, HELD_UP, IS_HELD_UP};
use contest_data::trace::{
    Action, Event, ExecutionRecord, LENT, LockMode, NamedObject, ObjectId, POLLED_IN_WAKE,
};

/// Names objects as `ObjectName` does, and pointer values by their first appearance in the text.
#[derive(Debug)]
pub(super) struct EventWords<'a> {
    /// Type names of the objects.
    types: &'a [&'static str],
    /// What they are called, where that was looked up.
    names: &'a [Option<NamedObject>],
    pointers: HashMap<u64, usize>,
}

impl<'a> EventWords<'a> {
    /// For the objects of this execution.
    pub(super) fn new(record: &'a ExecutionRecord) -> Self {
        Self {
            types: &record.objects,
            names: &record.object_names,
            pointers: HashMap::new(),
        }
    }

    /// `Registry.last`, where its field is known; else `Mutex#1`, the number among objects of the same type.
    pub(super) fn object(&self, object: ObjectId) -> String {
        let index = object.0 as usize;
        if let Some(Some(named)) = self.names.get(index) {
            return named.name.to_owned();
        }
        let Some(what) = self.types.get(index) else {
            return String::new();
        };
        let number = self.types[..=index]
            .iter()
            .filter(|other| *other == what)
            .count();
        format!("{what}#{number}")
    }

    /// As [`event`](Self::event), of the event at this position; memory is called by the name of its field, where that
    /// is known.
    pub(super) fn of(&mut self, record: &ExecutionRecord, position: usize) -> Option<String> {
        let event = &record.events[position];
        let how = match event.action {
            Action::PlainRead => "read",
            Action::PlainWrite => "write",
            _ => {
                let note = older_writes::note(record, position).unwrap_or_default();
                return self.event(event).map(|text| text + &note);
            }
        };
        let of = record
            .visible_at(position)
            .and_then(|access| access.touched);
        match of.and_then(|touched| touched.field) {
            Some(field) => Some(format!("{how} of {field}")),
            None => self.event(event),
        }
    }

    /// What happened: `Mutex#1.lock()`, `AtomicUsize#1.load() -> 3`. `None` for events that only matter to the engine.
    pub(super) fn event(&mut self, event: &Event) -> Option<String> {
        let object = self.object(event.object);
        let name = event.name;
        let read = |words: &mut Self| words.value(event.object, event.read);
        let wrote = |words: &mut Self| words.value(event.object, event.wrote);
        Some(match event.action {
            Action::Load(_) => format!("{object}.{name}() -> {}", read(self)),
            Action::Store(_) => format!("{object}.{name}({})", wrote(self)),
            Action::Rmw(..) => format!("{object}.{name}() -> {}, now {}", read(self), wrote(self)),
            Action::CasFail(_) => format!("{object}.{name}() -> {}, failed", read(self)),
            Action::Acquire(mode) => format!("{object}.{}()", or(name, lock_name(mode))),
            Action::AcquireTimeout(_) => format!("{object}.{name}() timed out"),
            Action::Release(..) => format!("{object} unlocked"),
            Action::Arrive(true) => format!("{object}.{name}()"),
            Action::Arrive(false) => format!("{object}.{name}() begins to wait"),
            Action::TryAcquire(_, got) => {
                format!("{object}.{name}() -> {}", yes(got, "locked", "refused"))
            }
            Action::Wait => {
                let mutex = self.object(event.second);
                format!("{object}.wait(), unlocks {mutex}")
            }
            Action::Wake(by_timeout) => {
                let mutex = self.object(event.second);
                let how = yes(by_timeout, "timed out", "woken");
                format!("{object}.wait() {how}, locks {mutex}")
            }
            Action::WaitOver(by_timeout) => {
                let how = yes(by_timeout, "timed out", "woken spuriously");
                format!("{object}.wait() {how}")
            }
            Action::Notify(_) => format!("{object}.{name}(){}", woken(event.wrote)),
            Action::Park(_) if name == "await" => "await goes on".to_owned(),
            Action::Await => await_text(event.read).to_owned(),
            Action::Unpark if name == LENT => return None,
            Action::Unpark if name == POLLED_IN_WAKE => "the poll by the waker is over".to_owned(),
            Action::Unpark if name != "unpark" => format!("{object}.{name}()"),
            Action::Park(by_timeout) => {
                format!("park() {}", yes(by_timeout, "timed out", "returns"))
            }
            Action::Unpark => "unpark()".to_owned(),
            Action::Send(_, done) => {
                format!("{object}.{name}() -> {}", yes(done, "sent", "not sent"))
            }
            Action::SendTaken(done) => {
                format!("{object}.{name}() -> {}", yes(done, "taken", "given back"))
            }
            Action::Receive(_, got) => {
                format!(
                    "{object}.{name}() -> {}",
                    yes(got, "a message", "no message")
                )
            }
            Action::Endpoint => format!("{object} {name}"),
            Action::OnceBegin(runs) => {
                format!(
                    "{object}.{name}() {}",
                    yes(runs, "runs the initialiser", "is complete")
                )
            }
            Action::OnceEnd(_) if event.second == event.object => format!("{object}.{name}()"),
            Action::OncePeek(poisoned) if event.second == event.object => {
                format!("{object}.{name}() -> {poisoned}")
            }
            Action::OnceEnd(complete) => {
                format!(
                    "{object} {}",
                    yes(complete, "is complete now", "stays incomplete")
                )
            }
            Action::OncePeek(complete) => {
                format!(
                    "{object}.{name}() -> {}",
                    yes(complete, "complete", "incomplete")
                )
            }
            Action::BarrierArrive => format!("{object} reached"),
            Action::BarrierLeave(leader) => {
                format!("{object} passed{}", yes(leader, ", as the leader", ""))
            }
            Action::FutexWait(early) => {
                format!("futex wait {}", yes(early, "ends at once", "woken"))
            }
            Action::FutexWake => format!("futex wake{}", woken(event.wrote)),
            Action::Fence(_) => "fence".to_owned(),
            Action::Assembly => "inline assembly".to_owned(),
            Action::PlainRead => format!("read of {object}"),
            Action::PlainWrite => format!("write of {object}"),
            Action::Yield => format!("{name}()"),
            Action::Sleep if name == HELD_UP && event.wrote == 0 => CLOCK_STANDS_STILL.to_owned(),
            Action::Sleep if name == HELD_UP => format!("{IS_HELD_UP}{} ms", event.wrote),
            Action::Sleep => "sleep()".to_owned(),
            Action::Spawn(_) | Action::Join(_) if event.call.is_some() => format!("{name}()"),
            Action::Spawn(_)
            | Action::Join(_)
            | Action::Begin
            | Action::End
            | Action::ReceiveBegin
            | Action::CallBegin
            | Action::CallHold
            | Action::LaneEnd => return None,
        })
    }

    /// A value of an atomic by its type; what looks like an address gets a number.
    fn value(&mut self, object: ObjectId, bits: u64) -> String {
        let what = self
            .types
            .get(object.0 as usize)
            .copied()
            .unwrap_or_default();
        match what {
            "AtomicBool" => (bits & 1 == 1).to_string(),
            "AtomicI8" => (bits as i8).to_string(),
            "AtomicI16" => (bits as i16).to_string(),
            "AtomicI32" => (bits as i32).to_string(),
            "AtomicI64" | "AtomicIsize" => (bits as i64).to_string(),
            "AtomicPtr" if bits == 0 => "null".to_owned(),
            "AtomicPtr" => self.pointer(bits),
            _ if bits > u64::MAX - 1_000 => {
                format!("MAX - {}", u64::MAX - bits).replace(" - 0", "")
            }
            // Words that hold tagged pointers are common; numbers that large are not.
            _ if (1 << 32..1 << 48).contains(&bits) => self.pointer(bits),
            _ => bits.to_string(),
        }
    }

    fn pointer(&mut self, bits: u64) -> String {
        let next = self.pointers.len() + 1;
        format!("pointer#{}", self.pointers.entry(bits).or_insert(next))
    }
}

fn yes(condition: bool, then: &'static str, otherwise: &'static str) -> &'static str {
    if condition { then } else { otherwise }
}

fn or<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    if name.is_empty() { otherwise } else { name }
}

fn lock_name(mode: LockMode) -> &'static str {
    match mode {
        LockMode::Exclusive => "lock",
        LockMode::Read => "read",
        LockMode::Upgradable => "upgradable_read",
    }
}

/// Who was woken, by a mask of virtual threads.
fn woken(mask: u64) -> &'static str {
    match mask.count_ones() {
        0 => ", no waiter",
        1 => ", wakes one",
        _ => ", wakes several",
    }
}
