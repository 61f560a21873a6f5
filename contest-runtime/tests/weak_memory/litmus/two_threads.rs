//! Two threads: store buffering, message passing, load buffering, coherence.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::{Row, Rows, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("litmus");
    store_buffering(&mut rows);
    message_passing(&mut rows);
    one_write_read(&mut rows);
    load_buffering(&mut rows);
    two_locations_twice(&mut rows);
    one_location(&mut rows);
    others(&mut rows);
    rows.rows
}

fn store_buffering(rows: &mut Rows) {
    rows.one(
        "SB",
        4,
        3,
        threads! {
            |m| { m.x.wr(1); m.y.ra(); }
            |m| { m.y.wr(1); m.x.ra(); }
        },
    );
    rows.one(
        "SB+4sc",
        3,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.rs(); }
            |m| { m.y.ws(1); m.x.rs(); }
        },
    );
    rows.one(
        "SB+assert",
        3,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.rs(); }
            |m| { m.y.ws(1); m.x.rs(); }
        },
    );
    rows.one(
        "SB+3sc+acq",
        4,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.rs(); }
            |m| { m.y.ws(1); m.x.ra(); }
        },
    );
    rows.one(
        "SB+3sc+rel",
        4,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.rs(); }
            |m| { m.y.wr(1); m.x.rs(); }
        },
    );
    rows.one(
        "SB+scfs",
        3,
        3,
        threads! {
            |m| { m.x.w(1); m.fence(SeqCst); m.y.r(); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.r(); }
        },
    );
    rows.one(
        "SB+2sc+scf",
        3,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.rs(); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.r(); }
        },
    );
    rows.one(
        "SB+rfis",
        4,
        3,
        threads! {
            |m| { m.x.wr(1); m.x.rs(); m.y.rs(); }
            |m| { m.y.wr(1); m.y.rs(); m.x.rs(); }
        },
    );
}

fn message_passing(rows: &mut Rows) {
    rows.one(
        "MP",
        3,
        3,
        threads! {
            |m| { m.x.wr(1); m.y.wr(1); }
            |m| { m.y.ra(); m.x.ra(); }
        },
    );
    rows.one(
        "MP+rel+acq",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { if m.y.ra() != 0 { m.x.r(); } }
        },
    );
    rows.one(
        "MP+rel+acqf",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.r(); } }
        },
    );
    rows.one(
        "MP+relf+acq",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.fence(Release); m.y.w(1); }
            |m| { if m.y.ra() != 0 { m.x.r(); } }
        },
    );
    rows.one(
        "MP+relf+acqf",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.fence(Release); m.y.w(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.r(); } }
        },
    );
    rows.one(
        "MP+rels+acq",
        4,
        3,
        threads! {
            |m| { m.x.w(1); m.y.wr(0); m.y.w(1); }
            |m| { if m.y.ra() != 0 { m.x.r(); } }
        },
    );
    rows.one(
        "MP+rels+acqf",
        4,
        3,
        threads! {
            |m| { m.x.w(1); m.y.wr(0); m.y.w(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.r(); } }
        },
    );
}

/// A write to what the other thread wrote before.
fn one_write_read(rows: &mut Rows) {
    rows.one(
        "S",
        4,
        3,
        threads! {
            |m| { m.x.w(2); m.y.w(1); }
            |m| { m.y.r(); m.x.w(1); }
        },
    );
    rows.one(
        "S+rel+acq",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { if m.y.ra() != 0 { m.x.w(2); } }
        },
    );
    rows.one(
        "S+rel+acqf",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.w(2); } }
        },
    );
    rows.one(
        "S+relf+acq",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.fence(Release); m.y.w(1); }
            |m| { if m.y.ra() != 0 { m.x.w(2); } }
        },
    );
    rows.one(
        "S+relf+acqf",
        2,
        2,
        threads! {
            |m| { m.x.w(1); m.fence(Release); m.y.w(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.w(2); } }
        },
    );
    rows.one(
        "S+rels+acq",
        4,
        3,
        threads! {
            |m| { m.x.w(1); m.y.wr(0); m.y.w(1); }
            |m| { if m.y.ra() != 0 { m.x.w(2); } }
        },
    );
    rows.one(
        "S+rels+acqf",
        4,
        3,
        threads! {
            |m| { m.x.w(1); m.y.wr(0); m.y.w(1); }
            |m| { if m.y.r() != 0 { m.fence(Acquire); m.x.w(2); } }
        },
    );
}

