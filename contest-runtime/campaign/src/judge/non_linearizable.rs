//! Results that no serial order of the calls explains, in words.

use super::history::History;
use super::history::Observed;
use super::judgement::Judge;
use super::linearizability::differences;
use super::serial_outcomes::SerialRun;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::sorted;
use contest_data::test::CallName;
use contest_data::trace::Outcome;

/// Most observers that are listed in a line.
const MOST_OBSERVERS: usize = 4;
/// Most serial orders that are listed.
const MOST_LISTED: usize = 6;

/// The suspicion for a history that no run explains.
pub(super) fn suspicion(judge: &Judge<'_>, history: &History) -> Suspicion {
    let (message, calls) = headline(judge, history);
    let details = details(judge, history, &calls);
    Suspicion {
        kind: FindingKind::NonLinearizable,
        rests_on_order: false,
        message,
        details,
        locations: Vec::new(),
        calls,
        only_reads: false,
    }
}

/// What the calls returned here, and what they return one after another.
pub(super) fn details(judge: &Judge<'_>, history: &History, calls: &[CallName]) -> Vec<String> {
    let mut observers: Vec<CallName> = history
        .observer_calls()
        .map(|(name, _)| name)
        .filter(|&name| calls.contains(&name) || judge.is_informative(name, history))
        .collect();
    observers.truncate(MOST_OBSERVERS);
    let mut details = vec![format!("here: {}", line(judge, history, None, &observers))];
    let mut listed: Vec<String> = Vec::new();
    for run in judge.outcomes.all() {
        let text = line(judge, &run.history, Some(&run.order), &observers);
        if !listed.contains(&text) {
            listed.push(text);
        }
    }
    details.extend(
        listed
            .iter()
            .take(MOST_LISTED)
            .map(|text| format!("one after another: {text}")),
    );
    if listed.len() > MOST_LISTED {
        details.push(format!(
            "and {} other serial outcomes",
            listed.len() - MOST_LISTED
        ));
    }
    details
}

/// The shortest true sentence about the difference, and the calls it is about.
fn headline(judge: &Judge<'_>, history: &History) -> (String, Vec<CallName>) {
    let runs: Vec<&SerialRun> = judge.outcomes.all().collect();
    let never = |name: CallName, here: &Observed| {
        runs.iter().all(|run| {
            run.history
                .call(name)
                .is_none_or(|there| !judge.compared.equal(name, &here.outcome, &there.outcome))
        })
    };
    // One call returned what it never returns.
    if let Some((name, call)) = history.lane_calls().find(|(name, call)| never(*name, call)) {
        let seen = values(runs.iter().copied(), name);
        let (here, seen) = around_difference(&outcome(&call.outcome), &seen);
        return (
            format!(
                "{} returned {here}; one call after another, it returns {}",
                judge.text(name),
                seen.join(" or ")
            ),
            vec![name],
        );
    }
    // All calls returned what they may return together, but the object is left in a state it never is left in.
    let lanes_explained: Vec<&SerialRun> = runs
        .iter()
        .copied()
        .filter(|run| {
            differences(history, &run.history, judge.compared)
                .iter()
                .all(|name| matches!(name, CallName::Main(_)))
        })
        .collect();
    if !lanes_explained.is_empty() {
        let state = |(name, call): (CallName, &Observed)| {
            let seen: Vec<String> = values(lanes_explained.iter().copied(), name);
            let here = outcome(&call.outcome);
            (!judge.compared.ignored.contains(&name) && !seen.contains(&here))
                .then_some((name, here, seen))
        };
        if let Some((name, here, seen)) = history.observer_calls().find_map(state) {
            return (
                format!(
                    "afterwards {} is {here}; one call after another, it is {}",
                    judge.text(name),
                    seen.join(" or ")
                ),
                vec![name],
            );
        }
    }
    // Each result is possible, not all of them together.
    let calls: Vec<CallName> = history
        .lane_calls()
        .map(|(name, _)| name)
        .filter(|name| !judge.compared.ignored.contains(name))
        .collect();
    let texts: Vec<String> = calls.iter().map(|&name| judge.text(name)).collect();
    let alike = texts.len() == 2 && texts[0] == texts[1];
    let results = |history: &History| -> String {
        let mut results: Vec<String> = calls
            .iter()
            .filter_map(|&name| Some(outcome(&history.call(name)?.outcome)))
            .collect();
        // Which of two equal calls returned what does not matter to a reader.
        if alike {
            sorted::sort(&mut results);
        }
        results.join(" and ")
    };
    let who = if alike {
        format!("two calls of {}", texts[0])
    } else {
        texts.join(" and ")
    };
    let here = results(history);
    let mut serial: Vec<String> = runs.iter().map(|run| results(&run.history)).collect();
    sorted::sort(&mut serial);
    serial.dedup();
    let message = if serial.contains(&here) || serial.len() > 4 {
        format!("{who} return {here}: no order of the calls explains these results together")
    } else {
        format!(
            "{who} return {here}; one after another, they return {}",
            serial.join(", or ")
        )
    };
    (message, calls)
}

