//! Exploration against brute force.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]
#![allow(unreachable_pub, reason = "modules of a test target")]

mod brute_force;
mod calls;
mod claims;
mod coverage;
mod delays;
mod families;
mod graphs;
mod oracle;
mod pauses;
mod portfolio;
#[allow(dead_code, reason = "shared with the tests of patterns")]
mod program;
mod race_oracle;
mod sampling;
mod shapes;
mod trace;

use contest_data::trace::ThreadIndex;
use contest_search::explore::Dpor;
use program::{Op, Program, explore};

#[test]
fn load_store_twice_by_two_threads_has_34_traces() {
    let program: Program =
        vec![vec![Op::Read(0), Op::Write(0, 1), Op::Read(0), Op::Write(0, 1)]; 2];
    let mut dpor = Dpor::new();
    assert_eq!(explore(&program, &mut dpor, |_| ()), 34);
}

#[test]
fn load_store_by_three_threads_has_36_traces() {
    let program: Program = vec![vec![Op::Read(0), Op::Write(0, 1)]; 3];
    let mut dpor = Dpor::new();
    assert_eq!(explore(&program, &mut dpor, |_| ()), 36);
}

#[test]
fn locks_taken_in_opposite_orders_deadlock_in_one_trace() {
    let program: Program = vec![
        vec![Op::Lock(0), Op::Lock(1), Op::Unlock(1), Op::Unlock(0)],
        vec![Op::Lock(1), Op::Lock(0), Op::Unlock(0), Op::Unlock(1)],
    ];
    let mut dpor = Dpor::new();
    let mut deadlocks = 0;
    explore(&program, &mut dpor, |record| {
        if let contest_data::trace::Ending::Deadlock(blocked) = &record.ending {
            deadlocks += 1;
            assert_eq!(blocked.len(), 3);
            assert!(
                blocked[1].waits_for.held_by() == [ThreadIndex(2)],
                "{}",
                blocked[1].waits_for
            );
        }
    });
    assert_eq!(deadlocks, 1);
}

/// Deadlocks among all traces.
fn deadlocks(program: &Program) -> (u64, Vec<String>) {
    let mut deadlocks = Vec::new();
    let traces = explore(program, &mut Dpor::new(), |record| {
        if let contest_data::trace::Ending::Deadlock(blocked) = &record.ending {
            deadlocks.push(blocked[1].waits_for.to_string());
        }
    });
    (traces, deadlocks)
}

#[test]
fn two_reads_of_one_thread_around_a_write_of_another_deadlock_in_one_trace() {
    let reads = vec![
        Op::ReadLock(0),
        Op::ReadLock(0),
        Op::ReadUnlock(0),
        Op::ReadUnlock(0),
    ];
    let (_, blocked) = deadlocks(&vec![reads.clone(), vec![Op::WriteLock(0), Op::Unlock(0)]]);
    assert_eq!(blocked.len(), 1);
    assert!(
        blocked[0].starts_with("waits to read RwLock#1, held by thread 1 since")
            && blocked[0].contains("behind thread 2, which waits to write"),
        "{blocked:?}"
    );
    // No thread writes, or the lock admits readers.
    assert_eq!(deadlocks(&vec![reads.clone(); 2]).1.len(), 0);
    assert_eq!(
        deadlocks(&vec![reads, vec![Op::Lock(0), Op::Unlock(0)]])
            .1
            .len(),
        0
    );
}

#[test]
fn a_reader_that_waits_for_another_behind_a_writer_deadlocks() {
    // The first holds the lock until the second has read; the third writes.
    let program: Program = vec![
        vec![Op::ReadLock(0), Op::Receive(1), Op::ReadUnlock(0)],
        vec![Op::ReadLock(0), Op::ReadUnlock(0), Op::Send(1)],
        vec![Op::WriteLock(0), Op::Unlock(0)],
    ];
    assert_ne!(deadlocks(&program).1.len(), 0);
}

#[test]
fn a_writer_comes_in_a_step_of_its_own_only_where_readers_hold_the_lock() {
    let write = vec![Op::WriteLock(0), Op::Unlock(0)];
    let read = vec![Op::ReadLock(0), Op::ReadUnlock(0)];
    assert_eq!(
        deadlocks(&vec![write.clone(), write.clone()]),
        (2, Vec::new())
    );
    // Before, after, and while it is held.
    assert_eq!(deadlocks(&vec![read, write]), (3, Vec::new()));
}

/// Counts allocations by thread: tests run side by side.
struct Counting;

thread_local! {
    static ALLOCATIONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Allocations of this thread so far.
fn allocations() -> u64 {
    ALLOCATIONS.with(std::cell::Cell::get)
}

// SAFETY: hands everything on to the system's allocator.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's: the layout has a size.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and every block came from the system's allocator.
        unsafe { std::alloc::System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: std::alloc::Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `realloc`, and every block came from the system's allocator.
        unsafe { std::alloc::System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
