//! The end of a run: what was explored, what was not and why, the causes of what was found, and what to do next.

use std::fmt::Write as _;

use super::because::{because, several};
use super::causes;
use super::statistics::statistics;
use crate::campaign_state;
use crate::figures::{count, counted, seconds};
use crate::growth;
use crate::ladder;
use crate::run_summary::{RunSummary, Vacuous};
use crate::styles::{ERROR, NOTE, WARNING};
use crate::visible::visible;
use contest_catalog::skipped::Skipped;
use contest_data::circumstances::DRAWS;
use contest_data::totals::{ALWAYS_PANICS, KNOWN_BUG, NOT_FINISHED, SubjectTotals, UNSCHEDULED};

/// What a summary goes with.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The command that lists what is left out.
    pub list: &'a str,
    /// The command that explores the tests of the package.
    pub test: &'a str,
    /// How many failures without concurrency were shown before.
    pub alone_shown: usize,
    /// All reasons, however many, and statistics.
    pub verbose: bool,
}

/// What was explored and what was not.
#[must_use]
pub fn summary(summary: &RunSummary, ending: &Ending<'_>) -> String {
    let mut out = String::new();
    let verbose = ending.verbose;
    let elapsed = (summary.state.as_ref()).map_or(summary.elapsed, |state| state.elapsed);
    let _ = writeln!(
        out,
        "{NOTE}{}{NOTE:#}: {}, {}, {} in {}",
        summary.package,
        counted(summary.subjects.len() as u64, "type"),
        counted(summary.total(|subject| subject.operations), "operation"),
        counted(summary.total(|subject| subject.executions), "execution"),
        seconds(elapsed),
    );
    tests(&mut out, summary, verbose);
    if verbose {
        out.push_str(&statistics(summary));
    }
    out.push_str(&ladder::stated_and_gaps(summary));
    out.push_str(&growth::human(summary));
    not_tested(&mut out, summary, ending);
    let analysed = &summary.analysed;
    if let (0, Some(Skipped { item, why })) = (analysed.operations, analysed.left_out.first()) {
        let _ = writeln!(
            out,
            "  analysed    nothing, so no pair is left out: {item}: {why}"
        );
    }
    if let Some(checked) = &summary.analysed.checked {
        let _ = writeln!(
            out,
            "  checked     {} of the analysis: {} wrong; {} about inexact summaries, {} in other packages",
            counted(checked.compared as u64, "fact"),
            count(checked.wrong.len() as u64),
            count(checked.inexact as u64),
            count(checked.elsewhere as u64),
        );
        for wrong in &checked.wrong {
            let _ = writeln!(out, "    {wrong}");
        }
    }
    if summary.alone.len() > ending.alone_shown {
        let _ = writeln!(
            out,
            "  alone       {} without any concurrency, {} of them shown; -v shows all",
            counted(summary.alone.len() as u64, "failure"),
            ending.alone_shown,
        );
    }
    if let Some(state) = &summary.state {
        out.push_str(&campaign_state::human(state));
    }
    if summary.interrupted {
        let _ = writeln!(out, "  interrupted; this is what was done until then");
    }
    out.push_str(&causes::causes(&summary.causes));
    let _ = writeln!(out, "  next        {}", next(summary, ending));
    out.push_str(&verdict(summary));
    out
}

/// What was found and how whole the tests were, in one line.
#[must_use]
pub fn result(summary: &RunSummary) -> String {
    let interrupted = match summary.interrupted {
        true => " (interrupted)",
        false => "",
    };
    format!(
        "{NOTE}{}{NOTE:#}{interrupted}: {}",
        summary.package,
        verdict(summary)
    )
}

