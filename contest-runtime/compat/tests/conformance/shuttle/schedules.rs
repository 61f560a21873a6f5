//! `basic/replay.rs`, `basic/shrink.rs`, `basic/execution.rs`, `basic/timeout.rs`: a failure prints a schedule that
//! shows it again; limits end executions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::thread;
use contest_compat::shuttle::scheduler::{
    PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId,
};
use contest_compat::shuttle::{
    Config, FailurePersistence, MaxSteps, Runner, check, replay, replay_from_file,
};

/// Two increments, one of which may be lost.
fn lossy() {
    let value = Arc::new(Mutex::new(0));
    let increment = |_| {
        let value = Arc::clone(&value);
        thread::spawn(move || {
            let before = *value.lock().unwrap();
            *value.lock().unwrap() = before + 1;
        })
    };
    let threads: Vec<_> = (0..2).map(increment).collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(*value.lock().unwrap(), 2, "counter is wrong");
}

fn text_of(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("it fails");
    *payload.downcast::<String>().expect("a message")
}

fn config(persistence: FailurePersistence) -> Config {
    let mut config = Config::new();
    config.failure_persistence = persistence;
    config
}

#[test]
fn a_printed_schedule_shows_the_failure_again() {
    let text = text_of(|| {
        Runner::new(PctScheduler::new(2, 100), config(FailurePersistence::Print)).run(lossy);
    });
    let schedule = text
        .split('"')
        .nth(1)
        .expect("a schedule")
        .trim()
        .to_owned();
    let again = text_of(|| replay(lossy, &schedule));
    assert_eq!(again, text);
}

#[test]
fn a_schedule_in_a_file_shows_the_failure_again() {
    let folder = std::env::temp_dir().join(format!("contest-schedules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let persistence = FailurePersistence::File(Some(folder.clone()));
    let text = text_of(|| {
        Runner::new(RandomScheduler::new(100), config(persistence)).run(lossy);
    });
    let file = text
        .split("persisted to file: ")
        .nth(1)
        .expect("a file")
        .trim();
    let again = text_of(|| replay_from_file(lossy, file));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(again.contains("counter is wrong"), "{again}");
}

#[test]
fn a_schedule_that_is_not_wanted_is_not_mentioned() {
    let text = text_of(|| {
        Runner::new(RandomScheduler::new(100), config(FailurePersistence::None)).run(lossy);
    });
    assert!(
        text.contains("counter is wrong") && !text.contains("schedule"),
        "{text}"
    );
}

#[test]
fn a_limit_of_steps_fails_the_test_or_ends_the_execution() {
    let run = |most| {
        let rounds = Arc::new(AtomicUsize::new(0));
        let all = Arc::clone(&rounds);
        let mut config = Config::new();
        config.max_steps = most;
        let runner = Runner::new(RandomScheduler::new(10), config);
        let result = catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || {
                for _ in 0..100 {
                    rounds.fetch_add(1, SeqCst);
                }
            })
        }));
        (result.is_ok(), all.load(SeqCst))
    };
    assert_eq!(run(MaxSteps::None), (true, 1_000));
    assert_eq!(run(MaxSteps::ContinueAfter(50)), (true, 49 * 10));
    assert_eq!(run(MaxSteps::FailAfter(50)), (false, 49));
}

#[test]
fn a_limit_of_time_ends_the_test_between_executions() {
    let mut config = Config::new();
    config.max_time = Some(Duration::from_millis(50));
    let executions = Runner::new(RandomScheduler::new(usize::MAX), config).run(|| {
        thread::spawn(|| {}).join().unwrap();
    });
    assert!(executions > 0);
}

#[test]
fn a_scheduler_of_ones_own_decides() {
    /// Always the newest thread.
    struct Newest(bool);
    impl Scheduler for Newest {
        fn new_execution(&mut self) -> Option<Schedule> {
            std::mem::take(&mut self.0).then(Schedule::default)
        }
        fn next_task(&mut self, tasks: &[&Task<'_>], _: Option<TaskId>, _: bool) -> Option<TaskId> {
            tasks.last().map(|task| task.id())
        }
        fn next_u64(&mut self) -> u64 {
            4
        }
    }
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let all = Arc::clone(&order);
    let executions = Runner::new(Newest(true), Config::new()).run(move || {
        for number in 0..3 {
            let order = Arc::clone(&order);
            thread::spawn(move || order.lock().unwrap().push(number));
        }
        thread::yield_now();
        order.lock().unwrap().push(10);
    });
    assert_eq!(
        (executions, all.lock().unwrap().clone()),
        (1, vec![0, 1, 2, 10])
    );
}

#[test]
fn check_runs_once() {
    let times = Arc::new(AtomicUsize::new(0));
    let all = Arc::clone(&times);
    check(move || {
        let times = Arc::clone(&times);
        thread::spawn(move || times.fetch_add(1, SeqCst));
    });
    assert_eq!(all.load(SeqCst), 1);
}
