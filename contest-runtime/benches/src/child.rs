//! What the processes of single rows do. Each prints its figures, separated by spaces.

use std::hint::black_box;
use std::sync::atomic::Ordering::SeqCst;

use crate::cpu::{median_and_least, nanoseconds, resident_kib};
use crate::modes::{Bench, MOST, Mode};
use crate::programs::executions;

const REPETITIONS: usize = 7;
/// Least CPU time of one repetition, in nanoseconds.
const LONG_ENOUGH: f64 = 1e8;

/// `row MODE PROGRAM`: executions of an exploration, then ns per execution, median and least.
pub(crate) fn row(mode: &str, program: &str) {
    let mode = Mode::by_name(mode).expect("a mode");
    let run = mode.program(program).expect("a program").run;
    let most = if program == "l" { 2_000 } else { MOST };
    let (size, times) = repeat(mode, most, run);
    let (median, least) = median_and_least(times);
    println!("{size} {median} {least}");
}

/// `events MODE ROUNDS`: as `row`, of the program with that many increments in each thread.
pub(crate) fn events(mode: &str, rounds: &str) {
    let mode = Mode::by_name(mode).expect("a mode");
    let rounds: usize = rounds.parse().expect("a number");
    let run = mode.increments();
    let most = (1_000_000 / rounds as u64).clamp(5, 10_000);
    let (size, times) = repeat(mode, most, move || run(rounds));
    let (median, least) = median_and_least(times);
    println!("{size} {median} {least}");
}

/// Size of one exploration, and ns per execution of each repetition.
fn repeat(
    mode: Mode,
    most: u64,
    body: impl Fn() + Send + Sync + Copy + 'static,
) -> (u64, Vec<f64>) {
    let mut bench = Bench::new();
    // Grown until it takes long enough, which also warms everything up.
    let mut count = if mode.exhausts() { most } else { 10.min(most) };
    let mut repeats = 1;
    let size = loop {
        let (before, begin) = (executions(), nanoseconds());
        for _ in 0..repeats {
            bench.explore(mode, count, body);
        }
        let (took, ran) = (nanoseconds() - begin, executions() - before);
        if took >= LONG_ENOUGH {
            break ran / repeats;
        }
        if mode.exhausts() || count >= most {
            repeats *= 2;
        } else {
            count = (count * 2).min(most);
        }
    };
    let times = (0..REPETITIONS).map(|_| {
        let (before, begin) = (executions(), nanoseconds());
        for _ in 0..repeats {
            bench.explore(mode, count, body);
        }
        (nanoseconds() - begin) / (executions() - before) as f64
    });
    (size, times.collect())
}

/// `count MODE PROGRAM N`: runs N executions (explorations, if the mode exhausts) and prints how many executions that
/// was.
pub(crate) fn count(mode: &str, program: &str, number: &str) {
    let mode = Mode::by_name(mode).expect("a mode");
    let run = mode.program(program).expect("a program").run;
    let number: u64 = number.parse().expect("a number");
    let mut bench = Bench::new();
    if mode.exhausts() {
        for _ in 0..number {
            bench.explore(mode, MOST, run);
        }
    } else if number > 0 {
        bench.explore(mode, number, run);
    }
    println!("{}", executions());
}

/// `memory MILLIONS`: KiB in use after the first 100,000 executions of b and at the end, and executions that were run.
pub(crate) fn memory(millions: &str) {
    let millions: u64 = millions.parse().expect("a number");
    let run = Mode::OursRandom.program("b").expect("a program").run;
    let mut bench = Bench::new();
    bench.explore(Mode::OursRandom, 100_000, run);
    let begin = resident_kib();
    bench.explore(Mode::OursRandom, millions * 1_000_000, run);
    println!("{begin} {} {}", resident_kib(), executions());
}

/// `outside WHAT`: ns per operation outside an execution, median and least.
pub(crate) fn outside(what: &str) {
    macro_rules! measure {
        ($operation:expr) => {{
            let mut times = Vec::new();
            for _ in 0..=REPETITIONS {
                const TIMES: u32 = 20_000_000;
                let begin = nanoseconds();
                for _ in 0..TIMES {
                    $operation;
                }
                times.push((nanoseconds() - begin) / f64::from(TIMES));
            }
            // The first one warms up.
            median_and_least(times.split_off(1))
        }};
    }
    let (median, least) = match what {
        "std lock" => {
            let mutex = black_box(std::sync::Mutex::new(0_u64));
            measure!(*black_box(&mutex).lock().unwrap() += 1)
        }
        "our lock" => {
            let mutex = black_box(contest::sync::Mutex::new(0_u64));
            measure!(*black_box(&mutex).lock().unwrap() += 1)
        }
        "std fetch_add" => {
            let number = black_box(std::sync::atomic::AtomicU64::new(0));
            measure!(black_box(black_box(&number).fetch_add(1, SeqCst)))
        }
        "our fetch_add" => {
            let number = black_box(contest::sync::atomic::AtomicU64::new(0));
            measure!(black_box(black_box(&number).fetch_add(1, SeqCst)))
        }
        _ => panic!("no such operation"),
    };
    println!("{median} {least}");
}
