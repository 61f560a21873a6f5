//! Programs whose threads take locks.

use super::{Row, Rows, Thread, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("lapor");
    rows.series("N-rw-lock", &[(6, 720)], &[], |n| {
        each(n, |m, at| {
            let _guard = m.locks[0].lock();
            m.x.r();
            m.x.w(at + 1);
        })
    });
    rows.series("N-writes-lock", &[(2, 2), (3, 6), (4, 24)], &[], |n| {
        each(n, |m, _| {
            let _guard = m.locks[0].lock();
            m.x.w(42);
        })
    });
    rows.series("N-ww-lock-rr", &[(2, 2), (3, 6), (4, 24)], &[], |n| {
        each(n, |m, at| {
            let _guard = m.locks[0].lock();
            m.x.w(at);
            m.y.w(at);
        })
    });
    rows.series("binc-locks", &[(2, 4), (3, 36), (4, 576)], &[], |n| {
        each(n, |m, _| {
            for (lock, var) in [(0, &m.x), (1, &m.y)] {
                let _guard = m.locks[lock].lock();
                let read = var.r();
                var.w(read + 1);
            }
        })
    });
    rows.series("cii-locks", &[(0, 6)], &[], |_| {
        let increments = || {
            each(1, |m, _| {
                let _guard = m.locks[0].lock();
                let read = m.x.r();
                m.x.w(read + 1);
            })
        };
        let mut all = each(1, |m, _| {
            let _guard = m.locks[0].lock();
            if m.x.r() == 1 {
                m.x.w(2);
            }
        });
        all.extend(increments());
        all.extend(increments());
        all
    });
    rows.one("lazy01", 6, None, {
        let section = |add: i32| {
            threads! { |m| {
                let _guard = m.locks[0].lock();
                let read = m.x.r();
                if add > 0 {
                    m.x.w(read + add);
                }
            } }
        };
        [1, 2, 0].into_iter().flat_map(section).collect()
    });
    rows.one("lock-w+w+r", 6, None, {
        let section = |value: i32| {
            threads! { |m| {
                let _guard = m.locks[0].lock();
                match value {
                    0 => drop(m.x.r()),
                    value => m.x.w(value),
                }
            } }
        };
        [42, 17, 0].into_iter().flat_map(section).collect()
    });
    rows.one(
        "lock-wxwy+rxry",
        2,
        None,
        threads! {
            |m| { let _guard = m.locks[0].lock(); m.x.w(42); m.y.w(42); }
            |m| { let _guard = m.locks[0].lock(); m.x.r(); m.y.r(); }
        },
    );
    // Pushes and pops, each under the lock: the number of elements x, these the array.
    rows.one(
        "stack-1",
        252,
        None,
        threads! {
            |m| {
                for value in 0..5 {
                    let _guard = m.locks[0].lock();
                    let top = m.x.r();
                    m.array[top as usize].w(value);
                    m.x.w(top + 1);
                }
            }
            |m| {
                for _ in 0..5 {
                    let _guard = m.locks[0].lock();
                    let top = m.x.r();
                    if top > 0 {
                        m.x.w(top - 1);
                        m.array[top as usize - 1].r();
                    }
                }
            }
        },
    );
    rows.one(
        "queue_ok",
        2,
        None,
        threads! {
            |m| { let _guard = m.locks[0].lock(); if m.x.r() == 0 { m.y.w(1); m.x.w(1); } }
            |m| { let _guard = m.locks[0].lock(); if m.x.r() == 1 { m.y.r(); m.x.w(0); } }
        },
    );
    rows.one(
        "time_var_mutex",
        2,
        None,
        threads! {
            |m| {
                let _inode = m.locks[0].lock();
                if m.x.r() == 0 {
                    { let _busy = m.locks[1].lock(); m.y.w(1); }
                    m.x.w(1);
                }
                m.z.w(1);
            }
            |m| { let _busy = m.locks[1].lock(); if m.y.r() == 0 { m.u.w(0); } }
        },
    );
    rows.one(
        "lb-induces-wb",
        0,
        None,
        threads! {
            |m| { { let _guard = m.locks[0].lock(); m.y.ws(1); } m.assume(m.x.rs() == 2)?; }
            |m| { let _guard = m.locks[0].lock(); m.x.ws(1); m.assume(m.y.rs() == 0)?; }
            |m| { let _guard = m.locks[0].lock(); m.x.ws(2); m.assume(m.z.rs() == 0)?; }
            |m| { { let _guard = m.locks[0].lock(); m.z.ws(1); } m.assume(m.x.rs() == 1)?; }
        },
    );
    rows.rows
}

fn each(
    n: usize,
    body: impl Fn(&super::Memory, i32) + Copy + Send + Sync + 'static,
) -> Vec<Thread> {
    let threads = 0..n as i32;
    threads
        .flat_map(|number| threads! { |m| { body(m, number); } })
        .collect()
}
