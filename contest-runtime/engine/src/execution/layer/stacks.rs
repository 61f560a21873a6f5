//! Call stacks of accesses, as numbers: an access keeps four bytes, and two accesses with the same number came the same
//! way.

use super::FrameRecord;

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
        let number = self.stacks.len() as u32;
        self.stacks.push(*stack);
        self.table[at] = number;
        if self.stacks.len() * 2 > self.table.len() {
            self.grow();
        }
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
