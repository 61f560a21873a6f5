//! Workers that look for work for some rounds and then sleep: beside a thread that has work for them, sampled
//! executions leave the rounds, too.

use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::sync::{Arc, Condvar, Mutex};
use contest::{Builder, thread};

/// Where a worker sleeps, and what it has to do.
#[derive(Default)]
struct Worker {
    work: AtomicUsize,
    asleep: Mutex<bool>,
    woken: Condvar,
}

impl Worker {
    /// Takes one piece of work. `looks_again`: the worker looks once more when others can see that it is asleep.
    fn run(&self, looks_again: bool) {
        let mut rounds = 0;
        while self.work.load(SeqCst) == 0 {
            if rounds < 33 {
                rounds += 1;
                thread::yield_now();
                continue;
            }
            let mut asleep = self.asleep.lock().unwrap();
            *asleep = !looks_again || self.work.load(SeqCst) == 0;
            while *asleep {
                asleep = self.woken.wait(asleep).unwrap();
            }
            rounds = 0;
        }
    }

    fn give(&self) {
        self.work.store(1, SeqCst);
        let mut asleep = self.asleep.lock().unwrap();
        if std::mem::take(&mut *asleep) {
            self.woken.notify_one();
        }
    }
}

/// What is found of a worker beside a thread that has work for it.
fn findings(looks_again: bool) -> usize {
    let builder = Builder::new().max_executions(20_000);
    let report = builder.run(move || {
        let worker = Arc::new(Worker::default());
        let its = worker.clone();
        let other = thread::spawn(move || its.run(looks_again));
        worker.give();
        other.join().unwrap();
    });
    report.findings().len()
}

#[test]
fn a_worker_that_falls_asleep_beside_new_work_is_found() {
    assert_eq!(findings(false), 1);
    assert_eq!(findings(true), 0);
}
