//! Names of tests that are known to be flaky: one a line, or those of a JUnit report that failed and passed.

use std::fs;
use std::path::Path;

use super::failure::Failure;
use crate::cli::exit_code::ExitCode;

/// Elements of a test case that did not pass at once, as cargo-nextest writes them.
const NOT_AT_ONCE: [&str; 6] = [
    "<flakyFailure",
    "<flakyError",
    "<rerunFailure",
    "<rerunError",
    "<failure",
    "<error",
];

/// The names in a file.
///
/// # Errors
/// If the file cannot be read, or names no test.
pub(super) fn read(path: &Path) -> Result<Vec<String>, Failure> {
    let fails = |why: String| Failure::new(ExitCode::Usage, format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| fails(error.to_string()))?;
    let names = match text.trim_start().starts_with('<') {
        true => of_junit(&text),
        false => of_lines(&text),
    };
    match names.is_empty() {
        true => Err(fails("no flaky test is named there".to_owned())),
        false => Ok(names),
    }
}

/// The last word of each line: cargo-nextest writes the executable before it.
fn of_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let named = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut names: Vec<String> = Vec::new();
    for name in named.filter_map(|line| line.split_whitespace().last()) {
        if !names.iter().any(|it| it == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Test cases that did not pass at once.
fn of_junit(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for case in text.split("<testcase").skip(1) {
        let inside = case.split("</testcase>").next().unwrap_or_default();
        let (tag, rest) = inside.split_once('>').unwrap_or((inside, ""));
        if tag.ends_with('/') || !NOT_AT_ONCE.iter().any(|it| rest.contains(it)) {
            continue;
        }
        let name = attribute(tag, "name");
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}

/// An attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut from = tag;
    loop {
        let at = from.find(name)?;
        let (before, after) = (&from[..at], &from[at + name.len()..]);
        if before.ends_with(char::is_whitespace)
            && let Some(value) = after.trim_start().strip_prefix('=')
        {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
            return Some(unescaped(value[1..].split(quote).next()?));
        }
        from = after;
    }
}

fn unescaped(text: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    let replaced =
        |text: String, (entity, character): &(&str, &str)| text.replace(entity, character);
    entities.iter().fold(text.to_owned(), replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_on_lines() {
        let text = "# known\n\na::b\n  crate::bin/x  c::d\na::b\n";
        assert_eq!(of_lines(text), ["a::b", "c::d"]);
    }

    #[test]
    fn a_report_names_what_did_not_pass_at_once() {
        let text = r#"<?xml version="1.0"?>
<testsuites name="run"><testsuite name="crate">
  <testcase name="passes" classname="crate" time="0.1"/>
  <testcase classname="crate" name="is::flaky&lt;T&gt;" time="0.1">
    <flakyFailure message="left"><system-out>x</system-out></flakyFailure>
  </testcase>
  <testcase name='fails' classname="crate"><failure type="panic">x</failure></testcase>
  <testcase name="prints" classname="crate"><system-out>failure</system-out></testcase>
</testsuite></testsuites>"#;
        assert_eq!(of_junit(text), ["is::flaky<T>", "fails"]);
    }
}
