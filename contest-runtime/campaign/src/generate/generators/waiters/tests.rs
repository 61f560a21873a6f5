use super::super::TestSource;
use super::*;
use crate::generate::call_tree::SequenceRun;
use crate::generate::fixtures::{constructor, keeping, observer, operation};
use contest_data::dependencies::Dependencies;
use contest_data::settings::{Prunings, SizeBounds};
use contest_data::subject::{Argument, Keeping, Subject};

const FUTURE: &[Argument] = &[Argument {
    choices: &FutureUse::CHOICES,
    object: false,
    of_future: true,
    of_texts: false,
}];

const SIGNAL: u16 = 0;
const RESET: u16 = 1;
const WAIT: u16 = 2;

/// A value for one that waits for it; `fill` and `drain` are a place of size one for those that wait for room.
static SUBJECT: Subject = Subject {
    name: "Signal",
    path: "Signal",
    constructors: &[constructor("Signal::new()")],
    operations: &[
        operation("signal", &[]),
        operation("reset", &[]),
        operation("wait", FUTURE),
        observer("signaled", &[]),
        operation("fill", FUTURE),
        operation("drain", &[]),
        operation("joined", FUTURE),
        operation("wait_briefly", &[]),
    ],
    state: None,
};

/// One object for all; who has it, keeps it.
static POOL: Subject = Subject {
    name: "Pool",
    path: "Pool",
    constructors: &[constructor("Pool::new()")],
    operations: &[
        operation("get", FUTURE),
        keeping("get", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
        observer("idle", &[]),
        operation("close", &[]),
    ],
    state: None,
};

/// Runs calls of [`POOL`].
struct Pool;

impl RunCalls for Pool {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut taken = false;
        for call in calls {
            match call.operation {
                0 | 1 if taken => {
                    return SequenceRun {
                        waits: true,
                        ..SequenceRun::FAILED
                    };
                }
                1 => taken = true,
                2 => taken = false,
                _ => {}
            }
        }
        SequenceRun {
            failed: false,
            ..SequenceRun::FAILED
        }
    }
}

/// The same without futures.
static PLAIN: Subject = Subject {
    name: "Signal",
    path: "Signal",
    constructors: &[constructor("Signal::new()")],
    operations: &[operation("signal", &[]), operation("reset", &[])],
    state: None,
};

#[derive(Default)]
struct Signal {
    runs: u32,
    /// No call ever waits.
    never: bool,
}

impl RunCalls for Signal {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        self.runs += 1;
        let (mut signaled, mut full) = (false, false);
        let mut waits = false;
        for call in calls {
            if waits && !self.never {
                return SequenceRun::FAILED;
            }
            match call.operation {
                0 => signaled = true,
                1 => signaled = false,
                2 => waits = !std::mem::take(&mut signaled),
                4 => waits = std::mem::replace(&mut full, true),
                5 => full = false,
                _ => {}
            }
        }
        // A task lets it go on.
        let joined = calls.last().is_some_and(|call| call.operation == 6);
        if joined && !self.never {
            return SequenceRun {
                failed: false,
                waits: true,
                ..SequenceRun::FAILED
            };
        }
        let brief = calls.last().is_some_and(|call| call.operation == 7);
        SequenceRun {
            gave_up: brief && !signaled && !self.never,
            lock_orders: Vec::new(),
            acts: true,
            failed: waits && !self.never,
            waits: waits && !self.never,
            ..SequenceRun::FAILED
        }
    }
}

/// As text: calls by number, `'` for each way in which a future is used otherwise.
fn shapes(generator: &str, bounds: SizeBounds, count: usize, runner: &mut Signal) -> Vec<String> {
    shapes_of(&SUBJECT, generator, bounds, count, runner)
}

fn shapes_of(
    subject: &'static Subject,
    generator: &str,
    bounds: SizeBounds,
    count: usize,
    runner: &mut dyn RunCalls,
) -> Vec<String> {
    let none = Dependencies::default();
    let source = TestSource::new(generator, subject, 0, bounds, 1, &none, Prunings::ALL);
    let mut source = source.unwrap();
    let call = |call: &TestCall| {
        let how: u8 = call.choices.iter().sum();
        format!("{}{}", call.operation, "'".repeat(usize::from(how)))
    };
    let lane = |lane: &Vec<TestCall>| lane.iter().map(call).collect::<Vec<_>>().join(" ");
    let tests = (0..count).map_while(|_| source.next(runner));
    tests
        .map(|test| {
            let lanes: Vec<String> = test.threads.iter().map(lane).collect();
            let before = test.prefix.first().map_or(String::new(), call);
            format!("{before}: {}", lanes.join(" | "))
        })
        .collect()
}

