//! The page of one finding: what failed, the interleaving, how to run it again, the source.

use anstream::adapter::strip_str;
use contest_data::finding::{Finding, Level};

use super::lanes::Lanes;
use super::markup::{Markup, cause_id};
use super::page::page;
use super::places::Places;
use super::swimlanes;
use crate::explain;
use crate::figures::{count, counted, milliseconds};
use crate::human;
use crate::source_files::SourceFiles;
use crate::turning_points::TurningPoints;

/// Width of the tables of the text.
const WIDTH: usize = 120;

/// A finding with what a page says about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported<'a> {
    /// The bug.
    pub(super) finding: &'a Finding,
    /// Path of the emitted test.
    pub(super) emitted: Option<&'a str>,
    /// The command that replays it, without the token.
    pub(super) replay: &'a str,
    /// The package, `dashmap 6.1.0`.
    pub(super) package: &'a str,
    /// The number of its cause, and how many other findings show it.
    pub(super) cause: (usize, usize),
}

/// The page.
pub(super) fn write(reported: Reported<'_>, sources: &SourceFiles) -> String {
    let finding = reported.finding;
    let lanes = Lanes::of(finding, sources);
    let mut places = Places::new(sources);
    let mut out = Markup::new();
    heading(&mut out, reported, &mut places);
    out.open("div", &[("class", "about")]);
    test(&mut out, finding);
    let points = TurningPoints::of(finding);
    if !finding.details.is_empty() || !points.notes.is_empty() {
        out.open("section", &[])
            .element("h2", &[("id", "why")], "Why");
        out.open("ul", &[("class", "details")]);
        for line in finding.details.iter().chain(&points.notes) {
            out.element("li", &[], line);
        }
        out.close().close();
    }
    out.close();
    interleaving(&mut out, &lanes, &mut places);
    again(&mut out, reported);
    let mut excerpts = Markup::new();
    places.write_excerpts(&mut excerpts);
    let excerpts_text = excerpts.finish();
    if !excerpts_text.is_empty() {
        out.open("section", &[])
            .element("h2", &[("id", "source")], "The source");
        out.raw(&excerpts_text);
        if places.left_out > 0 {
            let text = format!("{} further places are not shown.", places.left_out);
            out.element("p", &[], &text);
        }
        out.close();
    }
    about(&mut out, finding);
    let title = format!("{}: {}", finding.kind, finding.message);
    let styles = swimlanes::columns(&lanes);
    let above = format!("index.html#{}", cause_id(reported.cause.0));
    page(&title, Some((&above, "All findings")), &styles, out)
}

/// The kind, with what fails no run said so.
pub(super) fn kind(finding: &Finding) -> String {
    match finding.level {
        Level::Error => finding.kind.name().to_owned(),
        Level::Warning => format!("{} (warning)", finding.kind),
    }
}

fn heading(out: &mut Markup, reported: Reported<'_>, places: &mut Places<'_>) {
    let finding = reported.finding;
    out.open("h1", &[]);
    out.element("span", &[("class", "kind")], &kind(finding));
    out.text(" ").text(&finding.message).close();
    out.open("p", &[("class", "sub")]);
    out.element("code", &[], &finding.subject);
    out.text(&format!(
        " in {}, found after {} executions of this test, {} of exploration",
        reported.package,
        count(finding.executions),
        milliseconds(finding.elapsed_ms)
    ));
    out.close();
    let (cause, others) = reported.cause;
    if others > 0 {
        let address = format!("index.html#{}", cause_id(cause));
        let text = format!(
            "{} of the same cause",
            counted(others as u64, "other finding")
        );
        out.open("p", &[("class", "sub")])
            .element("a", &[("href", &address)], &text)
            .close();
    }
    out.open(
        "ul",
        &[
            ("class", "where"),
            ("aria-label", "Places to look at first"),
        ],
    );
    for location in &TurningPoints::of(finding).and_places_of(finding) {
        out.open("li", &[]);
        places.write_line(out, location);
        out.close();
    }
    out.close();
}

