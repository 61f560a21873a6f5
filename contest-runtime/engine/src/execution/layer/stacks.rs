//! Call stacks of accesses, as numbers: an access keeps four bytes, and two accesses with the same number came the same
//! way.

use super::FrameRecord;
use crate::memory::set_user_code;

/// Functions of a call stack that are kept, innermost first.
const DEPTH: usize = 16;
/// Call stacks that are kept. Those beyond are number 0, of which nothing is known.
const MOST: usize = 1 << 20;
/// Most bytes of one function's frame; what is larger ends the stack.
const LARGEST_FRAME: usize = 1 << 16;

type Stack = [usize; DEPTH];

/// All call stacks so far, over all executions of the process.
#[derive(Debug)]
pub(crate) struct CallStacks {
    stacks: Vec<Stack>,
    /// Open addressing: numbers of stacks, 0 for none.
    table: Vec<u32>,
}

impl Default for CallStacks {
    fn default() -> Self {
        Self {
            stacks: vec![[0; DEPTH]],
            table: vec![0; 1024],
        }
    }
}

/// A function on the stack that has called another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    frame: *const FrameRecord,
    return_address: usize,
}

impl Caller {
    /// The function this many calls out of that with this frame; `None` if the stack is not known so far.
    pub(super) fn of(frame: *const FrameRecord, end: usize, calls: usize) -> Option<Self> {
        Frames::of(frame, end).nth(calls)
    }

    /// Whether the function is on the stack of that with this frame.
    pub(super) fn on_stack_of(self, frame: *const FrameRecord, end: usize) -> OnStack {
        let mut last = frame.addr();
        for (number, caller) in Frames::of(frame, end).enumerate() {
            if caller.frame >= self.frame {
                let same =
                    caller.frame == self.frame && caller.return_address == self.return_address;
                return match same {
                    true if number < DEPTH => OnStack::Kept,
                    true => OnStack::Unknown,
                    false => OnStack::No,
                };
            }
            last = caller.frame.addr();
        }
        // The stack may be known up to its outermost function.
        if last + LARGEST_FRAME < end {
            OnStack::Unknown
        } else {
            OnStack::No
        }
    }
}

/// Whether a function is on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnStack {
    /// It has returned.
    No,
    /// It is, and among the functions that are kept of the stack.
    Kept,
    /// It may be.
    Unknown,
}

/// The functions on a stack, innermost first, as far as it is known.
struct Frames {
    next: *const FrameRecord,
    above: usize,
    end: usize,
}

impl Frames {
    fn of(next: *const FrameRecord, end: usize) -> Self {
        let above = (&raw const next).addr();
        Self { next, above, end }
    }
}

impl Iterator for Frames {
    type Item = Caller;

    fn next(&mut self) -> Option<Caller> {
        let (frame, address) = (self.next, self.next.addr());
        if address < self.above
            || address - self.above > LARGEST_FRAME
            || !address.is_multiple_of(align_of::<FrameRecord>())
            || address >= self.end.saturating_sub(size_of::<FrameRecord>())
        {
            return None;
        }
        // SAFETY: above this function on the stack it runs on, and below the end of that.
        let record = unsafe { frame.read() };
        self.above = address + 1;
        self.next = record.caller;
        Some(Caller {
            frame,
            return_address: record.return_address,
        })
    }
}

impl CallStacks {
    /// The number of the stack that begins with `frame`, on the stack of a virtual thread that ends at `end`.
    pub(crate) fn number(&mut self, mut frame: *const FrameRecord, end: usize) -> u32 {
        let mut stack = [0; DEPTH];
        let mut hash = 0_u64;
        let here = (&raw const stack).addr();
        for place in &mut stack {
            let address = frame.addr();
            if address < here
                || !address.is_multiple_of(align_of::<FrameRecord>())
                || address >= end.saturating_sub(size_of::<FrameRecord>())
            {
                break;
            }
            // SAFETY: above this function on the stack it runs on, and below the end of that.
            // If a function without frame pointer left something else there, it is a number that means nothing.
            let record = unsafe { frame.read() };
            *place = record.return_address;
            hash = (hash.rotate_left(5) ^ record.return_address as u64)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let next = record.caller.addr();
            if next <= address || next - address > LARGEST_FRAME {
                break;
            }
            frame = record.caller;
        }
        self.intern(&stack, (hash >> 32) as usize)
    }

    fn intern(&mut self, stack: &Stack, hash: usize) -> u32 {
        let mask = self.table.len() - 1;
        let mut at = hash & mask;
        loop {
            match self.table[at] {
                0 => break,
                number if self.stacks[number as usize] == *stack => return number,
                _ => at = (at + 1) & mask,
            }
        }
        if self.stacks.len() >= MOST {
            return 0;
        }
        // Who asks may be code under test, whose memory is given back after the execution; this is kept for all.
        let by_user = set_user_code(false);
        let number = self.stacks.len() as u32;
        self.stacks.push(*stack);
        self.table[at] = number;
        if self.stacks.len() * 2 > self.table.len() {
            self.grow();
        }
        set_user_code(by_user);
        number
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![0; size];
        for (number, stack) in self.stacks.iter().enumerate().skip(1) {
            let mut hash = 0_u64;
            for &address in stack.iter().take_while(|address| **address != 0) {
                hash = (hash.rotate_left(5) ^ address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
            let mut at = (hash >> 32) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number as u32;
        }
    }

    /// Number of all call stacks so far.
    pub(super) fn len(&self) -> usize {
        self.stacks.len()
    }

    /// The addresses at which the functions of a stack will go on, innermost first.
    pub(crate) fn addresses(&self, number: u32) -> &[usize] {
        let stack = self.stacks.get(number as usize).unwrap_or(&self.stacks[0]);
        let length = stack.iter().position(|address| *address == 0);
        &stack[..length.unwrap_or(DEPTH)]
    }
}
