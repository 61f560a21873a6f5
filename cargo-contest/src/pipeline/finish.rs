//! What a finding of a driver lacks before it is reported, whichever command has found it: short locations, the places
//! in the package, and what limits what it says.

use std::path::PathBuf;

use contest_data::finding::{Finding, FindingKind, InterleavingStep};
use contest_data::subject::Probe;

use super::prepare::Prepared;
use contest_catalog::subject_catalog::{SubjectCatalog, SubjectEntry};
use contest_drive::harness::kept_driver::KeptDriver;
use contest_report::short_locations::ShortLocations;

/// Detail of a race if some code is not instrumented.
const PARTLY_SEEN: &str =
    "not all code is instrumented (see the summary): what it does to order threads is not seen";

/// Finishes the findings of one driver.
pub(super) struct Finisher<'a> {
    catalog: &'a SubjectCatalog,
    short: ShortLocations,
    /// The directory that locations are relative to.
    base: PathBuf,
    /// That of the package.
    directory: PathBuf,
    /// Some code is not instrumented.
    is_partly_seen: bool,
}

impl<'a> Finisher<'a> {
    pub(super) fn of(prepared: &'a Prepared) -> Self {
        Self {
            catalog: &prepared.driver.catalog,
            short: prepared.short_locations(),
            base: prepared.base(),
            directory: prepared.package_directory(),
            is_partly_seen: !prepared.driver.uninstrumented.is_empty(),
        }
    }

    /// On a machine without the sources.
    pub(super) fn of_kept(kept: &'a KeptDriver) -> Self {
        Self {
            catalog: &kept.catalog,
            short: ShortLocations::new(&[&kept.base]),
            base: kept.base.clone(),
            directory: kept.directory.clone(),
            is_partly_seen: kept.is_partly_seen,
        }
    }

    /// Everything that a report says of a finding and its driver does not.
    pub(super) fn finish(&self, finding: &mut Finding) {
        self.short.finding(finding);
        self.name_unsafe_impls(finding);
        self.name_unseen_calls(finding);
        self.lead_to_the_package(finding);
        if finding.kind == FindingKind::DataRace && self.is_partly_seen {
            finding.details.push(PARTLY_SEEN.to_owned());
        }
    }

    fn subject_of(&self, finding: &Finding) -> Option<&'a SubjectEntry> {
        let subjects = &self.catalog.subjects;
        subjects.get(usize::from(finding.test.subject))
    }

    /// A place of the package as it is shown.
    fn seen(&self, place: &str) -> String {
        let place = self.directory.join(place);
        let seen = place.strip_prefix(&self.base).unwrap_or(&place);
        seen.display().to_string()
    }

    /// A finding should point into the package, not into the lock it uses: the package's locations come first, and if
    /// there are none, those of the operations that were called.
    fn lead_to_the_package(&self, finding: &mut Finding) {
        let (base, directory) = (&self.base, &self.directory);
        let own = |location: &String| {
            let file = base.join(location.split(':').next().unwrap_or(location));
            file.starts_with(directory) && file.is_file()
        };
        finding.locations.sort_by_key(|location| !own(location));
        if finding.locations.first().is_some_and(own) {
            return;
        }
        let Some(subject) = self.subject_of(finding) else {
            return;
        };
        let calls = finding.test.threads.iter().flatten();
        let mut declared: Vec<String> = calls
            .filter_map(|call| self.declared(subject, call.operation))
            .map(|place| format!("{place}:1"))
            .collect();
        declared.dedup();
        declared.append(&mut finding.locations);
        finding.locations = declared;
    }

    /// File and line of an operation. Derived and dropping calls are declared nowhere.
    fn declared(&self, subject: &SubjectEntry, operation: u16) -> Option<String> {
        let operation = subject.operations.get(usize::from(operation))?;
        if operation.declared.is_empty() {
            return None;
        }
        Some(self.seen(&operation.declared))
    }

    /// A call of which no step has a place, because its code does nothing that others could see, is named with the
    /// place of its declaration: what it fails to do may be the bug.
    fn name_unseen_calls(&self, finding: &mut Finding) {
        let Some(subject) = self.subject_of(finding) else {
            return;
        };
        let mut notes = Vec::new();
        for (thread, (calls, texts)) in (1..).zip(finding.test.threads.iter().zip(&finding.threads))
        {
            for (number, (call, text)) in (0..).zip(calls.iter().zip(texts)) {
                let own = |it: &&InterleavingStep| it.thread == thread && it.call == Some(number);
                let mut steps = finding.interleaving.iter().filter(own);
                let is_seen = steps.any(|it| it.caller.is_some() || !it.location.is_empty());
                let place = self.declared(subject, call.operation);
                if let Some(place) = place.filter(|_| !is_seen) {
                    let note = format!("{text} is declared at {place}");
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
            }
        }
        // Without an interleaving no call is seen.
        if !finding.interleaving.is_empty() {
            finding.details.extend(notes);
        }
    }

    /// What a probe as type argument shows is wrong with an `unsafe impl` of the type: says where these are.
    fn name_unsafe_impls(&self, finding: &mut Finding) {
        let Some(subject) = self.subject_of(finding) else {
            return;
        };
        let memory = finding.kind == FindingKind::WrongThread || finding.kind.needs_memory();
        if !memory || Probe::of_path(&subject.path).is_none() {
            return;
        }
        for written in self.catalog.unsafe_impls_of(subject) {
            let place = format!("{}:1", self.seen(&written.location));
            if !finding.locations.contains(&place) {
                let detail = format!("the impl of `{}` is at {place}", written.marker);
                finding.details.push(detail);
                finding.locations.push(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also of a replay, and of a test of cargo-nextest: they end here.
    #[test]
    fn a_race_says_if_not_all_code_is_seen() {
        let finished = |is_partly_seen: bool, kind: FindingKind| {
            let finisher = Finisher {
                catalog: &SubjectCatalog::default(),
                short: ShortLocations::new(&[]),
                base: PathBuf::new(),
                directory: PathBuf::new(),
                is_partly_seen,
            };
            let mut finding = Finding::new(kind, "a race");
            finisher.finish(&mut finding);
            finding.details
        };
        assert_eq!(finished(true, FindingKind::DataRace), [PARTLY_SEEN]);
        assert!(finished(false, FindingKind::DataRace).is_empty());
        assert!(finished(true, FindingKind::Deadlock).is_empty());
    }
}
