//! Short source locations: relative to the package under test, the registry or std, not to this machine.

use std::path::Path;

use contest_data::coverage_counts::FieldMet;
use contest_data::finding::{Finding, InterleavingStep};
use contest_data::protocol::Replayed;
use contest_data::totals::Alone;
use contest_data::trace::DRIVER_FILE;

use contest_build::instrument::rustc_wrapper::DOCUMENTATION;

/// Parts of a fingerprint before its places: kind and type.
const FIRST_PLACE: usize = 2;

/// Directories that are stripped from the front of a path.
#[derive(Clone, Debug, Default)]
pub struct ShortLocations {
    roots: Vec<String>,
}

impl ShortLocations {
    /// Strips the first of these directories that fits.
    #[must_use]
    pub fn new(roots: &[&Path]) -> Self {
        let mut roots: Vec<String> = roots
            .iter()
            .filter_map(|root| root.to_str())
            .map(|root| format!("{}/", root.trim_end_matches('/')))
            .collect();
        roots.dedup();
        Self { roots }
    }

    /// A text with every path in it shortened.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_string();
        for root in &self.roots {
            text = text.replace(root, "");
        }
        // `…/registry/src/<index>/<crate>-<version>/src/…`: the crate name suffices.
        for marker in ["/registry/src/", "/git/checkouts/", DOCUMENTATION] {
            text = without_front(&text, marker, 1);
        }
        // `/rustc/<commit>/library/std/…`
        without_front(&text, "/rustc/", 1)
    }

    /// All locations and texts of a finding, and what it is recognised by: another machine has other directories.
    pub fn finding(&self, finding: &mut Finding) {
        finding.message = self.text(&finding.message);
        finding.fingerprint = self.fingerprint(&finding.fingerprint);
        for text in finding.details.iter_mut().chain(&mut finding.locations) {
            *text = self.text(text);
        }
        self.interleaving(&mut finding.interleaving);
    }

    /// All locations and texts of a replay.
    pub fn replayed(&self, replayed: &mut Replayed) {
        replayed.ending = self.text(&replayed.ending);
        if let Some(diverged) = &mut replayed.diverged {
            *diverged = self.text(diverged);
        }
        if let Some(finding) = &mut replayed.finding {
            self.finding(finding);
        }
        self.interleaving(&mut replayed.interleaving);
    }

    /// The texts of a failure without concurrency.
    pub fn alone(&self, alone: &mut Alone) {
        alone.detail = self.text(&alone.detail);
        // A place in the driver says nothing to its user.
        if let Some(at) = alone.detail.rfind(" at ")
            && alone.detail[at..].contains(DRIVER_FILE)
        {
            alone.detail.truncate(at);
        }
    }

    /// The fields that several threads accessed, with their locations.
    pub fn fields(&self, fields: &mut [FieldMet]) {
        for met in fields {
            met.field = self.text(&met.field);
            for place in &mut met.places {
                *place = self.text(place);
            }
        }
    }

    /// A fingerprint with every path in it shortened. Its places are sorted again: the whole paths may have another
    /// order.
    #[must_use]
    pub fn fingerprint(&self, fingerprint: &str) -> String {
        let mut parts: Vec<String> = fingerprint.split('|').map(|it| self.text(it)).collect();
        if let Some(places) = parts.get_mut(FIRST_PLACE..) {
            places.sort_unstable();
        }
        parts.join("|")
    }

    fn interleaving(&self, steps: &mut [InterleavingStep]) {
        for step in steps {
            step.location = self.text(&step.location);
            step.event = self.text(&step.event);
            if let Some(caller) = &mut step.caller {
                *caller = self.text(caller);
            }
            if let Some(result) = &mut step.result {
                *result = self.text(result);
            }
        }
    }
}

/// Removes, from every path with `marker` in it, everything up to `further` components after the marker.
fn without_front(text: &str, marker: &str, further: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(marker) {
        let begin = rest[..at]
            .rfind(|c: char| c.is_whitespace() || "`'\"(".contains(c))
            .map_or(0, |before| {
                before + rest[before..].chars().next().map_or(1, char::len_utf8)
            });
        let mut end = at + marker.len();
        for _ in 0..further {
            match rest[end..].find('/') {
                Some(slash) => end += slash + 1,
                None => break,
            }
        }
        out.push_str(&rest[..begin]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use contest_data::finding::FindingKind;

    use super::*;

    #[test]
    fn paths_are_shortened_wherever_they_stand() {
        let short = ShortLocations::new(&[Path::new("/home/me/bank")]);
        for (text, expected) in [
            ("/home/me/bank/src/lib.rs:10:5", "src/lib.rs:10:5"),
            (
                "/contest-documentation/12/src/lib.rs:10:5",
                "src/lib.rs:10:5",
            ),
            (
                "held by thread 2 since /home/me/bank/src/lib.rs:1:2",
                "held by thread 2 since src/lib.rs:1:2",
            ),
            (
                "in f (/home/me/.cargo/registry/src/index.crates.io-1/flume-0.7.0/src/lib.rs:3:4)",
                "in f (flume-0.7.0/src/lib.rs:3:4)",
            ),
            (
                "/rustc/59807/library/std/src/thread/mod.rs:1:1",
                "library/std/src/thread/mod.rs:1:1",
            ),
            (
                "/home/you/bank/src/lib.rs:1:1",
                "/home/you/bank/src/lib.rs:1:1",
            ),
        ] {
            assert_eq!(short.text(text), expected);
        }
    }

    #[test]
    fn a_finding_has_one_fingerprint_on_all_machines() {
        let on = |package: &str, cargo_home: &str| {
            let places = [
                format!("{package}/src/lib.rs:10:5"),
                format!("{cargo_home}/registry/src/index.crates.io-1/flume-0.7.0/src/lib.rs:3:4"),
            ];
            let mut finding = Finding::new(FindingKind::Deadlock, "hangs");
            let mut sorted = places.clone();
            sorted.sort();
            finding.fingerprint = format!("deadlock|bank::Bank|{}", sorted.join("|"));
            ShortLocations::new(&[Path::new(package)]).finding(&mut finding);
            finding.fingerprint
        };
        let here = on("/home/me/bank", "/home/me/.cargo");
        assert_eq!(here, on("/builds/bank", "/a/cargo"));
        assert_eq!(
            here,
            "deadlock|bank::Bank|flume-0.7.0/src/lib.rs:3:4|src/lib.rs:10:5"
        );
    }
}
