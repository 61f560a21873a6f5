//! The interleavings of findings as Chrome trace events, which Perfetto shows: a process for each finding, a track for
//! each thread, a slice for each call and each step, arrows for what a step depends on. Time is the number of the step.
//! The format is the object form of "Trace Event Format".

use std::collections::HashMap;
use std::path::Path;

use contest_data::finding::{Finding, LinkKind};
use serde_json::{Value, json};

use super::visible::finding_as_seen;
use contest_build::workspace::scratch_dir::{WriteError, write_if_changed};

/// Microseconds from one step to the next. Nothing took that long: an interleaving has no times.
const STEP: u64 = 1_000;

/// Writes the findings of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, findings: &[(Finding, Option<String>)]) -> Result<(), WriteError> {
    write_if_changed(path, &trace(findings).to_string()).map(drop)
}

fn trace(findings: &[(Finding, Option<String>)]) -> Value {
    let mut events = Vec::new();
    let mut flows = 0;
    for (process, (finding, _)) in (1..).zip(findings) {
        of_finding(&mut events, process, &finding_as_seen(finding), &mut flows);
    }
    json!({"displayTimeUnit": "ms", "traceEvents": events,
           "otherData": {"tool": concat!("cargo-contest ", env!("CARGO_PKG_VERSION")),
                         "time": "one millisecond for each step; nothing is measured"}})
}

fn of_finding(events: &mut Vec<Value>, process: u64, finding: &Finding, flows: &mut u64) {
    let named = |name: &str, thread: u16, value: String| json!({"ph": "M", "pid": process, "tid": thread, "name": name, "args": {"name": value}});
    let title = format!("{}: {}", finding.kind, finding.message);
    events.push(named("process_name", 0, title));
    let mut threads: Vec<u16> = finding
        .interleaving
        .iter()
        .map(|step| step.thread)
        .collect();
    threads.sort_unstable();
    threads.dedup();
    for thread in threads {
        let known = finding.thread_names.get(usize::from(thread)).cloned();
        let name = known.unwrap_or_else(|| match thread {
            0 => "main thread".to_owned(),
            n => format!("thread {n}"),
        });
        events.push(named("thread_name", thread, name));
    }
    calls(events, process, finding);
    let mut at: HashMap<u32, (u64, u16)> = HashMap::new();
    for (number, step) in (0..).zip(&finding.interleaving) {
        let begin = number * STEP;
        let facts = step.facts.as_ref();
        events.push(json!({
            "ph": "X", "pid": process, "tid": step.thread, "ts": begin, "dur": STEP,
            "name": step.event, "cat": "step",
            "args": {"location": step.location, "result": step.result, "step": number + 1,
                     "object": facts.map(|it| &it.object), "holds": facts.map(|it| &it.holds)},
        }));
        let Some(facts) = facts else {
            continue;
        };
        for link in &facts.links {
            let Some(&(from, thread)) = at.get(&link.step) else {
                continue;
            };
            if thread == step.thread {
                continue;
            }
            *flows += 1;
            let name = flow_name(link.why);
            // In the middle of slices, to which viewers attach them.
            events.push(json!({"ph": "s", "pid": process, "tid": thread, "ts": from + STEP / 2, "id": *flows,
                               "name": name, "cat": "order"}));
            events.push(json!({"ph": "f", "bp": "e", "pid": process, "tid": step.thread, "ts": begin + STEP / 2,
                               "id": *flows, "name": name, "cat": "order"}));
        }
        at.insert(facts.number, (begin, step.thread));
    }
}

/// A slice around the steps of each call.
fn calls(events: &mut Vec<Value>, process: u64, finding: &Finding) {
    let mut spans: Vec<((u16, u16), (u64, u64))> = Vec::new();
    for (number, step) in (0..).zip(&finding.interleaving) {
        let Some(call) = step.call else {
            continue;
        };
        let key = (step.thread, call);
        match spans.iter_mut().find(|(known, _)| *known == key) {
            Some((_, span)) => span.1 = number,
            None => spans.push((key, (number, number))),
        }
    }
    for ((thread, call), (first, last)) in spans {
        let calls = usize::from(thread)
            .checked_sub(1)
            .and_then(|it| finding.threads.get(it));
        let text = match calls.and_then(|calls| calls.get(usize::from(call))) {
            Some(text) => text.clone(),
            None => finding
                .prefix
                .get(usize::from(call))
                .cloned()
                .unwrap_or_default(),
        };
        events.push(
            json!({"ph": "X", "pid": process, "tid": thread, "ts": first * STEP,
                           "dur": (last - first + 1) * STEP, "name": text, "cat": "call"}),
        );
    }
}

fn flow_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::ReadsFrom => "reads from",
        LinkKind::PassedOver => "passes over",
        LinkKind::Unlocked => "unlock before lock",
        LinkKind::Woken => "wakes",
        LinkKind::Message => "message",
        LinkKind::WaitsFor => "waits for",
        LinkKind::Conflict => "conflict",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn every_step_is_on_the_track_of_its_thread_and_flows_end_where_they_should() {
        let findings = [(deadlock(), None), (deadlock(), None)];
        let trace = trace(&findings);
        let events = trace["traceEvents"].as_array().unwrap();
        let of = |phase: &str, category: &str| -> Vec<&Value> {
            let all = events.iter();
            all.filter(|it| it["ph"] == phase && it["cat"] == category)
                .collect()
        };
        assert_eq!(of("X", "step").len(), 8);
        assert_eq!(of("X", "call").len(), 4);
        let (starts, ends) = (of("s", "order"), of("f", "order"));
        assert_eq!((starts.len(), ends.len()), (4, 4));
        for (start, end) in starts.iter().zip(&ends) {
            assert_eq!((&start["id"], &start["pid"]), (&end["id"], &end["pid"]));
            assert!(start["ts"].as_u64() < end["ts"].as_u64());
            assert_ne!(start["tid"], end["tid"]);
        }
        // Slices of one track nest or follow one another: viewers drop those that overlap.
        for event in of("X", "call") {
            let (begin, length) = (
                event["ts"].as_u64().unwrap(),
                event["dur"].as_u64().unwrap(),
            );
            let inside = of("X", "step").into_iter().filter(|step| {
                let at = step["ts"].as_u64().unwrap();
                step["tid"] == event["tid"]
                    && step["pid"] == event["pid"]
                    && (begin..begin + length).contains(&at)
            });
            assert_eq!(inside.count(), 2);
        }
    }
}
