//! Synthetic programs, most of them in series.

use std::sync::atomic::Ordering::SeqCst;

use super::{Memory, Row, Rows, Thread, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("synthetic");
    counters(&mut rows);
    exchanges(&mut rows);
    readers(&mut rows);
    mutual_exclusion(&mut rows);
    assumptions(&mut rows);
    algorithms(&mut rows);
    rows.rows
}

/// The same body by every thread, which knows its number.
fn each(
    n: usize,
    body: impl Fn(&Memory, i32) -> Option<()> + Copy + Send + Sync + 'static,
) -> Vec<Thread> {
    let threads = 0..n as i32;
    threads
        .flat_map(|number| threads! { |m| { body(m, number)?; } })
        .collect()
}

fn counters(rows: &mut Rows) {
    let factorials = [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)];
    rows.both("ainc", &factorials, |n| {
        each(n, |m, _| {
            m.x.add(1);
            Some(())
        })
    });
    rows.one(
        "rinc",
        2,
        2,
        each(2, |m, _| {
            m.x.add(1);
            Some(())
        }),
    );
    rows.both("binc", &[(2, 4), (3, 36), (4, 576)], |n| {
        each(n, |m, _| {
            m.x.add(1);
            m.y.add(1);
            Some(())
        })
    });
    rows.both("cinc", &[(2, 8), (3, 216)], |n| {
        each(n, |m, _| {
            m.x.add(1);
            m.y.add(1);
            m.z.add(1);
            Some(())
        })
    });
    rows.both("inc", &[(2, 4), (3, 36), (4, 576)], |n| {
        each(n, |m, at| {
            let read = m.x.r();
            m.x.wr(read + (1 << at));
            Some(())
        })
    });
    rows.both("rw", &[(2, 4), (3, 36), (4, 576)], |n| {
        each(n, |m, at| {
            m.x.r();
            m.x.wr(at);
            Some(())
        })
    });
    rows.both("wainc", &[(2, 6), (3, 24), (4, 120)], |n| {
        let mut all = threads! { |m| { m.x.wr(42); } };
        all.extend(each(n, |m, _| {
            m.x.add(1);
            Some(())
        }));
        all
    });
    rows.both("lockinc", &factorials[..4], |n| {
        each(n, |m, _| {
            let _guard = m.locks[0].lock().unwrap();
            let read = m.x.r();
            m.x.w(read + 1);
            Some(())
        })
    });
    rows.both("lock2inc", &factorials[..4], |n| {
        each(n, |m, _| {
            let _guard = m.locks[0].lock().unwrap();
            let read = m.x.r();
            m.x.w(read + 1);
            let read = m.y.r();
            m.y.w(read + 1);
            Some(())
        })
    });
    rows.one("N-writers", 720, 720, {
        let mut all = each(5, |m, at| {
            m.x.wr(at);
            Some(())
        });
        all.extend(threads! { |m| { m.x.ra(); } });
        all
    });
}

fn exchanges(rows: &mut Rows) {
    rows.both("cas", &[(2, 2), (3, 3), (4, 4), (5, 5)], |n| {
        each(n, |m, at| {
            m.x.cas(0, at + 1);
            Some(())
        })
    });
    let casrot = [
        (2, 2),
        (3, 5),
        (4, 14),
        (5, 43),
        (6, 144),
        (7, 523),
        (8, 2048),
    ];
    rows.both("casrot", &casrot, |n| {
        each(n, |m, at| {
            m.x.cas(at, at + 1);
            Some(())
        })
    });
    rows.both("casw", &[(2, 6), (3, 66), (4, 1200)], |n| {
        each(n, |m, at| {
            m.x.cas(0, 1);
            m.x.wr(at + 3);
            Some(())
        })
    });
    let wcas = [
        (2, 5),
        (3, 13),
        (4, 33),
        (5, 81),
        (6, 193),
        (7, 449),
        (8, 1025),
        (9, 2305),
    ];
    rows.both("wcas", &wcas, |n| {
        let mut all = threads! { |m| { m.x.wr(2); } };
        all.extend(each(n, |m, _| {
            m.x.cas(2, 3);
            Some(())
        }));
        all
    });
}

