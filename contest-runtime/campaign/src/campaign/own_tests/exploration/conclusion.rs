//! What came of a test: its verdict, and findings made small.

use std::time::Duration;

use super::likelihood::Likelihood;
use super::{Exploration, Explored, is_single};
use crate::campaign::own_tests::cause::{with_cause, with_shortest_delay};
use crate::campaign::own_tests::outcome::{is_definite, leak};
use crate::campaign::own_tests::shown::{Shown, without_pair};
use crate::campaign::own_tests::smallest::{smallest, without_delay};
use crate::judge::of_model;
use contest_data::finding::{Finding, FindingKind, Level};
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::own_tests::{OwnResult, OwnVerdict, PASSES_AS_IT_IS};
use contest_data::sorted;
use contest_data::token::Token;
use contest_data::trace::Action;

/// Why a test is not run that fails here and has nothing to choose.
const DIFFERS: &str = "without control it passes, and it has one thread, draws nothing and waits for no time, so it looks at what is otherwise here, such as the memory of its process";

impl Exploration<'_, '_> {
    /// A leak is a finding if other executions leave nothing behind: then it is for want of synchronisation.
    fn confirm_leak(&mut self) {
        let Some(schedule) = self.leaky.take().filter(|_| self.clean > 0) else {
            return;
        };
        let executions = self.running.executions;
        self.running.replay_named(&schedule);
        let failure = leak(self.running.runner.record());
        if let Some(failure) = failure
            && !self.allows(failure.kind, &failure.locations)
        {
            let shown = Shown {
                record: self.running.runner.record().clone(),
                names: self.running.runner.thread_names(),
                failure,
            };
            let elapsed = self.begun.elapsed();
            self.failures.push((shown, executions, elapsed));
        }
    }

    /// Verdict and findings, made small.
    pub(super) fn conclude(mut self, mut gaps: Gaps) -> Explored {
        self.confirm_leak();
        let mut failures = std::mem::take(&mut self.failures);
        let mut likelihood = Likelihood::default();
        if self.passed > 0 && !failures.is_empty() {
            likelihood = self.likelihood(failures.iter().map(|it| &it.0));
        }
        // What happens most often comes first.
        let mut order: Vec<usize> = (0..failures.len()).collect();
        let definite = |it: &usize| is_definite(failures[*it].0.failure.kind);
        sorted::sort_by_key(&mut order, |it| {
            (!definite(it), std::cmp::Reverse(likelihood.of(*it)))
        });
        let mut taken: Vec<_> = failures.drain(..).map(Some).collect();
        let failures: Vec<_> = (order.iter())
            .filter_map(|it| Some((taken[*it].take()?, likelihood.line(*it))))
            .collect();
        let first = failures
            .iter()
            .map(|(failure, _)| &failure.0.failure)
            .find(|it| !is_definite(it.kind))
            .map(described);
        let (mut passed, failed) = (self.passed > 0, self.failed > 0);
        // Then nothing of it is a finding.
        let differs = self.differs_from_itself(failures.iter().map(|it| &it.0.0));
        passed &= !differs;
        // A test that spins whatever the order may wait for what the scheduler does not see.
        let only_spins = failures
            .iter()
            .all(|(it, _)| it.0.failure.kind == FindingKind::Livelock);
        let mut findings = Vec::new();
        for ((shown, executions, elapsed), line) in failures {
            if passed || is_definite(shown.failure.kind) {
                let raw = shown.failure.kind;
                let mut finding = self.finding(shown, executions, elapsed);
                finding.details.extend(line);
                if self.settings.passes_as_it_is {
                    finding.details.push(PASSES_AS_IT_IS.to_owned());
                }
                // What it depends on is known only now.
                if finding.kind == raw || !self.allows(finding.kind, &finding.locations) {
                    findings.push(finding);
                }
            }
        }
        let unconfirmed = std::mem::take(&mut self.unconfirmed);
        let not_again = unconfirmed.clone();
        let errors = findings.iter().any(|it| it.level == Level::Error);
        let verdict = match () {
            () if errors => OwnVerdict::FailsSometimes,
            () if !findings.is_empty() => OwnVerdict::Ok,
            () if failed && !passed && only_spins && first.is_some() => OwnVerdict::NotRun,
            () if differs => OwnVerdict::NotRun,
            () if failed && !passed => OwnVerdict::Failed,
            () if !passed => OwnVerdict::NotRun,
            () => OwnVerdict::Ok,
        };
        let sound = match verdict {
            OwnVerdict::FailsSometimes => self.sound(&findings),
            _ => Vec::new(),
        };
        let weak = self.weak.part(self.cut.as_deref(), self.over.as_deref());
        let outside = self.outside.take().map(Gap::Outside);
        let refused = self.weak.refused().map(Gap::Unmodelled);
        let unwatched = self.unwatched.take().map(Gap::Unwatched);
        // What is outside explains that too.
        let nondeterministic = self.nondeterministic.take().map(Gap::Nondeterministic);
        let nondeterministic = nondeterministic.filter(|_| outside.is_none());
        if outside.is_some() || nondeterministic.is_some() {
            // That is why it had no more executions.
            gaps.remove(&Gap::Cut(Cut::Executions(self.most)));
        }
        let unsettled = unconfirmed
            .filter(|_| verdict == OwnVerdict::Ok)
            .map(Gap::Unsettled);
        let random = self.draws.gap();
        for gap in [
            outside,
            refused,
            unwatched,
            nondeterministic,
            unsettled,
            random,
        ] {
            gap.into_iter().for_each(|gap| gaps.add(gap));
        }
        let cut = (!gaps.is_empty()).then(|| gaps.to_string());
        let why = match verdict {
            OwnVerdict::Failed => first.or(not_again).or_else(|| cut.clone()),
            OwnVerdict::NotRun if differs => first.map(|first| format!("{first}: {DIFFERS}")),
            OwnVerdict::NotRun => self.cut.take().or(first).or(cut.clone()),
            OwnVerdict::FailsSometimes => findings.first().map(|it| it.message.clone()),
            OwnVerdict::Ok | OwnVerdict::Ignored => cut.clone(),
        };
        let result = OwnResult {
            sound,
            name: self.running.test.name.clone(),
            verdict,
            complete: gaps.is_empty() && verdict != OwnVerdict::NotRun,
            gaps,
            weak,
            allowed: self.allowed.into_iter().collect(),
            executions: self.running.executions,
            threads: self.threads,
            draws: self.draws.count(),
            delays: self.delays,
            random_executions: likelihood.executions,
            random_failures: likelihood.failing,
            why: why.unwrap_or_default(),
        };
        Explored {
            result,
            findings,
            all_delays: self.all_delays,
        }
    }

