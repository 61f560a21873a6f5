//! Memory that an execution left behind.

use super::event::ThreadIndex;
use super::race::Place;

/// Where a block of memory was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocated {
    /// The allocating thread.
    pub thread: ThreadIndex,
    /// Visible operations of the execution before it.
    pub step: u32,
    /// Where in the program.
    pub place: Place,
}

/// A block that code under test allocated and did not free, and to which no static, thread-local or block that can be
/// reached from one leads at the end of the execution, when all threads had ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unowned {
    /// The requested size in bytes.
    pub size: usize,
    /// It can be reached from another block that is lost, so it is no loss of its own; of a cycle, one block is.
    pub held: bool,
    /// Where; `None` if allocations were not noted in this execution.
    pub allocated: Option<Allocated>,
}
