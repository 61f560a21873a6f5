//! Producers and consumers on condition variables, with counts that do not fit.

use contest::sync::{Condvar, Mutex};

use super::{Program, asserts, deadlocks, threads};

pub(super) const PROGRAMS: [Program; 3] = [
    deadlocks("sync01", sync01),
    deadlocks("sync02", sync02),
    asserts("arithmetic_prog", arithmetic_prog),
];

#[derive(Default)]
struct Store {
    number: Mutex<i32>,
    empty: Condvar,
    full: Condvar,
}

impl Store {
    fn holding(number: i32) -> Self {
        Self {
            number: Mutex::new(number),
            ..Self::default()
        }
    }

    fn produce(&self) {
        let mut number = self.number.lock().unwrap();
        while *number > 0 {
            number = self.empty.wait(number).unwrap();
        }
        *number += 1;
        drop(number);
        self.full.notify_one();
    }

    fn consume(&self, amount: i32) {
        let mut number = self.number.lock().unwrap();
        while *number == 0 {
            number = self.full.wait(number).unwrap();
        }
        *number -= amount;
        drop(number);
        self.empty.notify_one();
    }
}

/// The consumer takes nothing.
fn sync01() {
    threads!(Store::holding(1); |store: &Store| store.produce(), |store: &Store| store.consume(0));
}

/// Two are there at the start, so one of the two that are produced is never consumed.
fn sync02() {
    let twice = |operate: fn(&Store)| move |store: &Store| (0..2).for_each(|_| operate(store));
    threads!(Store::holding(2); twice(Store::produce), twice(|store| store.consume(1)));
}

/// The sum of the first numbers is what the assertion says it is not.
fn arithmetic_prog() {
    let total = std::sync::Arc::new(Mutex::new(0));
    let theirs = std::sync::Arc::clone(&total);
    threads!(Store::default();
        |store: &Store| (0..3).for_each(|_| store.produce()),
        move |store: &Store| for number in 0..=3 {
            if number < 3 {
                store.consume(1);
            }
            *theirs.lock().unwrap() += number;
        },
    );
    assert_ne!(*total.lock().unwrap(), 6);
}
