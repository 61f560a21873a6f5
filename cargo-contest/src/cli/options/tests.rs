use super::*;

fn options(arguments: RunArgs, settings: Settings) -> RunOptions {
    RunOptions::new(arguments, settings).unwrap()
}

#[test]
fn the_command_line_wins_over_the_settings() {
    let settings = Settings {
        budget: Some("5s".to_string()),
        seed: Some(2),
        threads: Some(3),
        allow: vec!["panic".to_string()],
        ..Settings::default()
    };
    let arguments = RunArgs {
        seed: Some(7),
        deny: vec![FindingKind::Panic],
        ..RunArgs::default()
    };
    let options = options(arguments, settings);
    assert_eq!(options.budget, Duration::from_secs(5));
    assert_eq!(options.seed, 7);
    assert_eq!(options.threads, 3);
    assert_eq!(options.allow, []);
}

#[test]
fn a_bad_setting_is_named() {
    let settings = Settings {
        budget: Some("soon".to_string()),
        ..Settings::default()
    };
    let error = RunOptions::new(RunArgs::default(), settings).unwrap_err();
    assert!(error.to_string().contains("`budget`"), "{error}");
    let settings = Settings {
        threads: Some(9),
        ..Settings::default()
    };
    let error = RunOptions::new(RunArgs::default(), settings).unwrap_err();
    assert!(error.to_string().contains("from 2 to 3"), "{error}");
    let settings = Settings {
        deny: vec!["pancake".to_string()],
        ..Settings::default()
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
    let of_tests = RunOptions::new(with("loom"), Settings::default()).unwrap_err();
    assert_eq!(of_tests, UsageError::OfTests);
    let unknown = RunOptions::new(with("luck"), Settings::default()).unwrap_err();
    assert!(matches!(unknown, UsageError::Unknown { .. }));
}

#[test]
fn emitted_tests_stay_in_the_target_directory_unless_asked_for() {
    assert_eq!(
        options(RunArgs::default(), Settings::default()).emit,
        EmitInto::TargetDirectory
    );
    let setting = Settings {
        emit: Some(EmitSetting::Switch(true)),
        ..Settings::default()
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
