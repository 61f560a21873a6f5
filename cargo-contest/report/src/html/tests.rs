//! What the pages contain, without a browser; with one, `tests/long/pages.rs`.

use std::fs;

use contest_data::finding::{Finding, FindingKind, StepEffect, StepFacts};
use contest_data::ladder::RungTotals;
use contest_data::totals::SubjectTotals;

use super::*;
use crate::sample::{deadlock, step};

fn written(findings: &[(Finding, Option<String>)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    write_into(directory.path(), findings);
    directory
}

fn write_into(directory: &Path, findings: &[(Finding, Option<String>)]) {
    let mut summary = RunSummary {
        package: "bank 0.1.0".to_owned(),
        causes: Causes::of_all(findings.iter().map(|(finding, _)| finding)),
        ..RunSummary::default()
    };
    for (finding, _) in findings {
        *summary.findings.entry(finding.kind).or_default() += 1;
    }
    let report = HtmlReport {
        summary: &summary,
        findings,
        left_out: &[],
        sources: &SourceFiles::default(),
        replay: "cargo contest replay",
    };
    write(directory, &report).unwrap();
}

fn pages(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_index_links_to_a_page_that_shows_the_finding() {
    let directory = written(&[(deadlock(), Some("tests/x.rs".to_owned()))]);
    let names = pages(directory.path());
    assert_eq!(names.len(), 2, "{names:?}");
    let index = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(index.contains(&format!("href=\"{}\"", names[0])), "{index}");
    let page = fs::read_to_string(directory.path().join(&names[0])).unwrap();
    for part in [
        "threads 1 and 2 wait for each other for ever",
        "cargo contest replay c1:AbCd",
        "id=\"s4\"",
        "data-l=\"wait:1\"",
        "Mutex#1",
        "tests/x.rs",
        "What a deadlock is",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_page_loads_nothing_and_runs_only_what_its_policy_names() {
    let directory = written(&[(deadlock(), None)]);
    for name in pages(directory.path()) {
        let page = fs::read_to_string(directory.path().join(name)).unwrap();
        assert!(
            page.contains("default-src &#39;none&#39;; script-src &#39;sha256-"),
            "{page}"
        );
        assert_eq!(page.matches("<script>").count(), 1);
        for outside in [
            " src=\"",
            "<link",
            "@import",
            "url(",
            "https://",
            " style=\"",
        ] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}

#[test]
fn what_crates_print_is_text_everywhere() {
    let hostile = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>\" autofocus onfocus=\"x\u{202e}\u{1b}[2J";
    let mut finding = deadlock();
    finding.message = hostile.to_owned();
    finding.subject = hostile.to_owned();
    finding.schedule = hostile.to_owned();
    finding.fingerprint = hostile.to_owned();
    for text in finding
        .details
        .iter_mut()
        .chain(&mut finding.prefix)
        .chain(finding.threads.iter_mut().flatten())
        .chain(&mut finding.locations)
    {
        *text = hostile.to_owned();
    }
    for step in &mut finding.interleaving {
        step.event = hostile.to_owned();
        step.location = format!("{hostile}:1:1");
        step.result = Some(hostile.to_owned());
    }
    let directory = written(&[(finding, Some(hostile.to_owned()))]);
    for name in pages(directory.path()) {
        let page = fs::read_to_string(directory.path().join(&name)).unwrap();
        assert_eq!(page.matches("<script>").count(), 1, "{name}");
        assert_eq!(page.matches("</script>").count(), 1, "{name}");
        for part in ["<img", "\" autofocus", "\u{202e}", "\u{1b}"] {
            assert!(!page.contains(part), "{name}: {part}");
        }
        assert!(page.contains("<b class=\"acts\">\\u{202e}</b>"), "{name}");
    }
}

#[test]
fn pages_of_an_earlier_run_are_removed_and_files_of_others_stay() {
    let directory = written(&[(deadlock(), None)]);
    fs::write(directory.path().join("mine.html"), "<!DOCTYPE html><p>mine").unwrap();
    let old = pages(directory.path())[0].clone();
    let other = Finding {
        subject: "another::Type".to_owned(),
        ..deadlock()
    };
    write_into(directory.path(), &[(other.clone(), None), (other, None)]);
    let names = pages(directory.path());
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(
        names.contains(&"mine.html".to_owned()) && !names.contains(&old),
        "{names:?}"
    );
}

#[test]
fn of_five_thousand_findings_some_have_pages_and_the_rest_is_counted() {
    let findings: Vec<(Finding, Option<String>)> = (0..5_000)
        .map(|n| {
            let subject = format!("a::T{n}");
            (
                Finding {
                    subject,
                    ..deadlock()
                },
                None,
            )
        })
        .collect();
    let directory = written(&findings);
    assert_eq!(pages(directory.path()).len(), MOST_PAGES + 1);
    let index = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(
        index.contains("4500 further findings have no page"),
        "{index}"
    );
    // All of them meet at the same places.
    assert_eq!(index.matches("<article").count(), 1);
    assert!(index.contains("also shows as 4999 deadlock") && index.contains("4949 more"));
    assert!(index.len() < 300 << 10, "{}", index.len());
}

#[test]
fn of_five_thousand_causes_the_most_definite_are_listed_and_an_index_stays_small() {
    let hostile = "<script>\u{202e}".repeat(100);
    let elsewhere = |n: usize, kind| Finding {
        locations: vec![format!("src/lib.rs:{n}:1")],
        threads: vec![vec![hostile.clone()]],
        ..Finding::new(kind, hostile.clone())
    };
    let mut findings: Vec<(Finding, Option<String>)> = (1..5_000)
        .map(|n| (elsewhere(n, FindingKind::NonLinearizable), None))
        .collect();
    findings.push((elsewhere(5_000, FindingKind::DataRace), None));
    let directory = written(&findings);
    let index = fs::read_to_string(directory.path().join("index.html")).unwrap();
    let first = index.find("<article").unwrap();
    let definite = index.find("data-race-").unwrap();
    let second = first + index[first + 1..].find("<article").unwrap();
    assert!((first..second).contains(&definite), "it was found last");
    assert!(index.contains("causes are not listed here"));
    assert!(index.len() < 300 << 10, "{}", index.len());
}

#[test]
fn the_index_has_one_entry_for_a_cause_and_links_to_every_way() {
    let race = |kind, read: &str| Finding {
        locations: vec![read.to_owned()],
        interleaving: vec![
            step(1, Some(0), "load", "src/lib.rs:1:1", ""),
            step(2, Some(0), "store", "src/lib.rs:2:1", ""),
            step(1, Some(0), "store", "src/lib.rs:3:1", "returned ()"),
        ],
        threads: vec![vec![format!("a.{kind}()")]],
        ..Finding::new(kind, format!("{kind} it is"))
    };
    let directory = written(&[
        (race(FindingKind::NonLinearizable, "src/lib.rs:8:1"), None),
        (race(FindingKind::Panic, "src/lib.rs:9:1"), None),
    ]);
    let index = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert_eq!(index.matches("<article").count(), 1, "{index}");
    assert!(index.contains("<b>2 findings</b> of <b>1 cause</b>"));
    assert!(index.contains("also shows as 1 non-linearizable"));
    for name in pages(directory.path()) {
        if name != "index.html" {
            assert!(index.contains(&format!("href=\"{name}\"")));
            let page = fs::read_to_string(directory.path().join(name)).unwrap();
            let back = "<a href=\"index.html#cause-1\">1 other finding of the same cause</a>";
            assert!(page.contains(back), "{page}");
        }
    }
}

#[test]
fn the_ladder_and_what_was_left_out_stand_in_the_index() {
    let rung = RungTotals {
        tests: 40,
        begun: 20,
        complete: 10,
        cut: vec![("budget".to_owned(), 10)],
        ..RungTotals::default()
    };
    let summary = RunSummary {
        subjects: vec![SubjectTotals {
            name: "a::B".to_owned(),
            ladder: vec![rung],
            ..SubjectTotals::default()
        }],
        ..RunSummary::default()
    };
    let reason = Reason {
        why: "not Sync".to_owned(),
        items: vec!["a::C".to_owned(), "a::D".to_owned()],
    };
    let directory = tempfile::tempdir().unwrap();
    let report = HtmlReport {
        summary: &summary,
        findings: &[],
        left_out: &[reason],
        sources: &SourceFiles::default(),
        replay: "",
    };
    write(directory.path(), &report).unwrap();
    let index = fs::read_to_string(directory.path().join("index.html")).unwrap();
    let bar = "<rect class=\"all\" x=\"0\" width=\"50\" height=\"10\"></rect>\
               <rect class=\"cut\" x=\"50\" width=\"50\" height=\"10\"></rect></svg>";
    assert!(index.contains(bar), "{index}");
    assert!(index.contains("2: not Sync (a::C)"), "{index}");
}

#[test]
fn a_long_interleaving_is_written_whole_and_a_usual_one_is_small() {
    let mut long = Finding::new(FindingKind::Panic, "after ten thousand steps");
    long.threads = vec![vec!["a.run()".to_owned()]; 2];
    for number in 0..10_000 {
        let mut step = step(
            1 + (number / 7 % 2) as u16,
            Some(0),
            "AtomicU32#1.load() -> 1",
            "src/lib.rs:1:1",
            "",
        );
        step.facts = Some(StepFacts {
            number,
            effect: StepEffect::Reads,
            ..StepFacts::default()
        });
        long.interleaving.push(step);
    }
    let directory = written(&[(long, None), (deadlock(), None)]);
    for name in pages(directory.path()) {
        let page = fs::read_to_string(directory.path().join(&name)).unwrap();
        if name.starts_with("panic") {
            assert!(
                page.contains("id=\"s10000\"") && page.len() < 8 << 20,
                "{}",
                page.len()
            );
        } else {
            assert!(page.len() < 100 << 10, "{name}: {}", page.len());
        }
    }
}

#[test]
#[cfg(unix)]
fn a_directory_that_cannot_be_written_is_an_error_that_names_it() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("file"), "").unwrap();
    let summary = RunSummary::default();
    let report = HtmlReport {
        summary: &summary,
        findings: &[],
        left_out: &[],
        sources: &SourceFiles::default(),
        replay: "",
    };
    let error = write(&scratch.path().join("file/pages"), &report).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}
