//! Which types a run can reach in its budget. Compiling calls of a type takes longer than a few tests of it, so of very
//! many types no more are compiled than there is time to test.

use std::collections::HashSet;
use std::hash::Hasher;
use std::time::Duration;

use fnv::FnvHasher;

use crate::state::State;
use contest_catalog::part::Part;
use contest_catalog::run_budget::RunBudget;
use contest_catalog::subject_catalog::SubjectEntry;

/// The least time for a type. Its calls are compiled in about as long, and its first tests run in less.
const LEAST: Duration = Duration::from_millis(50);
/// The least steps for a type, of a budget in steps.
const LEAST_STEPS: u64 = 20_000;

/// The budget of a run, and how many types share it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    budget: RunBudget,
    types: usize,
}

impl Reach {
    /// Of a run with this budget over all these types.
    pub(super) fn new(budget: RunBudget, types: usize) -> Self {
        Self { budget, types }
    }

    /// For how many of so many types it is enough.
    fn room(self, types: usize) -> usize {
        let all = match self.budget {
            RunBudget::Time(time) => time.as_millis() / LEAST.as_millis(),
            RunBudget::Steps(steps) => u128::from(steps / LEAST_STEPS),
        };
        let all = usize::try_from(all.max(1)).unwrap_or(usize::MAX);
        if self.types <= all {
            return types;
        }
        (types * all).div_ceil(self.types)
    }

    /// What is said before the driver is built.
    pub(super) fn warning(self, not_reached: &[String], all: usize) -> String {
        let least = match self.budget {
            RunBudget::Time(_) => format!("{LEAST:?}"),
            RunBudget::Steps(_) => format!("{LEAST_STEPS} steps"),
        };
        format!(
            "the budget reaches {} of {all} types, at {least} for each; a longer --budget reaches more, another --seed \
             others, and TYPE those that it names",
            all - not_reached.len()
        )
    }

    /// The types that are reached. Which ones, the seed decides, but first come those with
    /// findings of earlier runs, and then those that no earlier run has reached.
    pub(super) fn part(self, all: Part, seed: u64, state: Option<&State>) -> Part {
        let room = self.room(all.catalog.subjects.len());
        if room >= all.catalog.subjects.len() {
            return all;
        }
        let mut order: Vec<&SubjectEntry> = all.catalog.subjects.iter().collect();
        order.sort_by_cached_key(|subject| (before(state, subject), drawn(seed, &subject.path)));
        let reached: HashSet<String> = order.iter().take(room).map(|it| it.path.clone()).collect();
        all.only(|subject| reached.contains(&subject.path))
    }
}

/// The turn that earlier runs give to a type.
fn before(state: Option<&State>, subject: &SubjectEntry) -> u8 {
    let Some(state) = state else {
        return 0;
    };
    let mut findings = state.findings().iter();
    if findings.any(|it| it.finding.subject == subject.shown()) {
        0
    } else if state.has_reached(&subject.shown()) {
        2
    } else {
        1
    }
}

fn drawn(seed: u64, path: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write_u64(seed);
    hasher.write(path.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_catalog::subject_catalog::SubjectCatalog;

    fn of(types: usize) -> Part {
        let subjects = (0..types).map(|number| SubjectEntry {
            path: format!("many::Type{number}"),
            type_expression: format!("many::Type{number}"),
            declared: String::new(),
            constructors: Vec::new(),
            operations: Vec::new(),
            left_out: Vec::new(),
        });
        Part::whole(SubjectCatalog {
            subjects: subjects.collect(),
            ..SubjectCatalog::default()
        })
    }

    #[test]
    fn as_many_types_are_reached_as_there_is_time_for_and_the_seed_says_which() {
        let reach = Reach::new(RunBudget::Time(Duration::from_secs(20)), 3_000);
        let reached = |reach: Reach, types| {
            let part = reach.part(of(types), 1, None);
            (part.catalog.subjects.len(), part.others.len())
        };
        assert_eq!(reached(reach, 3_000), (400, 2_600));
        assert_eq!(
            reach.part(of(3_000), 1, None),
            reach.part(of(3_000), 1, None)
        );
        assert_ne!(
            reach.part(of(3_000), 1, None),
            reach.part(of(3_000), 2, None)
        );
        // A package that shares the run has its share of the time.
        assert_eq!(reached(reach, 30), (4, 26));
        let enough = Reach::new(RunBudget::Time(Duration::from_secs(20)), 400);
        assert_eq!(reached(enough, 400), (400, 0));
        let hardly = Reach::new(RunBudget::Time(Duration::ZERO), 2);
        assert_eq!(reached(hardly, 2), (1, 1));
        let work = Reach::new(RunBudget::Steps(1_000_000), 3_000);
        assert_eq!(reached(work, 3_000), (50, 2_950));
        let said = work.warning(&vec![String::new(); 2_950], 3_000);
        assert!(
            said.starts_with("the budget reaches 50 of 3000 types, at 20000 steps for each"),
            "{said}"
        );
    }
}
