//! Statics and thread-locals start every execution afresh, and are dropped at the right time.

use std::sync::atomic::AtomicUsize as RealCount;

use contest::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::SeqCst};
use contest::sync::{LazyLock, Mutex, Once, OnceLock, RwLock};
use contest::{Builder, FindingKind, Report, thread};

/// Two threads that both run `f`, in every interleaving.
fn both(f: fn()) -> Report {
    let report = Builder::new().exhaustive().run(|| {
        let thread = thread::spawn(f);
        f();
        thread.join().unwrap();
    });
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted() && report.executions() > 1, "{report:?}");
    report
}

#[test]
fn atomics_of_all_sizes_have_their_first_value_and_their_neighbours_are_left_alone() {
    struct Together {
        before: RealCount,
        flag: AtomicBool,
        byte: AtomicU8,
        word: AtomicU32,
        after: RealCount,
    }
    static TOGETHER: Together = Together {
        before: RealCount::new(0),
        flag: AtomicBool::new(false),
        byte: AtomicU8::new(3),
        word: AtomicU32::new(5),
        after: RealCount::new(0),
    };
    let report = Builder::new().exhaustive().run(|| {
        TOGETHER.before.fetch_add(1, SeqCst);
        TOGETHER.after.fetch_add(1, SeqCst);
        let thread = thread::spawn(|| {
            assert!(
                !TOGETHER.flag.swap(true, SeqCst),
                "kept from an execution before"
            );
            TOGETHER.word.fetch_add(1, SeqCst)
        });
        assert_eq!(TOGETHER.byte.fetch_add(1, SeqCst), 3);
        let mine = TOGETHER.word.fetch_add(1, SeqCst);
        assert_eq!(mine + thread.join().unwrap(), 5 + 6);
    });
    assert!(report.findings().is_empty(), "{report:?}");
    assert_eq!(TOGETHER.before.load(SeqCst) as u64, report.runs());
    assert_eq!(TOGETHER.after.load(SeqCst) as u64, report.runs());
    // Outside of the model they are as they were before it.
    assert_eq!(TOGETHER.word.load(SeqCst), 5);
}

#[test]
fn contents_of_locks_are_put_back_with_and_without_destructors() {
    static NUMBER: Mutex<u32> = Mutex::new(7);
    static LIST: Mutex<Vec<String>> = Mutex::new(Vec::new());
    static TABLE: RwLock<Option<Box<u32>>> = RwLock::new(None);
    both(|| {
        let mut number = NUMBER.lock().unwrap();
        assert!(*number < 9);
        *number += 1;
        drop(number);
        let mut list = LIST.lock().unwrap();
        assert!(list.len() < 2, "kept from an execution before");
        list.push("a string that is long enough to be on the heap".to_owned());
        drop(list);
        assert!(
            TABLE
                .read()
                .unwrap()
                .as_ref()
                .is_none_or(|value| **value < 2)
        );
        let mut table = TABLE.write().unwrap();
        let value = table.take().map_or(0, |value| *value);
        *table = Some(Box::new(value + 1));
    });
    assert_eq!(*NUMBER.lock().unwrap(), 7);
    assert!(LIST.lock().unwrap().is_empty());
}

#[test]
fn locks_left_locked_or_poisoned_by_an_execution_are_free_and_whole_in_the_next() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    static READ: RwLock<u32> = RwLock::new(0);
    let report = Builder::new()
        .strategy("random")
        .max_executions(50)
        .max_findings(usize::MAX)
        .run(|| {
            let thread = thread::spawn(|| {
                let _guard = LOCK.lock().expect("poisoned before");
                let _read = READ.read().expect("poisoned before");
                panic!("with guards");
            });
            thread.join().unwrap_err();
            std::mem::forget(READ.read());
            assert!(LOCK.is_poisoned());
            let _guard = LOCK.lock().unwrap_err();
            std::mem::forget(_guard);
            LOCK.lock().ok();
        });
    let kinds: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| finding.kind)
        .collect();
    assert_eq!(kinds, [FindingKind::Deadlock], "{report:?}");
    assert!(!LOCK.is_poisoned());
    assert!(LOCK.try_lock().is_ok() && READ.try_write().is_ok());
}

