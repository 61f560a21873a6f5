//! Guarantees of the samplers, by counting with fixed seeds: each test gives the same answer every time. Thresholds of
//! chi-square tests are those that a right sampler exceeds with one seed in a thousand.

use std::collections::{BTreeMap, BTreeSet};

use contest_data::decision::Strategy;
use contest_data::trace::ExecutionRecord;
use contest_search::explore::{Dfs, Pct, Pos, Random, Urw};

use crate::program::{Op, Program, explore, is_of_atomics};
use crate::trace::canonical;

/// The threads of the accesses of an execution, in order.
pub fn order(record: &ExecutionRecord) -> Vec<u16> {
    record
        .events
        .iter()
        .filter(|event| event.thread.0 != 0 && event.name == "access")
        .map(|event| event.thread.0)
        .collect()
}

fn counts(program: &Program, strategy: &mut dyn Strategy) -> BTreeMap<Vec<u16>, u32> {
    let mut counts = BTreeMap::new();
    explore(program, strategy, |record| {
        *counts.entry(order(record)).or_default() += 1;
    });
    counts
}

/// Distance of counts from the uniform distribution over so many cells.
fn chi_square(counts: &BTreeMap<Vec<u16>, u32>, cells: usize) -> f64 {
    assert_eq!(counts.len(), cells, "{counts:?}");
    let total: u32 = counts.values().sum();
    let expected = f64::from(total) / cells as f64;
    let square = |count: &u32| (f64::from(*count) - expected).powi(2) / expected;
    counts.values().map(square).sum()
}

#[test]
fn a_random_walk_takes_every_schedule_there_is() {
    let program: Program = vec![vec![Op::Add(0)]; 2];
    let schedules = |strategy: &mut dyn Strategy| {
        let mut all = BTreeSet::new();
        explore(&program, strategy, |record| {
            let threads = record.events.iter().map(|event| event.thread.0);
            all.insert(threads.collect::<Vec<_>>());
        });
        all
    };
    let all = schedules(&mut Dfs::new(None));
    // The least likely has at most 8 decisions between two threads and 3 between three: chance 1/7,000 at least. That
    // one of these schedules is missed in 100,000 executions has a chance below 1/5,000.
    assert_eq!(schedules(&mut Random::new(2, 100_000)), all);
}

#[test]
fn urw_is_uniform_over_the_twenty_interleavings_of_three_and_three_steps() {
    let program: Program = vec![vec![Op::Add(0); 3], vec![Op::Add(1); 3]];
    let uniform = chi_square(&counts(&program, &mut Urw::new(11, 20_000)), 20);
    assert!(uniform < 43.8, "{uniform}");
    let walk = chi_square(&counts(&program, &mut Random::new(11, 20_000)), 20);
    assert!(walk > 1_000.0, "{walk}");
}

#[test]
fn urw_is_uniform_over_three_threads_of_which_one_is_started_by_another() {
    let program: Program = vec![
        vec![Op::Fork(&[Op::Add(1), Op::Add(1)]), Op::Join],
        vec![Op::Add(0); 2],
        vec![Op::Add(2); 1],
    ];
    // Two, two and one: 30 orders. A thread's number depends on when it is created, so accesses are identified by
    // object.
    let mut counts = BTreeMap::new();
    explore(&program, &mut Urw::new(5, 30_000), |record| {
        let mut names = Vec::new();
        let accesses = record.events.iter().filter(|event| event.name == "access");
        let numbers = accesses.map(|event| {
            // Each object has its own number of accesses or its own thread.
            let same = |other: &&contest_data::trace::Event| other.object == event.object;
            (
                record.events.iter().filter(same).count() as u16,
                event.thread.0,
            )
        });
        for (accesses, thread) in numbers {
            names.push(match (accesses, thread) {
                (1, _) => 3,
                (_, thread) if parent(record, thread) == 0 => 1,
                _ => 2,
            });
        }
        *counts.entry(names).or_default() += 1;
    });
    let distance = chi_square(&counts, 30);
    assert!(distance < 58.3, "{distance}");
}

fn parent(record: &ExecutionRecord, thread: u16) -> u16 {
    let spawn = contest_data::trace::Action::Spawn(contest_data::trace::ThreadIndex(thread));
    let event = record.events.iter().find(|event| event.action == spawn);
    event.unwrap().thread.0
}

