//! Tests too large to be explored, and what PCR does at its limits: it counts, and claims nothing it has not seen.

use std::sync::Arc;

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::ExecutionRecord;
use contest_engine::execution::Engine;
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::Random;
use contest_search::research::predict::ForesightLimits;
use contest_search::research::{Pcr, PcrSettings};

use crate::traces::{Line, record};

/// Runs a program of two threads; returns the number of the first execution that panicked.
fn first_failure<T: Send + Sync + 'static>(
    strategy: &mut dyn Strategy,
    object: fn() -> T,
    one: fn(&T),
    two: fn(&T),
    mut see: impl FnMut(&ExecutionRecord),
) -> Option<u32> {
    let mut engine = Engine::new(Limits::default());
    let mut executions = 0;
    let mut first = None;
    while strategy.begin() {
        let record = engine.run(strategy, || {
            let object = Arc::new(object());
            let shared = Arc::clone(&object);
            let handles = [
                thread::spawn(move || one(&shared)),
                thread::spawn(move || two(&object)),
            ];
            for handle in handles {
                let _ = handle.join();
            }
        });
        executions += 1;
        see(record);
        if !record.panics.is_empty() {
            first.get_or_insert(executions);
        }
        strategy.end(record);
    }
    first
}

type Cells = [AtomicUsize; 2];

/// The first is 1 and is taken away at the end of thread 2, behind 40 additions of either thread to the second.
fn looks_twice(cells: &Cells) {
    if cells[0].load(Relaxed) != 0 {
        assert_ne!(cells[0].load(Relaxed), 0, "gone in between");
    }
    add(cells);
}

fn takes_away(cells: &Cells) {
    add(cells);
    cells[0].store(0, Relaxed);
}

fn add(cells: &Cells) {
    for _ in 0..40 {
        cells[1].fetch_add(1, Relaxed);
    }
}

fn cells() -> Cells {
    [AtomicUsize::new(1), AtomicUsize::new(0)]
}

#[test]
fn a_fault_behind_forty_additions_is_planned_at_once_where_walks_find_nothing() {
    for seed in 1..=5 {
        let mut pcr = Pcr::new(seed, 6);
        let found = first_failure(&mut pcr, cells, looks_twice, takes_away, |_| ());
        assert!(found.is_some(), "{seed}: {:?}", pcr.counts());
        let mut random = Random::new(seed, 1_000);
        let found = first_failure(&mut random, cells, looks_twice, takes_away, |_| ());
        assert_eq!(found, None);
    }
}

/// Which branch is taken depends on what an addition returned.
fn depends(cells: &Cells) {
    for _ in 0..4 {
        if cells[1].fetch_add(1, Relaxed).is_multiple_of(2) {
            cells[0].store(2, Relaxed);
        } else {
            cells[0].load(Relaxed);
        }
    }
}

#[test]
fn tentative_plans_that_diverge_are_counted_apart_and_claim_no_coverage() {
    let (mut tentative, mut diverged) = (0, 0);
    for seed in 1..=20 {
        let mut pcr = Pcr::new(seed, 40);
        let mut seen = MapCoverage::new(Contents::Counted);
        first_failure(&mut pcr, cells, depends, depends, |record| {
            seen.observe(record);
        });
        let counts = pcr.counts();
        assert_eq!(counts.different + counts.blocked, 0, "{counts:?}");
        assert_eq!(counts.planned + counts.tentative + counts.random, 40);
        assert_eq!(
            pcr.coverage().counts().covered,
            seen.counts().covered,
            "what was planned and not executed is not covered"
        );
        tentative += counts.tentative;
        diverged += counts.tentative_diverged;
        let settings = PcrSettings {
            tentative: false,
            ..PcrSettings::default()
        };
        let mut strict = Pcr::with_settings(seed, 40, settings);
        first_failure(&mut strict, cells, depends, depends, |_| ());
        assert_eq!(strict.counts().tentative, 0);
    }
    assert!(
        0 < diverged && diverged < tentative,
        "{diverged} of {tentative}"
    );
}

