//! Parts of a finding as lines.

use std::borrow::Cow;
use std::fmt::Write as _;

use contest_data::finding::Finding;

use crate::source_files::SourceFiles;
use crate::styles::{ARROW, NOTE, level_and_kind};
use crate::visible::visible;

/// Level, kind and message.
pub(super) fn head(finding: &Finding) -> String {
    let message = lines(&finding.message);
    format!("{}{NOTE}: {message}{NOTE:#}\n", level_and_kind(finding))
}

/// As [`places`], line by line.
pub(super) fn places_of(locations: &[String], sources: &SourceFiles, width: usize) -> Vec<String> {
    let mut out = String::new();
    places(&mut out, locations, sources, width);
    out.lines().map(str::to_owned).collect()
}

/// Where it is, each place with its line of the source, once.
pub(super) fn places(out: &mut String, locations: &[String], sources: &SourceFiles, width: usize) {
    let mut shown = Vec::new();
    for (n, location) in locations.iter().enumerate() {
        let arrow = if n == 0 { "-->" } else { ":::" };
        let _ = writeln!(out, " {ARROW}{arrow}{ARROW:#} {location}");
        let file = location.split(':').next().unwrap_or_default();
        let Some((number, line)) = sources.line(location) else {
            continue;
        };
        if shown.contains(&(file, number)) {
            continue;
        }
        shown.push((file, number));
        let line: String = line.chars().take(width.saturating_sub(10)).collect();
        let _ = writeln!(out, "{ARROW}{number:>5} |{ARROW:#} {}", visible(&line));
    }
}

/// The test of a finding as code: what comes before the threads, and a line for each of them.
pub(super) fn test_of(finding: &Finding) -> (Vec<String>, Vec<String>) {
    let name = match &finding.own_test {
        Some(test) => format!("// test {test}"),
        None => format!("// {}, {} threads", finding.subject, finding.threads.len()),
    };
    let objects = std::iter::once(&name).chain(&finding.prefix);
    let threads = finding.threads.iter().enumerate().map(|(n, calls)| {
        let calls = calls.join("; ");
        format!("thread {}: {};", n + 1, calls.trim_end_matches(';'))
    });
    (
        objects.map(|it| bar_line(it)).collect(),
        threads.map(|it| bar_line(&it)).collect(),
    )
}

pub(super) fn bar(out: &mut String, text: &str) {
    let _ = writeln!(out, "{}", bar_line(text));
}

pub(super) fn bar_line(text: &str) -> String {
    let line = format!("  {ARROW}|{ARROW:#} {text}");
    line.trim_end().to_owned()
}

pub(super) fn note(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "{}", note_line(label, text));
}

pub(super) fn note_line(label: &str, text: &str) -> String {
    let text = lines(text);
    format!("  {ARROW}={ARROW:#} {NOTE}{label}{NOTE:#}: {text}")
}

/// Text of several lines, each further one behind a bar: no line of it can be taken for a line of the report.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\n') {
        Cow::Owned(text.replace('\n', "\n  | "))
    } else {
        Cow::Borrowed(text)
    }
}
