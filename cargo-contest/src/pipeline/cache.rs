//! `cargo contest cache`: where built runtimes are kept, and how much they take.

use std::path::Path;
use std::time::SystemTime;

use super::failure::Failure;
use crate::cli::args::CommonArgs;
use crate::cli::cache_directory::cache_directory;
use crate::cli::exit_code::ExitCode;
use contest_build::instrument::runtime_store::{RuntimeStore, StoredRuntime};

/// Lists the runtimes, or removes them. Settings in a manifest do not count: it may be called anywhere.
pub(super) fn cache(common: &CommonArgs, clean: bool) -> Result<ExitCode, Failure> {
    let directory = cache_directory(common, None, Path::new("/"))
        .map_err(|error| Failure::new(ExitCode::Usage, format!("--cache-dir: {error}")))?;
    let Some(directory) = directory else {
        let text = "no directory is named for the cache; runtimes are built in target directories";
        return Err(Failure::new(ExitCode::Usage, text));
    };
    let store = RuntimeStore::new(directory);
    let (listed, kept) = if clean {
        (store.clean(), store.list().len())
    } else {
        (store.list(), 0)
    };
    println!("{}", store.directory().display());
    for runtime in &listed {
        println!("{}", line(runtime));
    }
    let bytes = listed.iter().map(|it| it.bytes).sum();
    let what = if clean { " removed" } else { "" };
    println!("{} runtimes, {}{what}", listed.len(), megabytes(bytes));
    if kept > 0 {
        println!("{kept} in use or not removable");
    }
    Ok(ExitCode::Clean)
}

fn line(runtime: &StoredRuntime) -> String {
    let idle = SystemTime::now().duration_since(runtime.last_used);
    let days = idle.unwrap_or_default().as_secs() / (24 * 60 * 60);
    let when = match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let size = megabytes(runtime.bytes);
    format!("  {}  {size}, last used {when}", runtime.name)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}
