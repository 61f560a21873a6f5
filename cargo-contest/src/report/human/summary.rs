//! The end of a run: what was explored, what was not, and the causes of what was found.

use std::fmt::Write as _;

use super::causes;
use crate::report::access_patterns;
use crate::report::campaign_state;
use crate::report::figures::{count, counted, seconds};
use crate::report::growth;
use crate::report::ladder;
use crate::report::run_summary::{RunSummary, Vacuous};
use crate::report::styles::{ERROR, NOTE};
use crate::report::visible::visible;
use crate::skipped::Skipped;
use contest_data::circumstances::DRAWS;
use contest_data::totals::{SubjectTotals, UNSCHEDULED};

/// What a summary goes with.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The command that lists what is left out.
    pub list: &'a str,
    /// How many failures without concurrency were shown before.
    pub alone_shown: usize,
    /// All reasons, however many.
    pub verbose: bool,
}

/// What was explored and what was not.
#[must_use]
pub fn summary(summary: &RunSummary, ending: &Ending<'_>) -> String {
    let mut out = String::new();
    let Ending {
        list,
        alone_shown,
        verbose,
    } = *ending;
    let operations = summary.total(|subject| subject.operations);
    let left_out = match (summary.types_left_out, summary.operations_left_out) {
        (0, 0) => String::new(),
        (types, operations) => format!(
            "; left out {} and {}, `{list}` says why",
            counted(types as u64, "type"),
            counted(operations as u64, "operation")
        ),
    };
    let _ = writeln!(
        out,
        "{NOTE}{}{NOTE:#}: {}, {}{left_out}",
        summary.package,
        counted(summary.subjects.len() as u64, "type"),
        counted(operations, "operation"),
    );
    let exhausted = summary.total(|subject| subject.exhausted);
    let cut = summary.reasons(|subject| &subject.cut);
    let left_out_tests = summary.reasons(|subject| &subject.left_out);
    let skipped = summary.reasons(|subject| &subject.skipped);
    let _ = writeln!(
        out,
        "  tests       {}: {} in every interleaving{}{}, {} cut{}; {} left out{}",
        count(summary.total(|subject| subject.tests)),
        count(exhausted),
        match summary.total(|subject| subject.drew) {
            0 => String::new(),
            some => format!(
                " ({} of them under {DRAWS} draws of random numbers)",
                count(some)
            ),
        },
        match summary.total(|subject| subject.partly.iter().map(|(_, count)| count).sum()) {
            0 => String::new(),
            some => format!(", {} with gaps", count(some)),
        },
        count(cut.iter().map(|(_, n)| n).sum()),
        because(&cut, verbose),
        count(left_out_tests.iter().map(|(_, n)| n).sum()),
        because(&left_out_tests, verbose),
    );
    if !skipped.is_empty() {
        let _ = writeln!(
            out,
            "  unreported  {}{}",
            counted(skipped.iter().map(|(_, n)| n).sum(), "result"),
            because(&skipped, verbose),
        );
    }
    let _ = writeln!(
        out,
        "  executions  {} in {}, {} steps, {} decisions between threads",
        count(summary.total(|subject| subject.executions)),
        seconds(
            summary
                .state
                .as_ref()
                .map_or(summary.elapsed, |state| state.elapsed)
        ),
        count(summary.total(|subject| subject.steps)),
        count(summary.total(|subject| subject.decisions)),
    );
    let watched = summary.total(|subject| subject.watched);
    if watched > 0 {
        let contended = match summary.total(|subject| subject.contended) {
            0 => String::new(),
            tests => format!(
                "; in {} accesses of contended memory were scheduling points",
                counted(tests, "test")
            ),
        };
        let _ = writeln!(
            out,
            "  memory      every access watched in {} of {} executions{contended}",
            count(watched),
            count(summary.total(|subject| subject.executions)),
        );
    }
    let pairs = summary.total(|subject| subject.pairs.1);
    let _ = writeln!(
        out,
        "  covered     {} of {} operations and {} of {} pairs of operations ran concurrently",
        count(summary.total(|subject| subject.operations_used)),
        count(operations),
        count(summary.total(|subject| subject.pairs.0)),
        count(pairs),
    );
    out.push_str(&ladder::human(summary));
    out.push_str(&growth::human(summary));
    let analysed = &summary.analysed;
    if analysed.operations > 0 || !analysed.left_out.is_empty() {
        let _ = writeln!(out, "  analysed    {}", analysis(summary));
    }
    if let Some(checked) = &analysed.checked {
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
    out.push_str(&access_patterns::human(summary));
    if !summary.uninstrumented.is_empty() {
        let _ = writeln!(out, "  not instrumented");
        for Skipped { item, why } in &summary.uninstrumented {
            let _ = writeln!(out, "    {item}: {why}");
        }
    }
    for Skipped { item, why } in &summary.lost {
        let _ = writeln!(out, "  lost        {item}: {why}");
    }
    if !summary.alone.is_empty() {
        let _ = writeln!(
            out,
            "  alone       {} without any concurrency{}",
            counted(summary.alone.len() as u64, "failure"),
            if summary.alone.len() > alone_shown {
                format!(", {alone_shown} of them shown; -v shows all")
            } else {
                String::new()
            }
        );
    }
    if summary.restarts > 0 {
        let _ = writeln!(
            out,
            "  restarted   {} after the process under test died",
            counted(u64::from(summary.restarts), "time")
        );
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
            several(&summary.not_reached, verbose)
        );
    }
    if let Some(state) = &summary.state {
        out.push_str(&campaign_state::human(state));
    }
    if summary.interrupted {
        let _ = writeln!(
            out,
            "  interrupted by Ctrl-C; this is what was done until then"
        );
    }
    out.push_str(&causes::causes(&summary.causes));
    out.push_str(&verdict(summary, exhausted));
    out
}

