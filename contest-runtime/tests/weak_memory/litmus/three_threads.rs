//! Three threads and more.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::{Row, Rows, Thread, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("litmus");
    coherence(&mut rows);
    message_passing(&mut rows);
    chains(&mut rows);
    sequential_consistency(&mut rows);
    updates(&mut rows);
    assumptions(&mut rows);
    rows.rows
}

fn coherence(rows: &mut Rows) {
    rows.one(
        "CoRR0",
        4,
        4,
        threads! {
            |m| { m.x.wr(1); }
            |m| { m.x.ra(); }
            |m| { m.x.ra(); }
        },
    );
    rows.one(
        "CoRR1",
        36,
        36,
        threads! {
            |m| { m.x.wr(1); }
            |m| { m.x.wr(2); }
            |m| { m.x.ra(); m.x.ra(); }
            |m| { m.x.ra(); }
        },
    );
    rows.one(
        "CoRR2",
        72,
        72,
        threads! {
            |m| { m.x.wr(1); }
            |m| { m.x.wr(2); }
            |m| { m.x.ra(); m.x.ra(); }
            |m| { m.x.ra(); m.x.ra(); }
        },
    );
    rows.one(
        "2CoWR",
        4,
        4,
        threads! {
            |m| { m.y.ra(); }
            |m| { m.x.ra(); }
            |m| { m.x.wr(1); }
            |m| { m.y.wr(1); }
        },
    );
    rows.one(
        "MCP-rrw",
        6,
        6,
        threads! {
            |m| { m.x.wr(1); }
            |m| { m.x.wr(2); }
            |m| { m.x.ra(); }
        },
    );
    rows.one(
        "JLT",
        8,
        8,
        threads! {
            |m| { m.x.wr(1); m.y.ra(); m.x.ra(); }
            |m| { m.x.wr(2); m.x.ra(); }
            |m| { m.y.wr(3); }
        },
    );
    rows.one(
        "W+RRR+W",
        20,
        20,
        threads! {
            |m| { m.x.w(1); }
            |m| { m.x.r(); m.x.r(); m.x.r(); }
            |m| { m.x.w(2); }
        },
    );
    rows.one(
        "default",
        12,
        12,
        threads! {
            |m| { m.x.ra(); m.x.ra(); }
            |m| { m.x.wr(1); }
            |m| { m.x.wr(2); }
        },
    );
    rows.one(
        "small0",
        9,
        9,
        threads! {
            |m| { m.x.ra(); }
            |m| { m.x.ra(); m.x.wr(1); }
            |m| { m.x.wr(2); }
        },
    );
    rows.one(
        "small1",
        8,
        8,
        threads! {
            |m| { m.y.ra(); m.z.ra(); m.x.ra(); }
            |m| { m.x.wr(1); }
            |m| { m.y.wr(1); m.z.wr(1); }
        },
    );
    rows.one(
        "fr+w+w+w+reads",
        210,
        210,
        threads! {
            |m| { m.x.w(1); }
            |m| { m.x.w(2); }
            |m| { m.x.w(3); }
            |m| { m.x.r(); m.x.r(); m.x.r(); m.x.r(); }
        },
    );
    rows.one(
        "inc+inc+RR+W+RR",
        600,
        600,
        threads! {
            |m| { m.x.add(1); }
            |m| { m.x.add(1); }
            |m| { m.x.r(); m.x.r(); }
            |m| { m.x.w(42); }
            |m| { m.x.r(); m.x.r(); }
        },
    );
}

fn message_passing(rows: &mut Rows) {
    rows.one(
        "MP2",
        9,
        9,
        threads! {
            |m| { m.x.w(1); m.z.w(1); m.fence(AcqRel); m.y.w(1); m.u.w(1); }
            |m| { m.y.r(); m.fence(AcqRel); m.x.r(); }
            |m| { m.u.r(); m.fence(AcqRel); m.z.r(); }
        },
    );
    rows.one(
        "MP+incMP",
        7,
        7,
        threads! {
            |m| { m.y.ra(); m.z.addx(1); }
            |m| { m.z.addx(1); m.x.ra(); }
            |m| { m.x.wr(1); m.y.wr(1); }
        },
    );
    // Through a read-modify-write of another thread.
    let writes: [(&str, [usize; 4], Thread); 3] = [
        (
            "rel",
            [6, 6, 14, 14],
            threads! { |m| { m.x.w(1); m.y.wr(1); } }.remove(0),
        ),
        (
            "relf",
            [6, 6, 14, 14],
            threads! { |m| { m.x.w(1); m.fence(Release); m.y.w(1); } }.remove(0),
        ),
        (
            "rels",
            [13, 12, 36, 35],
            threads! { |m| { m.x.w(1); m.y.wr(0); m.y.w(1); } }.remove(0),
        ),
    ];
    for (name, [rc11, sc, rc11_of_2, sc_of_2], write) in writes {
        for fenced in [false, true] {
            let names = match (name, fenced) {
                ("rel", false) => ("MPU+rel+acq", "MPU2+rel+acq"),
                ("rel", true) => ("MPU+rel+acqf", "MPU2+rel+acqf"),
                ("relf", false) => ("MPU+relf+acq", "MPU2+relf+acq"),
                ("relf", true) => ("MPU+relf+acqf", "MPU2+relf+acqf"),
                (_, false) => ("MPU+rels+acq", "MPU2+rels+acq"),
                (_, true) => ("MPU+rels+acqf", "MPU2+rels+acqf"),
            };
            let ends = |above: i32| match fenced {
                false => threads! { |m| { if m.y.ra() > above { m.x.w(2); } } }.remove(0),
                true => threads! { |m| { if m.y.r() > above { m.fence(Acquire); m.x.w(2); } } }
                    .remove(0),
            };
            let updates = threads! { |m| { m.y.add(1); } }.remove(0);
            rows.one(names.0, rc11, sc, vec![write.clone(), updates, ends(1)]);
            let [second, first] = [(2, 3), (1, 2)]
                .map(|(expected, new)| threads! { |m| { m.y.cas(expected, new); } }.remove(0));
            rows.one(
                names.1,
                rc11_of_2,
                sc_of_2,
                vec![write.clone(), second, first, ends(2)],
            );
        }
    }
}

