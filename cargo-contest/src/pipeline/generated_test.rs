//! A part of the generated tests of a type, as one test of cargo-nextest: `contest::<type>::part_1_of_2`.

use std::path::Path;
use std::time::Instant;

use contest_data::finding::Level;
use contest_data::own_tests::{OwnResult, OwnVerdict};
use contest_data::settings::Settings;
use contest_data::totals::SubjectTotals;

use super::explore;
use super::failure::Failure;
use super::finish::Finisher;
use contest_build::workspace::scratch_dir::RunDirectory;
use contest_catalog::progress_event::ProgressEvent;
use contest_drive::campaign::{self, CampaignEvent, CampaignOutcome, Interrupt};
use contest_drive::harness::kept_driver::KeptDriver;
use contest_report::Reporter;
use contest_report::merged::Merged;
use contest_report::short_locations::ShortLocations;

/// What names of generated tests begin with.
const PREFIX: &str = "contest::";

/// Which part of the tests of which type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    name: String,
    subject: u16,
    /// `(k, n)`, counted from 1.
    part: (u32, u32),
}

impl Part {
    /// All parts of what is kept.
    pub(super) fn all(kept: &KeptDriver) -> Vec<Self> {
        let subjects = kept.selected.iter().filter_map(|number| {
            let subject = kept.catalog.subjects.get(usize::from(*number))?;
            Some((*number, subject.path.as_str()))
        });
        subjects
            .flat_map(|(subject, path)| {
                (1..=kept.parts).map(move |part| Self {
                    name: name_of(path, part, kept.parts),
                    subject,
                    part: (part, kept.parts),
                })
            })
            .collect()
    }

    /// The one that the arguments of a test executable name.
    pub(super) fn named(kept: &KeptDriver, arguments: &[String]) -> Option<Self> {
        let name = arguments.iter().find(|it| it.starts_with(PREFIX))?;
        Self::all(kept).into_iter().find(|it| it.name == *name)
    }

    /// The line of libtest's list.
    pub(super) fn line(&self) -> String {
        format!("{}: test", self.name)
    }

    /// Explores it; what came of it goes to `merged`.
    pub(super) fn explore(
        &self,
        kept: &KeptDriver,
        executable: &Path,
        scratch: RunDirectory,
        reporter: &mut Reporter,
        merged: &mut Merged,
    ) -> Result<OwnResult, Failure> {
        let driver = kept.driver(executable.to_owned(), scratch);
        let settings = Settings {
            subjects: vec![self.subject],
            shard: Some(self.part),
            ..kept.settings.clone()
        };
        let short = ShortLocations::new(&[&kept.base]);
        let finisher = Finisher::of_kept(kept);
        let before = merged.findings.len();
        let begun = Instant::now();
        let outcome = campaign::run(
            &driver,
            &settings,
            1,
            &[],
            &Interrupt::default(),
            &mut |_, event| {
                let event = match event {
                    CampaignEvent::Finding(mut finding) => {
                        finisher.finish(&mut finding);
                        let package = kept.package.clone();
                        merged.findings.push((package, (*finding).clone()));
                        ProgressEvent::Finding {
                            finding,
                            emitted: None,
                            known: None,
                        }
                    }
                    CampaignEvent::Alone(mut alone) => {
                        short.alone(&mut alone);
                        ProgressEvent::Alone(alone)
                    }
                    CampaignEvent::Died(why) => ProgressEvent::DriverDied(short.text(&why)),
                    CampaignEvent::Lost(test) => explore::lost(&test, &short),
                    CampaignEvent::Note(note) => ProgressEvent::Warning(note),
                    CampaignEvent::Progress(_) | CampaignEvent::Lane(_) => return,
                };
                reporter.event(&event);
            },
        )?;
        merged.elapsed = begun.elapsed();
        let new = merged.findings[before..].iter();
        let errors = new.filter(|(_, it)| it.level == Level::Error).count();
        Ok(self.result(&outcome, errors))
    }

    fn result(&self, outcome: &CampaignOutcome, findings: usize) -> OwnResult {
        let sum = |of: fn(&SubjectTotals) -> u64| outcome.totals.iter().map(of).sum::<u64>();
        let tests = sum(|it| it.tests);
        let cut = sum(|it| it.cut.iter().map(|(_, number)| number).sum());
        let verdict = match (findings, tests) {
            (0, 0) => OwnVerdict::NotRun,
            (0, _) => OwnVerdict::Ok,
            _ => OwnVerdict::FailsSometimes,
        };
        let why = match verdict {
            OwnVerdict::NotRun => "no test was generated in its time".to_owned(),
            _ => format!("{tests} generated tests, of which {cut} were not explored to their end"),
        };
        OwnResult {
            executions: sum(|it| it.executions),
            threads: 0,
            ..OwnResult::without_execution(&self.name, verdict, why)
        }
    }
}

/// Words and colons only, because filters of nextest are made of names.
fn name_of(path: &str, part: u32, parts: u32) -> String {
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | ':');
    let path: String = (path.chars())
        .map(|it| if is_word(it) { it } else { '_' })
        .collect();
    format!("{PREFIX}{path}::part_{part}_of_{parts}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_that_say_which_type_and_which_part() {
        assert_eq!(
            name_of("ring::{Sender, Receiver}", 1, 2),
            "contest::ring::_Sender__Receiver_::part_1_of_2"
        );
    }
}
