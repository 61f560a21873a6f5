//! The order in which a campaign visits tests, and what it counts.

use contest::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use contest_campaign::campaign::run;
use contest_data::finding::{Finding, KnownBug};
use contest_data::limits::Limits;
use contest_data::settings::{Listener, Settings, TestSize};
use contest_data::subject::{EndUse, Needs, Operation, Receiver, Subject};
use contest_data::test::ConcurrentTest;
use contest_data::totals::{Alone, NOT_FINISHED, Progress, SubjectTotals, Totals};
use contest_engine::memory::NoIsolation;

use crate::subjects;
use crate::support::{PACKAGE, settings};

/// What was visited and found, in order.
#[derive(Default)]
struct Diary {
    visits: Vec<u64>,
    fingerprints: Vec<(usize, String)>,
    progress: Vec<Progress>,
    /// Visits after which the campaign is stopped.
    last: Option<usize>,
}

impl Listener for Diary {
    fn finding(&mut self, finding: Finding, _: KnownBug) {
        self.fingerprints
            .push((self.visits.len(), finding.fingerprint));
    }
    fn is_stopped(&mut self) -> bool {
        self.last.is_some_and(|last| self.visits.len() >= last)
    }
    fn alone(&mut self, _: Alone) {}
    fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress.clone());
    }
    fn test(&mut self, number: u64, _: &ConcurrentTest) {
        self.visits.push(number);
    }
}

fn campaign(subjects: &'static [Subject], settings: &Settings) -> (Diary, Totals) {
    until(None, subjects, settings)
}

/// A campaign that is stopped after so many visits.
fn until(
    last: Option<usize>,
    subjects: &'static [Subject],
    settings: &Settings,
) -> (Diary, Totals) {
    let mut diary = Diary {
        last,
        ..Diary::default()
    };
    let limits = Limits::default();
    let totals = run(
        PACKAGE,
        subjects,
        settings,
        limits,
        &mut NoIsolation,
        &mut diary,
    );
    (diary, totals.unwrap())
}

/// Two types with large tests, so that explorations pause.
fn several() -> &'static [Subject] {
    let both = [&subjects::LOSING_QUEUE[0], &subjects::CORRECT_QUEUE[0]];
    Vec::leak(
        both.into_iter()
            .map(|subject| Subject {
                name: subject.name,
                path: subject.path,
                constructors: subject.constructors,
                operations: subject.operations,
                state: subject.state,
            })
            .collect(),
    )
}

#[test]
fn a_campaign_that_is_stopped_says_so_and_counts_what_it_did() {
    let (diary, totals) = until(Some(21), several(), &settings(60_000));
    assert_eq!(diary.visits.len(), 21);
    let sum = |count: fn(&SubjectTotals) -> u64| totals.subjects.iter().map(count).sum::<u64>();
    assert!(sum(|it| it.executions) >= 20, "{totals:?}");
    let stopped = |it: &SubjectTotals| {
        let cut = it.cut.iter();
        cut.filter(|(why, _)| why == "the campaign was stopped")
            .map(|(_, count)| count)
            .sum()
    };
    let count = sum(stopped);
    assert!((1..=20).contains(&count), "{totals:?}");
}

#[test]
fn the_same_seed_visits_the_same_tests_in_the_same_order() {
    for strategy in ["auto", "random"] {
        let settings = Settings {
            strategy: strategy.to_owned(),
            ..settings(700)
        };
        let (one, _) = campaign(several(), &settings);
        let (two, _) = campaign(several(), &settings);
        // How far time reaches differs. The last visit may have been cut short.
        let most = one.visits.len().min(two.visits.len());
        assert!(most > 40, "{strategy}: {most}");
        assert_eq!(one.visits[..most], two.visits[..most], "{strategy}");
        let before = |diary: &Diary| -> Vec<(usize, String)> {
            let found = diary.fingerprints.iter();
            found.filter(|(at, _)| *at < most).cloned().collect()
        };
        assert_eq!(before(&one), before(&two), "{strategy}");
        let mut later = one.visits.clone();
        later.sort_unstable();
        later.dedup();
        assert!(later.len() < one.visits.len(), "no test had a second visit");
    }
}

fn sum<R>(counts: &[(R, u64)]) -> u64 {
    counts.iter().map(|(_, count)| count).sum()
}

