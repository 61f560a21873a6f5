//! A test executable as a driver process: the crate's own tests, explored.

use super::channel::Channel;
use super::debug_symbols;
use super::serve::{request, run};
use super::start::Started;
use super::symbols::order_files;
use contest_campaign::campaign::own_tests::{self, OwnTest, OwnTestListener};
use contest_data::finding::Finding;
use contest_data::limits::Limits;
use contest_data::own_tests::{OwnResult, OwnTestSettings};
use contest_data::protocol::black_box::Phase;
use contest_data::protocol::{BLACK_BOX_VARIABLE, Replayed, Reply, Request, VERSION};
use contest_data::token::Token;
use contest_data::trace::Schedule;
use contest_engine::black_box;

/// Visible operations of one execution: tests that were written to be run once have more of them than generated ones.
const STEPS: u32 = 2_000_000;
/// Iterations of a thread that reads the same again and again while no other one can run. Tests end with loops that
/// look alike: `for counter in counters` moves one after the other to the same place and loads it.
const SPIN_ITERATIONS: u32 = 100_000;
/// Stack of a thread: as `std` gives to threads.
const STACK_BYTES: usize = 2 << 20;

/// Gives the tests that libtest would run with these arguments, or says what is wrong with them.
pub type ListTests<'a> = &'a dyn Fn(&[String]) -> Result<Vec<OwnTest>, String>;

/// True if this process was started by the tool, to explore tests; else it is `cargo test` or a user.
#[must_use]
pub fn is_driver() -> bool {
    std::env::var_os(BLACK_BOX_VARIABLE).is_some()
}

/// Main of a test executable. `list` gives the tests that libtest would run with these arguments; `accesses` says
/// whether they report every memory access.
pub fn own_tests_main(accesses: bool, list: ListTests<'_>) -> ! {
    order_files();
    run(|started, channel| {
        started.isolation.set_symbols(debug_symbols::open_symbols);
        channel.send(&Reply::Hello {
            version: VERSION,
            subjects: Vec::new(),
            notes: std::mem::take(&mut started.notes),
        });
        let served = request(channel).and_then(|request| {
            let limits = Limits {
                steps: STEPS,
                spin_iterations: SPIN_ITERATIONS,
                stack_bytes: STACK_BYTES,
                forget_unfinished: true,
                shares_main_stack: true,
                forget_accesses_alone: true,
                accesses,
                ..Limits::default()
            };
            answer(request, limits, list, started, channel)
        });
        if let Err(why) = served {
            channel.send(&Reply::Refused(why));
        }
    })
}

fn answer(
    request: Request,
    limits: Limits,
    list: ListTests<'_>,
    started: &mut Started,
    channel: &mut Channel,
) -> Result<(), String> {
    match request {
        Request::OwnTests(settings) => {
            let limits = Limits {
                time: Some(settings.execution_budget()),
                ..limits
            };
            let pairs = explore(&settings, limits, list, started, channel)?;
            channel.send(&Reply::OwnTestsDone {
                pairs: pairs.run,
                pairs_failed: pairs.failed,
                pairs_left: pairs.left,
            });
        }
        Request::OwnTest {
            name,
            schedule,
            token,
        } => {
            let test = &test_named(&name, list)?;
            let schedule = schedule.as_deref().map(Schedule::from_text).transpose();
            let schedule = schedule.map_err(|error| error.to_string())?;
            black_box::test(0, &name);
            black_box::phase(Phase::Replaying);
            let rerun = own_tests::rerun(test, schedule, token, limits, &mut started.isolation);
            channel.send(&Reply::Replayed(Box::new(Replayed {
                finding: rerun.finding,
                ending: rerun.ending,
                interleaving: rerun.interleaving,
                diverged: rerun.diverged,
            })));
        }
        Request::Debug { token } => {
            let decoded = Token::decode(&token).map_err(|error| error.to_string())?;
            let name = decoded.own_test().map(|(_, name)| name.to_owned());
            let name =
                name.ok_or_else(|| "this token is not of a test of the package".to_owned())?;
            let test = &test_named(&name, list)?;
            black_box::test(0, &name);
            black_box::phase(Phase::Replaying);
            let ending = own_tests::debug(test, decoded.schedule, limits, &mut started.isolation);
            channel.send(&Reply::Probed { ending });
        }
        Request::Campaign(_)
        | Request::Replay { .. }
        | Request::Probe { .. }
        | Request::Scenario(_) => {
            return Err("this executable has the tests of the package, not its types".to_owned());
        }
    }
    Ok(())
}

/// A test of the executable, or a pair of them.
fn test_named(name: &str, list: ListTests<'_>) -> Result<OwnTest, String> {
    let find = |name: &str| {
        let arguments = ["--exact", "--include-ignored", name].map(str::to_owned);
        let test = list(&arguments)?.into_iter().next();
        test.ok_or_else(|| format!("there is no test `{name}` any more"))
    };
    own_tests::pair_of(name, find).unwrap_or_else(|| find(name))
}

fn explore(
    settings: &OwnTestSettings,
    limits: Limits,
    list: ListTests<'_>,
    started: &mut Started,
    channel: &mut Channel,
) -> Result<own_tests::Pairs, String> {
    let tests = list(&settings.arguments)?;
    channel.send(&Reply::OwnTests(
        tests.iter().map(|test| test.name.clone()).collect(),
    ));
    let mut wire = Wire { channel };
    own_tests::run(tests, settings, limits, &mut started.isolation, &mut wire)
        .map_err(|name| format!("there is no strategy `{name}`"))
}

struct Wire<'a> {
    channel: &'a mut Channel,
}

impl OwnTestListener for Wire<'_> {
    fn begins(&mut self, number: u64, name: &str) {
        black_box::test(number, name);
        black_box::phase(Phase::Exploring);
    }

    fn finding(&mut self, finding: Finding) {
        self.channel.send(&Reply::Finding(Box::new(finding)));
    }

    fn done(&mut self, result: OwnResult) {
        self.channel.send(&Reply::OwnTest(result));
    }
}
