//! What one call after another may do is more than one run of each order shows: it may depend on random numbers, on
//! clocks, on addresses and identifiers, and on what a thread did before. Before a finding is reported, the orders are
//! run under such variations. What they show too is no finding; what differs between them in one order is not compared.
//!
//! Measured where there is something to report, and nowhere else: it knows no names of crates or methods.

use std::time::Duration;

use super::linearizability::{Compared, differences};
use super::loosely::Loosely;
use super::rehearsed::{By, Rehearsed};
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use contest_data::circumstances::Circumstances;
use contest_data::finding::FindingKind;
use contest_data::limits::DEFAULT_TICK;
use contest_data::rng::Rng;
use contest_data::sorted::SortedMap;
use contest_data::test::{CallName, RunnableTest};
use contest_data::trace::{Ending, Outcome};
use contest_search::explore::Waits;

/// Serial runs of one kind of variation, as far as each order has [`FEWEST`].
const MOST_RUNS: usize = 600;
/// Of each kind of variation so many are run in any case.
const FEWEST: usize = 1;
/// So many different draws.
const DRAWS: u64 = 12;
/// So many different pasts.
const PASTS: u64 = 16;
/// So often a thread has made its calls before, at most.
const MOST_ROUNDS: u32 = 4;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Variation {
    /// Random numbers and bytes, keys of hashers, ids of threads, addresses.
    Draws,
    /// Clocks that stand still, run slowly or fast, or began earlier.
    Clocks,
    /// Waits with a time limit are over before the next call starts.
    TimeLimits,
    /// The next call starts while one sleeps. Where a call looks again and again, it may do so until it gives up.
    Sleeps,
    /// Threads have made their calls on other objects before.
    Pasts,
}

impl Variation {
    pub(crate) const ALL: [Self; 5] = [
        Self::Draws,
        Self::Clocks,
        Self::TimeLimits,
        Self::Sleeps,
        Self::Pasts,
    ];

    /// What becomes of calls that wait for time.
    pub(crate) const fn waits(self) -> Waits {
        match self {
            Self::Draws | Self::Clocks | Self::Pasts => Waits::Meet,
            Self::TimeLimits => Waits::Over,
            Self::Sleeps => Waits::Overlap,
        }
    }

    /// Why what its runs show is no finding.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Draws => {
                "one call after another may do that too: it depends on random numbers, hash keys, thread ids or addresses"
            }
            Self::Clocks => "one call after another may do that too: it depends on the clock",
            Self::TimeLimits => {
                "one call after another may do that too, when waits with a time limit are over early"
            }
            Self::Sleeps => {
                "one call after another may do that too, when one starts while another sleeps"
            }
            Self::Pasts => {
                "one call after another may do that too: it depends on what the threads did before with another object"
            }
        }
    }

    /// What its runs meet, one after another.
    pub(crate) fn circumstances(self) -> Vec<Circumstances> {
        let usual = Circumstances::USUAL;
        match self {
            Self::Draws => (1..=DRAWS)
                .map(|draws| {
                    let mut rng = Rng::new(draws);
                    Circumstances {
                        draws,
                        clock: Duration::from_micros(rng.bits() % 1_000_000_000),
                        places: rng.bits(),
                        first_id: rng.below(1 << 20),
                        ..usual
                    }
                })
                .collect(),
            Self::Clocks => {
                let ticks = [Duration::ZERO, Duration::from_nanos(1), DEFAULT_TICK * 7];
                let moving = usual.with_moving_clock();
                let mut all = ticks.map(|tick| Circumstances { tick, ..moving }).to_vec();
                all.push(usual.with_fast_clock());
                all.push(Circumstances {
                    clock: Duration::from_secs(86_399),
                    ..usual
                });
                all
            }
            Self::TimeLimits | Self::Sleeps | Self::Pasts => vec![usual],
        }
    }
}

/// True if what is wrong is wrong by what the calls do one after another.
pub(crate) fn rests_on_serial_orders(kind: FindingKind) -> bool {
    use FindingKind::{
        Abort, Cancellation, Deadlock, Invariant, Leak, Livelock, NonLinearizable, Panic, TornRead,
    };
    matches!(
        kind,
        Abort
            | Cancellation
            | Deadlock
            | Invariant
            | Leak
            | Livelock
            | NonLinearizable
            | Panic
            | TornRead
    )
}

