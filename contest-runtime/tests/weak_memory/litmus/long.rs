//! Programs with many events, or with many graphs.

use std::sync::atomic::Ordering::AcqRel;

use super::{Memory, Row, Rows, Var, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = many_events();
    rows.extend(many_graphs());
    rows
}

pub(super) fn many_events() -> Vec<Row> {
    let mut rows = Rows::new("saver");
    rows.one(
        "IRIW-iter",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.wr(value); } }
            |m| { for value in 1..=42 { m.y.wr(value); } }
            |m| { m.assume(m.x.ra() == 42)?; m.assume(m.y.ra() == 0)?; }
            |m| { m.assume(m.y.ra() == 0)?; m.assume(m.x.ra() == 42)?; }
        },
    );
    rows.one(
        "assume-2vars",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); m.y.ws(value); } }
            |m| { let read = m.x.rs(); m.assume(read + m.y.rs() == 84)?; }
        },
    );
    rows.one(
        "assume-conj",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); m.y.ws(value); } }
            |m| { m.assume(m.x.rs() == 42 && m.y.rs() == 42)?; }
        },
    );
    rows.one(
        "assume-disj",
        43,
        43,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); m.y.ws(value); } }
            |m| { m.assume(m.x.rs() == 42 || m.y.rs() == 42)?; }
        },
    );
    rows.one(
        "assume-2vars-cond",
        1,
        1,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); m.y.ws(value); } }
            |m| { let read = m.x.rs(); m.assume(m.y.rs() == 42 && read == 42)?; }
        },
    );
    rows.one(
        "assume-exp",
        256,
        256,
        threads! {
            |m| { for value in 1..=42 { m.x.ws(value); } }
            |m| { m.assume(m.x.rs() == 42)?; }
            |m| { for at in 0..8 { m.array[at].w(0); } }
            |m| { for at in 0..8 { m.array[at].r(); } }
        },
    );
    rows.rows
}

/// Two threads read four locations, two others write to two each.
fn four_locations(rows: &mut Rows) {
    let writes = |first: fn(&Memory) -> &Var, second: fn(&Memory) -> &Var| {
        threads! { |m| {
            for value in 1..=3 {
                first(m).wr(value);
                second(m).wr(value);
            }
        } }
    };
    let mut all = threads! {
        |m| {
            for var in [&m.x, &m.y, &m.z, &m.u, &m.x, &m.y, &m.z] { var.ra(); }
        }
        |m| { for var in [&m.x, &m.y, &m.z] { var.ra(); } }
    };
    all.extend(writes(|m| &m.x, |m| &m.y));
    all.extend(writes(|m| &m.z, |m| &m.u));
    rows.one("big0", 82472, 69112, all);
}

pub(super) fn many_graphs() -> Vec<Row> {
    let mut rows = Rows::new("synthetic");
    four_locations(&mut rows);
    // Slots in the array, the back of the queue x.
    let enqueue = |m: &Memory, value: i32| {
        let at = m.x.addx(1);
        m.array[at as usize].wr(value);
    };
    let dequeue = |m: &Memory| {
        let back = m.x.ra();
        for at in 0.. {
            m.assume(at < back)?;
            if m.array[at as usize].swap(0, AcqRel) != 0 {
                break;
            }
        }
        Some(())
    };
    rows.one(
        "hwqueue-ra",
        5483,
        5155,
        threads! {
            |m| { enqueue(m, 1); dequeue(m)?; }
            |m| { enqueue(m, 2); enqueue(m, 3); }
            |m| { dequeue(m)?; enqueue(m, 4); }
            |m| { dequeue(m)?; dequeue(m)?; }
        },
    );
    rows.rows
}