#[test]
fn what_waits_meets_each_other_call_before_the_one_that_lets_it_go_on() {
    let all = shapes(
        "waiters",
        SizeBounds::default(),
        1_000,
        &mut Signal::default(),
    );
    let place = |shape: &str| all.iter().position(|it| it == shape);
    let between = format!(": {WAIT} | {RESET} {SIGNAL}");
    assert!(place(&between).is_some_and(|at| at < 20), "{all:#?}");
    // Two wait, one of them gives up; and what was given up has effect later.
    for shape in [
        ": 2' | 2 | 0",
        ": 2' 0 0 | 3",
        ": 2'' | 0",
        ": 2''' | 0",
        ": 2'''' | 0",
    ] {
        assert!(place(shape).is_some_and(|at| at < 30), "{shape} {all:#?}");
    }
    // What goes on by itself meets each other call.
    for shape in [": 6 | 1", "4: 6 | 1"] {
        assert_eq!(place(shape).is_some(), shape.starts_with(':'), "{all:#?}");
    }
    // What gave up before may be woken in the place of one that waits.
    assert!(place("7: 2 | 0").is_some_and(|at| at < 20), "{all:#?}");
    // Only a full place has one that waits for room.
    assert!(place("4: 4'' | 5").is_some(), "{all:#?}");
    assert!(place(": 4'' | 5").is_none());
}

#[test]
fn what_waits_for_a_kept_result_comes_twice_beside_its_end() {
    let bounds = SizeBounds::default();
    let all = shapes_of(&POOL, "waiters", bounds, 1_000, &mut Pool);
    for shape in [
        ": 1 2 | 0' | 0",
        ": 1 2 | 0 | 0",
        ": 1 2 | 0'' | 0",
        // Some futures are used otherwise.
        ": 1 2 | 4 | 0",
        ": 1 4 2 | 0 | 0",
    ] {
        let place = all.iter().position(|it| it.starts_with(shape));
        assert!(place.is_some_and(|at| at < 12), "{shape} {all:#?}");
    }
}

#[test]
fn each_future_is_dropped_unpolled_whether_or_not_it_waits() {
    let mut never = Signal {
        runs: 0,
        never: true,
    };
    let all = shapes("waiters", SizeBounds::default(), 10, &mut never);
    assert_eq!(all, [": 2''' | 3", ": 4''' | 3", ": 6''' | 3"]);
}

#[test]
fn it_ends_also_where_nothing_waits() {
    let mut waits = Signal::default();
    let all = shapes("waiters", SizeBounds::default(), 1_000, &mut waits);
    assert!(
        all.len() < 1_000 && waits.runs < MOST_RUNS,
        "{}",
        waits.runs
    );
    let mut never = Signal {
        runs: 0,
        never: true,
    };
    assert_eq!(
        shapes("auto", SizeBounds::default(), 40, &mut never).len(),
        40
    );
}

#[test]
fn tests_are_within_the_bounds_of_the_user() {
    let bounds = SizeBounds {
        threads: Some(2),
        calls: Some(1),
    };
    let all = shapes("waiters", bounds, 1_000, &mut Signal::default());
    assert!(!all.is_empty());
    let within = |shape: &String| {
        let lanes: Vec<&str> = shape
            .split(": ")
            .nth(1)
            .unwrap_or("")
            .split(" | ")
            .collect();
        lanes.len() == 2 && lanes.iter().all(|lane| !lane.contains(' '))
    };
    assert!(all.iter().all(within), "{all:#?}");
}

#[test]
fn the_usual_turns_reach_them_soon() {
    let all = shapes("auto", SizeBounds::default(), 60, &mut Signal::default());
    let between = format!(": {WAIT} | {RESET} {SIGNAL}");
    assert!(all.contains(&between), "{all:#?}");
}

#[test]
fn where_nothing_waits_a_turn_looks_at_one_start() {
    let table = crate::generate::DependencyTable::default();
    let size = contest_data::settings::TestSize::USUAL;
    let mut parts = Parts::new(&PLAIN, 0, size, 1, "waiters", table);
    let mut signal = Signal {
        never: true,
        ..Signal::default()
    };
    let mut waiters = Waiters::default();
    let operations = PLAIN.operations.len() as u32;
    let mut turns = 0;
    loop {
        let before = signal.runs;
        assert!(waiters.propose(&mut parts, &mut signal).is_none());
        assert!(signal.runs - before <= 1 + operations);
        turns += 1;
        if !waiters.goes_on() {
            break;
        }
    }
    // The fresh object, one call before, and the turn that finds no other start.
    assert!(turns > 2, "{turns}");
}
