//! The code under test ends the process (`process::abort`, `process::exit`), and in no serial order does it.

use super::history::History;
use super::judgement::Judge;
use super::verdict::{Suspicion, Verdict};
use contest_data::finding::FindingKind;
use contest_data::trace::Ending;

/// Judges an execution that ended so; `how` is `process::abort() at src/lib.rs:10:5`.
pub(super) fn judge(judge: &Judge<'_>, history: &History, how: &str) -> Verdict {
    let serially = judge
        .outcomes
        .all()
        .any(|run| matches!(run.history.ending, Ending::Exit(_)));
    if serially {
        return Verdict::Excused("ends the process in a serial order too");
    }
    let (what, location) = how.split_once(" at ").unwrap_or((how, ""));
    let calls: Vec<_> = history.pending().collect();
    let texts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    Verdict::Suspect(Box::new(Suspicion {
        kind: FindingKind::Abort,
        rests_on_order: false,
        only_reads: false,
        message: format!("{what} ends the process during {}", texts.join(" and ")),
        details: vec![format!(
            "called at {location}; in none of the {} serial orders of the calls is it",
            judge.outcomes.runs.len()
        )],
        locations: vec![location.to_owned()],
        calls,
    }))
}
