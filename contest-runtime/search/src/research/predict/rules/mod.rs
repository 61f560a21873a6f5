//! What an order of the steps of a trace must satisfy to be an execution, apart from the values read.
//!
//! Rules are found on positions of events and then stated on steps. Steps that are not *included*, those after the last
//! step of a planned schedule, are not bound by any.

pub(super) mod draft;
mod fixed_order;
mod locks;
mod waiting;

use super::step::StepId;

/// A critical section: its beginning and its end, if that is in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    /// Acquires the lock; `None` if it was held from the beginning.
    pub begin: Option<StepId>,
    /// Releases it; `None` if it is held to the end.
    pub end: Option<StepId>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// If `later` is included then `earlier` comes before it.
    Needs {
        /// The dependent step.
        later: StepId,
        /// The step it depends on.
        earlier: StepId,
    },
    /// If both are included then in this order.
    Ordered {
        /// Comes first.
        first: StepId,
        /// Comes second.
        second: StepId,
    },
    /// The sections, both begun in the model, do not overlap.
    Apart {
        /// One section.
        one: Section,
        /// The other.
        two: Section,
    },
    /// A notification that did not wake this waiter comes before the wait or after the notification that woke it.
    Outside {
        /// The notification.
        notify: StepId,
        /// The wait.
        wait: StepId,
        /// What ended it, if anything did.
        ended: Option<StepId>,
    },
    /// A try-lock that failed lies inside one of these sections.
    Inside {
        /// The try-lock.
        failed: StepId,
        /// The sections in which the lock may be held.
        sections: Vec<Section>,
    },
    /// A park that got the token comes after one of the unparks, which comes after the park before.
    Token {
        /// The park.
        park: StepId,
        /// The thread's previous park, which consumed the token that was there.
        after: Option<StepId>,
        /// The unparks that may have made the token available.
        unparks: Vec<StepId>,
    },
}
