//! What two threads hold at the same time, where one of them has to wait for the other one in every order of the calls:
//! a lock that lets two in, a pool that hands out more than it has.
//!
//! A result that is kept is held from the end of its call to the beginning of the call that lets it go, unless it is an
//! error or nothing. Here real time counts, and values do not: whatever the object says of itself, both have it.

use super::cancelled::{about_cancelled, effects};
use super::history::History;
use super::judgement::Judge;
use super::linearizability::Rest;
use super::non_linearizable::details;
use super::serial_outcomes::{RunSerially, SerialOutcomes};
use super::verdict::{Suspicion, Verdict};
use contest_data::finding::FindingKind;
use contest_data::sorted::SortedSet;
use contest_data::subject::Keeping;
use contest_data::test::{CallName, RunnableTest};
use contest_data::trace::Outcome;
use contest_engine::observe::variant;

/// A result that a thread keeps, from one event to another one.
struct Held {
    call: CallName,
    /// Which lane, and which of the results that it keeps. It is the same where other calls are left out.
    place: (usize, usize),
    variant: String,
    from: u32,
    to: u32,
}

impl Held {
    fn overlaps(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }

    fn key(&self) -> Key {
        (self.place, self.variant.clone())
    }
}

/// A result by its place and its variant.
type Key = ((usize, usize), String);

/// The verdict on results that are held at the same time, if no order of the calls is known to allow that.
pub(super) fn judge(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Option<Verdict> {
    let held = held(judge.test, history);
    let mut pairs: Vec<(&Held, &Held)> = at_once(&held).collect();
    let mut seen = Seen::default();
    seen.add(judge.test, judge.outcomes);
    let mut complete = judge.outcomes.complete;
    pairs.retain(|pair| !seen.has_both(*pair));
    if pairs.is_empty() {
        return None;
    }
    for effect in effects(judge, history) {
        if !effect.is_none() {
            let rest = Rest::of(judge, history, &effect, judge.compared, run);
            complete &= rest.outcomes.complete;
            seen.add(&rest.test, &rest.outcomes);
        }
    }
    let (one, other) = pairs
        .into_iter()
        .find(|pair| !seen.has_both(*pair) && seen.has_alone(pair.0) && seen.has_alone(pair.1))?;
    // What is kept may expire, and a background thread may make room for one more.
    if history.early_timeout || history.time_passed || history.background_steps {
        return Some(Verdict::Unjudged(
            "results are held at the same time, beside background threads or after time has passed",
        ));
    }
    if !complete {
        return Some(Verdict::Unjudged("too many serial orders"));
    }
    let calls = vec![one.call, other.call];
    let [first, second] = [one.call, other.call].map(|call| judge.text(call));
    let suspicion = Suspicion {
        kind: FindingKind::NonLinearizable,
        rests_on_order: false,
        message: format!(
            "the results of {first} and of {second} are held at the same time; one call after another, one of the two has to wait for the end of the other one"
        ),
        details: details(judge, history, &calls),
        locations: Vec::new(),
        calls,
        only_reads: false,
    };
    let suspicion = about_cancelled(judge, history, suspicion);
    Some(Verdict::Suspect(Box::new(suspicion)))
}

/// The results that different threads hold at the same time, in pairs.
fn at_once(held: &[Held]) -> impl Iterator<Item = (&Held, &Held)> {
    (1..).zip(held).flat_map(|(next, one)| {
        let others = held[next..].iter();
        let beside = others.filter(|it| it.place.0 != one.place.0 && one.overlaps(it));
        beside.map(move |it| (one, it))
    })
}

/// What serial orders show of results that are held.
#[derive(Default)]
struct Seen {
    together: SortedSet<(Key, Key)>,
    alone: SortedSet<Key>,
}

impl Seen {
    fn add(&mut self, test: &RunnableTest, outcomes: &SerialOutcomes) {
        for run in outcomes.all() {
            let held = held(test, &run.history);
            let pairs = || at_once(&held).map(|(one, other)| (one.key(), other.key()));
            self.together.extend(pairs());
            let beside: SortedSet<Key> = pairs().flat_map(|(one, other)| [one, other]).collect();
            let keys = held.iter().map(Held::key);
            self.alone.extend(keys.filter(|it| !beside.contains(it)));
        }
    }

    fn has_both(&self, (one, other): (&Held, &Held)) -> bool {
        self.together.contains(&(one.key(), other.key()))
    }

    fn has_alone(&self, held: &Held) -> bool {
        self.alone.contains(&held.key())
    }
}

/// What the lanes hold, lane after lane.
fn held(test: &RunnableTest, history: &History) -> Vec<Held> {
    let mut all = Vec::new();
    for (lane, calls) in test.test.threads.iter().enumerate() {
        let keeping = |number: usize| {
            let operation = usize::from(calls[number].operation);
            test.subject.operations[operation].contract.keeping
        };
        let mut kept = 0;
        for number in 0..calls.len() {
            if keeping(number) != Keeping::Keeps {
                continue;
            }
            let place = (lane, kept);
            kept += 1;
            let call = CallName::Lane(lane, number);
            let Some(observed) = history.call(call) else {
                continue;
            };
            let Outcome::Returned(text) = &observed.outcome else {
                continue;
            };
            let variant = text.as_deref().map_or_else(String::new, variant);
            if variant == "None" || variant.starts_with("Err") {
                continue;
            }
            // The next result that is kept takes the place of this one when it is there.
            let end = (number + 1..calls.len()).find(|&it| keeping(it) != Keeping::No);
            let to = end.and_then(|end| {
                let by = history.call(CallName::Lane(lane, end))?;
                let to = match keeping(end) {
                    Keeping::Keeps => by.ended,
                    _ => by.began,
                };
                Some(to)
            });
            all.push(Held {
                call,
                place,
                variant,
                from: observed.ended,
                to: to.unwrap_or(u32::MAX),
            });
        }
    }
    all
}
