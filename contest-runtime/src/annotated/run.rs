//! Runs a [`Check`]: what was found before, then the campaign.

use std::time::Duration;

use super::check::{Check, Regressions};
use super::environment::{self, Environment};
use super::failure;
use super::operations::{Operations, subject};
use super::regressions::{Kept, RegressionFile};
use crate::model::watch::Watch;
use contest_campaign::campaign::rerun::{Rerun, replay};
use contest_campaign::campaign::single;
use contest_data::finding::{Allowed, Finding, KnownBug};
use contest_data::limits::Limits;
use contest_data::names::GENERATORS;
use contest_data::names::STRATEGIES;
use contest_data::settings::{Listener, Package, Settings};
use contest_data::subject::Subject;
use contest_data::token::{Token, TokenError};
use contest_data::totals::{Alone, Progress, SubjectTotals};
use contest_engine::execution::os_thread::on_another;
use contest_engine::execution::{active, other_copies};
use contest_engine::memory::Isolation;
use contest_search::explore::Budget;

/// What the search for an interleaving may cost where one that was kept does not fit.
const AGAIN: Budget = Budget {
    executions: 5_000,
    time: Duration::from_secs(1),
    minimum: 60,
};

/// What a check found.
#[derive(Clone, Debug, Default)]
#[must_use = "if the findings are ignored, the test passes"]
pub struct Report {
    /// Bugs, confirmed and minimised. At most one: a check stops at the first.
    pub findings: Vec<Finding>,
    /// Operations that fail without any concurrency.
    pub alone: Vec<Alone>,
    /// What was done, and what was left out.
    pub totals: SubjectTotals,
    /// Methods that are no operations, and why.
    pub left_out: Vec<(&'static str, &'static str)>,
    /// What else is to be said: findings of earlier runs that no longer fit.
    pub notes: Vec<String>,
    /// A schedule was replayed, nothing else.
    pub(super) replayed: Option<String>,
}

/// The process stays: nothing is put back, but a watchdog sees executions that hang.
pub(super) struct InProcess(pub(super) Watch);

impl Isolation for InProcess {
    fn begin(&mut self) {
        self.0.here();
        self.0.tick();
    }

    fn end(&mut self) {}
}

#[derive(Default)]
struct Collected {
    findings: Vec<Finding>,
    alone: Vec<Alone>,
}

impl Listener for Collected {
    fn finding(&mut self, finding: Finding, _: KnownBug) {
        self.findings.push(finding);
    }

    fn alone(&mut self, alone: Alone) {
        self.alone.push(alone);
    }

    fn progress(&mut self, _: &Progress) {}
}

impl<T: Operations> Check<T> {
    /// Runs the findings of earlier runs, then the campaign. A finding is kept for the next run.
    ///
    /// # Panics
    /// With the finding, if there is one; if nothing was tested; if a name or a number given is none; if called inside
    /// a model.
    #[track_caller]
    pub fn run(self) {
        let file = match &self.regressions {
            Regressions::BesideTest => RegressionFile::beside(self.caller),
            Regressions::At(path) => Some(RegressionFile::at(path.clone())),
            Regressions::Nowhere => None,
        };
        let environment = Environment::read();
        let report = self.report_with(file.as_ref(), &environment);
        let kept = match (report.findings.first(), &file) {
            // Without a schedule there is nothing to keep.
            (Some(finding), Some(file))
                if report.replayed.is_none() && !finding.schedule.is_empty() =>
            {
                file.keep(finding)
            }
            _ => Kept::Not,
        };
        failure::check(&report, &kept);
    }

    /// The same campaign, without earlier findings and without a panic if it finds something: for tests of a check
    /// itself. Environment variables do not matter here.
    ///
    /// # Panics
    /// As [`run`](Self::run) otherwise.
    #[track_caller]
    pub fn report(self) -> Report {
        self.report_with(None, &Environment::default())
    }

    #[track_caller]
    fn report_with(&self, file: Option<&RegressionFile>, environment: &Environment) -> Report {
        assert!(
            active().is_none(),
            "contest: `check` cannot be run inside a model; call it outside of `contest::model` and `#[contest::test]`"
        );
        let settings = self.settings(environment);
        let subjects: &'static [Subject] = Box::leak(Box::new([subject::<T>()]));
        let mut work = Work {
            package: T::PACKAGE,
            subjects,
            isolation: InProcess(Watch::start(self.hang_limit)),
            report: Report {
                left_out: T::LEFT_OUT.concat(),
                notes: other_copies::several().into_iter().collect(),
                ..Report::default()
            },
        };
        #[cfg(feature = "loom")]
        {
            assert!(
                environment.replay.is_none(),
                "contest: loom cannot replay a schedule of this crate's engine; run the test without the feature `loom`"
            );
            let _ = file;
            let limits = contest_loom::LIMITS;
            work.report
                .notes
                .extend(limits.iter().map(|&it| it.to_owned()));
            let (findings, totals) = contest_loom::campaign(&subjects[0], &settings);
            work.report.findings = findings;
            work.report.totals = totals;
        }
        #[cfg(not(feature = "loom"))]
        on_another(|| {
            if let Some(token) = &environment.replay {
                work.replay(token);
                return;
            }
            if let Some(file) = file
                && work.regressions(file)
            {
                return;
            }
            work.campaign(&settings);
        });
        work.report
    }

