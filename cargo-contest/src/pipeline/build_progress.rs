//! What is shown while cargo builds.

use contest_catalog::progress_event::ProgressEvent;
use contest_drive::harness::{BuildEvent, BuildStage};

pub(super) fn progress(name: &str, event: BuildEvent) -> Option<ProgressEvent> {
    match event {
        BuildEvent::Started(stage) => Some(ProgressEvent::Step(match stage {
            BuildStage::Runtime => "building the runtime of cargo-contest".to_string(),
            BuildStage::Driver => format!("building {name}, instrumented, and its driver"),
            BuildStage::Tests => format!("building the tests of {name}, instrumented"),
            BuildStage::Plain => format!("building {name} as it is"),
        })),
        BuildEvent::Progress {
            done,
            total,
            building,
            ..
        } => Some(ProgressEvent::StepProgress(format!(
            "{done}/{total} {building}"
        ))),
        BuildEvent::LeftOut { items } => Some(ProgressEvent::StepProgress(format!(
            "again, without {items} items that do not compile"
        ))),
        BuildEvent::Waiting => Some(ProgressEvent::Step(
            "waiting for another run of cargo-contest, which builds the runtime".to_string(),
        )),
        BuildEvent::CacheUnusable { directory, why } => Some(ProgressEvent::Warning(format!(
            "no runtime can be kept in {} ({why}); it is built in the target directory. Name another directory with --cache-dir or \
             CONTEST_CACHE_DIR, or none with --no-cache",
            directory.display()
        ))),
        BuildEvent::AllocatorReplaced { package } => Some(ProgressEvent::Warning(format!(
            "the global allocator of {package} is not used in this run: a driver needs its own, which behaves like that of the system"
        ))),
        BuildEvent::OtherTarget { targets, host } => Some(ProgressEvent::Warning(format!(
            "cargo builds for {} here, but what is tested runs on this machine: it is built for {host}",
            targets.join(" and ")
        ))),
        BuildEvent::Provided { providers } => Some(ProgressEvent::Warning(format!(
            "linked with {}, which the package does not depend on, because code of the graph needs it; where emitted tests do not \
             link, they need a `use … as _;` of it",
            providers.join(" and ")
        ))),
        BuildEvent::Built { .. } => None,
    }
}
