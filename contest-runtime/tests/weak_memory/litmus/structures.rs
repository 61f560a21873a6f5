//! Locks made of atomics, and lock-free data structures. Nodes are numbers, their links the array.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

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
    rows.one("mcs_spinlock", 6, 6, (1..=2).flat_map(queued).collect());
    rows.one(
        "chase-lev",
        65,
        59,
        threads! {
            |m| {
                for value in 1..=5 { push(m, value, Acquire); }
                for _ in 0..3 { pop(m, AcqRel); }
                for value in 6..=7 { push(m, value, Acquire); }
            }
            |m| { steal(m); }
        },
    );
    for (name, top, taken) in [("dq", Acquire, AcqRel), ("dq-opt", Relaxed, Release)] {
        rows.one(
            name,
            1924,
            1373,
            threads! {
                |m| {
                    push(m, 1, top);
                    push(m, 2, top);
                    pop(m, taken);
                    push(m, 4, top);
                }
                |m| { steal(m); steal(m); }
                |m| { steal(m); }
            },
        );
    }
    for (name, rc11, acquire, release) in [
        ("stc", 37, Acquire, Release),
        ("stc-opt", 183, Relaxed, Relaxed),
    ] {
        rows.one(
            name,
            rc11,
            37,
            threads! {
                |m| {
                    try_stack_push(m, 1);
                    try_stack_push(m, 2);
                    try_stack_pop(m, acquire, release);
                }
                |m| { try_stack_pop(m, acquire, release); try_stack_push(m, 3); }
            },
        );
    }
    for (name, rc11, acquire, release) in [
        ("qu", 75, Acquire, Release),
        ("qu-opt", 132, Relaxed, Relaxed),
    ] {
        rows.one(name, rc11, 39, queue_that_begins(acquire, release));
    }
    rows.one("treiber-stack", 18, 18, counted_stack());
    rows.rows
}

/// A lock whose waiting threads are a list: its end is x, each thread's flag and link are in the array.
fn queued(own: i32) -> Vec<Thread> {
    let (flag, link) = (own as usize, own as usize + 10);
    threads! { |m| {
        m.array[flag].w(0);
        m.array[link].w(0);
        let before = m.x.swap(own, AcqRel);
        if before != 0 {
            m.array[before as usize + 10].w(own);
            while m.array[flag].ra() == 0 {}
        }
        m.z.w(42);
        let mut next = m.array[link].r();
        if next == 0 && m.x.exchange(own, 0, Release, Relaxed).is_err() {
            while next == 0 { next = m.array[link].r(); }
        }
        if next != 0 {
            m.array[next as usize].wr(1);
        }
    } }
}

/// The owner's end of a deque (Chase and Lev, SPAA 2005): the bottom x, the top y.
fn push(m: &Memory, value: i32, order: Ordering) {
    let bottom = m.x.r();
    if bottom - m.y.load(order) >= 10 {
        return;
    }
    m.array[(bottom % 10) as usize].w(value);
    m.x.wr(bottom + 1);
}

fn pop(m: &Memory, order: Ordering) {
    let bottom = m.x.r();
    m.x.w(bottom - 1);
    m.fence(SeqCst);
    let top = m.y.r();
    if bottom - top <= 0 {
        m.x.w(bottom);
        return;
    }
    m.array[((bottom - 1) % 10) as usize].r();
    if bottom - top == 1 {
        let failure = if order == AcqRel { Acquire } else { Relaxed };
        let _ = m.y.exchange(top, top + 1, order, failure);
        m.x.w(bottom);
    }
}

fn steal(m: &Memory) {
    let top = m.y.r();
    m.fence(SeqCst);
    if m.x.ra() - top <= 0 {
        return;
    }
    m.array[(top % 10) as usize].r();
    let _ = m.y.exchange(top, top + 1, Release, Relaxed);
}

/// A stack whose operations give up when another one comes between.
fn try_stack_push(m: &Memory, node: i32) {
    m.array[node as usize].w(1);
    let top = m.x.r();
    m.array[node as usize + 10].w(top);
    let _ = m.x.exchange(top, node, Release, Relaxed);
}

fn try_stack_pop(m: &Memory, acquire: Ordering, release: Ordering) {
    let top = m.x.load(acquire);
    if top == 0 {
        return;
    }
    m.array[top as usize].r();
    let next = m.array[top as usize + 10].r();
    let _ = m.x.exchange(top, next, release, Relaxed);
}

/// A queue (head x, tail y) that one thread makes, and then uses beside two others.
fn queue_that_begins(acquire: Ordering, release: Ordering) -> Vec<Thread> {
    let enqueue = move |m: &Memory, node: i32| {
        m.array[node as usize].w(1);
        m.array[node as usize + 10].w(0);
        let tail = loop {
            let tail = m.y.load(acquire);
            let next = m.array[tail as usize + 10].r();
            if next == 0 {
                break tail;
            }
            m.y.store(next, release);
        };
        let link = &m.array[tail as usize + 10];
        if link.exchange(0, node, Release, Relaxed).is_ok() {
            m.y.store(node, release);
        }
    };
    threads! {
        |m| {
            m.array[11].wr(0);
            for var in [&m.x, &m.y, &m.u] { var.wr(1); }
            enqueue(m, 2);
        }
        |m| { if m.u.ra() != 0 { enqueue(m, 3); } }
        |m| {
            if m.u.ra() != 0 {
                let head = m.x.load(acquire);
                let node = m.array[head as usize + 10].load(acquire);
                if node != 0 && m.x.cas(head, node) {
                    m.array[node as usize].r();
                }
            }
        }
    }
}

