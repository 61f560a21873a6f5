//! What a run took over from earlier runs, as text.

use std::fmt::Write as _;

use super::figures::{count, counted};
use contest_catalog::state_summary::StateSummary;

/// Names that are shown of a list.
const SHOWN: usize = 5;

/// Lines of the summary.
pub(super) fn human(state: &StateSummary) -> String {
    let mut out = String::new();
    let mut types = vec![format!(
        "{} as before",
        counted(state.unchanged as u64, "type")
    )];
    if !state.changed.is_empty() {
        types.push(format!(
            "{} (explored anew, first)",
            some(&state.changed, "changed")
        ));
    }
    if state.new_types > 0 {
        types.push(format!("{} new", state.new_types));
    }
    let _ = writeln!(
        out,
        "  campaign    run {}: went on after {} of earlier runs, {} of which were paused; {}",
        state.run,
        counted(state.tests_before, "test"),
        count(state.gone_on),
        types.join(", "),
    );
    if state.after_kill {
        let _ = writeln!(
            out,
            "    the run before was killed; its last test was run again"
        );
    }
    if state.open + state.not_replayed > 0 {
        let _ = writeln!(
            out,
            "    still there: {} of earlier runs{}",
            counted(state.open as u64, "finding"),
            match state.not_replayed {
                0 => String::new(),
                more => format!("; {more} more not replayed for want of time"),
            }
        );
    }
    if !state.mended.is_empty() {
        let _ = writeln!(
            out,
            "    {}: their schedules show nothing any more",
            some(&state.mended, "mended")
        );
    }
    for unclear in &state.unclear {
        let _ = writeln!(out, "    not known whether mended: {unclear}");
    }
    for problem in &state.problems {
        let _ = writeln!(out, "    problem: {problem}");
    }
    out
}

/// `3 changed: a::B, a::C, a::D`.
fn some(names: &[String], what: &str) -> String {
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = names[..names.len().min(SHOWN)].join(", ");
    format!("{} {what}: {shown}{more}", names.len())
}
