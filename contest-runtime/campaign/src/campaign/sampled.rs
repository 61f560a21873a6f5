//! Complete tests, sampled: a check of the claim that every interleaving was run.
//!
//! What strategies that draw show of a test must be among the results of its exploration. They share its engine and not
//! its reasons to leave executions out.

use super::outcome_key::results_key;
use super::pool::Paused;
use super::prepared_test::PreparedTest;
use super::scenario::results;
use super::test_runner::{Exploring, TestRunner};
use crate::judge::History;
use contest_data::finding::FindingKind;
use contest_data::observed::Sampled;
use contest_data::settings::Package;
use contest_data::test::call_text;
use contest_data::token::Token;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_search::explore::{Budget, Explorer};

/// Strategies that draw each execution by itself.
const SAMPLERS: [&str; 4] = ["random", "pct", "surw", "pos"];
/// So many are kept of a type.
const MOST_TOLD: usize = 10;

/// Takes so many samples of a complete test by each sampler, and notes results that its exploration has not shown.
pub(super) fn sample(
    runner: &mut TestRunner<'_>,
    test: &Paused,
    package: Package,
    samples: u64,
    sampled: &mut Sampled,
) {
    let Paused {
        prepared,
        exploration,
        seed,
        ..
    } = test;
    let Some(known) = exploration.results() else {
        return;
    };
    sampled.tests += 1;
    for name in SAMPLERS {
        let mut explorer = Explorer::new(name, *seed, Budget::executions(samples))
            .expect("there is a strategy of this name");
        let slot = runner.slot();
        loop {
            let mut run = Exploring {
                visible: exploration.visible(),
                ..Exploring::of(runner, &prepared.test)
            };
            let Some(record) = explorer.next(&mut run) else {
                break;
            };
            if record.ending == Ending::Abandoned {
                continue;
            }
            sampled.executions += 1;
            if !known.contains(&results_key(record, &slot)) && sampled.missed.len() < MOST_TOLD {
                let history = History::of(record, &prepared.shape, &slot);
                let text = shown(prepared, package, record, &history);
                sampled.missed.push(format!("{name}: {text}"));
                break;
            }
        }
    }
}

/// The calls with their results, and a token by which the execution is replayed.
fn shown(
    prepared: &PreparedTest,
    package: Package,
    record: &ExecutionRecord,
    history: &History,
) -> String {
    let test = &prepared.test;
    let calls = call_text::threads(test.subject, &test.test);
    let lanes = calls.iter().zip(results(history)).map(|(calls, results)| {
        let calls = calls.iter().zip(results);
        let calls: Vec<String> = calls
            .map(|(call, result)| format!("{call}: {result}"))
            .collect();
        calls.join("; ")
    });
    let lanes: Vec<String> = lanes.collect();
    let prefix = call_text::prefix(test.subject, &test.test).join(" ");
    let token = Token::new(
        package,
        FindingKind::NonLinearizable,
        test,
        &record.schedule,
    );
    format!(
        "{prefix} {}, {:?}; {}",
        lanes.join(" | "),
        record.ending,
        token.encode()
    )
}