fn load_buffering(rows: &mut Rows) {
    rows.one(
        "LB",
        3,
        3,
        threads! {
            |m| { m.y.ra(); m.x.wr(1); }
            |m| { m.x.ra(); m.y.wr(1); }
        },
    );
    rows.one(
        "LB2",
        3,
        3,
        threads! {
            |m| { m.x.r(); m.y.w(1); }
            |m| { m.y.r(); m.x.w(1); }
        },
    );
    rows.one(
        "LB+acq",
        3,
        3,
        threads! {
            |m| { m.x.ra(); m.y.w(1); }
            |m| { m.y.ra(); m.x.w(1); }
        },
    );
    rows.one(
        "LB+rel",
        3,
        3,
        threads! {
            |m| { m.x.r(); m.y.wr(1); }
            |m| { m.y.r(); m.x.wr(1); }
        },
    );
    rows.one(
        "LB+dep",
        3,
        3,
        threads! {
            |m| { let read = m.x.r(); m.y.w(read + 1); }
            |m| { let read = m.y.r(); m.x.w(read + 1); }
        },
    );
    rows.one(
        "LB+ctrl",
        3,
        3,
        threads! {
            |m| { if m.x.r() == 0 { m.y.w(1); } else { m.y.w(2); } }
            |m| { if m.y.r() == 0 { m.x.w(1); } else { m.x.w(2); } }
        },
    );
    rows.one(
        "LB+ctrl+rel",
        3,
        3,
        threads! {
            |m| { if m.x.r() == 0 { m.y.w(1); } else { m.y.w(2); } }
            |m| { m.y.r(); m.x.wr(1); }
        },
    );
    for name in ["LB+addr", "LB+addr-fun", "LB+addr-ind-fun"] {
        rows.one(
            name,
            3,
            3,
            threads! {
                |m| { let at = m.x.r(); m.array[at as usize].r(); m.array[0].w(1); }
                |m| { let read = m.array[0].r(); m.x.wr(read); }
            },
        );
    }
    rows.one(
        "rfi-preserved",
        3,
        3,
        threads! {
            |m| { m.x.r(); m.y.wr(1); let read = m.y.r(); m.z.w(read); }
            |m| { let read = m.z.r(); m.x.w(read); }
        },
    );
    rows.one(
        "rel-pporf",
        3,
        3,
        threads! {
            |m| { m.x.r(); m.z.wr(1); m.y.wr(1); }
            |m| { m.y.r(); m.x.w(1); }
        },
    );
    rows.one(
        "po-loc",
        3,
        3,
        threads! {
            |m| { m.y.r(); m.fence(AcqRel); m.x.r(); m.x.w(1); }
            |m| { let read = m.x.r(); m.y.w(read); }
        },
    );
    rows.one(
        "TC1",
        3,
        3,
        threads! {
            |m| { if m.x.r() >= 0 { m.y.w(1); } }
            |m| { let read = m.y.r(); m.x.w(read); }
        },
    );
    rows.one(
        "TC2",
        4,
        4,
        threads! {
            |m| { let first = m.x.r(); if first == m.x.r() { m.y.w(1); } }
            |m| { let read = m.y.r(); m.x.w(read); }
        },
    );
}

