//! `--log`: what the tool does, to diagnose a wrong call of cargo or a driver that hangs.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The crates that log. A module is meant by its name in any of them, or by the last part of the name of a crate.
const CRATES: [&str; 6] = [
    "cargo_contest",
    "contest_build",
    "contest_discover",
    "contest_analyse",
    "contest_drive",
    "contest_report",
];

/// Which events are logged.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFilter(Targets);

impl Default for LogFilter {
    /// `debug`.
    fn default() -> Self {
        Self(Targets::new().with_default(LevelFilter::DEBUG))
    }
}

/// Reads a level for all modules, or levels of single modules, separated by commas: `debug`, `info,harness=trace`.
///
/// # Errors
/// Says how it is written.
pub fn parse_filter(text: &str) -> Result<LogFilter, String> {
    let mut targets = Targets::new();
    for part in text.split(',') {
        let (module, level) = match part.split_once('=') {
            Some((module, level)) => (Some(module.trim()), level),
            None => (None, part),
        };
        let level: LevelFilter = level.trim().parse().map_err(|_| {
            format!(
                "`{}` is no level; there are off, error, warn, info, debug and trace, for all modules or as `harness=trace`",
                level.trim()
            )
        })?;
        targets = match module {
            None => targets.with_default(level),
            Some(module)
                if CRATES
                    .iter()
                    .any(|it| module.split("::").next() == Some(it)) =>
            {
                targets.with_target(module, level)
            }
            Some(module) => CRATES
                .iter()
                .map(|it| format!("{it}::{module}"))
                .chain([format!("contest_{module}")])
                .fold(targets, |targets, path| targets.with_target(path, level)),
        };
    }
    Ok(LogFilter(targets))
}

/// Starts to log, to a file or else to standard error. Times count from here.
///
/// # Errors
/// If the file cannot be written.
pub fn start(filter: LogFilter, file: Option<&Path>) -> io::Result<()> {
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_timer(uptime())
        // The end of a span says how long its stage took.
        .with_span_events(FmtSpan::CLOSE);
    let registry = tracing_subscriber::registry().with(filter.0);
    // A second start is one of a program that embeds this crate and logs already.
    let _ = match file {
        Some(path) => {
            let file = Mutex::new(File::create(path)?);
            registry.with(layer.with_writer(file)).try_init()
        }
        None => registry.with(layer.with_writer(io::stderr)).try_init(),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn modules_have_levels_of_their_own() {
        let LogFilter(targets) = parse_filter("info,harness=trace").unwrap();
        let enabled = |module: &str, level| targets.would_enable(module, &level);
        assert!(enabled(
            "contest_drive::harness::driver_process",
            Level::TRACE
        ));
        assert!(enabled("contest_discover", Level::INFO));
        assert!(!enabled("contest_discover", Level::DEBUG));
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        let error = parse_filter("debgu").unwrap_err();
        assert!(
            error.contains("`debgu`") && error.contains("debug"),
            "{error}"
        );
        assert!(parse_filter("harness=loud").is_err());
    }
}
