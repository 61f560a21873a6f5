//! What a test depends on that the machine does in time: it is run with one thread held up at one place, for each place
//! of the execution that stops no thread, as far as its time reaches.

use std::collections::BTreeMap;
use std::time::Instant;

use super::Exploration;
use contest_data::delay::{Delay, DelayPoint};
use contest_data::finding::{Allowed, FindingKind};
use contest_data::limits::Leeway;
use contest_data::trace::{Action, ExecutionRecord, LeftOut, ObjectId, Schedule, ThreadIndex};

/// Delays take no more than one of so many parts of the test's time.
const SHARE: u32 = 3;
/// Directory of what stands in for libc.
const LIBC: &str = "contest-runtime/driver/src/";
/// Most places in one test.
const MOST: usize = 1_000;

impl Exploration<'_, '_> {
    /// Runs the execution that stops no thread once more for each place at which one can be held up.
    pub(super) fn run_delays(&mut self, first: &ExecutionRecord) {
        if Allowed::everywhere(&self.settings.allow, FindingKind::Timing) {
            return;
        }
        let until = self.begun + self.until.saturating_duration_since(self.begun) / SHARE;
        let most = self.most.saturating_sub(self.running.executions);
        for delay in places(first, MOST.min(most as usize)) {
            if self.is_over() || Instant::now() >= until {
                break;
            }
            self.delays += u64::from(delay.at != DelayPoint::Nowhere);
            let schedule = Schedule {
                leeway: Leeway::NONE.with_delay(delay),
                ..Schedule::default()
            };
            self.running.replay(&schedule);
            self.judge();
        }
    }
}

/// At most so many places where a delay may make a difference, evenly chosen.
fn places(first: &ExecutionRecord, most: usize) -> Vec<Delay> {
    let readings = first.readings > 0;
    let waits = first.left_out.has(LeftOut::EARLY_ENDS)
        || (first.events.iter()).any(|event| event.action == Action::Sleep);
    let mut places = Vec::new();
    if readings {
        places.push(Delay::NOWHERE);
    }
    let mut steps = match first.threads > 1 && (waits || readings) {
        true => steps(first),
        false => Vec::new(),
    }
    .into_iter();
    let readings = (0..first.readings).flat_map(|reading| {
        let equal = (reading > 0).then(|| Delay::stands_still_at(reading));
        [Some(Delay::at(DelayPoint::Reading(reading))), equal]
    });
    let mut readings = readings.flatten();
    loop {
        let next = [readings.next(), steps.next()];
        places.extend(next.iter().flatten());
        if next == [None; 2] {
            break;
        }
    }
    if places.len() > most {
        let all = places.len();
        places = (0..most).map(|place| places[place * all / most]).collect();
    }
    places
}

/// Before each step that another thread may notice.
fn steps(first: &ExecutionRecord) -> Vec<Delay> {
    let mut users: BTreeMap<ObjectId, ThreadIndex> = BTreeMap::new();
    let mut shared = Vec::new();
    for event in &first.events {
        for object in [event.object, event.second] {
            let user = users.entry(object).or_insert(event.thread);
            if *user != event.thread && object != ObjectId::NONE {
                shared.push(object);
            }
        }
    }
    shared.sort_unstable();
    shared.dedup();
    let is_shared = |object: ObjectId| shared.binary_search(&object).is_ok();
    let steps = (0..).zip(&first.events).filter_map(|(step, event)| {
        let begins = matches!(event.action, Action::Begin | Action::Sleep);
        // Any thread may notice a step that changes something outside the process.
        let outside = event.location.file().contains(LIBC);
        let noticed = begins || outside || is_shared(event.object) || is_shared(event.second);
        let thread = u8::try_from(event.thread.0).ok()?;
        noticed.then(|| Delay::at(DelayPoint::Step(step, thread)))
    });
    steps.collect()
}
