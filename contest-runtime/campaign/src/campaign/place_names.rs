//! Which places of executions are named, and what was looked up before. Nothing is looked up where no driver links the
//! debug information of its code.

#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
use super::symbolise::{KnownNames, Symboliser};
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_engine::memory::Isolation;

/// What is to be named in the executions of one engine, and what was named before.
#[derive(Debug, Default)]
pub(super) struct PlaceNames {
    /// Executions note where they allocate: what they show is to be described.
    allocations: bool,
    /// They name their objects; whether they noted where they allocate before that.
    objects: Option<bool>,
    #[cfg(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    known: KnownNames,
    /// Lines and fields of accesses that were symbolised.
    #[cfg(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    symboliser: Symboliser,
}

impl PlaceNames {
    /// From here on executions note where they allocate, or do no longer. Returns what was before.
    pub(super) fn note_allocations(&mut self, engine: &mut Engine, on: bool) -> bool {
        self.allocations = on;
        engine.note_allocations(on)
    }

    /// From here on executions note where they allocate, and their objects are named; or no longer.
    pub(super) fn note_objects(&mut self, engine: &mut Engine, on: bool) {
        if on {
            self.objects = Some(self.note_allocations(engine, true));
        } else if let Some(noted) = self.objects.take() {
            self.note_allocations(engine, noted);
        }
        engine.note_objects(on);
    }

    /// Symbolises the plain accesses of the last execution, if they were noted; `shared_only`: where several threads
    /// ran, only what they share.
    pub(super) fn symbolise_accesses(
        &mut self,
        _engine: &mut Engine,
        _isolation: &mut dyn Isolation,
        _shared_only: bool,
    ) {
        #[cfg(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        if _engine.notes_fields() {
            self.symboliser
                .symbolise_all(_engine, _isolation, _shared_only);
        }
    }

    /// True if this record has places that are to be named.
    pub(super) fn are_wanted(&self, record: &ExecutionRecord) -> bool {
        // Where futures wait is shown where they wait for ever.
        let waits = !record.places.is_empty() || matches!(record.ending, Ending::Deadlock(_));
        let ends = self.allocations || !matches!(record.ending, Ending::Finished);
        !record.unowned.is_empty()
            || !record.visible.is_empty()
            || waits && ends
            || !record.callers.is_empty()
            || self.objects.is_some()
            || !record.faults.is_empty()
            || !record.contended.is_empty()
    }

    /// Finds out where the races of the last execution are, and where it allocated what leaked.
    #[cold]
    pub(super) fn name<'e>(
        &mut self,
        engine: &'e mut Engine,
        _isolation: &mut dyn Isolation,
    ) -> &'e ExecutionRecord {
        #[cfg(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        engine.name_places(&mut self.known.with(_isolation));
        engine.name_fields()
    }
}
