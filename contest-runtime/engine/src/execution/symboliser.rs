//! What the engine needs of debug information, and what it gives for it. The campaign implements the traits: the
//! engine knows addresses only.

use contest_data::trace::{AccessSymbols, Frame, Touched};

use crate::memory::{ObjectField, Sought};

/// Names of what is known by its address.
pub trait Names {
    /// The functions of the call stack with this number, which return to these addresses.
    fn functions(&mut self, number: u32, addresses: &[usize]) -> &'static [Frame];
    /// The field that bytes belong to; calls that return to these addresses allocated the block that they are in.
    fn field(&mut self, touched: &Touched, calls: &[usize]) -> Option<&'static str>;
    /// The field at an address: of a value in the block that is given, else of a static.
    fn object(
        &mut self,
        address: usize,
        block: Option<&NotedBlock<'_>>,
        sought: Sought,
    ) -> Option<ObjectField>;
    /// The same text for as long as the process lives.
    fn keep(&mut self, text: String) -> &'static str;
}

/// An access by compiled code, as it was noted.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'m> {
    /// Number of the call stack that made it.
    pub stack: u32,
    /// The addresses that its functions return to, innermost first.
    pub calls: &'m [usize],
    /// The first byte.
    pub address: usize,
    /// In bytes.
    pub size: usize,
    /// The block that it was in.
    pub block: Option<NotedBlock<'m>>,
}

/// A block of the heap.
#[derive(Clone, Copy, Debug)]
pub struct NotedBlock<'m> {
    /// Address of its first byte.
    pub start: usize,
    /// In bytes.
    pub size: usize,
    /// Number of the call stack that allocated it.
    pub stack: u32,
    /// The addresses that the functions of that stack return to, innermost first.
    pub calls: &'m [usize],
}

/// Finds the source line and the field of an access.
pub trait AccessSymboliser {
    /// Those of this access.
    fn symbolise(&mut self, access: &Noted<'_>) -> &'static AccessSymbols;
}
