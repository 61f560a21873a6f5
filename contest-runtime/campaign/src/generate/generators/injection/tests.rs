use super::super::TestSource;
use super::*;
use crate::generate::SequenceRun;
use crate::generate::fixtures::{KEY, constructor, constructor_in, keeping, observer, operation};
use contest_data::dependencies::Dependencies;
use contest_data::settings::{Prunings, TestSize};
use contest_data::subject::{Argument, Keeping, Subject};

const GET: u16 = 0;
const RESIZE: u16 = 1;
const SIZE: u16 = 2;
const KEEP: u16 = 3;
const LET_GO: u16 = 4;
const INSERT: u16 = 0;

/// A pool whose manager waits when an object is used again, or fails then.
static POOL: Subject = Subject {
    name: "Pool",
    path: "Pool",
    constructors: &[
        constructor_in(StandInMode::Usual),
        constructor_in(StandInMode::Differs),
        constructor_in(StandInMode::Waits),
    ],
    operations: &[
        operation("get", &[Argument::OF_FUTURE]),
        operation("resize", &[]),
        observer("size", &[]),
        keeping("get", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
        keeping("get", Keeping::Keeps),
        keeping("drop(kept)", Keeping::LetsGo),
    ],
    state: None,
};

struct Pool;

impl RunCalls for Pool {
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let gets = calls.iter().filter(|it| it.operation == GET).count();
        let again = gets > 1 && calls.last().is_some_and(|it| it.operation == GET);
        SequenceRun {
            trace: u32::from(again && object.constructor == 1),
            pends: again && object.constructor == 2,
            failed: false,
            ..SequenceRun::FAILED
        }
    }
}

const INSERTED: &[Argument] = &[KEY[0], KEY[0], Argument::OF_FUTURE];

/// A cache that is given futures, of which the second one waits.
static CACHE: Subject = Subject {
    name: "Cache",
    path: "Cache",
    constructors: &[constructor("Cache::new()")],
    operations: &[operation("insert", INSERTED), operation("clear", &[])],
    state: None,
};

struct Cache;

impl RunCalls for Cache {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let last = calls.last();
        SequenceRun {
            pends: last.is_some_and(|it| it.operation == INSERT && it.choices[1] == 1),
            failed: false,
            ..SequenceRun::FAILED
        }
    }
}

fn tests(subject: &'static Subject, runner: &mut dyn RunCalls) -> Vec<ConcurrentTest> {
    let bounds = TestSize {
        threads: 3,
        calls: 4,
    }
    .into();
    let none = Dependencies::default();
    let source = TestSource::new("injection", subject, 0, bounds, 1, &none, Prunings::ALL);
    let mut source = source.unwrap();
    std::iter::from_fn(|| source.next(runner)).collect()
}

/// Operations with the way in which their futures are used, lane after lane.
fn lanes(test: &ConcurrentTest) -> Vec<Vec<(u16, FutureUse)>> {
    let of = |call: &TestCall| {
        let operation = &test_subject(test).operations[usize::from(call.operation)];
        (call.operation, operation.future_use(&call.choices))
    };
    test.threads
        .iter()
        .map(|lane| lane.iter().map(of).collect())
        .collect()
}

fn test_subject(test: &ConcurrentTest) -> &'static Subject {
    let of_cache = test.threads[0][0].choices.len() > 1;
    if of_cache { &CACHE } else { &POOL }
}

#[test]
fn a_call_that_waits_for_its_user_is_cancelled_and_the_next_ones_meet_what_it_left() {
    let all = tests(&POOL, &mut Pool);
    assert!(
        all.iter().all(|it| it.prefix.len() == 1),
        "only then it waits"
    );
    let waiting: Vec<_> = all
        .iter()
        .filter(|it| it.objects[0].constructor == 2)
        .collect();
    let cancelled = (GET, FutureUse::Cancel);
    let run = |operation| (operation, FutureUse::Run);
    let plain = run(GET);
    let wanted = [
        vec![vec![cancelled], vec![plain]],
        vec![vec![cancelled, plain], vec![run(SIZE)]],
        vec![
            vec![cancelled, run(KEEP), run(SIZE), run(LET_GO)],
            vec![run(KEEP), run(SIZE), run(LET_GO)],
        ],
        vec![vec![cancelled, run(SIZE)], vec![plain], vec![plain]],
        vec![vec![cancelled], vec![(RESIZE, FutureUse::Run)]],
    ];
    let found: Vec<_> = waiting.iter().map(|it| lanes(it)).collect();
    assert_eq!(found, wanted);
    assert_eq!(
        all[0].objects[0].constructor, 2,
        "those that wait come first"
    );
}

#[test]
fn a_call_that_goes_another_way_when_its_user_fails_is_not_cancelled() {
    let all = tests(&POOL, &mut Pool);
    let failing: Vec<_> = all
        .iter()
        .filter(|it| it.objects[0].constructor == 1)
        .collect();
    assert_eq!(failing.len(), 5);
    let mut uses = failing.iter().flat_map(|it| lanes(it)).flatten();
    assert!(uses.all(|(_, how)| how == FutureUse::Run));
}

#[test]
fn an_argument_that_waits_is_found_by_trying() {
    let all = tests(&CACHE, &mut Cache);
    let cancelled = |call: &TestCall| call.choices == [0, 1, FutureUse::Cancel.choice()];
    assert!(
        !all.is_empty() && all.iter().all(|it| cancelled(&it.threads[0][0])),
        "{all:?}"
    );
    let again = |it: &&ConcurrentTest| it.threads[0].len() == 2;
    assert!(
        all.iter()
            .any(|it| again(&it) && it.threads[0][1].choices == [0, 0, 0])
    );
}

#[test]
fn where_nothing_hinders_a_call_there_are_no_tests() {
    struct Never;
    impl RunCalls for Never {
        fn run_calls(&mut self, _: &TestObject, _: &[TestCall]) -> SequenceRun {
            SequenceRun {
                failed: false,
                ..SequenceRun::FAILED
            }
        }
    }
    assert_eq!(tests(&POOL, &mut Never), []);
}
