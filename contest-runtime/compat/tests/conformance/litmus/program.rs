//! A litmus program as data.

use super::table::Weak;

pub(super) const LOCATIONS: usize = 4;
pub(super) const REGISTERS: usize = 4;

/// A litmus program.
pub(super) struct Litmus {
    /// File name in Miri's `tests/genmc/pass/litmus`.
    pub(super) name: &'static str,
    pub(super) threads: &'static [&'static [Step]],
    /// Executions that GenMC counts.
    pub(super) genmc: u64,
    /// Whether some of them are not sequentially consistent.
    pub(super) weak: Weak,
}

/// One step of a thread. Orderings are left out: every interleaving is sequentially consistent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// From this location into this register.
    Load(usize, usize),
    Store(usize, Value),
    Add(usize, u64),
    Swap(usize, u64),
    /// If the location has the first value, it becomes the second.
    Exchange(usize, Value, u64),
    /// Unless this register is above this value, skips so many steps.
    SkipUnlessAbove(usize, u64, usize),
    Fence,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Number(u64),
    Register(usize),
    /// One less than a register, wrapping.
    LessThan(usize),
}

impl Value {
    pub(super) fn of(self, registers: &[u64; REGISTERS]) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Register(register) => registers[register],
            Self::LessThan(register) => registers[register].wrapping_sub(1),
        }
    }
}

/// What an execution leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Outcome {
    /// Of each thread.
    pub(super) registers: Vec<[u64; REGISTERS]>,
    pub(super) memory: [u64; LOCATIONS],
}
