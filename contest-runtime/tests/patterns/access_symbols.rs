//! Accesses by compiled code whose line and field debug information names.

use std::time::Duration;

use contest::sync::Mutex;
use contest::thread;
use contest_campaign::generate::TraceTable;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{
    AccessSymbols, CallRecord, ExecutionRecord, Field, Origin, Outcome, ThreadIndex,
};
use contest_engine::execution::{Engine, active};
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::Dfs;

const fn symbols(line: u32, name: &'static str, origin: Origin) -> AccessSymbols {
    AccessSymbols {
        file: "src/lib.rs",
        line,
        column: 9,
        field: Field {
            owner: "Inner",
            name,
        },
        origin,
        known: true,
    }
}

static HEAD: AccessSymbols = symbols(3, "head", Origin::UnderTest);
static TAIL: AccessSymbols = symbols(4, "tail", Origin::UnderTest);
static OF_DRIVER: AccessSymbols = symbols(5, "tail", Origin::Driver);
static UNKNOWN: AccessSymbols = AccessSymbols {
    known: false,
    ..symbols(6, "", Origin::UnderTest)
};
static OF_ENGINE: AccessSymbols = symbols(7, "state", Origin::Engine);

fn write() {
    active().unwrap().plain_write(0x1000, 8);
}

/// One thread writes one location so often after it has acquired a lock; the accesses have these symbols.
fn alone(all: &[&'static AccessSymbols]) -> ExecutionRecord {
    let mut strategy = Dfs::new(None);
    assert!(strategy.begin());
    let mut engine = Engine::new(Limits::default());
    let number = all.len();
    let mut record = engine
        .run(&mut strategy, move || {
            let lock = Mutex::new(());
            let _guard = lock.lock();
            for at in 0..number {
                active().unwrap().plain_write(0x1000 + 8 * at, 8);
            }
        })
        .clone();
    assert_eq!(record.plain.list.len(), number);
    for (access, symbols) in record.plain.list.iter_mut().zip(all) {
        access.symbols = Some(symbols);
    }
    record
}

#[test]
fn calls_that_differ_by_the_fields_they_touch_leave_different_traces() {
    let mut traces = TraceTable::default();
    let mut number = |all: &[&'static AccessSymbols]| {
        let record = alone(all);
        let call = CallRecord {
            thread: ThreadIndex::MAIN,
            call: 0,
            began: 0,
            ended: record.steps,
            outcome: Outcome::Returned(None),
            blocked: false,
            held: false,
            holds: 0,
            waited_out: Duration::ZERO,
            awaited: Duration::ZERO,
            slept: false,
        };
        traces.number(&record, &call)
    };
    let head = number(&[&HEAD]);
    assert_ne!(head, number(&[&TAIL]));
    assert_ne!(head, number(&[&HEAD, &TAIL]));
    // Repetition does not count, nor do accesses outside of known fields or by code that is not under test.
    assert_eq!(head, number(&[&HEAD, &HEAD, &HEAD]));
    assert_eq!(head, number(&[&OF_DRIVER, &HEAD, &UNKNOWN]));
}

/// What two threads cover that write one location from two lines each, if all accesses have these symbols.
fn covered(symbols: Option<&'static AccessSymbols>) -> MapCoverage {
    let mut coverage = MapCoverage::new(Contents::Counted);
    let mut engine = Engine::new(Limits::default());
    let mut strategy = Dfs::new(None);
    while strategy.begin() {
        let record = engine.run(&mut strategy, || {
            let lock = std::sync::Arc::new(Mutex::new(()));
            let theirs = std::sync::Arc::clone(&lock);
            let one = thread::spawn(move || {
                let _guard = lock.lock();
                write();
            });
            let two = thread::spawn(move || {
                let _guard = theirs.lock();
                active().unwrap().plain_write(0x1000, 8);
            });
            one.join().unwrap();
            two.join().unwrap();
        });
        let mut record = record.clone();
        for access in &mut record.plain.list {
            access.symbols = symbols;
        }
        coverage.observe(&record);
        strategy.end(&record);
    }
    coverage
}

#[test]
fn accesses_of_one_line_and_field_are_one_site_and_are_reported() {
    let apart = covered(None);
    assert_eq!((apart.sites().len(), apart.counts().covered), (2, 2));
    assert_eq!(apart.fields(), (Vec::new(), 0));
    let coverage = covered(Some(&HEAD));
    assert_eq!((coverage.sites().len(), coverage.counts().covered), (1, 1));
    let (fields, more) = coverage.fields();
    assert_eq!((fields.len(), more), (1, 0));
    assert_eq!(fields[0].field, "Inner.head");
    assert_eq!(fields[0].places, ["write at src/lib.rs:3:9"]);
    assert_eq!(fields[0].patterns, 1);
}

#[test]
fn what_the_engine_does_on_its_own_behalf_is_in_no_pattern() {
    let coverage = covered(Some(&OF_ENGINE));
    assert_eq!(coverage.counts().covered, 0);
}
