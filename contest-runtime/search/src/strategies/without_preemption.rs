//! The choice that preempts no thread.

use contest_data::decision::{DecisionPoint, ThreadSet};
use contest_data::trace::ThreadIndex;

/// Of `allowed`, not empty: the current thread unless it yields to another, else the one with the lowest number.
pub(crate) fn without_preemption(point: &DecisionPoint<'_>, allowed: ThreadSet) -> ThreadIndex {
    let others = allowed.without(point.current);
    let continues = allowed.contains(point.current) && (!point.yielded || others.is_empty());
    if continues {
        point.current
    } else {
        others.lowest()
    }
}
