//! A subject's counts as the totals that are reported.

use super::SubjectRun;
use contest_data::observed::Observed;
use contest_data::settings::Pruning;
use contest_data::sorted;
use contest_data::subject::{Contract, Subject, UserCode};
use contest_data::totals::{Generation, KNOWN_BUG, SubjectTotals};

impl SubjectRun {
    /// The totals so far.
    pub(in crate::campaign) fn totals(&self) -> SubjectTotals {
        let mut skipped = self.counts.skipped.list();
        for (reason, count) in self.source.left_out() {
            skipped.push((reason.to_owned(), count));
        }
        let repeats = self.bugs.repeats();
        if repeats > 0 {
            skipped.push((KNOWN_BUG.to_owned(), repeats));
        }
        let mut ladder = self.counts.rungs.totals(&self.source);
        for rung in &mut ladder {
            // Which test was lost is not known.
            rung.enumerated &= self.lost_searches == 0;
        }
        let mut cut = self.counts.cut.clone();
        cut.add_all(&[(self.unfinished, self.pool.len() as u64)]);
        SubjectTotals {
            name: self.subject.name.to_owned(),
            operations: self.counts.operations,
            never_concurrent: (self.counts.never_concurrent.iter())
                .map(|&it| {
                    let name = self.subject.operations[usize::from(it)].name;
                    (name.to_owned(), it.into())
                })
                .collect(),
            only_errors: self.only_errors(),
            pairs: (
                self.counts.pairs.covered() as u64,
                self.counts.pairs.all() as u64,
            ),
            pairs_pruned: self.source.pruned() as u64,
            tests: self.counts.tests,
            exhausted: self.counts.exhausted,
            drew: self.counts.drew,
            partly: self.counts.partly.clone().into_iter().collect(),
            cut: cut.list(),
            left_out: self.counts.left_out.list(),
            skipped,
            executions: self.cost.executions,
            watched: self.cost.watched,
            unobserved: self.cost.unobserved,
            contended: self.counts.contended,
            steps: self.cost.steps,
            decisions: self.cost.decisions,
            findings: self.bugs.reported(),
            requirements: self.counts.requirements.list(),
            generation: self.generation(),
            overlapped: self.coverage.pairs.covered() as u64,
            coverage: self.coverage.patterns.counts(),
            ladder,
            approximate: names(self.subject, |contract| contract.approximate),
            not_cancelled: names(self.subject, |contract| contract.not_cancel_safe),
            behaviour: Observed::default(),
            sampled: self.sampled.clone(),
            places: Vec::new(),
        }
    }

    /// With what the operations were seen to do, which is too much to be sent often.
    pub(in crate::campaign) fn last_totals(&self) -> SubjectTotals {
        let mut totals = self.totals();
        (totals.coverage.fields, totals.coverage.more_fields) = self.coverage.patterns.fields();
        if let Some(behaviour) = &self.coverage.behaviour {
            totals.behaviour = Observed {
                alone: behaviour.alone(),
                together: behaviour.together(),
                dropped: behaviour.dropped(),
            };
        }
        totals
    }

    fn only_errors(&self) -> Vec<(String, u64, String)> {
        let all = self.failing.only_errors().filter_map(|(number, error)| {
            let operation = &self.subject.operations[usize::from(number)];
            // A closure that panics is an error.
            let is_plain = operation.contract.user_code == UserCode::Plain;
            is_plain.then(|| (operation.name.to_owned(), number.into(), error.to_owned()))
        });
        let mut all: Vec<_> = all.collect();
        sorted::sort_by_key(&mut all, |&(_, number, _)| number);
        all
    }

    fn generation(&self) -> Generation {
        let searches = self.source.searches();
        Generation {
            calls: self.counts.calls,
            sequence_runs: searches.runs,
            sequences: searches.kept,
            traces_covered: searches.covered,
            first_search: (
                searches.first.time.as_micros() as u64,
                searches.first.runs,
                searches.first.covered,
            ),
            traces_seen: self.traces.len() as u64,
            states: self.states.list(),
            pruned: [
                (Pruning::Failed, searches.pruned.failed),
                (Pruning::Unchanged, searches.pruned.unchanged),
                (Pruning::RedundantChild, searches.pruned.redundant_child),
                (
                    Pruning::GainWithoutChange,
                    searches.pruned.gain_without_change,
                ),
                (Pruning::Redundant, searches.pruned.redundant),
            ]
            .map(|(pruning, count)| (pruning.name().to_owned(), count))
            .to_vec(),
        }
    }
}

/// Operations with this in their contract, by name.
fn names(subject: &Subject, has: impl Fn(&Contract) -> bool) -> Vec<String> {
    let operations = subject.operations.iter();
    let having = operations.filter(|operation| has(&operation.contract));
    having.map(|operation| operation.name.to_owned()).collect()
}
