//! How often each sampler hits bugs of seven shapes, beside the figures of the paper prototype.

use contest_data::decision::Strategy;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_search::explore::{Pct, Pos, Random, Urw};

use crate::program::{Op, Program, explore};

/// An access: thread, and its number among the accesses of the thread.
type Access = (u16, usize);

struct Shape {
    name: &'static str,
    program: Program,
    /// Which access comes before which; none for a deadlock.
    wanted: Vec<(Access, Access)>,
    /// Hit rates of the prototype, in the order of the samplers.
    prototype: [f64; 6],
}

const EXECUTIONS: u64 = 10_000;
const NAMES: [&str; 6] = ["RW", "URW", "PCT2", "PCT3", "POS", "SURW"];

fn samplers() -> [Box<dyn Strategy>; 6] {
    [
        Box::new(Random::new(7, EXECUTIONS)),
        Box::new(Urw::new(7, EXECUTIONS)),
        Box::new(Pct::new(7, 2, EXECUTIONS)),
        Box::new(Pct::new(7, 3, EXECUTIONS)),
        Box::new(Pos::new(7, EXECUTIONS)),
        Box::new(Urw::selective(7, EXECUTIONS)),
    ]
}

/// So many accesses to a variable of the thread's own, then these.
fn after(own: usize, private: usize, ops: &[Op]) -> Vec<Op> {
    let mut all = vec![Op::Write(own, 1); private];
    all.extend_from_slice(ops);
    all
}

fn shapes() -> Vec<Shape> {
    let increment = [Op::Read(0), Op::Write(0, 1)];
    vec![
        Shape {
            name: "lost update after 20 private events vs 1-event thread",
            program: vec![after(6, 20, &increment), vec![Op::Write(0, 2)]],
            wanted: vec![((1, 20), (2, 0)), ((2, 0), (1, 21))],
            prototype: [0.0, 0.041, 0.023, 0.004, 0.023, 0.337],
        },
        Shape {
            name: "two increments, nothing else",
            program: vec![increment.to_vec(); 2],
            wanted: vec![((1, 0), (2, 1)), ((2, 0), (1, 1))],
            prototype: [0.50, 0.67, 0.25, 0.44, 0.33, 0.66],
        },
        Shape {
            name: "two increments after 5 private events each",
            program: vec![after(6, 5, &increment), after(7, 5, &increment)],
            wanted: vec![((1, 5), (2, 6)), ((2, 5), (1, 6))],
            prototype: [0.23, 0.55, 0.07, 0.09, 0.08, 0.66],
        },
        Shape {
            name: "two-variable inconsistent read, 3 private events each",
            program: vec![
                after(6, 3, &[Op::Write(0, 1), Op::Write(1, 1)]),
                after(7, 3, &[Op::Read(0), Op::Read(1)]),
            ],
            wanted: vec![((1, 3), (2, 3)), ((2, 4), (1, 4))],
            prototype: [0.066, 0.138, 0.050, 0.060, 0.065, 0.171],
        },
        Shape {
            name: "four ordered switches (14 + 5 events)",
            program: vec![
                [
                    vec![Op::Write(0, 1)],
                    after(6, 4, &[Op::Read(1)]),
                    after(6, 4, &[Op::Read(2)]),
                ]
                .concat(),
                after(7, 2, &[Op::Read(0), Op::Write(1, 1), Op::Write(2, 1)]),
            ],
            wanted: vec![
                ((1, 0), (2, 2)),
                ((2, 3), (1, 5)),
                ((1, 5), (2, 4)),
                ((2, 4), (1, 10)),
            ],
            prototype: [0.110, 0.141, 0.0, 0.0, 0.027, 0.079],
        },
        Shape {
            name: "ABBA deadlock, 4 private events each",
            program: vec![
                after(
                    6,
                    4,
                    &[Op::Lock(0), Op::Lock(1), Op::Unlock(1), Op::Unlock(0)],
                ),
                after(
                    7,
                    4,
                    &[Op::Lock(1), Op::Lock(0), Op::Unlock(0), Op::Unlock(1)],
                ),
            ],
            wanted: Vec::new(),
            prototype: [0.242, 0.395, 0.064, 0.089, 0.091, 0.310],
        },
        Shape {
            name: "write by T3 inside T1's R-W, long T2",
            program: vec![
                increment.to_vec(),
                after(7, 15, &[Op::Read(0)]),
                vec![Op::Write(0, 2)],
            ],
            wanted: vec![((1, 0), (3, 0)), ((3, 0), (1, 1))],
            prototype: [0.255, 0.333, 0.025, 0.054, 0.250, 0.332],
        },
    ]
}

fn hit(record: &ExecutionRecord, wanted: &[(Access, Access)]) -> bool {
    if wanted.is_empty() {
        return matches!(record.ending, Ending::Deadlock(_));
    }
    let place = |(thread, number): Access| {
        let accesses = record.events.iter().enumerate();
        accesses
            .filter(|(_, event)| event.thread.0 == thread && event.name == "access")
            .nth(number)
            .map(|(place, _)| place)
    };
    wanted.iter().all(|&(a, b)| place(a) < place(b))
}

#[test]
fn hit_rates_are_those_of_the_prototype_in_their_order_of_magnitude() {
    println!(
        "{:55} {}",
        "hit rate here / in the prototype",
        NAMES.join("           ")
    );
    for shape in shapes() {
        let mut line = format!("{:55}", shape.name);
        let mut wrong = Vec::new();
        for (index, mut sampler) in samplers().into_iter().enumerate() {
            let mut hits = 0_u32;
            explore(&shape.program, &mut *sampler, |record| {
                hits += u32::from(hit(record, &shape.wanted));
            });
            let rate = f64::from(hits) / EXECUTIONS as f64;
            let expected = shape.prototype[index];
            line += &format!(" {rate:.4}/{expected:.3} ");
            // Rates below one in fifty are counted too coarsely.
            if expected >= 0.02 && !(rate > expected / 4.0 && rate < expected * 4.0) {
                wrong.push(NAMES[index]);
            }
        }
        println!("{line}");
        assert!(wrong.is_empty(), "{}: {wrong:?}\n{line}", shape.name);
    }
}
