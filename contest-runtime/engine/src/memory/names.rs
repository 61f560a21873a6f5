//! What isolates executions from each other, and what names the contents of their memory.

use std::ops::Range;

use contest_data::contact::{Shared, Uses};
use contest_data::trace::{Allocated, Frame, Touched, Unowned};

/// Beside which executions of other processes of the executable one may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// Beside all.
    #[default]
    Any,
    /// It is not known what it does: beside all but those that are to be alone.
    Unknown,
    /// Beside none of which it is not known that it does nothing outside.
    Alone,
}

/// A block to which nothing leads at the end of an execution but other such blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnownedBlock {
    /// Its address.
    pub address: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Another one leads to it, see [`Unowned::held`].
    pub held: bool,
}

impl UnownedBlock {
    /// As it stands in a record.
    #[must_use]
    pub fn recorded(self, allocated: Option<Allocated>) -> Unowned {
        Unowned {
            size: self.size,
            held: self.held,
            allocated,
        }
    }
}

/// Isolates an execution: it leaves nothing behind for the next one.
pub trait Isolation {
    /// Before an execution.
    fn begin(&mut self);
    /// After that: the memory of the execution lies in other places, which this number decides.
    fn scatter(&mut self, _places: u64) {}
    /// After it, when nothing that code under test allocated is needed any more.
    fn end(&mut self);
    /// Blocks that code under test has not freed and that nothing points to but others of them. Called before
    /// [`Isolation::end`], when every thread of the execution has ended.
    fn unowned(&mut self) -> Vec<UnownedBlock> {
        Vec::new()
    }
    /// The field that some bytes are, `Inner.head`. Their block, if they are in one, was allocated by calls that return
    /// to these addresses.
    fn name_field(&mut self, _touched: &Touched, _return_addresses: &[usize]) -> Option<String> {
        None
    }

    /// What blocks hold that are allocated by calls that return to these addresses.
    fn content_of_blocks(&mut self, _return_addresses: &[usize]) -> Option<Content> {
        None
    }
    /// The field of a type that bytes of a value of it are.
    fn field_of(&mut self, _content: Content, _offset: usize, _size: usize) -> Option<FieldName> {
        None
    }
    /// The field of a static that these bytes are.
    fn field_of_static(&mut self, _address: usize, _size: usize) -> Option<FieldName> {
        None
    }

    /// The field at an offset of a block of so many bytes with this content.
    fn object_in_block(
        &mut self,
        _content: Content,
        _block: usize,
        _offset: usize,
        _sought: Sought,
    ) -> Option<ObjectField> {
        None
    }
    /// The field of a static at this address.
    fn object_in_static(&mut self, _address: usize, _sought: Sought) -> Option<ObjectField> {
        None
    }

    /// A hash of all state that later calls can observe: two executions with equal hashes have left the same behind.
    /// Called between [`begin`](Self::begin) and [`end`](Self::end), when every thread of the execution has ended: what
    /// points to one of the `stacks`, ranges of addresses, points to nothing.
    ///
    /// # Errors
    /// Why the state is not known.
    fn state(&mut self, _stacks: &[Range<usize>]) -> Result<u64, &'static str> {
        Err("only a driver process sees the memory of the code under test")
    }
    /// As [`state`](Self::state), but known only if nothing leads to a block that was freed: after equal states not
    /// even faulty calls do different things.
    ///
    /// # Errors
    /// Why it is not known.
    fn final_state(&mut self) -> Result<u64, &'static str> {
        Err("only a driver process sees the memory of the code under test")
    }
    /// True if compiled code may report its memory accesses, as in a driver.
    fn sees_accesses(&self) -> bool {
        false
    }
    /// True if the code under test has opened a descriptor since [`begin`](Self::begin).
    fn has_opened_descriptors(&mut self) -> bool {
        false
    }
    /// What the code under test has done outside the process since [`begin`](Self::begin), as ends of sentences.
    fn outside(&mut self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The executions to come are alone, or not, among those of other processes of this executable.
    fn take_turns(&mut self, _turn: Turn) {}
    /// True if the last execution could meet others outside the process: it used files, sockets or processes.
    fn meets_others(&mut self) -> bool {
        false
    }
    /// In the executions to come it is noted what code under test shares with others beside memory, or no longer.
    fn note_contacts(&mut self, _on: bool) {}
    /// What was noted in the last execution.
    fn contacts(&mut self) -> Vec<(Shared, Uses)> {
        Vec::new()
    }
    /// The functions at these return addresses of this process, inlined ones included; empty without debug
    /// information.
    fn name_functions(&mut self, _return_addresses: &[usize]) -> Vec<Frame> {
        Vec::new()
    }
}

/// Who knows debug information.
pub trait Symbols {
    /// The functions at an address of the executable as the linker laid it out, innermost first.
    fn functions_at(&self, address: u64) -> Vec<Frame>;
    /// The static that some bytes are in, and the field of it: `module::TOTAL.count`. Addresses are those of the
    /// linker.
    fn static_at(&self, _address: u64, _size: u64) -> Option<String> {
        None
    }
    /// The field that bytes at an offset of a block are: `Inner.head`. The block was allocated by calls at these
    /// addresses, innermost first.
    fn field_at(&self, _calls: &[u64], _block: u64, _offset: u64, _size: u64) -> Option<String> {
        None
    }
    /// What blocks hold that are allocated by calls at these addresses, innermost first.
    fn content_at(&self, _calls: &[u64]) -> Option<Content> {
        None
    }
    /// The field of a type that bytes at an offset of a value of it are; `None` if there is none on the way but those
    /// of the standard library and of the engine.
    fn field_of(&self, _content: Content, _offset: u64, _size: u64) -> Option<FieldName> {
        None
    }
    /// The field of a static that some bytes are, likewise.
    fn field_of_static(&self, _address: u64, _size: u64) -> Option<FieldName> {
        None
    }
    /// The field at an offset of a block of so many bytes with this content.
    fn object_in_block(
        &self,
        _content: Content,
        _block: u64,
        _offset: u64,
        _sought: Sought,
    ) -> Option<ObjectField> {
        None
    }
    /// The field of a static at this address, as the linker laid it out.
    fn object_in_static(&self, _address: u64, _sought: Sought) -> Option<ObjectField> {
        None
    }
}

/// What is sought at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sought {
    /// The object whose type has this name: a lock, an atomic, a channel.
    Object(&'static str),
    /// A pointer.
    Pointer,
}

/// The field that an object or a pointer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectField {
    /// `Registry.last`: the way through the package's own types, `statics::LAST` for a static; where no type of the
    /// package is on the way, through those of dependencies. Empty if it is in no field.
    pub name: String,
    /// Its number, if the block has several values.
    pub item: Option<u64>,
    /// Where the last field of that way begins: offset in the block, or how far it is into the static.
    pub start: u64,
    /// Fields of types of dependencies after that.
    pub part: Vec<String>,
    /// A type or a static of the package is on the way.
    pub of_package: bool,
}

/// A type that debug information describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    /// The number that the reader of symbols has given it.
    pub number: usize,
    /// Bytes of a value of it, at least 1.
    pub size: u64,
}

/// A field, as debug information names it. All items of an array are one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    /// The type, or the static.
    pub owner: String,
    /// The field of it, with those of types in it: `head`, `pairs[].1`.
    pub name: String,
}

/// For library use (`cargo test`, hand-written models): executions share the process, bodies must start from fresh
/// objects.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIsolation;

impl Isolation for NoIsolation {
    fn begin(&mut self) {}
    fn end(&mut self) {}
}
