use contest_data::subject::StandInMode;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

use super::*;
use crate::sample::deadlock;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made, OperationEntry, Passed, Taken,
};

fn number(passed: Passed) -> ArgumentRecipe {
    ArgumentRecipe {
        type_expression: Some("u32".to_string()),
        passed,
        choices: ["0", "1"]
            .map(|text| ArgumentChoice {
                text: text.to_string(),
                expression: text.into(),
            })
            .to_vec(),
        of_texts: false,
    }
}

fn operation(name: &str, arguments: Vec<ArgumentRecipe>, taken: Taken) -> OperationEntry {
    let holes = Expression::arguments(0, arguments.len());
    let call = Expression::Object.method(name, holes);
    OperationEntry {
        arguments,
        declared: "src/lib.rs:1".to_string(),
        ..OperationEntry::new(name, taken, call.clone(), call)
    }
}

fn accounts() -> SubjectEntry {
    SubjectEntry {
        path: "bank::Accounts".to_string(),
        type_expression: "bank::Accounts".to_string(),
        declared: "src/lib.rs:1".to_string(),
        constructors: vec![ConstructorEntry {
            text: "Accounts::new()".into(),
            expression: "bank::Accounts::new()".into(),
            made: Made::Plain,
            mode: StandInMode::Usual,
            arguments: Vec::new(),
        }],
        operations: vec![
            operation("transfer", vec![number(Passed::Value)], Taken::Reference),
            operation("audit", vec![number(Passed::Reference)], Taken::Reference),
            operation("reset", Vec::new(), Taken::MutableReference),
        ],
        left_out: Vec::new(),
    }
}

fn finding() -> Finding {
    let call = |operation, choices: &[u8]| TestCall {
        object: 0,
        operation,
        choices: choices.to_vec(),
    };
    Finding {
        test: ConcurrentTest {
            subject: 0,
            objects: vec![TestObject {
                constructor: 0,
                choices: Vec::new(),
            }],
            prefix: vec![call(2, &[])],
            threads: vec![vec![call(0, &[1])], vec![call(1, &[0])]],
        },
        ..deadlock()
    }
}