fn test(out: &mut Markup, finding: &Finding) {
    out.open("section", &[])
        .element("h2", &[("id", "test")], "The test");
    if !finding.prefix.is_empty() {
        out.element("pre", &[("class", "prefix")], &finding.prefix.join("\n"));
    }
    out.open("div", &[("class", "threads")]);
    for (number, calls) in (1..).zip(&finding.threads) {
        out.open("div", &[]);
        out.element("h3", &[], &format!("thread {number}"));
        out.open("ol", &[]);
        for (call, text) in calls.iter().enumerate() {
            out.open("li", &[]).element("code", &[], text);
            let of_call = |step: &&contest_data::finding::InterleavingStep| {
                step.thread == number && step.call.map(usize::from) == Some(call)
            };
            let result = finding
                .interleaving
                .iter()
                .filter(of_call)
                .find_map(|it| it.result.as_ref());
            if let Some(result) = result {
                let bad = result.starts_with('<') || result.starts_with("panicked");
                out.text(" ");
                out.element(
                    "span",
                    &[("class", if bad { "res bad" } else { "res" })],
                    result,
                );
            }
            out.close();
        }
        out.close().close();
    }
    out.close().close();
}

fn interleaving(out: &mut Markup, lanes: &Lanes<'_>, places: &mut Places<'_>) {
    if lanes.rows.is_empty() {
        return;
    }
    out.open("section", &[("class", "wide")]);
    out.element("h2", &[("id", "interleaving")], "The interleaving");
    swimlanes::legend(out, lanes);
    swimlanes::write(out, lanes, places);
    out.open(
        "div",
        &[("class", "dock"), ("id", "dock"), ("hidden", "hidden")],
    );
    out.open(
        "div",
        &[
            ("class", "controls"),
            ("role", "group"),
            ("aria-label", "Go through the steps"),
        ],
    );
    for (id, text, help) in [
        ("first", "⇤", "First step (Home)"),
        ("back", "◀", "Step back (← or k)"),
        ("next", "▶", "Next step (→ or j)"),
        ("switch", "⇄", "Next switch to another thread (n)"),
        ("all", "All", "All steps (Esc)"),
    ] {
        out.element(
            "button",
            &[
                ("type", "button"),
                ("id", id),
                ("title", help),
                ("aria-label", help),
            ],
            text,
        );
    }
    out.empty(
        "input",
        &[
            ("type", "range"),
            ("id", "slider"),
            ("min", "0"),
            ("max", &lanes.rows.len().to_string()),
            ("value", "0"),
            ("aria-label", "Step"),
        ],
    );
    out.close();
    out.element("p", &[("id", "now"), ("aria-live", "polite")], "");
    out.open(
        "ul",
        &[("id", "threads"), ("aria-label", "Threads after this step")],
    );
    for (_, name) in &lanes.threads {
        out.open("li", &[])
            .element("b", &[], name)
            .text(" ")
            .element("span", &[], "")
            .close();
    }
    out.close();
    out.element("div", &[("id", "peek")], "");
    out.close().close();
}

fn again(out: &mut Markup, reported: Reported<'_>) {
    let finding = reported.finding;
    out.open("section", &[])
        .element("h2", &[("id", "again")], "Run it again");
    if !finding.schedule.is_empty() {
        let command = format!("{} {}", reported.replay, finding.schedule);
        out.open("div", &[("class", "copy")]);
        out.element("pre", &[("id", "command"), ("tabindex", "0")], &command);
        copy(out, "command", "Copy the command");
        out.close();
    }
    if let Some(path) = reported.emitted {
        out.open("p", &[])
            .text("A test of it is in ")
            .element("code", &[], path)
            .text(".")
            .close();
    }
    out.open("details", &[])
        .element("summary", &[], "The report as text");
    let text = human::finding(
        finding,
        reported.emitted,
        reported.replay,
        WIDTH,
        &SourceFiles::default(),
    );
    out.open("div", &[("class", "copy")]);
    out.element(
        "pre",
        &[("id", "text"), ("tabindex", "0")],
        &strip_str(&text).to_string(),
    );
    copy(out, "text", "Copy the text");
    out.close().close().close();
}

fn copy(out: &mut Markup, of: &str, text: &str) {
    out.element(
        "button",
        &[("type", "button"), ("data-copy", of), ("hidden", "hidden")],
        text,
    );
}

fn about(out: &mut Markup, finding: &Finding) {
    let Some(about) = explain::of(finding.kind) else {
        return;
    };
    out.open("section", &[]).element(
        "h2",
        &[("id", "about")],
        &format!("What a {} is", finding.kind.words()),
    );
    out.element("p", &[], about.meaning);
    out.element("h3", &[], "What to do");
    out.open("ul", &[]);
    for line in about.remedies {
        out.element("li", &[], line);
    }
    out.close().close();
}
