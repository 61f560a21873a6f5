//! What DPOR does not claim: it says "exhausted" only where it keeps its guarantee.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use contest_data::circumstances::Circumstances;
use contest_data::decision::Strategy;
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::limits::{Limits, Timeouts};
use contest_data::trace::{Action, Ending, LockMode};
use contest_engine::execution::{Engine, active};
use contest_search::explore::{Budget, Dpor, named};

use crate::program::{Op, Program, explore, explore_within};

/// What is left to be desired after the exploration of a program.
fn gaps(program: &Program, limits: Limits) -> Gaps {
    let mut dpor = Dpor::new();
    let mut gaps = Gaps::NONE;
    explore_within(program, limits, &mut dpor, |record| {
        gaps.join(&record.gaps);
    });
    assert_eq!(dpor.exhausted(), dpor.gaps().iter().all(Gap::is_of_engine));
    gaps.join(dpor.gaps());
    gaps
}

#[test]
fn an_execution_cut_at_the_step_limit_is_not_exhausted() {
    let program = vec![vec![Op::Add(0); 3]; 2];
    let limits = |steps| Limits {
        steps,
        ..Limits::default()
    };
    assert_eq!(gaps(&program, limits(100)), Gaps::NONE);
    assert_eq!(gaps(&program, limits(12)), Gap::Cut(Cut::Limit).into());
}

#[test]
fn auto_says_what_dpor_could_not_claim_and_goes_on() {
    let limits = Limits {
        steps: 12,
        ..Limits::default()
    };
    let mut strategy = named("auto", 1, Budget::executions(200)).unwrap();
    explore_within(&vec![vec![Op::Add(0); 3]; 2], limits, &mut strategy, |_| ());
    assert!(!strategy.exhausted());
    assert_eq!(strategy.missing(), Gap::Cut(Cut::Limit).into());
    assert!(strategy.parts()[1].executions > 0);
}

#[test]
fn waiting_for_a_change_by_spinning_is_exhausted_and_a_livelock_is_not() {
    let waits = vec![vec![Op::SpinUntil(0)], vec![Op::Write(0, 1)]];
    assert_eq!(gaps(&waits, Limits::default()), Gaps::NONE);
    let alone = vec![vec![Op::SpinUntil(0)], vec![Op::Write(1, 1)]];
    assert_eq!(gaps(&alone, Limits::default()), Gap::Cut(Cut::Limit).into());
}

#[test]
fn a_loop_that_gives_up_after_reading_the_same_for_a_while_is_exhausted_unless_it_takes_too_long() {
    let reads = |count: usize| vec![vec![Op::Read(0); count], vec![Op::Write(0, 1)]];
    assert!(gaps(&reads(9), Limits::default()).is_empty());
    let gaps = gaps(&reads(400), Limits::default());
    assert!(gaps.contains(&Gap::HeldBack), "{gaps}");
}

#[test]
fn holding_back_a_thread_that_spins_is_counted() {
    let mut dpor = Dpor::new();
    let program = vec![vec![Op::SpinUntil(0)], vec![Op::Write(0, 1)]];
    explore(&program, &mut dpor, |_| ());
    let counted = dpor.traces().unwrap();
    // Not where the write comes first.
    assert!(
        counted.held_back > 0 && counted.held_back < counted.traces,
        "{counted:?}"
    );
}

#[test]
fn a_time_limit_that_is_never_over_early_is_a_gap_unless_that_is_a_choice() {
    let program: Program = vec![
        vec![Op::Lock(0), Op::WaitTimeout(0), Op::Unlock(0)],
        vec![Op::Lock(0), Op::NotifyOne(0), Op::Unlock(0)],
    ];
    assert_eq!(gaps(&program, Limits::default()), Gap::Timeouts.into());
    let limits = Limits {
        timeouts: contest_data::limits::Timeouts::Choice(1),
        ..Limits::default()
    };
    assert_eq!(gaps(&program, limits), Gaps::NONE);
    let alone = vec![vec![Op::Lock(0), Op::WaitTimeout(0), Op::Unlock(0)]];
    assert_eq!(gaps(&alone, Limits::default()), Gaps::NONE);
}

