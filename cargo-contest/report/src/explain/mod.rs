//! `cargo contest explain KIND`: what a kind of finding means, what to do about it, and a short example in which this
//! tool finds it (the end-to-end tests run them all).

use contest_data::finding::FindingKind;

mod explanation;
mod kinds;

pub use explanation::Explanation;

/// Of every kind that campaigns report, in their order.
#[must_use]
pub fn all() -> &'static [Explanation] {
    &kinds::ALL
}

/// Of one kind; `None` for those that only models have.
#[must_use]
pub fn of(kind: FindingKind) -> Option<&'static Explanation> {
    kinds::ALL.iter().find(|about| about.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_is_reported_is_explained() {
        let explained: Vec<FindingKind> = all().iter().map(|about| about.kind).collect();
        let reported = FindingKind::OF_CAMPAIGNS.map(|(kind, _)| kind);
        assert_eq!(explained, reported);
        for about in all() {
            let name = about.kind.name();
            assert!(about.example.starts_with("//! "), "{name}");
            assert!(about.example.contains("Fix: "), "{name}");
            assert!(about.example.lines().count() <= 45, "{name}");
            assert!(!about.remedies.is_empty(), "{name}");
        }
    }
}
