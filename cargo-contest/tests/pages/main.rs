//! Pages in a real browser, if there is one: our script runs, and nothing that a crate under test printed does.

mod browser;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use browser::Browser;
use contest_data::finding::{
    Finding, FindingKind, InterleavingStep, LinkKind, StepEffect, StepFacts, StepLink,
};
use contest_report::causes::Causes;
use contest_report::html::{self, HtmlReport};
use contest_report::run_summary::RunSummary;
use contest_report::source_files::SourceFiles;

/// Marks the page if it runs in any way.
const HOSTILE: &str = "</code></pre></title></style></script><script>document.documentElement.id='owned'</script>\
    <img src=x onerror=\"document.documentElement.id='owned'\"><svg onload=\"document.documentElement.id='owned'\">\
    \" onmouseover=\"document.documentElement.id='owned'\" autofocus onfocus=\"document.documentElement.id='owned'\" x=\"\
    javascript:document.documentElement.id='owned' \u{202e}\u{1b}]8;;x\u{7}";

fn step(thread: u16, number: u32, event: &str, effect: StepEffect) -> InterleavingStep {
    InterleavingStep {
        thread,
        call: Some(0),
        event: event.to_owned(),
        caller: None,
        location: "src/lib.rs:2:9".to_owned(),
        result: None,
        facts: Some(StepFacts {
            number,
            object: "AtomicU32#1".to_owned(),
            effect,
            ..StepFacts::default()
        }),
    }
}

/// A write, and a read of it by another thread.
fn finding(text: &str, steps: u32) -> Finding {
    let mut finding = Finding::new(FindingKind::Panic, text);
    finding.subject = text.to_owned();
    finding.details = vec![text.to_owned()];
    finding.prefix = vec![text.to_owned()];
    finding.threads = vec![vec![text.to_owned()], vec![text.to_owned()]];
    finding.locations = vec!["src/lib.rs:2:9".to_owned(), text.to_owned()];
    finding.schedule = text.to_owned();
    for number in 0..steps {
        let (thread, effect) = match number % 2 {
            0 => (1, StepEffect::Writes),
            _ => (2, StepEffect::Reads),
        };
        let mut step = step(thread, number, text, effect);
        if let (Some(facts), true) = (&mut step.facts, number % 2 == 1) {
            facts.links.push(StepLink {
                why: LinkKind::ReadsFrom,
                step: number - 1,
            });
        }
        finding.interleaving.push(step);
    }
    if let Some(last) = finding.interleaving.last_mut() {
        last.result = Some(format!("panicked: {text}"));
    }
    finding
}

/// Writes the pages of a finding, and the source that it names; the path of the finding's page.
fn page_of(directory: &Path, finding: Finding) -> PathBuf {
    let package = directory.join("package");
    fs::create_dir_all(package.join("src")).unwrap();
    let source = format!("fn f() {{\n    g(\"{HOSTILE}\");\n}}\n");
    fs::write(package.join("src/lib.rs"), source).unwrap();
    let summary = RunSummary {
        package: finding.message.clone(),
        findings: [(finding.kind, 1)].into(),
        causes: Causes::of_all([&finding]),
        ..RunSummary::default()
    };
    let pages = directory.join("pages");
    let report = HtmlReport {
        summary: &summary,
        findings: &[(finding, None)],
        left_out: &[],
        sources: &SourceFiles::new(&[&package], None),
        replay: "cargo contest replay",
    };
    html::write(&pages, &report).unwrap();
    let mut entries = fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries.find(|path| !path.ends_with("index.html")).unwrap()
}

#[test]
fn our_script_draws_and_text_of_crates_does_not_run() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let page = page_of(directory.path(), finding(HOSTILE, 6));
    // Arrows are drawn for what is on the screen.
    let shown = browser.dom_at(&page, "#s6");
    assert!(!shown.contains("id=\"owned\""), "{shown}");
    assert!(
        shown.contains("class=\"arrows\"") && shown.contains("<path d=\"M"),
        "no arrows: {shown}"
    );
    assert!(
        shown.contains("Step 6 of 6"),
        "the script did not run: {shown}"
    );
    let index = browser.dom(&page.with_file_name("index.html"));
    assert!(!index.contains("id=\"owned\""), "{index}");
}

#[test]
fn the_policy_stops_a_script_even_if_it_became_markup() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let page = page_of(directory.path(), finding("harmless", 6));
    let text = fs::read_to_string(&page).unwrap();
    let script = "<script>document.documentElement.id='owned'</script><img src=x onerror=\"document.documentElement.id='owned'\">";
    let broken = text.replace("<main id=\"main\">", &format!("<main id=\"main\">{script}"));
    assert_ne!(text, broken);
    fs::write(&page, &broken).unwrap();
    assert!(!browser.dom(&page).contains("id=\"owned\""));
    // Without the policy it runs, so the test can fail.
    let policy = broken.find("<meta http-equiv").unwrap();
    let end = policy + broken[policy..].find('>').unwrap() + 1;
    fs::write(&page, [&broken[..policy], &broken[end..]].concat()).unwrap();
    assert!(browser.dom(&page).contains("id=\"owned\""));
}

/// Most bytes of the page of a usual finding.
const HEAVIEST: u64 = 300 << 10;
/// Most work to its first paint.
const SLOWEST: Duration = Duration::from_millis(200);

#[test]
fn a_usual_page_is_light_and_soon_painted() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("usual", "a.push(1)"), ("hostile", HOSTILE)] {
        let directory = directory.path().join(name);
        let page = page_of(&directory, finding(text, 60));
        let bytes = fs::metadata(&page).unwrap().len();
        // A busy machine delays a paint, so what counts is the work for it; the fastest of some.
        let painted = (0..3).map(|_| browser.first_paint(&page)).min().unwrap();
        println!("{name}: {bytes} bytes, {painted:?}");
        assert!(bytes < HEAVIEST, "{bytes}");
        assert!(painted.work < SLOWEST, "{painted:?}");
    }
}

#[test]
fn ten_thousand_steps_are_shown() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let page = page_of(directory.path(), finding("load", 10_000));
    let shown = browser.dom(&page);
    assert!(shown.contains("All 10000 steps"));
    // Arrows are drawn for what is on the screen only.
    let arrows = shown.matches("<path d=\"M").count();
    assert!((1..1_000).contains(&arrows), "{arrows}");
}

#[test]
fn an_address_of_a_step_leads_to_the_step() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let page = page_of(directory.path(), finding("load", 20));
    let shown = browser.dom_at(&page, "#s7");
    assert!(shown.contains("Step 7 of 20: thread 1: load"), "{shown}");
    assert!(shown.contains("aria-current=\"step\""), "{shown}");
}
