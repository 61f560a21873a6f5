//! Standard output and standard error, whose locks `std` has compiled already: it takes one OS thread for one thread,
//! so they would be no locks between virtual threads.
//!
//! A lock that is free is kept marked as contended. So `std` asks the kernel to wait whenever it takes one, and to wake
//! whenever it gives one back, and the driver's `syscall` asks the engine. What `std` keeps of the owner is set at each
//! switch while a lock is held: a thread that holds it may take it again, another one waits.
//!
//! What is printed is read by no thread, so the order of two lines makes no difference: the lock is taken and given
//! back in the middle of a step, and orders nothing. It is a lock like others for what a thread does while it holds it:
//! accesses of memory are ordered by it, and where a thread reaches a visible operation, changes memory that another
//! one has allocated, or finds it held, it becomes visible for the rest of the test, as contended memory does.

#[cfg(not(all(feature = "driver", target_os = "linux")))]
use super::machine::Machine;
#[cfg(all(feature = "driver", target_os = "linux"))]
use contest_data::trace::ThreadIndex;

#[cfg(all(feature = "driver", target_os = "linux"))]
pub use places::{StreamLock, answers, claim, covers, leave_alone};

/// How many there are.
#[cfg(all(feature = "driver", target_os = "linux"))]
const STREAMS: usize = 2;

/// A stream that a virtual thread holds.
#[cfg(all(feature = "driver", target_os = "linux"))]
#[derive(Clone, Copy, Debug)]
struct Held {
    by: ThreadIndex,
    /// That it was taken is an event, or will be in the executions to come.
    visible: bool,
    /// That it was taken is an event of this execution.
    is_event: bool,
    /// It orders its holder after those who held it before.
    ordered: bool,
}

/// Who holds which stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streams {
    #[cfg(all(feature = "driver", target_os = "linux"))]
    held: [Option<Held>; STREAMS],
    /// One is held.
    pub any: bool,
    /// One is held that orders nothing so far.
    #[allow(dead_code, reason = "for the layer of accesses, where there is one")]
    pub idle: bool,
    /// One is held of which no execution to come would show that it is.
    pub hidden: bool,
}

impl Streams {
    /// None is held.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    #[cfg(all(feature = "driver", target_os = "linux"))]
    fn set(&mut self, stream: usize, held: Option<Held>) {
        self.held[stream] = held;
        self.any = self.held.iter().any(Option::is_some);
        self.idle = self.held.iter().flatten().any(|held| !held.ordered);
        self.hidden = self.held.iter().flatten().any(|held| !held.visible);
    }
}

#[cfg(not(all(feature = "driver", target_os = "linux")))]
impl Machine {
    /// There is no such lock.
    pub(super) fn show_owners_of_streams(&self) {}

    /// There is no such lock.
    pub(super) fn order_by_streams(&mut self, _visible: bool) {}
}

#[cfg(all(feature = "driver", target_os = "linux"))]
mod places {
    //! Where the locks are, and what the virtual threads do with them.

    use std::panic::Location;
    use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

    use super::{Held, STREAMS};
    use crate::execution::active::{Active, active};
    use crate::execution::current;
    use crate::execution::layer::{contend_stream, is_stream_visible};
    use crate::execution::machine::Machine;
    use crate::execution::virtual_thread::Gate;
    use crate::memory::mapping::Region;
    use crate::memory::{is_user_code, set_user_code};
    use contest_data::trace::schedule::check_of;
    use contest_data::trace::{Action, LockMode, ObjectId, Pending};

    /// State of a futex mutex of `std` that is free, and of one for which threads may wait.
    const FREE: u32 = 0;
    const CONTENDED: u32 = 2;
    /// No thread of the system has this identifier.
    const NOBODY: u64 = u64::MAX;
    const NAMES: [&str; STREAMS] = ["Stdout", "Stderr"];
    const MODE: LockMode = LockMode::Exclusive;

    /// Addresses of what a re-entrant lock of `std` consists of.
    #[derive(Clone, Copy, Debug)]
    pub struct StreamLock {
        /// The futex word of its mutex, 32 bits.
        pub word: usize,
        /// The identifier of the thread that holds it, 64 bits; 0 if none does.
        pub owner: usize,
        /// How often that thread has taken it, 32 bits.
        pub count: usize,
    }

    /// A lock that was claimed, and what it was before code of ours took it.
    struct Claimed {
        word: AtomicUsize,
        owner: AtomicUsize,
        count: AtomicUsize,
        kept_owner: AtomicU64,
        kept_count: AtomicU32,
    }

