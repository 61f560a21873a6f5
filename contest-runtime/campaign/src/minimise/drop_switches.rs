//! Fewest preemptions: executions with none or one are searched for first, because most bugs need no more and there are
//! few of them. Then switches are taken out of the execution that was found as long as the bug still shows, and
//! executions with fewer preemptions than what is left are searched for with a growing bound.

use std::ops::Range;

use super::{Again, OneTest, Reproduce, Reproduction};
use contest_data::test::ConcurrentTest;

/// Executions with fewer preemptions than this are searched for before switches are taken out.
const SEARCHED_FIRST: u32 = 2;
/// Executions with so many preemptions or more are not searched for: there are far too many.
const MOST_SEARCHED: u32 = 5;
/// Most visible operations that are run in vain to take out switches: in a loop that goes round for ever, none of
/// thousands can be missed.
const MOST_IN_VAIN: u64 = 100_000;

/// The execution of the test with the fewest preemptions found that still shows the bug.
pub(crate) fn drop_switches(
    test: &ConcurrentTest,
    found: Reproduction,
    run: &mut dyn Reproduce,
) -> Reproduction {
    fewest_switches(found, &mut OneTest { test, run })
}

/// The execution without switches that the bug does not need; no other execution is searched for.
pub(crate) fn without_needless(
    test: &ConcurrentTest,
    found: Reproduction,
    run: &mut dyn Reproduce,
) -> Reproduction {
    fewer_switches(found, &mut OneTest { test, run })
}

/// As [`drop_switches`], of any body.
pub fn fewest_switches(found: Reproduction, run: &mut dyn Again) -> Reproduction {
    let searched = found.preemptions.min(SEARCHED_FIRST);
    if let Some(better) = fewer_preemptions(0..searched, run) {
        return better;
    }
    let found = fewer_switches(found, run);
    let most = found.preemptions.min(MOST_SEARCHED);
    fewer_preemptions(searched..most, run).unwrap_or(found)
}

/// The first execution with one of these numbers of preemptions that shows the bug.
fn fewer_preemptions(bounds: Range<u32>, run: &mut dyn Again) -> Option<Reproduction> {
    for bound in bounds {
        if !run.goes_on() {
            break;
        }
        if let Some(better) = run.with_preemptions(bound) {
            return Some(better);
        }
    }
    None
}

/// Takes out runs of switches, halves first, then smaller ones, until no single one can be missed, or too much was run
/// in vain.
fn fewer_switches(mut found: Reproduction, run: &mut dyn Again) -> Reproduction {
    let mut length = found.switches.len().div_ceil(2);
    let mut in_vain = 0;
    while length > 0 {
        let mut smaller = false;
        // From the end: what comes last depends least on the rest.
        let mut end = found.switches.len();
        while end > 0 && run.goes_on() {
            let start = end.saturating_sub(length);
            let mut fewer = found.switches.clone();
            fewer.drain(start..end);
            match run.with_switches(&fewer, &found.values) {
                Some(better) if size(&better) < size(&found) => {
                    found = better;
                    smaller = true;
                    end = start.min(found.switches.len());
                    in_vain = 0;
                }
                _ => {
                    end = start;
                    in_vain += u64::from(found.steps);
                }
            }
            if in_vain >= MOST_IN_VAIN {
                return found;
            }
        }
        if !run.goes_on() {
            break;
        }
        if !smaller || length > found.switches.len() {
            length = if length == 1 { 0 } else { length / 2 };
        }
    }
    found
}

/// What is to become small.
fn size(found: &Reproduction) -> (u32, usize, u32) {
    (found.preemptions, found.switches.len(), found.steps)
}
