//! What `orderings` says of a type: readable text, a JSON line.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use contest_data::finding::Finding;
use contest_data::orderings::{AtomicPlace, AtomicRole, OrderingChange};
use serde_json::{Value, json};

use super::figures::{count, counted};
use super::short_locations::ShortLocations;
use super::visible::visible;
use contest_catalog::ordering_advice::{Relaxations, Repair, Repairs};

const NAME: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const FAINT: Style = Style::new().dimmed();

/// What follows from the tests, which callers may not rely on.
const CAVEAT: &str = "shown for these tests and no others; whether callers rely on these operations to order accesses to data \
                      of their own was not tested";

/// All tests of the bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Most threads of a test.
    pub threads: u8,
    /// Most calls of a thread.
    pub calls: u8,
    /// Tests of these shapes.
    pub tests: u64,
    /// Of these, tests of which every execution graph was explored.
    pub complete: u64,
    /// Of these, tests that were not run.
    pub left_out: u64,
    /// Executions.
    pub executions: u64,
    /// Why tests were left out, or not judged throughout, with counts.
    pub notes: Vec<(String, u64)>,
}

/// What is to be said of one type.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The type.
    pub subject: String,
    /// Its atomic operations and fences, as far as tests executed them.
    pub places: Vec<AtomicPlace>,
    /// The last exploration of all tests.
    pub explored: Explored,
    /// What stronger orderings remove.
    pub findings: Vec<Finding>,
    /// What they do not.
    pub other_findings: Vec<Finding>,
    /// What the trials showed.
    pub verdict: Verdict,
}

/// What the trials showed.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No test executed an atomic operation of the package.
    NoPlaces,
    /// Orderings are too weak.
    TooWeak(Repairs),
    /// There are findings, and orderings do not remove them.
    OtherCause,
    /// Nothing was found, but not everything was explored: why.
    NotComplete(String),
    /// Nothing was found.
    MayBeWeaker(Relaxations),
}

impl Advice {
    /// Shortens all locations.
    pub fn shorten(&mut self, short: &ShortLocations) {
        for place in &mut self.places {
            place.file = short.text(&place.file);
        }
        for finding in self.findings.iter_mut().chain(&mut self.other_findings) {
            short.finding(finding);
        }
        for (why, _) in &mut self.explored.notes {
            *why = short.text(why);
        }
        match &mut self.verdict {
            Verdict::TooWeak(repairs) => {
                let sets = repairs.sets.iter_mut().chain(&mut repairs.with_fences);
                for change in sets.flat_map(|set| &mut set.changes) {
                    change.place.file = short.text(&change.place.file);
                }
            }
            Verdict::MayBeWeaker(relaxations) => {
                let accepted = relaxations.accepted.iter_mut().map(|it| &mut it.place);
                let others = relaxations.needed.iter_mut();
                for place in accepted.chain(others).chain(&mut relaxations.untried) {
                    place.file = short.text(&place.file);
                }
            }
            Verdict::NotComplete(why) => *why = short.text(why),
            Verdict::NoPlaces | Verdict::OtherCause => {}
        }
    }
}

fn location(place: &AtomicPlace) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn written(place: &AtomicPlace) -> String {
    match place.failure {
        Some(failure) => format!("{}, {failure}", place.order),
        None => place.order.to_string(),
    }
}

fn new_order(change: &OrderingChange) -> String {
    if change.place.role == AtomicRole::Fence
        && change.order == contest_data::orderings::MemoryOrder::Relaxed
    {
        return "none".to_owned();
    }
    match change.failure {
        Some(failure) => format!("{}, {failure}", change.order),
        None => change.order.to_string(),
    }
}

fn change_line(change: &OrderingChange) -> String {
    let place = &change.place;
    match change.fence_before {
        Some(fence) => format!(
            "{}  fence({fence}) before the {}",
            location(place),
            place.name
        ),
        None => format!(
            "{}  {}: {} -> {}",
            location(place),
            place.name,
            written(place),
            new_order(change)
        ),
    }
}

