//! What becomes of blocks: freed by either side, used again, forgotten.

use std::alloc::{Layout, alloc_zeroed};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use contest_engine::memory::{Isolation, arena, set_user_code};

use crate::scenarios::{Process, contest_arena_contains};

pub(crate) fn both_sides() -> ! {
    let mut process = Process::start();
    for _ in 0..1000 {
        let mut from_tool = vec![1u8; 100];
        process.execution(
            move || {
                from_tool.extend_from_slice(&[2; 10_000]);
                assert!(!contest_arena_contains(from_tool.as_ptr().addr()));
                drop(from_tool);
                assert!(contest_arena_contains(vec![0u8; 10].as_ptr().addr()));
                vec![3u8; 100]
            },
            |mut from_user| {
                assert!(contest_arena_contains(from_user.as_ptr().addr()));
                from_user.extend_from_slice(&[4; 10_000]);
                assert!(!contest_arena_contains(from_user.as_ptr().addr()));
                assert_eq!(from_user[99..101], [3, 4]);
                String::new()
            },
        );
    }
    // Memory that outlives the execution is not written to when it is freed.
    let mut stale = Vec::new();
    process.run(|| stale = vec![9u8; 64]);
    drop(stale);
    assert_eq!(arena::in_use().stale_frees, 1);
    process.run(|| {
        let live = black_box(vec![0u8; 64]);
        assert!(live.iter().all(|it| *it == 0));
    });
    process.end()
}

/// Owners of blocks: an address as it is, one with a mark, one of the middle of a block.
static OWNERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

thread_local! {
    static OWNER: Cell<usize> = const { Cell::new(0) };
}

fn forgotten<T>(value: T) -> usize {
    Box::into_raw(Box::new(value)).expose_provenance()
}

pub(crate) fn unowned() -> ! {
    let mut process = Process::start();
    // The compiler leaves out what is only written.
    black_box((&OWNERS, OWNER.with(|owner| owner.as_ptr())));
    // Of those to which nothing leads, and of those that are held by one of them.
    let sizes = |process: &mut Process| -> [Vec<usize>; 2] {
        let blocks = process.isolation.unowned();
        [false, true].map(|held| {
            let of_kind = blocks.iter().filter(|block| block.held == held);
            of_kind.map(|block| block.size).collect()
        })
    };
    let mut after = |body: fn()| {
        process.isolation.begin();
        set_user_code(true);
        body();
        set_user_code(false);
        let sizes = sizes(&mut process);
        process.isolation.end();
        sizes
    };
    for _ in 0..3 {
        // Freed.
        assert_eq!(after(|| drop(black_box(vec![1_u8; 100]))), [vec![], vec![]]);
        // Forgotten, one of them at the address of a block that was freed.
        let forget = || {
            drop(black_box(Box::new([0_u8; 24])));
            black_box(forgotten([1_u8; 24]));
            black_box(forgotten([1_u8; 5000]));
        };
        assert_eq!(after(forget), [vec![24, 5000], vec![]]);
        // Owned by statics, in each of the forms.
        let owned = || {
            OWNERS[0].store(forgotten([1_u8; 24]), SeqCst);
            OWNERS[1].store(forgotten([1_u64; 4]) | 7 | 5 << 48, SeqCst);
            OWNERS[2].store(forgotten([1_u8; 5000]) + 4000, SeqCst);
            OWNER.set(forgotten([1_u8; 40]) << 16 | 99);
            black_box(forgotten([1_u8; 48]));
        };
        assert_eq!(after(owned), [vec![48], vec![]]);
        // Reachable through other blocks, also in a cycle; and a cycle without an owner.
        let chained = || {
            let last = forgotten([0_usize; 2]);
            let middle = forgotten([last, 0, 0, 0]);
            // SAFETY: the block just made.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(last).write(middle) };
            OWNERS[0].store(middle, SeqCst);
            let lost = forgotten([0_usize; 3]);
            // SAFETY: the block just made.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(lost).write(lost) };
            let held = forgotten([0_usize; 2]);
            let holds = forgotten([0, 0, held, 0, 0]);
            let first_of_two = forgotten([0_usize; 6]);
            let second_of_two = forgotten([first_of_two; 7]);
            // SAFETY: the block made before.
            unsafe {
                std::ptr::with_exposed_provenance_mut::<usize>(first_of_two).write(second_of_two)
            };
            black_box(holds);
        };
        assert_eq!(after(chained), [vec![24, 40, 48], vec![16, 56]]);
        // A block that grew in its place is as large as it is now.
        let grown = || {
            let mut text = String::with_capacity(17);
            text.reserve_exact(30);
            std::mem::forget(black_box(text));
        };
        assert_eq!(after(grown), [vec![30], vec![]]);
    }
    process.end()
}

pub(crate) fn reuse() -> ! {
    let mut process = Process::start();
    for _ in 0..3 {
        process.run(|| {
            let (a, b) = (Box::new([1u64; 10]), Box::new([2u64; 10]));
            let (at_a, at_b) = ((&raw const *a).addr(), (&raw const *b).addr());
            drop(a);
            drop(b);
            let c = Box::new([3u64; 10]);
            let d = Box::new([4u64; 10]);
            assert_eq!((&raw const *c).addr(), at_b);
            assert_eq!((&raw const *d).addr(), at_a);
            drop(c);
            for size in [80usize, 5000, 300_000, 5_000_000] {
                let layout = Layout::from_size_align(size, 8).unwrap();
                // SAFETY: a block of `size` bytes, leaked.
                unsafe {
                    let block = alloc_zeroed(layout);
                    let bytes = std::slice::from_raw_parts_mut(block, size);
                    assert!(bytes.iter().all(|it| *it == 0), "{size}");
                    bytes.fill(0xff);
                }
            }
            // Memory never handed out before in this execution is zero even if that was not requested.
            let fresh = Vec::<u8>::with_capacity(100_000);
            // SAFETY: reads what the arena promises to be initialised.
            let bytes = unsafe { std::slice::from_raw_parts(fresh.as_ptr(), 100_000) };
            assert!(bytes.iter().all(|it| *it == 0));
        });
    }
    process.end()
}

pub(crate) fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

pub(crate) fn leak() -> ! {
    let mut process = Process::start();
    let mut before = 0;
    for round in 0..10_000 {
        process.run(|| {
            for _ in 0..10 {
                let mut block = Vec::<u8>::with_capacity(1_000_000);
                // One page in sixteen, or the test would take a minute.
                for at in (0..1_000_000).step_by(1 << 16) {
                    block.spare_capacity_mut()[at].write(1);
                }
                std::mem::forget(block);
            }
            assert!(arena::in_use().live_bytes >= 10_000_000);
        });
        if round == 100 {
            before = resident_bytes();
        }
    }
    let after = resident_bytes();
    assert!(after < before + (4 << 20), "{before} bytes, then {after}");
    process.end()
}
