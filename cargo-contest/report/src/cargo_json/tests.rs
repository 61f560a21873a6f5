use cargo_metadata::Message as CargoMessage;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};
use contest_data::finding::{Level, StepFacts};

use super::*;
use crate::sample::{deadlock, step};

/// A package in a workspace, with a line of the source for each place of the sample.
struct Scene {
    root: tempfile::TempDir,
    package: CargoPackage,
    sources: SourceFiles,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("bank");
        std::fs::create_dir_all(directory.join("src")).unwrap();
        let line = "        let balance = self.balance.lock().unwrap();\n";
        let source = directory.join("src/lib.rs");
        std::fs::write(&source, line.repeat(30)).unwrap();
        let package = CargoPackage {
            id: "path+file:///bank#0.1.0".to_owned(),
            manifest: directory.join("Cargo.toml"),
            target: json!({"kind": ["lib"], "crate_types": ["lib"], "name": "bank", "src_path": source, "edition": "2024",
                           "doc": true, "doctest": true, "test": true}),
            library_source: source.canonicalize().unwrap(),
            workspace_root: root.path().canonicalize().unwrap(),
        };
        let sources = SourceFiles::new(&[&directory, root.path()], None);
        Self {
            root,
            package,
            sources,
        }
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let command = "cargo contest replay";
        let message = message(&self.package, finding, None, None, command, &self.sources);
        assert!(!message.line.contains('\n'), "{}", message.line);
        let read: CargoMessage = serde_json::from_str(&message.line).unwrap();
        let CargoMessage::CompilerMessage(read) = read else {
            panic!("{}", message.line);
        };
        assert_eq!(read.package_id.repr, "path+file:///bank#0.1.0");
        read.message
    }

    /// What the span marks.
    fn text<'a>(&self, span: &DiagnosticSpan, whole: &'a mut String) -> &'a str {
        *whole = std::fs::read_to_string(self.root.path().join(&span.file_name)).unwrap();
        &whole[span.byte_start as usize..span.byte_end as usize]
    }
}

fn of_level(diagnostic: &Diagnostic, level: DiagnosticLevel) -> Vec<&Diagnostic> {
    let children = diagnostic.children.iter();
    children.filter(|it| it.level == level).collect()
}

#[test]
fn a_deadlock_is_an_error_at_its_wait_with_the_other_threads_as_notes() {
    let scene = Scene::new();
    let diagnostic = scene.diagnostic(&deadlock());
    assert_eq!(diagnostic.level, DiagnosticLevel::Error);
    let code = diagnostic.code.as_ref().unwrap();
    assert_eq!(code.code, "contest::deadlock");
    assert!(code.explanation.is_some());
    assert!(
        diagnostic
            .rendered
            .as_ref()
            .unwrap()
            .starts_with("error[deadlock]")
    );
    let [span] = &diagnostic.spans[..] else {
        panic!("{:?}", diagnostic.spans);
    };
    assert!(span.is_primary);
    assert_eq!(span.file_name, "bank/src/lib.rs");
    assert_eq!((span.line_start, span.column_start), (11, 28));
    assert_eq!(scene.text(span, &mut String::new()), "balance");
    let label = span.label.as_deref();
    assert_eq!(
        label,
        Some("thread 1, in a.transfer(1): lock Mutex#2, <hung>")
    );
    let notes = of_level(&diagnostic, DiagnosticLevel::Note);
    let lines: Vec<usize> = notes
        .iter()
        .flat_map(|it| &it.spans)
        .map(|it| it.line_start)
        .collect();
    assert_eq!(lines, [10, 20, 21]);
    assert!(
        notes
            .iter()
            .any(|it| it.message.contains("thread 2: a.audit()"))
    );
    let help = of_level(&diagnostic, DiagnosticLevel::Help);
    assert!(
        help[0]
            .message
            .starts_with("`cargo contest replay c1:AbCd`")
    );
}

#[test]
fn a_warning_is_one_and_text_that_acts_is_written_out() {
    let mut finding = deadlock();
    finding.level = Level::Warning;
    finding.message = "\u{1b}[31m\u{202e}".to_owned();
    let diagnostic = Scene::new().diagnostic(&finding);
    assert_eq!(diagnostic.level, DiagnosticLevel::Warning);
    assert_eq!(diagnostic.message, "\\u{1b}[31m\\u{202e}");
    finding.message = "ä".repeat(1 << 20);
    finding.details = vec![finding.message.clone()];
    let diagnostic = Scene::new().diagnostic(&finding);
    assert_eq!(diagnostic.message.chars().count(), MOST_TEXT + 1);
    let notes = of_level(&diagnostic, DiagnosticLevel::Note);
    assert!(notes.iter().all(|it| it.message.len() < 3 * MOST_TEXT));
}

#[test]
fn a_file_that_is_gone_and_a_line_that_is_not_there_lead_to_the_root_of_the_crate() {
    let scene = Scene::new();
    for place in [
        "src/gone.rs:1:1",
        "src/lib.rs:99:1",
        "library/core/src/x.rs:1:1",
        "",
    ] {
        let mut finding = deadlock();
        finding.locations = vec![place.to_owned()];
        for step in &mut finding.interleaving {
            step.location = place.to_owned();
        }
        let diagnostic = scene.diagnostic(&finding);
        let span = &diagnostic.spans[0];
        assert_eq!((&*span.file_name, span.line_start), ("bank/src/lib.rs", 1));
        let notes = of_level(&diagnostic, DiagnosticLevel::Note);
        assert_eq!(notes[0].message, "no line of the package is known for this");
    }
    std::fs::remove_dir_all(scene.root.path().join("bank")).unwrap();
    let gone = Scene {
        sources: SourceFiles::new(&[], None),
        ..scene
    };
    assert_eq!(gone.diagnostic(&deadlock()).spans, []);
}

#[test]
fn a_long_interleaving_has_its_end_and_the_number_of_other_steps() {
    let mut finding = deadlock();
    let read = |line: u32| {
        let mut step = step(1, Some(0), "x.load()", &format!("src/lib.rs:{line}:9"), "");
        step.facts = Some(StepFacts {
            effect: StepEffect::Reads,
            ..StepFacts::default()
        });
        step
    };
    let end = std::mem::take(&mut finding.interleaving);
    finding.interleaving = (1..30).cycle().take(200).map(read).chain(end).collect();
    let diagnostic = Scene::new().diagnostic(&finding);
    let notes = of_level(&diagnostic, DiagnosticLevel::Note);
    let steps: Vec<_> = notes.iter().filter(|it| !it.spans.is_empty()).collect();
    assert_eq!(steps.len(), MOST_STEPS);
    assert!(
        steps[MOST_STEPS - 1]
            .message
            .ends_with("lock Mutex#1, <hung>")
    );
    assert_eq!(
        notes.last().unwrap().message,
        "187 more steps; a replay shows all"
    );
}

#[test]
fn what_is_at_one_line_and_of_one_kind_is_recognised() {
    let scene = Scene::new();
    let at = |finding: &Finding| {
        message(&scene.package, finding, None, None, "", &scene.sources).shown_at
    };
    let mut other = deadlock();
    other.message = "threads 2 and 3".to_owned();
    assert_eq!(at(&deadlock()), at(&other));
    other.locations = vec!["src/lib.rs:12:5".to_owned()];
    assert_ne!(at(&deadlock()), at(&other));
    other = deadlock();
    other.own_test = Some("a::b".to_owned());
    assert_ne!(at(&deadlock()), at(&other));
}