/// Readable text.
#[must_use]
pub fn human(advice: &Advice) -> String {
    let mut out = String::new();
    let explored = &advice.explored;
    let _ = writeln!(
        out,
        "{NAME}{}{NAME:#}  {}",
        advice.subject,
        counted(advice.places.len() as u64, "atomic operation")
    );
    match &advice.verdict {
        Verdict::NoPlaces => {
            let _ = writeln!(
                out,
                "  no test executed an atomic operation or fence of the package"
            );
            return out;
        }
        Verdict::TooWeak(repairs) => too_weak(&mut out, advice, repairs),
        Verdict::OtherCause => {
            let _ = writeln!(
                out,
                "  what is found does not go away with SeqCst everywhere:"
            );
            findings(&mut out, &advice.other_findings);
        }
        Verdict::NotComplete(why) => {
            let _ = writeln!(
                out,
                "  nothing found; not every test was explored whole, so nothing is said about weaker orderings: {}",
                visible(why)
            );
        }
        Verdict::MayBeWeaker(relaxations) => may_be_weaker(&mut out, relaxations),
    }
    let _ = writeln!(
        out,
        "  {FAINT}explored under RC11: {} of {} of at most {} threads with at most {} each, in {}{FAINT:#}",
        count(explored.complete),
        counted(explored.tests, "test"),
        explored.threads,
        counted(u64::from(explored.calls), "call"),
        counted(explored.executions, "execution"),
    );
    for (why, number) in &explored.notes {
        let _ = writeln!(
            out,
            "  {FAINT}{}: {}{FAINT:#}",
            counted(*number, "test"),
            visible(why)
        );
    }
    if matches!(advice.verdict, Verdict::MayBeWeaker(_)) {
        let _ = writeln!(out, "  {FAINT}{CAVEAT}{FAINT:#}");
    }
    out
}

fn findings(out: &mut String, findings: &[Finding]) {
    for finding in findings {
        let _ = writeln!(
            out,
            "    {BAD}{}{BAD:#}: {}",
            finding.kind.name(),
            visible(&finding.message)
        );
    }
}

fn too_weak(out: &mut String, advice: &Advice, repairs: &Repairs) {
    let _ = writeln!(out, "  too weak:");
    findings(out, &advice.findings);
    if !advice.other_findings.is_empty() {
        let _ = writeln!(out, "  found, too, and not removed by SeqCst everywhere:");
        findings(out, &advice.other_findings);
    }
    let size = |sets: &[Repair]| {
        let first = sets.first();
        counted(first.map_or(0, |set| set.changes.len() as u64), "place")
    };
    match (repairs.sets.is_empty(), repairs.smallest) {
        (false, true) => {
            let size = size(&repairs.sets);
            let _ = writeln!(
                out,
                "  removed by stronger orderings, in no fewer than {size}:"
            );
        }
        (false, false) => {
            let _ = writeln!(
                out,
                "  removed by these stronger orderings, each of which is needed:"
            );
        }
        (true, _) if repairs.out_of_time => {
            let _ = writeln!(
                out,
                "  no set of stronger orderings was found before the time was over"
            );
        }
        (true, _) => {
            let _ = writeln!(
                out,
                "  no set of stronger orderings leaves every test clean"
            );
        }
    }
    sets(out, &repairs.sets);
    if !repairs.with_fences.is_empty() {
        let size = size(&repairs.with_fences);
        let _ = writeln!(out, "  or, with new fences, in {size}:");
        sets(out, &repairs.with_fences);
    }
    if repairs.more && !repairs.sets.is_empty() {
        let _ = writeln!(out, "    there may be more sets as small");
    }
}

fn sets(out: &mut String, sets: &[Repair]) {
    for (number, set) in sets.iter().enumerate() {
        for (at, change) in set.changes.iter().enumerate() {
            let label = match at {
                0 => format!("{}.", number + 1),
                _ => String::new(),
            };
            let _ = writeln!(out, "    {label:<3} {GOOD}{}{GOOD:#}", change_line(change));
        }
        if let Some(why) = &set.unfinished {
            let _ = writeln!(
                out,
                "        not every test was explored whole with it: {}",
                visible(why)
            );
        }
    }
}

