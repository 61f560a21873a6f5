//! Random programs over all primitives.

use contest_data::rng::Rng;

use crate::program::{Op, Program};

/// A program of so many threads; locks are taken and given back in pairs, possibly nested in either order.
pub fn random_program(rng: &mut Rng, n_threads: usize, max_ops: u32) -> Program {
    let flavour = rng.below(10);
    (0..n_threads)
        .map(|thread| {
            let mut ops = Vec::new();
            let length = 2 + rng.below(max_ops - 1);
            while (ops.len() as u32) < length {
                let var = rng.below(2) as usize;
                let pick = rng.below(10);
                match (flavour, pick) {
                    (0 | 1, 0..=2) | (_, 0) => ops.push(Op::Read(var)),
                    (0 | 1, 3..=5) | (_, 1) => {
                        ops.push(Op::Write(var, u64::from(1 + rng.below(2))));
                    }
                    (0 | 1, 6 | 7) | (_, 2) => ops.push(Op::Add(var)),
                    (0 | 1, _) => ops.push(Op::Exchange(var, 0, 1)),
                    (2, 3..=6) => ops.extend([
                        Op::Lock(var),
                        Op::Lock(1 - var),
                        Op::Unlock(1 - var),
                        Op::Unlock(var),
                    ]),
                    (2 | 3, _) => ops.extend([Op::Lock(var), Op::Write(var, 3), Op::Unlock(var)]),
                    (4, 3..=5) => ops.push(Op::TryLock(var)),
                    (4, 6) => ops.push(Op::TryReadLock(var)),
                    (4, _) => ops.extend([Op::ReadLock(var), Op::Read(var), Op::ReadUnlock(var)]),
                    (5, 3..=5) => ops.extend([Op::Lock(0), Op::Wait(0), Op::Unlock(0)]),
                    (5, 6 | 7) => ops.push(Op::NotifyOne(0)),
                    (5, _) => ops.extend([Op::Lock(0), Op::NotifyAll(0), Op::Unlock(0)]),
                    (6 | 9, 3 | 4) => ops.push(Op::Send(if flavour == 6 { 0 } else { 1 + var })),
                    (6 | 9, 5 | 6) => ops.push(Op::Receive(if flavour == 6 { 0 } else { 1 + var })),
                    (6 | 9, _) => ops.push(Op::TryReceive(if flavour == 6 { 0 } else { 1 + var })),
                    (8, 3..=5) => ops.push(Op::Once(var, pick != 3)),
                    (8, 6 | 7) => ops.push(Op::OncePeek(var)),
                    (7, 9) => ops.push(Op::Barrier),
                    (_, 3..=5) => ops.push(Op::Park),
                    // Only threads that exist by then: those created earlier, or the thread itself.
                    (_, _) => ops.push(Op::Unpark(
                        1 + thread.saturating_sub(rng.below(2) as usize) as u16,
                    )),
                }
            }
            ops
        })
        .collect()
}