    #[track_caller]
    fn settings(&self, environment: &Environment) -> Settings {
        name_is_known("generator", &self.settings.generator, &GENERATORS);
        if self.settings.strategy == "loom" {
            #[cfg(not(feature = "loom"))]
            panic!(
                "contest: strategy `loom` needs the feature of this name: cargo test --features contest-runtime/loom"
            );
        } else {
            name_is_known("strategy", &self.settings.strategy, &STRATEGIES);
        }
        let allow = self.allow.iter().map(|text| {
            Allowed::parse(text).unwrap_or_else(|why| panic!("contest: `{text}`: {why}"))
        });
        Settings {
            budget: environment.budget.unwrap_or(self.settings.budget),
            seed: environment.seed.unwrap_or(self.settings.seed),
            allow: Allowed::by_default().into_iter().chain(allow).collect(),
            ..self.settings.clone()
        }
    }
}

#[track_caller]
fn name_is_known(what: &str, name: &str, known: &[(&str, &str)]) {
    if !known.iter().any(|(known, _)| *known == name) {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        panic!(
            "contest: there is no {what} `{name}`; there are: {}",
            names.join(", ")
        );
    }
}

struct Work {
    package: Package,
    subjects: &'static [Subject],
    isolation: InProcess,
    report: Report,
}

impl Work {
    fn token(&self, token: &str) -> Result<Token, TokenError> {
        let mut token = Token::decode(token)?;
        // A regression outlives the version of the crate it was found in.
        if token.package.0 == self.package.name {
            self.package.version.clone_into(&mut token.package.1);
        }
        Ok(token)
    }

    fn rerun(&mut self, token: &str) -> Result<Rerun, String> {
        let token = self.token(token).map(|token| token.encode());
        token
            .and_then(|token| {
                replay(
                    self.package,
                    self.subjects,
                    &token,
                    limits(),
                    &mut self.isolation,
                )
            })
            .map_err(|error| error.to_string())
    }

    /// Other interleavings of the calls of a schedule that does not fit, for a short time: what was found, and what to
    /// say of it.
    fn search(&mut self, token: &str) -> (Option<Finding>, String) {
        let test = self
            .token(token)
            .and_then(|token| token.test(self.package, self.subjects));
        let test = match test {
            Ok(test) => test,
            Err(error) => return (None, error.to_string()),
        };
        let single = single::check_runnable(
            self.package,
            test,
            None,
            AGAIN,
            limits(),
            &mut self.isolation,
        );
        let searched = format!(
            "others of the same calls were searched, {} executions",
            single.executions
        );
        match (single.found, single.cut) {
            (Some((finding, _)), _) => (Some(finding), format!("{searched}, and one fails")),
            (None, Some(cut)) => (None, format!("{searched}, and none fails ({cut})")),
            (None, None) => (None, format!("{searched}, and none fails: all of them")),
        }
    }

    fn replay(&mut self, token: &str) {
        let rerun = match self.rerun(token) {
            Ok(rerun) => rerun,
            Err(error) => panic!(
                "contest: {} cannot be replayed: {error}",
                environment::REPLAY
            ),
        };
        let mut text = rerun.ending;
        if let Some(diverged) = rerun.diverged {
            text = format!("{text}; the code no longer does what the token recorded: {diverged}");
        }
        self.report.findings.extend(rerun.finding);
        self.report.replayed = Some(text);
    }

    /// True if one of them shows again.
    fn regressions(&mut self, file: &RegressionFile) -> bool {
        let name = self.subjects[0].name;
        for token in file.tokens(name) {
            match self.rerun(&token) {
                Ok(Rerun {
                    finding: Some(finding),
                    ..
                }) => {
                    self.report.findings.push(finding);
                    return true;
                }
                Ok(Rerun {
                    diverged: Some(diverged),
                    ..
                }) => {
                    let (found, searched) = self.search(&token);
                    let what = format!("does not fit the code any more ({diverged}); {searched}");
                    self.note(file, &token, &what);
                    if let Some(finding) = found {
                        self.report.findings.push(finding);
                        return true;
                    }
                }
                Ok(_) => {}
                Err(error) => self.note(file, &token, &error),
            }
        }
        false
    }

    fn note(&mut self, file: &RegressionFile, token: &str, what: &str) {
        let start: String = token.chars().take(24).collect();
        self.report
            .notes
            .push(format!("the schedule {start}… in {file} {what}"));
    }

    fn campaign(&mut self, settings: &Settings) {
        let mut collected = Collected::default();
        let totals = contest_campaign::campaign::run(
            self.package,
            self.subjects,
            settings,
            limits(),
            &mut self.isolation,
            &mut collected,
        );
        // The names were looked up before.
        let totals = totals.unwrap_or_else(|name| panic!("contest: there is no `{name}`"));
        self.report.findings = collected.findings;
        self.report.alone = collected.alone;
        self.report.totals = totals.subjects.into_iter().next().unwrap_or_default();
    }
}

/// Those of a campaign, in a process that stays.
pub(super) fn limits() -> Limits {
    Limits {
        fresh_statics: true,
        ..Limits::default()
    }
}