    static CLAIMED: [Claimed; STREAMS] = [const {
        Claimed {
            word: AtomicUsize::new(0),
            owner: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            kept_owner: AtomicU64::new(0),
            kept_count: AtomicU32::new(0),
        }
    }; STREAMS];
    /// How `std` calls the OS thread that executions run on.
    static THREAD: AtomicU64 = AtomicU64::new(0);

    impl Claimed {
        fn word(&self) -> &AtomicU32 {
            // SAFETY: `claim` was given an atomic that stays.
            unsafe { &*std::ptr::with_exposed_provenance(self.word.load(Relaxed)) }
        }

        fn owner(&self) -> &AtomicU64 {
            // SAFETY: as above.
            unsafe { &*std::ptr::with_exposed_provenance(self.owner.load(Relaxed)) }
        }

        fn count(&self) -> &AtomicU32 {
            // SAFETY: `claim` was given a number of this size that stays; this thread is the only one.
            unsafe { &*std::ptr::with_exposed_provenance(self.count.load(Relaxed)) }
        }
    }

    /// From here on the engine decides who holds this lock, which is free: standard output is number 0, standard error
    /// number 1. `thread` is the identifier of this OS thread.
    ///
    /// # Safety
    /// There is such a lock, for good, its addresses are exposed, and only this OS thread uses it.
    pub unsafe fn claim(stream: usize, lock: StreamLock, thread: u64) {
        let claimed = &CLAIMED[stream];
        claimed.word.store(lock.word, Relaxed);
        claimed.owner.store(lock.owner, Relaxed);
        claimed.count.store(lock.count, Relaxed);
        THREAD.store(thread, Relaxed);
        claimed.word().store(CONTENDED, Relaxed);
    }

    /// Leaves all of them to `std` again, for several OS threads; those that are held stay so.
    pub fn leave_alone() {
        for claimed in CLAIMED.iter().filter(|it| it.word.load(Relaxed) != 0) {
            if claimed.owner().load(Relaxed) == 0 {
                claimed.word().store(FREE, Relaxed);
            }
            claimed.word.store(0, Relaxed);
        }
    }

    fn at(word: usize) -> Option<usize> {
        let is = |claimed: &Claimed| claimed.word.load(Relaxed) == word;
        CLAIMED.iter().position(is).filter(|_| word != 0)
    }

    /// True if this is a part of such a lock: it is used by its holder only, and is none of the caller's memory.
    pub fn covers(address: usize) -> bool {
        !Region::contains(address)
            && CLAIMED.iter().any(|claimed| {
                let is_in =
                    |start: &AtomicUsize, size| address.wrapping_sub(start.load(Relaxed)) < size;
                claimed.word.load(Relaxed) != 0
                    && (is_in(&claimed.word, 4)
                        || is_in(&claimed.owner, 8)
                        || is_in(&claimed.count, 4))
            })
    }

    /// Answers a call of `std` that waits for this futex word or wakes who waits for it; false if it is none of such a
    /// lock.
    #[track_caller]
    pub fn answers(word: usize, wakes: bool) -> bool {
        let Some(stream) = at(word) else {
            return false;
        };
        let claimed = &CLAIMED[stream];
        let active = active().filter(|_| is_user_code());
        match (active, wakes) {
            (Some(active), false) => active.take_stream(stream),
            (Some(active), true) => active.give_stream_back(stream),
            // Code of ours prints, perhaps while a virtual thread holds the stream.
            (None, false) => {
                let owner = claimed.owner().swap(0, Relaxed);
                claimed.kept_owner.store(owner, Relaxed);
                let count = claimed.count().swap(0, Relaxed);
                claimed.kept_count.store(count, Relaxed);
                claimed.word().store(FREE, Relaxed);
            }
            (None, true) => {
                let owner = claimed.kept_owner.swap(0, Relaxed);
                claimed.owner().store(owner, Relaxed);
                let count = claimed.kept_count.swap(0, Relaxed);
                claimed.count().store(count, Relaxed);
                claimed.word().store(CONTENDED, Relaxed);
            }
        }
        true
    }