/// Distinct results of a call over runs, sorted.
pub(super) fn values<'a>(
    runs: impl IntoIterator<Item = &'a SerialRun>,
    name: CallName,
) -> Vec<String> {
    let mut all: Vec<String> = runs
        .into_iter()
        .filter_map(|run| run.history.call(name))
        .map(|call| outcome(&call.outcome))
        .collect();
    sorted::sort(&mut all);
    all.dedup();
    all
}

/// `a.inc() -> 1, a.inc() -> 2; afterwards a.get() = 2`
fn line(
    judge: &Judge<'_>,
    history: &History,
    order: Option<&[u8]>,
    observers: &[CallName],
) -> String {
    let mut done = vec![0; history.lanes.len()];
    let names: Vec<CallName> = match order {
        Some(order) => order
            .iter()
            .filter_map(|&lane| {
                // A call that takes two steps stands where its first one is.
                let lane = usize::from(lane);
                let step = *done.get(lane)?;
                done[lane] += 1;
                let begun = |steps| judge.outcomes.calls_begun(lane, steps);
                (begun(step + 1) > begun(step)).then(|| CallName::Lane(lane, begun(step)))
            })
            .collect(),
        None => history.lane_calls().map(|(name, _)| name).collect(),
    };
    let part = |name: CallName, sign: &str| {
        let call = history.call(name)?;
        (call.outcome != Outcome::Absent)
            .then(|| format!("{} {sign} {}", judge.text(name), outcome(&call.outcome)))
    };
    let calls: Vec<String> = names
        .into_iter()
        .filter_map(|name| part(name, "->"))
        .collect();
    let state: Vec<String> = observers
        .iter()
        .filter_map(|&name| part(name, "="))
        .collect();
    if state.is_empty() {
        calls.join(", ")
    } else {
        format!("{}; afterwards {}", calls.join(", "), state.join(", "))
    }
}

/// Longest value that a headline shows whole, in characters.
const LONG: usize = 120;

/// Long values cut down to where they differ.
fn around_difference(here: &str, seen: &[String]) -> (String, Vec<String>) {
    let longest = seen
        .iter()
        .map(String::len)
        .max()
        .unwrap_or(0)
        .max(here.len());
    if longest <= LONG {
        return (here.to_owned(), seen.to_vec());
    }
    let same = |other: &String| {
        here.chars()
            .zip(other.chars())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let start = seen
        .iter()
        .map(same)
        .max()
        .unwrap_or(0)
        .saturating_sub(LONG / 3);
    let cut = |text: &str| {
        let mut window: String = text.chars().skip(start).take(LONG).collect();
        if start > 0 {
            window.insert(0, '…');
        }
        if text.chars().count() > start + LONG {
            window.push('…');
        }
        window
    };
    let mut others: Vec<String> = seen.iter().map(|text| cut(text)).collect();
    others.dedup();
    others.truncate(3);
    (cut(here), others)
}

/// An outcome as people read it.
pub(super) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(Some(text)) => text.clone(),
        Outcome::Returned(None) => "(not observable)".to_owned(),
        Outcome::Panicked(message, _) => format!("panic: {message}"),
        Outcome::Pending => "<hung>".to_owned(),
        Outcome::Absent => "(not started)".to_owned(),
    }
}
