//! What tests of one process share beside its memory, and how they use it.

use std::fmt;

/// What outlives a test and is not in the memory of the process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shared {
    /// An environment variable.
    Variable(String),
    /// What relative paths begin with.
    WorkingDirectory,
    /// A file or a directory, by its absolute path.
    Path(String),
    /// The names in a directory.
    Entries(String),
    /// A port of this machine.
    Port(u16),
    /// What is called when a thread panics.
    PanicHook,
    /// What this signal does.
    Signal(i32),
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the environment variable `{name}`"),
            Self::WorkingDirectory => f.write_str("the working directory"),
            Self::Path(path) => write!(f, "the path `{path}`"),
            Self::Entries(path) => write!(f, "the entries of `{path}`"),
            Self::Port(number) => write!(f, "port {number}"),
            Self::PanicHook => f.write_str("the panic hook"),
            Self::Signal(number) => write!(f, "the handler of signal {number}"),
        }
    }
}

/// How a test uses what it shares with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uses {
    /// What it does depends on it.
    pub reads: bool,
    /// It changes it, and others of this kind do not disturb each other: a name is added to a directory.
    pub adds: bool,
    /// It changes it.
    pub changes: bool,
}

impl Uses {
    /// Only looks.
    pub const READS: Self = Self {
        reads: true,
        adds: false,
        changes: false,
    };
    /// Only adds or removes.
    pub const ADDS: Self = Self {
        reads: false,
        adds: true,
        changes: false,
    };
    /// Only changes.
    pub const CHANGES: Self = Self {
        reads: false,
        adds: false,
        changes: true,
    };

    /// Both.
    pub fn join(&mut self, other: Self) {
        self.reads |= other.reads;
        self.adds |= other.adds;
        self.changes |= other.changes;
    }

    /// True if one may notice the other.
    #[must_use]
    pub fn meet(self, other: Self) -> bool {
        let disturbs = |one: Self, other: Self| {
            one.changes && other != Self::default() || one.adds && other.reads
        };
        disturbs(self, other) || disturbs(other, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_reads_or_only_adds_disturbs_no_one_of_the_same_kind() {
        let all = [Uses::READS, Uses::ADDS, Uses::CHANGES];
        let meet = |one: Uses| all.map(|other| one.meet(other));
        assert_eq!(meet(Uses::READS), [false, true, true]);
        assert_eq!(meet(Uses::ADDS), [true, false, true]);
        assert_eq!(meet(Uses::CHANGES), [true; 3]);
        assert!(!Uses::CHANGES.meet(Uses::default()));
    }
}
