//! `cargo contest confirm TOKEN`: the finding with real threads, in a program with the package as it is.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::limits::MemoryModel;
use contest_data::token::Token;
use serde::Deserialize;

use super::failure::Failure;
use super::prepare::{self, Prepared};
use super::replay;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::emit;
use contest_build::workspace::scratch_dir::WriteError;
use contest_build::workspace::selection::Tokio;
use contest_drive::campaign::{Interrupt, ReplayEnd};
use contest_drive::harness::NativeProgram;
use contest_report::{Confirmed, Reporter};

/// Rounds that do not end, after which no further process begins.
const MOST_HANGS: u64 = 20;
/// How long a process may take beyond its time.
const LATE: Duration = Duration::from_secs(10);
const STEP: Duration = Duration::from_millis(50);

pub(super) fn confirm(
    common: &CommonArgs,
    what: &str,
    budget: Duration,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let token = replay::token(what)?;
    let refused = |why: &str| Failure::new(ExitCode::Usage, format!("cannot confirm it: {why}"));
    let decoded = Token::decode(&token);
    if decoded.as_ref().is_ok_and(|it| it.own_test().is_some()) {
        return Err(refused(
            "it is about a test of the package, which is a program with real threads already: run that many times",
        ));
    }
    if replay::scenario_of(&token).is_some() {
        return Err(refused(
            "it is about calls that were typed; the emitted test runs them with real threads",
        ));
    }
    let prepared = replay::prepared(&token, common, reporter)?;
    if prepared.package().internal.is_some() {
        return Err(refused(
            "its type is not public, and a program can name public types only; `cargo contest replay` with the same token \
             runs its schedule",
        ));
    }
    let finding = match replay::one(&prepared, &token, interrupt)? {
        ReplayEnd::Interrupted => return Err(Failure::interrupted()),
        ReplayEnd::Replayed(replayed) => replayed.finding.ok_or_else(|| {
            refused("its schedule does not show it any more; `cargo contest replay` says why")
        })?,
        ReplayEnd::Died(context) => {
            return Err(refused(&format!(
                "its schedule ends the process, and what came before is not known: {context}"
            )));
        }
    };
    let source = program(&prepared, &finding).map_err(refused)?;
    let program = prepare::build_native(&prepared, &source, common, reporter)?;
    let mut confirmed = run(&program, budget, interrupt)?;
    confirmed.is_of_weak_memory =
        decoded.is_ok_and(|it| it.schedule.memory_model == MemoryModel::Rc11);
    reporter.confirmed(&prepared.name(), &confirmed);
    Ok(match confirmed.is_seen() {
        true => ExitCode::Findings,
        false => ExitCode::Clean,
    })
}

fn program(prepared: &Prepared, finding: &Finding) -> Result<String, &'static str> {
    let catalog = &prepared.driver.catalog;
    let Some(subject) = catalog.subjects.get(usize::from(finding.test.subject)) else {
        return Err("its type cannot be tested any more");
    };
    // The program depends on it by its own name.
    let tokio = prepared.package().tokio.clone().map(|it| Tokio {
        library: Some("tokio".to_owned()),
        ..it
    });
    emit::program(finding, subject, &catalog.support_items, tokio.as_ref())
}

/// What a process of the program writes down.
#[derive(Debug, Default, Deserialize)]
struct Counts {
    rounds: u64,
    failed: u64,
    hangs: bool,
    first: String,
}

/// Runs the program until the time is over; again where a round did not end, or ended the process.
fn run(
    program: &NativeProgram,
    budget: Duration,
    interrupt: &Interrupt,
) -> Result<Confirmed, Failure> {
    let begun = Instant::now();
    let mut confirmed = Confirmed {
        manifest: program.manifest.display().to_string(),
        ..Confirmed::default()
    };
    let file = program.manifest.with_file_name("counts.json");
    while begun.elapsed() < budget && confirmed.hung < MOST_HANGS {
        let left = budget.saturating_sub(begun.elapsed());
        let (counts, status) = one(program, &file, left, interrupt)?;
        confirmed.rounds += counts.rounds;
        confirmed.failed += counts.failed;
        confirmed.hung += u64::from(counts.hangs);
        if !status.is_some_and(|it| it.success()) {
            confirmed.died += 1;
        }
        if confirmed.first.is_empty() {
            confirmed.first = counts.first;
        }
        // What dies at once would do so for ever.
        if confirmed.died >= MOST_HANGS {
            break;
        }
    }
    confirmed.elapsed = begun.elapsed();
    Ok(confirmed)
}

/// One process of the program: what it has counted, and how it ended; `None` if it had to be stopped.
fn one(
    program: &NativeProgram,
    file: &Path,
    time: Duration,
    interrupt: &Interrupt,
) -> Result<(Counts, Option<ExitStatus>), Failure> {
    let failed = |error| Failure::from(WriteError::new(file, error));
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let mut child = Command::new(&program.executable)
        .arg(file)
        .arg(time.as_secs_f64().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Failure::from(WriteError::new(&program.executable, error)))?;
    let status = end_of(&mut child, Instant::now() + time + LATE, interrupt);
    let text = fs::read_to_string(file).unwrap_or_default();
    let counts = serde_json::from_str(&text).unwrap_or_default();
    match status {
        _ if interrupt.is_set() => Err(Failure::interrupted()),
        status => Ok((counts, status)),
    }
}

fn end_of(child: &mut Child, until: Instant, interrupt: &Interrupt) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if interrupt.is_set() || Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(STEP);
    }
}
