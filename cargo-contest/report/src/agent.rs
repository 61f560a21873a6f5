//! `--message-format agent`: for programs that read text and pay for each word. A finding in a few lines that end with
//! the next commands, a run in two; no colours, no tables, no figures of the search.

use contest_data::finding::{Finding, FindingKind, InterleavingStep, StepEffect};
use contest_data::token::Token;

use super::figures::{count, counted, seconds};
use super::human;
use super::run_summary::RunSummary;
use super::short::test_lines;
use super::source_files::SourceFiles;
use super::turning_points::TurningPoints;
use super::visible::{finding_as_seen, visible};
use contest_catalog::subject_catalog::SCENARIO;

/// Most lines of a finding; one more says that it is known.
const MOST: usize = 14;
/// Most characters of a line that has no token in it.
const WIDTH: usize = 300;
/// Most places.
const MOST_PLACES: usize = 3;
/// Most steps of the order.
const MOST_STEPS: usize = 8;

/// The commands that a finding ends with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commands<'a> {
    /// Replays a token.
    pub(super) replay: &'a str,
    /// Explores generated tests.
    pub(super) run: &'a str,
    /// Explores one scenario.
    pub(super) scenario: &'a str,
    /// Explores the tests that the package has.
    pub(super) test: &'a str,
}

/// A bug.
pub(super) fn finding(
    finding: &Finding,
    emitted: Option<&str>,
    commands: &Commands<'_>,
    sources: &SourceFiles,
) -> String {
    let finding = &*finding_as_seen(finding);
    let (level, kind) = (finding.level.name(), finding.kind);
    let mut lines = vec![format!("{level}[{kind}]: {}", finding.message)];
    let places = TurningPoints::of(finding).and_places_of(finding);
    for place in places.iter().take(MOST_PLACES) {
        let line = sources.line(place);
        let line = line.map_or_else(String::new, |it| format!(": {}", visible(&it.1)));
        lines.push(format!("  at {place}{line}"));
    }
    let test = match &finding.own_test {
        Some(test) => vec![format!("  test {test}")],
        None => test_lines(finding),
    };
    lines.extend(test);
    let order = order(&finding.interleaving);
    let end = next(finding, emitted, commands);
    let room = MOST - end.len() - usize::from(order.is_some());
    let details = finding.details.iter().map(|it| format!("  why: {it}"));
    lines.extend(details);
    lines.truncate(room);
    lines.extend(order);
    let cut = lines.iter().map(|it| one_line(it));
    cut.chain(end).map(|it| it + "\n").collect()
}

