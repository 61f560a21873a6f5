//! A program that shows a finding with real threads and the package as it is: what an emitted test does, counted.

use contest_data::finding::{Finding, FindingKind};

use super::emitted_test::write_what_it_needs;
use super::test_code::Code;
use super::{in_threads, turns};
use contest_build::workspace::selection::Tokio;
use contest_catalog::expression::Style;
use contest_catalog::subject_catalog::{SubjectEntry, SupportItem};

/// The program of a finding about a type. `tokio` is what it depends on, by that name, if the calls need a runtime.
///
/// It takes the name of a file and a time in seconds. Into the file it writes, as JSON, how many rounds it has run, how
/// many failed, whether the last one does not end, and what the first failure said.
///
/// # Errors
/// Why no program shows a finding of this kind.
pub fn program(
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    tokio: Option<&Tokio>,
) -> Result<String, &'static str> {
    let code = Code {
        finding,
        subject,
        style: Style::Standalone,
        tokio: tokio.and_then(|it| it.library.as_deref()),
    };
    let plays = tokio.is_none() && turns::is_playable(finding);
    let compares = !plays && in_threads::shows_results(&code);
    if !plays {
        can_show(finding.kind, compares)?;
    }
    let mut out = String::new();
    if plays {
        out.push_str("fn main() {\n    rounds(finding);\n}\n\nfn finding() {\n");
        turns::write_body(&mut out, finding);
        out.push_str("}\n");
        turns::write_helpers(&mut out, &code);
    } else {
        out.push_str("fn main() {\n");
        in_threads::write_rounds(&mut out, &code, "rounds");
        in_threads::write_helpers(&mut out, &code);
    }
    out.push_str(include_str!("native.rs.in"));
    write_what_it_needs(&mut out, &code, tokio, support);
    Ok(out)
}

/// Whether what goes wrong can be seen from outside.
fn can_show(kind: FindingKind, compares: bool) -> Result<(), &'static str> {
    use FindingKind::{
        Abort, Cancellation, Deadlock, Livelock, LostWakeup, NonLinearizable, Panic,
        ReentrantWaker, TornRead,
    };
    match kind {
        Deadlock | LostWakeup | Livelock | Panic | Abort | ReentrantWaker => Ok(()),
        NonLinearizable | TornRead if compares => Ok(()),
        Cancellation | NonLinearizable | TornRead => Err(
            "its results cannot be compared with real threads: a future is cancelled or a result is kept in it, or its calls have too many orders; `cargo contest replay` shows it step by step",
        ),
        _ => Err(
            "what goes wrong does not show in results, panics or hangs; `cargo contest replay` shows it step by step",
        ),
    }
}