fn chains(rows: &mut Rows) {
    rows.one(
        "isa2",
        7,
        7,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { m.y.ra(); m.z.wr(1); }
            |m| { m.z.ra(); m.x.r(); }
        },
    );
    rows.one(
        "LB3",
        7,
        7,
        threads! {
            |m| { m.x.r(); m.y.w(1); }
            |m| { m.y.r(); m.z.w(1); }
            |m| { m.z.r(); m.x.w(1); }
        },
    );
    rows.one(
        "LB+incMPs",
        15,
        15,
        threads! {
            |m| { m.x.ra(); m.z.addx(1); }
            |m| { m.z.addx(1); m.y.wr(1); }
            |m| { m.y.ra(); m.u.addx(1); }
            |m| { m.u.addx(1); m.x.wr(1); }
        },
    );
    rows.one(
        "LB+fr-fr-data+data",
        18,
        16,
        threads! {
            |m| { m.x.r(); m.y.w(1); }
            |m| { m.y.r(); m.y.r(); m.x.w(1); }
            |m| { m.y.w(2); }
        },
    );
    rows.one(
        "WRC+dep",
        8,
        7,
        threads! {
            |m| { m.x.w(1); }
            |m| { let read = m.x.r(); m.y.w(read); }
            |m| { m.y.r(); m.fence(AcqRel); m.x.r(); }
        },
    );
    rows.one(
        "cumul-release",
        8,
        7,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { let read = m.y.r(); m.z.w(read); }
            |m| { m.z.r(); m.fence(AcqRel); m.x.r(); }
        },
    );
    rows.one(
        "relacq-B-cumul",
        8,
        7,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { m.y.ra(); m.z.w(1); }
            |m| { m.z.r(); m.fence(AcqRel); m.x.r(); }
        },
    );
    rows.one(
        "rel-B-cumul-acq",
        16,
        14,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); }
            |m| { let read = m.y.r(); m.z.w(read); }
            |m| { m.z.r(); m.fence(AcqRel); m.x.r(); }
            |m| { m.y.ra(); }
        },
    );
    rows.one(
        "detour",
        9,
        9,
        threads! {
            |m| { m.x.w(1); }
            |m| { let read = m.z.r(); m.x.w(read - 1); let read = m.x.r(); m.y.w(read); }
            |m| { let read = m.y.r(); m.z.w(read); }
        },
    );
    rows.one(
        "IRIWish",
        28,
        27,
        threads! {
            |m| { m.x.w(1); }
            |m| { let read = m.x.r(); m.y.wr(read); }
            |m| { m.x.r(); m.fence(AcqRel); m.y.r(); }
            |m| { m.y.r(); m.fence(AcqRel); m.x.r(); }
        },
    );
    rows.one(
        "W+JW",
        1,
        1,
        threads! {
            |m| { m.x.w(42); m.y.w(42); }
        },
    );
}