#[test]
fn surw_is_uniform_over_the_orders_of_the_accesses_to_what_is_shared() {
    let mut first = vec![Op::Add(1); 9];
    first.extend([Op::Add(0), Op::Add(0)]);
    let program: Program = vec![first, vec![Op::Add(0), Op::Add(0)]];
    let mut counts = BTreeMap::new();
    explore(&program, &mut Urw::selective(3, 12_000), |record| {
        let shared = record
            .events
            .iter()
            .filter(|event| event.thread.0 == 2 && event.name == "access")
            .map(|event| event.object)
            .next();
        let accesses = record
            .events
            .iter()
            .filter(|event| Some(event.object) == shared);
        let orders = accesses.map(|event| event.thread.0).collect::<Vec<_>>();
        *counts.entry(orders).or_default() += 1;
    });
    let distance = chi_square(&counts, 6);
    assert!(distance < 20.5, "{distance}");
}

#[test]
fn surw_is_uniform_over_what_the_package_does_among_many_steps_of_dependencies() {
    let of_dependency = |number: usize| vec![[Op::Lock(number), Op::Unlock(number)]; 6].concat();
    let thread = |number: usize| [vec![Op::Add(0)], of_dependency(number), vec![Op::Add(1)]];
    let program: Program = vec![thread(0).concat(), thread(0).concat()];
    // Six orders of these accesses. Mostly they are drawn: each then has an eighth of all executions.
    let rarest = |mut strategy: Urw| {
        let counts = counts(&program, &mut strategy);
        match counts.len() {
            6 => counts.into_values().min().unwrap_or(0),
            _ => 0,
        }
    };
    let package = Urw::selective(3, 4_000).with_package(is_of_atomics);
    let of_package = rarest(package);
    assert!(of_package > 400, "{of_package}");
    let of_locations = rarest(Urw::selective(3, 4_000));
    assert!(of_locations < 100, "{of_locations}");
}

#[test]
fn pos_orders_independent_operations_uniformly() {
    let program: Program = vec![vec![Op::Add(0)], vec![Op::Add(1)], vec![Op::Add(2)]];
    let distance = chi_square(&counts(&program, &mut Pos::new(7, 12_000)), 6);
    assert!(distance < 20.5, "{distance}");
}

#[test]
fn pos_draws_anew_what_has_lost_a_race() {
    // What went first goes on: of two operations, one has lost already and the other is drawn freshly, so 2/3 of the
    // time; with a new draw for both, half of the time.
    let share = |program: &Program| {
        let counts = counts(program, &mut Pos::new(7, 20_000));
        let first = |thread: usize, at: usize| {
            let of = counts.iter().filter(|(order, _)| {
                order[0] == thread as u16 && (at == 0 || order[1] == thread as u16)
            });
            of.map(|(_, count)| f64::from(*count)).sum::<f64>()
        };
        first(1, 1) / first(1, 0)
    };
    let racing = share(&vec![vec![Op::Add(0); 2]; 2]);
    assert!((racing - 0.5).abs() < 0.02, "{racing}");
    let independent = share(&vec![vec![Op::Add(0); 2], vec![Op::Add(1); 2]]);
    assert!((independent - 2.0 / 3.0).abs() < 0.02, "{independent}");
}

#[test]
fn pos_finds_both_orders_of_every_race() {
    let program: Program = vec![
        vec![Op::Write(0, 1), Op::Write(1, 1)],
        vec![Op::Write(1, 2), Op::Write(0, 2)],
    ];
    let mut seen = BTreeSet::new();
    explore(&program, &mut Pos::new(9, 500), |record| {
        seen.insert(canonical(record));
    });
    // Two independent races; program order forbids one of the four combinations.
    assert_eq!(seen.len(), 3);
}

/// Share of the executions that are hits, by how many accesses of thread 1 come before each of thread 2's.
fn hit_rate(program: &Program, strategy: &mut dyn Strategy, hit: fn(&[usize]) -> bool) -> f64 {
    let (mut hits, mut all) = (0_u32, 0_u32);
    explore(program, strategy, |record| {
        all += 1;
        let mut before = 0;
        let mut found = Vec::new();
        for thread in order(record) {
            if thread == 2 {
                found.push(before);
            } else {
                before += 1;
            }
        }
        hits += u32::from(hit(&found));
    });
    f64::from(hits) / f64::from(all)
}

/// Most decisions with a choice in any of some executions.
fn choices(program: &Program) -> f64 {
    let mut most = 0;
    explore(program, &mut Random::new(1, 500), |record| {
        most = most.max(record.schedule.decisions.len());
    });
    most as f64
}

