use super::super::TestSource;
use super::*;
use crate::generate::LockOrder;
use crate::generate::fixtures::{OTHER, constructor, keeping, observer, operation};
use contest_data::dependencies::Dependencies;
use contest_data::settings::{Prunings, SizeBounds};
use contest_data::subject::{Constructor, Keeping, Subject};

const MAKE: &[Constructor] = &[constructor("Registers::new()")];

/// Locks 0 and 1; what each operation takes, one inside the other.
static REGISTERS: Subject = Subject {
    name: "Registers",
    path: "Registers",
    constructors: MAKE,
    operations: &[
        operation("left_then_right", &[]),
        operation("right_then_left", &[]),
        operation("right", &[]),
        observer("level", &[]),
        operation("left", &[]),
        keeping("left", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
    ],
    state: None,
};

/// As [`REGISTERS`], without what takes locks in opposite orders in one call.
static GUARDED: Subject = Subject {
    operations: &[
        operation("nothing", &[]),
        operation("nothing", &[]),
        operation("right", &[]),
        observer("level", &[]),
        operation("left", &[]),
        keeping("left", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
    ],
    ..REGISTERS
};

/// As [`GUARDED`], with both locks lent.
static LENT: Subject = Subject {
    operations: &[
        operation("nothing", &[]),
        operation("right_then_left", &[]),
        operation("right", &[]),
        observer("level", &[]),
        operation("left", &[]),
        keeping("left", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
        keeping("right", Keeping::Keeps),
    ],
    ..REGISTERS
};

/// Runs calls of [`REGISTERS`]; calls of the given operations do nothing.
struct Locks(&'static [u16]);

impl RunCalls for Locks {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut run = SequenceRun {
            failed: false,
            ..SequenceRun::FAILED
        };
        let mut kept: Vec<u32> = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let takes: &[u32] = match call.operation {
                it if self.0.contains(&it) => &[],
                0 => &[0, 1],
                1 => &[1, 0],
                2 | 7 => &[1],
                4 | 5 => &[0],
                6 => {
                    run.acts = !kept.is_empty();
                    kept.clear();
                    &[]
                }
                _ => &[],
            };
            let mut held = kept.clone();
            for &lock in takes {
                if held.contains(&lock) {
                    return SequenceRun {
                        waits: true,
                        ..SequenceRun::FAILED
                    };
                }
                run.accesses.push(access(number, lock));
                run.lock_orders.extend(held.iter().map(|&outer| LockOrder {
                    call: number,
                    outer,
                    inner: lock,
                }));
                held.push(lock);
            }
            if matches!(call.operation, 5 | 7) {
                kept.extend(takes);
            }
        }
        run
    }
}

fn access(call: usize, variable: u32) -> crate::generate::SequenceAccess {
    crate::generate::SequenceAccess {
        call,
        variable,
        site: 0,
        reads: true,
        writes: true,
        visible: true,
        section: 1,
    }
}

/// The lanes of all tests, in order.
fn lanes(subject: &'static Subject, bounds: SizeBounds, idle: &'static [u16]) -> Vec<String> {
    let none = Dependencies::default();
    let source = TestSource::new("holders", subject, 0, bounds, 1, &none, Prunings::ALL);
    let mut source = source.unwrap();
    let lane = |calls: &Vec<TestCall>| {
        let numbers = calls.iter().map(|call| call.operation.to_string());
        numbers.collect::<Vec<_>>().join(" ")
    };
    let tests = (0..100).map_while(|_| source.next(&mut Locks(idle)));
    tests
        .map(|test| {
            let lanes: Vec<String> = test.threads.iter().map(lane).collect();
            lanes.join(" | ")
        })
        .collect()
}

#[test]
fn opposite_orders_come_first() {
    let all = lanes(&REGISTERS, SizeBounds::default(), &[]);
    assert_eq!(all[0], "0 | 1");
    // A guard is kept while a call takes the other lock.
    assert_eq!(all[1], "1 | 5 2 6");
}

static ACCOUNTS: Subject = Subject {
    operations: &[
        operation("nothing", &[]),
        operation("transfer", OTHER),
        operation("merge", OTHER),
    ],
    ..REGISTERS
};

#[test]
fn what_takes_another_object_is_called_both_ways() {
    let none = Dependencies::default();
    let bounds = SizeBounds::default();
    let source = TestSource::new("holders", &ACCOUNTS, 0, bounds, 1, &none, Prunings::ALL);
    let mut source = source.unwrap();
    for operation in [1, 2] {
        let test = source.next(&mut Locks(&[0, 1, 2])).unwrap();
        assert_eq!(test.objects.len(), 2);
        let calls = test.threads.iter().flatten();
        let calls: Vec<_> = calls
            .map(|it| (it.object, it.operation, it.choices[0]))
            .collect();
        assert_eq!(calls, [(0, operation, 1), (1, operation, 0)]);
    }
    assert!(source.next(&mut Locks(&[0, 1, 2])).is_none());
}

#[test]
fn a_second_call_that_waits_for_its_own_thread_is_no_test() {
    let all = lanes(&GUARDED, SizeBounds::default(), &[0, 1]);
    assert!(all.contains(&"5 2 6 | 4".to_owned()), "{all:?}");
    assert!(!all.iter().any(|it| it.contains("5 4 6")), "{all:?}");
    // Nothing that the unit touches.
    assert!(!all.iter().any(|it| it.ends_with("| 3")), "{all:?}");
}

#[test]
fn locks_that_users_can_keep_are_taken_in_their_order() {
    let all = lanes(&LENT, SizeBounds::default(), &[0]);
    assert!(!all.iter().any(|it| it.contains("5 2 6")), "{all:?}");
    assert!(!all.iter().any(|it| it.contains("7 4 6")), "{all:?}");
    assert!(all.contains(&"5 3 6 | 4".to_owned()), "{all:?}");
}

#[test]
fn what_holds_nothing_is_not_kept() {
    assert!(lanes(&GUARDED, SizeBounds::default(), &[0, 1, 5]).is_empty());
}

#[test]
fn the_bounds_of_the_user_hold() {
    let bounds = SizeBounds {
        calls: Some(2),
        ..SizeBounds::default()
    };
    assert!(lanes(&GUARDED, bounds, &[0, 1]).is_empty());
}

#[test]
fn what_only_one_can_keep_two_threads_try_to_keep() {
    let all = lanes(&LENT, SizeBounds::default(), &[0]);
    assert!(all.contains(&"5 3 6 | 5 3 6".to_owned()), "{all:?}");
    assert!(all.contains(&"7 3 6 | 7 3 6".to_owned()), "{all:?}");
    // Nothing is held by it.
    let idle = lanes(&LENT, SizeBounds::default(), &[0, 7]);
    assert!(!idle.contains(&"7 3 6 | 7 3 6".to_owned()), "{idle:?}");
}
