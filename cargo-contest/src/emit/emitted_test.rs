//! The source of an emitted test: the object, the prefix, the threads, the schedule. Meant to be read and kept.

use std::fmt::Write as _;
use std::hash::Hasher as _;

use contest_data::finding::{Finding, FindingKind};
use fnv::FnvHasher;

use super::futures;
use super::in_threads;
use super::libraries::Libraries;
use super::test_code::{Code, block};
use super::token_in_file::CONSTANT;
use super::turns;
use contest_build::workspace::selection::Tokio;
use contest_catalog::expression::Style;
use contest_catalog::subject_catalog::{SubjectEntry, SupportItem};
use contest_discover::scenario::{ScenarioText, awaits};

/// Line with the hash of everything below it.
const HASH_LINE: &str = "// contest-hash: ";
/// Line that names the bug.
const BUG_LINE: &str = "// contest-bug: ";
/// Rounds of the stress test.
const ROUNDS: u32 = 1000;
/// Seconds after which no further round of it begins: calls may wait for real time.
const ENOUGH_AFTER: u32 = 5;
/// Seconds until a round is called hung.
const HUNG_AFTER: u32 = 20;

/// The file for a finding about a type. The subject's constructors and operations are those the finding's numbers refer
/// to.
#[must_use]
pub fn source(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    libraries: Libraries<'_>,
) -> String {
    // How a future is cancelled is not known to `emitted!`.
    let contest = libraries
        .contest
        .filter(|_| !futures::disturbs(finding, subject));
    let body = match contest {
        Some(contest) => annotated_body(name, finding, subject, support, package, contest),
        None => body(name, finding, subject, support, package, libraries.tokio),
    };
    format!("{HASH_LINE}{:016x}\n{body}", hash(&body))
}

