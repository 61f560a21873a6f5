//! The programs and GenMC's counts (`.stderr` files of Miri's `tests/genmc/pass/litmus`).

use super::program::Litmus;
use super::program::Step::{Add, Exchange, Fence, Load, SkipUnlessAbove, Store, Swap};
use super::program::Value::{LessThan, Number, Register};

/// Whether GenMC counts executions that are not sequentially consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weak {
    No,
    Yes,
}

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;

// One program a line is easier to compare with its source.
#[rustfmt::skip]
pub(super) const PROGRAMS: [Litmus; 36] = [
    Litmus { name: "2cowr", genmc: 4, weak: Weak::No, threads: &[&[Load(Y, 0)], &[Load(X, 0)], &[Store(X, Number(1))], &[Store(Y, Number(1))]] },
    Litmus { name: "2w2w_2sc_scf", genmc: 3, weak: Weak::No, threads: &[&[Store(X, Number(1)), Store(Y, Number(2))], &[Store(Y, Number(1)), Fence, Store(X, Number(2))]] },
    Litmus { name: "2w2w_3sc_1rel", genmc: 4, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(2))], &[Store(Y, Number(1)), Store(X, Number(2))]] },
    Litmus { name: "2w2w_4rel", genmc: 4, weak: Weak::Yes, threads: &[&[Store(Y, Number(1)), Store(X, Number(2))], &[Store(X, Number(1)), Store(Y, Number(2))]] },
    Litmus { name: "2w2w_4sc", genmc: 3, weak: Weak::No, threads: &[&[Store(X, Number(1)), Store(Y, Number(2))], &[Store(Y, Number(1)), Store(X, Number(2))]] },
    Litmus { name: "IRIW-acq-sc", genmc: 16, weak: Weak::Yes, threads: &[&[Store(X, Number(1))], &[Load(X, 0), Load(Y, 1)], &[Load(Y, 0), Load(X, 1)], &[Store(Y, Number(1))]] },
    Litmus { name: "IRIWish", genmc: 28, weak: Weak::Yes, threads: &[&[Store(X, Number(1))], &[Load(X, 0), Store(Y, Register(0))], &[Load(X, 0), Fence, Load(Y, 1)], &[Load(Y, 0), Fence, Load(X, 1)]] },
    Litmus { name: "LB", genmc: 3, weak: Weak::No, threads: &[&[Load(Y, 0), Store(X, Number(2))], &[Load(X, 0), Store(Y, Number(1))]] },
    Litmus { name: "LB_incMPs", genmc: 15, weak: Weak::No, threads: &[&[Load(X, 0), Add(Z, 1)], &[Add(Z, 1), Store(Y, Number(1))], &[Load(Y, 0), Add(W, 1)], &[Add(W, 1), Store(X, Number(1))]] },
    Litmus { name: "MP", genmc: 3, weak: Weak::No, threads: &[&[Store(X, Number(1)), Store(Y, Number(1))], &[Load(Y, 0), Load(X, 1)]] },
    Litmus { name: "MPU2_rels_acqf", genmc: 36, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(0)), Store(Y, Number(1))], &[Exchange(Y, Number(2), 3)], &[Exchange(Y, Number(1), 2)], &[Load(Y, 0), SkipUnlessAbove(0, 2, 2), Fence, Store(X, Number(2))]] },
    Litmus { name: "MPU_rels_acq", genmc: 13, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(0)), Store(Y, Number(1))], &[Add(Y, 1)], &[Load(Y, 0), SkipUnlessAbove(0, 1, 1), Store(X, Number(2))]] },
    Litmus { name: "MP_incMPs", genmc: 7, weak: Weak::No, threads: &[&[Load(Y, 0), Add(Z, 1)], &[Add(Z, 1), Load(X, 0)], &[Store(X, Number(1)), Store(Y, Number(1))]] },
    Litmus { name: "MP_rels_acqf", genmc: 4, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(0)), Store(Y, Number(1))], &[Load(Y, 0), SkipUnlessAbove(0, 0, 2), Fence, Load(X, 1)]] },
    Litmus { name: "SB", genmc: 4, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Load(Y, 0)], &[Store(Y, Number(1)), Load(X, 0)]] },
    Litmus { name: "SB_2sc_scf", genmc: 3, weak: Weak::No, threads: &[&[Store(X, Number(1)), Load(Y, 0)], &[Store(Y, Number(1)), Fence, Load(X, 0)]] },
    Litmus { name: "Z6_U", genmc: 22, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(1))], &[Add(Y, 1), Load(Y, 0)], &[Store(Y, Number(3)), Load(X, 0)]] },
    Litmus { name: "Z6_acq", genmc: 7, weak: Weak::No, threads: &[&[Store(X, Number(1)), Fence, Store(Y, Number(1))], &[Load(Y, 0), Store(Z, Number(1))], &[Store(Z, Number(2)), Fence, Load(X, 0)]] },
    Litmus { name: "atomicpo", genmc: 4, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Fence, Store(Y, Number(1))], &[Swap(Y, 1), Swap(X, 1)]] },
    Litmus { name: "casdep", genmc: 2, weak: Weak::No, threads: &[&[Load(X, 0), Exchange(Y, Register(0), 1), Store(Z, Register(0))], &[Store(Y, Number(2))]] },
    Litmus { name: "ccr", genmc: 2, weak: Weak::No, threads: &[&[Exchange(X, Number(0), 42)], &[Exchange(X, Number(0), 17), Load(X, 0)]] },
    Litmus { name: "cii", genmc: 6, weak: Weak::No, threads: &[&[Exchange(X, Number(1), 2)], &[Add(X, 1)], &[Add(X, 1)]] },
    Litmus { name: "corr", genmc: 6, weak: Weak::No, threads: &[&[Store(X, Number(1)), Store(X, Number(2))], &[Load(X, 0), Load(X, 1)]] },
    Litmus { name: "corr0", genmc: 4, weak: Weak::No, threads: &[&[Store(X, Number(1))], &[Load(X, 0)], &[Load(X, 0)]] },
    Litmus { name: "corr1", genmc: 36, weak: Weak::No, threads: &[&[Store(X, Number(1))], &[Store(X, Number(2))], &[Load(X, 0), Load(X, 1)], &[Load(X, 0)]] },
    Litmus { name: "corr2", genmc: 72, weak: Weak::No, threads: &[&[Store(X, Number(1))], &[Store(X, Number(2))], &[Load(X, 0), Load(X, 1)], &[Load(X, 0), Load(X, 1)]] },
    Litmus { name: "corw", genmc: 3, weak: Weak::No, threads: &[&[Load(X, 0), Store(X, Number(1))], &[Store(X, Number(2))]] },
    Litmus { name: "cowr", genmc: 3, weak: Weak::No, threads: &[&[Store(X, Number(1)), Load(X, 0)], &[Store(X, Number(2))]] },
    Litmus { name: "cumul-release", genmc: 8, weak: Weak::Yes, threads: &[&[Store(X, Number(1)), Store(Y, Number(1))], &[Load(Y, 0), Store(Z, Register(0))], &[Load(Z, 0), Fence, Load(X, 1)]] },
    Litmus { name: "default", genmc: 12, weak: Weak::No, threads: &[&[Load(X, 0), Load(X, 1)], &[Store(X, Number(1))], &[Store(X, Number(2))]] },
    Litmus { name: "detour", genmc: 9, weak: Weak::No, threads: &[&[Store(X, Number(1))], &[Load(Z, 0), Store(X, LessThan(0)), Load(X, 1), Store(Y, Register(1))], &[Load(Y, 0), Store(Z, Register(0))]] },
    Litmus { name: "fr_w_w_w_reads", genmc: 210, weak: Weak::No, threads: &[&[Store(X, Number(1))], &[Store(X, Number(2))], &[Store(X, Number(3))], &[Load(X, 0), Load(X, 1), Load(X, 2), Load(X, 3)]] },
    Litmus { name: "inc2w", genmc: 6, weak: Weak::No, threads: &[&[Add(X, 1)], &[Store(X, Number(4))], &[Add(X, 2)]] },
    Litmus { name: "inc_inc_RR_W_RR", genmc: 600, weak: Weak::No, threads: &[&[Add(X, 1)], &[Add(X, 1)], &[Load(X, 0), Load(X, 1)], &[Store(X, Number(42))], &[Load(X, 0), Load(X, 1)]] },
    Litmus { name: "riwi", genmc: 3, weak: Weak::No, threads: &[&[Load(Y, 0), Add(X, 1)], &[Add(X, 1), Store(Y, Number(1))]] },
    Litmus { name: "viktor-relseq", genmc: 180, weak: Weak::No, threads: &[&[Add(X, 1), Add(X, 1)], &[Add(X, 1), Add(X, 1)], &[Add(X, 1)], &[Add(X, 1)]] },
];
