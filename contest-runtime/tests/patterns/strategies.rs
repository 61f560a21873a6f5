//! PCR, MCR and MAPTest as strategies.

use std::collections::BTreeSet;

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::trace::{Action, ExecutionRecord, ThreadIndex};
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::{Dfs, Dpor};
use contest_search::research::predict::{FilterRules, ForesightLimits};
use contest_search::research::{MapTest, Mcr, Pcr, PcrSettings};

use crate::program::{Op, Program, explore};
use crate::programs::random_program;

/// Values that each thread read, in order.
type Reads = Vec<Vec<u64>>;

fn reads(record: &ExecutionRecord) -> Reads {
    let of = |thread: u16| {
        let events = record
            .events
            .iter()
            .filter(move |event| event.thread == ThreadIndex(thread));
        events
            .filter(|event| {
                matches!(
                    event.action,
                    Action::Load(_) | Action::Rmw(..) | Action::CasFail(_)
                )
            })
            .map(|event| event.read)
            .collect()
    };
    (1..record.threads).map(of).collect()
}

fn outcomes(program: &Program, strategy: &mut dyn Strategy) -> BTreeSet<Reads> {
    let mut outcomes = BTreeSet::new();
    explore(program, strategy, |record| {
        outcomes.insert(reads(record));
    });
    outcomes
}

fn idle(executions: u64) -> PcrSettings {
    PcrSettings {
        idle: u32::try_from(executions).unwrap(),
        ..PcrSettings::default()
    }
}

/// Programs over atomics only.
fn atomic_program(rng: &mut Rng) -> Program {
    loop {
        let program = random_program(rng, 2, 5);
        let atomic = |op: &Op| {
            matches!(
                op,
                Op::Read(_) | Op::Write(..) | Op::Add(_) | Op::Exchange(..)
            )
        };
        if program.iter().flatten().all(atomic) {
            return program;
        }
    }
}

/// Programs of loads and stores.
fn read_write_program(rng: &mut Rng) -> Program {
    let pick = |rng: &mut Rng| match rng.below(2) {
        0 => Op::Read(rng.below(2) as usize),
        _ => Op::Write(rng.below(2) as usize, u64::from(1 + rng.below(3))),
    };
    (0..2)
        .map(|_| (0..2 + rng.below(3)).map(|_| pick(rng)).collect())
        .collect()
}

#[test]
fn mcr_reaches_every_combination_of_values_read() {
    let mut rng = Rng::new(11);
    for _ in 0..60 {
        let program = read_write_program(&mut rng);
        let expected = outcomes(&program, &mut Dpor::new());
        // Planned executions come first; random ones only fill up.
        let mut mcr = Mcr::new(rng.bits(), 500);
        let mut planned = BTreeSet::new();
        let mut first = true;
        explore(&program, &mut PlannedOnly(&mut mcr, &mut first), |record| {
            planned.insert(reads(record));
        });
        assert_eq!(planned, expected, "{program:?}");
        assert_eq!(mcr.diverged(), 0, "{program:?}");
        assert_eq!(mcr.counts().gave_up, 0, "{program:?}");
    }
}

/// MCR up to where it begins anew.
struct PlannedOnly<'a>(&'a mut Mcr, &'a mut bool);

impl Strategy for PlannedOnly<'_> {
    fn begin(&mut self) -> bool {
        let more = self.0.begin();
        let first = std::mem::replace(self.1, false);
        more && (first || self.0.is_planned())
    }
    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.0.thread(point)
    }
    fn value(&mut self, alternatives: u16) -> u16 {
        self.0.value(alternatives)
    }
    fn seed(&mut self) -> u64 {
        self.0.seed()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.0.end(record);
    }
}

