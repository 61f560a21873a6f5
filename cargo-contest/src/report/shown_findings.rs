//! In which order findings are shown: what is wrong by itself at once, what is wrong by comparison with other
//! executions after that, so that a definite failure is not shown in short behind a doubtful one of the same cause.

use std::collections::BTreeSet;

/// The text of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FindingText {
    /// Number of its cause.
    pub(super) cause: usize,
    /// It is wrong by itself.
    pub(super) definite: bool,
    /// With the table of its interleaving: the first finding that is shown.
    pub(super) first: String,
    /// What is wrong and why.
    pub(super) whole: String,
    /// What differs from a finding of the same cause that was shown.
    pub(super) other_way: String,
    /// The annotation of a run of GitHub Actions.
    pub(super) annotation: Option<String>,
}

/// Findings that were shown, and those that wait.
#[derive(Debug, Default)]
pub(super) struct ShownFindings {
    causes: BTreeSet<usize>,
    waiting: Vec<FindingText>,
}

impl ShownFindings {
    /// Takes one in; the text that is shown now, if it does not wait.
    pub(super) fn take(&mut self, finding: FindingText) -> Option<FindingText> {
        if finding.definite {
            return Some(self.shown(finding));
        }
        self.waiting.push(finding);
        None
    }

    /// Those that wait, in the order in which they were found.
    pub(super) fn rest(&mut self) -> Vec<FindingText> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|it| self.shown(it)).collect()
    }

    /// In `whole` what is shown of it: only the first finding of a cause is shown whole.
    fn shown(&mut self, finding: FindingText) -> FindingText {
        let is_first = self.causes.is_empty();
        if self.causes.insert(finding.cause) {
            return match is_first {
                true => FindingText {
                    whole: finding.first.clone(),
                    ..finding
                },
                false => finding,
            };
        }
        FindingText {
            whole: finding.other_way.clone(),
            ..finding
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cause: usize, definite: bool, whole: &str) -> FindingText {
        FindingText {
            cause,
            definite,
            first: format!("{whole}, with its table"),
            whole: whole.to_owned(),
            other_way: format!("{whole}, in short"),
            annotation: None,
        }
    }

    #[test]
    fn what_is_definite_is_whole_although_its_cause_showed_otherwise_before() {
        let mut shown = ShownFindings::default();
        assert_eq!(shown.take(finding(1, false, "a result")), None);
        assert_eq!(shown.take(finding(2, false, "another")), None);
        let first = shown.take(finding(1, true, "a panic")).unwrap();
        assert_eq!(first.whole, "a panic, with its table");
        let rest: Vec<String> = shown.rest().into_iter().map(|it| it.whole).collect();
        assert_eq!(rest, ["a result, in short", "another"]);
        assert_eq!(shown.rest(), []);
    }
}
