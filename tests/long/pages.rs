//! Reports that are files, as a user gets them; `explain`; GitHub Actions.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Subject, run, tool};

#[test]
fn one_run_writes_pages_trace_events_and_sarif() {
    let copy = Subject::copy("faulty/abba");
    let reports = tempfile::tempdir().unwrap();
    let path = |name: &str| reports.path().join(name).display().to_string();
    let before = copy.tree();
    let run = copy
        .contest(&[
            "--fail-fast",
            "--format",
            "short",
            "--html",
            &path("pages"),
            "--trace",
            &path("trace.json"),
            "--sarif",
            &path("result.sarif"),
        ])
        .status(1);
    assert_eq!(before, copy.tree(), "the source tree was touched");
    let finding = run.stdout.split("error[deadlock]").nth(1).unwrap();
    let lines = finding
        .lines()
        .take_while(|line| !line.contains("abba 0."))
        .count();
    assert!(lines <= 10, "{finding}");

    let index = fs::read_to_string(path("pages/index.html")).unwrap();
    let link = index.split("href=\"").find_map(|part| {
        part.split('"')
            .next()
            .filter(|it| it.starts_with("deadlock-"))
    });
    let page = fs::read_to_string(path(&format!("pages/{}", link.unwrap()))).unwrap();
    assert!(
        page.contains("data-l=\"wait:"),
        "who waits for whom is drawn"
    );
    assert!(
        page.contains("class=\"kw\">let</span>"),
        "the source is beside the steps"
    );
    assert!(page.len() < 300 << 10, "{}", page.len());

    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(path(name)).unwrap()).unwrap()
    };
    let events = read("trace.json")["traceEvents"]
        .as_array()
        .unwrap()
        .clone();
    assert!(
        events
            .iter()
            .any(|event| event["ph"] == "s" && event["name"] == "waits for")
    );
    let sarif = read("result.sarif");
    let flows = &sarif["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    assert_eq!(flows.as_array().unwrap().len(), 2, "{sarif}");
}

#[test]
fn reports_that_cannot_be_written_are_refused_before_anything_slow() {
    let copy = Subject::copy("faulty/abba");
    let before = copy.tree();
    for (option, place) in [
        ("--html", "src/lib.rs/pages"),
        ("--sarif", "src/lib.rs/a.sarif"),
        ("--trace", "src"),
    ] {
        let run = copy.contest(&["--no-emit", option, place]).status(2);
        let says = format!("error: {option}: cannot write {place}: ");
        assert!(run.stderr.contains(&says), "{}", run.stderr);
        assert!(!run.text().contains("error[deadlock]"), "{}", run.stdout);
    }
    assert_eq!(before, copy.tree(), "the source tree was touched");
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let copy = Subject::copy("faulty/abba");
    let summary = copy.directory.join("summary.md");
    fs::write(&summary, "of another step\n").unwrap();
    let mut command = tool();
    command
        .args(["contest", "--no-emit", "--fail-fast"])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_WORKSPACE", &copy.directory)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .current_dir(&copy.directory);
    let run = run(command).status(1);
    assert!(
        run.stdout.contains("\n::error file=src/lib.rs,line="),
        "{}",
        run.stdout
    );
    let summary = fs::read_to_string(summary).unwrap();
    assert!(
        summary.starts_with("of another step\n## cargo contest: "),
        "{summary}"
    );
    assert!(summary.contains("| `deadlock` | "), "{summary}");
}

#[test]
fn every_kind_is_explained_and_its_example_has_that_bug() {
    let shown = |kind: &str| {
        let mut command = tool();
        command.args(["contest", "explain", kind, "--message-format", "json"]);
        let run = run(command).status(0);
        run.with_reason("explanation")[0].clone()
    };
    let mut command = tool();
    command.args(["contest", "explain", "--message-format", "json"]);
    let all = run(command).status(0).with_reason("explanation");
    let kinds: Vec<&str> = all.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert!(kinds.len() >= 12, "{kinds:?}");
    // An annotated type needs the runtime among its dependencies, so it is a package of its own.
    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"explained\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    let mut modules = String::new();
    let plain: Vec<&str> = kinds
        .iter()
        .copied()
        .filter(|kind| *kind != "invariant")
        .collect();
    for kind in &plain {
        let name = kind.replace('-', "_");
        copy.write(
            &format!("src/{name}.rs"),
            shown(kind)["example"].as_str().unwrap(),
        );
        modules.push_str(&format!("pub mod {name};\n"));
    }
    copy.write("src/lib.rs", &modules);
    // Kinds that are only reported on request are requested.
    let options = [
        "--message-format",
        "json",
        "--no-emit",
        "--deny",
        "reentrant-waker",
        "--deny",
        "futurelock",
    ];
    let is_found = |findings: &[Value], kind: &str| {
        let module = kind.replace('-', "_");
        let path = [format!("explained::{module}::"), format!("{module}::")];
        findings.iter().any(|it| {
            it["kind"] == kind
                && path
                    .iter()
                    .any(|path| it["type"].as_str().unwrap().starts_with(path))
        })
    };
    let (of_tests, plain): (Vec<&str>, Vec<&str>) = plain
        .iter()
        .partition(|kind| ["timing", "randomness", "interference"].contains(kind));
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    for kind in of_tests {
        assert!(
            is_found(&run.with_reason("finding"), kind),
            "no {kind} in its example: {:?}",
            run.kinds()
        );
    }
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        plain.iter().all(|kind| is_found(findings, kind))
    });
    let run = run.status(1);
    for kind in plain {
        assert!(
            is_found(&run.with_reason("finding"), kind),
            "no {kind} in its example: {:?}\n{}",
            run.kinds(),
            run.stderr
        );
    }
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn the_example_of_an_invariant_fails_its_test() {
    let mut command = tool();
    command.args([
        "contest",
        "explain",
        "invariant",
        "--message-format",
        "json",
    ]);
    let example = run(command).status(0).with_reason("explanation")[0]["example"].clone();
    let copy = Subject::empty();
    let runtime = crate::support::root().join("contest-runtime");
    let dependency = format!("{{ path = {:?}", runtime.canonicalize().unwrap());
    copy.write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"explained\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
             contest-runtime = {dependency} }}\n[dev-dependencies]\ncontest-runtime = {dependency}, features = [\"explore\"] }}\n"
        ),
    );
    let test = "\n#[test]\nfn tickets() {\n    contest::check::<Tickets>().run();\n}\n";
    copy.write(
        "src/lib.rs",
        &format!("{}{test}", example.as_str().unwrap()),
    );
    // Where the tests of `init` have built the runtime, as they do.
    let built = concat!(env!("CARGO_TARGET_TMPDIR"), "/built");
    let options = ["--target-dir", built, "--config", "profile.dev.debug=0"];
    let run = copy.cargo(&[&["test", "--lib"], &options[..]].concat());
    assert!(
        run.stdout.contains("(invariant)"),
        "{}\n{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn completions_and_the_manual_name_the_commands() {
    for (arguments, part) in [
        (&["contest", "completions", "bash"][..], "--html"),
        (&["contest", "man"], ".SH"),
    ] {
        let mut command = tool();
        command.args(arguments);
        let run = run(command).status(0);
        assert!(
            run.stdout.contains(part) && run.stdout.contains("explain"),
            "{}",
            run.stdout
        );
    }
}
