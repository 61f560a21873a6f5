//! Statics of types of ours start every execution of a hand-written model as they were when the model began.
//!
//! What an execution first touches in the executable's writable data is noted with its value and put back after the
//! execution: values of atomics, contents of locks. Lazily initialised statics are kept apart from the real ones
//! altogether, in the execution's own table (`execution/model_state.rs`); only whether the real one was complete when
//! the model began is noted here. The driver process puts all static data back by itself and needs none of this.
//!
//! Models that touch statics run one at a time in a process: the statics are the process's.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
#[cfg(target_os = "linux")]
use std::sync::MutexGuard;
use std::sync::{Condvar, Mutex, PoisonError};

/// Engines that hold the statics of the process: none or one.
static TAKEN: Mutex<bool> = Mutex::new(false);
static FREED: Condvar = Condvar::new();
/// OS threads that wait for their turn, by `pthread_self`: the watchdog, which is for Linux, knows them by it.
#[cfg(target_os = "linux")]
static WAITING: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// What can be done to the contents of a lock whose type is known to the closure only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Drop the contents in place.
    Drop,
    /// Take the mark off that says it is poisoned.
    Unpoison,
}

/// A lock in static memory.
pub struct KeptLock {
    /// The lock: where and how many bytes.
    pub whole: (usize, usize),
    /// Its contents: where and how many bytes.
    pub content: (usize, usize),
    /// It was poisoned when the model began.
    pub poisoned: bool,
    /// The contents have a destructor.
    pub has_destructor: bool,
    /// Its type, as reports have it.
    pub what: &'static str,
    /// Where it was first used.
    pub location: &'static Location<'static>,
    /// Restores it.
    pub mend: Box<dyn FnMut(Mend)>,
}

impl std::fmt::Debug for KeptLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptLock")
            .field("what", &self.what)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

struct Entry {
    lock: KeptLock,
    bytes: Vec<u8>,
    pristine: bool,
    touched: bool,
}

#[derive(Clone, Copy, Debug)]
struct KeptAtomic {
    address: usize,
    size: u8,
    value: u64,
}

/// The statics that one engine's executions use.
#[derive(Default)]
pub(crate) struct Statics {
    start: usize,
    length: usize,
    taken: bool,
    atomics: Vec<KeptAtomic>,
    locks: Vec<Entry>,
    /// Address of a lazily initialised static, and whether it was complete when the model began.
    lazy: Vec<(usize, bool)>,
}

impl std::fmt::Debug for Statics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Statics")
            .field("locks", &self.locks.len())
            .field("lazy", &self.lazy)
            .finish_non_exhaustive()
    }
}

impl Statics {
    /// From here on statics are put back.
    pub(crate) fn enable(&mut self) {
        #[cfg(any(target_os = "linux", windows))]
        {
            (self.start, self.length) = crate::memory::static_range::static_range();
        }
    }

