//! Runs a campaign and keeps its replies.

use std::collections::BTreeMap;
use std::time::Duration;

use contest_campaign::campaign::run;
use contest_data::finding::{Finding, FindingKind, KnownBug};
use contest_data::limits::{Limits, Timeouts};
use contest_data::settings::{Listener, Package, Settings};
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::totals::{Alone, Progress, Totals};
use contest_engine::memory::NoIsolation;

pub(crate) const PACKAGE: Package = Package {
    name: "subjects",
    version: "1.2.3",
};

#[derive(Debug, Default)]
pub(crate) struct Replies {
    pub findings: Vec<Finding>,
    /// What recognises each.
    pub bugs: Vec<KnownBug>,
    /// What another process is to have found before.
    pub elsewhere: Vec<KnownBug>,
    pub alone: Vec<Alone>,
    pub totals: Totals,
    /// Tests that were run, by number.
    pub ran: BTreeMap<u64, ConcurrentTest>,
}

impl Listener for Replies {
    fn finding(&mut self, finding: Finding, bug: KnownBug) {
        self.findings.push(finding);
        self.bugs.push(bug);
    }
    fn found_elsewhere(&mut self) -> Vec<KnownBug> {
        std::mem::take(&mut self.elsewhere)
    }
    fn alone(&mut self, alone: Alone) {
        self.alone.push(alone);
    }
    fn progress(&mut self, _: &Progress) {}
    fn test(&mut self, number: u64, test: &ConcurrentTest) {
        // A second visit comes under the number of the test before it.
        self.ran.entry(number).or_insert_with(|| test.clone());
    }
}

impl Replies {
    pub(crate) fn kinds(&self) -> Vec<FindingKind> {
        self.findings.iter().map(|finding| finding.kind).collect()
    }

    /// The only finding.
    pub(crate) fn one(&self) -> &Finding {
        assert_eq!(self.findings.len(), 1, "{}", self.text());
        &self.findings[0]
    }

    /// All of it for a failed assertion.
    pub(crate) fn text(&self) -> String {
        use std::fmt::Write;
        let mut out = String::new();
        for finding in &self.findings {
            writeln!(
                out,
                "{}: {}\n  {}",
                finding.kind,
                finding.message,
                finding.details.join("\n  ")
            )
            .unwrap();
            writeln!(
                out,
                "  prefix {:?}\n  threads {:?}",
                finding.prefix, finding.threads
            )
            .unwrap();
            for row in &finding.interleaving {
                let indent = " ".repeat(usize::from(row.thread) * 30);
                let result = row
                    .result
                    .as_deref()
                    .map_or(String::new(), |result| format!("  => {result}"));
                writeln!(out, "  {indent}{}{result}   {}", row.event, row.location).unwrap();
            }
            writeln!(out, "  {}\n  {}", finding.fingerprint, finding.schedule).unwrap();
        }
        for alone in &self.alone {
            writeln!(
                out,
                "alone: {:?} {} {}",
                alone.calls, alone.what, alone.detail
            )
            .unwrap();
        }
        writeln!(out, "{:#?}", self.totals).unwrap();
        out
    }
}

pub(crate) fn settings(milliseconds: u64) -> Settings {
    Settings {
        budget: Duration::from_millis(milliseconds),
        ..Settings::default()
    }
}

pub(crate) fn campaign(subjects: &'static [Subject], settings: &Settings) -> Replies {
    campaign_beside(subjects, settings, Vec::new())
}

/// With bugs that another process has found.
pub(crate) fn campaign_beside(
    subjects: &'static [Subject],
    settings: &Settings,
    elsewhere: Vec<KnownBug>,
) -> Replies {
    let mut heard = Replies {
        elsewhere,
        ..Replies::default()
    };
    let totals = run(
        PACKAGE,
        subjects,
        settings,
        Limits {
            timeouts: Timeouts::Few,
            ..Limits::default()
        },
        &mut NoIsolation,
        &mut heard,
    )
    .unwrap();
    heard.totals = totals;
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{}", heard.text());
    }
    heard
}
