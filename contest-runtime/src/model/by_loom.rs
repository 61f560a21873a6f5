//! A model under loom: the same builder, the same report.

use super::builder::Search;
use super::{Builder, Finding, Report};
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
            let finding = finding(panic, executions);
            if builder.tolerated.contains(&finding.kind) {
                report.tolerated = 1;
                report.cut = Some(format!(
                    "loom stops at a failure, also at one that is tolerated ({})",
                    finding.kind.words()
                ));
            } else {
                report.findings.push(finding);
            }
        }
    }
    report
}

/// The finding, with names of the threads that its interleaving has.
fn finding(panic: Captured, execution: u64) -> Finding {
    let finding = panic.finding(execution);
    let steps = finding.interleaving.iter();
    let most = steps.map(|step| step.thread).max().unwrap_or(0);
    let others = (1..=most).map(|number| format!("thread {number}"));
    Finding {
        thread_names: std::iter::once("main thread".to_owned())
            .chain(others)
            .collect(),
        ..finding
    }
}
