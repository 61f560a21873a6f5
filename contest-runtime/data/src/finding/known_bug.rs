//! A bug that was found, as another process needs it.

use super::FindingKind;

/// A bug that was found: what recognises it in other tests before it is minimised there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KnownBug {
    /// The subject, by index in the driver.
    pub subject: u16,
    /// How it shows.
    pub kind: FindingKind,
    /// Where it shows, sorted.
    pub locations: Vec<String>,
    /// Operations of the lanes of the minimised test, sorted.
    pub operations: Vec<u16>,
    /// Fingerprint of the finding.
    pub fingerprint: String,
}

impl KnownBug {
    /// True if what shows in this way, in a test with these operations in its lanes, is surely this bug. `locations`
    /// and `operations` are sorted.
    #[must_use]
    pub fn is_shown_by(&self, kind: FindingKind, locations: &[String], operations: &[u16]) -> bool {
        // Where what changes the object is wrong, what only reads it may show no more than that.
        let shows = self.kind == kind
            || kind == FindingKind::TornRead && self.kind == FindingKind::NonLinearizable;
        shows
            && match kind {
                FindingKind::NonLinearizable | FindingKind::TornRead => {
                    contains(operations, &self.operations)
                }
                // Other operations may forget to wake, too.
                FindingKind::LostWakeup => {
                    self.locations == locations && contains(operations, &self.operations)
                }
                _ => self.locations == locations,
            }
    }
}

/// True if the sorted list `all` has every element of the sorted list `part`, as often.
#[must_use]
pub fn contains(all: &[u16], part: &[u16]) -> bool {
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