/// The file for a finding about a scenario that the user has typed, in its own words; `library` is the crate name of
/// the package.
#[must_use]
pub fn source_of_scenario(
    name: &str,
    finding: &Finding,
    scenario: &ScenarioText,
    support: &[SupportItem],
    library: &str,
    package: &str,
) -> String {
    let mut body = header(
        name,
        finding,
        package,
        &uncontrolled(detects(finding.kind, false)),
    );
    body.push_str(&scenario.uses("    "));
    let _ = write!(
        body,
        "    stress(|| {{\n        #[allow(unused_imports)]\n        use {library}::*;\n"
    );
    body.push_str(&scenario.setup_source("block_on", "        "));
    // As in the scenario, calls see references to what all threads share.
    let shared = scenario.shared();
    let _ = write!(
        body,
        "        let shared = {shared};
        let {shared} = &shared;
        let start = std::sync::Barrier::new({threads});
        std::thread::scope(|scope| {{
",
        threads = scenario.lanes.len(),
    );
    for calls in &scenario.lanes {
        body.push_str("            scope.spawn(|| {\n                start.wait();\n");
        for call in calls {
            let _ = if awaits(call) {
                writeln!(
                    body,
                    "                let _ = block_on(async {{ {call} }});"
                )
            } else {
                writeln!(body, "                let _ = {call};")
            };
        }
        body.push_str("            });\n");
    }
    body.push_str("        });\n    });\n}\n");
    body.push_str(&stress());
    futures::write_helpers(&mut body);
    write_support(&mut body, support);
    format!("{HASH_LINE}{:016x}\n{body}", hash(&body))
}

/// True if the file was not edited since it was written.
#[must_use]
pub fn is_untouched(file: &str) -> bool {
    file.strip_prefix(HASH_LINE)
        .and_then(|rest| rest.split_once('\n'))
        .is_some_and(|(line, body)| line == format!("{:016x}", hash(body)))
}

/// Declaration of the interleaving in the emitted test of an annotated type.
const INTERLEAVING: &str = "const INTERLEAVING: &str = \"";

/// True if it is a test of an annotated type whose interleaving is not filled in yet.
#[must_use]
pub fn lacks_interleaving(file: &str) -> bool {
    is_untouched(file) && file.contains(&format!("{INTERLEAVING}\";"))
}

/// The file with this interleaving; it counts as untouched again.
#[must_use]
pub fn with_interleaving(file: &str, interleaving: &str) -> String {
    let body = file.split_once('\n').map_or(file, |(_, body)| body);
    let body = body.replacen(
        &format!("{INTERLEAVING}\";"),
        &format!("{INTERLEAVING}{interleaving}\";"),
        1,
    );
    format!("{HASH_LINE}{:016x}\n{body}", hash(&body))
}

/// The interleaving that a failing test suggests.
#[must_use]
pub fn named_interleaving(output: &str) -> Option<String> {
    let (_, after) = output.split_once(INTERLEAVING)?;
    let (interleaving, _) = after.split_once('"')?;
    (!interleaving.is_empty()).then(|| interleaving.to_owned())
}

/// True if the file is about this bug.
#[must_use]
pub fn is_about(file: &str, finding: &Finding) -> bool {
    let line = bug_line(finding);
    file.lines().any(|other| other == line.trim_end())
}

pub(super) fn bug_line(finding: &Finding) -> String {
    format!("{BUG_LINE}{}\n", finding.fingerprint.replace('\n', " "))
}

/// The file with this body.
pub(super) fn with_hash(body: &str) -> String {
    format!("{HASH_LINE}{:016x}\n{body}", hash(body))
}

/// FNV-1a: stable over releases of Rust, which std's hasher does not promise. It detects edits; it protects against
/// nothing.
fn hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn body(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    tokio: Option<&Tokio>,
) -> String {
    let code = Code {
        finding,
        subject,
        style: Style::Standalone,
        tokio: tokio.and_then(|it| it.library.as_deref()),
    };
    // Tasks of a runtime take their own turns, at which one thread that polls the calls does not look.
    let plays = tokio.is_none() && turns::is_playable(finding);
    let compares = !plays && in_threads::shows_results(&code);
    let plain = if plays {
        "//! Under plain `cargo test` one thread plays the interleaving, the same way every time. It fails as long as the bug is\n\
         //! there. Edit it freely: a file that was edited is never overwritten."
            .to_owned()
    } else {
        uncontrolled(detects(finding.kind, compares))
    };
    let mut out = header(name, finding, package, &plain);
    if plays {
        turns::write_body(&mut out, finding);
        out.push_str("}\n");
        turns::write_helpers(&mut out, &code);
    } else {
        in_threads::write_rounds(&mut out, &code, "stress");
        out.push_str(&stress());
        in_threads::write_helpers(&mut out, &code);
    }
    write_what_it_needs(&mut out, &code, tokio, support);
    out
}

/// Adds the functions, the runtime and the items of the catalog that the code uses.
pub(super) fn write_what_it_needs(
    out: &mut String,
    code: &Code<'_>,
    tokio: Option<&Tokio>,
    support: &[SupportItem],
) {
    futures::write_helpers(out);
    if let Some(tokio) = tokio {
        futures::write_runtime(out, tokio, code.on_workers());
    }
    write_support(out, support);
}

fn write_support(out: &mut String, support: &[SupportItem]) {
    for item in used_support(out, support) {
        let source = item.emitted.as_ref().unwrap_or(&item.source);
        let _ = write!(out, "\n{}\n", source.trim());
    }
}

/// Everything above the code: which bug, its schedule, what is expected. `plain` says what plain `cargo test` does.
fn header(name: &str, finding: &Finding, package: &str, plain: &str) -> String {
    let mut out = bug_line(finding);
    let _ = write!(
        out,
        "\
//! Found by cargo-contest in {package}: {kind}.
//!
//! {message}
//!
//! `cargo contest test` runs this test under a controlled scheduler with the schedule below, the same way every time.
{plain}
#![allow(unused_parens)] // a value that is cast, as to `dyn`, has them

/// The schedule that shows it.
#[allow(dead_code)] // read by `cargo contest test`
const {CONSTANT}: &str = \"{schedule}\";

#[test]
fn {name}() {{
    // Expected: every interleaving of the threads below ends as some order of their calls, one after another, does.
    // Found:    {message}
",
        kind = finding.kind,
        message = one_line(&finding.message),
        schedule = finding.schedule,
    );
    for line in &finding.details {
        let _ = writeln!(out, "    //           {}", one_line(line));
    }
    out
}

/// What a stress test is, for its reader.
fn uncontrolled(detects: &str) -> String {
    format!(
        "//! Under plain `cargo test` it is an uncontrolled stress test: up to {ROUNDS} rounds with real threads, {detects}.\n\
         //! It may pass although the bug is there. Edit it freely: a file that was edited is never overwritten."
    )
}

/// What the stress test notices.
fn detects(kind: FindingKind, compares: bool) -> &'static str {
    match kind {
        _ if compares => "which fails if a thread panics or hangs, or if results are wrong",
        FindingKind::NonLinearizable | FindingKind::TornRead | FindingKind::Cancellation => {
            "which fails if a thread panics or hangs; it does not compare results"
        }
        FindingKind::Abort => "which dies as the process did",
        _ => "which fails if a thread panics or hangs",
    }
}

/// What runs the rounds.
fn stress() -> String {
    format!(
        "
/// Runs `round` again and again with real threads, for some seconds at most; fails if one panics or does not end.
fn stress(round: impl Fn() + Send + 'static) {{
    let (ended, ends) = std::sync::mpsc::channel();
    let rounds = std::thread::spawn(move || {{
        let begun = std::time::Instant::now();
        for _ in 0..{ROUNDS} {{
            round();
            let _ = ended.send(());
            if begun.elapsed() > std::time::Duration::from_secs({ENOUGH_AFTER}) {{
                return;
            }}
        }}
    }});
    loop {{
        match ends.recv_timeout(std::time::Duration::from_secs({HUNG_AFTER})) {{
            Ok(()) => {{}}
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!(\"hung: a round did not end in {HUNG_AFTER} s\"),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
        }}
    }}
    if let Err(panic) = rounds.join() {{
        std::panic::resume_unwind(panic);
    }}
}}
"
    )
}

/// The body for an annotated type: the test runs under plain `cargo test` as it was found.
fn annotated_body(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    contest: &str,
) -> String {
    let code = Code {
        finding,
        subject,
        style: Style::Driver,
        tokio: None,
    };
    let mut out = bug_line(finding);
    let _ = write!(
        out,
        "\
//! Found by cargo-contest in {package}: {kind}.
//!
//! {message}
//!
//! Runs under plain `cargo test`, controlled: the interleaving below first, the same way every time. If the code has
//! changed so that it does not fit any more, or if it is empty, others are searched for a short time, and `--nocapture`
//! says so. It fails as long as the bug is there. Edit it freely: a file that was edited is never overwritten.

/// The schedule that showed it to `cargo contest`; `cargo contest test` runs it.
#[allow(dead_code)] // read by `cargo contest test`
const {CONSTANT}: &str = \"{schedule}\";

/// The interleaving of this test to begin with. A failure names the one it found.
const INTERLEAVING: &str = \"\";

#[test]
fn {name}() {{
    // Expected: every interleaving of the threads below ends as some order of their calls, one after another, does.
    // Found:    {message}
",
        kind = finding.kind,
        message = one_line(&finding.message),
        schedule = finding.schedule,
    );
    for line in &finding.details {
        let _ = writeln!(out, "    //           {}", one_line(line));
    }
    let _ = write!(
        out,
        "    {contest}::emitted! {{\n        interleaving: INTERLEAVING;\n        objects {{\n"
    );
    for (binding, made, object) in code.made() {
        let (open, close) = block(&binding);
        let _ = writeln!(
            out,
            "            {object}: {} = {open}{made}{close};",
            subject.type_expression
        );
    }
    out.push_str("        }\n        prefix {\n");
    for call in &finding.test.prefix {
        code.call_in_macro(&mut out, call, true, contest);
    }
    out.push_str("        }\n");
    for calls in &finding.test.threads {
        out.push_str("        thread {\n");
        for call in calls {
            code.call_in_macro(&mut out, call, false, contest);
        }
        out.push_str("        }\n");
    }
    out.push_str("    }\n}\n");
    for item in used_support(&out, support) {
        let _ = write!(out, "\n{}\n", item.source.trim());
    }
    out
}

/// Support items that the code uses, directly or through others.
fn used_support<'a>(code: &str, support: &'a [SupportItem]) -> Vec<&'a SupportItem> {
    let mut used: Vec<&SupportItem> = Vec::new();
    let mut text = code.to_string();
    loop {
        let more: Vec<&SupportItem> = support
            .iter()
            .filter(|item| !used.contains(item) && item.is_named_in(&text))
            .collect();
        if more.is_empty() {
            return used;
        }
        text = more.iter().map(|item| item.source.as_str()).collect();
        used.extend(more);
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
