//! A panic of the tool's own code in a driver: what a report of it needs.

use std::fmt;

use contest_data::protocol::black_box::{BlackBoxContents, Phase};
use contest_data::settings::Avoid;

use super::campaign_error::CampaignError;
use super::death::{self, DeathContext};
use super::test_text;
use crate::harness::{Death, Driver};
use contest_catalog::skipped::Skipped;

/// Status with which such a driver ends.
const STATUS: i32 = 70;
/// What a user can do about it.
const REPORT: &str = "this is a bug of cargo-contest, please report it with this line";

/// A panic of the tool's own code in a driver.
#[derive(Clone, Debug)]
pub struct OwnPanic {
    /// Message and location.
    panic: String,
    /// What the driver was doing.
    pub(super) context: DeathContext,
    black_box: Box<BlackBoxContents>,
}

/// A test that is lost to such a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostTest {
    /// Message and location of the panic.
    pub panic: String,
    /// The test, and what a report of the panic needs.
    pub lost: Skipped,
}

impl OwnPanic {
    pub(super) fn new(panic: String, black_box: Box<BlackBoxContents>) -> Self {
        let context = DeathContext::died(&Death::Exited(STATUS), Some(black_box.clone()));
        Self {
            panic,
            context,
            black_box,
        }
    }

    pub(super) fn black_box(&self) -> &BlackBoxContents {
        &self.black_box
    }

    /// Number of the test that ran; `None` if the panic belongs to no test.
    pub(super) fn test_number(&self) -> Option<u64> {
        let of_test = self.black_box.phase != Phase::Idle;
        self.context.test_number().filter(|_| of_test)
    }

    /// The calls of the sequence that a generator ran in search of a test, if one ran.
    pub(super) fn sequence_to_avoid(&self) -> Option<Avoid> {
        let sequence = self.context.test().filter(|it| it.threads.is_empty())?;
        Some(Avoid {
            subject: sequence.subject,
            objects: Vec::new(),
            operations: sequence.prefix.iter().map(|it| it.operation).collect(),
            why: "has calls in which the driver panicked, as reported".to_owned(),
        })
    }

    /// The schedule that ran last, if interleavings were run.
    pub(super) fn schedule(&self) -> Option<String> {
        let phases = [Phase::Exploring, Phase::Minimising, Phase::Replaying];
        let has_run = phases.contains(&self.black_box.phase) && self.black_box.executions > 0;
        has_run.then(|| self.black_box.schedule.to_text())
    }

    /// The test that is lost, and how the panic is shown again.
    pub(super) fn lost(&self, driver: &Driver, seed: u64) -> Result<LostTest, CampaignError> {
        let (Some(number), Some(test)) = (self.test_number(), self.context.test()) else {
            return Ok(self.lost_as("the end of the campaign".to_owned(), String::new()));
        };
        let subject = driver.catalog.subjects.get(usize::from(test.subject));
        let calls = subject.map_or_else(String::new, |it| test_text::one_line(it, &test));
        let mut again = format!("; test {number} of --seed {seed}");
        if let Some(schedule) = self.schedule()
            && let Some(token) = death::token(driver, &test, schedule)?
        {
            again.push_str(&format!("; cargo contest replay {token}"));
        }
        Ok(self.lost_as(calls, again))
    }

    /// The test with this name.
    pub(super) fn lost_as(&self, test: String, again: String) -> LostTest {
        LostTest {
            panic: self.panic.clone(),
            lost: Skipped::new(test, format!("{self}{again}")),
        }
    }
}

impl fmt::Display for OwnPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the driver panicked: {}; {REPORT}", self.panic)
    }
}

impl LostTest {
    /// The test that a generator was looking for when it panicked.
    pub(super) fn of_generator(subject: &str, number: u64, panic: String, seed: u64) -> Self {
        let why = format!(
            "the search for it panicked: {panic}; {REPORT}; test {number} of --seed {seed}"
        );
        let lost = Skipped::new(format!("a test of {subject}"), why);
        Self { panic, lost }
    }
}
