//! Readable text. Findings look like rustc's diagnostics; the summary states exactly what was explored, and never that
//! there are no bugs.

use std::borrow::Cow;
use std::fmt::Write as _;

use contest_data::circumstances::under;
use contest_data::failure_text::INTERLEAVING;
use contest_data::finding::{Finding, InterleavingStep};
use contest_data::own_tests::{OwnResult, OwnVerdict};
use contest_data::protocol::Replayed;
use contest_data::scenario::ScenarioReport;
use contest_data::totals::Alone;

use super::by_lines::by_lines;
use super::figures::{count, counted, milliseconds};
use super::folded::{folded, shortened};
use super::source_files::SourceFiles;
use super::styles::{ERROR, NOTE, WARNING, level_and_kind};
use super::trace_table::{calls_table, interleaving_table};
use super::turning_points::TurningPoints;
use super::visible::{finding_as_seen, steps_as_seen, visible};
use contest_catalog::skipped::Skipped;
use parts::{bar, head, note, places, test_of};

pub use brief::brief;
pub use explanation::{explanation, kind};
pub(super) use summary::verdict;
pub use summary::{Ending, result, summary};

mod because;
mod brief;
mod causes;
mod explanation;
mod parts;
mod statistics;
mod summary;

/// What is said where only lines of the package are shown.
const BY_LINES: &str = ", by lines of the package; -v shows every step";

/// An interleaving of a test of the package with more rows than this is shown by lines of the package.
const MOST_ROWS: usize = 60;

/// A finding with longer calls is not named by them, in bytes.
const MOST_OF_CALLS: usize = 72;

/// A bug, with all that is known of it. `replay` is the command that replays it, without the token. The lines of its
/// locations are shown where `sources` has them.
#[must_use]
pub fn finding(
    finding: &Finding,
    emitted: Option<&str>,
    replay: &str,
    width: usize,
    sources: &SourceFiles,
) -> String {
    let finding = &*finding_as_seen(finding);
    let mut out = head(finding);
    let points = TurningPoints::of(finding);
    places(&mut out, &points.and_places_of(finding), sources, width);
    let table = (INTERLEAVING, &*finding.interleaving);
    body(&mut out, finding, &points, table, width);
    note(
        &mut out,
        "note",
        &format!(
            "found after {} executions of this test, {} of exploration",
            count(finding.executions),
            milliseconds(finding.elapsed_ms)
        ),
    );
    if let Some(path) = emitted {
        note(&mut out, "note", &format!("a test of it is in {path}"));
    }
    note(
        &mut out,
        "help",
        &format!("replay it with `{replay} {}`", finding.schedule),
    );
    out
}

/// The interleaving of a finding, in at most so many lines: steps in dependencies are folded, and what does not fit is
/// counted. A test of the package for which that is too much is shown by lines of the package. Empty if there is none.
#[must_use]
pub fn interleaving(finding: &Finding, width: usize, most: usize, sources: &SourceFiles) -> String {
    let finding = &*finding_as_seen(finding);
    if finding.interleaving.is_empty() {
        return String::new();
    }
    let draw = |steps: &[InterleavingStep]| interleaving_table(steps, &finding.threads, width);
    let is_long = || draw(&folded(&finding.interleaving)).lines().count() > most;
    let lines = (finding.own_test.is_some() && is_long())
        .then(|| by_lines(&finding.interleaving, sources))
        .flatten();
    match lines {
        Some(lines) => {
            let table = shortened(&lines, most, &draw);
            format!("\n{INTERLEAVING}{BY_LINES}:\n{table}")
        }
        None => {
            let table = shortened(&finding.interleaving, most, &draw);
            format!("\n{INTERLEAVING}:\n{table}")
        }
    }
}

/// The text of a finding with a note behind its first line, if it is known.
#[must_use]
pub fn with_known(text: &str, known: Option<&str>) -> String {
    match (known, text.split_once('\n')) {
        (Some(known), Some((first, rest))) => {
            let mut out = format!("{first}\n");
            note(&mut out, "known", known);
            out.push_str(rest);
            out
        }
        _ => text.to_owned(),
    }
}

/// A bug whose cause, by its number, was shown with an earlier one: only what differs. The text before and after the
/// words for that finding.
#[must_use]
pub fn another_way(finding: &Finding, cause: usize, replay: &str) -> [String; 2] {
    let mut out = String::new();
    let finding = &*finding_as_seen(finding);
    let message = finding.message.lines().next().unwrap_or_default();
    let _ = writeln!(out, "{}{NOTE}: {message}{NOTE:#}", level_and_kind(finding));
    calls(&mut out, finding);
    let _ = write!(
        out,
        "  = {NOTE}note{NOTE:#}: another way to cause {cause}, which "
    );
    let mut rest = " above shows; -v shows it whole\n".to_owned();
    note(
        &mut rest,
        "help",
        &format!("replay it with `{replay} {}`", finding.schedule),
    );
    rest.push('\n');
    [out, rest]
}

