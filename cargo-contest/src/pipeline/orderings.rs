//! `cargo contest orderings`: which orderings of atomic operations are too weak, and which could be weaker.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, Finding};
use contest_data::orderings::{AtomicPlace, OrderingChange};
use contest_data::settings::SizeBounds;
use contest_data::totals::NOT_FINISHED;

use super::catalog_filter;
use super::failure::Failure;
use super::members;
use super::members::{Interface, interfaces, packages};
use super::ordering_trials::{Driven, Whole};
use super::prepare::{self, Prepared};
use crate::advise::{self, Shown, Trials, strongest};
use crate::cli::args::{CommonArgs, OrderingsArgs};
use crate::cli::exit_code::ExitCode;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::skipped::Skipped;
use contest_drive::campaign::{CampaignError, Interrupt};
use contest_report::Reporter;
use contest_report::orderings::{Advice, Explored, Verdict};

const BUDGET: Duration = Duration::from_secs(60);
/// If all tests with two calls a thread are not done within this part of a type's time, tests have one call a thread:
/// each trial explores them all.
const LARGER: u32 = 40;
/// Part of a type's time for all tests in one trial, which need no more where they can be explored whole.
const TRIAL: u32 = 6;
/// Part of a type's time for what is explored first.
const FIRST: u32 = 6;

/// Part of a type's time for the same when it was not enough before: without that there is nothing to try.
const AGAIN: (u32, u32) = (3, 4);

/// A type whose turn comes.
#[derive(Clone, Copy)]
struct Turn<'p> {
    prepared: &'p Prepared,
    subject: u16,
    /// How long its tests were explored before, without coming to their end.
    explored_for: Duration,
}

impl Turn<'_> {
    /// How long its tests are explored as they are, of so much time for the type.
    fn first(&self, share: Duration) -> Duration {
        if self.explored_for.is_zero() {
            share / FIRST
        } else {
            share * AGAIN.0 / AGAIN.1
        }
    }
}

pub(super) fn orderings(
    common: &CommonArgs,
    arguments: &OrderingsArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let packages = packages(common, reporter)?;
    let several = packages.are_members();
    let options = packages.options.clone();
    let (interfaces, mut left_out) = interfaces(packages, &arguments.types, reporter)?;
    let mut built = Vec::new();
    for interface in interfaces {
        let name = interface.name();
        match build(interface, several, reporter) {
            Ok(member) => built.push(member),
            Err(failure) if several && failure.code == ExitCode::NothingToTest => {
                left_out.push(Skipped::new(name, failure.message));
            }
            Err(failure) => return Err(failure),
        }
    }
    let end = Instant::now() + arguments.budget.unwrap_or(BUDGET);
    let types = built.iter().flat_map(|(prepared, selected)| {
        selected.iter().map(move |&subject| Turn {
            prepared,
            subject,
            explored_for: Duration::ZERO,
        })
    });
    let mut turns: VecDeque<Turn<'_>> = types.collect();
    let mut code = ExitCode::NothingToTest;
    let mut shown_member = None;
    while let Some(turn) = turns.pop_front() {
        let Turn {
            prepared, subject, ..
        } = turn;
        if interrupt.is_set() {
            return Err(Failure::interrupted());
        }
        let name = prepared.name();
        if shown_member.as_ref() != Some(&name) {
            if several {
                reporter.begin_member(&name, &options);
            }
            prepared.locate(reporter);
            shown_member = Some(name);
        }
        let entry = &prepared.driver.catalog.subjects[usize::from(subject)];
        reporter.event(&ProgressEvent::Step(format!(
            "exploring {} with other orderings",
            entry.shown()
        )));
        let others = u32::try_from(turns.len() + 1).unwrap_or(u32::MAX);
        let share = end.saturating_duration_since(Instant::now()) / others;
        let first = turn.first(share);
        let trials = Driven {
            prepared,
            subject,
            size: SizeBounds {
                threads: Some(arguments.threads.unwrap_or(2)),
                calls: arguments.calls,
            },
            seed: arguments.seed.unwrap_or(1),
            strict: arguments.strict,
            allow: [Allowed::by_default(), arguments.allow.clone()].concat(),
            deadline: Instant::now() + share,
            most: share / TRIAL,
            interrupt,
            known: Vec::new(),
            bugs: Vec::new(),
            last: Whole::default(),
        };
        let advice = advise(trials, &entry.shown(), share, first)?;
        // What the others leave of the time is used.
        if matches!(advice.verdict, Verdict::NotComplete(_)) {
            let later = Turn {
                explored_for: first,
                ..turn
            };
            let left = end.saturating_duration_since(Instant::now()) / others;
            if later.first(left) > first && !interrupt.is_set() {
                turns.push_back(later);
                continue;
            }
        }
        code = match (&advice.verdict, code) {
            (Verdict::TooWeak(_), _) | (_, ExitCode::Findings) => ExitCode::Findings,
            (Verdict::NoPlaces, code) => code,
            _ => ExitCode::Clean,
        };
        reporter.orderings(&advice);
    }
    members::show_left_out(&left_out, reporter);
    if interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    Ok(code)
}

