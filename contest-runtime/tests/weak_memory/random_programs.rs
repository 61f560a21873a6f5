//! Random programs: every graph that RC11 allows is explored once, and no other.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use contest_data::limits::MemoryModel;
use contest_data::rng::Rng;
use contest_search::explore::{Budget, Communications, Explorer};

use crate::axioms::allowed;
use crate::program::{Op, Op::R, Op::W, Program, explore_with};

pub(crate) fn one_of<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u32) as usize]
}

fn random_program(rng: &mut Rng, orders: &[Ordering]) -> Program {
    let (threads, longest) = one_of(rng, &[(2, 3), (2, 3), (2, 4), (3, 2), (3, 2), (3, 2)]);
    let locations = 1 + rng.below(2);
    let mut value = 0;
    let mut operation = |rng: &mut Rng| {
        let at = rng.below(locations) as usize;
        let mut order = |fits: &[Ordering]| loop {
            let order = one_of(rng, orders);
            if fits.contains(&order) {
                break order;
            }
        };
        let load = order(&[Relaxed, Acquire, SeqCst]);
        let store = order(&[Relaxed, Release, SeqCst]);
        let update = order(&[Relaxed, Acquire, Release, AcqRel, SeqCst]);
        let barrier = order(&[Acquire, Release, AcqRel, SeqCst]);
        value += 1;
        match rng.below(8) {
            0..3 => Op::R(at, load),
            3..5 => Op::W(at, value % 3, store),
            5 => Op::U(at, 1, update),
            6 if rng.coin() => Op::Weak(at, value % 2, 2, update, load),
            6 => Op::C(at, value % 2, 2, update, load),
            _ => Op::F(barrier),
        }
    };
    (0..threads)
        .map(|_| {
            (0..1 + rng.below(longest))
                .map(|_| operation(rng))
                .collect()
        })
        .collect()
}

fn compare(program: &Program) -> (usize, usize) {
    let (graphs, outcomes) = allowed(program);
    let budget = Budget::executions(1_000_000);
    let explorer = Explorer::weak("dpor", 1, budget).unwrap();
    let explored = explore_with(program, MemoryModel::Rc11, explorer);
    assert!(explored.exhausted, "{program:?}: {:?}", explored.cut);
    let missing: Vec<_> = graphs.difference(&explored.graphs).collect();
    let wrong: Vec<_> = explored.graphs.difference(&graphs).collect();
    assert!(wrong.is_empty(), "{program:?} shows {wrong:?}");
    assert!(missing.is_empty(), "{program:?} misses {missing:?}");
    assert_eq!(explored.outcomes, outcomes, "{program:?}");
    assert_eq!(
        explored.executions,
        graphs.len(),
        "{program:?}: some graph twice"
    );
    (graphs.len(), explored.given_up)
}

fn compare_many(seed: u64, programs: u32, orders: &[Ordering]) {
    let mut rng = Rng::new(seed);
    let (mut graphs, mut given_up) = (0, 0);
    for _ in 0..programs {
        let found = compare(&random_program(&mut rng, orders));
        graphs += found.0;
        given_up += found.1;
    }
    println!("{programs} programs, {graphs} graphs, {given_up} executions given up");
}

#[test]
fn random_programs_of_all_orderings_show_what_rc11_allows() {
    compare_many(1, 250, &[Relaxed, Acquire, Release, AcqRel, SeqCst]);
}

#[test]
fn random_programs_of_relaxed_and_sequentially_consistent_operations_show_what_rc11_allows() {
    compare_many(2, 150, &[Relaxed, SeqCst, SeqCst, AcqRel]);
}

#[test]
fn random_programs_without_sequential_consistency_show_what_rc11_allows() {
    compare_many(3, 100, &[Relaxed, Acquire, Release, AcqRel]);
}

#[test]
#[ignore = "a longer variant of the tests above"]
fn ten_thousand_random_programs_show_what_rc11_allows() {
    compare_many(5, 4_000, &[Relaxed, Acquire, Release, AcqRel, SeqCst]);
    compare_many(6, 3_000, &[Relaxed, SeqCst, SeqCst, AcqRel]);
    compare_many(7, 3_000, &[Relaxed, Acquire, Release, AcqRel]);
}

/// What sampling shows is allowed, and in small programs it is everything.
#[test]
fn sampled_executions_are_allowed_ones() {
    let mut rng = Rng::new(4);
    let orders = [Relaxed, Acquire, Release, AcqRel, SeqCst];
    let (mut shown, mut all) = (0, 0);
    for seed in 0..60 {
        let program = random_program(&mut rng, &orders);
        let (graphs, _) = allowed(&program);
        let budget = Budget::executions(300);
        let explorer = Explorer::weak("portfolio", seed, budget).unwrap();
        let explored = explore_with(&program, MemoryModel::Rc11, explorer);
        let wrong: Vec<_> = explored.graphs.difference(&graphs).collect();
        assert!(wrong.is_empty(), "{program:?} shows {wrong:?}");
        shown += explored.graphs.len();
        all += graphs.len();
    }
    assert!(shown * 3 > all * 2, "only {shown} of {all} graphs");
}

/// How many of the seeds show the outcome within so many executions.
fn seeds_that_show(program: &Program, outcome: &[Vec<u32>], executions: u64) -> usize {
    let shows = |seed: &u64| {
        let strategy = Box::new(Communications::new(*seed, executions));
        let explorer = Explorer::by(strategy, Budget::executions(executions));
        let explored = explore_with(program, MemoryModel::Rc11, explorer);
        explored.outcomes.iter().any(|(read, _)| read == outcome)
    };
    (0..20).filter(shows).count()
}

#[test]
fn few_communications_show_what_random_stale_reads_seldom_do() {
    // A sequence lock whose reader has no fence before its second look: one read communicates.
    let writer = vec![
        W(0, 1, Relaxed),
        Op::F(Release),
        W(1, 7, Relaxed),
        W(2, 7, Relaxed),
        W(0, 2, Release),
    ];
    let reader = |fence: Vec<Op>| {
        let reads = vec![R(0, Acquire), R(1, Relaxed), R(2, Relaxed)];
        [reads, fence, vec![R(0, Relaxed)]].concat()
    };
    let torn = [vec![], vec![0, 7, 0, 0]];
    let faulty = vec![writer.clone(), reader(Vec::new())];
    let shown = seeds_that_show(&faulty, &torn, 30);
    assert!(shown >= 15, "{shown} of 20 seeds");
    let mended = vec![writer, reader(vec![Op::F(Acquire)])];
    assert_eq!(seeds_that_show(&mended, &torn, 300), 0);
}
