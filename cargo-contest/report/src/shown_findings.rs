//! In which order findings are shown: errors that are wrong by themselves at once, what is wrong by comparison with
//! other executions after that, and warnings last. So a cause is shown whole by the worst that it does, and in short by
//! the rest.

use std::collections::BTreeMap;

/// The text of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FindingText {
    /// Number of its cause.
    pub(super) cause: usize,
    /// It is shown when it is found: it is an error and wrong by itself, or of a test, whose line comes next.
    pub(super) at_once: bool,
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
    /// Of each cause, how the finding that was shown whole is named, and whether it fails no run.
    causes: BTreeMap<usize, (String, bool)>,
    waiting: Vec<FindingText>,
}

impl ShownFindings {
    /// Takes one in; the text that is shown now, if it does not wait.
    pub(super) fn take(&mut self, finding: FindingText) -> Option<FindingText> {
        if finding.at_once {
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

    /// In `whole` what is shown of it: only the first finding of a cause is shown whole, and the first error behind
    /// warnings of tests.
    fn shown(&mut self, finding: FindingText) -> FindingText {
        let is_first = self.causes.is_empty();
        let shown = self.causes.get(&finding.cause);
        let shown = shown.filter(|(_, warned)| finding.warns || !warned);
        let whole = match (shown, &finding.other_way) {
            (Some((name, _)), Some([text, rest])) => format!("{text}{name}{rest}"),
            _ if is_first => finding.first.clone(),
            _ => finding.whole.clone(),
        };
        if shown.is_none() {
            let name = finding.shown_as.clone();
            self.causes.insert(finding.cause, (name, finding.warns));
        }
        FindingText { whole, ..finding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cause: usize, at_once: bool, whole: &str) -> FindingText {
        FindingText {
            cause,
            at_once,
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

    #[test]
    fn an_error_of_a_test_is_whole_behind_a_warning_of_its_cause() {
        let mut shown = ShownFindings::default();
        let warning = FindingText {
            warns: true,
            ..finding(1, true, "a late thread")
        };
        let [whole, error, again] = [
            warning,
            finding(1, true, "a lost update"),
            finding(1, true, "another"),
        ]
        .map(|it| shown.take(it).unwrap().whole);
        assert_eq!(whole, "a late thread, with its table");
        assert_eq!(error, "a lost update");
        assert_eq!(again, "another, as `a lost update` in short");
    }
}