fn emitted(finding: &Finding, directory: &Path) -> (PathBuf, String) {
    let path = emit(
        finding,
        &accounts(),
        &[],
        "bank 0.1.0",
        Libraries::default(),
        directory,
    )
    .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn the_test_shows_object_prefix_threads_and_schedule() {
    let directory = tempfile::tempdir().unwrap();
    let (path, text) = emitted(&finding(), directory.path());
    assert_eq!(path.file_name().unwrap(), "contest_accounts_deadlock_1.rs");
    for part in [
        "const SCHEDULE: &str = \"c1:AbCd\";",
        "fn contest_accounts_deadlock_1() {",
        "let mut a: std::sync::Arc<bank::Accounts> = std::sync::Arc::new(bank::Accounts::new());",
        "let _ = std::sync::Arc::get_mut(&mut a).expect(\"not shared yet\").reset();",
        "{ let x: u32 = 1; let _ = a.transfer(x); }",
        "{ let x: u32 = 0; let _ = a.audit(&x); }",
        "uncontrolled stress test",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(token_in_file::token_of(&text).as_deref(), Some("c1:AbCd"));
}

#[test]
fn the_test_says_nothing_to_an_engine_that_the_package_does_not_have() {
    let mut subject = accounts();
    let closure = Expression::Closure {
        parameters: vec!["_".into()],
        body: Box::new("1".into()),
        pointer: "fn(u32) -> u32".to_owned(),
        counted: true,
    };
    let audit = Expression::Object.method("audit", [closure]).step();
    subject.operations[1].expression = audit.method("get", []);
    subject.operations[1].arguments.clear();
    let directory = tempfile::tempdir().unwrap();
    let path = emit(
        &finding(),
        &subject,
        &[],
        "bank 0.1.0",
        Libraries::default(),
        directory.path(),
    );
    let text = fs::read_to_string(path.unwrap()).unwrap();
    let call = "let _ = std::convert::identity(a.audit(((|_| { 1 }) as fn(u32) -> u32))).get();";
    assert!(text.contains(call), "{text}");
    assert!(!text.contains("::contest::"), "{text}");
}

#[test]
fn the_same_bug_gets_its_file_again_and_another_the_next_number() {
    let directory = tempfile::tempdir().unwrap();
    let (first, _) = emitted(&finding(), directory.path());
    let again = Finding {
        schedule: "c1:Shorter".to_string(),
        ..finding()
    };
    let (second, text) = emitted(&again, directory.path());
    assert_eq!(first, second);
    assert!(text.contains("c1:Shorter"));
    let other = Finding {
        fingerprint: "another".to_string(),
        ..finding()
    };
    let (third, _) = emitted(&other, directory.path());
    assert_eq!(third.file_name().unwrap(), "contest_accounts_deadlock_2.rs");
}

#[test]
fn a_file_edited_by_hand_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (path, text) = emitted(&finding(), directory.path());
    let edited = text.replace("1000", "5");
    fs::write(&path, &edited).unwrap();
    let again = Finding {
        schedule: "c1:Shorter".to_string(),
        ..finding()
    };
    let (second, text) = emitted(&again, directory.path());
    assert_eq!(path, second);
    assert_eq!(text, edited);
}

#[test]
fn a_test_of_an_annotated_type_takes_its_interleaving_and_stays_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let path = emit(
        &finding(),
        &accounts(),
        &[],
        "bank 0.1.0",
        Libraries {
            contest: Some("racing"),
            tokio: None,
        },
        directory.path(),
    )
    .unwrap();
    let text = fs::read_to_string(path).unwrap();
    for part in [
        "racing::emitted! {",
        "a: bank::Accounts = std::sync::Arc::new(bank::Accounts::new());",
        "std::sync::Arc::get_mut(&mut a).expect(\"not shared yet\").reset();",
        "{ let x: u32 = 1; a.transfer(x) };",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    syn::parse_file(&text).unwrap();
    assert!(emitted_test::lacks_interleaving(&text));
    let filled = emitted_test::with_interleaving(&text, "AQIAAmRC");
    assert!(emitted_test::is_untouched(&filled), "{filled}");
    assert!(!emitted_test::lacks_interleaving(&filled));
    let shown = "note: to have it first: const INTERLEAVING: &str = \"AQIAAmRC\";";
    assert_eq!(
        emitted_test::named_interleaving(shown).as_deref(),
        Some("AQIAAmRC")
    );
    assert_eq!(emitted_test::named_interleaving(&text), None);
}

#[test]
fn the_test_of_a_scenario_has_its_words_and_the_next_one_another_number() {
    let directory = tempfile::tempdir().unwrap();
    let text =
        "let a = Accounts::new(); let (b, c) = (1, 2); a.transfer(*b); a.audit() | a.transfer(*c)";
    let scenario = ScenarioText::parse(text).unwrap();
    let write = |finding: &Finding| {
        emit_scenario(
            finding,
            &scenario,
            &[],
            "bank",
            "bank 0.1.0",
            directory.path(),
        )
        .unwrap()
    };
    let path = write(&finding());
    let text = fs::read_to_string(&path).unwrap();
    syn::parse_file(&text).unwrap();
    for part in [
        "const SCHEDULE: &str = \"c1:AbCd\";",
        "fn contest_scenario_deadlock_1() {",
        "use bank::*;",
        "let (b, c) = (1, 2);",
        "let (a, b, c) = &shared;",
        "let _ = a.transfer(*c);",
        "Barrier::new(2)",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(emitted_test::is_untouched(&text));
    let other = Finding {
        fingerprint: "another".to_string(),
        ..finding()
    };
    assert_eq!(write(&finding()), path);
    assert!(write(&other).ends_with("contest_scenario_deadlock_2.rs"));
}

#[test]
fn the_test_of_a_scenario_declares_the_stand_ins_that_it_names() {
    let directory = tempfile::tempdir().unwrap();
    let item = |name: &str| SupportItem {
        name: name.to_owned(),
        source: format!("pub struct {name};"),
        emitted: None,
    };
    let support = [item("StandInBank"), item("StandInStore")];
    let text = "let a = Accounts::new(StandInBank); a.audit() | a.audit()";
    let scenario = ScenarioText::parse(text).unwrap();
    assert!(scenario.names_stand_ins());
    let (found, of, here) = (finding(), "bank 0.1.0", directory.path());
    let path = emit_scenario(&found, &scenario, &support, "bank", of, here).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    syn::parse_file(&text).unwrap();
    assert!(text.contains("pub struct StandInBank;"), "{text}");
    assert!(!text.contains("StandInStore"), "{text}");
}