#[test]
fn pcr_covers_nearly_all_that_can_be_covered_with_few_executions_and_never_diverges() {
    let mut rng = Rng::new(12);
    let (mut all, mut by_pcr, mut executions, mut all_executions) = (0, 0, 0, 0);
    for _ in 0..150 {
        let program = atomic_program(&mut rng);
        let mut everything = MapCoverage::new(Contents::Counted);
        // Not DPOR: equivalent executions can show different patterns over two variables.
        all_executions += explore(&program, &mut Dfs::new(None), |record| {
            everything.observe(record);
        });
        let mut pcr = Pcr::with_settings(rng.bits(), 10_000, idle(1));
        executions += explore(&program, &mut pcr, |_| ());
        let counts = pcr.counts();
        assert_eq!(
            counts.different + counts.blocked,
            0,
            "{program:?} {counts:?}"
        );
        assert_eq!(counts.questions.gave_up, 0, "{program:?} {counts:?}");
        let covered = pcr.coverage().counts().covered;
        assert!(covered <= everything.counts().covered);
        all += everything.counts().covered;
        by_pcr += covered;
    }
    assert!(by_pcr * 100 >= all * 75, "{by_pcr} of {all}");
    assert!(
        executions * 5 < all_executions,
        "{executions} of {all_executions} executions"
    );
}

#[test]
fn with_rule_four_off_pcr_covers_still_more() {
    let mut rng = Rng::new(13);
    let (mut all, mut with, mut without) = (0, 0, 0);
    for _ in 0..100 {
        let program = atomic_program(&mut rng);
        let mut everything = MapCoverage::new(Contents::Counted);
        explore(&program, &mut Dfs::new(None), |record| {
            everything.observe(record);
        });
        let seed = rng.bits();
        let covered = |settings: PcrSettings| {
            let mut pcr = Pcr::with_settings(seed, 10_000, settings);
            explore(&program, &mut pcr, |_| ());
            pcr.coverage().counts().covered
        };
        all += everything.counts().covered;
        with += covered(idle(1));
        let mut settings = idle(1);
        settings.rules.new_state = false;
        settings.rules.new_writer = false;
        without += covered(settings);
    }
    assert!(
        with < without && without * 100 >= all * 80,
        "{with} {without} {all}"
    );
}

#[test]
fn a_core_of_one_trace_spares_questions_in_others_and_changes_no_result() {
    let mut rng = Rng::new(14);
    let mut forbidden = 0;
    for _ in 0..60 {
        let program = random_program(&mut rng, 3, 4);
        let mut pcr = Pcr::with_settings(rng.bits(), 300, idle(1));
        explore(&program, &mut pcr, |_| ());
        forbidden += pcr.counts().questions.forbidden;
    }
    assert!(forbidden > 0);
}

#[test]
fn maptest_aims_and_counts_what_it_hits() {
    let mut rng = Rng::new(15);
    let (mut all_intended, mut all_hit) = (0, 0);
    for _ in 0..40 {
        let mut maptest = MapTest::new(rng.bits(), 20);
        let executions = explore(&random_program(&mut rng, 2, 8), &mut maptest, |_| ());
        let (intended, hit) = maptest.intended();
        assert!(executions == 20 && hit <= intended && intended < 20);
        all_intended += intended;
        all_hit += hit;
    }
    assert!(
        0 < all_hit && all_hit < all_intended,
        "{all_hit} of {all_intended}"
    );
}

#[test]
fn long_traces_are_taken_in_windows_and_what_is_left_out_is_counted() {
    let program: Program = (0..2)
        .map(|_| {
            (0..2_000)
                .flat_map(|round| [Op::Read(round % 3), Op::Add(round % 3)])
                .collect()
        })
        .collect();
    let settings = PcrSettings {
        limits: ForesightLimits {
            steps: 60,
            windows: 3,
            ..ForesightLimits::default()
        },
        // All accesses are at one place here, so that soon nothing is uncovered.
        rules: FilterRules {
            uncovered: false,
            ..FilterRules::default()
        },
        ..idle(1)
    };
    let mut pcr = Pcr::with_settings(1, 20, settings);
    let start = std::time::Instant::now();
    explore(&program, &mut pcr, |_| ());
    let counts = pcr.counts();
    assert!(start.elapsed().as_secs() < 60);
    assert!(counts.questions.unseen_steps > 1_000, "{counts:?}");
    assert!(counts.capped > 0 && counts.planned > 0, "{counts:?}");
}