/// Runs the serial orders under this variation: adds what they show to the outcomes, and says what is compared no more.
pub(crate) fn vary(
    variation: Variation,
    test: &RunnableTest,
    outcomes: &mut SerialOutcomes,
    compared: &mut Compared,
    run: &mut dyn RunSerially,
) {
    let mut results = Results::of(outcomes);
    let mut new: Vec<SerialRun> = Vec::new();
    let orders = outcomes.runs.len();
    // What a call does to a task that is under way is no matter of one call after another.
    run.set_background_first(outcomes.background_steps());
    let each = (MOST_RUNS / orders.max(1)).max(FEWEST);
    match variation {
        Variation::Pasts => {
            for number in 0..orders {
                let order = &outcomes.runs[number].order;
                if !is_the_same_elsewhere(test, outcomes, compared, number, run) {
                    continue;
                }
                for past in (1..=PASTS).take(each) {
                    let mut rng = Rng::new(past);
                    let lanes = test.test.threads.iter();
                    let rounds: Vec<u8> = lanes.map(|_| rng.below(MOST_ROUNDS + 1) as u8).collect();
                    if let Some(shown) = rehearse(test, outcomes, order, By::Threads(&rounds), run)
                    {
                        // A wait that is over because of another object's calls meets another state: no chance either.
                        if !shown.history.time_passed {
                            results.add(number, &shown);
                        }
                        new.push(shown);
                    }
                }
            }
        }
        _ => {
            run.set_waits(variation.waits());
            for circumstances in variation.circumstances().into_iter().take(each) {
                let before = run.set_circumstances(circumstances);
                for number in 0..orders {
                    let order = &outcomes.runs[number].order;
                    let shown = run.run_serially(test, order, &outcomes.split);
                    let finished = shown.history.ending == Ending::Finished;
                    // A clock that stands still lets loops go round for ever that wait for it.
                    let counts = finished
                        || variation == Variation::Draws
                            && matches!(shown.history.ending, Ending::Deadlock(_));
                    if counts {
                        // What ends early, or begins early, meets another state: that is no chance.
                        if variation.waits() == Waits::Meet {
                            results.add(number, &shown);
                        }
                        new.push(shown);
                    }
                }
                run.set_circumstances(before);
            }
            run.set_waits(Waits::Meet);
        }
    }
    run.set_background_first(false);
    results.loosen(compared);
    for shown in new {
        outcomes.add_varied(shown);
    }
}

/// True if the calls show the same in this order after the main thread has made them on other objects: what is not a
/// thread's own is not changed by that.
fn is_the_same_elsewhere(
    test: &RunnableTest,
    outcomes: &SerialOutcomes,
    compared: &Compared,
    number: usize,
    run: &mut dyn RunSerially,
) -> bool {
    let base = &outcomes.runs[number];
    [1, MOST_ROUNDS as u8].into_iter().all(|rounds| {
        let elsewhere = rehearse(test, outcomes, &base.order, By::Main(rounds), run);
        elsewhere
            .is_some_and(|shown| differences(&base.history, &shown.history, compared).is_empty())
    })
}

fn rehearse(
    test: &RunnableTest,
    outcomes: &SerialOutcomes,
    order: &[u8],
    by: By<'_>,
    run: &mut dyn RunSerially,
) -> Option<SerialRun> {
    let rehearsed = Rehearsed::of(test, outcomes, order, by)?;
    let shown = run.run_serially(&rehearsed.test, &rehearsed.order, &rehearsed.split);
    rehearsed.alone(test, order, shown)
}

/// What each call came back with, by the order in which the calls were run.
struct Results {
    calls: SortedMap<CallName, Vec<Vec<String>>>,
    /// Calls that did not come back with a text in some run, and did in another one of the same order.
    otherwise: Vec<CallName>,
}

impl Results {
    fn of(outcomes: &SerialOutcomes) -> Self {
        let mut results = Self {
            calls: SortedMap::new(),
            otherwise: Vec::new(),
        };
        for (number, run) in outcomes.runs.iter().enumerate() {
            let calls = run.history.lane_calls().chain(run.history.observer_calls());
            for (name, call) in calls {
                if let Outcome::Returned(Some(text)) = &call.outcome {
                    let orders = results.calls.get_or_default(name);
                    orders.resize(outcomes.runs.len(), Vec::new());
                    orders[number].push(text.clone());
                }
            }
        }
        results
    }

    fn add(&mut self, number: usize, shown: &SerialRun) {
        for (name, orders) in self.calls.iter_mut() {
            let texts = &mut orders[number];
            match shown.history.call(*name).map(|call| &call.outcome) {
                Some(Outcome::Returned(Some(text))) if !texts.is_empty() => {
                    texts.push(text.clone());
                }
                _ if texts.is_empty() => {}
                _ => self.otherwise.push(*name),
            }
        }
    }

    fn loosen(self, compared: &mut Compared) {
        for (name, orders) in self.calls.iter() {
            if self.otherwise.contains(name) {
                compared.ignored.insert(*name);
                continue;
            }
            match Loosely::of(orders) {
                None => {}
                Some(Some(loosely)) => compared.loosen(*name, loosely),
                Some(None) => {
                    compared.ignored.insert(*name);
                }
            }
        }
    }
}
