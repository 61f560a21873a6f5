//! Limits of one execution. Reaching one is an ending of the execution, never a pass.

use std::time::Duration;

use crate::delay::Delay;

/// Virtual time that passes with a look at the clock, where some passes. Long enough that loops which wait for the
/// clock (calibration, bounded spinning) end after some thousand looks.
pub const DEFAULT_TICK: Duration = Duration::from_micros(50);

/// When a timed wait may time out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeouts {
    /// Only when no thread can run otherwise.
    LastResort,
    /// As a choice at most as often in one execution as its [`Leeway`] says; and when nothing else can run.
    Few,
    /// Whenever the strategy says so, at most this many times in one execution; and when nothing else can run.
    Choice(u32),
}

/// In what one execution differs from the ordinary. In nothing by default: a strategy, or who explores, goes beyond it
/// once what is ordinary has been explored. A part of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Leeway {
    /// Timed waits that may end although threads could run, as a choice, under [`Timeouts::Few`].
    pub early_ends: u8,
    /// How often a thread goes on that reads the same again and again in a loop, as long as the loop may have an end of
    /// its own; after that it waits until what it reads changes.
    pub rounds: u8,
    /// Which draw of random numbers it has: of random bytes, and of keys of hashers.
    pub draw: u16,
    /// Where a thread is held up, if one is.
    pub delay: Option<Delay>,
}

impl Leeway {
    /// As in ordinary executions.
    pub const NONE: Self = Self {
        early_ends: 0,
        rounds: 0,
        draw: 0,
        delay: None,
    };

    /// Ordinary but for the draw of random numbers.
    #[must_use]
    pub const fn of_draw(draw: u16) -> Self {
        Self { draw, ..Self::NONE }
    }

    /// The same, with this delay.
    #[must_use]
    pub const fn with_delay(self, delay: Delay) -> Self {
        Self {
            delay: Some(delay),
            ..self
        }
    }

    /// At least as much as either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            early_ends: self.early_ends.max(other.early_ends),
            rounds: self.rounds.max(other.rounds),
            draw: self.draw.max(other.draw),
            delay: self.delay.or(other.delay),
        }
    }
}

/// What atomic operations may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum MemoryModel {
    /// Sequential consistency: a load reads the last store, whatever the orderings say.
    #[default]
    Sc,
    /// RC11 (Lahav et al., PLDI 2017) with the release sequences of C++20: what Rust's memory model allows, but for
    /// loads that read from the future.
    Rc11,
}

/// Limits and rules of one execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Visible operations; default 10,000.
    pub steps: u32,
    /// Processor time, which is looked at every few thousand visible operations; default none. An execution that is cut
    /// so is not judged, or results would depend on the machine.
    pub time: Option<Duration>,
    /// Virtual threads of one execution, the main thread and those that have ended included; at most 128. Numbers of
    /// threads are not reused, because they identify threads in events, schedules and `ThreadId`s.
    pub threads: u16,
    /// Stack of a virtual thread in bytes; default 1 MiB (committed on touch).
    pub stack_bytes: usize,
    /// When timed waits fire; default [`Timeouts::LastResort`].
    pub timeouts: Timeouts,
    /// Spurious wake-ups of condition variables and of `park` in one execution, whenever the strategy says so; default
    /// 0.
    pub spurious_wakeups: u32,
    /// Iterations of a spinning thread while no other thread is enabled, before it is a livelock; default 1,000.
    pub spin_iterations: u32,
    /// Run the other threads to their end after the main thread has ended (models); else the execution ends with the
    /// main thread, as a process does (generated tests). Default false.
    pub run_detached: bool,
    /// Keep what unfinished executions own instead of unwinding them: right where user code allocates from an arena
    /// that is reset afterwards (the driver). Default false.
    pub forget_unfinished: bool,
    /// Start each execution with the statics as they were when the engine ran its first: for hand-written models, which
    /// share a process. Default false.
    pub fresh_statics: bool,
    /// Other threads use what is on the stack of the main thread, as in tests with scoped threads: accesses to it are
    /// watched too. Default false.
    pub shares_main_stack: bool,
    /// Accesses of a thread that has started no other yet are not kept, because they come before all others: it is only
    /// looked whether their memory is freed or in no block. Where fields are noted, they are kept. Default false.
    pub forget_accesses_alone: bool,
    /// The code under test reports every memory access, and memory that it frees is not reused in the same execution.
    /// Default false.
    pub accesses: bool,
    /// What atomic operations of drop-in types may read; default [`MemoryModel::Sc`].
    pub memory_model: MemoryModel,
}

/// What the text of an execution that has used up its time begins with.
pub const OUT_OF_TIME: &str = "an execution takes more than";

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 10_000,
            time: None,
            threads: 128,
            stack_bytes: 1 << 20,
            timeouts: Timeouts::LastResort,
            spurious_wakeups: 0,
            spin_iterations: 1_000,
            run_detached: false,
            forget_unfinished: false,
            fresh_statics: false,
            shares_main_stack: false,
            forget_accesses_alone: false,
            accesses: false,
            memory_model: MemoryModel::Sc,
        }
    }
}
