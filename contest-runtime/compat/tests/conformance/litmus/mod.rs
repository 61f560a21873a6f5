//! The litmus programs that Miri took over from GenMC (`tests/genmc/pass/litmus` of Miri), as data.
//!
//! GenMC counts execution graphs: which write each read reads from, and in which order the writes of a location come.
//! Under sequential consistency such a graph is the same thing as a Mazurkiewicz trace of loads, stores and
//! read-modify-writes, so for each program the number of executions of the exhaustive search must be the number of
//! graphs that some interleaving has, and the outcomes those of all interleavings; both are computed here by running
//! every interleaving of a simulation. Where no weak behaviour exists, as in programs with one location, that number is
//! GenMC's too; elsewhere GenMC's, which counts weak behaviours as well, can only be larger.

mod interleavings;
mod program;
mod table;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use contest::sync::atomic::{AtomicU64, Ordering::SeqCst};
use contest::{Builder, thread};

use interleavings::Interleavings;
use program::{LOCATIONS, Litmus, Outcome, REGISTERS, Step};
use table::{PROGRAMS, Weak};

type Memory = [AtomicU64; LOCATIONS];

/// Runs one thread of a program on the drop-in atomics; its registers at the end.
fn run_thread(steps: &[Step], memory: &Memory) -> [u64; REGISTERS] {
    let mut registers = [0; REGISTERS];
    let mut next = 0;
    while let Some(step) = steps.get(next) {
        next += 1;
        match *step {
            // A line for each: a read that is repeated at one place is taken for a loop that waits.
            Step::Load(at, 0) => registers[0] = memory[at].load(SeqCst),
            Step::Load(at, 1) => registers[1] = memory[at].load(SeqCst),
            Step::Load(at, 2) => registers[2] = memory[at].load(SeqCst),
            Step::Load(at, register) => registers[register] = memory[at].load(SeqCst),
            Step::Store(at, value) => memory[at].store(value.of(&registers), SeqCst),
            Step::Add(at, value) => {
                memory[at].fetch_add(value, SeqCst);
            }
            Step::Swap(at, value) => {
                memory[at].swap(value, SeqCst);
            }
            Step::Exchange(at, expected, new) => {
                let expected = expected.of(&registers);
                let _ = memory[at].compare_exchange(expected, new, SeqCst, SeqCst);
            }
            Step::SkipUnlessAbove(register, value, skipped) => {
                next += if registers[register] > value {
                    0
                } else {
                    skipped
                };
            }
            Step::Fence => contest::sync::atomic::fence(SeqCst),
        }
    }
    registers
}

/// Outcomes and number of executions of the exhaustive search.
fn explore(litmus: &'static Litmus) -> (BTreeSet<Outcome>, u64) {
    let outcomes = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&outcomes);
    let report = Builder::new()
        .exhaustive()
        .without_repetitions()
        .run(move || {
            let memory: Arc<Memory> = Arc::default();
            let start = |steps: &'static &'static [Step]| {
                let memory = Arc::clone(&memory);
                thread::spawn(move || run_thread(steps, &memory))
            };
            let threads: Vec<_> = litmus.threads.iter().map(start).collect();
            let registers = threads.into_iter().map(|thread| thread.join().unwrap());
            let registers: Vec<[u64; REGISTERS]> = registers.collect();
            let memory = memory.each_ref().map(|location| location.load(SeqCst));
            outcomes
                .lock()
                .unwrap()
                .insert(Outcome { registers, memory });
        });
    assert!(report.exhausted(), "{}: {:?}", litmus.name, report.cut());
    assert_eq!(report.findings(), [], "{}", litmus.name);
    let outcomes = all.lock().unwrap().clone();
    (outcomes, report.traces())
}

#[test]
fn outcomes_are_those_of_all_interleavings_and_every_trace_is_run_once() {
    for litmus in &PROGRAMS {
        let expected = Interleavings::of(litmus);
        let (outcomes, traces) = explore(litmus);
        assert_eq!(outcomes, expected.outcomes, "{}", litmus.name);
        assert_eq!(traces, expected.graphs.len() as u64, "{}", litmus.name);
    }
}

#[test]
fn where_nothing_is_weak_the_count_is_that_of_genmc() {
    for litmus in &PROGRAMS {
        let (_, traces) = explore(litmus);
        match litmus.weak {
            Weak::No => assert_eq!(traces, litmus.genmc, "{}", litmus.name),
            Weak::Yes => assert!(traces < litmus.genmc, "{}: {traces}", litmus.name),
        }
    }
}

#[test]
#[ignore = "a table for people; run it with --ignored --nocapture"]
fn traces_beside_genmc() {
    println!(
        "{:<18}{:>8}{:>8}{:>10}",
        "program", "GenMC", "ours", "outcomes"
    );
    for litmus in &PROGRAMS {
        let (outcomes, traces) = explore(litmus);
        let (genmc, outcomes) = (litmus.genmc, outcomes.len());
        println!("{:<18}{genmc:>8}{traces:>8}{outcomes:>10}", litmus.name);
    }
}
