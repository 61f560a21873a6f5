//! Calls of generated tests: each is a step of its own, whatever came before.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use contest::sync::atomic::AtomicU32;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::limits::Limits;
use contest_data::trace::{Ending, ExecutionRecord, Outcome};
use contest_engine::execution::{Engine, active};

/// Each thread runs as far as it can.
struct InOrder;

impl Strategy for InOrder {
    fn begin(&mut self) -> bool {
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        Choice::Run(point.enabled.lowest())
    }

    fn value(&mut self, _: u16) -> u16 {
        0
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, _: &ExecutionRecord) {}
}

fn call(number: u16, body: impl FnOnce()) {
    let active = active().expect("inside an execution");
    active.call_begin(number);
    body();
    active.call_end(&Outcome::Returned(None));
}

#[test]
fn calls_that_read_the_same_do_not_wait_for_a_change() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let theirs = seen.clone();
    let mut engine = Engine::new(Limits::default());
    let record = engine.run(&mut InOrder, move || {
        let value = Arc::new(AtomicU32::new(0));
        let read = value.clone();
        let reader = contest::thread::spawn(move || {
            for number in 0..6 {
                call(number, || theirs.lock().unwrap().push(read.load(Relaxed)));
            }
        });
        let writer = contest::thread::spawn(move || call(0, || value.store(1, Relaxed)));
        reader.join().unwrap();
        writer.join().unwrap();
    });
    assert_eq!(record.ending, Ending::Finished);
    assert_eq!(*seen.lock().unwrap(), [0; 6]);
}
