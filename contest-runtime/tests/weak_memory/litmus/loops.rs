//! Loops that wait, and assumptions in their place.

use std::sync::atomic::Ordering::SeqCst;

use super::{Memory, Row, Rows, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = waiting();
    rows.extend(assumptions());
    rows.extend(exchanging());
    rows.extend(live());
    rows.extend(waiting_reads());
    rows
}

fn assumptions() -> Vec<Row> {
    let mut rows = Rows::new("saver");
    rows.one(
        "assume-cas",
        1,
        1,
        threads! {
            |m| { for value in 0..42 { m.x.ws(value); } }
            |m| { m.assume(m.x.cass(41, 42))?; }
        },
    );
    rows.one(
        "assume-cas2",
        1,
        1,
        threads! {
            |m| { for value in 0..42 { m.x.ws(value); } }
            |m| { m.assume(m.x.cass(41, 42))?; }
        },
    );
    rows.one(
        "assume-mult-paths",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); } }
            |m| { m.assume(m.x.rs() == 42)?; }
        },
    );
    rows.one(
        "assume-nonclear-path",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.w(value); } }
            |m| { let read = m.x.r(); m.y.r(); m.assume(read == 42)?; }
        },
    );
    rows.one(
        "assume-not-postdom",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.w(value); } }
            |m| { m.assume(m.x.r() == 42)?; }
        },
    );
    rows.one(
        "assume-postdom",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.w(value); } }
            |m| { m.assume(m.x.r() == 42)?; }
        },
    );
    rows.one(
        "no-inline",
        1,
        1,
        threads! {
            |m| { for at in 0..4 { for value in 1..=2 { m.array[at].ws(value); } } }
            |m| { m.assume((0..4).all(|at| m.array[at].rs() == 2))?; }
        },
    );
    rows.one(
        "spin-cas-res-invalid2",
        4,
        4,
        threads! {
            |m| {
                let mut expected = m.x.rs();
                while {
                    let result = m.x.exchange(expected, 42, SeqCst, SeqCst);
                    expected = result.unwrap_or_else(|found| found);
                    result.is_ok()
                } {}
            }
            |m| { m.x.ws(1); }
        },
    );
    rows.both(
        "local-dec",
        &[(1, 1)],
        |_| threads! { |m| { m.x.adds(1); m.x.adds(1); } },
    );
    rows.rows
}

fn waiting() -> Vec<Row> {
    let mut rows = Rows::new("saver");
    rows.one(
        "spin-no-bisim",
        1,
        1,
        threads! {
            |m| { while m.x.rs() == 0 {} }
            |m| { m.x.ws(42); }
        },
    );
    rows.one(
        "spin+phi-header",
        42,
        42,
        threads! {
            |m| { for value in 1..=42 { m.x.w(value); } }
            |m| { while m.x.rs() == 0 {} }
        },
    );
    rows.one(
        "spin-plain+phi",
        1,
        1,
        threads! {
            |m| { while m.x.r() != 41 {} }
            |m| { for value in 0..42 { m.x.ws(value); } }
        },
    );
    rows.one(
        "spin-cas1",
        2,
        2,
        threads! {
            |m| { while !m.x.cass(1, 42) {} }
            |m| { m.x.ws(1); }
            |m| { m.x.ws(2); }
        },
    );
    rows.both("spin-cas3", &[(3, 6), (4, 24)], |n| {
        let threads = (0..n).flat_map(|_| threads! { |m| { while !m.x.cass(0, 1) {} m.x.ws(0); } });
        threads.collect()
    });
    rows.one(
        "spin-cas6",
        2,
        2,
        threads! {
            |m| { while !m.x.cass(1, 42) { if m.x.rs() == 42 { break; } } }
            |m| { m.x.ws(42); }
        },
    );
    rows.one(
        "spin-cas-onebranch",
        1,
        1,
        threads! {
            |m| { loop { if m.y.rs() != 42 && m.x.cas(17, 42) { break; } } }
            |m| { for value in 1..=42 { m.x.w(value); } }
        },
    );
    rows.one(
        "spin-samecas",
        1,
        1,
        threads! {
            |m| { for _ in 0..2 { while m.x.r() != 0 { m.y.cass(17, 42); } } }
            |m| { m.x.ws(42); }
        },
    );
    rows.one(
        "loop-peel",
        2,
        2,
        threads! {
            |m| { for value in 0..42 { m.x.ws(value); } }
            |m| { while m.x.rs() != 0 {} }
        },
    );
    rows.one(
        "loop-peel2",
        4,
        4,
        threads! {
            |m| { for value in 0..42 { m.x.ws(value); } }
            |m| { while m.x.rs() != 0 {} }
            |m| { while m.x.rs() != 0 {} }
        },
    );
    rows.rows
}

