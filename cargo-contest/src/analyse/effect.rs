//! What a function body does, in order, as far as the analysis cares: the walk writes it, the interpreter runs it.

use super::place::{Place, Step};

/// A guard that exists from an acquisition (or a call that returns one) until it is dropped.
pub(crate) type Token = u32;

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// With others.
    Read,
    /// Alone.
    Exclusive,
    /// Alone, and its holder may take it again.
    Reentrant,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AccessKind {
    Read,
    Write,
    /// Both: a read-modify-write, a mutating method.
    Both,
}

/// An argument of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Argument {
    /// What it names or borrows.
    pub(crate) place: Option<Place>,
    /// The closure it is.
    pub(crate) closure: Option<u32>,
    /// It is the caller's own parameter that is called: its number.
    pub(crate) callable: Option<u16>,
}

/// One thing a body does.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Reads or writes; `always` if it counts although the place is not inside a lock or a cell (atomics).
    Access {
        place: Place,
        kind: AccessKind,
        always: bool,
        line: u32,
    },
    /// Takes a lock; `blocking` is false for `try_lock`.
    Acquire {
        lock: Place,
        mode: Mode,
        blocking: bool,
        token: Token,
        line: u32,
    },
    /// Drops a guard.
    Drop(Token),
    /// The guard is never dropped.
    Forget(Token),
    /// Waits at a condition variable: gives the lock back and takes it again.
    Wait {
        condvar: Place,
        tokens: Vec<Token>,
        line: u32,
    },
    /// Waits for something that others do (a channel, a once, a join): as if a lock was taken and released.
    Block { object: Place, line: u32 },
    /// Calls functions of the package: one of them.
    Call {
        number: u32,
        callees: Vec<u32>,
        arguments: Vec<Argument>,
        token: Token,
        line: u32,
    },
    /// Calls a closure parameter.
    CallParameter {
        parameter: u16,
        arguments: Vec<Option<Place>>,
        line: u32,
    },
    /// Anything may happen to these places, by these closures.
    Unknown {
        why: String,
        reaches: Vec<Place>,
        closures: Vec<u32>,
        callables: Vec<u16>,
        line: u32,
    },
    /// The summary is not exact from here on.
    Inexact { why: String, line: u32 },
    /// One of these.
    Branch(Vec<Vec<Effect>>),
    /// Any number of times; `endless` if only a `break` ends it.
    Loop { body: Vec<Effect>, endless: bool },
    /// A block that can be left by its label.
    Labelled(Vec<Effect>),
    /// Another thread does this.
    Spawn(Vec<Effect>),
    /// Leaves so many loops or labelled blocks, counting from 0.
    Break(usize),
    /// Goes on with the next round of a loop.
    Continue(usize),
    /// Leaves the function with a value.
    Return(Returned),
    /// Panics, or runs for ever.
    Diverge,
}

/// A value that leaves a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returned {
    pub(crate) place: Option<Place>,
    pub(crate) tokens: Vec<Token>,
}

/// Everything one function does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) effects: Vec<Effect>,
    /// Bodies of closures that are passed to functions of the package.
    pub(crate) closures: Vec<Vec<Effect>>,
    /// Fields of objects made here that refer to something: number of the object, field, what it refers to.
    pub(crate) aliases: Vec<(u32, Step, Place)>,
    /// Where methods of locks, atomics and the like are called, and on what: line and column of the method's name, counting from 1.
    pub(crate) sites: Vec<(u32, u32, Place)>,
}
