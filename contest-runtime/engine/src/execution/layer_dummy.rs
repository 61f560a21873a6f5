//! In place of `layer` where no instrumented code reports its accesses: outside the driver, and on targets for which
//! there are no entry points. The same interface, behind which there is nothing.

use super::Engine;
use super::machine::Machine;
use super::symboliser::{AccessSymboliser, Names};
use contest_data::trace::{Allocated, ExecutionRecord, Place, ThreadIndex, VisibleBytes};

/// Nothing.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub last_drops: LastDrops,
}

/// Counts of references are not known.
#[derive(Debug, Default)]
pub(super) struct LastDrops {
    pub any_open: bool,
}

impl Layer {
    pub(super) fn begin(&mut self, _reports: bool, _watched: bool) -> &[VisibleBytes] {
        &[]
    }

    pub(super) fn end(&mut self) {}

    pub(super) fn call_stacks(&self) -> usize {
        0
    }

    pub(super) fn request_visible(&mut self, _visible: &[VisibleBytes]) {}

    pub(super) fn note_allocations(&mut self, _on: bool) -> bool {
        false
    }

    pub(super) fn allocated_at(&self, _address: usize) -> Option<Allocated> {
        None
    }
}

/// Accesses are not watched.
pub fn note_read(_address: usize, _size: usize) {}

/// Changes are not known.
pub(super) fn watch_changes() {}

impl Machine {
    /// There is none.
    pub(super) fn note_step_in_last_drops(&mut self) {}

    /// Blocks are not known.
    pub(super) fn note_blocks_of_faults(&mut self, _known: usize) {}
}

/// No operation is.
#[cfg(all(feature = "driver", target_os = "linux"))]
pub(super) fn is_stream_visible(_machine: &Machine, _word: usize) -> bool {
    false
}

/// None is.
#[cfg(all(feature = "driver", target_os = "linux"))]
pub(super) fn contend_stream(_machine: &mut Machine, _word: usize) {}

/// Unknown.
#[inline(always)]
pub fn place_of_caller() -> Place {
    Place::Stack(&[])
}

/// Unknown.
#[inline(always)]
pub(super) fn stack_of_caller() -> Option<Place> {
    None
}

/// Unknown.
#[inline(always)]
pub(super) fn stack_of_caller_in(_machine: &mut Machine) -> Option<Place> {
    None
}

#[cfg(all(feature = "driver", target_os = "linux"))]
pub use for_the_allocator::{allocated, freed, resized};

#[cfg(all(feature = "driver", target_os = "linux"))]
mod for_the_allocator {
    #[inline(always)]
    pub fn allocated(_address: usize, _size: usize) {}

    #[inline(always)]
    pub fn freed(_start: usize, _size: usize) -> bool {
        false
    }

    #[inline(always)]
    pub fn resized(_address: usize, _size: usize) {}
}

impl Engine {
    /// Places have their names already.
    pub fn name_places(&mut self, _names: &mut dyn Names) -> &ExecutionRecord {
        self.record()
    }

    /// There is nothing to note.
    pub fn note_fields(&mut self, _from_call: Option<usize>) {}

    /// It is not known.
    pub fn wrote_to_older(&self, _thread: ThreadIndex, _began: u32) -> bool {
        true
    }

    /// From here on executions note where their objects are, or do no longer.
    pub fn note_objects(&mut self, on: bool) {
        let machine = self.machine_mut();
        machine.objects.note_addresses(on);
        machine.field_names.want(on);
    }

    /// Nothing was noted.
    pub fn static_objects(&self) -> Vec<(contest_data::trace::ObjectId, usize)> {
        Vec::new()
    }

    /// There is nothing to note.
    pub fn note_statics(&mut self, _on: bool) {}

    /// Nothing was noted.
    pub fn accessed_statics(&mut self) -> Vec<(usize, bool)> {
        Vec::new()
    }

    pub(super) fn locate_objects(&mut self) {}

    /// Nothing was noted.
    pub fn notes_fields(&self) -> bool {
        false
    }

    /// There are none.
    pub fn symbolise_plain_accesses(
        &mut self,
        _numbers: impl Iterator<Item = usize>,
        _symboliser: &mut dyn AccessSymboliser,
    ) {
    }
}
