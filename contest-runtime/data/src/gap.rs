//! Why it may not be said of a test that it was run in every interleaving, or that all it did was judged.

use std::fmt;

/// One reason; [`Display`](fmt::Display) has the words of reports. Those that count most come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Gap {
    /// The same decisions did not lead to the same operations: the first difference.
    Nondeterministic(String),
    /// The same, seen while the exploration was under way.
    Diverged,
    /// The test does this outside the process, where isolation puts nothing back and the scheduler orders nothing.
    Outside(String),
    /// The exploration ended before everything was explored.
    Cut(Cut),
    /// The strategy of this name does not run every interleaving.
    Sampled(String),
    /// A waiting loop was not left before the change for which it waits, although it may end without it.
    HeldBack,
    /// Threads that code under test starts ran in one order while the test's threads did not run, and their steps do
    /// not all commute with those of other threads.
    Background,
    /// No wait with a time limit, and no sleep, was over before other threads had done all that they could.
    Timeouts,
    /// Threads read the clock, and time passed while others could run.
    Clock,
    /// Random numbers were drawn, and so many draws of them were run.
    Randomness(u64),
    /// A thread changed an environment variable beside others: `std` guards it by a lock that no strategy sees.
    Environment,
    /// A thread woke spuriously because no other thread was enabled.
    SpuriousWake,
    /// Futures were not polled at every point at which they could have been.
    Probes,
    /// So much memory was freed that some of it was used again.
    Freed,
    /// A block of inline assembly was executed.
    Assembly,
    /// A thread unwound from a panic while others could run.
    Unwinding,
    /// A scope waited for thread-locals that its thread dropped; it may end before.
    LateLocals,
    /// Calls returned something else where memory lay in other places.
    Addresses,
    /// An execution ended before threads that were enabled.
    LeftBehind,
    /// There were more threads than the exploration tracks.
    ManyThreads,
    /// Memory that threads contend for was not scheduled access by access.
    Contended,
    /// The same: an access was of more than a word, or of more than one piece of memory.
    WideAccess,
    /// The exploration under RC11 does not have this.
    WeakMemory(WeakMemory),
    /// There were too many orders of the calls to judge results by.
    SerialOrders,
    /// An outcome was not judged, for this reason.
    Unjudged(String),
    /// An outcome looked like a bug and did not show again under the same schedule: the message, if it is known.
    Unsettled(String),
    /// Memory accesses were not watched, for this reason.
    Unwatched(String),
    /// It was to be explored under RC11, which does not have this.
    Unmodelled(String),
}

/// Why an exploration ended before everything was explored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Cut {
    /// It goes on, or would.
    Unfinished,
    /// It had so many executions.
    Executions(u64),
    /// Its time was over.
    Time,
    /// The time for all tests was over.
    AllTime,
    /// By an estimate it needs far more executions than it has.
    TooLarge,
    /// It ended at a finding.
    Finding,
    /// Executions reached a limit of one execution.
    Limit,
    /// An execution was cut: why.
    Execution(String),
    /// One schedule was replayed.
    Replayed,
}

/// What an exploration of every execution graph does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum WeakMemory {
    /// Timeouts, futures, futexes, plain memory, inline assembly.
    OtherOperations,
    /// A loop that seemed to wait went on without a change.
    Spins,
    /// A thread read while it unwound.
    Unwinds,
    /// An execution has too many operations.
    TooLarge,
    /// Several threads create threads.
    SeveralCreators,
    /// Memory was used again.
    ReusedMemory,
    /// An atomic was accessed in different widths, or changed beside its operations.
    Overlapping,
}

impl Gap {
    /// True if no strategy explores what is missing, so that others would not help.
    #[must_use]
    pub fn is_of_engine(&self) -> bool {
        matches!(
            self,
            Self::Outside(_)
                | Self::HeldBack
                | Self::Background
                | Self::Timeouts
                | Self::Environment
                | Self::Probes
                | Self::Freed
                | Self::LateLocals
                | Self::Addresses
        ) || self.is_of_judging()
    }

    /// True if every interleaving was run all the same, and not all of what they did was watched and judged.
    #[must_use]
    pub fn is_of_judging(&self) -> bool {
        matches!(
            self,
            Self::SerialOrders | Self::Unjudged(_) | Self::Unsettled(_) | Self::Unwatched(_)
        )
    }
}

