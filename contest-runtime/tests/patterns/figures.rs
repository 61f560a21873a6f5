//! Figures 1 to 4 of the paper: `isAttached` beside `removeAllAppenders` on one field, `aL`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_data::trace::{Action, Ending, ExecutionRecord, ObjectId, ThreadIndex};
use contest_engine::execution::Engine;
use contest_search::coverage::{Contents, SiteTable};
use contest_search::research::Planned;
use contest_search::research::predict::{
    Batsat, Candidate, FilterRules, PlannedSchedule, Prediction, Staircase, TraceModel, construct,
};

use crate::traces::{Line, random_lines, record};

/// Figure 1(b): all reads see the vector, 1; the last event stores null, 0.
const TRACE: [Line; 8] = [
    (1, 'R', 0, 1, 0, "6"),
    (2, 'R', 0, 1, 0, "19"),
    (1, 'R', 0, 1, 0, "8"),
    (2, 'R', 0, 1, 0, "20"),
    (1, 'R', 0, 1, 0, "11"),
    (2, 'R', 0, 1, 0, "22"),
    (2, 'R', 0, 1, 0, "25"),
    (2, 'W', 0, 1, 0, "26"),
];

/// Figure 3: places of p1 to p9.
const PATTERNS: [&[&str]; 9] = [
    &["6", "26"],
    &["26", "6"],
    &["8", "26"],
    &["26", "8"],
    &["11", "26"],
    &["26", "11"],
    &["6", "26", "8"],
    &["6", "26", "11"],
    &["8", "26", "11"],
];

