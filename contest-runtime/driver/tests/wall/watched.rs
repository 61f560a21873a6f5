//! Watching changes nothing: random programs run twice under one seed, watched and not.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::Ending;
use contest_engine::execution::{Engine, active};
use contest_engine::memory::{Isolation, arena};
use contest_search::explore::Random;
use contest_std::sync::Mutex;
use contest_std::sync::atomic::AtomicU32;

use crate::controlled::spawn;
use crate::scenarios::Process;

// What the compiler calls in instrumented code; here it is called by hand.
unsafe extern "C" {
    fn __tsan_read4(address: *const u32);
    fn __tsan_write4(address: *mut u32);
    fn __tsan_atomic32_load(address: *const u32, order: i32) -> u32;
    fn __tsan_atomic_thread_fence(order: i32);
}

/// Places of plain accesses, which threads share by hand.
struct Words([UnsafeCell<u32>; 4]);

// SAFETY: virtual threads are of one OS thread.
unsafe impl Sync for Words {}

static WORDS: Words = Words([const { UnsafeCell::new(0) }; 4]);
static COUNT: AtomicU32 = AtomicU32::new(0);
/// Addresses that the program was given, in order.
static ADDRESSES: [AtomicUsize; 64] = [const { AtomicUsize::new(0) }; 64];
static NOTED: AtomicUsize = AtomicUsize::new(0);

fn note_down(address: usize) {
    let number = NOTED.fetch_add(1, SeqCst);
    ADDRESSES[number].store(address, SeqCst);
}

fn access(place: *mut u32, write: bool) {
    // SAFETY: `place` is a word of this program; of one OS thread.
    unsafe {
        if write {
            __tsan_write4(place);
            *place = place.read().wrapping_mul(3) + 1;
        } else {
            __tsan_read4(place);
            std::hint::black_box(place.read());
        }
    }
}

/// What threads share on the heap.
struct Shared {
    list: Mutex<Vec<[Box<u32>; 1]>>,
    word: Words,
}

/// Some calls of a thread, as these random bits say.
fn calls(mut bits: u64, shared: &Arc<Shared>) {
    for _ in 0..5 {
        let (what, which) = (bits % 7, bits as usize / 7 % 4);
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).rotate_left(29) + 1;
        match what {
            0 => drop(COUNT.fetch_add(1, SeqCst)),
            1 => {
                let block = Box::new(5_u32);
                let address = (&raw const *block).addr();
                access(Box::into_raw(block), true);
                note_down(address);
            }
            2 => {
                let block = vec![0_u8; 24 << which];
                note_down(block.as_ptr().addr());
            }
            3 => shared.list.lock().unwrap().push([Box::new(7)]),
            4 => drop(shared.list.lock().unwrap().pop()),
            5 => access(WORDS.0[which].get(), bits.is_multiple_of(2)),
            _ => {
                let other = Arc::clone(shared);
                access(other.word.0[which].get(), bits.is_multiple_of(3));
            }
        }
    }
}

fn program(seed: u64) {
    let shared = Arc::new(Shared {
        list: Mutex::default(),
        word: Words(Default::default()),
    });
    let threads = [1, 3].map(|thread: u64| {
        let (shared, bits) = (
            Arc::clone(&shared),
            (seed + thread).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(thread)),
        );
        spawn(move || calls(bits, &shared))
    });
    for join in threads {
        join();
    }
    assert!(active().is_some());
}

pub(crate) fn same() -> ! {
    let mut process = Process::start();
    let mut engine = Engine::new(Limits {
        forget_unfinished: true,
        accesses: true,
        ..Limits::default()
    });
    let mut watched = 0;
    for seed in 0..400 {
        let mut run = |watch: bool| {
            let mut walk = Random::new(seed, 1);
            engine.watch(watch);
            assert!(walk.begin());
            process.isolation.begin();
            let record = engine.run(&mut walk, || program(seed));
            assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics);
            let record_watched = format!(
                "{:?} {:?} {:?} {:?} {} {}",
                record.schedule,
                record.events,
                record.objects,
                record.panics,
                record.steps,
                record.preemptions
            );
            let seen = record.plain.list.len();
            walk.end(record);
            let noted = NOTED.load(SeqCst);
            let addresses: Vec<usize> = ADDRESSES[..noted]
                .iter()
                .map(|it| it.load(SeqCst))
                .collect();
            let words = WORDS.0.each_ref().map(|it| {
                // SAFETY: no execution is running.
                unsafe { *it.get() }
            });
            process.isolation.end();
            (record_watched, addresses, words, seen)
        };
        let (record_watched, addresses, words, seen) = run(true);
        let (record_unwatched, addresses_unwatched, words_unwatched, none) = run(false);
        assert_eq!(none, 0, "seed {seed}");
        assert_eq!(record_watched, record_unwatched, "seed {seed}");
        assert_eq!(addresses, addresses_unwatched, "seed {seed}");
        assert_eq!(words, words_unwatched, "seed {seed}");
        watched += seen;
    }
    assert!(watched > 1000, "{watched}");
    process.end()
}

/// Atomic operations that are no scheduling points are counted, because a thread may go round a loop of them. Each
/// execution counts its own.
pub(crate) fn atomics_are_counted_afresh() -> ! {
    static WORD: AtomicUsize = AtomicUsize::new(0);
    let look = || {
        // SAFETY: the address of a word.
        unsafe { __tsan_atomic32_load(WORD.as_ptr().cast(), 5) };
    };
    let mut process = Process::start();
    let mut engine = Engine::new(Limits {
        forget_unfinished: true,
        accesses: true,
        ..Limits::default()
    });
    let mut steps = None;
    for number in 0..3_000 {
        let mut walk = Random::new(1, 1);
        assert!(walk.begin());
        process.isolation.begin();
        let record = engine.run(&mut walk, || spawn(look)());
        assert_eq!(record.ending, Ending::Finished);
        let expected = *steps.get_or_insert(record.steps);
        assert_eq!(record.steps, expected, "execution {number}");
        walk.end(record);
        process.isolation.end();
    }
    process.end()
}

/// A fence makes the engine take in the accesses that it has put off. What it keeps of them outlives the execution, so
/// none of it may be in memory of code under test, which the next execution has for itself.
pub(crate) fn a_fence_is_no_code_under_test() -> ! {
    const PAGE: usize = 1024;
    const PAGES: usize = 64;
    static MANY: [AtomicU32; PAGE * PAGES] = [const { AtomicU32::new(0) }; PAGE * PAGES];
    let look = || {
        for page in MANY.chunks(PAGE) {
            page[0].fetch_add(1, SeqCst);
        }
        let before = arena::in_use().live_bytes;
        // SAFETY: a fence.
        unsafe { __tsan_atomic_thread_fence(5) };
        assert_eq!(arena::in_use().live_bytes, before);
    };
    let mut process = Process::start();
    let mut engine = Engine::new(Limits {
        forget_unfinished: true,
        accesses: true,
        ..Limits::default()
    });
    engine.watch(true);
    for _ in 0..3 {
        let mut walk = Random::new(1, 1);
        assert!(walk.begin());
        process.isolation.begin();
        let record = engine.run(&mut walk, || {
            let join = spawn(look);
            look();
            join();
        });
        assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics);
        walk.end(record);
        process.isolation.end();
    }
    process.end()
}