/// The words for a finding by which another one of its cause names it.
#[must_use]
pub fn shown_as(finding: &Finding) -> String {
    if let Some(test) = &finding.own_test {
        return format!("a finding in `{}`", visible(test));
    }
    let threads: Vec<String> = finding.threads.iter().map(|it| it.join("; ")).collect();
    let calls = threads.join(" | ");
    match calls.len() {
        1..=MOST_OF_CALLS => format!("`{}`", visible(&calls)),
        _ => "a finding".to_owned(),
    }
}

/// Everything about a finding below its places and above its notes.
fn body(
    out: &mut String,
    finding: &Finding,
    points: &TurningPoints,
    (header, steps): (&str, &[InterleavingStep]),
    width: usize,
) {
    bar(out, "");
    calls(out, finding);
    bar(out, "");
    for line in finding.details.iter().chain(&points.notes) {
        note(out, "note", line);
    }
    if !finding.threads.is_empty() {
        let _ = write!(out, "\n{}\n", calls_table(finding, width));
    }
    if !steps.is_empty() {
        let _ = write!(
            out,
            "{header}:\n{}\n",
            interleaving_table(steps, &finding.threads, width)
        );
    }
}

/// The rows that are shown of an interleaving.
fn rows(steps: &[InterleavingStep], whole: bool) -> Cow<'_, [InterleavingStep]> {
    if whole {
        Cow::Borrowed(steps)
    } else {
        Cow::Owned(folded(steps))
    }
}

/// The test of a finding as code.
fn calls(out: &mut String, finding: &Finding) {
    let (objects, threads) = test_of(finding);
    for line in objects.iter().chain(&threads) {
        let _ = writeln!(out, "{line}");
    }
}

/// A schedule that was run again. If not `whole`, steps in dependencies are folded.
#[must_use]
pub fn replayed(replayed: &Replayed, width: usize, whole: bool, sources: &SourceFiles) -> String {
    let mut out = String::new();
    let interleaving = steps_as_seen(&replayed.interleaving);
    let own_test = replayed
        .finding
        .as_ref()
        .is_some_and(|it| it.own_test.is_some());
    let lines = (own_test && !whole && folded(&interleaving).len() > MOST_ROWS)
        .then(|| by_lines(&interleaving, sources))
        .flatten();
    let header = match lines {
        Some(_) => format!("{INTERLEAVING}{BY_LINES}"),
        None => INTERLEAVING.to_owned(),
    };
    let interleaving = lines.map_or_else(|| rows(&interleaving, whole), Cow::Owned);
    match &replayed.finding {
        Some(finding) => {
            let finding = &*finding_as_seen(finding);
            out.push_str(&head(finding));
            let points = TurningPoints::of(finding);
            places(&mut out, &points.and_places_of(finding), sources, width);
            body(&mut out, finding, &points, (&header, &interleaving), width);
            if let Some(diverged) = &replayed.diverged {
                note(
                    &mut out,
                    "warning",
                    &format!("the code no longer does what the token recorded: {diverged}"),
                );
            }
        }
        None => {
            let _ = writeln!(
                out,
                "{NOTE}the bug did not show again{NOTE:#}: {}",
                replayed.ending
            );
            if let Some(diverged) = &replayed.diverged {
                note(
                    &mut out,
                    "warning",
                    &format!(
                        "the code no longer does what the token recorded: {diverged}; this says nothing about other interleavings"
                    ),
                );
            }
            if !replayed.interleaving.is_empty() {
                let _ = write!(
                    out,
                    "\nThe interleaving:\n{}",
                    interleaving_table(&interleaving, &[], width)
                );
            }
        }
    }
    out
}

/// A schedule that ended the process under test when it was run again.
#[must_use]
pub fn replay_died(what: &str) -> String {
    format!("{ERROR}error[abort]{ERROR:#}{NOTE}: {what}{NOTE:#}\n")
}

/// All outcomes of a scenario, the most frequent first.
#[must_use]
pub fn scenario(lanes: &[Vec<String>], report: &ScenarioReport) -> String {
    let mut out = String::new();
    let mut outcomes: Vec<_> = report.outcomes.iter().collect();
    outcomes.sort_by_key(|it| (!it.is_bug, std::cmp::Reverse(it.executions)));
    for outcome in outcomes {
        let style = if outcome.is_bug { ERROR } else { NOTE };
        let _ = writeln!(
            out,
            "{style}{}{style:#} in {}",
            outcome.judgement,
            counted(outcome.executions, "execution")
        );
        for (number, (calls, results)) in lanes.iter().zip(&outcome.results).enumerate() {
            let calls = calls.iter().zip(results);
            let calls: Vec<String> = calls
                .map(|(call, result)| format!("{call} = {}", visible(result)))
                .collect();
            let _ = writeln!(out, "    thread {}: {}", number + 1, calls.join("; "));
        }
    }
    let explored = match (report.complete, report.why.as_str()) {
        (true, _) => format!(
            "every interleaving that can make a difference{}{}",
            under_sc(report.only_sc),
            under(report.draws, report.read_clock)
        ),
        (false, "") => "not every interleaving".to_owned(),
        (false, why) => format!("not every interleaving: {}", visible(why)),
    };
    let _ = writeln!(
        out,
        "\n{} in {}, {explored}",
        counted(report.outcomes.len() as u64, "outcome"),
        counted(report.executions, "execution"),
    );
    out
}

