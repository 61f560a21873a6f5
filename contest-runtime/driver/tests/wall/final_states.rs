//! Final states that are known are not observed again, and nothing is overlooked: whole campaigns over random programs,
//! with every final state observed and without.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicPtr;
use std::time::Duration;

use contest_campaign::campaign::run;
use contest_data::finding::{Finding, KnownBug};
use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_data::settings::{Listener, Package, Settings, TestSize};
use contest_data::subject::{
    Argument, Call, Constructor, Contract, Object, Operation, Receiver, Response, StandInMode,
    Subject,
};
use contest_data::test::ConcurrentTest;
use contest_data::totals::{Alone, Progress, SubjectTotals};
use contest_std::sync::Mutex;
use contest_std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use crate::scenarios::Process;

/// Programs that constructors choose from.
const PROGRAMS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];

/// An object whose methods are programs drawn from its number.
struct Program {
    number: u64,
    count: AtomicU32,
    sum: Mutex<u32>,
    list: Mutex<Vec<[Box<u32>; 1]>>,
    /// Where something was that is freed: such a state is never taken for another one.
    stale: AtomicPtr<u32>,
}

impl Program {
    fn new(number: u64) -> Self {
        Self {
            number,
            count: AtomicU32::new(0),
            sum: Mutex::new(0),
            list: Mutex::new(Vec::new()),
            stale: AtomicPtr::default(),
        }
    }

    fn step(&self, method: u64) -> Option<u32> {
        let mut rng = Rng::new(self.number << 8 | method);
        let mut last = None;
        for _ in 0..=rng.below(2) {
            last = match rng.below(7) {
                0 => Some(self.count.fetch_add(1, SeqCst)),
                1 => {
                    // Not atomic.
                    let old = self.count.load(SeqCst);
                    self.count.store(old + 1, SeqCst);
                    None
                }
                2 => {
                    *self.sum.lock().unwrap() += 1;
                    None
                }
                3 => {
                    let old = *self.sum.lock().unwrap();
                    *self.sum.lock().unwrap() = old + 2;
                    None
                }
                4 => {
                    self.list.lock().unwrap().push([Box::new(method as u32)]);
                    None
                }
                5 => self.list.lock().unwrap().pop().map(|[it]| *it),
                _ => {
                    let mut freed = std::hint::black_box(Box::new(7));
                    self.stale.store(&raw mut *freed, SeqCst);
                    None
                }
            };
        }
        last
    }
}

fn make(call: &Call<'_>) -> Object {
    Object(Box::new(Arc::new(Program::new(u64::from(call.choice(0))))))
}

fn program(call: &Call<'_>) -> Arc<Program> {
    Arc::clone(call.objects[call.receiver].0.downcast_ref().unwrap())
}

fn step<const METHOD: u64>(call: &Call<'_>) -> Response {
    contest_driver::observe!(program(call).step(METHOD))
}

const fn method(name: &'static str, call: fn(&Call<'_>) -> Response) -> Operation {
    Operation {
        name,
        text: name,
        arguments: &[],
        receiver: Receiver::Shared,
        weak: false,
        observer: false,
        contract: Contract::NONE,
        declared: "tests/wall/final_states.rs",
        call,
    }
}

const fn observer(name: &'static str, call: fn(&Call<'_>) -> Response) -> Operation {
    Operation {
        observer: true,
        ..method(name, call)
    }
}

static PROGRAM: [Subject; 1] = [Subject {
    name: "Program",
    path: "Program",
    constructors: &[Constructor {
        text: "Program::new({0})",
        arguments: &[Argument {
            choices: PROGRAMS,
            object: false,
            of_future: false,
            of_texts: false,
        }],
        mode: StandInMode::Usual,
        make,
    }],
    operations: &[
        method("a", step::<0>),
        method("b", step::<1>),
        method("c", step::<2>),
        observer("count", |call| {
            contest_driver::observe!(program(call).count.load(SeqCst))
        }),
        observer("sum", |call| {
            contest_driver::observe!(*program(call).sum.lock().unwrap())
        }),
        observer("list", |call| {
            contest_driver::observe!(program(call).list.lock().unwrap().clone())
        }),
    ],
    state: None,
}];

#[derive(Default)]
struct Replies(Vec<Finding>);

impl Listener for Replies {
    fn finding(&mut self, finding: Finding, _: KnownBug) {
        self.0.push(finding);
    }
    fn alone(&mut self, _: Alone) {}
    fn progress(&mut self, _: &Progress) {}
    fn test(&mut self, _: u64, _: &ConcurrentTest) {}
}

/// Findings by test and fingerprint, and the counts.
fn campaign(
    process: &mut Process,
    seed: u64,
    strategy: &str,
    observe_all: bool,
) -> (BTreeSet<(String, String)>, SubjectTotals) {
    let settings = Settings {
        budget: Duration::from_secs(120),
        seed,
        strategy: strategy.to_owned(),
        // So small that it ends before the budget does.
        size: TestSize {
            threads: 2,
            calls: 1,
        }
        .into(),
        generator: "ladder".to_owned(),
        observe_all,
        ..Settings::default()
    };
    let limits = Limits {
        forget_unfinished: true,
        ..Limits::default()
    };
    let mut replies = Replies::default();
    let package = Package {
        name: "programs",
        version: "1.0.0",
    };
    let totals = run(
        package,
        &PROGRAM,
        &settings,
        limits,
        &mut process.isolation,
        &mut replies,
    );
    let findings = replies.0.into_iter();
    let findings = findings.map(|it| (format!("{:?}{:?}", it.prefix, it.threads), it.fingerprint));
    (findings.collect(), totals.unwrap().subjects.remove(0))
}

pub(crate) fn final_states(seed: u64, strategy: &str) -> ! {
    let mut process = Process::start();
    let (all, observed) = campaign(&mut process, seed, strategy, true);
    let (new, lazily) = campaign(&mut process, seed, strategy, false);
    assert_eq!(observed.unobserved, 0);
    assert!(!all.is_empty());
    assert_eq!(new, all, "{strategy} {seed}");
    assert_eq!(lazily.tests, observed.tests);
    // How often a bug showed again depends on how soon it was recognised, which has a limit of time.
    let reasons = |totals: &SubjectTotals| {
        let mut reasons = totals.skipped.clone();
        reasons.retain(|(reason, _)| reason != "shows a bug that was already reported");
        reasons
    };
    assert_eq!(reasons(&lazily), reasons(&observed), "{strategy} {seed}");
    // Most of the others are call sequences and their repetitions.
    assert!(
        lazily.unobserved * 10 > lazily.executions,
        "{} of {}",
        lazily.unobserved,
        lazily.executions
    );
    process.end()
}
