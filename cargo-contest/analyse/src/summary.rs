//! The summary of one function, in its own names; kept for all functions of a package, grown to a fixpoint.

use std::collections::BTreeMap;

use super::place::{Place, Root, Step};

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

impl AccessKind {
    pub(crate) fn reads(self) -> bool {
        self != Self::Write
    }

    pub(crate) fn writes(self) -> bool {
        self != Self::Read
    }
}

/// A place in the source: a function, and a line of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) function: u32,
    pub(crate) line: u32,
}

/// Accesses to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accesses {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// Counts although the place is not inside a lock or a cell.
    pub(crate) always: bool,
    pub(crate) at: At,
}

impl Accesses {
    pub(crate) fn kind(self) -> AccessKind {
        match (self.reads, self.writes) {
            (true, true) => AccessKind::Both,
            (false, true) => AccessKind::Write,
            _ => AccessKind::Read,
        }
    }
}

/// How a parameter is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) held: Vec<(Place, Mode)>,
    pub(crate) arguments: Vec<Vec<Place>>,
}

/// A lock with the way it is held.
pub(crate) type Lock = (Place, Mode);

/// Summary of a function. `AS`, `LS` and `DS` of DepCon+, and what callers need beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// By place, and whether the access counts everywhere.
    pub(crate) accesses: BTreeMap<(Place, bool), Accesses>,
    /// Locks held at every access that is shared in the function itself; `None` if there is none.
    pub(crate) shared_locks: Option<Vec<Lock>>,
    /// The same over all accesses.
    pub(crate) all_locks: Option<Vec<Lock>>,
    pub(crate) pairs: BTreeMap<(Lock, Lock), At>,
    /// Every acquisition: true if it can block.
    pub(crate) acquires: BTreeMap<Lock, (bool, At)>,
    /// What the returned value refers to.
    pub(crate) returns: Vec<Place>,
    accesses_cut: bool,
    pairs_cut: bool,
    /// Locks that the returned value holds: true if surely.
    pub(crate) returned_locks: Vec<(Place, Mode, bool)>,
    pub(crate) calls: Vec<(u16, Called, At)>,
    pub(crate) inexact: BTreeMap<String, At>,
}

/// Most entries of one kind; beyond, the summary says that it is not exact.
const MOST: usize = 120;

impl Summary {
    pub(crate) fn inexact(&mut self, why: &str, at: At) {
        if self.inexact.len() < 60 && !self.inexact.contains_key(why) {
            self.inexact.insert(why.to_string(), at);
        }
    }

    /// Nothing that others could see.
    pub(crate) fn is_nothing(&self) -> bool {
        self.accesses.is_empty()
            && self.acquires.is_empty()
            && self.calls.is_empty()
            && self.inexact.is_empty()
            && self.returned_locks.is_empty()
    }

    /// Anything may be accessed.
    pub(crate) fn anything(&mut self, why: &str, at: At) {
        self.inexact(why, at);
        let mut place = Place::anything();
        place.cut = true;
        let all = Accesses {
            reads: true,
            writes: true,
            always: true,
            at,
        };
        self.accesses.entry((place, true)).or_insert(all);
    }

    pub(crate) fn access(&mut self, place: Place, kind: AccessKind, always: bool, at: At) {
        if self.accesses.len() >= MOST && !self.accesses.contains_key(&(place, always)) {
            if !self.accesses_cut {
                self.accesses_cut = true;
                self.anything("accesses more places than are kept", at);
            }
            return;
        }
        let entry = self.accesses.entry((place, always)).or_insert(Accesses {
            reads: false,
            writes: false,
            always,
            at,
        });
        entry.reads |= kind != AccessKind::Write;
        entry.writes |= kind != AccessKind::Read;
    }

    pub(crate) fn pair(&mut self, first: Lock, second: Lock, at: At) {
        let known = |lock: &Lock| lock.0.root != Root::Unknown(Step::ANY);
        if !known(&first) && !known(&second) {
            return;
        }
        if self.pairs.len() < MOST {
            self.pairs.entry((first, second)).or_insert(at);
        } else if !self.pairs_cut && !self.pairs.contains_key(&(first, second)) {
            self.pairs_cut = true;
            self.inexact("has more pairs of locks than are kept", at);
        }
    }

    pub(crate) fn acquire(&mut self, lock: Place, mode: Mode, blocking: bool, at: At) {
        if self.acquires.len() < MOST {
            let entry = self.acquires.entry((lock, mode)).or_insert((blocking, at));
            entry.0 |= blocking;
        } else {
            self.inexact("takes more locks than are kept", at);
        }
    }

    pub(crate) fn call(&mut self, parameter: u16, called: Called, at: At) {
        if self.calls.len() < 24
            && !self
                .calls
                .iter()
                .any(|(it, other, _)| *it == parameter && *other == called)
        {
            self.calls.push((parameter, called, at));
        }
    }
}
