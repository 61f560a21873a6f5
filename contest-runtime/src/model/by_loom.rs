//! A model under loom: the same builder, the same report.

use super::builder::Search;
use super::finding::Step;
use super::{Builder, Finding, FindingKind, Report};
use contest_data::trace::{Ending, Panic, ThreadIndex};
use contest_loom::{self, Bounds, Captured, Stopped};

#[track_caller]
pub(super) fn run(builder: &Builder, body: &dyn Fn()) -> Report {
    let mut bounds = Bounds {
        executions: builder.executions,
        time: builder.time,
        steps: Some(builder.limits.steps as usize),
        ..Bounds::default()
    };
    let mut limits: Vec<String> = contest_loom::LIMITS
        .iter()
        .map(|&it| it.to_owned())
        .collect();
    match &builder.search {
        Search::Named(name) if name == "dpor" || name == "dfs" => bounds.all = true,
        Search::Named(name) if name == "auto" || name == "loom" => {}
        Search::Named(name) => limits.push(format!(
            "loom backend: strategy `{name}` is not loom's; loom's own search was used"
        )),
        Search::Custom(_) => limits.push(
            "loom backend: a strategy of one's own is not loom's; loom's own search was used"
                .to_owned(),
        ),
        Search::Preemptions(most) => bounds.preemptions = Some(*most as usize),
        Search::Replay(_) => panic!(
            "contest: loom cannot replay a schedule of this crate's engine; run the test without the feature `loom`"
        ),
    }
    let (executions, stopped) = contest_loom::search(bounds, body);
    let mut report = Report {
        executions,
        traces: executions,
        runs: executions,
        // loom does not count them; without any it would be done after one execution.
        decisions: executions.saturating_sub(1),
        limits,
        ..Report::default()
    };
    match stopped {
        Stopped::Complete => report.exhausted = true,
        Stopped::Preemptions(most) => {
            report.cut = Some(format!(
                "at most {most} preemptions in an execution; `Builder::exhaustive` has no bound"
            ));
        }
        Stopped::Bound(what) => report.cut = Some(format!("{what} is used up")),
        Stopped::Failed(panic) => {
            report.cut = Some("an execution failed".to_owned());
            let finding = finding(&panic, executions);
            if builder.tolerated.contains(&finding.kind) {
                report.tolerated = 1;
                report.cut = Some(format!(
                    "loom stops at a failure, also at one that is tolerated ({})",
                    finding.kind
                ));
            } else {
                report.findings.push(finding);
            }
        }
    }
    report
}

/// What loom says, by its text: it has no other way to tell.
fn kind(message: &str) -> FindingKind {
    let first = message.trim_start();
    if first.starts_with("deadlock") {
        FindingKind::Deadlock
    } else if first.starts_with("Causality violation")
        || first.starts_with("currently writing to cell")
        || first.starts_with("currently reading from cell")
    {
        FindingKind::DataRace
    } else if first.contains(" leaked.") {
        FindingKind::Leak
    } else if first.starts_with("Model exceeded maximum number of branches")
        || first.contains("threads.len() <")
    {
        FindingKind::Limit
    } else if first.starts_with("cannot access Loom execution state from outside") {
        FindingKind::Unsupported
    } else {
        FindingKind::Panic
    }
}

fn finding(panic: &Captured, execution: u64) -> Finding {
    let kind = kind(&panic.message);
    let mut lines = panic.message.trim().lines();
    let message = lines.next().unwrap_or_default().to_owned();
    let mut details: Vec<String> = lines
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    // Where loom itself panics says nothing about the model.
    let of_loom = panic.location.contains("/loom-");
    let locations: Vec<String> = Some(panic.location.clone())
        .filter(|location| !location.is_empty() && !of_loom)
        .into_iter()
        .collect();
    details.extend(locations.iter().map(|at| format!("at {at}")));
    details.push(format!(
        "found by loom in execution {execution}{}",
        if panic.steps.is_empty() {
            "; its interleaving is not known, loom's own log tells it: LOOM_LOG=trace LOOM_LOCATION=1"
        } else {
            ""
        }
    ));
    let steps = panic.steps.iter().map(|step| Step {
        thread: step.thread,
        event: step.event.clone(),
        location: step.location.clone(),
    });
    let most = panic.steps.iter().map(|step| step.thread).max();
    let others = (1..=most.unwrap_or(0)).map(|number| format!("thread {number}"));
    let names = std::iter::once("main thread".to_owned())
        .chain(others)
        .collect();
    let panic = Panic {
        thread: ThreadIndex(0),
        message: panic.message.clone(),
        location: panic.location.clone(),
        step: 0,
        call: None,
    };
    Finding {
        kind,
        message,
        details,
        found_locations: locations.clone(),
        locations,
        threads: names,
        interleaving: steps.collect(),
        ending: Ending::Panicked(panic.clone()),
        panics: vec![panic],
        preemptions: 0,
        schedule: String::new(),
        execution,
    }
}
