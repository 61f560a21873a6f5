//! Plain accesses, as cells and the memory layer report them, in access patterns.

use std::collections::BTreeSet;

use contest::sync::Mutex;
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_engine::execution::{Engine, active};
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::Dfs;
use contest_search::research::{Pcr, PcrSettings};

/// A location of a name of its own.
const SHARED: usize = 0x1000;
const OF_ONE_THREAD: usize = 0x2000;

fn read(location: usize) {
    active().unwrap().plain_read(location, 8);
}

fn write(location: usize) {
    active().unwrap().plain_write(location, 8);
}

/// What the executions of both bodies side by side under this strategy cover, and how many there are.
fn covered_by(
    strategy: &mut dyn Strategy,
    body: fn(&Mutex<()>),
    other: fn(&Mutex<()>),
) -> (MapCoverage, u64) {
    let mut coverage = MapCoverage::new(Contents::Counted);
    let mut engine = Engine::new(Limits::default());
    let mut executions = 0;
    while strategy.begin() {
        let record = engine.run(strategy, || {
            let lock = std::sync::Arc::new(Mutex::new(()));
            let theirs = std::sync::Arc::clone(&lock);
            let handles = [
                thread::spawn(move || body(&lock)),
                thread::spawn(move || other(&theirs)),
            ];
            for handle in handles {
                handle.join().unwrap();
            }
        });
        coverage.observe(record);
        executions += 1;
        strategy.end(record);
    }
    (coverage, executions)
}

fn covered(body: fn(&Mutex<()>), other: fn(&Mutex<()>)) -> (MapCoverage, u64) {
    covered_by(&mut Dfs::new(None), body, other)
}

/// In two sections of the lock, and beside them accesses of unshared memory.
fn looks_twice(lock: &Mutex<()>) {
    for _ in 0..2 {
        let _guard = lock.lock();
        read(SHARED);
        write(OF_ONE_THREAD);
    }
}

fn writes(lock: &Mutex<()>) {
    let _guard = lock.lock();
    write(SHARED);
}

#[test]
fn what_is_behind_a_lock_is_seen_by_its_own_accesses() {
    let (coverage, executions) = covered(looks_twice, writes);
    assert!(executions > 10);
    let patterns: BTreeSet<(u8, String)> = coverage
        .patterns()
        .map(|key| {
            let sites = key.sites();
            let names = sites.iter().map(|&site| {
                let site = coverage.sites().get(site);
                assert_eq!(site.what, "memory", "the lock is no variable beside it");
                site.name
            });
            (key.pattern().number(), names.collect::<Vec<_>>().join(" "))
        })
        .collect();
    let expected = [(1, "read write"), (2, "write read"), (4, "read write read")];
    let expected = expected.map(|(number, names)| (number, names.to_owned()));
    assert_eq!(patterns, BTreeSet::from(expected));
    assert_eq!(coverage.counts().variables, 1);
}

#[test]
fn in_one_section_nothing_comes_between() {
    fn looks_twice_inside(lock: &Mutex<()>) {
        let _guard = lock.lock();
        read(SHARED);
        thread::yield_now();
        read(SHARED);
    }
    let (coverage, _) = covered(looks_twice_inside, writes);
    assert_eq!(coverage.counts().by_pattern[3], 0);
    assert!(
        coverage.counts().by_pattern[..2]
            .iter()
            .all(|&seen| seen > 0)
    );
}

/// Accesses of two locations, several between two visible operations.
fn moves(lock: &Mutex<()>) {
    for round in 0..2 {
        let guard = lock.lock();
        read(SHARED);
        write(SHARED);
        drop(guard);
        thread::yield_now();
        if round == 1 {
            read(OTHER);
        }
    }
    write(OTHER);
}

const OTHER: usize = 0x3000;

#[test]
fn pcr_plans_by_plain_accesses_and_its_plans_are_followed() {
    let cases = [
        (looks_twice as fn(&Mutex<()>), writes as fn(&Mutex<()>)),
        (moves, moves),
        (moves, looks_twice),
    ];
    for (case, (body, other)) in cases.into_iter().enumerate() {
        let (everything, all) = covered(body, other);
        let mut pcr = Pcr::with_settings(
            1,
            200,
            PcrSettings {
                idle: 1,
                ..PcrSettings::default()
            },
        );
        let (seen, executions) = covered_by(&mut pcr, body, other);
        let counts = pcr.counts();
        assert!(
            counts.planned > 0 && executions * 4 < all,
            "{executions} of {all}"
        );
        assert_eq!(counts.different + counts.blocked, 0, "{counts:?}");
        // In the other cases a thread reads and writes in one go: its write is always between its read and another's
        // write.
        if case == 0 {
            assert_eq!(counts.realised, counts.planned, "{counts:?}");
        }
        let (seen, everything) = (seen.counts().covered, everything.counts().covered);
        assert!(seen * 100 >= everything * 75, "{seen} of {everything}");
    }
}