#[test]
fn a_branch_on_something_unseen_makes_plans_diverge_and_that_is_counted() {
    /// Depends on the order in which the threads came here, which no event records.
    static ORDER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    fn object() -> Cells {
        ORDER.store(0, Relaxed);
        cells()
    }
    fn hidden(cells: &Cells) {
        for _ in 0..3 {
            cells[0].load(Relaxed);
            let came = ORDER.fetch_add(1, Relaxed);
            cells[0].store(10 + came, Relaxed);
            if came.is_multiple_of(2) {
                cells[1].store(came, Relaxed);
            } else {
                cells[1].load(Relaxed);
            }
        }
    }
    let mut pcr = Pcr::new(3, 60);
    let mut seen = MapCoverage::new(Contents::Counted);
    first_failure(&mut pcr, object, hidden, hidden, |record| {
        seen.observe(record);
    });
    let counts = pcr.counts();
    assert!(counts.different + counts.blocked > 0, "{counts:?}");
    assert_eq!(pcr.coverage().counts().covered, seen.counts().covered);
    let words = counts.in_words();
    let words = words.iter().find(|(what, _)| what.contains("diverged"));
    assert!(words.unwrap().1 > 0);
}

#[test]
fn a_solver_that_gives_up_is_counted_and_nothing_is_claimed() {
    let settings = PcrSettings {
        limits: ForesightLimits {
            conflicts: 0,
            positions: 1,
            ..ForesightLimits::default()
        },
        ..PcrSettings::default()
    };
    let mut pcr = Pcr::with_settings(1, 30, settings);
    let mut seen = MapCoverage::new(Contents::Counted);
    first_failure(&mut pcr, cells, depends, depends, |record| {
        seen.observe(record);
    });
    let counts = pcr.counts();
    assert!(counts.questions.gave_up > 0, "{counts:?}");
    assert_eq!(
        counts.questions.queries,
        counts.questions.possible + counts.questions.impossible + counts.questions.gave_up
    );
    assert_eq!(pcr.coverage().counts().covered, seen.counts().covered);
    let words = counts.in_words();
    assert!(words.contains(&(
        "pcr: questions the solver gave up",
        counts.questions.gave_up
    )));
}

#[test]
fn at_the_limits_of_memory_solvers_are_let_go_and_traces_dropped() {
    let settings = PcrSettings {
        held_clauses: 2_000,
        held_events: 2_000,
        ..PcrSettings::default()
    };
    let mut pcr = Pcr::with_settings(1, 60, settings);
    first_failure(&mut pcr, cells, depends, depends, |_| ());
    let little = *pcr.counts();
    assert!(little.let_go > 0, "{little:?}");
    let settings = PcrSettings {
        held_events: 300,
        ..PcrSettings::default()
    };
    let mut pcr = Pcr::with_settings(1, 60, settings);
    first_failure(&mut pcr, cells, looks_twice, takes_away, |_| ());
    assert!(pcr.counts().dropped > 0, "{:?}", pcr.counts());
}

#[test]
fn an_execution_of_a_hundred_thousand_events_is_taken_in_windows_in_little_time() {
    let lines: Vec<Line> = (0..100_000)
        .map(|place| {
            let thread = 1 + (place / 3 % 2) as u16;
            match place % 5 {
                0 | 3 => (thread, 'R', place % 7, 0, 0, "a"),
                1 => (thread, 'W', place % 7, 0, 0, "b"),
                2 => (thread, 'U', place % 7, 0, 0, "c"),
                _ => (thread, 'R', place % 3, 0, 0, "d"),
            }
        })
        .collect();
    let long = record(&lines);
    let mut pcr = Pcr::new(1, 3);
    let start = std::time::Instant::now();
    pcr.begin();
    pcr.end(&long);
    pcr.begin();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let counts = pcr.counts();
    assert!(counts.questions.unseen_steps > 90_000, "{counts:?}");
    assert!(counts.questions.queries > 0, "{counts:?}");
}

#[test]
fn a_loop_that_repeats_a_pattern_many_times_is_queried_at_its_ends() {
    let lines: Vec<Line> = (0..1_000_000)
        .map(|round| match round % 3 {
            0 => (1, 'R', 0, 0, 0, "a"),
            1 => (2, 'W', 0, 0, 0, "b"),
            _ => (1, 'U', 0, 0, 0, "c"),
        })
        .collect();
    let long = record(&lines);
    let mut pcr = Pcr::new(1, 3);
    let start = std::time::Instant::now();
    pcr.begin();
    pcr.end(&long);
    pcr.begin();
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let counts = pcr.counts();
    assert!(pcr.coverage().counts().covered < 20);
    assert!(counts.questions.unseen_steps > 900_000, "{counts:?}");
    assert!(counts.capped > 0, "{counts:?}");
}
