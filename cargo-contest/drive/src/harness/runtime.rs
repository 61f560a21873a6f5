//! The runtime that a driver is linked with.

use std::path::Path;

use tracing::warn;

use super::build_event::{BuildEvent, BuildStage};
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use contest_build::instrument::facade_build::FacadeError;
use contest_build::instrument::kept_runtime::{Runtime, StoreEvent};
use contest_build::instrument::runtime_sources::{EmbeddedFiles, RuntimeSources};
use contest_build::instrument::runtime_store::RuntimeStore;
use contest_build::workspace::cargo_build::Toolchain;

/// The runtime of the cache, or, if that cannot be used, one below the target directory.
pub(super) fn obtain_runtime(
    toolchain: &Toolchain,
    sources: &RuntimeSources,
    directory: &Path,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Runtime, HarnessError> {
    if let Some(cache) = &options.cache {
        let store = RuntimeStore::new(cache);
        match obtain(&store, toolchain, sources, &options.wrapper, on_event) {
            Err(FacadeError::Write(error)) => {
                warn!("the cache cannot be used: {error}");
                on_event(BuildEvent::CacheUnusable {
                    directory: cache.clone(),
                    why: error.source.to_string(),
                });
            }
            done => return Ok(done?),
        }
    }
    let below_target = RuntimeStore::new(directory);
    let built = obtain(
        &below_target,
        toolchain,
        sources,
        &options.wrapper,
        on_event,
    );
    Ok(built?)
}

/// Builds the runtime in this cache for the toolchain of `here`, unless it is there; the release of the toolchain.
///
/// # Errors
/// If there is no toolchain, the cache cannot be written, or the runtime does not build.
pub fn build_runtime(
    here: &Path,
    cache: &Path,
    tool: &Path,
    embedded: EmbeddedFiles,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<String, HarnessError> {
    let toolchain = Toolchain::find(here)?;
    let store = RuntimeStore::new(cache);
    obtain(
        &store,
        &toolchain,
        &RuntimeSources::of(embedded),
        tool,
        on_event,
    )?;
    Ok(toolchain.release)
}

fn obtain(
    store: &RuntimeStore,
    toolchain: &Toolchain,
    sources: &RuntimeSources,
    tool: &Path,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Runtime, FacadeError> {
    store.obtain(toolchain, sources, tool, &mut |event| match event {
        StoreEvent::Waiting => on_event(BuildEvent::Waiting),
        StoreEvent::Building => on_event(BuildEvent::Started(BuildStage::Runtime)),
        StoreEvent::Cargo(message) => {
            if let Some(event) = BuildEvent::of(BuildStage::Runtime, &message) {
                on_event(event);
            }
        }
    })
}