fn two_locations_twice(rows: &mut Rows) {
    rows.one(
        "2+2W",
        4,
        3,
        threads! {
            |m| { m.x.wr(1); m.y.wr(2); }
            |m| { m.y.wr(1); m.x.wr(2); }
        },
    );
    rows.one(
        "2+2W+4sc",
        3,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.ws(2); }
            |m| { m.y.ws(1); m.x.ws(2); }
        },
    );
    rows.one(
        "2+2W+3sc+rel1",
        4,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.ws(2); }
            |m| { m.y.wr(1); m.x.ws(2); }
        },
    );
    rows.one(
        "2+2W+3sc+rel2",
        4,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.ws(2); }
            |m| { m.y.ws(1); m.x.wr(2); }
        },
    );
    rows.one(
        "2+2W+scfs",
        3,
        3,
        threads! {
            |m| { m.x.w(1); m.fence(SeqCst); m.y.w(2); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.w(2); }
        },
    );
    rows.one(
        "2+2W+2sc+scf",
        3,
        3,
        threads! {
            |m| { m.x.ws(1); m.y.ws(2); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.w(2); }
        },
    );
}

fn one_location(rows: &mut Rows) {
    rows.one(
        "CoRW",
        3,
        3,
        threads! {
            |m| { m.x.ra(); m.x.wr(1); }
            |m| { m.x.wr(2); }
        },
    );
    rows.one(
        "CoWR",
        3,
        3,
        threads! {
            |m| { m.x.wr(1); m.x.ra(); }
            |m| { m.x.wr(2); }
        },
    );
    rows.one(
        "CoRR",
        6,
        6,
        threads! {
            |m| { m.x.wr(1); m.x.wr(2); }
            |m| { m.x.ra(); m.x.ra(); }
        },
    );
    rows.one(
        "rii",
        3,
        3,
        threads! {
            |m| { m.x.r(); m.x.add(1); }
            |m| { m.x.add(1); }
        },
    );
    rows.one(
        "rinc+wr",
        3,
        3,
        threads! {
            |m| { m.x.add(1); }
            |m| { m.x.w(2); m.x.r(); }
        },
    );
    rows.one(
        "ccr",
        2,
        2,
        threads! {
            |m| { m.x.cas(0, 42); }
            |m| { m.x.cas(0, 17); m.x.r(); }
        },
    );
}

fn others(rows: &mut Rows) {
    rows.one(
        "atomicpo",
        4,
        3,
        threads! {
            |m| { m.y.w(1); m.fence(AcqRel); m.x.w(1); }
            |m| { m.x.swap(1, Relaxed); m.y.swap(1, Relaxed); }
        },
    );
    rows.one(
        "casdep",
        2,
        2,
        threads! {
            |m| {
                let read = m.x.r();
                let found = m.y.exchange(read, 1, Relaxed, Relaxed);
                m.z.w(found.unwrap_or_else(|found| found));
            }
            |m| { m.y.w(2); }
        },
    );
    rows.one(
        "riwi",
        3,
        3,
        threads! {
            |m| { m.y.r(); m.x.add(1); }
            |m| { m.x.add(1); m.y.wr(1); }
        },
    );
    rows.one(
        "psc-sbhbsb",
        1,
        1,
        threads! {
            |m| { m.x.ws(1); m.y.ws(1); }
            |m| { m.assume(m.x.ra() == 1)?; m.assume(m.y.rs() == 0)?; }
        },
    );
    rows.one(
        "assume-ctrl",
        4,
        4,
        threads! {
            |m| { m.assume(2 > m.y.r() || m.y.r() > 3)?; m.x.w(1); }
            |m| { m.assume(m.x.r() < 3)?; m.y.w(3); m.fence(SeqCst); m.y.w(4); }
        },
    );
    rows.one(
        "malloc-dep",
        2,
        2,
        threads! {
            |m| { m.x.add(1); }
            |m| { m.x.add(1); }
        },
    );
}
