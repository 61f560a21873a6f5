//! Findings on the pages of GitHub Actions: an annotation at the line of each, and a summary of the step.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anstream::adapter::strip_str;
use contest_data::finding::{Finding, Level};

use super::human;
use super::own_place::first_own_place;
use super::run_summary::RunSummary;
use super::source_files::{SourceFile, SourceFiles};
use super::turning_points::places_of;
use super::visible::visible;
use crate::options::GithubRun;
use contest_build::workspace::scratch_dir::WriteError;

/// Width of tables in the summary.
const WIDTH: usize = 120;

/// Most bytes of a summary that GitHub takes for a step are 1 MiB; findings beyond this are counted.
const MOST: usize = 900 << 10;

/// `::error file=…,line=…,col=…,title=…::…`, at the first location that is a file of the checkout.
#[must_use]
pub fn annotation(run: &GithubRun, finding: &Finding, sources: &SourceFiles) -> String {
    let workspace = run.workspace.as_ref().and_then(|it| it.canonicalize().ok());
    let workspace = workspace.as_deref();
    let in_checkout = |file: &SourceFile| workspace.is_some_and(|it| file.path.starts_with(it));
    let place = first_own_place(finding, sources, in_checkout).and_then(|place| {
        let file = place.file.path.strip_prefix(workspace?).ok()?;
        let mut text = format!(
            "file={},line={}",
            property(&file.to_string_lossy()),
            place.line
        );
        if place.column > 0 {
            let _ = write!(text, ",col={}", place.column);
        }
        Some(text)
    });
    let mut message = finding.message.clone();
    for line in &finding.details {
        message.push('\n');
        message.push_str(line);
    }
    let title = property(&format!("{}: {}", finding.kind, finding.subject));
    let separator = if place.is_some() { "," } else { "" };
    format!(
        "::{} {}{separator}title={title}::{}\n",
        finding.level.name(),
        place.unwrap_or_default(),
        data(&message)
    )
}

/// Text in which the runner sees no command: it takes those at the beginning of a line, after blanks, and its older
/// form anywhere.
#[must_use]
pub fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    if !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let bar = if line.trim_start().starts_with("::") {
            "| "
        } else {
            ""
        };
        format!("{bar}{}", line.replace("##[", "## ["))
    });
    Cow::Owned(lines.collect())
}

/// Escapes as in actions/toolkit, `escapeData`.
fn data(text: &str) -> String {
    visible(&text.replace('%', "%25").replace('\r', "%0D")).replace('\n', "%0A")
}

/// Escapes as in actions/toolkit, `escapeProperty`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown: a table of the findings, the report of each folded, the figures of the run.
#[must_use]
pub fn step_summary(
    summary: &RunSummary,
    findings: &[(Finding, Option<String>)],
    replay: &str,
    sources: &SourceFiles,
) -> String {
    let mut out = format!("## cargo contest: {}\n\n", cell(&summary.package));
    let ending = human::Ending {
        list: "cargo contest list",
        test: "cargo contest test",
        alone_shown: usize::MAX,
        verbose: false,
    };
    let figures = strip_str(&human::summary(summary, &ending)).to_string();
    if !findings.is_empty() {
        out.push_str("| finding | what | where |\n|---|---|---|\n");
    }
    for (finding, _) in findings {
        let places = places_of(finding);
        let place = places.first().map_or("", String::as_str);
        let row = format!(
            "| `{}`{} | {} | {} |\n",
            finding.kind,
            match finding.level {
                Level::Error => "",
                Level::Warning => " (warning)",
            },
            cell(&finding.message),
            cell(place)
        );
        out.push_str(&row);
    }
    out.push('\n');
    let mut left_out = 0;
    for (finding, emitted) in findings {
        let text = human::finding(finding, emitted.as_deref(), replay, WIDTH, sources);
        let part = format!(
            "<details><summary>{}: {}</summary>\n\n{}\n</details>\n\n",
            finding.kind,
            cell(&finding.message),
            fenced(&strip_str(&text).to_string())
        );
        if out.len() + part.len() + figures.len() > MOST {
            left_out += 1;
        } else {
            out.push_str(&part);
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "The reports of {left_out} findings do not fit here.\n");
    }
    out.push_str(&fenced(&figures));
    out
}

/// Text in a cell of a table: nothing in it is Markdown or HTML.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for character in visible(text).chars() {
        match character {
            '\n' | '\t' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '@' | ':' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}

/// A block of code whose fence is longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Adds to the file, which other steps' summaries may be in.
///
/// # Errors
/// If it cannot be written.
pub fn add_to_step_summary(path: &Path, text: &str) -> Result<(), WriteError> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| WriteError::new(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn an_annotation_is_one_line_at_a_file_of_the_checkout() {
        let scratch = tempfile::tempdir().unwrap();
        let package = scratch.path().join("crates/bank");
        std::fs::create_dir_all(package.join("src")).unwrap();
        std::fs::write(package.join("src/lib.rs"), "\n".repeat(11)).unwrap();
        let run = GithubRun {
            workspace: Some(scratch.path().to_owned()),
            step_summary: None,
        };
        let mut finding = deadlock();
        finding.message = "50 % of\n::error::x, y".to_owned();
        finding.details.clear();
        let text = annotation(&run, &finding, &SourceFiles::new(&[&package], None));
        assert_eq!(
            text,
            "::error file=crates/bank/src/lib.rs,line=11,col=28,title=deadlock%3A bank%3A%3AAccounts\
             ::50 %25 of%0A::error::x, y\n"
        );
        let text = annotation(&run, &finding, &SourceFiles::default());
        assert!(text.starts_with("::error title=deadlock"), "{text}");
    }

    #[test]
    fn text_of_a_crate_is_no_command_to_the_runner() {
        assert_eq!(without_commands("a ::b\n"), "a ::b\n");
        assert_eq!(
            without_commands("a\n  ::error::x\n##[error]y\n"),
            "a\n|   ::error::x\n## [error]y\n"
        );
    }

    /// What Markdown reads as text: all but blocks of code.
    fn outside_of_fences(text: &str) -> String {
        let mut fence: Option<String> = None;
        let mut out = String::new();
        for line in text.lines() {
            let ticks: String = line.chars().take_while(|it| *it == '`').collect();
            match &fence {
                Some(open) if ticks.len() >= open.len() && line.trim() == ticks => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => out.push_str(&format!("{line}\n")),
            }
        }
        out
    }

    #[test]
    fn a_summary_is_no_markup_of_the_crate_and_is_cut_with_a_count() {
        let mut finding = deadlock();
        finding.message = "<img src=x> | [a](b) ```".to_owned();
        finding.details = vec!["x".repeat(2_000)];
        let summary = RunSummary::default();
        let text = step_summary(
            &summary,
            &[(finding.clone(), None)],
            "cargo contest replay",
            &SourceFiles::default(),
        );
        assert!(!outside_of_fences(&text).contains("<img"), "{text}");
        assert!(
            text.contains("&lt;img src=x&gt; &#124; &#91;a&#93;(b)"),
            "{text}"
        );
        let many = vec![(finding, None); 1_000];
        let text = step_summary(
            &summary,
            &many,
            "cargo contest replay",
            &SourceFiles::default(),
        );
        assert!(text.len() < 1 << 20 && text.contains("findings do not fit here"));
    }
}
