//! Bugs of one subject that were found, so that one bug is reported once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::judge::Suspicion;
use contest_data::finding::{Allowed, FindingKind, KnownBug, contains};
use contest_data::sorted;
use contest_data::test::ConcurrentTest;

/// Fingerprints of all subjects: the instances of one type have the same.
pub(super) type Fingerprints = Rc<RefCell<HashSet<String>>>;

/// Bugs found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownBugs {
    fingerprints: Fingerprints,
    bugs: Vec<KnownBug>,
    /// What turned out to be allowed once it was small, by the fingerprint that it had before and its operations.
    /// Another test may show another bug with this fingerprint.
    allowed: HashMap<(String, Vec<u16>), Allowed>,
    /// Operations beside each other that showed a torn read in the order of their steps, reported or not.
    torn: Vec<Vec<u16>>,
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
        let mut bugs = self.bugs.iter();
        let reads = suspicion.only_reads.then_some(FindingKind::TornRead);
        bugs.any(|bug| {
            let mut kinds = std::iter::once(suspicion.kind).chain(reads);
            kinds.any(|kind| bug.is_shown_by(kind, &locations, &operations))
        })
    }

    /// True if an older value is all that is new in it: these operations read torn without that. A torn read is noted.
    pub(super) fn is_torn_anyway(&mut self, suspicion: &Suspicion, test: &ConcurrentTest) -> bool {
        let operations = operations(test);
        if suspicion.kind == FindingKind::TornRead && !self.torn.contains(&operations) {
            self.torn.push(operations.clone());
        }
        let mut torn = self.torn.iter();
        suspicion.only_reads && torn.any(|part| contains(&operations, part))
    }

    /// Takes a bug in; `None` if its fingerprint is known.
    pub(super) fn add(
        &mut self,
        fingerprint: &str,
        suspicion: &Suspicion,
        test: &ConcurrentTest,
    ) -> Option<KnownBug> {
        let bug = KnownBug {
            subject: test.subject,
            kind: suspicion.kind,
            locations: sorted(&suspicion.locations),
            operations: operations(test),
            fingerprint: fingerprint.to_owned(),
        };
        self.bugs.push(bug.clone());
        let new = self
            .fingerprints
            .borrow_mut()
            .insert(fingerprint.to_owned());
        self.reported += u64::from(new);
        new.then_some(bug)
    }

    /// Takes in a bug that another process has reported.
    pub(super) fn learn(&mut self, bug: KnownBug) {
        self.fingerprints
            .borrow_mut()
            .insert(bug.fingerprint.clone());
        self.bugs.push(bug);
    }

    /// Notes that what looks like this in a test of these operations is allowed.
    pub(super) fn allow(&mut self, fingerprint: String, test: &ConcurrentTest, by: Allowed) {
        self.allowed.insert((fingerprint, operations(test)), by);
    }

    /// What allows it, if that is known.
    pub(super) fn allowed(&self, fingerprint: &str, test: &ConcurrentTest) -> Option<&Allowed> {
        if self.allowed.is_empty() {
            return None;
        }
        self.allowed
            .get(&(fingerprint.to_owned(), operations(test)))
    }

    /// True if no bug was found so far.
    pub(super) fn is_empty(&self) -> bool {
        self.fingerprints.borrow().is_empty()
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
    sorted::sort(&mut all);
    all
}

fn operations(test: &ConcurrentTest) -> Vec<u16> {
    let mut all: Vec<u16> = test
        .threads
        .iter()
        .flatten()
        .map(|call| call.operation)
        .collect();
    sorted::sort(&mut all);
    all
}
