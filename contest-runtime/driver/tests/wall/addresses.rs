//! Where blocks are: the same in every execution and process.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::atomic::AtomicUsize;

use crate::scenarios::{Process, quit};

#[repr(align(128))]
struct Padded(#[expect(dead_code, reason = "only its address matters")] [u8; 200]);

#[repr(align(8192))]
struct PageAligned(#[expect(dead_code, reason = "only its address matters")] u8);

/// Blocks of many sizes, some freed in between; their addresses, and those of a static and a function.
fn allocate_a_lot() -> Vec<usize> {
    static ANCHOR: AtomicUsize = AtomicUsize::new(0);
    let mut addresses = Vec::new();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for round in 0..200usize {
        let block = vec![round as u8; 1 + round * round];
        addresses.push(block.as_ptr().addr());
        if round % 3 == 0 {
            kept.push(block);
        }
        let text = format!("{round}");
        addresses.push(text.as_ptr().addr());
        if round % 7 == 0 {
            kept.push(text.into_bytes());
        }
        if round % 50 == 0 {
            let padded = Box::new(Padded([0; 200]));
            let paged = Box::new(PageAligned(0));
            assert_eq!((&raw const *padded).addr() % 128, 0);
            assert_eq!((&raw const *paged).addr() % 8192, 0);
            addresses.push((&raw const *padded).addr());
            addresses.push((&raw const *paged).addr());
        }
    }
    addresses.push((&raw const ANCHOR).addr());
    addresses.push(allocate_a_lot as *const () as usize);
    std::mem::forget(kept);
    addresses
}

pub(crate) fn addresses() -> ! {
    let mut process = Process::start();
    let lines = process.execution(allocate_a_lot, |addresses| {
        addresses
            .iter()
            .map(|address| format!("{address:#x}\n"))
            .collect()
    });
    process.say(lines.trim_end());
    quit(0)
}

pub(crate) fn addresses_repeat() -> ! {
    let mut process = Process::start();
    let mut tools_own = Vec::new();
    let first = process.execution(allocate_a_lot, |it| format!("{it:x?}"));
    for round in 0..200 {
        tools_own.push(vec![0u8; round * 100]);
        let next = process.execution(allocate_a_lot, |it| format!("{it:x?}"));
        assert_eq!(first, next);
    }
    process.end()
}

pub(crate) fn hash_order() -> ! {
    let mut process = Process::start();
    for round in 0..5 {
        // The tool uses hash maps too, a different number each time.
        for _ in 0..round {
            black_box(HashMap::from([(1, 2)]));
        }
        let order = process.execution(
            || HashMap::<u32, u32>::from_iter((0..50).map(|it| (it, it))),
            |map| format!("{:?}", map.keys().collect::<Vec<_>>()),
        );
        process.say(&order);
    }
    quit(0)
}
