//! Predicted schedules against explicit search and against the engine.

use std::sync::Arc;

use contest_data::rng::Rng;
use contest_data::trace::ExecutionRecord;
use contest_search::coverage::{Contents, SiteTable};
use contest_search::explore::Random;
use contest_search::research::Planned;
use contest_search::research::predict::{
    Batsat, Divergence, Goal, PlannedSchedule, Prediction, Staircase, StepId, TraceModel, search,
};

use crate::program::{Op, Program, explore};
use crate::programs::random_program;

/// One execution by a random walk.
fn run_randomly(program: &Program, seed: u64) -> ExecutionRecord {
    let mut found = None;
    explore(program, &mut Random::new(seed, 1), |record| {
        found = Some(record.clone())
    });
    found.unwrap()
}

fn random_goal(rng: &mut Rng, model: &TraceModel) -> Option<Goal> {
    let accesses: Vec<StepId> = (0..model.steps.len() as StepId)
        .filter(|&step| model.step(step).access.is_some())
        .collect();
    if accesses.is_empty() {
        return None;
    }
    let mut pick = || accesses[rng.below(accesses.len() as u32) as usize];
    let mut order = vec![pick()];
    let length = 2 + pick() as usize % 3;
    for _ in 0..20 {
        let step = pick();
        if order.len() < length && !order.contains(&step) {
            order.push(step);
        }
    }
    let last = model.step(*order.last().unwrap());
    if rng.one_in(4)
        && last
            .access
            .is_some_and(|access| access.reads && access.valued)
    {
        let target = order.pop().unwrap();
        order.retain(|&step| model.step(step).thread != model.step(target).thread || step < target);
        return Some(Goal::Reads(target, u64::from(rng.below(4)), order));
    }
    let keeps = rng.one_in(2);
    let open = rng.one_in(3);
    let goal = if open { Goal::Open } else { Goal::Order };
    (order.len() > 1).then(|| goal(order, keeps))
}

/// Follows the schedule; it must be followed to its end and do what was requested. False if it was not because a thread
/// that reads the same three times counts as waiting.
fn check_in_the_engine(
    program: &Program,
    record: &ExecutionRecord,
    model: &TraceModel,
    goal: &Goal,
    order: &[StepId],
    skipped: bool,
) -> bool {
    let plan = PlannedSchedule::new(model, record, order, skipped);
    let mut planned = Planned::new(plan);
    let mut again = None;
    explore(program, &mut planned, |record| again = Some(record.clone()));
    let again = again.unwrap();
    let story = || {
        format!(
            "{program:?}\n{goal:?}\n{order:?}\n{:?}\n{:?}\n{:#?}",
            model.rules, model.steps, again.ending
        )
    };
    if planned.follower().divergence() == Some(Divergence::Spinning) {
        return false;
    }
    assert_eq!(
        planned.follower().divergence(),
        None,
        "{}\n{:?}\n{again:#?}",
        story(),
        planned.follower()
    );
    assert!(planned.follower().is_done(), "{}", story());
    let find = |step: StepId| {
        let event = &record.events[model.step(step).event as usize];
        let mut events = again.events.iter();
        events.position(|other| (other.thread, other.index) == (event.thread, event.index))
    };
    let at = |step: StepId| find(step).unwrap_or_else(|| panic!("not executed: {}", story()));
    match goal {
        Goal::Order(steps, firm) | Goal::Open(steps, firm) => {
            let target = goal.target();
            let mut sure = steps.as_slice();
            if matches!(goal, Goal::Open(..)) {
                // The last is still to come, if at all.
                sure = &steps[..steps.len() - 1];
                assert!(
                    find(steps[sure.len()]).is_none_or(|last| at(target) < last),
                    "{}",
                    story()
                );
            }
            assert!(
                sure.windows(2).all(|pair| at(pair[0]) < at(pair[1])),
                "{}",
                story()
            );
            if *firm {
                let (old, new) = (
                    &record.events[model.step(target).event as usize],
                    &again.events[at(target)],
                );
                if model.step(target).conditional {
                    assert_eq!(old.action, new.action, "{}", story());
                }
            }
        }
        Goal::Reads(step, value, _) => {
            assert_eq!(again.events[at(*step)].read, *value, "{}", story())
        }
    }
    true
}

