//! What a session remembers: findings by short names, and what is left of long answers.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde_json::Value;

use super::answer::Answer;

/// Most findings that are remembered.
const MOST_FINDINGS: usize = 500;
/// Most long answers.
const MOST_ANSWERS: usize = 16;

/// Where and how something was found, so that it is found there again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// The directory of the package.
    pub(super) directory: PathBuf,
    /// Options that select the package and its code.
    pub(super) options: Vec<String>,
}

/// A finding of this session.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// `f1`.
    pub(super) name: String,
    /// The token.
    pub(super) token: String,
    /// As in the JSON contract.
    pub(super) finding: Value,
    pub(super) scope: Scope,
}

/// What a session remembers.
#[derive(Debug, Default)]
pub(super) struct Memory {
    findings: VecDeque<Known>,
    named: usize,
    answers: VecDeque<(usize, Answer)>,
    answered: usize,
}

impl Memory {
    /// Remembers a finding; the same token has the same name.
    pub(super) fn finding(&mut self, finding: &Value, scope: &Scope) -> String {
        let token = finding["schedule"].as_str().unwrap_or_default();
        if let Some(known) = self.known(token) {
            return known.name.clone();
        }
        self.named += 1;
        let name = format!("f{}", self.named);
        self.findings.push_back(Known {
            name: name.clone(),
            token: token.to_owned(),
            finding: finding.clone(),
            scope: scope.clone(),
        });
        if self.findings.len() > MOST_FINDINGS {
            self.findings.pop_front();
        }
        name
    }

    /// The finding of this name or token.
    pub(super) fn known(&self, which: &str) -> Option<&Known> {
        let mut findings = self.findings.iter();
        findings.find(|it| !which.is_empty() && (it.name == which || it.token == which))
    }

    /// The first part of an answer; what is left of it is remembered.
    pub(super) fn first_part(&mut self, answer: Answer) -> Value {
        let (mut part, next) = answer.part(0);
        if let Some(next) = next {
            self.answered += 1;
            let cursor = format!("a{}.{next}", self.answered);
            part.insert("more_with".to_owned(), cursor.into());
            part.insert("of".to_owned(), answer.items.len().into());
            self.answers.push_back((self.answered, answer));
            if self.answers.len() > MOST_ANSWERS {
                self.answers.pop_front();
            }
        }
        part.into()
    }

    /// The part of a cursor.
    pub(super) fn part(&self, cursor: &str) -> Option<Value> {
        let (number, begin) = cursor.strip_prefix('a')?.split_once('.')?;
        let (number, begin): (usize, usize) = (number.parse().ok()?, begin.parse().ok()?);
        let mut answers = self.answers.iter();
        let (_, answer) = answers.find(|it| it.0 == number)?;
        let (mut part, next) = answer.part(begin);
        if let Some(next) = next {
            part.insert("more_with".to_owned(), format!("a{number}.{next}").into());
        }
        Some(part.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn findings_have_short_names_and_the_same_one_has_the_same() {
        let mut memory = Memory::default();
        let scope = Scope::default();
        let finding = |token: &str| json!({"schedule": token});
        assert_eq!(memory.finding(&finding("a"), &scope), "f1");
        assert_eq!(memory.finding(&finding("b"), &scope), "f2");
        assert_eq!(memory.finding(&finding("a"), &scope), "f1");
        assert_eq!(memory.known("b").unwrap().name, "f2");
        assert_eq!(memory.known("f1").unwrap().token, "a");
        assert!(memory.known("").is_none() && memory.known("f9").is_none());
        for number in 0..600 {
            memory.finding(&finding(&format!("t{number}")), &scope);
        }
        assert!(memory.known("f1").is_none() && memory.known("f602").is_some());
    }

    #[test]
    fn a_cursor_leads_to_the_rest_and_a_wrong_one_nowhere() {
        let mut memory = Memory::default();
        let items = (0..60)
            .map(|it| json!(format!("{it} {}", "x".repeat(300))))
            .collect();
        let first = memory.first_part(Answer::new(json!({}), "all", items));
        let mut count = first["all"].as_array().unwrap().len();
        assert_eq!(first["of"], 60);
        let mut cursor = first["more_with"].as_str().map(str::to_owned);
        while let Some(it) = cursor {
            let part = memory.part(&it).unwrap();
            count += part["all"].as_array().unwrap().len();
            cursor = part["more_with"].as_str().map(str::to_owned);
        }
        assert_eq!(count, 60);
        for wrong in [
            "",
            "a",
            "a1",
            "a1.",
            "a1.x",
            "b1.1",
            "a9.1",
            "a1.99999999999999999999",
        ] {
            assert_eq!(memory.part(wrong), None, "{wrong}");
        }
        assert_eq!(memory.part("a1.9999").unwrap()["all"], json!([]));
    }
}