fn readers(rows: &mut Rows) {
    rows.both("readers", &[(2, 4), (8, 256)], |n| {
        let mut all = threads! { |m| { m.x.wr(42); } };
        all.extend(each(n, |m, _| {
            m.x.ra();
            Some(())
        }));
        all
    });
    rows.series(
        "CoA",
        &[(1, 4), (2, 16), (3, 144), (4, 2304)],
        &[4, 15, 130, 2028],
        |n| {
            let mut all = threads! {
                |m| { m.x.wr(1); m.y.ra(); m.x.ra(); }
                |m| { m.x.wr(2); m.z.ra(); m.x.ra(); }
            };
            all.extend(each(n - 1, |m, at| {
                m.y.wr(at);
                m.z.wr(at);
                Some(())
            }));
            all
        },
    );
    rows.both("lastzero", &[(5, 64), (10, 3328)], |n| {
        let mut all = threads! { |m| {
            let mut at = n;
            while m.array[at].ra() != 0 { at -= 1; }
        } };
        all.extend(each(n, |m, at| {
            let at = at as usize + 1;
            let read = m.array[at - 1].ra();
            m.array[at].wr(read + 1);
            Some(())
        }));
        all
    });
    rows.one(
        "wrc11_fp",
        4,
        4,
        threads! {
            |m| { m.x.wr(1); }
            |m| { m.x.wr(2); m.x.ra(); m.x.ra(); }
        },
    );
}

fn mutual_exclusion(rows: &mut Rows) {
    rows.both("dekker2-fixed", &[(2, 6), (3, 6), (4, 6)], |n| {
        threads! {
            |m| { m.y.ws(1); if m.x.rs() == 0 { m.z.w(1); } }
            |m| { m.x.ws(1); if m.y.rs() == 0 { m.u.w(1); } }
            |m| { if m.z.r() != 0 && m.u.r() != 0 { for value in 0..n { m.x.w(value as i32); } } }
            |m| { if m.z.r() != 0 && m.u.r() != 0 { for _ in 0..n { m.x.r(); } } }
        }
    });
    rows.one(
        "dekker_f",
        3,
        3,
        threads! {
            |m| { m.y.w(1); m.fence(SeqCst); if m.x.r() == 0 { m.z.w(1); m.z.r(); } }
            |m| { m.x.w(1); m.fence(SeqCst); if m.y.r() == 0 { m.z.w(0); m.z.r(); } }
        },
    );
    // Flags x and y, the turn z.
    rows.one(
        "peterson",
        22,
        4,
        threads! {
            |m| {
                m.x.wr(1);
                m.z.wr(1);
                m.assume(m.y.ra() != 1 || m.z.ra() != 1)?;
                m.u.wr(0);
                m.u.ra();
                m.x.wr(0);
            }
            |m| {
                m.y.wr(1);
                m.z.wr(0);
                m.assume(m.x.ra() != 1 || m.z.ra() != 0)?;
                m.u.wr(1);
                m.u.ra();
                m.y.wr(0);
            }
        },
    );
    rows.one(
        "peterson-sc",
        4,
        4,
        threads! {
            |m| {
                m.x.ws(1);
                m.z.ws(1);
                m.assume(m.y.rs() != 1 || m.z.rs() != 1)?;
                m.u.ws(0);
                m.u.rs();
                m.x.ws(0);
            }
            |m| {
                m.y.ws(1);
                m.z.ws(0);
                m.assume(m.x.rs() != 1 || m.z.rs() != 0)?;
                m.u.ws(1);
                m.u.rs();
                m.y.ws(0);
            }
        },
    );
    rows.one(
        "szymanski",
        6,
        6,
        [(0, 1), (1, 0)]
            .into_iter()
            .flat_map(|(own, other)| {
                threads! { |m| {
                    let (mine, yours) = (&m.array[own], &m.array[other]);
                    mine.w(1);
                    m.fence(SeqCst);
                    m.assume(yours.r() < 3)?;
                    mine.w(3);
                    m.fence(SeqCst);
                    if yours.r() == 1 {
                        mine.w(2);
                        m.fence(SeqCst);
                        m.assume(yours.r() == 4)?;
                    }
                    mine.w(4);
                    m.fence(SeqCst);
                    m.assume(yours.r() < 2)?;
                    m.x.w(own as i32);
                    m.x.r();
                    m.x.r();
                    m.fence(SeqCst);
                    m.assume(2 > yours.r() || yours.r() > 3)?;
                    mine.w(0);
                } }
            })
            .collect(),
    );
}

