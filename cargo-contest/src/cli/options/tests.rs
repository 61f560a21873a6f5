use std::time::Duration;

use contest_data::finding::{Allowed, FindingKind};

use super::*;
use crate::cli::settings::LevelTable;

fn options(arguments: RunArgs, settings: ManifestSettings) -> RunOptions {
    RunOptions::new(arguments, settings).unwrap()
}

#[test]
fn the_command_line_wins_over_the_settings() {
    let settings = ManifestSettings {
        budget: Some("5s".to_string()),
        seed: Some(2),
        threads: Some(3),
        levels: vec![LevelTable {
            allow: vec!["panic".to_string()],
            ..LevelTable::default()
        }],
        ..ManifestSettings::default()
    };
    let arguments = RunArgs {
        seed: Some(7),
        rules: Rules {
            deny: vec![FindingKind::Panic.into()],
            ..Rules::default()
        },
        ..RunArgs::default()
    };
    let options = options(arguments, settings);
    assert_eq!(options.settings.budget, Duration::from_secs(5));
    assert_eq!(options.settings.seed, 7);
    assert_eq!(options.settings.size.threads, Some(3));
    assert_eq!(options.settings.allow, Allowed::by_default());
}

#[test]
fn a_bad_setting_is_named() {
    let settings = ManifestSettings {
        budget: Some("soon".to_string()),
        ..ManifestSettings::default()
    };
    let error = RunOptions::new(RunArgs::default(), settings).unwrap_err();
    assert!(error.to_string().contains("`budget`"), "{error}");
    let settings = ManifestSettings {
        threads: Some(9),
        ..ManifestSettings::default()
    };
    let error = RunOptions::new(RunArgs::default(), settings).unwrap_err();
    assert!(error.to_string().contains("from 2 to 3"), "{error}");
    let settings = ManifestSettings {
        levels: vec![LevelTable {
            deny: vec!["pancake".to_string()],
            ..LevelTable::default()
        }],
        ..ManifestSettings::default()
    };
    let error = RunOptions::new(RunArgs::default(), settings).unwrap_err();
    assert!(error.to_string().contains("pancake"), "{error}");
}

#[test]
fn a_strategy_for_tests_is_not_merely_unknown() {
    let with = |strategy: &str| RunArgs {
        strategy: Some(strategy.to_string()),
        ..RunArgs::default()
    };
    let of_tests = RunOptions::new(with("loom"), ManifestSettings::default()).unwrap_err();
    assert_eq!(of_tests, UsageError::OfTests);
    let unknown = RunOptions::new(with("luck"), ManifestSettings::default()).unwrap_err();
    assert!(matches!(unknown, UsageError::Unknown { .. }));
}

#[test]
fn real_threads_are_for_generated_tests_only() {
    let stress = || Some("stress".to_string());
    let run = RunArgs {
        strategy: stress(),
        ..RunArgs::default()
    };
    let options = options(run, ManifestSettings::default());
    assert_eq!(options.settings.strategy, "stress");
    let refused = strategy(stress()).unwrap_err();
    assert!(matches!(refused, UsageError::Unknown { .. }));
}

#[test]
fn emitted_tests_stay_in_the_target_directory_unless_requested() {
    assert_eq!(
        options(RunArgs::default(), ManifestSettings::default()).emit,
        EmitInto::TargetDirectory
    );
    let setting = ManifestSettings {
        emit: Some(DirectorySetting::Switch(true)),
        ..ManifestSettings::default()
    };
    assert_eq!(
        options(RunArgs::default(), setting.clone()).emit,
        EmitInto::Directory("tests".into())
    );
    let no_emit = RunArgs {
        no_emit: true,
        ..RunArgs::default()
    };
    assert_eq!(options(no_emit, setting).emit, EmitInto::Nowhere);
}
