//! The check against a brute-force search over all permutations, on random histories.

use super::model::*;
use crate::generate::RandomSource;
use crate::judge::linearizability::{Compared, Explanation, explain};
use crate::judge::{History, SerialOutcomes};
use contest_data::test::{CallName, TestShape};
use contest_data::trace::Outcome;

/// A random history: calls take effect at random points of random spans, and now and then one returns something else.
fn random_history(random: &mut RandomSource, lanes: &[Vec<u16>], step: Step) -> History {
    let mut history = empty(&TestShape::of(&test(lanes)));
    // Each call gets three points in time, in order within its lane.
    let calls: usize = lanes.iter().map(Vec::len).sum();
    let mut effects: Vec<(u32, usize, usize)> = Vec::new();
    for (lane, operations) in lanes.iter().enumerate() {
        let mut points: Vec<u32> = Vec::new();
        while points.len() < operations.len() * 3 {
            let point = random.below(calls * 6) as u32 * 16 + lane as u32;
            if !points.contains(&point) {
                points.push(point);
            }
        }
        points.sort_unstable();
        for call in 0..operations.len() {
            returned(
                &mut history,
                lane,
                call,
                "",
                (points[call * 3], points[call * 3 + 2]),
            );
            effects.push((points[call * 3 + 1], lane, call));
        }
    }
    effects.sort_unstable();
    let mut state = State::new();
    for (_, lane, call) in effects {
        let text = step(&mut state, lanes[lane][call]).expect("these operations do not block");
        history.lanes[lane][call].outcome = Outcome::Returned(Some(text));
    }
    if random.one_in(2) {
        // Results of two calls change places.
        let names = names(&history);
        let (left, right) = (
            names[random.below(names.len())],
            names[random.below(names.len())],
        );
        let taken = outcome(&mut history, left).clone();
        let given = std::mem::replace(outcome(&mut history, right), taken);
        *outcome(&mut history, left) = given;
    }
    if random.one_in(3) {
        // A lane is seen later than it took effect.
        let lane = random.below(lanes.len());
        for call in &mut history.lanes[lane] {
            call.began += 10_000;
            call.ended += 10_000;
        }
    }
    history
}

fn outcome(history: &mut History, name: CallName) -> &mut Outcome {
    let CallName::Lane(lane, call) = name else {
        unreachable!("only lanes here")
    };
    &mut history.lanes[lane][call].outcome
}

/// True if some permutation of all calls that respects lanes (and real time, if wanted) gives these results.
fn brute_force(history: &History, lanes: &[Vec<u16>], step: Step, real_time: bool) -> bool {
    fn go(
        history: &History,
        lanes: &[Vec<u16>],
        step: Step,
        real_time: bool,
        left: &mut Vec<CallName>,
        state: &State,
    ) -> bool {
        if left.is_empty() {
            return true;
        }
        (0..left.len()).any(|index| {
            let name = left[index];
            let CallName::Lane(lane, call) = name else {
                return false;
            };
            let here = &history.lanes[lane][call];
            let first = left.iter().all(|&other| {
                let CallName::Lane(other_lane, other_call) = other else {
                    return false;
                };
                let there = &history.lanes[other_lane][other_call];
                let precedes = other_lane == lane && other_call < call
                    || real_time && there.ended < here.began;
                !precedes
            });
            let mut state = state.clone();
            let result = step(&mut state, lanes[lane][call]);
            if !first || Outcome::Returned(result) != here.outcome {
                return false;
            }
            left.remove(index);
            let explained = go(history, lanes, step, real_time, left, &state);
            left.insert(index, name);
            explained
        })
    }
    go(
        history,
        lanes,
        step,
        real_time,
        &mut names(history),
        &State::new(),
    )
}

#[test]
fn the_check_agrees_with_a_search_over_all_permutations() {
    let mut random = RandomSource::new(1, 0);
    let mut seen = [0; 3];
    for round in 0..3_000 {
        let step: Step = if round % 2 == 0 { queue } else { stack };
        let count = 2 + random.below(2);
        let lanes: Vec<Vec<u16>> = (0..count)
            .map(|_| {
                let length = 1 + random.below(if count == 2 { 3 } else { 2 });
                let operations = [PUSH_1, PUSH_2, TRY_TAKE, COUNT];
                (0..length)
                    .map(|_| operations[random.below(operations.len())])
                    .collect()
            })
            .collect();
        let history = random_history(&mut random, &lanes, step);
        let outcomes = SerialOutcomes::of(&test(&lanes), &mut Model(step));
        let found = explain(&history, &outcomes, &Compared::default());
        let linearizable = brute_force(&history, &lanes, step, true);
        let sequential = brute_force(&history, &lanes, step, false);
        let expected = match found {
            Some(Explanation::Linearizable(_)) => 0,
            Some(Explanation::OnlySequential(_)) => 1,
            Some(Explanation::None(_)) => 2,
            None => unreachable!("there are serial runs"),
        };
        let oracle = if linearizable {
            0
        } else {
            1 + usize::from(!sequential)
        };
        assert_eq!(expected, oracle, "round {round}: {lanes:?} {history:?}");
        seen[expected] += 1;
    }
    // All three answers occurred often: the test could fail.
    assert!(seen.iter().all(|&times| times > 100), "{seen:?}");
}