#[test]
fn pct_hits_bugs_of_depth_one_two_and_three_as_often_as_its_bound_says() {
    let threads = 3.0;
    let program = |accesses: usize, theirs: usize| -> Program {
        vec![vec![Op::Add(0); accesses], vec![Op::Add(0); theirs]]
    };
    type Shape = (Program, u32, fn(&[usize]) -> bool);
    // Thread 2 first; in the middle of thread 1; in the middle and with thread 1 between its two accesses.
    let shapes: [Shape; 3] = [
        (program(6, 1), 1, |found| found == [0]),
        (program(6, 1), 2, |found| found == [3]),
        (program(4, 2), 3, |found| found[0] == 2 && found[1] > 2),
    ];
    for (program, depth, hit) in shapes {
        let bound = 1.0 / (threads * choices(&program).powi(depth as i32 - 1));
        let rate = hit_rate(&program, &mut Pct::new(3, depth, 20_000), hit);
        // At depth one the bound is exact: three standard deviations of slack.
        let slack = 3.0 * (bound / 20_000.0).sqrt();
        assert!(rate >= bound - slack, "depth {depth}: {rate} of {bound}");
        println!("PCT depth {depth}: hit rate {rate:.4}, bound {bound:.4}");
    }
}

#[test]
fn pct_counts_only_steps_at_which_there_is_a_choice() {
    let short: Program = vec![vec![Op::Add(0); 6], vec![Op::Add(0)]];
    // The same after hundreds of steps at which only one thread can run.
    let long: Program = vec![vec![
        Op::Fork(&[Op::Add(1); 300]),
        Op::Join,
        Op::Fork(&[Op::Add(0); 6]),
        Op::Fork(&[Op::Add(0)]),
    ]];
    let bound = 1.0 / (4.0 * (choices(&short) + 10.0));
    let mut hits = 0_u32;
    explore(&long, &mut Pct::new(3, 2, 10_000), |record| {
        let tail: Vec<u16> = order(record).split_off(300);
        hits += u32::from(tail.iter().position(|thread| *thread == 4) == Some(3));
    });
    let rate = f64::from(hits) / 10_000.0;
    assert!(rate >= bound, "{rate} of {bound}");
}

/// The events of every execution, by thread; with the number of preemptions.
fn schedules(program: &Program, bound: Option<u32>) -> BTreeMap<Vec<(u16, u32)>, u32> {
    let mut all = BTreeMap::new();
    let executions = explore(program, &mut Dfs::new(bound), |record| {
        let events = record.events.iter();
        let schedule = events.map(|event| (event.thread.0, event.index));
        all.insert(schedule.collect(), record.preemptions);
    });
    assert_eq!(executions, all.len() as u64, "an execution came twice");
    all
}

#[test]
fn bounded_search_runs_exactly_the_executions_with_so_many_preemptions() {
    let programs: [Program; 3] = [
        vec![vec![Op::Read(0), Op::Write(0, 1)], vec![Op::Add(0)]],
        vec![
            vec![Op::Lock(0), Op::Add(0), Op::Unlock(0)],
            vec![Op::Lock(0), Op::Unlock(0)],
        ],
        vec![vec![Op::Add(0)], vec![Op::Park], vec![Op::Unpark(2)]],
    ];
    for program in programs {
        let all = schedules(&program, None);
        for bound in 0..=3 {
            let mut expected = all.clone();
            expected.retain(|_, preemptions| *preemptions <= bound);
            let found = schedules(&program, Some(bound));
            assert!(found == expected, "{program:?}, at most {bound}");
            println!(
                "at most {bound} preemptions: {} of {}",
                found.len(),
                all.len()
            );
        }
    }
}

#[test]
fn to_give_way_is_no_preemption() {
    // Thread 1 gives way once, having read nothing that could change.
    let gives_way: Program = vec![vec![Op::GiveWay, Op::Add(0)], vec![Op::Add(0)]];
    let keeps_on: Program = vec![vec![Op::Read(1), Op::Add(0)], vec![Op::Add(0)]];
    let second_first = |program: &Program| {
        let mut seen = false;
        explore(program, &mut Dfs::new(Some(0)), |record| {
            let begun = record.events.iter().position(|event| event.thread.0 == 1);
            let other = record.events.iter().position(|event| event.thread.0 == 2);
            let done = record
                .events
                .iter()
                .rposition(|event| event.thread.0 == 1 && event.name == "access");
            seen |= begun < other && other < done;
        });
        seen
    };
    assert!(second_first(&gives_way));
    assert!(!second_first(&keeps_on));
}