/// The driver of a package, and the types to look at.
fn build(
    interface: Interface,
    among_others: bool,
    reporter: &mut Reporter,
) -> Result<(Prepared, Vec<u16>), Failure> {
    let Interface {
        common,
        package,
        catalog,
        types,
    } = interface;
    let part = catalog_filter::part(catalog, &types);
    let mut prepared = prepare::build(package, part, &common, reporter)?;
    prepared.among_others = among_others;
    let selected = catalog_filter::select(&prepared.driver.catalog, &types)?;
    Ok((prepared, selected))
}

/// Explores the type as it is, then with other orderings.
fn advise(
    mut trials: Driven<'_>,
    name: &str,
    share: Duration,
    most: Duration,
) -> Result<Advice, CampaignError> {
    let first = first_exploration(&mut trials, share, most)?;
    let places = own_places(trials.prepared, &first.totals.places);
    let mut advice = Advice {
        subject: name.to_owned(),
        places: places.clone(),
        explored: explored(&first, trials.size),
        findings: Vec::new(),
        other_findings: Vec::new(),
        verdict: Verdict::NoPlaces,
    };
    if !places.is_empty() {
        let everything: Vec<OrderingChange> = places.iter().filter_map(strongest).collect();
        let mut executed: Vec<AtomicPlace> = Vec::new();
        for finding in &first.findings {
            let (shown, of_test) = trials.take_in(std::slice::from_ref(finding), &[])?;
            let removed = shown == 1 && {
                let number = trials.bugs.len() - 1;
                trials.known_bug(number, &everything)? != Shown::Bug
            };
            if removed {
                executed.extend(of_test);
                advice.findings.push(finding.clone());
            } else {
                trials.bugs.truncate(trials.bugs.len() - shown);
                trials.known.push(finding.fingerprint.clone());
                advice.other_findings.push(finding.clone());
            }
        }
        advice.verdict = if advice.findings.is_empty() {
            weaker(&mut trials, &first, &places, &advice.other_findings, most)?
        } else {
            let concerned: Vec<AtomicPlace> = places
                .iter()
                .filter(|place| executed.contains(place))
                .cloned()
                .collect();
            Verdict::TooWeak(advise::strengthen(&mut trials, &concerned)?)
        };
        if trials.last.totals.tests > 0 {
            advice.explored = explored(&trials.last, trials.size);
        }
    }
    let short = trials.prepared.short_locations();
    advice.shorten(&short);
    Ok(advice)
}

/// Explores all tests with the orderings of the source. Where the user has not bounded the calls, two a thread if that
/// is quick, else one.
fn first_exploration(
    trials: &mut Driven<'_>,
    share: Duration,
    most: Duration,
) -> Result<Whole, CampaignError> {
    if trials.size.calls.is_none() {
        trials.size.calls = Some(2);
        let whole = trials.explore(&[], true, false, share / LARGER)?;
        if whole.unfinished().is_none() {
            return Ok(whole);
        }
        trials.size.calls = Some(1);
    }
    trials.explore(&[], true, false, most)
}

fn weaker(
    trials: &mut Driven<'_>,
    first: &Whole,
    places: &[AtomicPlace],
    others: &[Finding],
    most: Duration,
) -> Result<Verdict, CampaignError> {
    if !others.is_empty() {
        return Ok(Verdict::OtherCause);
    }
    if let Some(why) = first.unfinished() {
        let of_type = format!(
            "the time that this type has of the budget, {:.0} s",
            most.as_secs_f32()
        );
        return Ok(Verdict::NotComplete(why.replace(NOT_FINISHED, &of_type)));
    }
    Ok(Verdict::MayBeWeaker(advise::relax(trials, places)?))
}

fn explored(whole: &Whole, size: SizeBounds) -> Explored {
    let (tests, complete, left_out) = whole.tests();
    let reasons = whole.totals.ladder.iter();
    let mut notes: Vec<(String, u64)> = Vec::new();
    for rung in reasons {
        let partly = rung.partly.iter();
        let partly = partly.map(|(gaps, count)| (gaps.to_string(), *count));
        for (why, count) in rung.left_out.iter().cloned().chain(partly) {
            match notes.iter_mut().find(|(known, _)| *known == why) {
                Some((_, sum)) => *sum += count,
                None => notes.push((why, count)),
            }
        }
    }
    Explored {
        threads: size.threads.unwrap_or(2),
        calls: size.calls.unwrap_or(1),
        tests,
        complete,
        left_out,
        executions: whole.totals.executions,
        notes,
    }
}

/// Those in files of the package.
fn own_places(prepared: &Prepared, places: &[AtomicPlace]) -> Vec<AtomicPlace> {
    let (base, short) = (prepared.base(), prepared.short_locations());
    let directory = prepared.package_directory();
    let own = |place: &&AtomicPlace| {
        let short = short.text(&place.file);
        let file = base.join(&short);
        Path::new(&short).is_relative() && file.starts_with(&directory) && file.is_file()
    };
    places.iter().filter(own).cloned().collect()
}
