//! Explorations that pause and go on.

use std::collections::BTreeSet;

use contest_data::decision::Strategy;
use contest_data::rng::Rng;
use contest_data::trace::{ExecutionRecord, Schedule};
use contest_engine::execution::Engine;
use contest_search::explore::{Explorer, RunOnce};

use crate::brute_force::{MainFirst, brute_force};
use crate::families::FAMILIES;
use crate::program::{Program, run_once};
use crate::trace::canonical;

struct Runs<'a> {
    engine: &'a mut Engine,
    program: &'a Program,
}

impl RunOnce for Runs<'_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        run_once(self.engine, self.program, strategy)
    }
}

/// A program and its exploration so far.
struct Exploration {
    program: Program,
    explorer: Explorer,
    schedules: Vec<Schedule>,
    over: bool,
}

impl Exploration {
    fn new(program: &Program, strategy: &str, most: u64) -> Self {
        Self {
            program: program.clone(),
            explorer: Explorer::in_turns(strategy, 7, most, &std::sync::Arc::default()).unwrap(),
            schedules: Vec::new(),
            over: false,
        }
    }

    fn go_on(&mut self, engine: &mut Engine, executions: u64) {
        for _ in 0..executions {
            let mut runs = Runs {
                engine,
                program: &self.program,
            };
            let Some(record) = self.explorer.next(&mut runs) else {
                self.over = true;
                return;
            };
            self.schedules.push(record.schedule.clone());
        }
    }
}

#[test]
fn an_exploration_that_pauses_runs_the_executions_of_one_that_does_not() {
    for strategy in ["auto", "dpor", "switch-once", "pcr", "surw"] {
        for (number, family) in FAMILIES.iter().enumerate() {
            let mut rng = Rng::new(number as u64);
            let programs = [(); 3].map(|()| family.program(&mut rng, 2, 4));
            let alone = programs.each_ref().map(|program| {
                let mut exploration = Exploration::new(program, strategy, 60);
                exploration.go_on(&mut Engine::new(family.limits()), u64::MAX);
                exploration
            });
            // All of them on one engine, each for a few executions at a time.
            let mut engine = Engine::new(family.limits());
            let mut paused =
                (programs.each_ref()).map(|program| Exploration::new(program, strategy, 60));
            while paused.iter().any(|exploration| !exploration.over) {
                for (turn, exploration) in paused.iter_mut().enumerate() {
                    exploration.go_on(&mut engine, 1 + 2 * turn as u64);
                }
            }
            for (alone, paused) in alone.iter().zip(&paused) {
                let name = family.name;
                assert_eq!(alone.schedules, paused.schedules, "{strategy}: {name}");
                assert_eq!(alone.explorer.exhausted(), paused.explorer.exhausted());
                assert_eq!(alone.explorer.parts(), paused.explorer.parts());
            }
        }
    }
}

/// The same for an exploration whose first steps are those of the main thread.
struct MainFirstRuns<'a>(Runs<'a>);

impl RunOnce for MainFirstRuns<'_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        struct Borrowed<'s>(&'s mut dyn Strategy);
        impl Strategy for Borrowed<'_> {
            fn begin(&mut self) -> bool {
                self.0.begin()
            }
            fn thread(
                &mut self,
                point: &contest_data::decision::DecisionPoint<'_>,
            ) -> contest_data::decision::Choice {
                self.0.thread(point)
            }
            fn value(&mut self, alternatives: u16) -> u16 {
                self.0.value(alternatives)
            }
            fn leeway(&self) -> contest_data::limits::Leeway {
                self.0.leeway()
            }
            fn seed(&mut self) -> u64 {
                self.0.seed()
            }
            fn end(&mut self, record: &ExecutionRecord) {
                self.0.end(record);
            }
        }
        let mut strategy = MainFirst(Borrowed(strategy));
        self.0.run_once(&mut strategy)
    }
}

#[test]
fn strategies_in_turns_claim_exhaustion_only_where_brute_force_finds_no_more() {
    let mut exhausted = 0;
    for (number, family) in FAMILIES.iter().enumerate() {
        let mut rng = Rng::new(100 + number as u64);
        for _ in 0..10 {
            let program = family.program(&mut rng, 2, 3);
            let Some(all) = brute_force(&program, &family.limits(), 40, 3_000) else {
                continue;
            };
            let mut engine = Engine::new(family.limits());
            let mut explorer =
                Explorer::in_turns("auto", 3, 4_000, &std::sync::Arc::default()).unwrap();
            let mut found = BTreeSet::new();
            let mut runs = MainFirstRuns(Runs {
                engine: &mut engine,
                program: &program,
            });
            while let Some(record) = explorer.next(&mut runs) {
                if record.ending != contest_data::trace::Ending::Abandoned {
                    found.insert(canonical(record));
                }
            }
            if explorer.exhausted() {
                exhausted += 1;
                assert!(all.is_subset(&found), "{}: {program:?}", family.name);
            }
        }
    }
    assert!(exhausted > 100, "{exhausted}");
}

#[test]
fn what_is_left_of_a_tree_is_estimated_until_it_is_done() {
    let program: Program = vec![vec![crate::program::Op::Add(0); 3]; 2];
    let mut exploration = Exploration::new(&program, "dpor", 1_000);
    let mut engine = Engine::new(contest_data::limits::Limits::default());
    exploration.go_on(&mut engine, 19);
    let rest = exploration.explorer.rest().unwrap();
    assert!((0.0..8.0).contains(&rest), "{rest}");
    exploration.go_on(&mut engine, 100);
    assert_eq!(exploration.schedules.len(), 20);
    assert_eq!(exploration.explorer.rest(), None);
    assert!(exploration.explorer.exhausted());
}
