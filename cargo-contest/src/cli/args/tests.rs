use contest_data::finding::FindingKind;

use super::*;
use crate::cli::values::parse_run_budget;
use contest_catalog::run_budget::RunBudget;

fn parsed(words: &str) -> CommandLine {
    parse(std::iter::once("cargo-contest").chain(words.split_whitespace())).unwrap()
}

fn refused(words: &str) -> String {
    let error =
        parse(std::iter::once("cargo-contest").chain(words.split_whitespace())).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

#[test]
fn the_definition_is_consistent() {
    CommandLine::command().debug_assert();
}

#[test]
fn cargo_puts_contest_in_front_and_direct_calls_do_not() {
    assert_eq!(
        parsed("contest run Counter").command.is_some(),
        parsed("run Counter").command.is_some()
    );
    assert_eq!(parsed("contest Counter").run.types, ["Counter"]);
    assert_eq!(parsed("Counter").run.types, ["Counter"]);
}

#[test]
fn run_is_the_default_command() {
    let line = parsed("queue::Bounded --budget 2s --seed 9");
    assert!(line.command.is_none());
    assert_eq!(
        line.run.budget,
        Some(RunBudget::Time(Duration::from_secs(2)))
    );
    assert_eq!(line.run.seed, Some(9));
}

#[test]
fn common_options_stand_before_or_after_the_command() {
    for words in ["-p dashmap list", "list -p dashmap"] {
        let line = parsed(words);
        assert_eq!(line.common.package.as_deref(), Some("dashmap"), "{words}");
        assert!(
            matches!(line.command, Some(CommandArgs::List { .. })),
            "{words}"
        );
    }
}

#[test]
fn every_option_of_the_contract_parses() {
    let line = parsed(
        "run Counter queue::Bounded --manifest-path a/Cargo.toml -p b --features c,d --no-default-features --budget 60s --seed 3 \
         --generator random --strategy pct --threads 3 --calls 4 --jobs 2 --fail-fast --emit out --message-format json --junit j.xml \
         --sarif s.json --shard 1/4 --color never -v --deny panic --allow leak",
    );
    let Some(CommandArgs::Run(run)) = line.command else {
        panic!("not run");
    };
    assert_eq!(run.types, ["Counter", "queue::Bounded"]);
    assert_eq!(run.shard, Some((1, 4)));
    assert_eq!(run.emit, Some("out".into()));
    assert_eq!(run.rules.deny, [FindingKind::Panic.into()]);
    assert_eq!(line.common.features, ["c", "d"]);
    assert_eq!(line.common.message_format, Some(MessageFormat::Json));
}

#[test]
fn emit_without_a_directory_means_tests() {
    assert_eq!(parsed("Counter --emit").run.emit, Some("tests".into()));
}

#[test]
fn budgets_have_a_unit() {
    for (text, milliseconds) in [
        ("500ms", 500),
        ("60s", 60_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
        ("1m 30s", 90_000),
        ("1.5s", 1_500),
    ] {
        assert_eq!(
            parse_budget(text),
            Ok(Duration::from_millis(milliseconds)),
            "{text}"
        );
    }
    for text in ["", "60", "s", "-1s", "0s", "99999999999999999999s", "1001h"] {
        assert!(parse_budget(text).is_err(), "{text}");
    }
}

#[test]
fn a_budget_of_a_run_is_a_time_or_work() {
    let read = parse_run_budget;
    assert_eq!(read("60s"), Ok(RunBudget::Time(Duration::from_secs(60))));
    for (text, steps) in [
        ("5Msteps", 5_000_000),
        ("200ksteps", 200_000),
        ("2 G steps", 2_000_000_000),
        ("80000steps", 80_000),
    ] {
        assert_eq!(read(text), Ok(RunBudget::Steps(steps)), "{text}");
    }
    for text in [
        "0steps",
        "steps",
        "1.5Msteps",
        "-1steps",
        "5Tsteps",
        "99999999999Gsteps",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(refused("--budget 5M").contains("`5Msteps`"));
    assert!(refused("--budget 1xsteps").contains("`5Msteps`"));
}

#[test]
fn a_malformed_value_says_how_it_is_written() {
    assert!(refused("--budget 60").contains("`60s`"));
    assert!(refused("--seed x").contains("whole number"));
    assert!(refused("--shard 5/4").contains("`1/4`"));
    assert!(refused("--allow race").contains("data-race"));
    assert!(refused("--threads 4").contains("2..=3"));
}
