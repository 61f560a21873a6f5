//! `cargo contest setup`: builds the runtime ahead of the first run, for layers of images and caches of CI.

use std::path::Path;

use super::arguments;
use super::build_progress::progress;
use super::failure::Failure;
use crate::cli::args::CommonArgs;
use crate::cli::cache_directory::cache_directory;
use crate::cli::exit_code::ExitCode;
use crate::embedded::EMBEDDED;
use contest_drive::harness;
use contest_report::Reporter;

/// Builds it for the toolchain of the working directory, unless it is there. Settings in a manifest do not count: there
/// need not be one.
pub(super) fn setup(common: &CommonArgs, reporter: &mut Reporter) -> Result<ExitCode, Failure> {
    let directory = cache_directory(common, None, Path::new("/"))
        .map_err(|error| Failure::new(ExitCode::Usage, format!("--cache-dir: {error}")))?;
    let Some(directory) = directory else {
        let text = "no directory is named for the cache, so nothing can be built ahead";
        return Err(Failure::new(ExitCode::Usage, text));
    };
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(ExitCode::Usage, format!("no working directory: {error}")))?;
    let tool = arguments::this_tool()?;
    let release = harness::build_runtime(&here, &directory, &tool, EMBEDDED, &mut |event| {
        if let Some(event) = progress("the runtime", event) {
            reporter.event(&event);
        }
    })?;
    reporter.finish();
    println!(
        "the runtime for Rust {release} is in {}",
        directory.display()
    );
    Ok(ExitCode::Clean)
}
