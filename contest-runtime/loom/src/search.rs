//! Runs a closure under `loom::model`, and says what came of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::captured_panic::{Captured, collect};
use super::log;
use super::{MOST_THREADS, PREEMPTIONS};

/// Executions up to which a search that failed is run again with locations.
const FEW: u64 = 20_000;

/// What bounds a search. loom's own variables (`LOOM_MAX_PREEMPTIONS` and the like) go before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Most preemptions of an execution; `None`: [`PREEMPTIONS`], unless `all`.
    pub preemptions: Option<usize>,
    /// No bound of preemptions.
    pub all: bool,
    /// Most executions.
    pub executions: Option<u64>,
    /// Most time.
    pub time: Option<Duration>,
    /// Most steps of an execution.
    pub steps: Option<usize>,
}

/// Why a search ended.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// Nothing is left to run.
    Complete,
    /// Nothing is left to run with so many preemptions, a bound that the user did not set.
    Preemptions(usize),
    /// A bound was reached.
    Bound(&'static str),
    /// A model failed.
    Failed(Captured),
}

/// A closure that outlives the search.
struct Body(*const (dyn Fn() + 'static));

// SAFETY: loom's bounds ask for threads, but it runs all of a model on the OS thread that called it.
unsafe impl Send for Body {}
// SAFETY: loom calls it on the OS thread that called it, so it is never used by two OS threads.
unsafe impl Sync for Body {}

impl Body {
    fn call(&self) {
        // SAFETY: `run` returns before the closure ends, and loom has dropped what it had by then.
        unsafe { (*self.0)() }
    }
}

/// Runs the closure again and again. Returns the number of executions and why there are no more.
pub fn search(bounds: Bounds, body: &dyn Fn()) -> (u64, Stopped) {
    let mut loom = loom::model::Builder::new();
    loom.max_threads = MOST_THREADS;
    loom.checkpoint_interval = 1;
    loom.checkpoint_file = None;
    if let Some(steps) = bounds.steps {
        loom.max_branches = loom.max_branches.max(steps);
    }
    let mut unasked = None;
    if loom.preemption_bound.is_none() && !bounds.all {
        loom.preemption_bound = bounds.preemptions.or(Some(PREEMPTIONS));
        if bounds.preemptions.is_none() {
            unasked = Some(PREEMPTIONS);
        }
    }
    let executions = bounds.executions.and_then(|it| usize::try_from(it).ok());
    let most = loom.max_permutations.or(executions);
    // loom looks before each execution whether its number, counting from 1, is the limit.
    loom.max_permutations = most.map(|most| most.saturating_add(1));
    loom.max_duration = loom.max_duration.or(bounds.time);
    let longest = loom.max_duration;

    let begin = std::time::Instant::now();
    let (count, failed) = run(&loom, body);
    let stopped = match failed {
        Some(mut panic) => {
            if count <= FEW {
                // Costly, and therefore only for what fails anyway. The search is the same.
                loom.location = true;
                loom.max_duration = None;
                log::start();
                let (again, with_places) = run(&loom, body);
                let (steps, dropped) = log::take();
                if let Some(with_places) = with_places
                    && again == count
                {
                    panic = with_places;
                    panic.steps = steps;
                    if dropped > 0 {
                        panic.message = format!(
                            "{}\n{dropped} further steps are not shown",
                            panic.message.trim_end()
                        );
                    }
                }
            }
            Stopped::Failed(panic)
        }
        None if most.is_some_and(|most| count as usize >= most) => {
            Stopped::Bound("the number of executions")
        }
        None if longest.is_some_and(|longest| begin.elapsed() >= longest) => {
            Stopped::Bound("the time")
        }
        None => unasked.map_or(Stopped::Complete, Stopped::Preemptions),
    };
    (count, stopped)
}

fn run(loom: &loom::model::Builder, body: &dyn Fn()) -> (u64, Option<Captured>) {
    let count = std::sync::Arc::new(AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&count);
    // SAFETY: only the lifetime changes; see `Body::call`.
    let body = Body(unsafe {
        std::mem::transmute::<*const (dyn Fn() + '_), *const (dyn Fn() + 'static)>(body)
    });
    let model = move || {
        counted.fetch_add(1, Relaxed);
        log::begin();
        body.call();
    };
    let (result, panics) = collect(|| catch_unwind(AssertUnwindSafe(|| loom.check(model))));
    let failed = result.err().map(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("a panic whose payload is no text");
        // Others were caught, or followed from it.
        let known = panics.iter().find(|panic| panic.message == text);
        known.cloned().unwrap_or_else(|| Captured {
            message: text.to_owned(),
            location: String::new(),
            steps: Vec::new(),
        })
    });
    (count.load(Relaxed), failed)
}
