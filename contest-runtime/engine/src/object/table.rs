//! Objects of one execution by address. Emptied in constant time; an open-addressed table, because this look-up is on
//! the path of every visible operation.

use std::hash::Hasher;

use super::statics::Statics;
use super::{MOST_THREADS, ObjectState};
use crate::happens_before::{ChannelEnds, Facts};
use contest_data::fold_hash::FoldHash;
use contest_data::trace::ObjectId;

#[derive(Clone, Copy, Debug)]
struct Slot {
    address: usize,
    generation: u32,
    object: u32,
}

/// Maps addresses to objects, which are numbered by first use.
#[derive(Debug)]
pub(crate) struct ObjectTable {
    slots: Vec<Slot>,
    generation: u32,
    /// What was looked up last: programs stay with an object for a while.
    last: (usize, ObjectId),
    objects: Vec<ObjectState>,
    used: usize,
    /// The ends of threads, by thread; no address leads to them.
    ends: [ObjectId; MOST_THREADS],
    /// Of these, how many may have an object.
    ends_used: usize,
    /// The order in which threads are created.
    order: ObjectId,
    /// The objects by address in order of first use, if that is noted.
    noted: Option<Vec<(ObjectId, usize)>>,
    /// What is put back after the execution.
    pub statics: Statics,
}

/// No object is at address 0.
const NOTHING: (usize, ObjectId) = (0, ObjectId::NONE);

/// Pseudo-addresses for what has no address of its own; the top of the address space is never user memory.
const TOKEN_BASE: usize = usize::MAX - 0xFFFF;
const WAKER_BASE: usize = usize::MAX - 0x5_FFFF;
const ASSEMBLY: usize = usize::MAX - 0x6_FFFF;
const QUEUE_BIT: usize = 1 << (usize::BITS - 2);

