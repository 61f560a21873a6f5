//! What a debugger sees of an execution: a function that is called at each scheduling point, and where the stacks of
//! the virtual threads are. Both have names that the tool's scripts for gdb know.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::panic::Location;

use super::coroutine::Fiber;
use super::engine::Engine;
use crate::object::MOST_THREADS;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::gap::Gaps;
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::{Ending, Event, ExecutionRecord, Pending, ThreadIndex};

/// What the virtual threads are at, as a debugger reads it.
#[repr(C)]
struct Threads {
    /// Address of the first fiber, and the distance to the next one. A fiber begins with its stack pointer, which is
    /// null once it has ended; what lies there, from the lowest address, are `rip`, `rbx` and `rbp`. 0 where fibers are
    /// those of the coroutine library.
    fibers: usize,
    distance: usize,
    /// Threads that there are so far.
    count: usize,
    /// The thread that has come to the last scheduling point.
    current: usize,
    /// The thread that was chosen there.
    running: usize,
    /// Scheduling points so far.
    step: usize,
    /// How the execution ended, in a word: text and its length.
    ending: (usize, usize),
    /// The operation that each thread is about to execute: text and its length.
    operations: [(usize, usize); MOST_THREADS],
}

struct Shown(UnsafeCell<Threads>);

// SAFETY: written by the one OS thread that runs executions, read by a debugger while the process is stopped.
unsafe impl Sync for Shown {}

#[unsafe(no_mangle)]
static CONTEST_THREADS: Shown = Shown(UnsafeCell::new(Threads {
    fibers: 0,
    distance: 0,
    count: 0,
    current: 0,
    running: 0,
    step: 0,
    ending: (0, 0),
    operations: [(0, 0); MOST_THREADS],
}));

/// A place for a breakpoint: called at each scheduling point, after the next thread was chosen and before it goes on.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn contest_scheduling_point() {
    // Functions with the same body may become one.
    black_box("scheduling point");
}

/// Another place for a breakpoint: called where an execution is over, while the threads that have not ended still have
/// their stacks.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn contest_execution_over() {
    black_box("execution over");
}

/// An execution is over.
#[inline]
pub(super) fn over(ending: &Ending) {
    // SAFETY: of the one OS thread that runs executions, and the reference ends before anything else runs.
    let shown = unsafe { &mut *CONTEST_THREADS.0.get() };
    // No debugger looks at it.
    if shown.count == 0 {
        return;
    }
    let word = match ending {
        Ending::Finished => "finished",
        Ending::Deadlock(_) => "deadlock",
        Ending::Livelock(_) => "livelock",
        Ending::Panicked(_) => "a panic",
        Ending::Exit(_) => "the end of the process",
        Ending::StepLimit(_) | Ending::MemoryLimit(_) => "a limit",
        Ending::Abandoned | Ending::Unsupported(_) => "given up",
    };
    shown.ending = (word.as_ptr().addr(), word.len());
    contest_execution_over();
}

impl Engine {
    /// Says where the stacks of its virtual threads are; for the executions of a [`Debugged`] strategy.
    pub fn show_to_debugger(&self) {
        let address = |thread| self.machine().fiber(ThreadIndex(thread)).addr();
        let (fibers, distance) = match Fiber::HANDS_OVER {
            true => (address(0), address(1) - address(0)),
            false => (0, 0),
        };
        // SAFETY: no execution runs, and nothing else refers to it.
        let shown = unsafe { &mut *CONTEST_THREADS.0.get() };
        (shown.fibers, shown.distance) = (fibers, distance);
        shown.count = 1;
    }
}

/// A strategy that a debugger follows.
#[derive(Debug)]
pub struct Debugged<'s, S>(pub &'s mut S);

impl<S: Strategy> Strategy for Debugged<'_, S> {
    fn begin(&mut self) -> bool {
        self.0.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let choice = self.0.thread(point);
        {
            // SAFETY: of the one OS thread that runs executions, and the reference ends before anything else runs.
            let shown = unsafe { &mut *CONTEST_THREADS.0.get() };
            shown.step += 1;
            shown.count = point.pending.len();
            shown.current = point.current.index();
            if let Choice::Run(next) | Choice::GoRound(next) = choice {
                shown.running = next.index();
            }
            for (pending, shown) in point.pending.iter().zip(&mut shown.operations) {
                let name = pending.as_ref().map_or("", |pending| pending.name);
                *shown = (name.as_ptr().addr(), name.len());
            }
        }
        contest_scheduling_point();
        choice
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.0.value(alternatives)
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        self.0.memory(point)
    }

    fn knows_memory(&mut self, events: &[Event], thread: ThreadIndex) -> bool {
        self.0.knows_memory(events, thread)
    }

    fn goes_on(
        &mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        self.0.goes_on(events, thread, place)
    }

    fn fails_spuriously(&mut self) -> bool {
        self.0.fails_spuriously()
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        self.0.memory_model()
    }

    fn leeway(&self) -> Leeway {
        self.0.leeway()
    }

    fn seed(&mut self) -> u64 {
        self.0.seed()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.0.end(record);
    }

    fn gaps(&self) -> &Gaps {
        self.0.gaps()
    }
}
