//! The queue, checked; and a faulty twin, to see that the check finds something.

use std::time::Duration;

use bounded_queue::Queue;

#[test]
fn the_queue_behaves_like_one_in_a_single_thread() {
    contest::check::<Queue<u32>>().run();
}

/// One condition variable for both sides: a wake-up meant for a consumer may meet a producer.
mod faulty {
    use std::collections::VecDeque;
    use std::sync::{Condvar, Mutex};

    #[contest::shared]
    pub struct Queue {
        items: Mutex<VecDeque<u32>>,
        changed: Condvar,
    }

    #[contest::operations]
    impl Queue {
        pub fn new() -> Self {
            Self {
                items: Mutex::new(VecDeque::new()),
                changed: Condvar::new(),
            }
        }

        pub fn push(&self, value: u32) {
            let mut items = self.items.lock().unwrap();
            while items.len() == 1 {
                items = self.changed.wait(items).unwrap();
            }
            items.push_back(value);
            self.changed.notify_one();
        }

        pub fn pop(&self) -> u32 {
            let mut items = self.items.lock().unwrap();
            loop {
                if let Some(value) = items.pop_front() {
                    self.changed.notify_one();
                    return value;
                }
                items = self.changed.wait(items).unwrap();
            }
        }
    }
}

#[test]
fn one_condition_variable_for_both_sides_is_a_deadlock_of_three_threads() {
    let report = contest::check::<faulty::Queue>()
        .threads(3)
        .budget(Duration::from_secs(10))
        .report();
    let finding = report.findings.first().expect("a lost wake-up");
    assert_eq!(finding.kind.name(), "deadlock", "{finding:#?}");
}
