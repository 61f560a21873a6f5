//! The campaign as the driver process serves it: requests in, replies out, the black box kept up to date.

use std::any::Any;

use contest_campaign::campaign::{rerun, scenario};
use contest_data::finding::{Finding, KnownBug};
use contest_data::limits::{Limits, Timeouts};
use contest_data::names::GENERATORS;
use contest_data::names::STRATEGIES;
use contest_data::protocol::black_box::Phase;
use contest_data::protocol::{Replayed, Reply, Request};
use contest_data::settings::{Activity, Listener, Package, Settings};
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::token::{Token, TokenError};
use contest_data::totals::{Alone, Progress};
use contest_data::trace::Schedule;
use contest_engine::black_box;
use contest_engine::memory::Isolation;
use contest_wire::write_test;

/// The other side of the process wall.
pub(crate) trait Wall {
    /// Sends a reply.
    fn send(&mut self, reply: &Reply);
    /// Bugs that other processes of the campaign have reported since the last call.
    fn found_elsewhere(&mut self) -> Vec<KnownBug>;
    /// True once the campaign is to end.
    fn is_stopped(&mut self) -> bool;
}

/// Serves one request; `accesses` says whether the code under test reports every memory access.
pub(crate) fn answer(
    package: Package,
    subjects: &'static [Subject],
    accesses: bool,
    request: Request,
    isolation: &mut dyn Isolation,
    wall: &mut dyn Wall,
) {
    // User code allocates from an arena that is reset afterwards: what an execution leaves unfinished is forgotten.
    let limits = Limits {
        forget_unfinished: true,
        accesses,
        timeouts: Timeouts::Few,
        ..Limits::default()
    };
    match request {
        Request::Campaign(settings) => {
            campaign(package, subjects, &settings, limits, isolation, wall)
        }
        Request::Replay { token } => {
            black_box::phase(Phase::Replaying);
            match rerun::replay(package, subjects, &token, limits, isolation) {
                Ok(rerun) => wall.send(&Reply::Replayed(Box::new(Replayed {
                    finding: rerun.finding,
                    ending: rerun.ending,
                    interleaving: rerun.interleaving,
                    diverged: rerun.diverged,
                }))),
                Err(error) => wall.send(&Reply::Refused(error.to_string())),
            }
        }
        Request::Probe { test, schedule } => {
            black_box::phase(Phase::Replaying);
            // What a dead driver left behind is a bare schedule.
            let decode = |text: &str| match Token::decode(text) {
                Err(TokenError::NotAToken) => {
                    Schedule::from_text(text).map_err(|error| error.to_string())
                }
                token => token
                    .map(|token| token.schedule)
                    .map_err(|error| error.to_string()),
            };
            let schedule = match schedule.as_deref().map(decode).transpose() {
                Ok(schedule) => schedule,
                Err(error) => return wall.send(&Reply::Refused(error)),
            };
            let mut token = |token| wall.send(&Reply::Token(token));
            let ending = rerun::probe(
                package, subjects, &test, schedule, limits, isolation, &mut token,
            );
            wall.send(&Reply::Probed { ending });
        }
        Request::Debug { token } => {
            black_box::phase(Phase::Replaying);
            match rerun::debug(package, subjects, &token, limits, isolation) {
                Ok(ending) => wall.send(&Reply::Probed { ending }),
                Err(error) => wall.send(&Reply::Refused(error.to_string())),
            }
        }
        Request::Scenario(explored) => {
            black_box::test(0, &write_test(&explored.test));
            black_box::phase(Phase::Exploring);
            let found = &mut |finding| wall.send(&Reply::Finding(Box::new(finding)));
            match scenario::explore(package, subjects, &explored, limits, isolation, found) {
                Ok(report) => wall.send(&Reply::Scenario(report)),
                Err(why) => wall.send(&Reply::Refused(why)),
            }
        }
        Request::OwnTests(_) | Request::OwnTest { .. } => wall.send(&Reply::Refused(
            "this driver has no tests of the package; a test executable has".to_owned(),
        )),
    }
}

fn campaign(
    package: Package,
    subjects: &'static [Subject],
    settings: &Settings,
    limits: Limits,
    isolation: &mut dyn Isolation,
    wall: &mut dyn Wall,
) {
    let generators: Vec<&str> = GENERATORS.iter().map(|(name, _)| *name).collect();
    if !generators.contains(&settings.generator.as_str()) {
        return wall.send(&Reply::Refused(format!(
            "there is no generator `{}`; there are: {}",
            settings.generator,
            generators.join(", ")
        )));
    }
    let subjects_tested = match settings.subjects.len() {
        0 => subjects.len(),
        some => some,
    };
    let mut wire = Wire {
        wall,
        subjects: subjects_tested.max(1) as u64,
    };
    match contest_campaign::campaign::run(package, subjects, settings, limits, isolation, &mut wire)
    {
        Ok(totals) => wall.send(&Reply::Done(totals)),
        Err(name) => {
            let known: Vec<&str> = STRATEGIES.iter().map(|(name, _)| *name).collect();
            wall.send(&Reply::Refused(format!(
                "there is no strategy `{name}`; there are: {}",
                known.join(", ")
            )));
        }
    }
}

struct Wire<'a> {
    wall: &'a mut dyn Wall,
    /// How many there are in the campaign.
    subjects: u64,
}

impl Listener for Wire<'_> {
    fn finding(&mut self, finding: Finding, bug: KnownBug) {
        black_box::finding();
        let finding = Box::new(finding);
        self.wall.send(&Reply::CampaignFinding { finding, bug });
    }

    fn found_elsewhere(&mut self) -> Vec<KnownBug> {
        self.wall.found_elsewhere()
    }

    fn is_stopped(&mut self) -> bool {
        self.wall.is_stopped()
    }

    fn alone(&mut self, alone: Alone) {
        self.wall.send(&Reply::Alone(alone));
    }

    fn progress(&mut self, progress: &Progress) {
        self.wall.send(&Reply::Progress(progress.clone()));
    }

    fn test(&mut self, number: u64, test: &ConcurrentTest) {
        black_box::begun(
            (number % self.subjects) as usize,
            number / self.subjects + 1,
        );
        black_box::test(number, &write_test(test));
    }

    fn over(&mut self, number: u64, exhausted: bool) {
        black_box::over(number, exhausted);
    }

    fn sequence(&mut self, number: u64, sequence: &ConcurrentTest) {
        black_box::test(number, &write_test(sequence));
    }

    fn generator_panicked(&mut self, subject: &str, number: u64, _: Box<dyn Any + Send>) {
        self.wall.send(&Reply::GeneratorPanicked {
            subject: subject.to_owned(),
            number,
            panic: black_box::last_panic().unwrap_or_default(),
        });
    }

    fn work(&mut self, steps: u64) {
        black_box::work(steps);
    }

    fn activity(&mut self, activity: Activity) {
        black_box::phase(match activity {
            Activity::Preparing => Phase::Idle,
            Activity::Serial => Phase::Serial,
            Activity::Exploring => Phase::Exploring,
            Activity::Minimising => Phase::Minimising,
            Activity::Replaying => Phase::Replaying,
        });
    }
}
