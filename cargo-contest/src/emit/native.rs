//! A program that shows a finding with real threads and the package as it is: what an emitted test does, counted.

use std::fmt::Write as _;

use contest_data::finding::{Finding, FindingKind};

use super::emitted_test::used_support;
use super::test_code::Code;
use super::{futures, in_threads, turns};
use crate::discover::expression::Style;
use crate::discover::subject_catalog::{SubjectEntry, SupportItem};
use crate::workspace::selection::Tokio;

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
    futures::write_helpers(&mut out);
    if let Some(tokio) = tokio {
        futures::write_runtime(&mut out, tokio, code.on_workers());
    }
    for item in used_support(&out, support) {
        let source = item.emitted.as_ref().unwrap_or(&item.source);
        let _ = write!(out, "\n{}\n", source.trim());
    }
    Ok(out)
}

/// Whether what goes wrong can be seen from outside.
fn can_show(kind: FindingKind, compares: bool) -> Result<(), &'static str> {
    use FindingKind::{
        Abort, Deadlock, Livelock, LostWakeup, NonLinearizable, Panic, ReentrantWaker, TornRead,
    };
    match kind {
        Deadlock | LostWakeup | Livelock | Panic | Abort | ReentrantWaker => Ok(()),
        NonLinearizable | TornRead if compares => Ok(()),
        NonLinearizable | TornRead => Err("its calls have too many orders to compare with"),
        _ => Err(
            "what goes wrong does not show in what a program prints or returns; ThreadSanitizer or Miri show it in the emitted test",
        ),
    }
}