impl ObjectTable {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![
                Slot {
                    address: 0,
                    generation: 0,
                    object: 0
                };
                256
            ],
            generation: 1,
            last: NOTHING,
            objects: Vec::with_capacity(64),
            used: 0,
            ends: [ObjectId::NONE; MOST_THREADS],
            ends_used: 0,
            order: ObjectId::NONE,
            noted: None,
            statics: Statics::default(),
        }
    }

    /// Forgets all objects.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.last = NOTHING;
        self.ends[..self.ends_used].fill(ObjectId::NONE);
        self.ends_used = 0;
        self.order = ObjectId::NONE;
        if let Some(noted) = &mut self.noted {
            noted.clear();
        }
        if let Some(next) = self.generation.checked_add(1) {
            self.generation = next;
        } else {
            self.slots.iter_mut().for_each(|slot| slot.generation = 0);
            self.generation = 1;
        }
    }

    /// The object at this address, made at first use.
    #[inline]
    pub(crate) fn at(&mut self, address: usize, what: &'static str) -> ObjectId {
        // SAFETY: nothing is said of what is there.
        unsafe { self.at_sized(address, what, 0) }
    }

    /// As [`ObjectTable::at`], of an atomic of so many bytes.
    ///
    /// # Safety
    /// An atomic of so many bytes is at this address, or the size is 0.
    #[inline]
    pub(crate) unsafe fn at_sized(
        &mut self,
        address: usize,
        what: &'static str,
        size: u8,
    ) -> ObjectId {
        if address != self.last.0 {
            // SAFETY: the caller says what is at the address.
            self.last = (address, unsafe { self.look_up(address, what, size) });
        }
        self.last.1
    }

    /// # Safety
    /// As for `at_sized`.
    unsafe fn look_up(&mut self, address: usize, what: &'static str, size: u8) -> ObjectId {
        let mask = self.slots.len() - 1;
        let mut index = hash(address) & mask;
        loop {
            let slot = self.slots[index];
            if slot.generation != self.generation {
                // SAFETY: the caller says what is at the address.
                return unsafe { self.insert(index, address, what, size) };
            }
            if slot.address == address {
                return ObjectId(slot.object);
            }
            index = (index + 1) & mask;
        }
    }

    /// # Safety
    /// As for `at_sized`.
    #[cold]
    unsafe fn insert(
        &mut self,
        index: usize,
        address: usize,
        what: &'static str,
        size: u8,
    ) -> ObjectId {
        if size != 0 && self.statics.contains(address) {
            // SAFETY: the caller says what is at the address, and it is in static memory.
            unsafe { self.statics.touch_atomic(address, size) };
        }
        let object = self.fresh(what);
        self.note(object, address);
        self.slots[index] = Slot {
            address,
            generation: self.generation,
            object: object.0,
        };
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
        object
    }

    fn note(&mut self, object: ObjectId, address: usize) {
        if let Some(noted) = &mut self.noted {
            noted.push((object, address));
        }
    }

    /// From here on the addresses of objects are noted, or are no longer.
    pub(crate) fn note_addresses(&mut self, on: bool) {
        self.noted = on.then(Vec::new);
    }

    /// The objects of the execution that are at an address, in order of first use, if that was noted. Parts of an
    /// object that have a record of their own have its address.
    pub(crate) fn noted(&self) -> Option<Vec<(ObjectId, usize)>> {
        let noted = self.noted.as_ref()?.iter();
        let found = noted.filter(|(_, address)| *address < ASSEMBLY);
        Some(
            found
                .map(|(object, address)| (*object, address & !QUEUE_BIT))
                .collect(),
        )
    }

    /// The next object.
    #[inline(never)]
    fn fresh(&mut self, what: &'static str) -> ObjectId {
        let object = ObjectId(self.used as u32);
        if let Some(old) = self.objects.get_mut(self.used) {
            *old = ObjectState::new(what);
        } else {
            self.one_more(what);
        }
        self.used += 1;
        object
    }

    /// A new record. Out of line: records are nearly always used again.
    #[cold]
    #[inline(never)]
    fn one_more(&mut self, what: &'static str) {
        self.objects.push(ObjectState::new(what));
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(
            &mut self.slots,
            vec![
                Slot {
                    address: 0,
                    generation: 0,
                    object: 0
                };
                size
            ],
        );
        for slot in old
            .into_iter()
            .filter(|slot| slot.generation == self.generation)
        {
            let mut index = hash(slot.address) & (size - 1);
            while self.slots[index].generation == self.generation {
                index = (index + 1) & (size - 1);
            }
            self.slots[index] = slot;
        }
    }

    /// What blocks of inline assembly synchronise with each other by.
    pub(crate) fn assembly(&mut self) -> ObjectId {
        self.at(ASSEMBLY, "inline assembly")
    }

    /// Makes the address name a new object: its memory was reused.
    pub(crate) fn renew(&mut self, address: usize, what: &'static str) -> ObjectId {
        let old = self.at(address, what);
        self.last = NOTHING;
        let object = self.fresh(what);
        self.note(object, address);
        if let Some(slot) = self
            .slots
            .iter_mut()
            .find(|slot| slot.generation == self.generation && slot.object == old.0)
        {
            slot.object = object.0;
        }
        object
    }

    /// The park token of a thread.
    pub(crate) fn token(&mut self, thread: contest_data::trace::ThreadIndex) -> ObjectId {
        self.at(TOKEN_BASE + thread.index(), "park token")
    }

    /// The waker of the future that a thread runs.
    pub(crate) fn waker(&mut self, thread: contest_data::trace::ThreadIndex) -> ObjectId {
        self.at(WAKER_BASE + thread.index(), "waker")
    }

    /// The end of a thread.
    #[inline]
    pub(crate) fn end(&mut self, thread: contest_data::trace::ThreadIndex) -> ObjectId {
        let index = thread.index() % MOST_THREADS;
        if self.ends[index] == ObjectId::NONE {
            self.ends[index] = self.fresh("thread");
            self.ends_used = self.ends_used.max(index + 1);
        }
        self.ends[index]
    }

    /// The queue of a futex word, an object of its own: waking a waiter does not write the word.
    pub(crate) fn queue(&mut self, address: usize) -> ObjectId {
        self.at(address | QUEUE_BIT, "futex")
    }

    /// The receivers that wait on a rendezvous channel.
    pub(crate) fn receivers(&mut self, address: usize) -> ObjectId {
        self.at(address | QUEUE_BIT, "channel receivers")
    }

    /// The order in which threads are created.
    #[inline]
    pub(crate) fn creation_order(&mut self) -> ObjectId {
        if self.order == ObjectId::NONE {
            self.order = self.fresh("thread creation");
        }
        self.order
    }

    #[inline]
    pub(crate) fn get(&self, object: ObjectId) -> &ObjectState {
        &self.objects[object.0 as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, object: ObjectId) -> &mut ObjectState {
        &mut self.objects[object.0 as usize]
    }

    /// A hash of what is known of the objects that have an address, beside what is in their memory. The order in which
    /// they were first used does not count.
    pub(crate) fn meaning(&self) -> u64 {
        let here = self.slots.iter();
        here.filter(|slot| slot.generation == self.generation)
            .map(|slot| {
                let mut hasher = FoldHash::default();
                hasher.write_usize(slot.address);
                self.objects[slot.object as usize].hash_meaning(&mut hasher);
                hasher.finish()
            })
            .fold(0, u64::wrapping_add)
    }

    /// All objects in order of first use.
    pub(crate) fn all(&self) -> &[ObjectState] {
        &self.objects[..self.used]
    }
}

impl Facts for ObjectTable {
    fn channel(&self, object: ObjectId) -> ChannelEnds {
        let state = self.get(object);
        ChannelEnds {
            capacity: state.capacity,
            senders: state.senders,
            receivers: state.receivers,
        }
    }

    fn round_is_complete(&self, barrier: ObjectId) -> bool {
        // The last arrival starts the next round, which has no arrivals yet.
        self.get(barrier).count == 0
    }
}

#[inline]
fn hash(address: usize) -> usize {
    ((address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}
