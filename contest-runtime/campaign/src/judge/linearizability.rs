//! Is a history explained by some serial order of its calls that respects real time?

use super::cancelled::Effect;
use super::history::History;
use super::history::Observed;
use super::judgement::Judge;
use super::loosely::Loosely;
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use contest_data::sorted::{SortedMap, SortedSet};
use contest_data::subject::FutureUse;
use contest_data::test::{CallName, RunnableTest};
use contest_data::trace::Outcome;
use contest_engine::observe::variant;

/// Which results of a test are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    /// Calls whose results are not: weakly consistent by custom, or different in two equal runs.
    pub ignored: SortedSet<CallName>,
    /// Calls whose results are compared by what does not vary in them.
    loosely: SortedMap<CallName, Loosely>,
    /// Of results that are a variant with something in it, only the variant is compared.
    pub by_variant: bool,
    /// The user wants a comparison by the letter: weakly consistent operations, and `try_` operations that give up.
    pub strict: bool,
}

impl Compared {
    /// All results but those of these calls are.
    pub(crate) fn without(ignored: SortedSet<CallName>, strict: bool) -> Self {
        Self {
            ignored,
            loosely: SortedMap::new(),
            by_variant: false,
            strict,
        }
    }

    /// From here on results of this call are compared so only.
    pub(super) fn loosen(&mut self, name: CallName, loosely: Loosely) {
        match self.loosely.insert(name, loosely.clone()) {
            Some(before) if before != loosely => {
                // Each leaves out what the other one compares.
                self.ignored.insert(name);
            }
            _ => {}
        }
    }

    /// True if some result is compared by what does not vary in it.
    pub(crate) fn is_loose(&self) -> bool {
        !self.loosely.is_empty()
    }

    /// True if both outcomes of the call are the same, as far as they are compared.
    #[must_use]
    pub(crate) fn equal(&self, name: CallName, left: &Outcome, right: &Outcome) -> bool {
        match (left, right) {
            (Outcome::Returned(_), Outcome::Returned(_)) if self.ignored.contains(&name) => true,
            // A call that was given up may have done all that it does, or wait.
            (Outcome::Returned(Some(left)), Outcome::Returned(_) | Outcome::Pending)
                if left == FutureUse::CANCELLED =>
            {
                true
            }
            // The message may hold values; where it happened is what counts.
            (Outcome::Panicked(_, left), Outcome::Panicked(_, right)) => left == right,
            (Outcome::Returned(Some(left)), Outcome::Returned(Some(right))) => {
                same_text(left, right)
                    || self.by_variant && variant(left) == variant(right)
                    || (self.loosely.get(&name)).is_some_and(|it| it.same(left, right))
            }
            _ => left == right,
        }
    }
}

/// Equal, or one of them is only a variant, because the value showed shared state, and the other is of that variant.
fn same_text(left: &str, right: &str) -> bool {
    left == right || {
        let (left_variant, right_variant) = (variant(left), variant(right));
        left_variant == right_variant && (left == left_variant || right == right_variant)
    }
}

/// What the serial orders say about a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explanation {
    /// This run has the same results, in an order that respects real time.
    Linearizable(usize),
    /// This run has the same results, but swaps calls of which one had ended before the other began.
    OnlySequential(usize),
    /// No order has the same results; this run differs in the fewest.
    None(usize),
}

/// Looks for a serial run with the results of `history`. `None` if there are no runs.
#[must_use]
pub(super) fn explain(
    history: &History,
    outcomes: &SerialOutcomes,
    compared: &Compared,
) -> Option<Explanation> {
    let mut sequential = None;
    let mut nearest = None;
    for (index, run) in outcomes.all().enumerate() {
        let differences = differences(history, &run.history, compared).len();
        if differences == 0 {
            if respects_real_time(history, run) {
                return Some(Explanation::Linearizable(index));
            }
            sequential.get_or_insert(index);
        }
        if nearest.is_none_or(|(fewest, _)| differences < fewest) {
            nearest = Some((differences, index));
        }
    }
    sequential
        .map(Explanation::OnlySequential)
        .or_else(|| nearest.map(|(_, index)| Explanation::None(index)))
}