/// Loops around a compare-exchange, which expects next what it has found.
fn exchanging() -> Vec<Row> {
    let mut rows = Rows::new("saver");
    let exchange = |m: &Memory, mut expected: i32| {
        while let Err(found) = m.x.exchange(expected, 42, SeqCst, SeqCst) {
            expected = found;
        }
    };
    for name in ["spin-cas5", "spin-cas8"] {
        rows.one(
            name,
            3,
            3,
            threads! {
                |m| { let read = m.x.rs(); exchange(m, read); }
                |m| { m.x.ws(1); }
            },
        );
    }
    rows.one(
        "spin-cas7",
        4,
        4,
        threads! {
            |m| { let read = m.x.rs(); exchange(m, read + 1); }
            |m| { m.x.ws(1); }
        },
    );
    rows.rows
}

fn live() -> Vec<Row> {
    let mut rows = Rows::new("liveness");
    rows.one(
        "spinloop",
        1,
        1,
        threads! {
            |m| { while m.x.rs() == 0 {} }
            |m| { m.x.ws(42); }
        },
    );
    rows.one(
        "doubleloop",
        4,
        4,
        threads! {
            |m| { loop { if m.x.rs() != 0 || m.y.rs() != 0 { break; } } }
            |m| { if m.x.rs() == 0 { m.y.ws(1); } }
            |m| { if m.y.rs() == 0 { m.x.ws(1); } }
        },
    );
    // What is guarded is x, the lock y.
    rows.begun(
        "dsa-live",
        (1, 1),
        threads! { |m| { m.y.ws(1); } },
        threads! {
            |m| { m.x.w(1); m.y.ws(0); }
            |m| {
                while {
                    while m.y.rs() != 0 {}
                    m.y.swap(1, SeqCst) != 0
                } {}
                m.x.r();
            }
        },
    );
    // The flag is x, the address of the flag y.
    rows.one(
        "wb-maximals+dsa",
        1,
        1,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); while m.x.r() != 0 {} }
            |m| { while m.y.ra() == 0 {} m.x.w(0); }
        },
    );
    rows.rows
}

fn waiting_reads() -> Vec<Row> {
    let mut rows = Rows::new("ipr");
    rows.one(
        "ax+ry+wx+wy",
        2,
        2,
        threads! {
            |m| { m.assume(m.x.rs() == 1)?; }
            |m| { m.y.rs(); }
            |m| { m.x.ws(1); }
            |m| { m.y.ws(1); }
        },
    );
    rows.one(
        "ry+ax+wx+wy",
        2,
        2,
        threads! {
            |m| { m.y.rs(); }
            |m| { m.assume(m.x.rs() == 1)?; }
            |m| { m.x.ws(1); }
            |m| { m.y.ws(1); }
        },
    );
    rows.one(
        "r+nw",
        1,
        1,
        threads! {
            |m| { m.assume(m.x.rs() == 4)?; }
            |m| { for value in 1..=4 { m.x.ws(value); } }
        },
    );
    rows.one("ncas+fai", 6, None, {
        let mut all = threads! { |m| { m.x.adds(1); } };
        all.extend((0..3).flat_map(|_| threads! { |m| { m.assume(m.x.cass(1, 1))?; } }));
        all
    });
    rows.one(
        "ry+awx+2rmwx+rmwxwy",
        4,
        None,
        threads! {
            |m| { m.y.rs(); }
            |m| { m.assume(m.x.cass(0, 1))?; }
            |m| { if m.x.cass(0, 1) { m.x.adds(1); m.x.adds(1); } }
            |m| { if m.x.cass(2, 0) { m.y.ws(1); } }
        },
    );
    rows.one(
        "lock-inplace2",
        3,
        3,
        threads! {
            |m| { m.x.adds(1); drop(m.locks[0].lock()); }
            |m| { let _guard = m.locks[0].lock(); m.x.adds(1); }
        },
    );
    rows.one(
        "lockrev-in-place",
        8,
        8,
        threads! {
            |m| { m.x.w(42); }
            |m| { let _guard = m.locks[0].lock(); m.x.w(1); }
            |m| { let _guard = m.locks[0].lock(); m.x.w(2); m.x.r(); }
        },
    );
    // Each waits for a lock that it holds.
    rows.one(
        "lock-inplace3",
        0,
        0,
        threads! {
            |m| { let _z = m.locks[2].lock(); let _x = m.locks[0].lock(); drop(m.locks[0].lock()); }
            |m| { let _y = m.locks[1].lock(); let _z = m.locks[2].lock(); drop(m.locks[2].lock()); }
            |m| { let _y = m.locks[1].lock(); let _x = m.locks[0].lock(); drop(m.locks[0].lock()); }
        },
    );
    rows.rows
}