/// How many tests were run and how whole, and what looked wrong and was not reported.
fn tests(out: &mut String, summary: &RunSummary, verbose: bool) {
    let cut = summary.reasons(|subject| &subject.cut);
    let left_out = summary.reasons(|subject| &subject.left_out);
    let mut skipped = summary.reasons(|subject| &subject.skipped);
    // That it was seen again says nothing new.
    skipped.retain(|(why, _)| verbose || why != KNOWN_BUG);
    let sum = |reasons: &[(String, u64)]| reasons.iter().map(|(_, n)| n).sum::<u64>();
    let some = |reasons: &[(String, u64)], what: &str| match sum(reasons) {
        0 => String::new(),
        n => format!("{} {what}{}", count(n), because(reasons, verbose)),
    };
    let draws = match summary.total(|subject| subject.drew) {
        0 => String::new(),
        some => format!(
            " ({} of them under {DRAWS} draws of random numbers or hash seeds)",
            count(some)
        ),
    };
    let whole = count(exhausted(summary));
    let parts = [
        format!("{whole} in every interleaving{draws}"),
        match summary.total(|subject| subject.partly.iter().map(|(_, count)| count).sum()) {
            0 => String::new(),
            some => format!("{} with gaps", count(some)),
        },
        some(&cut, "cut"),
        some(&left_out, "left out"),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    let _ = writeln!(
        out,
        "  tests       {}: {}",
        count(summary.total(|subject| subject.tests)),
        parts.join(", "),
    );
    if !skipped.is_empty() {
        let _ = writeln!(
            out,
            "  unreported  {}{}",
            counted(sum(&skipped), "result"),
            because(&skipped, verbose),
        );
    }
}

fn exhausted(summary: &RunSummary) -> u64 {
    summary.total(|subject| subject.exhausted)
}

/// What was not tested, with the reason.
fn not_tested(out: &mut String, summary: &RunSummary, ending: &Ending<'_>) {
    let parts = [
        (summary.types_left_out as u64, "type"),
        (summary.operations_left_out as u64, "operation"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, what)| counted(number, what)).collect();
    if !parts.is_empty() {
        let _ = writeln!(
            out,
            "  not tested  {}; `{}` says why",
            parts.join(" and "),
            ending.list
        );
    }
    let one = summary.subjects.len() == 1;
    let failed = |it: &SubjectTotals| -> Vec<String> {
        let of_it = |(operation, _, error): &(String, u64, String)| {
            let of = if one {
                String::new()
            } else {
                format!(" of {}", it.name)
            };
            format!("{operation}{of} ({})", visible(error))
        };
        it.only_errors.iter().map(of_it).collect()
    };
    let failed: Vec<String> = summary.subjects.iter().flat_map(failed).collect();
    if !failed.is_empty() {
        let _ = writeln!(
            out,
            "  errors only {}: nothing else was returned with the values tried; `values` in [package.metadata.contest] \
             says which arguments work",
            several(&failed, ending.verbose)
        );
    }
    let never = |it: &SubjectTotals| -> Vec<String> {
        let named = |(operation, _): &(String, u64)| match one {
            true => operation.clone(),
            false => format!("{operation} of {}", it.name),
        };
        it.never_concurrent.iter().map(named).collect()
    };
    let never: Vec<String> = summary.subjects.iter().flat_map(never).collect();
    let operations = missing(
        summary.total(SubjectTotals::operations_used),
        summary.total(|subject| subject.operations),
        "operations beside another call",
    )
    .map(|operations| match never.as_slice() {
        [] => operations,
        names => format!("{operations} ({})", several(names, ending.verbose)),
    });
    let pairs = missing(
        summary.total(|subject| subject.pairs.0),
        summary.total(|subject| subject.pairs.1),
        "pairs of operations beside each other",
    );
    let not_run: Vec<String> = operations.into_iter().chain(pairs).collect();
    if !not_run.is_empty() {
        let _ = writeln!(out, "  not run     {}", not_run.join(", "));
    }
    for Skipped { item, why } in &summary.members_not_tested {
        let _ = writeln!(out, "  not tested  {item}: {}", visible(why));
    }
    if !summary.unchanged.is_empty() {
        let _ = writeln!(
            out,
            "  not tested  {}, which run the same code as at the revision of --since: {}",
            counted(summary.unchanged.len() as u64, "type"),
            summary.unchanged.join(", ")
        );
    }
    if !summary.not_reached.is_empty() {
        let _ = writeln!(
            out,
            "  not reached {} had no test in this budget: {}",
            counted(summary.not_reached.len() as u64, "type"),
            several(&summary.not_reached, ending.verbose)
        );
    }
    if !summary.uninstrumented.is_empty() {
        let _ = writeln!(out, "  not instrumented");
        for Skipped { item, why } in &summary.uninstrumented {
            let _ = writeln!(out, "    {item}: {why}");
        }
    }
    for Skipped { item, why } in &summary.lost {
        let _ = writeln!(out, "  lost        {item}: {why}");
    }
}

fn missing(done: u64, all: u64, what: &str) -> Option<String> {
    (done < all).then(|| format!("{} of {} {what}", count(all - done), count(all)))
}

/// The one thing to do about what was found, or about what was not tested.
fn next(summary: &RunSummary, ending: &Ending<'_>) -> String {
    let causes = summary.causes.most_definite_first();
    let kinds = summary.findings.keys().copied();
    let first = causes.first().and_then(|cause| cause.first());
    if let Some(kind) = first.map(|it| it.kind).or(kinds.into_iter().next()) {
        return format!("`cargo contest explain {kind}` says what that is and how it is mended");
    }
    let left_out = summary.reasons(|subject| &subject.left_out);
    if summary.vacuous().is_some() && left_out.iter().any(|(why, _)| why.ends_with(ALWAYS_PANICS)) {
        return "`values = { \"Type::method.argument\" = [\"…\"] }` below `[package.metadata.contest]` says which \
                arguments work, and `make = { Type = \"…\" }` how to make one"
            .to_owned();
    }
    let has_ended = |(why, _): &(String, u64)| why == NOT_FINISHED;
    let cut = summary.reasons(|subject| &subject.cut);
    if summary.vacuous().is_some() {
        format!(
            "`{}` says what can be tested, and why the rest cannot",
            ending.list
        )
    } else if cut.iter().any(has_ended) || !summary.not_reached.is_empty() {
        "a longer `--budget` runs more; with `--state DIR`, the next run goes on where this one stopped"
            .to_owned()
    } else {
        format!("`{}` explores the package's own tests", ending.test)
    }
}

pub(crate) fn verdict(summary: &RunSummary) -> String {
    if summary.finding_count() > 0 {
        let causes = summary.causes.count();
        let of = if causes > 0 && causes < summary.finding_count() {
            format!(" of {}", counted(causes as u64, "cause"))
        } else {
            String::new()
        };
        let kinds: Vec<String> = summary
            .findings
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        let known = match summary.in_baseline {
            0 => String::new(),
            known => format!("; {known} of them in the baseline"),
        };
        let all = summary.finding_count();
        let (style, what, warnings) = match summary.warnings {
            0 => (ERROR, "finding", String::new()),
            some if some == all => (WARNING, "warning", String::new()),
            some => (
                ERROR,
                "finding",
                format!("; {} among them", counted(some as u64, "warning")),
            ),
        };
        return format!(
            "{style}{}{of}{style:#}: {}{warnings}{known}\n",
            counted(all as u64, what),
            kinds.join(", ")
        );
    }
    match summary.vacuous() {
        Some(vacuous) => format!(
            "{ERROR}nothing was tested{ERROR:#}: {}{}\n",
            vacuous.why(),
            if vacuous == Vacuous::NoDecision {
                "; is its synchronisation in a crate listed above, or in plain memory accesses only?"
            } else {
                ""
            }
        ),
        None => {
            let on_real_threads = match summary.total(unscheduled) {
                0 => String::new(),
                number => format!(
                    "; {} {UNSCHEDULED}, and under no schedule",
                    counted(number, "test")
                ),
            };
            format!(
                "{NOTE}nothing found{NOTE:#} in {}, {} of them in every interleaving; what was not run was not \
                 checked{on_real_threads}\n",
                counted(summary.total(|subject| subject.tests), "test"),
                count(exhausted(summary)),
            )
        }
    }
}

/// Tests that failed on real threads only.
fn unscheduled(subject: &SubjectTotals) -> u64 {
    let skipped = subject.skipped.iter();
    let unscheduled = skipped.filter(|(reason, _)| reason.starts_with(UNSCHEDULED));
    unscheduled.map(|(_, number)| number).sum()
}
