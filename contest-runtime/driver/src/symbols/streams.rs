//! The locks of the standard streams: where they are is found out by using them, and whether `std` uses them as the
//! engine needs it. Of a `std` that does not, they stay as they are.

use std::any::Any;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use contest_engine::execution::streams::{StreamLock, answers, claim, leave_alone};

/// Words of 32 bits of a lock that are looked at: no stream's lock has fewer.
const WORDS: usize = 6;
/// A futex mutex for which threads may wait.
const CONTENDED: u32 = 2;

/// The futex word that somebody was woken at last.
static WOKEN: AtomicUsize = AtomicUsize::new(0);

/// Answers a futex operation, if it is one on the lock of a stream.
#[track_caller]
pub(super) fn futex(arguments: &[c_long; 6]) -> Option<c_long> {
    let [word, operation, ..] = *arguments;
    let word = word as usize;
    match operation as c_int & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => answers(word, false).then_some(0),
        libc::FUTEX_WAKE => {
            WOKEN.store(word, Relaxed);
            answers(word, true).then_some(1)
        }
        _ => None,
    }
}

/// Gives the locks of standard output and standard error to the engine. The process has one thread.
pub(crate) fn claim_streams() {
    let stdout = std::io::stdout();
    let found = find(address_of(&stdout), &|| Box::new(stdout.lock()));
    let stderr = std::io::stderr();
    let also = find(address_of(&stderr), &|| Box::new(stderr.lock()));
    for (stream, lock) in [found, also].into_iter().enumerate() {
        if let (Some(lock), Some(thread)) = (lock, thread_number()) {
            // SAFETY: a lock of `std`, which is a static; the process has one thread.
            unsafe { claim(stream, lock, thread) };
        }
    }
    if [found, also]
        .iter()
        .flatten()
        .any(|lock| !is_contended(lock))
    {
        leave_alone();
    }
}

/// How `std` calls this thread.
fn thread_number() -> Option<u64> {
    let id = std::thread::current().id();
    if size_of_val(&id) != size_of::<u64>() {
        return None;
    }
    // SAFETY: bytes of a value of that size, which has no padding: it tells threads apart by them.
    Some(unsafe { (&raw const id).cast::<u64>().read() })
}

/// Where the lock is that a handle of a stream refers to, if the handle is a reference.
fn address_of<T>(handle: &T) -> Option<usize> {
    if size_of::<T>() != size_of::<usize>() {
        return None;
    }
    // SAFETY: bytes of a value of that size. It is looked at as an address only if it proves to be one.
    Some(unsafe { std::ptr::from_ref(handle).cast::<usize>().read() })
}

fn look(lock: usize) -> [u32; WORDS] {
    let words: *const AtomicU32 = std::ptr::with_exposed_provenance(lock);
    // SAFETY: a handle of a stream is a reference to a lock, which is longer than this and a static.
    std::array::from_fn(|word| unsafe { (*words.add(word)).load(Relaxed) })
}

/// The parts of a re-entrant lock, told apart by what they are when it is free, taken, and taken twice.
fn find(lock: Option<usize>, take: &dyn Fn() -> Box<dyn Any>) -> Option<StreamLock> {
    let (lock, thread) = (lock?, thread_number()?);
    if !lock.is_multiple_of(align_of::<u64>()) || lock == 0 {
        return None;
    }
    let free = look(lock);
    let once = take();
    let taken = look(lock);
    let again = take();
    let twice = look(lock);
    drop((again, once));
    let owner = (0..WORDS / 2).find(|pair| {
        let value = |words: &[u32; WORDS]| {
            u64::from(words[2 * pair]) | u64::from(words[2 * pair + 1]) << 32
        };
        value(&free) == 0 && value(&taken) == thread && value(&twice) == thread
    })?;
    let others = || (0..WORDS).filter(|word| word / 2 != owner);
    let count = others().find(|word| (free[*word], taken[*word], twice[*word]) == (0, 1, 2))?;
    let word = others().find(|word| (free[*word], taken[*word], twice[*word]) == (0, 1, 1))?;
    let found = StreamLock {
        word: lock + 4 * word,
        owner: lock + 8 * owner,
        count: lock + 4 * count,
    };
    wakes(&found, take).then_some(found)
}

/// True if giving the lock back wakes others by way of `syscall`, if there may be any.
fn wakes(lock: &StreamLock, take: &dyn Fn() -> Box<dyn Any>) -> bool {
    let word: *const AtomicU32 = std::ptr::with_exposed_provenance(lock.word);
    let guard = take();
    // SAFETY: a part of a lock, as above. What it says now is true of a mutex for which another thread has waited.
    unsafe { (*word).store(CONTENDED, Relaxed) };
    WOKEN.store(0, Relaxed);
    drop(guard);
    // SAFETY: as above.
    WOKEN.load(Relaxed) == lock.word && unsafe { (*word).load(Relaxed) } == 0
}

/// True if a lock that was claimed is free, and marked as contended after it was taken and given back.
fn is_contended(lock: &StreamLock) -> bool {
    let before = WOKEN.swap(0, Relaxed);
    drop((std::io::stdout().lock(), std::io::stderr().lock()));
    let word: *const AtomicU32 = std::ptr::with_exposed_provenance(lock.word);
    let owner: *const AtomicU64 = std::ptr::with_exposed_provenance(lock.owner);
    // SAFETY: parts of a lock, as above.
    let (word, owner) = unsafe { ((*word).load(Relaxed), (*owner).load(Relaxed)) };
    before != 0 && WOKEN.load(Relaxed) != 0 && word == CONTENDED && owner == 0
}
