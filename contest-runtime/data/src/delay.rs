//! A thread that the machine holds up, as a busy one does.

use std::time::Duration;

/// The name of the event of a delay, a [`Sleep`](crate::trace::Action::Sleep) that has written its milliseconds.
pub const HELD_UP: &str = "held up";
/// How the row of a delay begins, if time passes in it.
pub const IS_HELD_UP: &str = "is held up for ";
/// The row of a delay in which no time passes: the clock is read twice without it.
pub const CLOCK_STANDS_STILL: &str = "the clock stands still";

/// One thread is held up once in an execution: it takes its next step only after that much time. Meanwhile all others
/// go on, and the timers of those that wait pass.
///
/// Delays at the places of synchronisation bring out what depends on timing: ConTest (Edelstein et al., Multithreaded
/// Java program test generation, IBM Systems Journal 2002) and TSVD (Li et al., SOSP 2019) sleep there in real time, at
/// places that are drawn. Here time is virtual, and each place has an execution of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// Where.
    pub at: DelayPoint,
    /// For how many milliseconds. At a reading of the clock 0 says that it shows what it showed before.
    pub ms: u16,
}

/// Where a thread is held up. Points are counted over all threads, in the order of the execution, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelayPoint {
    /// Nowhere: only the calendar is as in executions with a delay, shortly before midnight.
    Nowhere,
    /// This thread, by number, after so many steps of the execution.
    Step(u32, u8),
    /// At this reading of the clock: the whole process is held up.
    Reading(u32),
}

impl Delay {
    /// The longest delay that is explored. A loaded machine, or a virtual machine that is stopped for a while, holds up
    /// a thread for so long. A test that waits for a second or more allows for that.
    pub const LONGEST: Duration = Duration::from_millis(990);

    /// No thread is held up.
    pub const NOWHERE: Self = Self {
        at: DelayPoint::Nowhere,
        ms: 0,
    };

    /// A delay of the longest kind.
    #[must_use]
    pub const fn at(at: DelayPoint) -> Self {
        Self {
            at,
            ms: Self::LONGEST.as_millis() as u16,
        }
    }

    /// The clock shows the same at this reading as at the one before.
    #[must_use]
    pub const fn stands_still_at(reading: u32) -> Self {
        Self {
            at: DelayPoint::Reading(reading),
            ms: 0,
        }
    }

    /// How long it is.
    #[must_use]
    pub const fn length(self) -> Duration {
        Duration::from_millis(self.ms as u64)
    }

    /// As a number; 0 is left for none.
    #[must_use]
    pub fn encode(delay: Option<Self>) -> u64 {
        let Some(Self { at, ms }) = delay else {
            return 0;
        };
        let (kind, number) = match at {
            DelayPoint::Nowhere => (1, 0),
            DelayPoint::Step(number, thread) => (2 | u64::from(thread) << 8, number),
            DelayPoint::Reading(number) => (3, number),
        };
        u64::from(number) << 32 | u64::from(ms) << 16 | kind
    }

    /// What [`encode`](Self::encode) made a number of; nothing of any other number.
    #[must_use]
    pub const fn decode(number: u64) -> Option<Self> {
        let point = (number >> 32) as u32;
        let [kind, thread, ..] = number.to_le_bytes();
        let at = match kind {
            1 => DelayPoint::Nowhere,
            2 => DelayPoint::Step(point, thread),
            3 => DelayPoint::Reading(point),
            _ => return None,
        };
        Some(Self {
            at,
            ms: (number >> 16) as u16,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_numbers() {
        for at in [
            DelayPoint::Nowhere,
            DelayPoint::Step(70_000, 127),
            DelayPoint::Reading(3),
        ] {
            let delay = Some(Delay { at, ms: 990 });
            assert_eq!(Delay::decode(Delay::encode(delay)), delay);
        }
        assert_eq!(Delay::decode(Delay::encode(None)), None);
    }
}