    /// True if what is at this address is to be the same at the start of every execution.
    #[inline(always)]
    pub(crate) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.length
    }

    /// Nothing is to be put back.
    #[inline]
    pub(crate) fn are_untouched(&self) -> bool {
        self.atomics.is_empty() && self.locks.is_empty()
    }

    /// An atomic is used for the first time in this execution.
    ///
    /// # Safety
    /// An atomic of so many bytes is at this address, which is in the static data of the executable.
    pub(crate) unsafe fn touch_atomic(&mut self, address: usize, size: u8) {
        self.take();
        // SAFETY: the caller says what is at the address.
        if let Some(value) = unsafe { crate::memory::peek(address, size) } {
            self.atomics.push(KeptAtomic {
                address,
                size,
                value,
            });
        }
    }

    /// A lock is held by the running thread, which has not used its contents yet; `kept` says what it is.
    ///
    /// # Safety
    /// What `kept` says is true: there is such a lock, in the static data of the executable, its contents are inside
    /// it, and
    /// `mend` may be called when no thread of the execution uses the lock.
    pub(crate) unsafe fn touch_lock(&mut self, address: usize, kept: impl FnOnce() -> KeptLock) {
        let mut entries = self.locks.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.lock.whole.0 == address) {
            entry.touched = true;
            return;
        }
        self.take();
        let lock = kept();
        // SAFETY: the caller says that these are the contents of a static, and that the running thread holds the lock.
        let bytes = unsafe { bytes_of(lock.content) };
        #[cfg(any(target_os = "linux", windows))]
        let pristine =
            lock.has_destructor && crate::memory::static_range::is_pristine(lock.content.0, &bytes);
        #[cfg(not(any(target_os = "linux", windows)))]
        let pristine = false;
        self.locks.push(Entry {
            lock,
            bytes,
            pristine,
            touched: true,
        });
    }

    /// True if this lazily initialised static has a value of its own in each execution: it had none when the model
    /// began.
    pub(crate) fn is_own(&mut self, address: usize, complete: impl FnOnce() -> bool) -> bool {
        if let Some((_, complete)) = self.lazy.iter().find(|(known, _)| *known == address) {
            return !complete;
        }
        let complete = complete();
        self.lazy.push((address, complete));
        !complete
    }

    /// Puts everything back. `holds` says whether a thread of the execution still holds the lock at an address: it was
    /// given up and will never give it back. With `leak`, destructors are not run: a thread that was given up may be in
    /// the middle of using the value. Returns what could not be put back, in words.
    pub(crate) fn restore(
        &mut self,
        leak: bool,
        mut holds: impl FnMut(usize) -> bool,
    ) -> Option<String> {
        for kept in self.atomics.drain(..) {
            // SAFETY: who noted the atomic, in `touch_atomic`, promised that it is a static; this was its value then.
            unsafe { crate::memory::poke(kept.address, kept.size, kept.value) };
        }
        let mut problem = None;
        for entry in self.locks.iter_mut().filter(|entry| entry.touched) {
            entry.touched = false;
            // SAFETY: who noted the lock, in `touch_lock`, promised that these are the contents of a static; the
            // threads that used it are gone.
            let now = unsafe { bytes_of(entry.lock.content) };
            if now != entry.bytes {
                if entry.lock.has_destructor && !entry.pristine {
                    problem = Some(cannot_be_put_back(&entry.lock));
                } else {
                    if entry.lock.has_destructor && !leak {
                        let mend = AssertUnwindSafe(|| (entry.lock.mend)(Mend::Drop));
                        // A destructor that panics, or that cannot go on, leaves the rest of its value behind.
                        if let Err(payload) = catch_unwind(mend) {
                            std::mem::forget(payload);
                        }
                    }
                    // SAFETY: the contents were just dropped, forgotten or have no destructor; these are the bytes of a
                    // value that was there before, and that owns nothing: it has no destructor, or it is the constant
                    // the program began with.
                    unsafe {
                        std::ptr::with_exposed_provenance_mut::<u8>(entry.lock.content.0)
                            .copy_from_nonoverlapping(entry.bytes.as_ptr(), entry.bytes.len());
                    }
                }
            }
            if holds(entry.lock.whole.0) {
                // SAFETY: no thread of the execution is left, and others do not use the statics of this engine.
                unsafe { free(&entry.lock) };
            }
            if !entry.lock.poisoned {
                (entry.lock.mend)(Mend::Unpoison);
            }
        }
        problem
    }

    /// Waits until no other engine of the process uses statics.
    fn take(&mut self) {
        if self.taken {
            return;
        }
        self.taken = true;
        #[cfg(target_os = "linux")]
        waiting().push(this_thread());
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            taken = FREED.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = true;
        #[cfg(target_os = "linux")]
        waiting().retain(|thread| *thread != this_thread());
    }
}

impl Drop for Statics {
    fn drop(&mut self) {
        if self.taken {
            *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
            FREED.notify_one();
        }
    }
}

/// True if this OS thread waits for its turn to use statics.
#[cfg(target_os = "linux")]
pub(crate) fn waits(thread: u64) -> bool {
    waiting().contains(&thread)
}

#[cfg(target_os = "linux")]
fn waiting() -> MutexGuard<'static, Vec<u64>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
fn this_thread() -> u64 {
    // SAFETY: always allowed.
    unsafe { libc::pthread_self() as u64 }
}

/// # Safety
/// So many bytes are at this address, alive, and not written to meanwhile.
unsafe fn bytes_of((address, length): (usize, usize)) -> Vec<u8> {
    let mut bytes = vec![0; length];
    // SAFETY: the caller says so. Padding is copied as it is and compared as bytes, which at worst says that something
    // changed.
    unsafe {
        bytes
            .as_mut_ptr()
            .copy_from_nonoverlapping(std::ptr::with_exposed_provenance(address), length);
    }
    bytes
}

/// Unlocks a lock that no thread will give back. The locks of `std` on Linux and Windows are words of zeros when free.
///
/// # Safety
/// There is such a lock in static memory, and no thread uses it.
unsafe fn free(lock: &KeptLock) {
    let (start, length) = lock.whole;
    let (content, content_length) = lock.content;
    let parts = [
        (start, content.saturating_sub(start)),
        (
            content + content_length,
            (start + length).saturating_sub(content + content_length),
        ),
    ];
    for (start, length) in parts {
        // SAFETY: bytes of the lock, by the caller's word, that are not its contents.
        unsafe { std::ptr::with_exposed_provenance_mut::<u8>(start).write_bytes(0, length) };
    }
}

fn cannot_be_put_back(lock: &KeptLock) -> String {
    format!(
        "the contents of a static {}, used at {}, cannot be put back after an execution: they own memory, and had been changed before the \
         model began. Make it a `LazyLock` of `contest::sync` or change it inside of the model only",
        lock.what, lock.location
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn free_locks_of_std_are_zeros() {
        fn bytes<T>(value: &T) -> Vec<u8> {
            let whole = (
                std::ptr::from_ref(value).expose_provenance(),
                size_of::<T>(),
            );
            // SAFETY: a live value, borrowed.
            unsafe { super::bytes_of(whole) }
        }
        // Contents that leave no padding, of which nothing is known.
        let mutex = std::sync::Mutex::new([0_u8; 3]);
        drop(mutex.lock());
        let lock = std::sync::RwLock::new([0_u8; 3]);
        drop(lock.write());
        drop(lock.read());
        assert!(bytes(&mutex).iter().all(|byte| *byte == 0));
        assert!(bytes(&lock).iter().all(|byte| *byte == 0));
    }
}
