//! Locks made of atomics, and lock-free data structures. Nodes are numbers, their links the array.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::{Memory, Row, Rows, Thread, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("data-structures");
    // The next ticket x, the owner y.
    rows.one(
        "ticketlock",
        2,
        2,
        guarded(
            |m| {
                let ticket = m.x.add(1);
                while m.y.ra() != ticket {}
            },
            |m| {
                let owner = m.y.r();
                m.y.wr(owner + 1);
            },
        ),
    );
    rows.one(
        "twalock",
        4,
        4,
        guarded(
            |m| {
                let ticket = m.x.add(1);
                // Two threads never get to the long wait.
                if m.y.ra() != ticket {
                    while m.y.ra() != ticket {}
                }
            },
            |m| {
                let next = m.y.r() + 1;
                m.y.wr(next);
                m.array[next as usize + 1].addr(1);
            },
        ),
    );
    rows.one("mutex", 12, 12, guarded(lock, unlock));
    // The sequence in y, under a lock of its own; the reader takes that lock too.
    rows.one(
        "seqlock",
        2,
        2,
        threads! {
            |m| { let _guard = m.locks[0].lock(); m.x.r(); }
            |m| {
                let _guard = m.locks[0].lock();
                let sequence = m.y.r();
                m.y.w(sequence + 1);
                m.x.w(42);
                m.y.w(sequence + 2);
            }
        },
    );
    rows.rows
}

/// Programs of the tests of Miri with GenMC (`tests/genmc/pass` of Miri), with the numbers given there.
pub(super) fn rows_of_miri() -> Vec<Row> {
    let mut rows = Rows::new("miri");
    rows.series(
        "treiber_stack",
        &[(1, 2), (2, 22), (3, 1002)],
        &[],
        |writers| treiber(writers as i32),
    );
    rows.rows
}

/// Two threads that write and read in a critical section.
fn guarded(
    acquire: impl Fn(&Memory) + Copy + Send + Sync + 'static,
    release: impl Fn(&Memory) + Copy + Send + Sync + 'static,
) -> Vec<Thread> {
    let threads = 0..2;
    threads
        .flat_map(|own| {
            threads! { |m| {
                acquire(m);
                m.z.w(own);
                m.z.r();
                release(m);
            } }
        })
        .collect()
}

/// A lock on a futex: free, taken, or taken with waiting threads, in x; the wake-ups of the futex in y.
fn lock(m: &Memory) {
    if m.x.exchange(0, 1, Acquire, Acquire).is_ok() {
        return;
    }
    loop {
        m.x.cas(1, 2);
        let before = m.y.ra();
        if m.x.ra() == 2 {
            while m.y.ra() == before {}
        }
        if m.x.exchange(0, 2, Acquire, Acquire).is_ok() {
            return;
        }
    }
}

fn unlock(m: &Memory) {
    if m.x.exchange(1, 0, Release, Relaxed).is_err() {
        m.x.wr(0);
        m.y.addr(1);
    }
}

/// A stack: one thread pops, the others push.
fn treiber(writers: i32) -> Vec<Thread> {
    let push = |own: i32| {
        threads! { |m| {
            loop {
                let top = m.x.ra();
                m.array[own as usize].w(top);
                if m.x.exchange(top, own, Release, Relaxed).is_ok() { break; }
            }
        } }
    };
    let mut all: Vec<Thread> = threads! { |m| {
        loop {
            let top = m.x.ra();
            if top == 0 { break; }
            let next = m.array[top as usize].r();
            if m.x.exchange(top, next, Release, Relaxed).is_ok() {
                break;
            }
        }
    } };
    all.extend((1..=writers).flat_map(push));
    all
}
