//! What is not explored exhaustively under RC11, in words.

pub(super) const OTHER_OPERATIONS: &str = "timeouts, futures, futexes, plain memory and inline assembly are not explored \
    exhaustively under rc11";
pub(super) const SPINS: &str = "a loop that seemed to wait went on without a change, which is not explored exhaustively under rc11";
pub(super) const UNWINDS: &str =
    "what a thread reads while it unwinds is not explored exhaustively under rc11";
pub(super) const TOO_LARGE: &str =
    "an execution has too many operations to be explored exhaustively under rc11";
pub(super) const SEVERAL_CREATORS: &str =
    "several threads create threads, which is not explored exhaustively under rc11";
pub(super) const DIVERGED: &str = "the same decisions led to different operations";
pub(super) const REUSED: &str = "memory is used again, for the same object or for another one by the interleaving, which is not \
    explored exhaustively under rc11";
pub(super) const OVERLAPPING: &str = "an atomic is accessed in different widths, or changed beside its operations, which is not \
    explored exhaustively under rc11";
pub(super) const RANDOM: &str = "the code under test draws random numbers";
pub(super) const LEFT_BEHIND: &str = "an execution ended before threads that were enabled, whose writes are in no execution \
    graph";
