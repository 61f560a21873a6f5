//! Bugs of one subject that were found, so that one bug is reported once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use crate::judge::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::ConcurrentTest;

/// What recognises a bug before it is minimised.
#[derive(Clone, Debug)]
struct Bug {
    kind: FindingKind,
    locations: Vec<String>,
    /// Operations of the lanes of the minimised test, sorted.
    operations: Vec<u16>,
}

/// Fingerprints of all subjects: the instances of one type have the same.
pub(super) type Fingerprints = Rc<RefCell<HashSet<String>>>;

/// Bugs found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownBugs {
    fingerprints: Fingerprints,
    bugs: Vec<Bug>,
    reported: u64,
    repeats: u64,
}

impl KnownBugs {
    /// With fingerprints of bugs that were reported before, also of other subjects.
    pub(super) fn new(fingerprints: Fingerprints) -> Self {
        Self {
            fingerprints,
            ..Self::default()
        }
    }

    /// True if this is surely a bug that was found already.
    pub(super) fn recognises(&self, suspicion: &Suspicion, test: &ConcurrentTest) -> bool {
        let locations = sorted(&suspicion.locations);
        let operations = operations(test);
        self.bugs.iter().any(|bug| {
            bug.kind == suspicion.kind
                && match bug.kind {
                    FindingKind::NonLinearizable => contains(&operations, &bug.operations),
                    // Other operations may forget to wake, too.
                    FindingKind::LostWakeup => {
                        bug.locations == locations && contains(&operations, &bug.operations)
                    }
                    _ => bug.locations == locations,
                }
        })
    }

    /// Takes a bug in; false if its fingerprint is known.
    pub(super) fn add(
        &mut self,
        fingerprint: &str,
        suspicion: &Suspicion,
        test: &ConcurrentTest,
    ) -> bool {
        self.bugs.push(Bug {
            kind: suspicion.kind,
            locations: sorted(&suspicion.locations),
            operations: operations(test),
        });
        let new = self
            .fingerprints
            .borrow_mut()
            .insert(fingerprint.to_owned());
        if new {
            self.reported += 1;
        }
        new
    }

    /// True if a bug with this fingerprint was found already.
    pub(super) fn has(&self, fingerprint: &str) -> bool {
        self.fingerprints.borrow().contains(fingerprint)
    }

    pub(super) fn repeat(&mut self) {
        self.repeats += 1;
    }

    pub(super) fn reported(&self) -> u64 {
        self.reported
    }

    pub(super) fn repeats(&self) -> u64 {
        self.repeats
    }
}

fn sorted(locations: &[String]) -> Vec<String> {
    let mut all = locations.to_vec();
    all.sort();
    all
}

fn operations(test: &ConcurrentTest) -> Vec<u16> {
    let mut all: Vec<u16> = test
        .threads
        .iter()
        .flatten()
        .map(|call| call.operation)
        .collect();
    all.sort_unstable();
    all
}

/// True if the sorted list `all` has every element of the sorted list `part`, as often.
fn contains(all: &[u16], part: &[u16]) -> bool {
    let mut rest = all.iter();
    part.iter().all(|wanted| rest.any(|have| have == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_contains_a_bug_if_it_has_its_operations_as_often() {
        assert!(contains(&[1, 2, 2, 5], &[2, 2, 5]));
        assert!(!contains(&[1, 2, 5], &[2, 2]));
        assert!(!contains(&[1, 5], &[2]));
        assert!(contains(&[1], &[]));
    }
}
