//! Fewest preemptions: searched for with a growing bound, so the first one found is a smallest one.

use super::{Reproduce, Reproduction};
use crate::assemble::ConcurrentTest;

/// The execution with the fewest preemptions found that still shows the bug.
pub fn drop_switches(
    test: &ConcurrentTest,
    found: Reproduction,
    run: &mut dyn Reproduce,
) -> Reproduction {
    for bound in 0..=found.preemptions {
        if !run.goes_on() {
            break;
        }
        if let Some(better) = run.reproduce(test, Some(bound)) {
            let fewer = (better.preemptions, better.steps) < (found.preemptions, found.steps);
            return if fewer { better } else { found };
        }
    }
    found
}