/// The gaps of an exploration of two threads, and all that they saw of the clock.
fn looking(
    circumstances: Circumstances,
    bodies: [fn() -> Duration; 2],
) -> (Gaps, BTreeSet<Vec<Duration>>) {
    let mut dpor = Dpor::new();
    let mut engine = Engine::new(Limits::default());
    engine.set_circumstances(circumstances);
    let (mut gaps, mut all) = (Gaps::NONE, BTreeSet::new());
    while dpor.begin() {
        let seen = Rc::new(RefCell::new(vec![Duration::ZERO; 2]));
        let body = {
            let seen = Rc::clone(&seen);
            move || {
                let main = active().unwrap();
                let threads = [0, 1].map(|number| {
                    let seen = Rc::clone(&seen);
                    main.spawn_owned(None, move || seen.borrow_mut()[number] = bodies[number]())
                });
                threads.into_iter().for_each(|thread| main.join(thread));
            }
        };
        let record = engine.run(&mut dpor, body);
        let whole = record.ending == Ending::Finished;
        gaps.join(&record.gaps);
        dpor.end(record);
        if whole {
            all.insert(seen.take());
        }
    }
    gaps.join(dpor.gaps());
    (gaps, all)
}

fn looks(number: usize) -> Duration {
    let active = active().unwrap();
    (0..number).fold(Duration::ZERO, |_, _| active.now())
}

fn look_often() -> Duration {
    looks(100)
}

#[test]
fn looks_at_the_clock_take_no_time() {
    let (gaps, seen) = looking(Circumstances::USUAL, [|| looks(3), || looks(5)]);
    assert_eq!(gaps, Gaps::NONE);
    assert_eq!(seen.len(), 1);
    // Beside a thread that sleeps: time passes when no other thread can run.
    let sleeping = || {
        active().unwrap().sleep(Duration::from_millis(1));
        looks(1)
    };
    let (gaps, seen) = looking(Circumstances::USUAL, [|| looks(3), sleeping]);
    assert_eq!(gaps, Gaps::NONE);
    assert!(
        seen.iter()
            .all(|it| it[1] - it[0] > Duration::from_millis(1)),
        "{seen:?}"
    );
}

#[test]
fn threads_that_wait_for_the_clock_see_it_move_and_are_not_exhausted() {
    let (gaps, seen) = looking(Circumstances::USUAL, [look_often, look_often]);
    assert!(gaps.contains(&Gap::Clock), "{gaps}");
    assert!(seen.iter().all(|it| it[0] > Duration::ZERO), "{seen:?}");
    let moving = Circumstances::USUAL.with_moving_clock();
    let (gaps, _) = looking(moving, [|| looks(1), || looks(1)]);
    assert!(gaps.contains(&Gap::Clock), "{gaps}");
    // One thread alone sees the same in every order.
    let (gaps, _) = looking(moving, [look_often, || looks(0)]);
    assert_eq!(gaps, Gaps::NONE);
}

#[test]
fn an_execution_that_ends_before_a_thread_that_could_go_on_is_not_exhausted() {
    let detached: Program = vec![vec![Op::Fork(&[Op::Add(0)])]];
    let limits = |run_detached| Limits {
        run_detached,
        ..Limits::default()
    };
    assert_eq!(gaps(&detached, limits(true)), Gaps::NONE);
    assert_eq!(gaps(&detached, limits(false)), Gap::LeftBehind.into());
}

#[test]
fn a_thread_that_is_not_stopped_while_it_unwinds_is_not_exhausted() {
    let mut dpor = Dpor::new();
    let mut engine = Engine::new(Limits::default());
    while dpor.begin() {
        let record = engine.run(&mut dpor, || {
            let main = active().unwrap();
            let thread = main.spawn_owned(None, || {
                struct Unlock;
                impl Drop for Unlock {
                    fn drop(&mut self) {
                        let active = active().unwrap();
                        active.unlock(64, LockMode::Exclusive, || ());
                        active.unpark(contest_data::trace::ThreadIndex(0));
                    }
                }
                let caught = std::panic::catch_unwind(|| {
                    active()
                        .unwrap()
                        .lock(64, LockMode::Exclusive, "Mutex", None, || false);
                    let _unlock = Unlock;
                    panic!("while it holds the lock");
                });
                assert!(caught.is_err());
            });
            main.lock(64, LockMode::Exclusive, "Mutex", None, || false);
            main.unlock(64, LockMode::Exclusive, || ());
            main.join(thread);
        });
        assert_eq!(record.ending, Ending::Finished);
        dpor.end(record);
    }
    assert!(!dpor.exhausted());
    assert_eq!(*dpor.gaps(), Gap::Unwinding.into());
}

