//! Guarantees of the samplers, by counting with fixed seeds. The chance of a miss is stated where a bound is tested; with the seeds
//! fixed each test gives the same answer every time.

use std::collections::BTreeMap;

use contest::execution::Strategy;
use contest::explore::{Pct, Pos, Random, Urw};
use contest::trace::ExecutionRecord;

use crate::program::{Op, Program, explore};

/// Order of the first three operations of each of the two threads, as a bit string.
fn order(record: &ExecutionRecord) -> Vec<u16> {
    record
        .events
        .iter()
        .filter(|event| event.thread.0 != 0 && event.name == "access")
        .map(|event| event.thread.0)
        .collect()
}

#[test]
fn urw_spreads_over_the_twenty_interleavings_of_three_and_three_steps_far_more_evenly_than_a_random_walk()
 {
    let program: Program = vec![vec![Op::Add(0); 3], vec![Op::Add(1); 3]];
    let mut counts: BTreeMap<Vec<u16>, u32> = BTreeMap::new();
    let mut urw = Urw::new(11, 20_000);
    explore(&program, &mut urw, |record| {
        *counts.entry(order(record)).or_default() += 1
    });
    assert_eq!(counts.len(), 20);
    // 1,000 each would be exact; the first thread can start before the second exists, which favours the words it begins.
    let least = counts.values().min().unwrap();
    assert!(*least > 400, "{least}");

    let mut random_counts: BTreeMap<Vec<u16>, u32> = BTreeMap::new();
    let mut random = Random::new(11, 20_000);
    explore(&program, &mut random, |record| {
        *random_counts.entry(order(record)).or_default() += 1
    });
    let spread = |counts: &BTreeMap<Vec<u16>, u32>| {
        f64::from(*counts.values().max().unwrap()) / f64::from(*counts.values().min().unwrap())
    };
    assert!(
        spread(&counts) < spread(&random_counts),
        "{} {}",
        spread(&counts),
        spread(&random_counts)
    );
}

/// Share of executions in which thread 2's only write falls between thread 1's last read and write.
fn hit_rate(strategy: &mut dyn Strategy, private: usize, executions: u64) -> f64 {
    let mut first = vec![Op::Add(1); private];
    first.extend([Op::Read(0), Op::Write(0, 1)]);
    let program: Program = vec![first, vec![Op::Write(0, 2)]];
    let mut hits = 0u32;
    explore(&program, strategy, |record| {
        let order = order(record);
        if order.iter().position(|thread| *thread == 2) == Some(private + 1) {
            hits += 1;
        }
    });
    f64::from(hits) / executions as f64
}

#[test]
fn pct_of_depth_two_hits_a_bug_of_depth_two_as_often_as_its_bound_says() {
    // Bound 1/(n k): n = 2 threads beside main, k at most 30 decisions here, so at least 1/90; 4,000 executions miss twice that share
    // of hits with negligible chance.
    let rate = hit_rate(&mut Pct::new(3, 2, 4_000), 10, 4_000);
    assert!(rate >= 1.0 / 90.0, "{rate}");
}

#[test]
fn selective_sampling_hits_a_lost_update_after_private_steps_far_more_often_than_a_random_walk() {
    let random = hit_rate(&mut Random::new(5, 4_000), 12, 4_000);
    let selective = hit_rate(&mut Urw::selective(5, 4_000), 12, 4_000);
    assert!(selective > 10.0 * random.max(0.001), "{selective} {random}");
}

#[test]
fn partial_order_sampling_finds_both_orders_of_every_race() {
    let program: Program = vec![
        vec![Op::Write(0, 1), Op::Write(1, 1)],
        vec![Op::Write(1, 2), Op::Write(0, 2)],
    ];
    let mut seen = std::collections::BTreeSet::new();
    explore(&program, &mut Pos::new(9, 500), |record| {
        seen.insert(crate::trace::canonical(record));
    });
    // Two independent races; program order forbids one of the four combinations.
    assert_eq!(seen.len(), 3);
}