/// A test of the crate that was explored, as libtest shows it, with what was explored of it.
#[must_use]
pub fn own_test(result: &OwnResult, verbose: bool) -> String {
    let (name, why) = (&result.name, visible(&result.why));
    let executions = counted(result.executions, "execution");
    let end = match result.verdict {
        OwnVerdict::Ok if is_only(result) && !verbose => "ok".to_owned(),
        OwnVerdict::Ok if result.complete => {
            format!(
                "ok ({executions}, every interleaving{}{}{}{}{})",
                under_sc(result.weak.as_ref().is_some_and(|it| !it.complete)),
                under(result.draws, false),
                under_rc11(result),
                with_delays(result),
                allowed(result)
            )
        }
        OwnVerdict::Ok => {
            format!(
                "ok ({executions}; {why}{}{}{})",
                under_rc11(result),
                with_delays(result),
                allowed(result)
            )
        }
        OwnVerdict::Failed => format!("FAILED: {why}"),
        OwnVerdict::FailsSometimes if verbose && !result.sound.is_empty() => {
            format!(
                "FAILED, sometimes (see above)\n  explored and sound: {}",
                visible(&result.sound.join("; "))
            )
        }
        OwnVerdict::FailsSometimes => "FAILED, sometimes (see above)".to_owned(),
        OwnVerdict::Ignored if why.is_empty() => "ignored".to_owned(),
        OwnVerdict::Ignored => format!("ignored, {why}"),
        OwnVerdict::NotRun => format!("not run: {why}"),
    };
    format!("test {name} ... {end}\n")
}

/// That a test which looks at the time passes although threads are late, as a part of a remark.
fn with_delays(result: &OwnResult) -> String {
    match result.delays {
        0 => String::new(),
        1 => "; it passes where a thread is late, at one place".to_owned(),
        many => format!(
            "; it passes where a thread is late, at each of {} places",
            count(many)
        ),
    }
}

/// True if one thread did all that the test can do, and nothing failed.
fn is_only(result: &OwnResult) -> bool {
    result.complete && result.threads <= 1 && result.draws == 0 && result.allowed.is_empty()
}

/// What failed and is not reported, as the end of a remark.
fn allowed(result: &OwnResult) -> String {
    let names: Vec<String> = result.allowed.iter().map(ToString::to_string).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; it fails, which is allowed: {}", names.join(", ")),
    }
}

/// The memory model of what was explored, as a part of a remark; nothing where another one shows no more.
fn under_sc(only: bool) -> &'static str {
    match only {
        true => " under sequential consistency",
        false => "",
    }
}

/// What was explored under RC11, as the end of a remark.
fn under_rc11(result: &OwnResult) -> String {
    match &result.weak {
        None => String::new(),
        Some(weak) if weak.complete => ", also under RC11".to_owned(),
        Some(weak) if weak.executions == 0 => {
            format!("; not explored under RC11: {}", visible(&weak.why))
        }
        Some(weak) => format!(
            "; {} of them under RC11, not every execution graph: {}",
            count(weak.executions),
            visible(&weak.why)
        ),
    }
}

/// A failure that needs no concurrency.
#[must_use]
pub fn alone(alone: &Alone) -> String {
    let mut out = String::new();
    let calls: Vec<&str> = alone
        .calls
        .iter()
        .map(|call| call.trim_end_matches(';'))
        .collect();
    let _ = writeln!(
        out,
        "{WARNING}note[alone]{WARNING:#}: {} with no other call beside it, so it is no concurrency finding: {}",
        alone.what, alone.subject
    );
    bar(&mut out, &format!("{};", calls.join("; ")));
    note(&mut out, "note", &visible(&alone.detail));
    out
}

/// Something the user should know.
#[must_use]
pub fn warning(text: &str) -> String {
    format!("{WARNING}warning{WARNING:#}: {text}\n")
}

/// Why the command failed.
#[must_use]
pub fn error(text: &str) -> String {
    format!("{ERROR}error{ERROR:#}: {text}\n")
}

/// The package that what follows is about, in a run over several.
#[must_use]
pub fn member(package: &str) -> String {
    format!("{NOTE}{package}{NOTE:#}\n")
}

/// A type in a list.
#[must_use]
pub fn listed_subject(
    name: &str,
    declared: &str,
    constructors: &[String],
    operations: &[String],
    left_out: &[Skipped],
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{NOTE}{name}{NOTE:#}  {declared}");
    for text in constructors {
        let _ = writeln!(out, "    made by  {text}");
    }
    for text in operations {
        let _ = writeln!(out, "    call     {text}");
    }
    for Skipped { item, why } in left_out {
        let _ = writeln!(out, "    left out {item}: {why}");
    }
    out
}

/// Something left out that belongs to no listed type.
#[must_use]
pub fn left_out(skipped: &Skipped) -> String {
    format!("left out {}: {}\n", skipped.item, skipped.why)
}

#[cfg(test)]
mod tests;
