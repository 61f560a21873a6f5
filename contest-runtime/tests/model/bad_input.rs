//! What is not a proper model is reported with its location: it never hangs and never passes.

use std::sync::Arc;
use std::sync::atomic::AtomicU64 as RealCount;
use std::time::Duration;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::{Builder, FindingKind, thread};

use crate::alone::{in_own_process, text_of};
use crate::running::{passes, text};

fn failure(check: impl FnOnce()) -> String {
    let check = std::panic::AssertUnwindSafe(check);
    text(
        std::panic::catch_unwind(check)
            .expect_err("it fails")
            .as_ref(),
    )
}

#[test]
fn a_model_that_counts_its_runs_outside_is_not_deterministic() {
    let runs = RealCount::new(0);
    let report = Builder::new().run(|| {
        let lock = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || *theirs.lock().unwrap() += 1);
        if runs.fetch_add(1, SeqCst) % 2 == 1 {
            *lock.lock().unwrap() += 1;
        }
        thread.join().unwrap();
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Nondeterministic, "{finding:?}");
    assert!(finding.message.contains("bad_input.rs:"), "{finding:?}");
    assert!(!report.exhausted());
}

#[test]
fn a_failure_that_does_not_come_again_is_not_passed_off_as_an_interleaving() {
    let runs = RealCount::new(0);
    let report = Builder::new().strategy("random").run(|| {
        passes();
        assert!(runs.fetch_add(1, SeqCst) != 20, "once only");
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Nondeterministic, "{finding:?}");
    assert!(
        finding
            .details
            .iter()
            .any(|line| line.contains("once only"))
    );
}

#[test]
fn a_model_inside_a_model_is_refused() {
    let text = failure(|| contest::model(|| contest::model(passes)));
    assert!(
        text.contains("a model cannot be run inside another one"),
        "{text}"
    );
    assert!(text.contains("bad_input.rs:"), "{text}");
}

#[test]
fn more_threads_than_the_limit_are_refused_with_the_place() {
    let report = Builder::new().threads(3).run(|| {
        for _ in 0..3 {
            thread::spawn(|| ());
        }
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Unsupported);
    assert!(
        finding.message.contains("more than 3 virtual threads"),
        "{finding:?}"
    );
    assert!(finding.message.contains("bad_input.rs:"), "{finding:?}");
}

fn endless() {
    let count = AtomicU32::new(0);
    loop {
        count.fetch_add(1, SeqCst);
    }
}

#[test]
fn more_steps_than_the_limit_are_no_pass_unless_that_is_allowed_and_then_nothing_is_exhausted() {
    let report = Builder::new().max_steps(100).run(endless);
    assert_eq!(report.findings()[0].kind, FindingKind::Limit);
    let report = Builder::new()
        .max_steps(100)
        .tolerate(FindingKind::Limit)
        .exhaustive()
        .run(endless);
    assert!(report.findings().is_empty());
    assert!(report.tolerated() > 0);
    assert!(!report.exhausted(), "{report:?}");
}

#[test]
fn an_unknown_strategy_and_a_damaged_schedule_are_named() {
    let text = failure(|| Builder::new().strategy("clever").check(passes));
    assert!(
        text.contains("no strategy `clever`; there are: auto"),
        "{text}"
    );
    let text = failure(|| Builder::new().replay("no!").check(passes));
    assert!(
        text.contains("cannot replay `no!`: not a schedule"),
        "{text}"
    );
}

#[test]
fn a_schedule_of_another_model_does_not_pass() {
    let failing = Builder::new().run(crate::running::lost_update);
    let token = &failing.findings()[0].schedule;
    let text = failure(|| Builder::new().replay(token).check(passes));
    assert!(text.contains("does not fit the model any more"), "{text}");
}

#[test]
fn the_schedule_can_come_from_the_environment() {
    let name = "bad_input::the_schedule_can_come_from_the_environment";
    let token = Builder::new().run(crate::running::abba).findings()[0]
        .schedule
        .clone();
    if let Some(output) = in_own_process(name, &[("CONTEST_REPLAY", &token)]) {
        assert!(output.status.success(), "{}", text_of(&output));
        return;
    }
    let report = Builder::new().strategy("random").run(crate::running::abba);
    assert_eq!(report.executions(), 1);
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
}

/// Runs the test in a process of its own, which must fail and say all of `parts`.
fn must_end_the_process(test: &str, parts: &[&str], model: impl Fn()) {
    let Some(output) = in_own_process(test, &[]) else {
        return Builder::new()
            .hang_limit(Duration::from_millis(400))
            .allow_no_decisions()
            .check(model);
    };
    let text = text_of(&output);
    assert!(!output.status.success(), "{text}");
    for part in parts {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nothing watches there")]
fn a_real_lock_that_blocks_is_named_by_the_watchdog() {
    must_end_the_process(
        "bad_input::a_real_lock_that_blocks_is_named_by_the_watchdog",
        &[
            "has made no progress for 400ms: it blocks in a call",
            "in thread 1 of the model",
            "bad_input::a_real_lock_that_blocks_is_named_by_the_watchdog",
            "bad_input.rs:",
        ],
        || {
            let real = Arc::new(std::sync::Mutex::new(()));
            let theirs = Arc::clone(&real);
            let guard = real.lock().unwrap();
            let thread = thread::spawn(move || drop(theirs.lock().unwrap()));
            thread::yield_now();
            thread.join().unwrap();
            drop(guard);
        },
    );
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nothing watches there")]
fn a_loop_without_operations_is_named_by_the_watchdog() {
    must_end_the_process(
        "bad_input::a_loop_without_operations_is_named_by_the_watchdog",
        &["computes without any operation", "in thread 0 of the model"],
        || {
            let mut number = 1_u64;
            while std::hint::black_box(number) != 0 {
                number |= 1;
            }
        },
    );
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nothing watches there")]
fn a_stack_overflow_says_which_thread_and_what_to_do() {
    #[expect(unconditional_recursion, reason = "the test")]
    fn deep(number: u64) -> u64 {
        std::hint::black_box(deep(std::hint::black_box(number) + 1)) + 1
    }
    must_end_the_process(
        "bad_input::a_stack_overflow_says_which_thread_and_what_to_do",
        &[
            "thread 1 digger of the model overflowed its stack of 1048576 bytes",
            ".stack_size(8388608)",
        ],
        || {
            let digger = thread::Builder::new().name("digger".into());
            drop(digger.spawn(|| deep(0)).unwrap().join());
        },
    );
}

#[test]
fn larger_stacks_are_had_for_the_asking() {
    fn deep(number: u64) -> u64 {
        let space = std::hint::black_box([number; 512]);
        if number == 0 {
            0
        } else {
            deep(number - 1) + space[0]
        }
    }
    Builder::new()
        .stack_size(16 << 20)
        .allow_no_decisions()
        .check(|| {
            deep(1_000);
        });
}

#[test]
fn a_real_thread_that_holds_a_lock_of_the_model_is_reported() {
    let lock = Mutex::new(());
    let held = std::sync::Barrier::new(2);
    let report = std::thread::scope(|scope| {
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let (lock, held) = (&lock, &held);
        scope.spawn(move || {
            let _guard = lock.lock().unwrap();
            held.wait();
            wait.recv().unwrap_err();
        });
        held.wait();
        let report = Builder::new().run(|| drop(lock.lock().unwrap()));
        drop(release);
        report
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Unsupported);
    assert!(
        finding
            .message
            .contains("an OS thread outside the execution"),
        "{finding:?}"
    );
}

#[test]
fn a_handle_of_a_virtual_thread_outside_of_its_execution_says_so() {
    let kept = std::sync::Mutex::new(None);
    Builder::new().run(|| {
        let lock = Mutex::new(());
        let _held = lock.lock();
        *kept.lock().unwrap() = Some(thread::spawn(|| {
            loop {
                thread::park();
            }
        }));
    });
    let handle = kept.lock().unwrap().take();
    let text = failure(|| drop(handle.map(thread::JoinHandle::join)));
    assert!(text.contains("contest:"), "{text}");
}

#[test]
fn threads_left_behind_are_a_deadlock_unless_they_may_block_or_end_with_the_closure() {
    let model = || {
        let lock = Arc::new(Mutex::new(()));
        let pair = Arc::new((Mutex::new(()), contest::sync::Condvar::new()));
        thread::spawn(move || {
            let _held = lock.lock();
            let guard = pair.0.lock().unwrap();
            drop(pair.1.wait(guard));
        });
    };
    let report = Builder::new().run(model);
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert!(
        finding.message.contains("the main thread has ended"),
        "{finding:?}"
    );
    for builder in [
        Builder::new().detached(contest::model::Detached::MayBlock),
        Builder::new().detached(contest::model::Detached::EndWithMain),
    ] {
        let report = builder.exhaustive().run(model);
        assert!(report.findings().is_empty(), "{report:?}");
    }
}
