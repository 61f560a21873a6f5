//! The rows of a drawing as markup: lists whose items are grids with a column for each thread and one for the source.
//! Readable without the script, which only draws arrows and steps through.

use std::fmt::Write as _;

use contest_data::finding::{LinkKind, StepEffect};

use super::lanes::{LaneRow, Lanes};
use super::markup::Markup;
use super::places::Places;
use crate::source_files::Owner;

/// Locks with a colour of their own; further ones share these.
const COLOURS: usize = 8;

/// More rows than this are many.
const MANY: usize = 300;

/// Rows that a browser lays out, or leaves alone, together. Thousands of pieces are slow by themselves.
const CHUNK: usize = 40;

/// The whole drawing.
pub(super) fn write(out: &mut Markup, lanes: &Lanes<'_>, places: &mut Places<'_>) {
    // The browser lays out rows on the screen only, if there are many.
    let class = if lanes.rows.len() > MANY {
        "lanes long"
    } else {
        "lanes"
    };
    out.open("div", &[("class", class), ("id", "lanes")]);
    out.open("div", &[("class", "head row"), ("aria-hidden", "true")]);
    for (at, (_, name)) in lanes.threads.iter().enumerate() {
        let class = format!("cell c{at}");
        out.element("span", &[("class", &class)], name);
    }
    out.element("span", &[("class", "src")], "source");
    out.close();
    out.open(
        "div",
        &[
            ("class", "steps"),
            ("id", "steps"),
            ("role", "group"),
            ("aria-label", "Steps of the interleaving"),
        ],
    );
    let mut at = 0;
    while at < lanes.rows.len() {
        out.open("ol", &[("start", &(at + 1).to_string())]);
        let end = at + CHUNK;
        while at < end.min(lanes.rows.len()) {
            let length = lanes.folded(at);
            if length > 1 {
                folded(out, lanes, places, at, length);
            } else {
                row(out, lanes, places, at);
            }
            at += length;
        }
        out.close();
    }
    out.close();
    out.close();
}

/// CSS that depends on how many lanes there are.
pub(super) fn columns(lanes: &Lanes<'_>) -> String {
    let mut css = format!(":root{{--lanes:{}}}", lanes.threads.len());
    for at in 0..lanes.threads.len() {
        let _ = write!(css, ".c{at}{{grid-column:{}}}", at + 2);
    }
    css
}

/// Which colour stands for which lock, and which arrows there are.
pub(super) fn legend(out: &mut Markup, lanes: &Lanes<'_>) {
    let mut kinds: Vec<LinkKind> = lanes
        .rows
        .iter()
        .flat_map(|row| row.links.iter().map(|link| link.0))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() && lanes.locks.is_empty() {
        return;
    }
    out.open("ul", &[("class", "legend"), ("aria-label", "Legend")]);
    for (at, lock) in lanes.locks.iter().enumerate() {
        out.open("li", &[]);
        out.empty("i", &[("class", &format!("key k{}", at % COLOURS))]);
        out.text(lock).text(" held").close();
    }
    for kind in kinds {
        let name = link_class(kind);
        out.open("li", &[]).open("label", &[]);
        out.empty(
            "input",
            &[
                ("type", "checkbox"),
                ("checked", "checked"),
                ("data-kind", name),
            ],
        );
        out.empty("i", &[("class", &format!("key a-{name}"))]);
        out.text(link_legend(kind)).close().close();
    }
    out.close();
}

fn folded(out: &mut Markup, lanes: &Lanes<'_>, places: &mut Places<'_>, at: usize, length: usize) {
    let first = &lanes.rows[at];
    let code = match &first.owner {
        Owner::Dependency(name) if !name.is_empty() => name.as_str(),
        Owner::Standard => "the standard library",
        _ => "a dependency",
    };
    out.open("li", &[("class", "fold")]).open("details", &[]);
    out.open("summary", &[("class", "row")]);
    states(out, first);
    out.open("span", &[("class", &format!("cell c{}", first.lane))]);
    out.text(&format!("{length} steps in {code}"))
        .close()
        .close();
    out.open("ol", &[]);
    for at in at..at + length {
        row(out, lanes, places, at);
    }
    out.close().close().close();
}

