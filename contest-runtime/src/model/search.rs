//! From what a builder says to an explorer.

use std::time::Duration;

use super::Builder;
use super::builder::Search;
use super::determinism::Repetitions;
use contest_data::limits::MemoryModel;
use contest_data::names::STRATEGIES;
use contest_data::trace::Schedule;
use contest_search::explore::{Budget, Explorer, Replay};

/// Executions if nothing is said and the search need not be exhaustive.
const DEFAULT_EXECUTIONS: u64 = 100_000;
/// As good as no limit, and small enough to be multiplied by percentages.
const ENDLESS: Duration = Duration::from_secs(100 * 365 * 86_400);
const COUNTLESS: u64 = u64::MAX / 256;

/// The schedule in a token.
///
/// # Panics
/// If it is damaged.
#[track_caller]
pub(super) fn schedule(token: &str) -> Schedule {
    match Schedule::from_text(token.trim()) {
        Ok(schedule) => schedule,
        Err(error) => panic!("contest: cannot replay `{token}`: {error}"),
    }
}

/// The exploration that the builder describes, and which of its executions are repeated.
///
/// # Panics
/// If there is no such strategy.
#[track_caller]
pub(super) fn explorer(builder: &mut Builder) -> (Repetitions, Explorer) {
    let search = std::mem::replace(&mut builder.search, Search::Preemptions(0));
    let bounded_by_itself =
        builder.must_exhaust || !matches!(&search, Search::Named(_)) || builder.time.is_some();
    let executions = builder.executions.unwrap_or(if bounded_by_itself {
        COUNTLESS
    } else {
        DEFAULT_EXECUTIONS
    });
    let executions = executions.min(COUNTLESS);
    let (repetitions, executions) = if builder.repeats {
        Repetitions::within(executions)
    } else {
        (Repetitions::none(), executions)
    };
    let budget = Budget {
        executions,
        time: builder.time.unwrap_or(ENDLESS).min(ENDLESS),
        minimum: 0,
    };
    let explorer = match search {
        Search::Named(name) => match builder.limits.memory_model {
            MemoryModel::Sc => Explorer::new(&name, builder.seed, budget),
            MemoryModel::Rc11 => Explorer::weak(&name, builder.seed, budget),
        }
        .unwrap_or_else(|name| {
            let known: Vec<&str> = STRATEGIES.iter().map(|(name, _)| *name).collect();
            assert!(
                name != "loom",
                "contest: strategy `loom` needs the feature of this name: cargo test --features contest-runtime/loom"
            );
            panic!(
                "contest: there is no strategy `{name}`; there are: {}",
                known.join(", ")
            )
        }),
        Search::Custom(strategy) => Explorer::by(strategy, budget),
        Search::Preemptions(bound) => Explorer::bounded(bound, budget, builder.limits.memory_model),
        Search::Replay(token) => Explorer::by(Box::new(Replay::new(schedule(&token))), budget),
    };
    (repetitions, explorer)
}