/// Names; if not `all`, the first few of many.
fn several(names: &[String], all: bool) -> String {
    const SHOWN: usize = 4;
    if all || names.len() <= SHOWN + 1 {
        return names.join(", ");
    }
    let more = count((names.len() - SHOWN) as u64);
    format!(
        "{} and {more} more; -v shows all",
        names[..SHOWN].join(", ")
    )
}

/// What static analysis found and the tests it saved.
fn analysis(summary: &RunSummary) -> String {
    let analysed = &summary.analysed;
    let failed = analysed.operations == 0;
    if let (true, Some(Skipped { item, why })) = (failed, analysed.left_out.first()) {
        return format!("nothing, so no pair is left out: {item}: {why}");
    }
    let pruned = summary.total(|subject| subject.pairs_pruned);
    format!(
        "{} of {} exactly{}; {} without tests of their own: the two cannot disturb each other",
        count(analysed.exact as u64),
        counted(analysed.operations as u64, "operation"),
        match analysed.left_out.len() {
            0 => String::new(),
            parts => format!(" ({} not read)", counted(parts as u64, "source part")),
        },
        counted(pruned, "pair"),
    )
}

fn verdict(summary: &RunSummary, exhausted: u64) -> String {
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
        return format!(
            "{ERROR}{}{of}{ERROR:#}: {}{known}\n",
            counted(summary.finding_count() as u64, "finding"),
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
                "{NOTE}nothing found{NOTE:#} in the tests above, {} of {} in every interleaving; what was not run was not \
                 checked{on_real_threads}\n",
                count(exhausted),
                count(summary.total(|subject| subject.tests)),
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

/// Reasons that begin alike, `nondeterministic: …`, are one beyond this many of them.
const REASONS_ALIKE: usize = 6;

/// The reasons in brackets; if not `all`, many that begin alike are one.
fn because(reasons: &[(String, u64)], all: bool) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let beginning = |reason: &str| -> Option<String> {
        let (beginning, _) = reason.split_once(": ")?;
        let alike = reasons.iter().filter(|(other, _)| {
            let rest = other.strip_prefix(beginning);
            rest.is_some_and(|rest| rest.starts_with(": "))
        });
        (!all && alike.count() > REASONS_ALIKE).then(|| beginning.to_owned())
    };
    // Beginning, how often, its reasons.
    let mut groups: Vec<(Option<String>, u64, Vec<&str>)> = Vec::new();
    for (reason, n) in reasons {
        let beginning = beginning(reason);
        let known = groups
            .iter_mut()
            .find(|(other, ..)| beginning.is_some() && *other == beginning);
        match known {
            Some((_, sum, members)) => {
                *sum += n;
                members.push(reason);
            }
            None => groups.push((beginning, *n, vec![reason])),
        }
    }
    let text = |(beginning, n, members): &(Option<String>, u64, Vec<&str>)| match beginning {
        None => format!("{} {}", count(*n), members[0]),
        Some(beginning) => format!(
            "{} {beginning} for {} reasons, as {}; -v shows all",
            count(*n),
            count(members.len() as u64),
            members[0][beginning.len() + 2..].trim(),
        ),
    };
    let texts: Vec<String> = groups.iter().map(text).collect();
    format!(" ({})", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_reasons_that_begin_alike_are_one_and_all_are_shown_on_request() {
        let mut reasons: Vec<(String, u64)> = (1..=8)
            .map(|step| (format!("nondeterministic: step {step} differs"), 2))
            .collect();
        reasons.insert(0, ("budget: spent".to_owned(), 7));
        assert_eq!(
            because(&reasons, false),
            " (7 budget: spent, 16 nondeterministic for 8 reasons, as step 1 differs; -v shows all)"
        );
        assert_eq!(because(&reasons, true).matches("step").count(), 8);
        assert_eq!(because(&reasons[..4], false).matches("step").count(), 3);
        assert_eq!(because(&[], false), "");
    }
}
