//! `--message-format cargo-json`: what editors and other readers of cargo's messages get.

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};

use crate::support::{Run, Subject, run, tool};

const FORMAT: [&str; 2] = ["--message-format", "cargo-json"];

const MANIFEST: &str = "[package]\nname = \"bank\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// A test that fails if the other thread comes between.
const TESTS: &str = "use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

static N: AtomicU8 = AtomicU8::new(0);

pub fn count() { let old = N.load(SeqCst); N.store(old + 1, SeqCst); }

#[test]
fn both_count() {
    std::thread::scope(|scope| { scope.spawn(count); count(); });
    assert_eq!(N.load(SeqCst), 2);
}
";

/// The messages, each of which cargo's own type has to read, and whether the build succeeded.
#[track_caller]
fn messages(run: &Run) -> (Vec<Message>, bool) {
    let lines = run.stdout.lines();
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let mut all: Vec<Message> = lines.map(read).collect();
    let Some(Message::BuildFinished(last)) = all.pop() else {
        panic!("{}{}", run.stdout, run.stderr);
    };
    assert!(!all.iter().any(|it| matches!(it, Message::BuildFinished(_))));
    (all, last.success)
}

fn is_finding(diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code.as_ref();
    code.is_some_and(|it| it.code.starts_with("contest::"))
}

#[track_caller]
fn findings(run: &Run) -> Vec<Diagnostic> {
    let all = messages(run).0.into_iter().filter_map(|it| match it {
        Message::CompilerMessage(it) if is_finding(&it.message) => {
            assert!(it.package_id.repr.starts_with("path+file://"), "{it:?}");
            Some(it.message)
        }
        _ => None,
    });
    all.collect()
}

/// What a span marks, and its line.
fn marked(subject: &Subject, span: &DiagnosticSpan) -> (String, String) {
    let text = subject.read(&span.file_name);
    let line = text.lines().nth(span.line_start - 1).unwrap();
    assert_eq!(span.text[0].text, line);
    let bytes = span.byte_start as usize..span.byte_end as usize;
    (text[bytes].to_owned(), line.trim().to_owned())
}

#[test]
fn a_deadlock_is_a_message_of_the_compiler_at_the_line_that_waits() {
    let copy = Subject::copy("faulty/abba");
    let arguments = ["--fail-fast", "--no-emit", "--budget", "60s"];
    let run = copy.contest(&[&FORMAT[..], &arguments].concat()).status(1);
    let (all, success) = messages(&run);
    assert!(!success);
    let checked = |it: &Message| matches!(it, Message::CompilerArtifact(_));
    assert!(all.iter().any(checked), "{}", run.stdout);
    let [finding] = &findings(&run)[..] else {
        panic!("{}", run.stdout);
    };
    assert_eq!(finding.level, DiagnosticLevel::Error);
    assert_eq!(finding.code.as_ref().unwrap().code, "contest::deadlock");
    let [primary] = &finding.spans[..] else {
        panic!("{:?}", finding.spans);
    };
    assert!(primary.is_primary);
    assert_eq!(primary.file_name, "src/lib.rs");
    let (text, line) = marked(&copy, primary);
    assert!(text == "lock" && line.contains(".lock()"), "{text}: {line}");
    assert_eq!(primary.column_end - primary.column_start, 4);
    let notes: Vec<_> = finding.children.iter().flat_map(|it| &it.spans).collect();
    assert!(notes.len() >= 3, "{:#?}", finding.children);
    for span in notes {
        assert!(marked(&copy, span).1.contains(".lock()"), "{span:?}");
    }
    let help = finding.children.last().unwrap();
    assert_eq!(help.level, DiagnosticLevel::Help);
    assert!(
        help.message.contains("cargo contest replay contest1-"),
        "{}",
        help.message
    );
    assert!(run.stderr.contains("error[deadlock]"), "{}", run.stderr);
}

#[test]
fn findings_of_tests_are_messages_too_and_a_clean_run_is_a_build_that_succeeds() {
    let copy = Subject::with(
        "tests-of-an-editor",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", TESTS)],
    );
    let arguments = [&["test"], &FORMAT[..]].concat();
    let run = copy.contest(&arguments).status(1);
    let [finding] = &findings(&run)[..] else {
        panic!("{}{}", run.stdout, run.stderr);
    };
    assert_eq!(finding.code.as_ref().unwrap().code, "contest::panic");
    let (_, line) = marked(&copy, &finding.spans[0]);
    assert!(line.starts_with("assert_eq!("), "{line}");
    let in_test = |it: &Diagnostic| it.message == "in the test both_count";
    assert!(finding.children.iter().any(in_test), "{finding:?}");

    let mended = TESTS.replace(
        "let old = N.load(SeqCst); N.store(old + 1, SeqCst)",
        "N.fetch_add(1, SeqCst)",
    );
    assert_ne!(mended, TESTS);
    copy.write("src/lib.rs", &mended);
    let run = copy.contest(&arguments).status(0);
    assert!(messages(&run).1, "{}", run.stdout);
    assert_eq!(findings(&run), []);
}