    impl Active {
        /// The running thread takes the lock of this stream, as soon as no other one holds it.
        #[track_caller]
        fn take_stream(self, stream: usize) {
            set_user_code(false);
            let claimed = &CLAIMED[stream];
            let word = claimed.word.load(Relaxed);
            let mut machine = current::machine();
            let location = Location::caller();
            let object = machine.objects.at(word, NAMES[stream]);
            let mut visible = is_stream_visible(&machine, word);
            let held = machine.streams.held[stream].is_some();
            if held && !visible {
                contend_stream(&mut machine, word);
                visible = true;
            }
            if visible && !machine.over && !machine.tearing_down {
                let pending = Pending {
                    action: Action::Acquire(MODE),
                    object,
                    second: ObjectId::NONE,
                    name: "lock",
                    check: const { check_of(Action::Acquire(MODE), "lock") },
                };
                machine.publish(pending, Gate::Lock(object, MODE), location);
                machine.note_waiting(held);
                machine = super::super::active::wait_for_turn(machine);
                machine.take(object, MODE, location);
                machine.commit(Action::Acquire(MODE), object, "lock", 0, 0);
                // Those before may have held it without an event.
                machine.take_after_others(stream);
            } else {
                machine.take(object, MODE, location);
            }
            let held = Held {
                by: machine.running,
                visible,
                is_event: visible,
                ordered: visible,
            };
            machine.streams.set(stream, Some(held));
            drop(machine);
            claimed.word().store(FREE, Relaxed);
            set_user_code(true);
        }

        /// The running thread gives the lock of this stream back, which `std` has done already.
        #[track_caller]
        fn give_stream_back(self, stream: usize) {
            let claimed = &CLAIMED[stream];
            // As long as it is held for the engine, others wait.
            claimed.word().store(CONTENDED, Relaxed);
            set_user_code(false);
            let mut machine = current::machine();
            let word = claimed.word.load(Relaxed);
            let object = machine.objects.at(word, NAMES[stream]);
            let held = machine.streams.held[stream];
            let visible = held.is_some_and(|held| held.is_event);
            if visible && !machine.over && !machine.tearing_down {
                let state = machine.objects.get(object);
                let location = state.taken_at.unwrap_or(Location::caller());
                let action = Action::Release(MODE, None);
                let pending = Pending {
                    action,
                    object,
                    second: ObjectId::NONE,
                    name: "unlock",
                    check: const { check_of(Action::Release(MODE, None), "unlock") },
                };
                machine = super::super::active::stop_inline(machine, pending, location);
                machine.give_back(object, MODE);
                machine.commit(action, object, "unlock", 0, 0);
            } else {
                machine.give_back(object, MODE);
            }
            if held.is_some_and(|held| held.ordered) {
                machine.give_to_others(stream);
            }
            machine.streams.set(stream, None);
            drop(machine);
            // Set again by switches meanwhile.
            claimed.owner().store(0, Relaxed);
            set_user_code(true);
        }
    }

    impl Machine {
        /// The thread that runs from here on finds the locks that it holds its own, and the others not.
        #[cold]
        pub(in crate::execution) fn show_owners_of_streams(&self) {
            for (claimed, held) in CLAIMED.iter().zip(&self.streams.held) {
                if let Some(held) = held {
                    let owner = match held.by == self.running {
                        true => THREAD.load(Relaxed),
                        false => NOBODY,
                    };
                    claimed.owner().store(owner, Relaxed);
                }
            }
        }

        /// The running thread does something that others see: if it holds a stream, that comes after those who held it
        /// before. `visible`: others may run in the middle.
        #[cold]
        pub(in crate::execution) fn order_by_streams(&mut self, visible: bool) {
            for (stream, claimed) in CLAIMED.iter().enumerate() {
                let Some(held) = self.streams.held[stream] else {
                    continue;
                };
                if held.by != self.running {
                    continue;
                }
                let contends = visible && !held.visible && self.live > 1;
                let now = Held {
                    ordered: true,
                    visible: held.visible || contends,
                    ..held
                };
                self.streams.set(stream, Some(now));
                if !held.ordered {
                    self.take_after_others(stream);
                }
                if contends {
                    contend_stream(self, claimed.word.load(Relaxed));
                }
            }
        }

        /// What orders holders for whom taking and giving back are no events.
        fn silent_order(&mut self, stream: usize) -> ObjectId {
            let owner = CLAIMED[stream].owner.load(Relaxed);
            self.objects.at(owner, "inner atomic")
        }

        fn take_after_others(&mut self, stream: usize) {
            let (object, thread) = (self.silent_order(stream), self.running);
            self.synchronisation().atomic_read(thread, object, true);
        }

        fn give_to_others(&mut self, stream: usize) {
            let (object, thread) = (self.silent_order(stream), self.running);
            self.synchronisation()
                .atomic_write(thread, object, true, true);
        }
    }
}