fn assumptions(rows: &mut Rows) {
    rows.one(
        "psc-wb-fixpoint",
        0,
        0,
        threads! {
            |m| { m.x.ws(1); m.assume(m.y.rs() == 0)?; }
            |m| { m.x.w(2); m.fence(SeqCst); m.assume(m.z.r() == 0)?; }
            |m| { m.y.ws(1); m.assume(m.x.rs() == 2)?; }
            |m| { m.z.w(1); m.fence(SeqCst); m.assume(m.x.r() == 1)?; }
        },
    );
    rows.one(
        "psc-wb-fp-sezgin",
        0,
        0,
        threads! {
            |m| { m.z.ws(2); m.x.ws(2); m.assume(m.y.rs() == 2)?; }
            |m| { m.z.ws(1); m.assume(m.x.rs() == 2)?; m.assume(m.y.rs() == 1)?; }
            |m| { m.y.ws(2); m.x.ws(1); m.assume(m.z.rs() == 2)?; }
            |m| { m.y.ws(1); m.assume(m.x.rs() == 1)?; m.assume(m.z.rs() == 1)?; }
        },
    );
    rows.one(
        "psc-wb-why-fxp",
        0,
        0,
        threads! {
            |m| { m.x.ws(1); m.assume(m.y.rs() == 0)?; m.y.ws(1); m.assume(m.x.rs() == 1)?; }
            |m| { m.x.ws(2); m.assume(m.y.rs() == 0)?; m.y.ws(2); m.assume(m.x.rs() == 2)?; }
        },
    );
    rows.one(
        "wb1",
        0,
        0,
        threads! {
            |m| { m.x.ws(1); m.assume(m.x.adds(1) == 42)?; }
            |m| { m.assume(m.x.adds(42) == 0)?; m.x.rs(); }
        },
    );
    rows.one(
        "wb2",
        1,
        1,
        threads! {
            |m| { m.assume(m.x.r() == 5)?; m.x.r(); }
            |m| { m.assume(m.x.r() == 4)?; m.x.w(5); }
            |m| { m.x.w(3); m.x.w(4); }
            |m| { m.assume(m.x.add(10) == 3)?; }
        },
    );
    rows.one(
        "wb3",
        1,
        1,
        threads! {
            |m| { m.assume(m.x.r() == 6)?; m.x.r(); }
            |m| { m.x.w(4); m.x.w(6); }
            |m| { m.x.w(3); m.assume(m.x.add(1) == 4)?; }
            |m| { m.assume(m.x.add(10) == 3)?; }
        },
    );
    rows.one(
        "wb4",
        1,
        1,
        threads! {
            |m| { m.assume(m.x.add(1) == 1)?; }
            |m| { m.x.w(1); m.assume(m.x.add(1) == 10)?; m.x.r(); }
            |m| { m.x.w(10); }
        },
    );
    rows.one(
        "wb5",
        1,
        1,
        threads! {
            |m| { m.assume(m.x.add(1) == 0)?; }
            |m| { m.assume(m.x.add(1) == 10)?; m.x.r(); }
            |m| { m.x.w(10); }
        },
    );
}

fn algorithms(rows: &mut Rows) {
    rows.one(
        "eratosthenes",
        1512,
        398,
        each(2, |m, _| {
            const N: usize = 5;
            for i in 0..N {
                if m.array[i].ra() == 0 {
                    m.array[i].wr(1);
                    let mut j = 2 * i + 2;
                    while j < N {
                        m.array[j].wr(2);
                        j += i + 2;
                    }
                }
            }
            Some(())
        }),
    );
    rows.one("lamport", 16, 16, lamport());
}

/// Lamport's fast mutual exclusion of two threads: the flags in the array.
fn lamport() -> Vec<Thread> {
    [1, 2]
        .into_iter()
        .flat_map(|own: i32| {
            threads! { |m| {
                loop {
                    m.array[own as usize].ws(1);
                    m.x.ws(own);
                    if m.y.rs() != 0 {
                        m.array[own as usize].ws(0);
                        m.assume(m.y.rs() == 0)?;
                        continue;
                    }
                    m.y.ws(own);
                    if m.x.rs() != own {
                        m.array[own as usize].ws(0);
                        m.assume(m.array[1].rs() == 0)?;
                        m.assume(m.array[2].rs() == 0)?;
                        if m.y.rs() != own {
                            m.assume(m.y.rs() == 0)?;
                            continue;
                        }
                    }
                    break;
                }
                m.y.ws(0);
                m.array[own as usize].ws(0);
            } }
        })
        .collect()
}