fn numbers(candidates: &[Candidate], trace: &ExecutionRecord, model: &TraceModel) -> Vec<usize> {
    let mut numbers: Vec<usize> = candidates
        .iter()
        .map(|candidate| {
            let name = |step: &u32| trace.events[model.step(*step).event as usize].name;
            let places: Vec<&str> = candidate.steps.iter().map(name).collect();
            1 + PATTERNS
                .iter()
                .position(|pattern| *pattern == places)
                .unwrap_or(99)
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

fn constructed(rules: FilterRules) -> Vec<usize> {
    let trace = record(&TRACE);
    let model = TraceModel::new(&trace, &mut SiteTable::default(), Contents::Counted, 0, 100);
    numbers(
        &construct(&model, rules, &|_| false).candidates,
        &trace,
        &model,
    )
}

#[test]
fn figure_3_the_kept_patterns_are_p2_p4_p6_p7_and_p9() {
    assert_eq!(constructed(FilterRules::default()), [2, 4, 6, 7, 9]);
}

#[test]
fn figure_3_without_rules_2_and_5_there_are_all_nine() {
    let rules = FilterRules {
        uncovered: false,
        uninterrupted: false,
        new_state: false,
        ..FilterRules::default()
    };
    assert_eq!(constructed(rules), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let interrupted = FilterRules {
        uninterrupted: false,
        ..FilterRules::default()
    };
    assert_eq!(constructed(interrupted), [2, 4, 6, 7, 8, 9]);
}

#[test]
fn figure_4_p7_yields_the_published_schedule() {
    let trace = record(&TRACE);
    let model = TraceModel::new(&trace, &mut SiteTable::default(), Contents::Counted, 0, 100);
    let construction = construct(&model, FilterRules::default(), &|_| false);
    let p7 = construction
        .candidates
        .iter()
        .find(|candidate| candidate.steps == [0, 7, 2])
        .unwrap();
    assert_eq!(p7.number(), 4);
    let mut staircase = Staircase::<Batsat>::new(Arc::new(model.clone()));
    let Prediction::Possible(schedule) = staircase.query(&p7.goal(), 1_000) else {
        panic!("possible according to the paper");
    };
    // As i2 < i4 < i6 < i7 < i1 < i8 < i3, but for where i1 stands among the reads.
    let events: Vec<u32> = schedule.iter().map(|step| step + 1).collect();
    assert_eq!(events.len(), 7);
    assert_eq!(events[5..], [8, 3], "{events:?}");
}

/// The class of Figure 2, its elements left out.
struct Appenders {
    list: AtomicUsize,
    closed: AtomicBool,
}

impl Appenders {
    fn is_attached(&self) -> bool {
        if self.list.load(Relaxed) == 0 {
            return false;
        }
        let size = size_of_list(self.list.load(Relaxed));
        (0..size).any(|_| size_of_list(self.list.load(Relaxed)) == 1)
    }

    fn remove_all(&self) {
        if self.list.load(Relaxed) != 0 {
            let size = size_of_list(self.list.load(Relaxed));
            for _ in 0..size {
                assert_ne!(self.list.load(Relaxed), 0);
                self.closed.store(true, Relaxed);
            }
            assert_ne!(self.list.load(Relaxed), 0);
            self.list.store(0, Relaxed);
        }
    }
}

fn size_of_list(list: usize) -> usize {
    assert_ne!(list, 0, "null pointer");
    1
}

fn run(strategy: &mut dyn Strategy) -> ExecutionRecord {
    strategy.begin();
    let mut engine = Engine::new(Limits::default());
    let record = engine
        .run(strategy, || {
            let appenders = Arc::new(Appenders {
                list: AtomicUsize::new(1),
                closed: AtomicBool::new(false),
            });
            let other = Arc::clone(&appenders);
            let one = thread::spawn(move || other.is_attached());
            let two = thread::spawn(move || appenders.remove_all());
            let joined = [one.join().map(|_| ()), two.join()];
            assert!(joined.iter().all(Result::is_ok));
        })
        .clone();
    strategy.end(&record);
    record
}

#[test]
fn figure_2_the_engine_follows_p7_to_the_panic() {
    let trace = run(&mut Planned::new(PlannedSchedule::default()));
    assert_eq!(trace.ending, Ending::Finished);
    let model = TraceModel::new(&trace, &mut SiteTable::default(), Contents::Counted, 0, 100);
    let list: ObjectId = trace
        .events
        .iter()
        .find(|event| event.action == Action::Load(Relaxed))
        .unwrap()
        .object;
    let construction = construct(&model, FilterRules::default(), &|_| false);
    let of_list = |candidate: &&Candidate| {
        candidate
            .steps
            .iter()
            .all(|&step| trace.events[model.step(step).event as usize].object == list)
    };
    let kept: Vec<&Candidate> = construction.candidates.iter().filter(of_list).collect();
    assert_eq!(kept.len(), 5);
    let first_reads = |candidate: &&&Candidate| {
        candidate.steps.len() == 3 && model.step(candidate.steps[0]).place == 0
    };
    let p7 = kept.iter().find(first_reads).unwrap();
    let mut staircase = Staircase::<Batsat>::new(Arc::new(model.clone()));
    let Prediction::Possible(order) = staircase.query(&p7.goal(), 1_000) else {
        panic!("possible according to the paper");
    };
    let mut planned = Planned::new(PlannedSchedule::new(&model, &trace, &order, false));
    let failed = run(&mut planned);
    assert!(planned.follower().is_done());
    let panic = failed.panics.first().unwrap();
    assert!(panic.message.contains("null pointer"), "{}", panic.message);
    assert_eq!(panic.thread, ThreadIndex(1));
}

#[test]
fn each_rule_can_be_switched_off_and_then_more_patterns_are_kept() {
    let switches: [fn(&mut FilterRules); 6] = [
        |rules| rules.defined = false,
        |rules| rules.uncovered = false,
        |rules| rules.program_order = false,
        |rules| rules.new_state = false,
        |rules| rules.uninterrupted = false,
        |rules| rules.new_writer = false,
    ];
    let mut rng = Rng::new(17);
    let mut more = [0; 6];
    for _ in 0..60 {
        let trace = record(&random_lines(&mut rng, 2, 12, 2));
        let model = TraceModel::new(&trace, &mut SiteTable::default(), Contents::Counted, 0, 100);
        let kept = |rules| construct(&model, rules, &|_| false).candidates.len();
        for (rule, switch) in switches.iter().enumerate() {
            let mut rules = FilterRules {
                // What the sixth leaves out, the fourth does nearly always.
                new_state: rule != 5,
                ..FilterRules::default()
            };
            let with = kept(rules);
            switch(&mut rules);
            more[rule] += kept(rules).checked_sub(with).expect("a rule adds nothing");
        }
    }
    assert!(more.iter().all(|&count| count > 0), "{more:?}");
}