/// Calls of lanes and observers whose results differ.
#[must_use]
pub(super) fn differences(left: &History, right: &History, compared: &Compared) -> Vec<CallName> {
    left.lane_calls()
        .chain(left.observer_calls())
        .filter(|(name, call)| {
            right
                .call(*name)
                .is_none_or(|other| !compared.equal(*name, &call.outcome, &other.outcome))
        })
        .map(|(name, _)| name)
        .collect()
}

/// A history without some of its calls, and the serial orders of the rest of the test.
pub(super) struct Rest {
    pub test: RunnableTest,
    pub history: History,
    pub outcomes: SerialOutcomes,
    pub compared: Compared,
}

impl Rest {
    /// What is left where calls have this effect; `compared` says which results of the whole history are.
    pub(super) fn of(
        judge: &Judge<'_>,
        history: &History,
        effect: &Effect,
        compared: &Compared,
        run: &mut dyn RunSerially,
    ) -> Self {
        let mut test = judge.test.clone();
        test.leave_waiting(effect.waiting.iter().filter_map(CallName::in_lane));
        let mut rest = history.clone();
        let stays =
            |lane: usize, number: usize| !effect.without.contains(&CallName::Lane(lane, number));
        let mut of_rest = Compared {
            by_variant: compared.by_variant,
            ..Compared::default()
        };
        for lane in 0..rest.lanes.len() {
            let mut moved = 0;
            for number in 0..rest.lanes[lane].len() {
                if stays(lane, number) {
                    let name = CallName::Lane(lane, number);
                    let moved_name = CallName::Lane(lane, moved);
                    if compared.ignored.contains(&name) {
                        of_rest.ignored.insert(moved_name);
                    }
                    if let Some(loosely) = compared.loosely.get(&name) {
                        of_rest.loosely.insert(moved_name, loosely.clone());
                    }
                    moved += 1;
                }
            }
            let mut number = 0;
            test.test.threads[lane].retain(|_| {
                number += 1;
                stays(lane, number - 1)
            });
            let mut number = 0;
            rest.lanes[lane].retain(|_| {
                number += 1;
                stays(lane, number - 1)
            });
        }
        let main = compared
            .ignored
            .iter()
            .filter(|name| matches!(name, CallName::Main(_)));
        of_rest.ignored.extend(main);
        let is_main = |name: &CallName| matches!(name, CallName::Main(_));
        let main = (compared.loosely.iter()).filter(|(name, _)| is_main(name));
        (of_rest.loosely).extend(main.map(|(name, loosely)| (*name, loosely.clone())));
        let mut outcomes = SerialOutcomes::of(&test, run);
        outcomes.settle(&test, run);
        of_rest.ignored.extend(&outcomes.unstable);
        Self {
            test,
            history: rest,
            outcomes,
            compared: of_rest,
        }
    }

    /// Leaves only the runs that make their calls, by lane and number, in these orders.
    pub(super) fn keep_orders(&mut self, keeps: impl Fn(&[(usize, usize)]) -> bool) {
        let outcomes = &self.outcomes;
        let runs = outcomes.runs.iter();
        let kept: Vec<bool> = runs
            .map(|run| keeps(&outcomes.calls_of(&run.order)))
            .collect();
        let mut kept = kept.into_iter();
        self.outcomes.runs.retain(|_| kept.next() == Some(true));
    }

    /// True if some serial order has these results.
    pub(super) fn is_explained(&self) -> bool {
        matches!(
            explain(&self.history, &self.outcomes, &self.compared),
            Some(Explanation::Linearizable(_) | Explanation::OnlySequential(_))
        )
    }

    /// True if all calls that hang, hang in one serial order.
    pub(super) fn hangs_the_same_way(&self) -> bool {
        let pending: SortedSet<CallName> = self.history.pending().collect();
        self.outcomes.runs.iter().any(|serial| {
            let there: SortedSet<CallName> = serial.history.pending().collect();
            pending.is_subset(&there)
        })
    }
}

/// No call that ended before another one began in `history` comes after it in `run`.
fn respects_real_time(history: &History, run: &SerialRun) -> bool {
    let before = |left: &Observed, right: &Observed| {
        left.ended != u32::MAX && right.began != u32::MAX && left.ended < right.began
    };
    history.lane_calls().all(|(left, left_here)| {
        history.lane_calls().all(|(right, right_here)| {
            if !before(left_here, right_here) {
                return true;
            }
            match (run.history.call(left), run.history.call(right)) {
                (Some(left), Some(right)) => !before(right, left),
                _ => true,
            }
        })
    })
}