/// As the end of `not every interleaving: `.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut(cut) => return cut.fmt(f),
            Self::Sampled(name) => {
                return write!(f, "strategy {name} does not run every interleaving");
            }
            Self::Outside(what) => {
                return write!(
                    f,
                    "it {what}; what is outside the process is not put back between executions"
                );
            }
            Self::Nondeterministic(what) => {
                return write!(
                    f,
                    "the same decisions did not lead to the same operations: {what}"
                );
            }
            Self::Unsettled(message) => {
                f.write_str("what looked like a bug did not show again under the same schedule")?;
                return match message.as_str() {
                    "" => Ok(()),
                    message => write!(f, ": {message}"),
                };
            }
            Self::Unwatched(why) => return write!(f, "memory accesses were not watched: {why}"),
            Self::Unmodelled(why) => {
                return write!(
                    f,
                    "{why} under RC11: explored under sequential consistency"
                );
            }
            Self::Unjudged(why) => return write!(f, "an outcome was not judged: {why}"),
            Self::WeakMemory(what) => return what.fmt(f),
            Self::Diverged => "the same decisions led to different operations",
            Self::HeldBack => {
                "a waiting loop may be left before the change that it waits for, after more rounds than were explored"
            }
            Self::Background => {
                "background threads ran in one order before and after the calls of the test"
            }
            Self::Timeouts => {
                "time limits or sleeps may be over earlier, or more of them early, than was explored"
            }
            Self::Clock => {
                "time passed while threads could run: what they read of the clock depends on the order of independent operations"
            }
            Self::Randomness(1) => "random numbers were drawn: one of many draws was run",
            Self::Randomness(draws) => {
                return write!(
                    f,
                    "random numbers were drawn: {draws} of many draws were run"
                );
            }
            Self::Environment => {
                "threads change environment variables: the lock of `std` around them is not scheduled"
            }
            Self::SpuriousWake => {
                "a thread woke spuriously because no other thread was enabled; executions in which it does not were not explored"
            }
            Self::Probes => "a future was not polled at every point at which it could have been",
            Self::Freed => {
                "so much memory was freed that some of it was used again: use after free may not be seen there"
            }
            Self::Assembly => {
                "what a block of inline assembly works on is not known; it was taken to commute with all else"
            }
            Self::Unwinding => "no thread is stopped while it unwinds from a panic",
            Self::LateLocals => {
                "a scope ended after the thread-locals of its threads were dropped, and may end before"
            }
            Self::Addresses => {
                "results depend on the addresses of memory: it lay in the same places each time"
            }
            Self::LeftBehind => "the test ended while a thread that it had started was still under way",
            Self::ManyThreads => "more threads than notifications are tracked for",
            Self::Contended => "not every access of contended memory was a scheduling point",
            Self::WideAccess => {
                "an access of contended memory was one step, though it is of more than a word or a piece"
            }
            Self::SerialOrders => "too many orders of its calls to judge results",
        })
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unfinished => "some interleavings are left",
            Self::Executions(most) => return write!(f, "stopped after {most} executions"),
            Self::Time => "the time for this test is over",
            Self::AllTime => "the time for all tests is over",
            Self::TooLarge => "too many interleavings for the limit of executions",
            Self::Finding => "stopped at a finding",
            Self::Limit => "an execution was cut short by a limit",
            Self::Execution(why) => why,
            Self::Replayed => "one schedule was replayed",
        })
    }
}

impl fmt::Display for WeakMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::OtherOperations => {
                "timeouts, futures, futexes, plain memory and inline assembly are not explored exhaustively"
            }
            Self::Spins => {
                "a loop that seemed to wait went on without a change, which is not explored exhaustively"
            }
            Self::Unwinds => "what a thread reads while it unwinds is not explored exhaustively",
            Self::TooLarge => "an execution has too many operations to be explored exhaustively",
            Self::SeveralCreators => {
                "several threads create threads, which is not explored exhaustively"
            }
            Self::ReusedMemory => {
                "memory is used again, for the same object or for another one by the interleaving, which is not explored exhaustively"
            }
            Self::Overlapping => {
                "an atomic is accessed in different widths, or changed beside its operations, which is not explored exhaustively"
            }
        };
        write!(f, "{what} under rc11")
    }
}

/// Reasons, each once, those that count most first. Without any, the test was run in every interleaving and judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct Gaps(Vec<Gap>);

impl Gaps {
    /// None.
    pub const NONE: Self = Self(Vec::new());

    /// Adds a reason.
    pub fn add(&mut self, gap: Gap) {
        if let Err(place) = self.0.binary_search(&gap) {
            self.0.insert(place, gap);
        }
    }

    /// Takes a reason out, where another one says more.
    pub fn remove(&mut self, gap: &Gap) {
        if let Ok(place) = self.0.binary_search(gap) {
            self.0.remove(place);
        }
    }

    /// Adds these.
    pub fn join(&mut self, more: &Self) {
        for gap in &more.0 {
            self.add(gap.clone());
        }
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if this is one of them.
    #[must_use]
    pub fn contains(&self, gap: &Gap) -> bool {
        self.0.binary_search(gap).is_ok()
    }

    /// The reasons.
    pub fn iter(&self) -> std::slice::Iter<'_, Gap> {
        self.0.iter()
    }

    /// Forgets all, and keeps the buffer.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl From<Gap> for Gaps {
    fn from(gap: Gap) -> Self {
        Self(vec![gap])
    }
}

impl FromIterator<Gap> for Gaps {
    fn from_iter<I: IntoIterator<Item = Gap>>(gaps: I) -> Self {
        let mut all = Self::NONE;
        gaps.into_iter().for_each(|gap| all.add(gap));
        all
    }
}

impl<'a> IntoIterator for &'a Gaps {
    type Item = &'a Gap;
    type IntoIter = std::slice::Iter<'a, Gap>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// All of them, one after another.
impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, gap) in self.0.iter().enumerate() {
            f.write_str(if number == 0 { "" } else { "; " })?;
            gap.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_there_once_and_those_that_count_most_come_first() {
        let mut gaps: Gaps = [Gap::SerialOrders, Gap::HeldBack, Gap::SerialOrders]
            .into_iter()
            .collect();
        gaps.join(&Gaps::from(Gap::Cut(Cut::Time)));
        assert_eq!(gaps.iter().count(), 3);
        assert!(
            gaps.to_string()
                .starts_with("the time for this test is over; a waiting loop")
        );
        assert!(gaps.contains(&Gap::HeldBack) && !gaps.contains(&Gap::Probes));
    }
}
