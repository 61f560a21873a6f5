//! Emitted tests of annotated types, as `cargo contest --emit` writes them.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]
#![expect(
    unreachable_pub,
    reason = "operations are methods that are `pub`, also in a test"
)]

use std::panic::catch_unwind;
use std::sync::Mutex;

/// Two locks for one increment, unless it is mended.
#[contest::shared]
struct Counter<const MENDED: bool> {
    value: Mutex<u32>,
}

#[contest::operations]
impl<const MENDED: bool> Counter<MENDED> {
    pub fn new() -> Self {
        Self {
            value: Mutex::new(0),
        }
    }

    pub fn increment(&self) -> u32 {
        if MENDED {
            let mut value = self.value.lock().unwrap();
            *value += 1;
            return *value;
        }
        let seen = *self.value.lock().unwrap();
        *self.value.lock().unwrap() = seen + 1;
        seen + 1
    }

    pub fn add(&self, numbers: Vec<u32>) {
        *self.value.lock().unwrap() += numbers.iter().sum::<u32>();
    }

    pub fn len(&self) -> usize {
        *self.value.lock().unwrap() as usize
    }

    pub fn reset(&mut self) {
        *self.value.get_mut().unwrap() = 0;
    }
}

macro_rules! two_increments {
    ($mended:literal, $interleaving:expr) => {
        contest::emitted! {
            interleaving: $interleaving;
            objects {
                a: Counter<$mended> = std::sync::Arc::new(Counter::new());
            }
            prefix {
                {
                    let x: Vec<u32> = vec![1, 2];
                    a.add(x)
                };
                std::sync::Arc::get_mut(&mut a).expect("not shared yet").reset();
            }
            thread {
                a.increment();
            }
            thread {
                a.increment();
            }
        }
    };
}

#[track_caller]
fn failure(test: fn()) -> String {
    let payload = catch_unwind(test).expect_err("it did not fail");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

/// What the failure says to write down.
fn interleaving(text: &str) -> &'static str {
    let (_, after) = text.split_once("INTERLEAVING: &str = \"").expect(text);
    let (interleaving, _) = after.split_once('"').unwrap();
    Box::leak(interleaving.to_owned().into_boxed_str())
}

#[test]
fn an_emitted_test_fails_before_the_fix_and_passes_after_it() {
    let text = failure(|| two_increments!(false, ""));
    assert!(text.contains("non-linearizable"), "{text}");
    assert!(text.contains("a.increment()"), "{text}");
    assert!(text.contains("no interleaving is given"), "{text}");
    assert!(!text.contains("CONTEST_REPLAY"), "{text}");
    two_increments!(true, "");
}

#[test]
fn the_interleaving_it_names_is_run_first_then_and_fits_nothing_else() {
    static INTERLEAVING: std::sync::OnceLock<&str> = std::sync::OnceLock::new();
    INTERLEAVING.get_or_init(|| interleaving(&failure(|| two_increments!(false, ""))));
    let text = failure(|| two_increments!(false, INTERLEAVING.get().unwrap()));
    assert!(!text.contains("searched"), "{text}");
    assert!(!text.contains("INTERLEAVING"), "{text}");
    // The mended code locks once less: the schedule does not fit, and others are searched, in vain.
    two_increments!(true, INTERLEAVING.get().unwrap());
}

#[test]
fn an_interleaving_that_no_longer_fits_is_searched_anew_and_that_is_said() {
    for damaged in ["AQUAAQIEiyeL15Q", "nonsense!"] {
        static GIVEN: Mutex<&str> = Mutex::new("");
        *GIVEN.lock().unwrap() = damaged;
        let text = failure(|| {
            let given = *GIVEN.lock().unwrap();
            two_increments!(false, given);
        });
        assert!(text.contains("another was searched"), "{damaged}: {text}");
        assert!(text.contains("non-linearizable"), "{damaged}: {text}");
    }
}

#[test]
fn results_that_are_weakly_consistent_by_custom_are_not_compared() {
    contest::emitted! {
        interleaving: "";
        objects {
            a: Counter<true> = std::sync::Arc::new(Counter::new());
        }
        prefix {}
        thread {
            a.len();
            a.len();
        }
        thread {
            a.increment();
        }
    }
}

#[test]
fn two_objects_that_lock_each_other_are_a_deadlock() {
    #[contest::shared]
    struct Account {
        balance: Mutex<u32>,
    }

    #[contest::operations]
    impl Account {
        pub fn new() -> Self {
            Self {
                balance: Mutex::new(5),
            }
        }

        pub fn give(&self, other: &Account) {
            let mut mine = self.balance.lock().unwrap();
            *other.balance.lock().unwrap() += 1;
            *mine -= 1;
        }
    }

    let text = failure(|| {
        contest::emitted! {
            interleaving: "";
            objects {
                a: Account = std::sync::Arc::new(Account::new());
                b: Account = std::sync::Arc::new(Account::new());
            }
            prefix {}
            thread {
                a.give(&b);
            }
            thread {
                b.give(&a);
            }
        }
    });
    assert!(text.contains("deadlock"), "{text}");
}

#[test]
fn a_type_that_is_not_annotated_is_reported_and_does_not_pass() {
    struct Plain(Mutex<u32>);
    impl contest::annotated::Snapshot for Plain {}
    let text = failure(|| {
        contest::emitted! {
            interleaving: "";
            objects {
                a: Plain = std::sync::Arc::new(Plain(Mutex::new(0)));
            }
            prefix {}
            thread {
                a.0.lock().is_ok();
            }
            thread {
                a.0.lock().is_ok();
            }
        }
    });
    assert!(text.contains("#[contest::shared]"), "{text}");
}