fn row(out: &mut Markup, lanes: &Lanes<'_>, places: &mut Places<'_>, at: usize) {
    let row = &lanes.rows[at];
    let step = row.step;
    let effect = step.facts.as_ref().map(|facts| facts.effect);
    let mut class = format!("row step e-{}", effect_class(effect));
    for (set, name) in [
        (row.is_call, " call"),
        (row.switched, " switched"),
        (
            !matches!(row.owner, Owner::Package | Owner::Unknown),
            " dep",
        ),
    ] {
        if set {
            class.push_str(name);
        }
    }
    let call = step.call.map_or_else(String::new, |call| call.to_string());
    let links: Vec<String> = row
        .links
        .iter()
        .map(|(kind, to)| format!("{}:{}", link_class(*kind), to + 1))
        .collect();
    let held: Vec<String> = row.holds.iter().map(usize::to_string).collect();
    out.open(
        "li",
        &[
            ("class", &class),
            ("id", &format!("s{}", at + 1)),
            ("data-t", &row.lane.to_string()),
            ("data-c", &call),
            ("data-l", &links.join(" ")),
            ("data-h", &held.join(" ")),
        ],
    );
    out.open("a", &[("class", "no"), ("href", &format!("#s{}", at + 1))]);
    out.text(&(at + 1).to_string()).close();
    states(out, row);
    out.open("div", &[("class", &format!("cell c{}", row.lane))]);
    out.element(
        "span",
        &[("class", "sr")],
        &format!("{}: ", lanes.threads[row.lane].1),
    );
    if let Some(call) = row.opens {
        out.element("span", &[("class", "opens")], call);
    }
    out.element("span", &[("class", "ev")], &step.event);
    for (kind, to) in &row.links {
        let name = format!("chip a-{}", link_class(*kind));
        out.open("a", &[("class", &name), ("href", &format!("#s{}", to + 1))]);
        out.text(&format!("{} {}", link_text(*kind), to + 1))
            .close();
    }
    if let Some(result) = &step.result {
        let bad = result.starts_with('<') || result.starts_with("panicked");
        out.element(
            "span",
            &[("class", if bad { "res bad" } else { "res" })],
            result,
        );
    }
    out.close();
    // A number of rounds has no place of its own.
    if !step.location.is_empty() && !step.event.starts_with('…') {
        places.write_line(out, &step.location);
    }
    out.close();
}

/// What each thread is in, holds and waits for: bars behind the row.
fn states(out: &mut Markup, row: &LaneRow<'_>) {
    for (lane, state) in row.states.iter().enumerate() {
        let waits = state.waits;
        if state.call.is_none() && state.holds.is_empty() && !waits {
            continue;
        }
        let mut class = format!("in c{lane}");
        if state.call.is_none() {
            class.push_str(" idle");
        }
        if waits {
            class.push_str(" waits");
        }
        out.open("span", &[("class", &class), ("aria-hidden", "true")]);
        for lock in &state.holds {
            out.empty("i", &[("class", &format!("k{}", lock % COLOURS))]);
        }
        out.close();
    }
}

fn effect_class(effect: Option<StepEffect>) -> &'static str {
    match effect {
        None | Some(StepEffect::Other) => "other",
        Some(StepEffect::Reads) => "reads",
        Some(StepEffect::Writes) => "writes",
        Some(StepEffect::Updates) => "updates",
        Some(StepEffect::Locks) => "locks",
        Some(StepEffect::Unlocks) => "unlocks",
        Some(StepEffect::Waits) => "waits",
        Some(StepEffect::Blocked) => "blocked",
        Some(StepEffect::Wakes) => "wakes",
        Some(StepEffect::Faults) => "faults",
    }
}

fn link_class(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::ReadsFrom => "rf",
        LinkKind::PassedOver => "fault",
        LinkKind::Unlocked => "hb",
        LinkKind::Woken => "wake",
        LinkKind::Message => "msg",
        LinkKind::WaitsFor => "wait",
        LinkKind::Conflict => "fault",
    }
}

/// Before the number of the earlier step.
fn link_text(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::ReadsFrom => "reads from",
        LinkKind::PassedOver => "passes over",
        LinkKind::Unlocked => "after the unlock in",
        LinkKind::Woken => "woken by",
        LinkKind::Message => "message of",
        LinkKind::WaitsFor => "waits for the lock taken in",
        LinkKind::Conflict => "fault with",
    }
}

fn link_legend(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::ReadsFrom => "reads from",
        LinkKind::PassedOver => "passes over a newer value",
        LinkKind::Unlocked => "unlock happens before lock",
        LinkKind::Woken => "wakes",
        LinkKind::Message => "message",
        LinkKind::WaitsFor => "waits for what the other holds",
        LinkKind::Conflict => "the two parts of the fault",
    }
}
