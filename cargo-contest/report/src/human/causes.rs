//! The causes of findings, where there are fewer causes than findings.

use std::fmt::Write as _;

use crate::causes::{CauseFinding, Causes, FoundCause};
use crate::figures::counted;
use crate::styles::{ERROR, NOTE};
use crate::visible::visible;

/// Findings of a kind that are listed under their cause.
const SHOWN: usize = 3;

/// A line for the most definite finding of each cause, and the others below it. Nothing if each finding has its own.
pub(super) fn causes(causes: &Causes) -> String {
    let all = causes.most_definite_first();
    if all.iter().all(|cause| cause.findings.len() < 2) {
        return String::new();
    }
    let mut out = format!("\n{NOTE}causes{NOTE:#}, the most definite first:\n");
    for cause in all {
        one(&mut out, cause);
    }
    out.push('\n');
    out
}

fn one(out: &mut String, cause: &FoundCause) {
    let Some(first) = cause.first() else {
        return;
    };
    let _ = writeln!(
        out,
        "  cause {}: {ERROR}{}{ERROR:#} in {}",
        cause.number,
        first.kind,
        test(first)
    );
    let at: Vec<String> = first
        .locations
        .iter()
        .take(2)
        .map(|it| visible(it).into())
        .collect();
    if !at.is_empty() {
        let _ = writeln!(out, "     at {}", at.join(" and "));
    }
    for (kind, findings) in cause.others() {
        let shown: Vec<String> = findings.iter().take(SHOWN).map(|it| test(it)).collect();
        let more = match findings.len() - shown.len() {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        let _ = writeln!(
            out,
            "     also shows as {}: {}{more}",
            counted(findings.len() as u64, kind.name()),
            shown.join("; "),
        );
    }
}

/// `Slab<u32>: a.insert(1) | a.remove(1)`, or the name of a test of the crate.
fn test(finding: &CauseFinding) -> String {
    let name = visible(&without_modules(&finding.subject)).into_owned();
    match finding.calls.as_str() {
        "" => name,
        calls => format!("{name}: {}", visible(calls)),
    }
}

/// A type, or several in a tuple, without the path of their modules, which says nothing more where all are of one
/// crate. Type arguments keep theirs.
fn without_modules(types: &str) -> String {
    let mut name = String::new();
    let (mut begin, mut depth, mut before) = (0, 0_u32, ' ');
    for next in types.chars() {
        name.push(next);
        match next {
            '<' => depth += 1,
            // Not that of an arrow.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && name.ends_with("::") => name.truncate(begin),
            _ => {}
        }
        if depth == 0 && matches!(next, '(' | ' ' | '&' | '[') {
            begin = name.len();
        }
        before = next;
    }
    name
}

#[cfg(test)]
mod tests {
    use contest_data::finding::{Finding, FindingKind};

    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn each_cause_is_listed_once_with_all_of_its_findings_counted() {
        let again = |kind, calls: &str| Finding {
            kind,
            threads: vec![vec![calls.to_owned()]],
            ..deadlock()
        };
        let mut findings = vec![again(FindingKind::Livelock, "a.spin()"); 5];
        findings.insert(0, deadlock());
        let text = causes(&Causes::of_all(&findings));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            text,
            "\ncauses, the most definite first:\n\
            \x20 cause 1: deadlock in Accounts: a.transfer(1) | a.audit()\n\
            \x20    at src/lib.rs:11:28 and src/lib.rs:21:29\n\
            \x20    also shows as 5 livelocks: Accounts: a.spin(); Accounts: a.spin(); Accounts: a.spin(); 2 more\n\n"
        );
        assert_eq!(causes(&Causes::of_all([&deadlock()])), "");
    }

    #[test]
    fn names_are_without_the_modules_of_each_type() {
        for (name, short) in [
            ("pool::Pool", "Pool"),
            ("pool::Pool<pool::Connection>", "Pool<pool::Connection>"),
            ("(pool::Pool, jobs::JobId)", "(Pool, JobId)"),
            (
                "(a::Cell<a::B, c::D>, a::b::Other<u8>)",
                "(Cell<a::B, c::D>, Other<u8>)",
            ),
            ("a_test::of_the_crate", "of_the_crate"),
            ("a::Cell<fn(a::B) -> c::D>", "Cell<fn(a::B) -> c::D>"),
            ("free functions", "free functions"),
        ] {
            assert_eq!(without_modules(name), short);
        }
    }
}
