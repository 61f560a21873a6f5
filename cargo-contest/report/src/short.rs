//! A finding in ten lines: what, where, the calls, why, how to run it again.

use std::fmt::Write as _;

use contest_data::finding::Finding;

use super::styles::{ARROW, NOTE, level_and_kind};
use super::turning_points::places_of;
use super::visible::finding_as_seen;

/// Most lines that are shown.
const MOST: usize = 10;

/// A bug. `replay` is the command that replays it, without the token; an emitted test is shorter than a token.
pub(super) fn finding(finding: &Finding, emitted: Option<&str>, replay: &str) -> String {
    let finding = &*finding_as_seen(finding);
    let mut out = String::new();
    let first = finding.message.lines().next().unwrap_or_default();
    let _ = writeln!(out, "{}{NOTE}: {first}{NOTE:#}", level_and_kind(finding));
    let mut lines: Vec<String> = Vec::new();
    for (arrow, location) in ["-->", ":::"].iter().zip(&places_of(finding)) {
        lines.push(format!(" {ARROW}{arrow}{ARROW:#} {location}"));
    }
    lines.extend(test_lines(finding));
    let token = &finding.schedule;
    let again = emitted.unwrap_or(token);
    // Details have what room is left.
    let room = MOST - 2;
    let details = finding
        .details
        .iter()
        .map(|line| format!("  {ARROW}={ARROW:#} {line}"));
    lines.extend(details);
    lines.truncate(room);
    for line in lines {
        let _ = writeln!(out, "{}", line.replace('\n', " "));
    }
    if !again.is_empty() {
        let _ = writeln!(
            out,
            "  {ARROW}={ARROW:#} {NOTE}help{NOTE:#}: `{replay} {again}`"
        );
    }
    out
}

/// What is called before the threads, and by each of them with what came of it.
pub(super) fn test_lines(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    if !finding.prefix.is_empty() {
        lines.push(format!("  {}", finding.prefix.join(" ")));
    }
    for (number, calls) in (1..).zip(&finding.threads) {
        let calls: Vec<String> = calls
            .iter()
            .enumerate()
            .map(|(call, text)| {
                let mut steps = finding.interleaving.iter();
                let of_call = steps.find_map(|step| {
                    let is_its = step.thread == number && step.call.map(usize::from) == Some(call);
                    step.result.as_deref().filter(|_| is_its)
                });
                match of_call {
                    Some(result) => format!("{text} {}", result.replace("returned ", "-> ")),
                    None => text.clone(),
                }
            })
            .collect();
        lines.push(format!("  thread {number}: {}", calls.join("; ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn a_finding_has_at_most_ten_lines_whatever_it_contains() {
        let mut long = deadlock();
        long.details = vec!["a\nb".to_owned(); 30];
        long.message = "one\ntwo".to_owned();
        for bug in [deadlock(), long] {
            let text = finding(&bug, None, "cargo contest replay");
            assert!(text.lines().count() <= MOST, "{text}");
            let text = strip_str(&text).to_string();
            assert!(text.contains("thread 2: a.audit() <hung>"), "{text}");
            assert!(text.ends_with("`cargo contest replay c1:AbCd`\n"), "{text}");
        }
    }
}