#[test]
fn a_timed_wait_that_times_out_while_the_notifier_holds_the_mutex_misses_the_notification() {
    use contest_data::limits::Timeouts;
    use contest_data::trace::Action;
    // The waiter's time is up after the notifier took the mutex and before it notifies: the notification is lost, and
    // the waiter says it timed out although what it waited for has come.
    let program: Program = vec![
        vec![Op::Lock(0), Op::WaitTimeout(0), Op::Unlock(0)],
        vec![
            Op::Lock(0),
            Op::Write(0, 1),
            Op::NotifyOne(0),
            Op::Unlock(0),
        ],
    ];
    let limits = Limits {
        timeouts: Timeouts::Choice(1),
        ..Limits::default()
    };
    let mut seen = false;
    let mut dpor = Dpor::new();
    explore_within(&program, limits, &mut dpor, |record| {
        let place = |action: Action| {
            record
                .events
                .iter()
                .position(|event| event.action == action)
        };
        let write = record
            .events
            .iter()
            .position(|event| event.name == "access");
        let (over, wake) = (place(Action::WaitOver(true)), place(Action::Wake(true)));
        let notify = place(Action::Notify(false));
        seen |= over.is_some() && over < notify && write < wake && notify < wake;
    });
    assert!(seen);
    assert!(dpor.exhausted());
}

#[test]
fn exploration_allocates_nothing_per_execution_once_it_is_warm() {
    let program = |accesses: usize| -> Program {
        vec![
            vec![Op::Add(0); accesses],
            vec![Op::Add(0); 6],
            vec![Op::Read(0), Op::Write(1, 1)],
        ]
    };
    for name in [
        "auto",
        "dpor",
        "portfolio",
        "dfs",
        "random",
        "pct",
        "pos",
        "urw",
        "surw",
    ] {
        let mut strategy = named(name, 3, Budget::executions(2_000)).unwrap();
        let mut counts = Vec::new();
        explore(&program(6), &mut strategy, |_| {
            counts.push(crate::allocations());
        });
        assert!(counts.len() >= 1_000, "{name}: {}", counts.len());
        let of = |from: usize, to: usize| counts[to] - counts[from];
        // What the program itself allocates in each execution is in all of them.
        let each = (501..1_000)
            .map(|index| of(index - 1, index))
            .min()
            .unwrap();
        let extra: Vec<u64> = (501..1_000)
            .map(|index| of(index - 1, index) - each)
            .collect();
        // A buffer may still grow now and then, where an execution is the longest so far.
        assert!(
            extra.iter().sum::<u64>() <= 10,
            "{name}: {each} and {extra:?}"
        );
        println!("{name}: {each} allocations in an execution, those of the program");
    }
}

#[test]
fn a_deadlock_that_a_spurious_wakeup_ends_is_not_claimed_to_be_absent() {
    let parks = || {
        contest::thread::park();
    };
    let report = contest::Builder::new()
        .strategy("dpor")
        .spurious_wakeups(1)
        .run(parks);
    assert!(report.findings().is_empty() && !report.exhausted());
    assert!(report.cut().unwrap().contains("woke spuriously"));
    let report = contest::Builder::new().strategy("dpor").run(parks);
    assert_eq!(report.findings()[0].kind, contest::FindingKind::Deadlock);
}

/// Two sleeps of the same length: when no other thread can run, neither of them is over early, whichever is first.
#[test]
fn what_is_due_is_not_over_early() {
    let program = vec![vec![Op::Sleep, Op::Write(0, 7)]; 2];
    let limits = Limits {
        timeouts: Timeouts::Choice(2),
        ..Limits::default()
    };
    let mut in_time = BTreeSet::new();
    explore_within(&program, limits, &mut Dpor::new(), |record| {
        let slept = record.events.iter().filter(|it| it.action == Action::Sleep);
        let order: Vec<u16> = slept.map(|it| it.thread.0).collect();
        if !record.early_timeout {
            in_time.insert(order);
        }
    });
    assert!(!in_time.is_empty());
}
