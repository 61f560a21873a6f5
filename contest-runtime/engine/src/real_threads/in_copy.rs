//! The test itself, in the copy: as in an execution, but for the threads.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::wire;
use super::{RealCall, RealEnding, RealRun};
use crate::observe::{panic_message, take_count, with_count};
use contest_data::subject::{Call, Object, Response};
use contest_data::test::{MainCall, RunnableTest, TestCall, TestShape};
use contest_data::trace::Outcome;

thread_local! {
    /// Where this thread panicked last.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What threads of a test share. Objects of subjects are not `Sync` by their type, which is erased.
struct Shared<T>(T);

// SAFETY: the test runs on threads of the system only if its subject is fit for that (`Subject::runs_on_real_threads`):
// what its functions do with an object, on any thread, goes through an `Arc` of a type that is `Sync` and `Send`. The
// main thread uses objects in another way only before the lanes start and after they have ended.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: likewise.
unsafe impl<T> Send for Shared<T> {}

/// What the calls did so far.
#[derive(Debug, Default)]
struct Log {
    /// Beginnings and ends of calls.
    clock: AtomicU32,
    calls: Mutex<Vec<RealCall>>,
    panicked: AtomicBool,
}

impl Log {
    fn calls(&self) -> MutexGuard<'_, Vec<RealCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `f` as a call and notes it; `None` if it panicked.
    fn call<R>(
        &self,
        lane: Option<u8>,
        number: usize,
        f: impl FnOnce() -> (R, Response),
    ) -> Option<R> {
        let place = {
            // The clock is read while the list is locked, so the list is in the order in which calls began.
            let mut calls = self.calls();
            calls.push(RealCall {
                lane,
                call: number as u16,
                began: self.clock.fetch_add(1, SeqCst),
                ended: u32::MAX,
                outcome: Outcome::Pending,
            });
            calls.len() - 1
        };
        let came_back = catch_unwind(AssertUnwindSafe(f));
        let ended = self.clock.fetch_add(1, SeqCst);
        let (value, outcome) = match came_back {
            Ok((value, response)) => (Some(value), Outcome::Returned(response)),
            Err(payload) => {
                let at = PANICKED_AT.with(|at| at.take());
                let outcome = Outcome::Panicked(panic_message(&*payload), at);
                // Dropping what the code under test threw is one more call of its code.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
                (None, outcome)
            }
        };
        let mut calls = self.calls();
        calls[place].ended = ended;
        calls[place].outcome = outcome;
        value
    }
}

/// Runs the test on threads of this process and writes what they did. Threads that hang are left where they are.
pub(super) fn run(test: &RunnableTest, limit: Duration, out: &mut File) -> io::Result<()> {
    crate::execution::streams::leave_alone();
    panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        PANICKED_AT.with(|it| it.replace(at));
    }));
    let test = Shared(test.clone());
    let log: &'static Log = Box::leak(Box::default());
    let (done, is_done) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        // The whole value, not only its field.
        let test = { test };
        main_thread(&test.0, log);
        let _ = done.send(());
    })?;
    let ending = match is_done.recv_timeout(limit) {
        Ok(()) => RealEnding::Finished,
        Err(RecvTimeoutError::Timeout) => RealEnding::Hung,
        // It panicked where no code under test runs.
        Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::Other.into()),
    };
    let calls = log.calls().clone();
    out.write_all(&wire::write(&RealRun { calls, ending }))
}

fn main_thread(test: &RunnableTest, log: &Log) {
    let shape = TestShape::of(test);
    let mut objects: Vec<Object> = Vec::with_capacity(test.test.objects.len());
    for (index, made) in test.test.objects.iter().enumerate() {
        let constructor = &test.subject.constructors[usize::from(made.constructor)];
        let call = Call {
            objects: &[],
            receiver: 0,
            choices: &made.choices,
        };
        let number = shape.number(MainCall::Object(index));
        match log.call(None, number, || ((constructor.make)(&call), None)) {
            Some(object) => objects.push(object),
            None => return,
        }
    }
    for (index, call) in test.test.prefix.iter().enumerate() {
        let number = shape.number(MainCall::Prefix(index));
        if !run_call(test, log, &objects, call, None, number) {
            return;
        }
    }
    let objects = Shared(objects);
    let waiting = AtomicUsize::new(test.test.threads.len());
    thread::scope(|scope| {
        for (lane, calls) in (0_u8..).zip(&test.test.threads) {
            let shared = Shared((test, &objects.0, calls));
            let waiting = &waiting;
            scope.spawn(move || {
                let shared = { shared };
                let (test, objects, calls) = shared.0;
                start_together(waiting);
                for (number, call) in calls.iter().enumerate() {
                    if !run_call(test, log, objects, call, Some(lane), number) {
                        log.panicked.store(true, SeqCst);
                        break;
                    }
                }
            });
        }
    });
    // After a panic nothing is compared any more, and a poisoned object would only panic again.
    if !log.panicked.load(SeqCst) {
        for (index, call) in test.observers.iter().enumerate() {
            let number = shape.number(MainCall::Observer(index));
            if !run_call(test, log, &objects.0, call, None, number) {
                break;
            }
        }
    }
    if test.drops {
        let number = shape.number(MainCall::Drop);
        log.call(None, number, || (drop(objects), None));
    } else {
        std::mem::forget(objects);
    }
}

/// Threads start one after the other, which takes longer than their calls: each waits for the last one.
fn start_together(waiting: &AtomicUsize) {
    waiting.fetch_sub(1, SeqCst);
    while waiting.load(SeqCst) > 0 {
        thread::yield_now();
    }
}

/// Runs one call; false if it panicked.
fn run_call(
    test: &RunnableTest,
    log: &Log,
    objects: &[Object],
    call: &TestCall,
    lane: Option<u8>,
    number: usize,
) -> bool {
    let operation = &test.subject.operations[usize::from(call.operation)];
    let given = Call {
        objects,
        receiver: usize::from(call.object),
        choices: &call.choices,
    };
    let came_back = log.call(lane, number, || {
        take_count();
        let response = (operation.call)(&given);
        ((), with_count(response, take_count()))
    });
    came_back.is_some()
}
