//! Executions in which one thread is held up.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use contest_data::circumstances::Circumstances;
use contest_data::decision::Strategy;
use contest_data::delay::{Delay, DelayPoint, HELD_UP};
use contest_data::limits::{Leeway, Limits};
use contest_data::rng::Rng;
use contest_data::trace::{Ending, ExecutionRecord, Schedule};
use contest_engine::execution::{Engine, active};
use contest_search::explore::Replay;

use crate::families::FAMILIES;
use crate::program::run_once;

fn delayed(delay: Delay) -> Schedule {
    Schedule {
        leeway: Leeway::NONE.with_delay(delay),
        ..Schedule::default()
    }
}

fn replay<R>(schedule: Schedule, run: impl FnOnce(&mut dyn Strategy) -> R) -> R {
    let mut strategy = Replay::new(schedule);
    strategy.begin();
    run(&mut strategy)
}

/// The order in which a thread and one that sleeps for 30 ms beside it come to their ends, and how they did. The one
/// that sleeps gives way after that, and says so.
fn order(delay: Option<Delay>) -> (Vec<&'static str>, ExecutionRecord) {
    let order = Rc::new(RefCell::new(Vec::new()));
    let body = {
        let order = Rc::clone(&order);
        move || {
            let active = active().unwrap();
            let note = |name| {
                let order = Rc::clone(&order);
                move || order.borrow_mut().push(name)
            };
            let (awake, main, child) = (note("awake"), note("main"), note("child"));
            let child = active.spawn_beside(None, move || {
                active.yield_now("yield");
                child();
            });
            active.sleep(Duration::from_millis(30));
            awake();
            active.yield_now("yield");
            active.yield_now("yield");
            main();
            active.join(child);
        }
    };
    let schedule = delay.map_or_else(Schedule::default, delayed);
    let mut engine = Engine::new(Limits::default());
    let record = replay(schedule, |strategy| engine.run(strategy, body).clone());
    (order.take(), record)
}

/// The step at which the thread takes its first one, and a delay of so many milliseconds before it.
fn before_the_child(ms: u16) -> Delay {
    let (_, first) = order(None);
    let step = first.events.iter().position(|event| event.thread.0 == 1);
    Delay {
        at: DelayPoint::Step(step.unwrap() as u32, 1),
        ms,
    }
}

#[test]
fn a_sleep_is_over_before_a_thread_that_is_held_up_longer() {
    assert_eq!(order(None).0, ["child", "awake", "main"]);
    assert_eq!(
        order(Some(before_the_child(29))).0,
        ["child", "awake", "main"]
    );
    let (late, record) = order(Some(before_the_child(40)));
    assert_eq!(late, ["awake", "main", "child"]);
    let event = &record.events[record.delayed.unwrap() as usize];
    assert_eq!((event.name, event.thread.0, event.wrote), (HELD_UP, 1, 40));
    assert_eq!(record.over_meanwhile, Some(30));
    assert_eq!(record.ending, Ending::Finished);
    assert_eq!(record.preemptions, 0, "nobody else stopped it");
}

#[test]
fn a_thread_that_is_held_up_just_longer_than_a_sleep_goes_on_beside_the_sleeper() {
    let (beside, record) = order(Some(before_the_child(31)));
    assert_eq!(beside, ["awake", "child", "main"]);
    assert_eq!(record.ending, Ending::Finished);
}

/// Four readings of the clock, and how often it was read.
fn readings(delay: Delay) -> (Vec<Duration>, u32) {
    let readings = Rc::new(RefCell::new(Vec::new()));
    let body = {
        let readings = Rc::clone(&readings);
        move || {
            let active = active().unwrap();
            readings.borrow_mut().extend([(); 4].map(|()| active.now()));
        }
    };
    let mut engine = Engine::new(Limits::default());
    engine.set_circumstances(Circumstances::USUAL.with_moving_clock());
    let count = replay(delayed(delay), |strategy| {
        engine.run(strategy, body).readings
    });
    (readings.take(), count)
}

#[test]
fn the_clock_leaps_or_stands_still_at_one_reading() {
    let (leaping, count) = readings(Delay::at(DelayPoint::Reading(2)));
    let leaps = leaping
        .windows(2)
        .map(|two| two[1] - two[0] >= Delay::LONGEST);
    assert_eq!((count, leaps.collect()), (4, vec![false, true, false]));
    let (still, count) = readings(Delay::stands_still_at(2));
    let equal = still.windows(2).map(|two| two[1] == two[0]);
    assert_eq!((count, equal.collect()), (4, vec![false, true, false]));
}

#[test]
fn a_delay_anywhere_in_a_random_program_ends_and_replays() {
    for (number, family) in FAMILIES.iter().enumerate() {
        let mut rng = Rng::new(number as u64);
        for _ in 0..3 {
            let program = family.program(&mut rng, 2, 4);
            let mut engine = Engine::new(family.limits());
            let mut run = |schedule: Schedule| {
                replay(schedule, |strategy| {
                    run_once(&mut engine, &program, strategy).clone()
                })
            };
            let first = run(Schedule::default());
            for (step, event) in first.events.iter().enumerate() {
                let at = DelayPoint::Step(step as u32, event.thread.0 as u8);
                let late = run(delayed(Delay::at(at)));
                assert!(
                    !matches!(late.ending, Ending::Unsupported(_)),
                    "{}: {:?} at {at:?}",
                    family.name,
                    late.ending
                );
                let begun = late
                    .delayed
                    .is_some_and(|at| (step..=step + 1).contains(&(at as usize)));
                assert!(begun, "{}: {:?} at {at:?}", family.name, late.delayed);
                let again = run(late.schedule.clone());
                assert_eq!(again.events, late.events, "{}: {at:?}", family.name);
                assert_eq!(again.ending, late.ending);
            }
        }
    }
}