fn may_be_weaker(out: &mut String, relaxations: &Relaxations) {
    if relaxations.accepted.is_empty() {
        let _ = writeln!(out, "  nothing found, and no ordering can be weaker");
    } else {
        let _ = writeln!(
            out,
            "  nothing found; these may be weaker, all of them together, and every test stays clean:"
        );
    }
    for change in &relaxations.accepted {
        let _ = writeln!(out, "    {GOOD}{}{GOOD:#}", change_line(change));
    }
    for (what, places) in [
        ("needed as they are", &relaxations.needed),
        (
            "not tried to the end: the time was over",
            &relaxations.untried,
        ),
    ] {
        if !places.is_empty() {
            let _ = writeln!(out, "  {what}:");
        }
        for place in places {
            let _ = writeln!(
                out,
                "    {}  {}: {}",
                location(place),
                place.name,
                written(place)
            );
        }
    }
}

fn place_json(place: &AtomicPlace) -> Value {
    json!({"location": location(place), "operation": place.name, "order": place.order, "failure": place.failure})
}

fn change_json(change: &OrderingChange) -> Value {
    json!({"location": location(&change.place), "operation": change.place.name, "order": change.place.order,
           "failure": change.place.failure, "new_order": change.order, "new_failure": change.failure,
           "fence_before": change.fence_before})
}

/// One line of the contract.
#[must_use]
pub fn json(advice: &Advice) -> String {
    let explored = &advice.explored;
    let findings = |list: &[Finding]| -> Vec<Value> {
        let each = list.iter();
        each.map(|it| {
            json!({"kind": it.kind.name(), "message": it.message, "locations": it.locations,
                   "threads": it.threads, "fingerprint": it.fingerprint})
        })
        .collect()
    };
    let places = |list: &[AtomicPlace]| -> Vec<Value> { list.iter().map(place_json).collect() };
    let none = (Repairs::default(), Relaxations::default());
    let (result, repairs, relaxations, why) = match &advice.verdict {
        Verdict::NoPlaces => ("no-atomics", &none.0, &none.1, ""),
        Verdict::TooWeak(repairs) => ("too-weak", repairs, &none.1, ""),
        Verdict::OtherCause => ("other-cause", &none.0, &none.1, ""),
        Verdict::NotComplete(why) => ("not-complete", &none.0, &none.1, why.as_str()),
        Verdict::MayBeWeaker(relaxations) => ("clean", &none.0, relaxations, ""),
    };
    let sets = |list: &[Repair]| -> Vec<Value> {
        let each = list.iter();
        each.map(|set| {
            let changes: Vec<Value> = set.changes.iter().map(change_json).collect();
            json!({"changes": changes, "not_complete": set.unfinished})
        })
        .collect()
    };
    let weaker: Vec<Value> = relaxations.accepted.iter().map(change_json).collect();
    let notes: Vec<Value> = explored
        .notes
        .iter()
        .map(|(why, count)| json!({"why": why, "count": count}))
        .collect();
    json!({
        "reason": "orderings", "type": advice.subject, "result": result, "why": why,
        "atomics": places(&advice.places),
        "findings": findings(&advice.findings), "other_findings": findings(&advice.other_findings),
        "sets": sets(&repairs.sets), "sets_with_fences": sets(&repairs.with_fences), "smallest": repairs.smallest, "more": repairs.more,
        "weaker": weaker, "needed": places(&relaxations.needed), "untried": places(&relaxations.untried),
        "threads": explored.threads, "calls": explored.calls, "tests": explored.tests,
        "complete": explored.complete, "left_out": explored.left_out, "notes": notes,
        "executions": explored.executions, "trials": repairs.trials + relaxations.trials,
    })
    .to_string()
}
