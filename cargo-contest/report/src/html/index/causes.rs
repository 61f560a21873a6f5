//! Findings by cause, those first that are most definite; ways to the same cause are folded below the first.

use contest_data::finding::Finding;

use crate::causes::{CauseFinding, FoundCause};
use crate::html::contents::Contents;
use crate::html::finding_page::kind;
use crate::html::markup::{Markup, cause_id};

/// Most findings that are listed under a cause; the number of the others is said.
const MOST_LISTED: usize = 50;
/// Most bytes of the list.
const MOST_BYTES: usize = 200 << 10;
/// Most characters of a text in the list: a page says it whole.
const LONGEST: usize = 300;

pub(super) fn causes(out: &mut Markup, contents: &Contents<'_>) {
    let all = contents.summary.causes.most_definite_first();
    if all.is_empty() {
        return;
    }
    out.open("section", &[("class", "causes")]).element(
        "h2",
        &[("id", "findings")],
        "Findings, by cause",
    );
    let begin = out.len();
    let mut listed = 0;
    for cause in &all {
        if out.len() - begin > MOST_BYTES {
            break;
        }
        one(out, cause, contents);
        listed += 1;
    }
    let more = all.len() - listed;
    if more > 0 {
        out.element(
            "p",
            &[],
            &format!("{more} further causes are not listed here."),
        );
    }
    out.close();
}

fn one(out: &mut Markup, cause: &FoundCause, contents: &Contents<'_>) {
    let Some(first) = cause.first() else {
        return;
    };
    let found = contents.findings.get(first.place);
    let message = found.map_or("", message);
    let kind = found.map_or_else(|| first.kind.name().to_owned(), |(it, _)| kind(it));
    let id = cause_id(cause.number);
    out.open("article", &[("class", "cause"), ("id", &id)])
        .open("h3", &[])
        .element("span", &[("class", "kind")], &kind)
        .text(" ");
    link(out, first, &shortened(message), contents);
    out.close();
    out.open("p", &[("class", "sub")])
        .element("code", &[], &shortened(&first.subject));
    if let Some(place) = first.locations.first() {
        out.text(" at ").element("code", &[], &shortened(place));
    }
    out.close();
    calls(out, &first.calls);
    let others = cause.others();
    if !others.is_empty() {
        let counts: Vec<String> = others
            .iter()
            .map(|(kind, findings)| format!("{} {kind}", findings.len()))
            .collect();
        out.open("details", &[])
            .element(
                "summary",
                &[],
                &format!("also shows as {}", counts.join(", ")),
            )
            .open("ul", &[]);
        let listed = others.iter().flat_map(|(_, findings)| findings);
        for finding in listed.clone().take(MOST_LISTED) {
            out.open("li", &[])
                .element("span", &[("class", "kind")], finding.kind.name())
                .text(" ");
            let text = if finding.calls.is_empty() {
                &finding.subject
            } else {
                &finding.calls
            };
            link(out, finding, &shortened(text), contents);
            if let Some(place) = finding.locations.first() {
                out.text(" at ").element("code", &[], &shortened(place));
            }
            out.close();
        }
        let more = listed.count().saturating_sub(MOST_LISTED);
        if more > 0 {
            out.element("li", &[], &format!("{more} more"));
        }
        out.close().close();
    }
    out.close();
}

/// To the page of the finding, if it has one.
fn link(out: &mut Markup, finding: &CauseFinding, text: &str, contents: &Contents<'_>) {
    match contents.pages.get(finding.place).and_then(Option::as_deref) {
        Some(page) => out.element("a", &[("href", page)], text),
        None => out.text(text),
    };
}

fn calls(out: &mut Markup, calls: &str) {
    if !calls.is_empty() {
        out.open("p", &[])
            .element("code", &[], &shortened(calls))
            .close();
    }
}

fn message((finding, _): &(Finding, Option<String>)) -> &str {
    finding.message.lines().next().unwrap_or_default()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