#[test]
fn paths_of_a_member_are_relative_to_the_root_of_the_workspace() {
    let library = Subject::copy("faulty/abba").read("src/lib.rs");
    let copy = Subject::with(
        "workspace-of-an-editor",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"crates/bank\"]\nresolver = \"3\"\n",
            ),
            ("crates/bank/Cargo.toml", MANIFEST),
            ("crates/bank/src/lib.rs", &library),
        ],
    );
    let arguments = ["--fail-fast", "--no-emit", "--budget", "60s"];
    for directory in ["", "crates/bank"] {
        let mut command = tool();
        command.args(FORMAT).args(arguments);
        command.current_dir(copy.directory.join(directory));
        let run = run(command).status(1);
        let found = findings(&run);
        assert_eq!(found[0].spans[0].file_name, "crates/bank/src/lib.rs");
        assert!(marked(&copy, &found[0].spans[0]).1.contains(".lock()"));
    }
}

#[test]
fn of_a_dependency_only_what_can_be_compiled_here_is_checked() {
    let library = Subject::copy("faulty/abba").read("src/lib.rs");
    let manifest = MANIFEST.replace("bank", "app")
        + "[dependencies]\nbank = { path = \"bank\" }\n[workspace]\nexclude = [\"bank\"]\n";
    let copy = Subject::with(
        "dependency-of-an-editor",
        &[
            ("Cargo.toml", &manifest),
            ("src/lib.rs", "pub use bank::Accounts;\n"),
            ("bank/Cargo.toml", MANIFEST),
            ("bank/src/lib.rs", &library),
            ("bank/tests/more.rs", "extern crate only_for_tests;\n"),
        ],
    );
    let arguments = ["-p", "bank", "--fail-fast", "--no-emit", "--budget", "60s"];
    let run = copy.contest(&[&FORMAT[..], &arguments].concat()).status(1);
    let all = messages(&run).0.into_iter();
    let all: Vec<_> = all
        .filter_map(|it| match it {
            Message::CompilerMessage(it) => Some(it.message),
            _ => None,
        })
        .collect();
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(is_finding(&all[0]));
    assert_eq!(all[0].spans[0].file_name, "bank/src/lib.rs");
}

#[test]
fn an_unchanged_crate_has_no_findings_and_one_that_does_not_compile_has_the_compilers_errors() {
    let copy = Subject::copy("faulty/abba");
    // Its tree at the revision is below the target directory.
    let manifest = copy.read("Cargo.toml");
    copy.write("Cargo.toml", &format!("{manifest}\n[workspace]\n"));
    let git = |arguments: &str| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        command
            .args(arguments.split(' '))
            .current_dir(&copy.directory);
        run(command).status(0);
    };
    git("init -q");
    git("add Cargo.toml src");
    git("commit -q -m all");
    let since = [
        "--since",
        "HEAD",
        "--no-emit",
        "--fail-fast",
        "--budget",
        "60s",
    ];
    let unchanged = copy.contest(&[&FORMAT[..], &since].concat()).status(0);
    assert!(messages(&unchanged).1);
    assert_eq!(findings(&unchanged), []);
    let source = copy.read("src/lib.rs");
    let other = source.replace("unwrap() + *self", "unwrap() - *self");
    assert_ne!(other, source);
    copy.write("src/lib.rs", &other);
    let changed = copy.contest(&[&FORMAT[..], &since].concat()).status(1);
    assert_eq!(findings(&changed).len(), 1, "{}", changed.stderr);

    copy.write(
        "src/lib.rs",
        &format!("{source}\nfn broken() -> u8 {{ \"x\" }}\n"),
    );
    let broken = copy.contest(&FORMAT).status(3);
    let (all, success) = messages(&broken);
    let error = |it: &Message| matches!(it, Message::CompilerMessage(it) if it.message.code.as_ref().is_some_and(|it| it.code == "E0308"));
    assert!(!success && all.iter().any(error), "{}", broken.stdout);
}
