//! Results of earlier runs, to compare with: a state directory, or what `--message-format json` printed.

use std::path::Path;

use contest_data::totals::SubjectTotals;
use contest_report::results::Results;

use super::failure::Failure;
use crate::cli::exit_code::ExitCode;
use crate::state::{KnownFinding, Standing, State, StateError};

/// Reads a state directory or a file of JSON lines.
///
/// # Errors
/// If it is neither, or a file without a summary.
pub(super) fn earlier_results(path: &Path) -> Result<Results, Failure> {
    if !path.is_dir() {
        return Ok(Results::of_file(path)?);
    }
    let refused = |error: StateError| Failure::new(ExitCode::Usage, error.to_string());
    let (known, totals) = results_of_members(path).map_err(refused)?;
    let open = known
        .into_iter()
        .filter(|it| it.standing != Standing::Mended);
    let sum = |count: fn(&SubjectTotals) -> u64| totals.iter().map(count).sum();
    Ok(Results {
        findings: open.map(|it| it.finding).collect(),
        counts: vec![
            ("tests", sum(|it| it.tests)),
            ("tests in every interleaving", sum(|it| it.exhausted)),
            ("executions", sum(|it| it.executions)),
            ("pairs of operations", sum(|it| it.pairs.0)),
        ],
    })
}

/// Findings and counts of a state directory, which of a run over several packages has one for each of them.
fn results_of_members(path: &Path) -> Result<(Vec<KnownFinding>, Vec<SubjectTotals>), StateError> {
    let members = State::members_of(path);
    if members.is_empty() {
        return State::results_of(path);
    }
    let (mut findings, mut totals) = (Vec::new(), Vec::new());
    for member in members {
        let (more_findings, more_totals) = State::results_of(&member)?;
        findings.extend(more_findings);
        totals.extend(more_totals);
    }
    Ok((findings, totals))
}
