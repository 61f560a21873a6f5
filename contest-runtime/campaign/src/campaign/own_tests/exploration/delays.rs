//! What a test depends on that the machine does in time: it is run with one thread held up at one place, for each place
//! of the execution that stops no thread, as far as its time reaches.

use std::path::Path;
use std::time::Instant;

use super::{Exploration, Purpose};
use crate::judge::timing::is_of_system;
use contest_data::delay::{Delay, DelayPoint};
use contest_data::finding::{Allowed, FindingKind};
use contest_data::limits::Leeway;
use contest_data::rng::Rng;
use contest_data::sorted::{self, SortedMap};
use contest_data::trace::{Action, ExecutionRecord, LeftOut, ObjectId, Schedule, ThreadIndex};

/// Delays take no more than one of so many parts of the test's time.
const SHARE: u32 = 2;
/// Executions with a delay and preemptions, of a test and of a pair of tests.
const MOST_RANDOM: [u32; 2] = [100, 300];
/// Most places in one test.
const MOST: usize = 1_000;
/// Where a test draws numbers, delays are tried under so many draws in turn: which branch of a `select!` is looked at
/// first decides only where two are ready, because a thread was late.
const DRAWS: u16 = 4;

impl Exploration<'_, '_> {
    /// Runs the execution that stops no thread once more for each place at which one can be held up.
    pub(super) fn run_delays(&mut self, first: &ExecutionRecord) {
        if Allowed::everywhere(&self.settings.allow, FindingKind::Timing) {
            return;
        }
        let until = self.begun + self.until.saturating_duration_since(self.begun) / SHARE;
        let most = self.most.saturating_sub(self.running.executions);
        let most = MOST.min(most as usize);
        self.places = places(first, most + 1);
        if self.places.len() > most {
            self.places.truncate(most);
            self.all_delays = false;
        }
        for (draw, delay) in self.draws_in_turn().zip(self.places.clone()) {
            if self.is_over() || Instant::now() >= until {
                self.all_delays = false;
                break;
            }
            self.delays += u64::from(delay.at != DelayPoint::Nowhere);
            let schedule = Schedule {
                leeway: Leeway::of_draw(draw).with_delay(delay),
                ..Schedule::default()
            };
            self.running.replay(&schedule);
            self.judge();
            let over_meanwhile = self.running.runner.record().over_meanwhile;
            self.brief.extend(over_meanwhile.map(|ms| Delay {
                ms: ms.saturating_add(1),
                ..delay
            }));
        }
        self.run_random_delays();
    }

    /// The draws of random numbers under which delays are tried.
    fn draws_in_turn(&self) -> impl Iterator<Item = u16> + use<> {
        let draws = if self.draws.are_numbers() { DRAWS } else { 1 };
        (0..draws).cycle()
    }

    /// Runs executions in which threads are stopped and one is late as well, at random places.
    fn run_random_delays(&mut self) {
        if self.places.is_empty() || self.threads <= 1 {
            return;
        }
        let begun = Instant::now();
        let until = begun + self.until.saturating_duration_since(begun) / SHARE;
        let mut rng = Rng::new(self.settings.seed);
        let [of_one, of_pair] = MOST_RANDOM;
        let most = match self.purpose {
            Purpose::Pair => of_pair,
            Purpose::Test | Purpose::OfPair(_) => of_one,
        };
        for (draw, _) in self.draws_in_turn().zip(0..most) {
            let is_over = self.is_over() || Instant::now() >= until;
            if is_over || !self.run_randomly(draw, &mut rng) {
                break;
            }
            self.judge();
        }
    }
}

/// True if a thread sleeps, waits with a time limit, or may outlive its scope.
fn depends_on_delays(first: &ExecutionRecord) -> bool {
    first.left_out.has(LeftOut::EARLY_ENDS)
        || first.left_out.has(LeftOut::LATE_LOCALS)
        || (first.events.iter()).any(|event| event.action == Action::Sleep)
}