fn sequential_consistency(rows: &mut Rows) {
    rows.one(
        "IRIW-acq-sc",
        16,
        15,
        threads! {
            |m| { m.x.ws(1); }
            |m| { m.x.ra(); m.y.rs(); }
            |m| { m.y.ra(); m.x.rs(); }
            |m| { m.y.ws(1); }
        },
    );
    rows.one(
        "RWC+syncs",
        7,
        7,
        threads! {
            |m| { m.x.w(1); }
            |m| { m.x.r(); m.fence(SeqCst); m.y.r(); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.r(); }
        },
    );
    rows.one(
        "W+RWC",
        7,
        7,
        threads! {
            |m| { m.x.w(1); m.z.wr(1); }
            |m| { m.z.ra(); m.fence(SeqCst); m.y.r(); }
            |m| { m.y.w(1); m.fence(SeqCst); m.x.r(); }
        },
    );
    rows.one(
        "peterZ",
        7,
        7,
        threads! {
            |m| { m.x.w(1); m.fence(SeqCst); m.y.r(); }
            |m| { m.y.w(1); m.z.wr(1); }
            |m| { m.z.ra(); m.fence(SeqCst); m.x.r(); }
        },
    );
    rows.one(
        "Z6+acq",
        7,
        7,
        threads! {
            |m| { m.x.w(1); m.fence(SeqCst); m.y.w(1); }
            |m| { m.y.ra(); m.z.w(1); }
            |m| { m.z.w(2); m.fence(SeqCst); m.x.r(); }
        },
    );
    // Published: 22 and 17. The search of that release wants `sb; hb; sb` to be in the order of sequentially consistent
    // events wherever it leads, and takes a read-modify-write for two events there. The paper's model, of which these
    // are the numbers, has that only between events at different locations.
    rows.one(
        "Z6.U",
        24,
        18,
        threads! {
            |m| { m.x.ws(1); m.y.wr(1); }
            |m| { m.y.adds(1); m.y.r(); }
            |m| { m.y.ws(3); m.x.rs(); }
        },
    );
    rows.one(
        "WWmerge1",
        18,
        15,
        threads! {
            |m| { m.x.ra(); m.y.rs(); }
            |m| { m.x.ws(1); m.x.ws(2); }
            |m| { m.y.ws(1); m.x.rs(); }
        },
    );
    rows.one(
        "WWmerge2",
        8,
        7,
        threads! {
            |m| { m.x.ra(); m.y.rs(); }
            |m| { m.x.ws(2); }
            |m| { m.y.ws(1); m.x.rs(); }
        },
    );
    rows.one(
        "RMWFix",
        4,
        4,
        threads! {
            |m| { if m.y.rs() != 0 { m.x.adds(1); m.x.adds(1); } }
            |m| { m.x.adds(1); }
            |m| { m.y.ws(42); }
        },
    );
}

fn updates(rows: &mut Rows) {
    rows.one(
        "inc2w",
        6,
        6,
        threads! {
            |m| { m.x.add(1); }
            |m| { m.x.wr(4); }
            |m| { m.x.add(2); }
        },
    );
    rows.one(
        "cii",
        6,
        6,
        threads! {
            |m| { m.x.cas(1, 2); }
            |m| { m.x.add(1); }
            |m| { m.x.add(1); }
        },
    );
    rows.one(
        "wcii",
        24,
        24,
        threads! {
            |m| { m.x.wr(5); }
            |m| { m.x.cas(1, 2); }
            |m| { m.x.add(1); }
            |m| { m.x.add(1); }
        },
    );
    rows.one(
        "ori",
        5,
        5,
        threads! {
            |m| { m.x.add(1); m.y.wr(1); }
            |m| { m.x.exchange(0, 1, Acquire, Acquire).ok(); }
            |m| { if m.y.r() != 0 { m.x.wr(4); } }
        },
    );
    rows.one(
        "relseq",
        20,
        16,
        threads! {
            |m| { m.x.w(1); m.y.wr(1); m.y.w(2); }
            |m| { m.y.swap(3, Relaxed); }
            |m| { m.y.r(); m.fence(AcqRel); m.x.r(); }
        },
    );
    rows.one(
        "viktor-relseq",
        180,
        180,
        threads! {
            |m| { m.x.adda(1); m.x.add(1); }
            |m| { m.x.add(1); m.x.add(1); }
            |m| { m.x.addr(1); }
            |m| { m.x.add(1); }
        },
    );
    rows.both("wrw", &[(2, 22), (3, 300), (4, 6576)], |n| {
        let mut all = threads! { |m| { m.x.wr(1); } };
        for value in 0..n as i32 {
            all.extend(threads! { |m| { m.x.ra(); m.x.wr(value); } });
        }
        all
    });
}

fn assumptions(rows: &mut Rows) {
    rows.one(
        "psc-ar",
        1,
        0,
        threads! {
            |m| { m.assume(m.y.r() == 1)?; m.fence(SeqCst); m.assume(m.z.r() == 0)?; }
            |m| { m.z.w(1); m.fence(SeqCst); m.x.w(1); }
            |m| { m.assume(m.x.r() == 1)?; m.y.w(1); }
        },
    );
    rows.one(
        "psc-base-notin-ar",
        2,
        1,
        threads! {
            |m| { m.assume(m.x.r() == 2)?; m.y.ws(1); }
            |m| { m.y.ws(2); }
            |m| { let read = m.y.r(); m.assume(read == 2)?; m.x.w(read); }
        },
    );
    rows.one(
        "WWR+2WR",
        0,
        0,
        threads! {
            |m| { m.x.ws(1); m.y.ws(1); m.assume(m.z.rs() == 0)?; }
            |m| { m.z.ws(1); m.assume(m.y.rs() == 2)?; }
            |m| { m.y.ws(2); m.assume(m.x.rs() == 0)?; }
        },
    );
}
