//! In which order findings are shown: what is wrong by itself at once, what is wrong by comparison with other
//! executions after that, and of this errors before warnings: so the worst finding of a cause is shown whole, and the
//! others in short behind it.

use std::collections::BTreeMap;

/// The text of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FindingText {
    /// Number of its cause.
    pub(super) cause: usize,
    /// It is wrong by itself.
    pub(super) definite: bool,
    /// It fails no run.
    pub(super) warns: bool,
    /// With the table of its interleaving: the first finding that is shown.
    pub(super) first: String,
    /// What is wrong and why.
    pub(super) whole: String,
    /// How another one of its cause names it.
    pub(super) shown_as: String,
    /// What differs from a finding of the same cause that was shown, before and after how that one is named; if it is
    /// not shown whole again.
    pub(super) other_way: Option<[String; 2]>,
    /// The annotation of a run of GitHub Actions.
    pub(super) annotation: Option<String>,
}

/// Findings that were shown, and those that wait.
#[derive(Debug, Default)]
pub(super) struct ShownFindings {
    /// How the finding that was shown of each is named.
    causes: BTreeMap<usize, String>,
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

    /// Those that wait, errors before warnings, else in the order in which they were found.
    pub(super) fn rest(&mut self) -> Vec<FindingText> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|it| it.warns);
        waiting.into_iter().map(|it| self.shown(it)).collect()
    }

    /// In `whole` what is shown of it: only the first finding of a cause is shown whole.
    fn shown(&mut self, finding: FindingText) -> FindingText {
        let is_first = self.causes.is_empty();
        let shown = self.causes.get(&finding.cause);
        let whole = match (shown, &finding.other_way) {
            (Some(shown), Some([text, rest])) => format!("{text}{shown}{rest}"),
            (None, _) if is_first => finding.first.clone(),
            _ => finding.whole.clone(),
        };
        let name = || finding.shown_as.clone();
        self.causes.entry(finding.cause).or_insert_with(name);
        FindingText { whole, ..finding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cause: usize, definite: bool, whole: &str) -> FindingText {
        FindingText {
            cause,
            definite,
            warns: false,
            first: format!("{whole}, with its table"),
            whole: whole.to_owned(),
            shown_as: format!("`{whole}`"),
            other_way: Some([format!("{whole}, as "), " in short".to_owned()]),
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
        assert_eq!(rest, ["a result, as `a panic` in short", "another"]);
        assert_eq!(shown.rest(), []);
    }

    #[test]
    fn an_error_is_whole_although_its_cause_showed_as_a_warning_before() {
        let mut shown = ShownFindings::default();
        let warning = FindingText {
            warns: true,
            ..finding(1, false, "a mixture")
        };
        assert_eq!(shown.take(warning), None);
        assert_eq!(shown.take(finding(1, false, "a lost update")), None);
        let rest: Vec<String> = shown.rest().into_iter().map(|it| it.whole).collect();
        assert_eq!(
            rest,
            [
                "a lost update, with its table",
                "a mixture, as `a lost update` in short"
            ]
        );
    }
}
