//! The search on random Mealy machines: a call is an input, its trace the output.

use super::*;
use contest_data::rng::Rng;

struct Machine(Vec<Vec<(TraceId, u64)>>);

impl RunSequence<u8> for Machine {
    fn run_sequence(&mut self, calls: &[u8]) -> SequenceRun {
        let mut state = 0;
        let mut trace = 0;
        for &call in calls {
            (trace, state) = self.0[state as usize][usize::from(call)];
        }
        SequenceRun {
            trace,
            state: Some(state),
            failed: false,
            waits: false,
            pends: false,
            gave_up: false,
            lock_orders: Vec::new(),
            acts: true,
            accesses: Vec::new(),
        }
    }
}

fn search(machine: &mut Machine, saturation: u32, prunings: Prunings, most: u64) -> Found<u8> {
    let edges: Vec<u8> = (0..machine.0[0].len() as u8).collect();
    let covered = TraceSet::default();
    CallTree::new(&edges, &covered, saturation, prunings, most).search(machine)
}

const PUBLISHED: Prunings = Prunings {
    published: true,
    ..Prunings::ALL
};

#[test]
fn the_example_loses_one_trace_to_pruning() {
    let mut machine = Machine(vec![
        vec![(10, 2), (11, 2)],
        vec![(0, 0), (21, 0)],
        vec![(20, 2), (11, 1)],
    ]);
    let all = search(&mut machine, 2, Prunings::NONE, 100_000);
    assert_eq!(all.calls, [0, 1, 0, 0, 0, 1, 1]);
    assert_eq!(all.covers.len(), 5);
    for prunings in [Prunings::ALL, PUBLISHED] {
        let pruned = search(&mut machine, 2, prunings, 100_000);
        assert_eq!(pruned.calls, [0, 0, 1, 0]);
        assert_eq!(pruned.covers.len(), 4);
    }
}

#[test]
fn pruning_loses_little_and_saves_much() {
    let mut rng = Rng::new(2);
    let (mut machines, mut lost, mut lost_published) = (0, 0, 0);
    let (mut runs, mut runs_unpruned) = (0, 0);
    while machines < 300 {
        let states = 3 + rng.below(4);
        let inputs = 2 + rng.below(2);
        let traces = 3 + rng.below(4);
        let table = (0..states)
            .map(|_| {
                (0..inputs)
                    .map(|input| {
                        let trace = rng.below(traces) * 10 + input;
                        (trace, u64::from(rng.below(states)))
                    })
                    .collect()
            })
            .collect();
        let mut machine = Machine(table);
        let saturation = 2 + rng.below(2);
        let all = search(&mut machine, saturation, Prunings::NONE, 60_000);
        if all.cut {
            continue;
        }
        machines += 1;
        let amended = search(&mut machine, saturation, Prunings::ALL, 60_000);
        let published = search(&mut machine, saturation, PUBLISHED, 60_000);
        assert!(amended.covers.len() <= all.covers.len());
        lost += u32::from(amended.covers.len() < all.covers.len());
        lost_published += u32::from(published.covers.len() < all.covers.len());
        runs += amended.runs;
        runs_unpruned += all.runs;
    }
    assert!(lost < lost_published, "{lost} and {lost_published}");
    assert!(lost * 100 <= machines * 8, "{lost} of {machines}");
    assert!(runs * 20 < runs_unpruned, "{runs} of {runs_unpruned}");
}

#[test]
fn the_cost_of_a_search_is_limited_and_the_limit_is_told() {
    // Every call leads to a state of its own: nothing can be pruned.
    struct Endless(u64);
    impl RunSequence<u8> for Endless {
        fn run_sequence(&mut self, _: &[u8]) -> SequenceRun {
            self.0 += 1;
            SequenceRun {
                trace: (self.0 % 7) as TraceId,
                state: Some(self.0),
                failed: false,
                waits: false,
                pends: false,
                gave_up: false,
                lock_orders: Vec::new(),
                acts: true,
                accesses: Vec::new(),
            }
        }
    }
    let covered = TraceSet::default();
    let mut endless = Endless(0);
    let found = CallTree::new(&[0, 1, 2], &covered, 9, Prunings::ALL, 5_000).search(&mut endless);
    assert!(found.cut);
    assert_eq!(endless.0, 5_000);
    assert_eq!(found.covers.len(), 7);
}

#[test]
fn calls_that_fail_are_left_out_and_counted() {
    struct Failing;
    impl RunSequence<u8> for Failing {
        fn run_sequence(&mut self, calls: &[u8]) -> SequenceRun {
            let last = calls[calls.len() - 1];
            SequenceRun {
                trace: u32::from(last),
                state: Some(u64::from(last)),
                failed: last == 0,
                waits: false,
                pends: false,
                gave_up: false,
                lock_orders: Vec::new(),
                acts: true,
                accesses: Vec::new(),
            }
        }
    }
    let covered = TraceSet::default();
    let found = CallTree::new(&[0, 1, 2], &covered, 3, Prunings::ALL, 1_000).search(&mut Failing);
    assert!(found.calls.contains(&1) && found.calls.contains(&2) && !found.calls.contains(&0));
    assert!(found.pruned.failed > 0);
}

#[test]
fn what_is_covered_already_counts_for_nothing() {
    let mut machine = Machine(vec![vec![(0, 0), (1, 0)]]);
    let mut covered = TraceSet::default();
    covered.insert(0);
    covered.insert(1);
    let found = CallTree::new(&[0, 1], &covered, 3, Prunings::ALL, 1_000).search(&mut machine);
    assert!(found.calls.is_empty() && found.covers.is_empty());
}
