//! A failing execution in words that shuttle's users know, and where its schedule goes.

use std::io::{Error, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::FailurePersistence;
use contest_campaign::judge::of_model;
use contest_data::finding::FindingKind;
use contest_data::trace::{BlockedThread, Ending, ExecutionRecord};

/// Why the execution fails, if it does: as for a model, in the words of shuttle where its users look for them.
pub(super) fn failure_text(record: &ExecutionRecord) -> Option<String> {
    let failure = of_model::failure(record, &[], false)?;
    let mut text = match (failure.kind, &record.ending) {
        (FindingKind::Deadlock, Ending::Deadlock(blocked)) => deadlock_text(blocked),
        (FindingKind::Livelock, Ending::Livelock(blocked)) => format!(
            "exceeded max_steps bound or would have: threads go round loops for ever: [{}]",
            waits(blocked)
        ),
        (FindingKind::Limit, Ending::StepLimit(steps)) => format!(
            "exceeded max_steps bound {steps}. this might be caused by an unfair schedule (e.g., a spin loop)?"
        ),
        (FindingKind::Panic, _) => failure.message,
        (kind, _) => format!("{}: {}", kind.words(), failure.message),
    };
    for panic in &record.panics {
        if !text.starts_with(&panic.message) {
            text.push_str("\nother panic: ");
            text.push_str(&panic.message);
        }
    }
    Some(text)
}

fn deadlock_text(blocked: &[BlockedThread]) -> String {
    let holder = blocked
        .iter()
        .find(|blocked| blocked.waits_for.held_by().contains(&blocked.thread));
    let lock = holder.and_then(|holder| holder.waits_for.lock());
    let again = lock
        .map(|lock| {
            let what = lock.name.what;
            format!(" tried to acquire a {what} it already holds:")
        })
        .unwrap_or_default();
    format!("deadlock!{again} blocked tasks: [{}]", waits(blocked))
}

fn waits(blocked: &[BlockedThread]) -> String {
    let wait = |blocked: &BlockedThread| {
        format!(
            "{} {}, at {}",
            blocked.name, blocked.waits_for, blocked.location
        )
    };
    blocked.iter().map(wait).collect::<Vec<_>>().join(", ")
}

/// Keeps the schedule; returns what to add to the message.
pub(super) fn kept(record: &ExecutionRecord, persistence: &FailurePersistence) -> String {
    let schedule = record.schedule.to_text();
    match persistence {
        FailurePersistence::None => String::new(),
        FailurePersistence::Print => format!("\nfailing schedule:\n\"\n{schedule}\n\"\n"),
        FailurePersistence::File(folder) => {
            match write_schedule(&folder.clone().unwrap_or_default(), &schedule) {
                Ok(path) => format!("\nfailing schedule persisted to file: {}\n", path.display()),
                Err(error) => format!(
                    "\ncannot write the schedule to a file ({error}), here it is:\n{schedule}\n"
                ),
            }
        }
    }
}

fn write_schedule(folder: &Path, schedule: &str) -> Result<PathBuf, Error> {
    for number in 0_u32.. {
        let path = folder.join(format!("schedule{number:03}.txt"));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(schedule.as_bytes())?;
                return path.canonicalize();
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
