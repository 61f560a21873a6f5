//! Whether the code under test does the same twice. What it reads from outside (a file, the processor's clock,
//! addresses) is not under control; a result that differs by chance is no finding.

use super::prepared_test::PreparedTest;
use super::test_runner::TestRunner;
use crate::judge::{History, RunSerially};
use contest_data::test::CallName;

/// How often everything is run again. Code that decides by a toss of a coin is overlooked once in 256 times, if that
/// shows in one order.
const ROUNDS: usize = 8;
/// Serial orders that are run again in each round.
const MOST_ORDERS: usize = 16;

/// Runs the serial orders of the test again and again; true if every call always does what it did before. Calls that
/// are not compared anyway may differ.
pub(super) fn is_steady(runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> bool {
    let outcomes = &prepared.outcomes;
    let observed = runner.observe_all(true);
    let steady = (0..ROUNDS).all(|_| {
        outcomes.runs.iter().take(MOST_ORDERS).all(|before| {
            let again = runner.run_serially(&prepared.test, &before.order, &outcomes.split);
            same(&before.history, &again.history, |name| {
                !outcomes.unstable.contains(&name)
            })
        })
    });
    runner.observe_all(observed);
    steady
}

/// Runs in which a schedule has to show a bug again before the bug is reported.
pub(super) const AGAIN: usize = ROUNDS;

fn same(one: &History, other: &History, compared: impl Fn(CallName) -> bool) -> bool {
    let main = (0..one.main.len()).map(CallName::Main);
    let lanes = one.lane_calls().map(|(name, _)| name);
    let outcome = |history: &History, name| history.call(name).map(|call| call.outcome.clone());
    main.chain(lanes)
        .filter(|name| compared(*name))
        .all(|name| outcome(one, name) == outcome(other, name))
}
