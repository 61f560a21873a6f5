//! The detector and the naive one agree on random traces.

use super::trace_maker::{MEMORY, MEMORY_SIZE, Maker, Random};
use super::{Detector, Step, naive};
use contest_data::trace::MemoryFault;

/// Panics if the two differ; returns whether there is a race.
fn compare(detector: &mut Detector, trace: &[Step]) -> bool {
    let found = detector.races(trace);
    let pasts = naive::pasts(trace);
    let expected = naive::races(trace, &pasts);
    let say = || {
        let steps: Vec<String> = (trace.iter().enumerate())
            .map(|(at, step)| {
                format!(
                    "{at}: thread {} {:?} on {} (second {:?}, number {}, {:?}, complete {}) access {:?}",
                    step.thread,
                    step.action,
                    step.object,
                    step.second,
                    step.number,
                    step.ends,
                    step.round_is_complete,
                    step.access
                )
            })
            .collect();
        format!("\n{}\nfound {found:?}", steps.join("\n"))
    };
    let pair = |race: &MemoryFault| {
        let first = race.first().expect("both accesses are known");
        (first.1.step as usize, race.second().1.step as usize)
    };
    for race in &found {
        let (first, second) = pair(race);
        assert!(
            expected.iter().any(|&(_, a, b)| (a, b) == (first, second)),
            "{first} and {second} do not race: {}",
            say()
        );
    }
    for byte in MEMORY..MEMORY + MEMORY_SIZE {
        // The first race of a location is certain to be found, when the second access is made.
        let Some(&(_, _, second)) = expected.iter().find(|(at, ..)| *at == byte) else {
            continue;
        };
        assert!(
            found
                .iter()
                .any(|race| pair(race).1 == second
                    && expected.contains(&(byte, pair(race).0, second))),
            "the race of byte {} at {second} is missed: {}",
            byte - MEMORY,
            say()
        );
    }
    !expected.is_empty()
}

#[test]
fn the_detector_agrees_with_the_transitive_closure_on_sixty_thousand_traces() {
    // An interpreter takes a thousand times as long; few traces may nearly all have a race.
    const TRACES: usize = if cfg!(miri) { 25 } else { 60_000 };
    const MOST_RACY: usize = if cfg!(miri) { TRACES } else { TRACES * 9 / 10 };
    let mut detector = Detector::default();
    let mut random = Random(2024);
    let mut racy = 0;
    for _ in 0..TRACES {
        let length = 10 + random.below(40);
        let trace = Maker::new(&mut random).make(length);
        racy += usize::from(compare(&mut detector, &trace));
    }
    // Both sides must be there for the agreement to mean anything.
    assert!(racy > TRACES / 5, "{racy}");
    assert!(racy < MOST_RACY, "{racy}");
}

#[test]
fn long_traces_with_many_threads_agree_too() {
    let mut detector = Detector::default();
    let mut random = Random(7);
    // The naive detector takes time in the cube of the length.
    let (traces, length) = if cfg!(miri) { (1, 60) } else { (500, 120) };
    for _ in 0..traces {
        let trace = Maker::new(&mut random).make(length);
        compare(&mut detector, &trace);
    }
}
