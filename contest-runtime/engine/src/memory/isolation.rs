//! Isolation of executions inside the driver process.

use super::descriptors::Descriptors;
use super::environment::Environment;
use super::process_state::ProcessState;
use super::statics::{SnapshotError, StaticData};
use super::turns::Turns;
use super::{
    Content, FieldName, Isolation, ObjectField, Sought, Symbols, Turn, UnownedBlock, arena, state,
};
use std::ops::Range;

use crate::black_box;
use contest_data::contact::{Shared, Uses};
use contest_data::trace::{Frame, Touched, Within};

/// Empties the arena and puts static data back. Made once, when everything that `std` and the engine make lazily
/// exists.
pub struct ProcessIsolation {
    statics: StaticData,
    environment: Environment,
    process: ProcessState,
    descriptors: Descriptors,
    turns: Turns,
    /// The last execution used what is outside.
    meets_others: bool,
    /// It is noted what code under test shares with others beside memory.
    notes_contacts: bool,
    /// What was noted in the last execution.
    contacts: Vec<(Shared, Uses)>,
    open_symbols: OpenSymbols,
    /// Opened at first use; `Some(None)` if there is no debug information.
    symbols: Option<Option<Box<dyn Symbols>>>,
}

/// Reads the debug information of the process; `None` if there is none.
pub(super) type OpenSymbols = fn() -> Option<Box<dyn Symbols>>;

impl std::fmt::Debug for ProcessIsolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessIsolation")
            .field("static_bytes", &self.static_bytes())
            .finish_non_exhaustive()
    }
}

impl ProcessIsolation {
    /// Takes the snapshot that every execution starts from.
    ///
    /// # Errors
    /// If static data cannot be put back in this process.
    ///
    /// # Safety
    /// Of what code under test has allocated so far, nothing is used any more. Of what it allocates in an execution,
    /// nothing is used once that has [ended](Isolation::end): memory and statics are then as they are now.
    pub unsafe fn start() -> Result<Self, SnapshotError> {
        // SAFETY: by this function's contract.
        unsafe { arena::reset() };
        // What is found out once is part of the snapshot, or it would differ between states.
        super::static_range::static_range();
        Ok(Self {
            environment: Environment::snapshot(),
            // Before the descriptors, because it has one.
            process: ProcessState::snapshot(),
            // Likewise.
            turns: Turns::new(),
            meets_others: false,
            descriptors: Descriptors::snapshot(),
            notes_contacts: false,
            contacts: Vec::new(),
            statics: StaticData::snapshot()?,
            open_symbols: || None,
            symbols: None,
        })
    }

    /// Sets the source of the names of functions.
    pub fn set_symbols(&mut self, open: OpenSymbols) {
        self.open_symbols = open;
    }

    fn symbols(&mut self) -> Option<&dyn Symbols> {
        let symbols = self.symbols.get_or_insert_with(self.open_symbols);
        symbols.as_deref()
    }

    /// Bytes of static data that are put back.
    #[must_use]
    pub fn static_bytes(&self) -> usize {
        self.statics.bytes()
    }
}

impl Isolation for ProcessIsolation {
    fn begin(&mut self) {
        self.turns.begin();
        self.statics.restore_thread_locals();
        super::contacts::want(self.notes_contacts);
        black_box::execution_begin();
    }

    fn scatter(&mut self, places: u64) {
        arena::scatter(places);
    }

    fn end(&mut self) {
        super::outside::end_processes();
        self.meets_others = super::outside::meets_others();
        super::contacts::remove_created();
        if self.notes_contacts {
            self.contacts = super::contacts::taken();
        }
        self.process.restore();
        self.descriptors.close_others();
        // SAFETY: by the contract of `start`, without which there is no isolation.
        unsafe { arena::reset() };
        self.statics.restore();
        self.environment.restore();
        self.turns.end();
        black_box::execution_end();
    }

    fn unowned(&mut self) -> Vec<UnownedBlock> {
        if arena::in_use().live_blocks == 0 {
            return Vec::new();
        }
        // SAFETY: mapped memory of this process; only this function runs.
        unsafe { super::unowned::unowned(self.statics.ranges()) }
    }

    fn name_field(&mut self, touched: &Touched, return_addresses: &[usize]) -> Option<String> {
        let symbols = self.symbols()?;
        let start = super::statics::executable_start();
        let size = touched.size as u64;
        match touched.within {
            Within::Address(address) => symbols.static_at(address.checked_sub(start)? as u64, size),
            Within::Block {
                offset,
                size: block,
                ..
            } => symbols.field_at(&calls(return_addresses), block as u64, offset as u64, size),
        }
    }

    fn content_of_blocks(&mut self, return_addresses: &[usize]) -> Option<Content> {
        self.symbols()?.content_at(&calls(return_addresses))
    }

    fn field_of(&mut self, content: Content, offset: usize, size: usize) -> Option<FieldName> {
        let symbols = self.symbols()?;
        symbols.field_of(content, offset as u64, size as u64)
    }

    fn field_of_static(&mut self, address: usize, size: usize) -> Option<FieldName> {
        let address = address.checked_sub(super::statics::executable_start())?;
        self.symbols()?.field_of_static(address as u64, size as u64)
    }

    fn object_in_block(
        &mut self,
        content: Content,
        block: usize,
        offset: usize,
        sought: Sought,
    ) -> Option<ObjectField> {
        let symbols = self.symbols()?;
        symbols.object_in_block(content, block as u64, offset as u64, sought)
    }

    fn object_in_static(&mut self, address: usize, sought: Sought) -> Option<ObjectField> {
        // Most objects outside blocks are on stacks, and reading statics takes long.
        if !self.statics.contains(address) {
            return None;
        }
        let address = address.checked_sub(super::statics::executable_start())?;
        self.symbols()?.object_in_static(address as u64, sought)
    }

    fn state(&mut self, stacks: &[Range<usize>]) -> Result<u64, &'static str> {
        state::of_memory(&self.statics, stacks)
    }

    fn final_state(&mut self) -> Result<u64, &'static str> {
        state::final_of_memory(&self.statics)
    }

    fn outside(&mut self) -> Vec<&'static str> {
        super::outside::noted()
    }

    fn take_turns(&mut self, turn: Turn) {
        self.turns.turn = turn;
    }

    fn meets_others(&mut self) -> bool {
        self.meets_others
    }

    fn note_contacts(&mut self, on: bool) {
        self.notes_contacts = on;
    }

    fn contacts(&mut self) -> Vec<(Shared, Uses)> {
        std::mem::take(&mut self.contacts)
    }

    fn sees_accesses(&self) -> bool {
        true
    }

    fn has_opened_descriptors(&mut self) -> bool {
        super::descriptors::any_opened()
    }

    fn name_functions(&mut self, return_addresses: &[usize]) -> Vec<Frame> {
        let Some(symbols) = self.symbols() else {
            return Vec::new();
        };
        let calls = calls(return_addresses).into_iter();
        calls
            .flat_map(|address| symbols.functions_at(address))
            .collect()
    }
}

/// The calls that return to these addresses, as the linker laid them out: a call is before the place that it returns
/// to.
fn calls(return_addresses: &[usize]) -> Vec<u64> {
    let start = super::statics::executable_start();
    return_addresses
        .iter()
        .filter_map(|address| address.checked_sub(start + 1))
        .map(|address| address as u64)
        .collect()
}
