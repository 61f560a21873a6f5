//! Summaries against runs: what an operation was seen to do has to be in its summary, if that is said to be exact.
//!
//! Compared are, for single operations, the places in the package's sources at which they accessed variables and took
//! locks; for pairs, that what was seen of the two is allowed by their relations. Not compared is what happened in
//! other packages (a lock's own atomics), and that is counted.

use std::collections::{BTreeMap, BTreeSet};

use contest_data::observed::{OperationFact, PairFact, Seen, SeenTogether};

use super::analysis::Analysis;
use super::interpret::LineEffects;
use contest_catalog::checked::Checked;
use contest_catalog::dependency_graph::{DependencyGraph, Relation};
use contest_catalog::method_summary::{LocationRoot, LockMode, MethodSummary};
use contest_catalog::subject_catalog::SubjectEntry;

impl Analysis {
    /// Compares what operations of a subject were seen to do with their summaries. `own` gives file and line of a
    /// location, if it is in the package.
    #[must_use]
    pub fn check(
        &self,
        subject: &SubjectEntry,
        graph: &DependencyGraph,
        alone: &[Seen],
        together: &[SeenTogether],
        own: &dyn Fn(&str) -> Option<(String, u32)>,
    ) -> Checked {
        let mut checked = Checked::default();
        let mut lines: BTreeMap<u16, BTreeMap<(String, u32), LineEffects>> = BTreeMap::new();
        for seen in alone {
            let Some(method) = graph.methods.get(usize::from(seen.operation)) else {
                continue;
            };
            let Some(place) = own(&seen.location) else {
                checked.elsewhere += 1;
                continue;
            };
            if !method.is_exact() {
                checked.inexact += 1;
                continue;
            }
            let of_method = lines.entry(seen.operation).or_insert_with(|| {
                let operation = &subject.operations[usize::from(seen.operation)];
                let composition = self.composition_of(subject, operation);
                composition
                    .map(|it| self.lines_of(&it.functions))
                    .unwrap_or_default()
            });
            let line = of_method.get(&place).copied().unwrap_or_default();
            let allowed = match seen.does {
                OperationFact::Reads => line.reads,
                OperationFact::Writes => line.writes,
                OperationFact::Locks => line.locks,
                OperationFact::LocksMore => line.locks && !method.lock_pairs.is_empty(),
            };
            checked.compared += 1;
            if !allowed {
                checked.wrong.push(format!(
                    "{}::{} {} at {}:{} ({}), which its exact summary does not have",
                    graph.subject,
                    method.operation,
                    words(seen.does),
                    place.0,
                    place.1,
                    seen.what.trim_end(),
                ));
            }
        }
        for seen in together {
            self.check_pair(graph, seen, own, &mut checked);
        }
        checked
    }

    fn check_pair(
        &self,
        graph: &DependencyGraph,
        seen: &SeenTogether,
        own: &dyn Fn(&str) -> Option<(String, u32)>,
        checked: &mut Checked,
    ) {
        let (left, right) = seen.operations;
        let methods = (
            graph.methods.get(usize::from(left)),
            graph.methods.get(usize::from(right)),
        );
        let (Some(one), Some(other)) = methods else {
            return;
        };
        let Some(pair) = graph.pair(left, right) else {
            return;
        };
        let places = (own(&seen.locations.0), own(&seen.locations.1));
        let (Some(first), Some(second)) = places else {
            checked.elsewhere += 1;
            return;
        };
        if !pair.exact {
            checked.inexact += 1;
            return;
        }
        checked.compared += 1;
        let (allowed, what) = match seen.does {
            PairFact::Conflict => (pair.conflict != Relation::No, "access one variable"),
            PairFact::SameLock => (take_one_lock(one, other), "take one lock"),
            // Who only reads may be where it likes.
            PairFact::Interleave => (pair.parallel || pair.conflict == Relation::No, "interleave"),
            // What a lock protects is not seen: only where both mean one object, two acquisitions mean two sections.
            PairFact::TakeTurns => (
                pair.parallel
                    || pair.conflict == Relation::No
                    || of_other_objects(one)
                    || of_other_objects(other),
                "take turns in one lock",
            ),
            PairFact::OppositeLocks => (
                pair.double_lock != Relation::No,
                "take two locks in opposite orders",
            ),
        };
        if !allowed {
            checked.wrong.push(format!(
                "{}::{} and {} {what} at {}:{} and {}:{}, which their exact summaries exclude",
                graph.subject, one.operation, other.operation, first.0, first.1, second.0, second.1,
            ));
        }
    }

    /// Lines in which functions or what they call do something.
    fn lines_of(&self, functions: &[u32]) -> BTreeMap<(String, u32), LineEffects> {
        let mut lines: BTreeMap<(String, u32), LineEffects> = BTreeMap::new();
        let mut seen: BTreeSet<u32> = functions.iter().copied().collect();
        let mut waiting = functions.to_vec();
        while let Some(number) = waiting.pop() {
            let file = self.program.functions[number as usize].file.to_string();
            for (line, does) in &self.traces[number as usize].lines {
                let there = lines.entry((file.clone(), *line)).or_default();
                there.reads |= does.reads;
                there.writes |= does.writes;
                there.locks |= does.locks;
            }
            let callees = &self.graph.callees[number as usize];
            waiting.extend(callees.iter().copied().filter(|it| seen.insert(*it)));
        }
        lines
    }
}

fn words(does: OperationFact) -> &'static str {
    match does {
        OperationFact::Reads => "reads a variable",
        OperationFact::Writes => "writes a variable",
        OperationFact::Locks => "takes a lock",
        OperationFact::LocksMore => "takes a lock beside another one",
    }
}

fn of_other_objects(method: &MethodSummary) -> bool {
    let locks = method.acquires.iter().map(|it| &it.lock);
    locks
        .map(|it| &it.root)
        .any(|it| matches!(it, LocationRoot::Other(_) | LocationRoot::Argument(_)))
}

fn take_one_lock(one: &MethodSummary, other: &MethodSummary) -> bool {
    one.acquires.iter().any(|a| {
        other.acquires.iter().any(|b| {
            (a.mode != LockMode::Read || b.mode != LockMode::Read)
                && (a.lock.is_anything() || b.lock.is_anything() || a.lock.is_compatible(&b.lock))
        })
    })
}