/// At most so many places where a delay may make a difference, those first where it does most often: where code of the
/// package does something, and where threads begin. Of the others only some may be tried, so they are mixed.
fn places(first: &ExecutionRecord, most: usize) -> Vec<Delay> {
    let has_readings = first.readings > 0;
    let steps = match first.threads > 1 && (depends_on_delays(first) || has_readings) {
        true => steps(first),
        false => Vec::new(),
    };
    let (of_package, others): (Vec<_>, Vec<_>) = steps.into_iter().partition(|it| it.1);
    let (of_main, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| it.2);
    let delays = |steps: Vec<(Delay, bool, bool)>| steps.into_iter().map(|it| it.0).collect();
    let readings = (0..first.readings).map(|reading| Delay::at(DelayPoint::Reading(reading)));
    let equal = (1..first.readings).map(Delay::stands_still_at);
    let of_main = mixed(delays(of_main));
    let (more, of_main) = of_main.split_at(of_main.len() / 2);
    let mut rest = [
        of_main.to_vec(),
        mixed(readings.collect()),
        more.to_vec(),
        mixed(delays(others)),
        mixed(equal.collect()),
    ]
    .map(Vec::into_iter);
    let mut places: Vec<Delay> = has_readings.then_some(Delay::NOWHERE).into_iter().collect();
    places.extend(mixed(delays(of_package)));
    loop {
        let next = rest.each_mut().map(Iterator::next);
        places.extend(next.iter().flatten());
        if next.iter().all(Option::is_none) {
            break;
        }
    }
    places.truncate(most);
    places
}

/// These in an order in which the first ones are from everywhere.
fn mixed(all: Vec<Delay>) -> Vec<Delay> {
    let length = all.len();
    let is_coprime = |step: &usize| {
        let (mut a, mut b) = (*step, length);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    // About the golden section.
    let Some(step) = (length * 5 / 8..length).find(is_coprime) else {
        return all;
    };
    (0..length)
        .map(|number| all[number * step % length])
        .collect()
}

/// Before each step that another thread may notice: whether code of the package takes it or a thread begins, and
/// whether it is one of the test's own thread.
fn steps(first: &ExecutionRecord) -> Vec<(Delay, bool, bool)> {
    let mut users: SortedMap<ObjectId, ThreadIndex> = SortedMap::new();
    let mut shared = Vec::new();
    for event in &first.events {
        for object in [event.object, event.second] {
            let user = users.get_or_insert_with(object, || event.thread);
            if *user != event.thread && object != ObjectId::NONE {
                shared.push(object);
            }
        }
    }
    sorted::sort(&mut shared);
    shared.dedup();
    let is_shared = |object: ObjectId| shared.binary_search(&object).is_ok();
    let steps = (0..).zip(&first.events).filter_map(|(step, event)| {
        let begins = matches!(event.action, Action::Begin | Action::Sleep);
        let file = event.location.file();
        // Any thread may notice a step that changes something outside the process.
        let outside = is_of_system(file);
        let noticed = begins || outside || is_shared(event.object) || is_shared(event.second);
        let thread = u8::try_from(event.thread.0).ok()?;
        // Dependencies and the runtime are compiled under absolute paths.
        let is_own = begins || outside || Path::new(file).is_relative();
        let delay = Delay::at(DelayPoint::Step(step, thread));
        noticed.then_some((delay, is_own, event.thread == ThreadIndex::MAIN))
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ones_of_a_mixture_are_from_everywhere() {
        for length in [0, 1, 2, 3, 10, 64, 97] {
            let all: Vec<_> = (0..length)
                .map(|it| Delay::at(DelayPoint::Reading(it)))
                .collect();
            let mut mixture = mixed(all.clone());
            if length == 64 {
                let number = |it: &Delay| match it.at {
                    DelayPoint::Reading(number) => number,
                    _ => unreachable!(),
                };
                let first: Vec<u32> = mixture.iter().take(8).map(number).collect();
                assert!(first.iter().any(|it| *it < 16) && first.iter().any(|it| *it > 48));
            }
            mixture.sort_by_key(|it| Delay::encode(Some(*it)));
            assert_eq!(mixture, all);
        }
    }
}
