//! One function for each way to pick interleavings. All of them panic at the first execution that fails.

use std::path::Path;

use super::scheduler::{
    DfsScheduler, PctScheduler, RandomScheduler, ReplayScheduler, RoundRobinScheduler, Scheduler,
    UncontrolledNondeterminismCheckScheduler, UrwRandomScheduler,
};
use super::{Config, Runner};

#[track_caller]
fn run(scheduler: impl Scheduler + 'static, f: impl Fn() + Send + Sync + 'static) {
    let _ = Runner::new(scheduler, Config::new()).run(f);
}

/// Runs `f` once, every thread in its turn.
#[track_caller]
pub fn check<F: Fn() + Send + Sync + 'static>(f: F) {
    run(RoundRobinScheduler::new(1), f);
}

/// Runs `f` this many times under a uniform random walk ([`Urw`](contest_search::explore::Urw)).
#[track_caller]
pub fn check_urw<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize) {
    run(UrwRandomScheduler::new(iterations), f);
}

/// Runs `f` this many times under a random walk ([`Random`](contest_search::explore::Random)).
#[track_caller]
pub fn check_random<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize) {
    run(RandomScheduler::new(iterations), f);
}

/// As [`check_random`], with the seed given.
#[track_caller]
pub fn check_random_with_seed<F: Fn() + Send + Sync + 'static>(f: F, seed: u64, iterations: usize) {
    run(RandomScheduler::new_from_seed(seed, iterations), f);
}

/// Runs `f` this many times under random priorities ([`Pct`](contest_search::explore::Pct)), for bugs of this depth.
#[track_caller]
pub fn check_pct<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize, depth: usize) {
    run(PctScheduler::new(depth, iterations), f);
}

/// Runs `f` under every schedule, or the first so many.
///
/// Every order of steps is run, also those that cannot make a difference to anything this crate sees;
/// [`Builder::exhaustive`](crate::Builder::exhaustive) leaves those out.
#[track_caller]
pub fn check_dfs<F: Fn() + Send + Sync + 'static>(f: F, max_iterations: Option<usize>) {
    run(DfsScheduler::new(max_iterations, false), f);
}

/// Runs `f` under a random walk, every execution twice, and fails if it does not do the same when the same decisions
/// are taken.
#[track_caller]
pub fn check_uncontrolled_nondeterminism<F: Fn() + Send + Sync + 'static>(
    f: F,
    max_iterations: usize,
) {
    let inner = RandomScheduler::new(max_iterations);
    run(UncontrolledNondeterminismCheckScheduler::new(inner), f);
}

/// Runs the one execution of this schedule.
#[track_caller]
pub fn replay<F: Fn() + Send + Sync + 'static>(f: F, encoded_schedule: &str) {
    run(ReplayScheduler::new_from_encoded(encoded_schedule), f);
}

/// Runs the one execution of the schedule in this file.
///
/// # Panics
/// If the file cannot be read.
#[track_caller]
pub fn replay_from_file<F: Fn() + Send + Sync + 'static, P: AsRef<Path>>(f: F, path: P) {
    let scheduler = ReplayScheduler::new_from_file(path).expect("cannot read the schedule");
    run(scheduler, f);
}