/// A stack with a count beside the top (a node and a hundred times the count), two threads that push and one that pops.
/// What failed to pop is not tried again: a round that fails has only read.
fn counted_stack() -> Vec<Thread> {
    let push = |own: usize| {
        threads! { |m| {
            m.array[own + 20].w(42);
            m.array[own].w(own as i32);
            loop {
                let top = m.x.ra();
                m.array[own + 10].w(top);
                let new = top / 100 * 100 + 100 + own as i32;
                if m.x.exchange(top, new, Release, Relaxed).is_ok() { break; }
            }
        } }
    };
    let mut all: Vec<Thread> = (1..=2).flat_map(push).collect();
    all.extend(threads! { |m| {
        let top = m.x.ra();
        if top % 100 != 0 {
            let next = m.array[(top % 100) as usize + 10].r() % 100;
            let popped = m.x.exchange(top, top / 100 * 100 + 100 + next, Release, Relaxed);
            m.assume(popped.is_ok())?;
            let value = m.array[(top % 100) as usize].r();
            m.array[value as usize + 20].r();
        }
    } });
    all
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
    rows.one("mutex_simple", 20, 20, {
        let adds = || {
            threads! { |m| {
                for _ in 0..3 {
                    let _guard = m.locks[0].lock();
                    m.x.add(2);
                }
            } }
        };
        adds().into_iter().chain(adds()).collect()
    });
    rows.one(
        "mutex_deadlock",
        2,
        2,
        threads! {
            |m| { let _first = m.locks[0].lock(); let _second = m.locks[1].lock(); }
            |m| { let _first = m.locks[1].lock(); let _second = m.locks[0].lock(); }
        },
    );
    rows.one("spinloop_assume bounded", 108, None, turns(true));
    rows.one("spinloop_assume replaced", 1, None, turns(false));
    for (name, number, upgrades) in [("arc check_count", 4, false), ("arc try_upgrade", 7, true)] {
        // The second weak one is that of all owners.
        let before = super::thread(|m| {
            m.x.w(1);
            m.y.w(3);
            Some(())
        });
        rows.begun(name, (number, number), vec![before], counts(upgrades));
    }
    let queue = |writers: usize, retries: bool| {
        let reader = threads! { |m| { dequeue(m, retries)?; } };
        let writers =
            (2..2 + writers as i32).map(|node| threads! { |m| { enqueue(m, node, retries)?; } });
        reader.into_iter().chain(writers.flatten()).collect()
    };
    rows.series("ms_queue", &[(1, 4), (2, 188)], &[], |writers| {
        queue(writers, true)
    });
    rows.series("ms_queue with assumptions", &[(2, 128)], &[], |writers| {
        queue(writers, false)
    });
    for row in &mut rows.rows {
        if row.name.starts_with("ms_queue") {
            let dummy = super::thread(|m| {
                m.x.w(1);
                m.y.w(1);
                Some(())
            });
            row.cases
                .iter_mut()
                .for_each(|case| case.before = Some(dummy.clone()));
        }
    }
    rows.rows
}

/// What the standard library's `Arc` does with its counts: the strong one x, the weak one y. The last owner drops
/// while another thread uses a weak handle.
fn counts(upgrades: bool) -> Vec<Thread> {
    fn drop_weak(m: &Memory) {
        if m.y.addr(-1) == 1 {
            m.fence(Acquire);
        }
    }
    fn drop_strong(m: &Memory) {
        if m.x.addr(-1) == 1 {
            m.fence(Acquire);
            drop_weak(m);
        }
    }
    threads! {
        |m| { drop_strong(m); }
        |m| {
            let mut strong = m.x.r();
            while upgrades && strong != 0 {
                match m.x.exchange(strong, strong + 1, Acquire, Relaxed) {
                    Ok(_) => {
                        drop_strong(m);
                        break;
                    }
                    Err(now) => strong = now,
                }
            }
            drop_weak(m);
        }
    }
}

/// Three threads take turns with the flag x; who waits looks three times, or once. Three times at one place would be
/// taken for a loop that waits.
fn turns(looks_again: bool) -> Vec<Thread> {
    let wait = move |m: &Memory, value: i32| {
        let seen = m.x.ra() == value;
        m.assume(seen || looks_again && (m.x.ra() == value || m.x.ra() == value))
    };
    threads! {
        |m| { m.x.wr(1); wait(m, 3)?; }
        |m| { wait(m, 1)?; m.x.wr(2); }
        |m| { wait(m, 2)?; m.x.wr(3); }
    }
}

/// A queue: head x, tail y, the links of nodes in the array. `retries`: rounds that only read are repeated; else they
/// are an assumption that fails.
fn enqueue(m: &Memory, node: i32, retries: bool) -> Option<()> {
    m.array[node as usize].w(0);
    let last = loop {
        let tail = m.y.ra();
        let next = m.array[tail as usize].ra();
        if tail != m.y.ra() {
            m.assume(retries)?;
            continue;
        }
        if next != 0 {
            let _ = m.y.exchange(tail, next, Release, Relaxed);
        } else if m.array[tail as usize]
            .exchange(0, node, Release, Relaxed)
            .is_ok()
        {
            break tail;
        }
    };
    let _ = m.y.exchange(last, node, Release, Relaxed);
    Some(())
}

fn dequeue(m: &Memory, retries: bool) -> Option<()> {
    loop {
        let head = m.x.ra();
        let tail = m.y.ra();
        let next = m.array[head as usize].ra();
        if head != m.x.ra() {
            m.assume(retries)?;
            continue;
        }
        if head != tail {
            if m.x.exchange(head, next, Release, Relaxed).is_ok() {
                return Some(());
            }
            m.assume(retries)?;
        } else if next == 0 {
            return Some(());
        } else {
            let _ = m.y.exchange(tail, next, Release, Relaxed);
        }
    }
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