/// Queries programs of this many threads until so many answers were compared; returns how many were possible.
fn compare(
    seed: u64,
    threads: usize,
    most_ops: u32,
    questions: u32,
    window: Option<(usize, usize)>,
) -> u32 {
    let mut rng = Rng::new(seed);
    let (mut answered, mut possible, mut spun) = (0, 0, 0);
    while answered < questions {
        let program = random_program(&mut rng, threads, most_ops);
        let record = run_randomly(&program, rng.bits());
        let mut sites = SiteTable::default();
        let (skip, most) = window.unwrap_or((0, 1_000));
        let model = TraceModel::new(&record, &mut sites, Contents::Counted, skip, most);
        let mut staircase = Staircase::<Batsat>::new(Arc::new(model.clone()));
        for _ in 0..12 {
            let Some(goal) = random_goal(&mut rng, &model) else {
                break;
            };
            let expected = search(&model, &goal, 200_000);
            if expected == Prediction::Unknown {
                continue;
            }
            answered += 1;
            let answer = staircase.query(&goal, 100_000);
            let is_possible = matches!(answer, Prediction::Possible(_));
            assert_ne!(answer, Prediction::Unknown);
            assert_eq!(
                is_possible,
                matches!(expected, Prediction::Possible(_)),
                "{program:?}\n{goal:?}\n{:?}\n{:?}",
                model.rules,
                model.steps
            );
            for schedule in [answer, expected] {
                if let Prediction::Possible(order) = schedule {
                    let followed = check_in_the_engine(
                        &program,
                        &record,
                        &model,
                        &goal,
                        &order,
                        window.is_some(),
                    );
                    spun += u32::from(!followed);
                }
            }
            possible += u32::from(is_possible);
        }
    }
    assert!(spun * 20 < questions, "{spun}");
    possible
}

#[test]
fn two_threads_the_solver_agrees_with_explicit_search_and_the_engine_follows() {
    let possible = compare(1, 2, 8, 5_000, None);
    assert!((500..4_500).contains(&possible), "{possible}");
}

#[test]
fn three_threads_the_solver_agrees_with_explicit_search_and_the_engine_follows() {
    let possible = compare(2, 3, 4, 5_000, None);
    assert!((500..4_500).contains(&possible), "{possible}");
}

#[test]
fn a_window_of_a_trace_is_reordered_after_what_came_before() {
    let possible = compare(3, 2, 8, 1_500, Some((4, 10)));
    assert!((100..1_400).contains(&possible), "{possible}");
}

#[test]
fn a_lost_update_takes_two_predictions() {
    let program: Program = vec![
        vec![Op::Read(0), Op::Write(0, 1)],
        vec![Op::Read(0), Op::Write(0, 2)],
    ];
    let run = |plan: PlannedSchedule| {
        let mut record = None;
        explore(&program, &mut Planned::new(plan), |seen| {
            record = Some(seen.clone())
        });
        record.unwrap()
    };
    // Thread 1 runs to its end, then thread 2.
    let record = run(PlannedSchedule::default());
    let mut sites = SiteTable::default();
    let model = TraceModel::new(&record, &mut sites, Contents::Counted, 0, 100);
    assert_eq!(model.steps.len(), 4);
    let mut staircase = Staircase::<Batsat>::new(Arc::new(model.clone()));
    // Its write was computed from what its read saw, so nothing can be said of it before thread 1 has written.
    let order = Goal::Order(vec![0, 3, 1], false);
    assert!(matches!(
        staircase.query(&order, 100),
        Prediction::Impossible(_)
    ));
    let Prediction::Possible(order) = staircase.query(&Goal::Reads(2, 0, Vec::new()), 100) else {
        panic!("the read can come first");
    };
    let record = run(PlannedSchedule::new(&model, &record, &order, false));
    let model = TraceModel::new(&record, &mut sites, Contents::Counted, 0, 100);
    let find = |thread: u16, reads: bool| {
        let found = (0..4).find(|&step| {
            model.indices[usize::from(model.step(step).thread)].0 == thread
                && model.step(step).access.unwrap().reads == reads
        });
        found.unwrap()
    };
    let mut staircase = Staircase::<Batsat>::new(Arc::new(model.clone()));
    let lost = Goal::Order(vec![find(1, true), find(2, false), find(1, false)], false);
    assert!(matches!(
        staircase.query(&lost, 100),
        Prediction::Possible(_)
    ));
}