    /// True if nothing that is explored explains these failures: the test has one thread, no random numbers, no time
    /// and nothing outside the process, and it passes only without control. Such a test looks at something that is
    /// different under control, such as the memory of its process.
    fn differs_from_itself<'s>(&self, failures: impl ExactSizeIterator<Item = &'s Shown>) -> bool {
        self.settings.passes_as_it_is
            && self.passed == 1
            && self.outside.is_none()
            && !self.draws.are_drawn()
            && failures.len() > 0
            && failures.into_iter().all(has_no_choice)
    }

    /// What was explored and none of these findings needs.
    fn sound(&self, findings: &[Finding]) -> Vec<String> {
        let is_of = |kind| findings.iter().any(|it| it.kind == kind);
        let executions = self.running.executions;
        let mut sound = Vec::new();
        // An order in which no thread is stopped may be what a finding needs, too.
        if self.threads > 1 && findings.is_empty() {
            sound.push(format!(
                "the order of its threads, in {executions} executions"
            ));
        }
        if self.delays > 0 && !is_of(FindingKind::Timing) {
            sound.push(format!("a thread that is late, at {} places", self.delays));
        }
        if self.draws.are_drawn() && !is_of(FindingKind::Randomness) {
            sound.push(format!("random numbers, in {} draws", self.draws.count()));
        }
        let is_watched = self.running.runner.reports_accesses() && self.unwatched.is_none();
        if is_watched && !findings.iter().any(|it| is_definite(it.kind)) {
            sound.push("accesses of memory".to_owned());
        }
        sound
    }

    fn finding(&mut self, shown: Shown, executions: u64, elapsed: Duration) -> Finding {
        let running = &mut self.running;
        let small = match shown.failure.kind {
            FindingKind::Leak => shown,
            _ => {
                let shown = without_delay(running, shown);
                let shown = with_shortest_delay(running, shown);
                let small = smallest(running, shown);
                with_cause(running, small)
            }
        };
        let (settings, test) = (self.settings, self.running.test);
        let kind = small.failure.kind;
        let schedule = small.record.schedule.clone();
        let mut finding = of_model::finding(small.failure, &small.record, &small.names, executions);
        finding.interleaving = without_pair(finding.interleaving);
        finding.subject.clone_from(&test.name);
        finding.own_test = Some(test.name.clone());
        let mut warn = settings.warn.iter();
        if warn.any(|it| it.covers(kind, &finding.locations)) {
            finding.level = Level::Warning;
        }
        finding.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let (package, executable) = (&settings.package, &settings.executable);
        finding.schedule =
            Token::of_own_test(package, kind, executable, &test.name, &schedule).encode();
        finding.fingerprint = format!("{kind} {} {}", test.name, finding.locations.join(" "));
        finding
    }
}

/// True for a panic of a single thread that nothing but what it looks at has brought about.
fn has_no_choice(shown: &Shown) -> bool {
    let record = &shown.record;
    let takes_time = |action| {
        matches!(
            action,
            Action::Sleep
                | Action::AcquireTimeout(_)
                | Action::WaitOver(_)
                | Action::Park(_)
                | Action::FutexWait(_)
        )
    };
    shown.failure.kind == FindingKind::Panic
        && is_single(record)
        && record.schedule.leeway.delay.is_none()
        && record.readings == 0
        && !record.events.iter().any(|it| takes_time(it.action))
}

/// A failure in one line.
pub(super) fn described(failure: &of_model::Failure) -> String {
    let place = failure.locations.first();
    let at = place.map_or_else(String::new, |place| format!(" at {place}"));
    match failure.kind {
        FindingKind::Panic | FindingKind::Abort => format!("{}{at}", failure.message),
        kind => format!("{}: {}{at}", kind.words(), failure.message),
    }
}