#[test]
fn lazily_made_statics_are_made_and_dropped_once_in_each_execution() {
    static MADE: RealCount = RealCount::new(0);
    static DROPPED: RealCount = RealCount::new(0);
    struct Value(AtomicUsize);
    impl Value {
        fn new() -> Self {
            MADE.fetch_add(1, SeqCst);
            Self(AtomicUsize::new(0))
        }
    }
    impl Drop for Value {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    static LAZY: LazyLock<Value> = LazyLock::new(Value::new);
    static ONCE_LOCK: OnceLock<Value> = OnceLock::new();
    let report = both(|| {
        assert!(LAZY.0.fetch_add(1, SeqCst) < 2);
        assert!(ONCE_LOCK.get_or_init(Value::new).0.fetch_add(1, SeqCst) < 2);
    });
    assert_eq!(MADE.load(SeqCst) as u64, 2 * report.runs());
    assert_eq!(DROPPED.load(SeqCst) as u64, 2 * report.runs());
    // The real ones were never touched.
    assert!(ONCE_LOCK.get().is_none());
}

#[test]
fn a_once_in_a_static_runs_once_in_each_execution() {
    static ONCE: Once = Once::new();
    static RUNS: AtomicU32 = AtomicU32::new(0);
    both(|| {
        ONCE.call_once(|| {
            RUNS.fetch_add(1, SeqCst);
        });
        assert!(ONCE.is_completed());
        assert_eq!(RUNS.load(SeqCst), 1);
    });
    assert!(!ONCE.is_completed());
}

#[test]
fn a_lazy_static_whose_initialiser_panics_is_poisoned_for_that_execution_only() {
    static LAZY: LazyLock<u32> = LazyLock::new(|| panic!("first"));
    let report = Builder::new().allow_no_decisions().run(|| {
        let first = std::panic::catch_unwind(|| *LAZY).unwrap_err();
        assert_eq!(first.downcast_ref::<&str>(), Some(&"first"));
        let second = std::panic::catch_unwind(|| *LAZY).unwrap_err();
        let text = second.downcast_ref::<&str>().unwrap();
        assert!(text.contains("previously been poisoned"), "{text}");
    });
    assert!(report.findings().is_empty(), "{report:?}");
    assert!(report.runs() > 1);
}

#[test]
fn what_was_initialised_before_the_model_is_what_every_execution_sees() {
    static CONFIGURATION: OnceLock<String> = OnceLock::new();
    CONFIGURATION.set("before".to_owned()).unwrap();
    let report = Builder::new()
        .allow_no_decisions()
        .run(|| assert_eq!(CONFIGURATION.get().unwrap(), "before"));
    assert!(report.findings().is_empty(), "{report:?}");
}

#[test]
fn contents_that_own_memory_from_before_the_model_and_change_in_it_are_refused() {
    static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    LIST.lock().unwrap().push(1);
    let report = Builder::new()
        .allow_no_decisions()
        .run(|| LIST.lock().unwrap().push(2));
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Unsupported, "{finding:?}");
    assert!(
        finding.message.contains("a static Mutex, used at"),
        "{finding:?}"
    );
    assert!(finding.message.contains("statics.rs:"), "{finding:?}");
    // Looking at it is fine.
    static OTHER: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    OTHER.lock().unwrap().push(1);
    both(|| assert_eq!(*OTHER.lock().unwrap(), [1]));
}

#[test]
fn models_in_parallel_tests_do_not_see_each_other_in_statics() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    both(|| assert!(COUNT.fetch_add(1, SeqCst) < 2));
                }
            });
        }
    });
}

#[test]
fn values_of_thread_locals_are_dropped_when_their_virtual_thread_ends() {
    static ALIVE: AtomicU32 = AtomicU32::new(0);
    struct Local;
    impl Drop for Local {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, SeqCst);
        }
    }
    contest::thread_local! {
        static LOCAL: Local = {
            ALIVE.fetch_add(1, SeqCst);
            Local
        };
    }
    let report = Builder::new().exhaustive().run(|| {
        let thread = thread::spawn(|| LOCAL.with(|_| ()));
        thread.join().unwrap();
        assert_eq!(
            ALIVE.load(SeqCst),
            0,
            "not dropped at the end of its thread"
        );
        LOCAL.with(|_| ());
        assert_eq!(ALIVE.load(SeqCst), 1);
    });
    assert!(report.findings().is_empty(), "{report:?}");
}

#[test]
fn two_runs_have_the_same_events_whatever_the_addresses_are() {
    let run = |space: usize| {
        let report = Builder::new().strategy("random").seed(3).run(|| {
            // Moves what is allocated after it.
            let _space = vec![0_u8; space];
            crate::running::lost_update();
        });
        let finding = &report.findings()[0];
        (
            report.executions(),
            finding.schedule.clone(),
            finding.interleaving.clone(),
        )
    };
    assert_eq!(run(10), run(100_000));
}