/// In one line of a bounded length.
fn one_line(text: &str) -> String {
    let text = text.replace(['\n', '\t'], " ");
    match text.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The steps that decide, in the order in which they came: the last ones of a long interleaving.
fn order(steps: &[InterleavingStep]) -> Option<String> {
    let tells = |step: &&InterleavingStep| {
        let facts = step.facts.as_ref();
        facts.is_some_and(|it| !matches!(it.effect, StepEffect::Other | StepEffect::Unlocks))
    };
    let all: Vec<_> = steps.iter().filter(tells).collect();
    let left = all.len().saturating_sub(MOST_STEPS);
    let shown = all[left..].iter().map(|step| {
        let place = step.caller.as_deref().unwrap_or(&step.location);
        format!("T{} {} @{place}", step.thread, step.event)
    });
    let shown: Vec<String> = shown.collect();
    let before = match left {
        0 => String::new(),
        some => format!("{}, ", counted(some as u64, "step")),
    };
    (!shown.is_empty()).then(|| format!("  order: {before}{}", shown.join(", ")))
}

/// What to do about it.
fn next(finding: &Finding, emitted: Option<&str>, commands: &Commands<'_>) -> Vec<String> {
    let token = emitted.unwrap_or(&finding.schedule);
    let kind = finding.kind;
    let (replay, explain) = (commands.replay, format!("`cargo contest explain {kind}`"));
    let explored = explored_again(finding, commands);
    if token.is_empty() {
        return vec![format!("  next: {explain} says how it is mended")];
    }
    vec![
        format!("  next: {explain} says how it is mended; `{replay} {token}` shows each step"),
        format!("  verify: that replay shows no bug any more, and `{explored}` finds nothing"),
    ]
}

/// The command that explores what showed it once more.
fn explored_again(finding: &Finding, commands: &Commands<'_>) -> String {
    if let Some(test) = &finding.own_test {
        return match finding.kind {
            // Of two tests that meet there is no filter.
            FindingKind::Interference => commands.test.to_owned(),
            _ => format!("{} {}", commands.test, word(test)),
        };
    }
    let token = Token::decode(&finding.schedule).ok();
    let scenario = token
        .as_ref()
        .and_then(|it| it.subject.strip_prefix(SCENARIO));
    match scenario {
        Some(scenario) => format!("{} {}", commands.scenario, word(scenario)),
        None => {
            let name = finding.subject.split('<').next().unwrap_or_default();
            format!("{} {} --budget 20s", commands.run, word(name))
        }
    }
}

/// As one word of a command line.
fn word(text: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "_-:./".contains(it);
    let text = visible(text);
    match text.chars().all(is_plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// What was explored, with the verdict, and what was not.
pub(super) fn summary(summary: &RunSummary, list: &str) -> String {
    let whole = summary.total(|subject| subject.exhausted);
    let interrupted = match summary.interrupted {
        true => ", interrupted",
        false => "",
    };
    let explored = format!(
        "{}explored: {}, {}, {} ({} in every interleaving) in {}{interrupted}: {}",
        match summary.package.as_str() {
            "" => String::new(),
            package => format!("{} ", visible(package)),
        },
        counted(summary.subjects.len() as u64, "type"),
        counted(summary.total(|subject| subject.operations), "operation"),
        counted(summary.total(|subject| subject.tests), "test"),
        count(whole),
        seconds(summary.elapsed),
        human::verdict(summary).trim_end(),
    );
    let not = not_explored(summary);
    let not = match not.is_empty() {
        true => "larger tests; nothing else is known to be missing".to_owned(),
        false => not.join("; ") + &format!("; `{list}` says why types and operations are"),
    };
    format!("{explored}\nnot explored: {}\n", one_line(&not))
}

fn not_explored(summary: &RunSummary) -> Vec<String> {
    let sum = |reasons: Vec<(String, u64)>| reasons.iter().map(|it| it.1).sum::<u64>();
    let (pairs, all) = (
        summary.total(|subject| subject.pairs.0),
        summary.total(|subject| subject.pairs.1),
    );
    let gaps = summary.partly().iter().map(|(_, tests)| tests).sum();
    let names = |names: &[String]| match names {
        [] => String::new(),
        [first] => format!(" ({})", visible(first)),
        [first, rest @ ..] => format!(" ({} and {} more)", visible(first), rest.len()),
    };
    let members: Vec<String> = summary
        .members_not_tested
        .iter()
        .map(|it| it.item.clone())
        .collect();
    let counts = [
        (
            summary.not_reached.len() as u64,
            "type",
            names(&summary.not_reached) + " without a test in this budget",
        ),
        (
            summary.unchanged.len() as u64,
            "type",
            " unchanged".to_owned(),
        ),
        (members.len() as u64, "member", names(&members)),
        (
            all.saturating_sub(pairs),
            "pair",
            format!(" of operations, of {}, beside each other", count(all)),
        ),
        (
            sum(summary.reasons(|it| &it.cut)),
            "test",
            " cut".to_owned(),
        ),
        (gaps, "test", " with gaps".to_owned()),
        (
            sum(summary.reasons(|it| &it.left_out)),
            "test",
            " left out".to_owned(),
        ),
        (
            summary.lost.len() as u64,
            "test",
            " lost with the process".to_owned(),
        ),
        (
            summary.uninstrumented.len() as u64,
            "crate",
            " not instrumented".to_owned(),
        ),
        (
            summary.types_left_out as u64,
            "type",
            " left out".to_owned(),
        ),
        (
            summary.operations_left_out as u64,
            "operation",
            " left out".to_owned(),
        ),
    ];
    let some = counts.into_iter().filter(|(number, ..)| *number > 0);
    some.map(|(number, what, more)| counted(number, what) + &more)
        .collect()
}

#[cfg(test)]
mod tests {
    use contest_data::totals::SubjectTotals;
    use contest_data::trace::Schedule;

    use super::*;
    use crate::sample::deadlock;

    const COMMANDS: Commands<'_> = Commands {
        replay: "cargo contest replay",
        run: "cargo contest run",
        scenario: "cargo contest try",
        test: "cargo contest test",
    };

    fn text(bug: &Finding) -> String {
        finding(bug, None, &COMMANDS, &SourceFiles::default())
    }

    #[test]
    fn a_finding_says_where_why_in_which_order_and_what_is_next() {
        assert_eq!(
            text(&deadlock()),
            "error[deadlock]: threads 1 and 2 wait for each other for ever
  at src/lib.rs:11:28
  at src/lib.rs:21:29
  at src/lib.rs:10:26
  let a = Accounts::new();
  thread 1: a.transfer(1) <hung>
  thread 2: a.audit() <hung>
  why: thread 1 in a.transfer(1) waits for Mutex#2, held by thread 2 since src/lib.rs:20:26
  why: thread 2 in a.audit() waits for Mutex#1, held by thread 1 since src/lib.rs:10:26
  order: T1 lock Mutex#1 @src/lib.rs:10:26, T2 lock Mutex#2 @src/lib.rs:20:26, T2 lock Mutex#1 @src/lib.rs:21:29, \
             T1 lock Mutex#2 @src/lib.rs:11:28
  next: `cargo contest explain deadlock` says how it is mended; `cargo contest replay c1:AbCd` shows each step
  verify: that replay shows no bug any more, and `cargo contest run bank::Accounts --budget 20s` finds nothing
"
        );
    }

    #[test]
    fn a_finding_has_at_most_fifteen_lines_and_no_character_that_acts() {
        let mut long = deadlock();
        long.details = vec!["a\nb".repeat(500); 30];
        long.message = "one\n\u{1b}[31mtwo".to_owned();
        long.subject = "bank::\u{202e}Accounts".to_owned();
        long.threads = vec![vec!["a.f()".to_owned(); 90]; 20];
        let steps = deadlock().interleaving;
        long.interleaving = steps.iter().cycle().take(160).cloned().collect();
        let mut of_test = long.clone();
        of_test.own_test = Some("\u{1b}a::b".to_owned());
        for bug in [long, of_test] {
            let text = human::with_known(&text(&bug), Some("in the baseline"));
            let text = anstream::adapter::strip_str(&text).to_string();
            assert!(text.lines().count() <= 15, "{text}");
            assert!(text.lines().all(|it| it.chars().count() < 400), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
            assert!(
                text.contains("c1:AbCd") && text.contains("verify: "),
                "{text}"
            );
        }
    }

    #[test]
    fn the_command_that_verifies_is_one_of_what_showed_it() {
        let last = |change: &dyn Fn(&mut Finding)| {
            let mut bug = deadlock();
            change(&mut bug);
            text(&bug).lines().last().unwrap().to_owned()
        };
        let doctest = last(&|it| it.own_test = Some("src/lib.rs - f (line 3)".to_owned()));
        assert!(
            doctest.contains("`cargo contest test 'src/lib.rs - f (line 3)'`"),
            "{doctest}"
        );
        let two = last(&|it| {
            it.own_test = Some("a then b".to_owned());
            it.kind = FindingKind::Interference;
        });
        assert!(two.contains("`cargo contest test`"), "{two}");
        let pair = last(&|it| it.subject = "a::{Sender, Receiver}<u8>".to_owned());
        assert!(
            pair.contains("`cargo contest run 'a::{Sender, Receiver}' --budget"),
            "{pair}"
        );
        let package = ("a".to_owned(), "0.1.0".to_owned());
        let (kind, schedule) = (FindingKind::Deadlock, Schedule::default());
        let mut token = Token::of_own_test(&package, kind, "lib", "", &schedule);
        token.subject = format!("{SCENARIO}let a = A::new('x'); a.f() | a.g()");
        let tried = last(&|it| it.schedule = token.encode());
        let quoted = r"`cargo contest try 'let a = A::new('\''x'\''); a.f() | a.g()'`";
        assert!(tried.contains(quoted), "{tried}");
    }

    #[test]
    fn a_run_has_two_lines() {
        let ran = RunSummary {
            package: "a\u{1b} 0.1.0".to_owned(),
            subjects: vec![SubjectTotals {
                operations: 2,
                tests: 5,
                exhausted: 3,
                decisions: 7,
                pairs: (1, 3),
                cut: vec![("budget".to_owned(), 2)],
                ..SubjectTotals::default()
            }],
            types_left_out: 1,
            not_reached: vec!["a::B".to_owned()],
            ..RunSummary::default()
        };
        assert_eq!(
            anstream::adapter::strip_str(&summary(&ran, "cargo contest list")).to_string(),
            "a\\u{1b} 0.1.0 explored: 1 type, 2 operations, 5 tests (3 in every interleaving) in 0 ms: nothing found in 5 tests, \
             3 of them in every interleaving; what was not run was not checked
not explored: 1 type (a::B) without a test in this budget; 2 pairs of operations, of 3, beside each other; 2 tests cut; \
             1 type left out; `cargo contest list` says why types and operations are
"
        );
        let nothing = summary(&RunSummary::default(), "cargo contest list");
        assert!(nothing.contains("nothing was tested"), "{nothing}");
        assert_eq!(nothing.lines().count(), 2, "{nothing}");
    }
}
