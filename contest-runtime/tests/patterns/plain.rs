//! Plain accesses, as cells and the memory layer report them, in access patterns.

use std::collections::BTreeSet;

use contest::coverage::{Contents, MapCoverage};
use contest::execution::{Engine, Limits, Strategy, active};
use contest::explore::Dfs;
use contest::sync::Mutex;
use contest::thread;

/// A location of a name of its own.
const SHARED: usize = 0x1000;
const OF_ONE_THREAD: usize = 0x2000;

fn read(location: usize) {
    active().unwrap().plain_read(location, 8);
}

fn write(location: usize) {
    active().unwrap().plain_write(location, 8);
}

/// Looks twice in two sections of the lock; beside it, what nobody shares.
fn covered(body: fn(&Mutex<()>), other: fn(&Mutex<()>)) -> (MapCoverage, u64) {
    let mut coverage = MapCoverage::new(Contents::Counted);
    let mut engine = Engine::new(Limits::default());
    let mut all = Dfs::new(None);
    let mut executions = 0;
    while all.begin() {
        let record = engine.run(&mut all, || {
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
        all.end(record);
    }
    (coverage, executions)
}

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
