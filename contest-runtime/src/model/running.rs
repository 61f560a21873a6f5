//! Runs a model under one interleaving after another.

use super::verdict;
use super::{Builder, Report, search};
use crate::execution::{Engine, Strategy};
use crate::explore::explorer::RunOnce;
use crate::trace::{Ending, ExecutionRecord};

struct Running<'f, F> {
    engine: Engine,
    body: &'f F,
}

impl<F: Fn()> RunOnce for Running<'_, F> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        self.engine.run(strategy, self.body)
    }
}

#[track_caller]
pub(super) fn run<F: Fn()>(mut builder: Builder, body: &F) -> Report {
    let mut explorer = search::explorer(&mut builder);
    let mut running = Running {
        engine: Engine::new(builder.limits.clone()),
        body,
    };
    let mut report = Report::default();
    while let Some(record) = explorer.next(&mut running) {
        report.executions += 1;
        report.steps += u64::from(record.steps);
        report.decisions += record.schedule.decisions.len() as u64;
        if record.ending == Ending::Abandoned {
            continue;
        }
        report.traces += 1;
        if let Some(finding) = verdict::finding(record, report.executions)
            && !report.findings.iter().any(|known| {
                (known.kind, &known.message, &known.locations)
                    == (finding.kind, &finding.message, &finding.locations)
            })
        {
            report.findings.push(finding);
            if report.findings.len() >= builder.max_findings {
                report.cut = Some("stopped at a finding".to_owned());
                return report;
            }
        }
    }
    report.exhausted = explorer.exhausted();
    report.cut = explorer.cut();
    report
}