#[test]
fn every_test_is_exhausted_or_cut_with_a_reason_at_any_time() {
    for fail_fast in [false, true] {
        let settings = Settings {
            fail_fast,
            ..settings(500)
        };
        let (diary, last) = campaign(several(), &settings);
        let all = diary.progress.iter().map(|it| &it.totals).chain([&last]);
        for totals in all {
            for subject in &totals.subjects {
                let whole = subject.exhausted + sum(&subject.partly);
                let counted = whole + sum(&subject.cut);
                assert_eq!(subject.tests, counted, "{subject:?}");
                let begun = subject.tests + sum(&subject.left_out);
                let mut of_rungs = 0;
                for rung in &subject.ladder {
                    let ended = rung.complete + sum(&rung.partly) + sum(&rung.cut);
                    assert_eq!(rung.run(), ended, "{rung:?}");
                    assert_eq!(rung.begun, ended + sum(&rung.left_out), "{rung:?}");
                    of_rungs += rung.begun;
                }
                assert!(of_rungs <= begun, "{subject:?}");
            }
        }
        let cut: u64 = last.subjects.iter().map(|it| sum(&it.cut)).sum();
        assert!(cut > 0, "{last:?}");
    }
}

#[test]
fn a_campaign_that_has_nothing_left_to_explore_ends_before_its_time() {
    let settings = Settings {
        size: TestSize {
            threads: 2,
            calls: 1,
        }
        .into(),
        ..settings(20_000)
    };
    let (_, totals) = campaign(&subjects::CORRECT_COUNTER, &settings);
    let subject = &totals.subjects[0];
    assert!(totals.elapsed_ms < 15_000, "{totals:?}");
    assert_eq!(
        (subject.tests, &subject.cut[..]),
        (subject.exhausted, &[][..])
    );
}

/// Two ends, each for one thread.
static ENDS: [Subject; 1] = {
    const fn of_end(end: u8, operation: Operation) -> Operation {
        Operation {
            receiver: Receiver::End(EndUse {
                end,
                needs: Needs::Alone,
            }),
            ..operation
        }
    }
    [Subject {
        name: "(Left, Right)",
        path: "Ends",
        constructors: &[subjects::new::<AtomicU32>("ends()")],
        operations: &[
            of_end(
                0,
                subjects::operation("left", "{s}.0.left()", &[], |call| {
                    contest::observe!(subjects::object::<AtomicU32>(call).fetch_add(1, SeqCst))
                }),
            ),
            of_end(
                1,
                subjects::operation("right", "{s}.1.right()", &[], |call| {
                    contest::observe!(subjects::object::<AtomicU32>(call).fetch_add(1, SeqCst))
                }),
            ),
        ],
        state: None,
    }]
};

#[test]
fn a_pair_that_meets_on_two_objects_only_is_none_of_those_that_are_counted() {
    let settings = Settings {
        generator: "ladder".to_owned(),
        ..settings(4_000)
    };
    let (diary, totals) = campaign(&ENDS, &settings);
    let subject = &totals.subjects[0];
    let two_objects = (subject.ladder.iter()).any(|rung| rung.rung.two_objects && rung.begun > 0);
    assert!(two_objects, "{:?}", subject.ladder);
    let all = diary.progress.iter().map(|it| &it.totals).chain([&totals]);
    for totals in all {
        let subject = &totals.subjects[0];
        assert!(subject.pairs.0 <= subject.pairs.1, "{subject:?}");
        assert!(subject.overlapped <= subject.pairs.1, "{subject:?}");
    }
    assert_eq!((subject.pairs, subject.overlapped), ((1, 1), 1));
}

/// Two flags, of which RC11 may show more than one order.
#[derive(Default)]
struct Flags([AtomicU32; 2]);

impl Flags {
    fn set_first(&self) -> u32 {
        self.0[0].store(1, Relaxed);
        self.0[1].load(Relaxed)
    }

    fn set_second(&self) -> u32 {
        self.0[1].store(1, Relaxed);
        self.0[0].load(Relaxed)
    }
}

static FLAGS: [Subject; 1] = [Subject {
    name: "Flags",
    path: "Flags",
    constructors: &[subjects::new::<Flags>("Flags::default()")],
    operations: &[
        subjects::operation("set_first", "{s}.set_first()", &[], |call| {
            contest::observe!(subjects::object::<Flags>(call).set_first())
        }),
        subjects::operation("set_second", "{s}.set_second()", &[], |call| {
            contest::observe!(subjects::object::<Flags>(call).set_second())
        }),
    ],
    state: None,
}];

/// Some are whole under sequential consistency, and paused before they are explored under RC11.
#[test]
fn a_test_counts_as_whole_or_is_kept_for_the_next_run() {
    let settings = Settings {
        report_paused: true,
        ..settings(400)
    };
    let (diary, totals) = campaign(&FLAGS, &settings);
    let last = diary
        .progress
        .iter()
        .rev()
        .find_map(|it| it.paused.as_ref());
    let kept: usize = last.unwrap().iter().map(|it| it.tests.len()).sum();
    let subject = &totals.subjects[0];
    let cut = subject.cut.iter().find(|(why, _)| why == NOT_FINISHED);
    assert!(subject.exhausted > 3 && kept > 3, "{kept} of {subject:?}");
    assert_eq!(
        cut.map(|(_, count)| *count),
        Some(kept as u64),
        "{subject:?}"
    );
}
