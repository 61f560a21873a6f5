//! The decisions of one execution as a value, and their text form.

#[cfg(feature = "explore")]
use super::base64url;
#[cfg(feature = "explore")]
use super::event::ThreadIndex;
#[cfg(feature = "explore")]
use super::number::{put_number, take_number};
#[cfg(feature = "explore")]
use super::visible::Home;
use super::visible::VisibleBytes;
#[cfg(feature = "explore")]
use crate::delay::Delay;
use crate::limits::{Leeway, MemoryModel};

/// One decision that had more than one alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The thread that runs next, by number.
    Thread(u16),
    /// Which of several values (notify target, spurious wake-up, timeout), counting from 0.
    Value(u16),
}

/// What makes an execution come out the same again: its decisions in order, and for each a check that says what it was
/// about, so that a replay against changed code can name the first step that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Decisions, in order; only points with more than one alternative are recorded.
    pub decisions: Vec<Decision>,
    /// For each decision, a short hash of the operation that the chosen thread then performed (kind and method name,
    /// no line numbers).
    pub checks: Vec<u8>,
    /// Memory whose accesses are visible operations of the execution, so that there are decisions before them too.
    pub visible: Vec<VisibleBytes>,
    /// What atomic operations may read; under another model the values mean something else.
    pub memory_model: MemoryModel,
    /// In what it differs from the ordinary: with more leeway there are more decisions, and with another draw of random
    /// numbers the code may do something else.
    pub leeway: Leeway,
}

/// A byte that says what an operation is, for [`Schedule::checks`]. Stable across processes and unrelated edits.
#[must_use]
pub const fn check_of(action: super::Action, name: &str) -> u8 {
    let (factor, sum) = name_parts(name);
    kind_of(action).wrapping_mul(factor).wrapping_add(sum)
}

/// What of a check depends on the name only: a factor and a summand.
pub const fn name_parts(name: &str) -> (u8, u8) {
    let bytes = name.as_bytes();
    let (mut factor, mut sum) = (37_u8, 0_u8);
    let mut index = 0;
    while index < bytes.len() {
        factor = factor.wrapping_mul(31);
        sum = sum.wrapping_mul(31).wrapping_add(bytes[index]);
        index += 1;
    }
    (factor, sum)
}

/// A number for each kind of operation; never changed, because schedules have been written down with it.
#[inline]
pub const fn kind_of(action: super::Action) -> u8 {
    use super::{Action, LockMode};
    let of_readers = matches!(
        action,
        Action::Acquire(LockMode::Read) | Action::AcquireTimeout(LockMode::Read)
    );
    // Constants only, so that it becomes a table.
    let kind = match action {
        Action::Load(_) => 1,
        Action::Store(_) => 2,
        // Whether a compare-exchange succeeds is not part of what it is.
        Action::Rmw(..) | Action::CasFail(_) => 3,
        // 6 in read mode.
        Action::Acquire(_) | Action::AcquireTimeout(_) => 5,
        Action::Release(..) => 7,
        // A writer that comes was a try-lock when the numbers were given.
        Action::TryAcquire(..) | Action::Arrive(_) => 8,
        Action::Wait => 9,
        Action::Wake(_) => 10,
        Action::Notify(_) => 11,
        Action::Park(_) => 12,
        Action::Unpark => 13,
        Action::Send(..) => 14,
        Action::Receive(..) => 15,
        Action::Endpoint => 16,
        Action::OnceBegin(_) => 17,
        Action::OnceEnd(_) => 18,
        Action::OncePeek(_) => 19,
        Action::BarrierArrive => 20,
        Action::BarrierLeave(_) => 21,
        Action::FutexWait(_) => 22,
        Action::FutexWake => 23,
        Action::Spawn(_) => 24,
        Action::Join(_) => 25,
        Action::Begin => 26,
        Action::End => 27,
        Action::Fence(_) => 28,
        Action::Yield => 29,
        Action::Sleep => 30,
        Action::CallBegin => 31,
        Action::CallHold => 32,
        Action::LaneEnd => 33,
        Action::WaitOver(_) => 34,
        Action::SendTaken(_) => 35,
        Action::ReceiveBegin => 36,
        Action::PlainRead => 37,
        Action::PlainWrite => 38,
        Action::Await => 39,
        Action::Assembly => 40,
    };
    kind + of_readers as u8
}

/// Version of the text form; a token of another version is refused, never misread.
#[cfg(feature = "explore")]
const VERSION: u8 = 1;
/// The same, of an execution under RC11.
#[cfg(feature = "explore")]
const RC11_VERSION: u8 = 2;
/// Added to either where there was leeway, which comes next then.
#[cfg(feature = "explore")]
const WITH_LEEWAY: u8 = 2;
/// Added to either where the draw of random numbers was another one than the first: the leeway comes next, then the
/// number of the draw.
#[cfg(feature = "explore")]
const WITH_DRAW: u8 = 4;
/// Added to either where a thread was held up, or the number of the draw does not fit into a byte: both are numbers of
/// any size then, and the delay comes last.
#[cfg(feature = "explore")]
const WITH_DELAY: u8 = 6;

/// Why a text is no schedule.
#[cfg(feature = "explore")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// Not the alphabet of the text form, or cut short.
    Malformed,
    /// Written by another version of the tool.
    Version(u8),
}

#[cfg(feature = "explore")]
impl std::fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed => f.write_str("not a schedule: the text is damaged or cut short"),
            Self::Version(version) => {
                write!(
                    f,
                    "schedule of format version {version}, this tool reads version {VERSION}: find it again with this tool"
                )
            }
        }
    }
}

#[cfg(feature = "explore")]
impl std::error::Error for ScheduleError {}

#[cfg(feature = "explore")]
impl Schedule {
    /// The schedule as short text in the alphabet `A-Z a-z 0-9 - _`. Runs of equal decisions are folded.
    #[must_use]
    pub fn to_text(&self) -> String {
        let version = match self.memory_model {
            MemoryModel::Sc => VERSION,
            MemoryModel::Rc11 => RC11_VERSION,
        };
        let mut bytes = Vec::new();
        let Leeway {
            early_ends,
            rounds,
            draw,
            delay,
        } = self.leeway;
        match (early_ends, rounds, u8::try_from(draw), delay) {
            (0, 0, Ok(0), None) => bytes.push(version),
            (_, _, Ok(0), None) => bytes.extend([version + WITH_LEEWAY, early_ends, rounds]),
            (_, _, Ok(draw), None) => {
                bytes.extend([version + WITH_DRAW, early_ends, rounds, draw]);
            }
            _ => {
                bytes.extend([version + WITH_DELAY, early_ends, rounds]);
                put_number(&mut bytes, u64::from(draw));
                put_number(&mut bytes, Delay::encode(delay));
            }
        }
        put_number(&mut bytes, self.decisions.len() as u64);
        for run in self.decisions.chunk_by(|a, b| a == b) {
            let symbol = match run[0] {
                Decision::Thread(thread) => u64::from(thread) << 1,
                Decision::Value(value) => u64::from(value) << 1 | 1,
            };
            put_number(&mut bytes, symbol);
            put_number(&mut bytes, run.len() as u64);
        }
        bytes.extend_from_slice(&self.checks);
        for visible in &self.visible {
            put_visible(&mut bytes, visible);
        }
        base64url::encode(&bytes)
    }

    /// Reads what [`Schedule::to_text`] wrote.
    ///
    /// # Errors
    /// If the text is damaged or of another version.
    pub fn from_text(text: &str) -> Result<Self, ScheduleError> {
        const LEEWAY: u8 = VERSION + WITH_LEEWAY;
        const RC11_LEEWAY: u8 = RC11_VERSION + WITH_LEEWAY;
        const DRAW: u8 = VERSION + WITH_DRAW;
        const RC11_DRAW: u8 = RC11_VERSION + WITH_DRAW;
        const DELAY: u8 = VERSION + WITH_DELAY;
        const RC11_DELAY: u8 = RC11_VERSION + WITH_DELAY;
        let bytes = base64url::decode(text).ok_or(ScheduleError::Malformed)?;
        let [version, ref rest @ ..] = *bytes.as_slice() else {
            return Err(ScheduleError::Malformed);
        };
        let (memory_model, leeway_bytes) = match version {
            VERSION => (MemoryModel::Sc, 0),
            RC11_VERSION => (MemoryModel::Rc11, 0),
            LEEWAY | DELAY => (MemoryModel::Sc, 2),
            RC11_LEEWAY | RC11_DELAY => (MemoryModel::Rc11, 2),
            DRAW => (MemoryModel::Sc, 3),
            RC11_DRAW => (MemoryModel::Rc11, 3),
            _ => return Err(ScheduleError::Version(version)),
        };
        let (written, mut bytes) = rest
            .split_at_checked(leeway_bytes)
            .ok_or(ScheduleError::Malformed)?;
        let at = |place: usize| written.get(place).copied().unwrap_or_default();
        let mut leeway = Leeway {
            early_ends: at(0),
            rounds: at(1),
            draw: u16::from(at(2)),
            delay: None,
        };
        if let DELAY | RC11_DELAY = version {
            let draw = take_number(&mut bytes).ok_or(ScheduleError::Malformed)?;
            let delay = take_number(&mut bytes).ok_or(ScheduleError::Malformed)?;
            leeway.draw = u16::try_from(draw).map_err(|_| ScheduleError::Malformed)?;
            leeway.delay = Delay::decode(delay);
        }
        let n_decisions = take_number(&mut bytes).ok_or(ScheduleError::Malformed)?;
        let mut decisions = Vec::new();
        while (decisions.len() as u64) < n_decisions {
            let symbol = take_number(&mut bytes).ok_or(ScheduleError::Malformed)?;
            let length = take_number(&mut bytes).ok_or(ScheduleError::Malformed)?;
            let number = u16::try_from(symbol >> 1).map_err(|_| ScheduleError::Malformed)?;
            let decision = if symbol & 1 == 0 {
                Decision::Thread(number)
            } else {
                Decision::Value(number)
            };
            // A damaged length must not make the reader allocate without end.
            if length == 0 || length > 10_000_000 || decisions.len() as u64 + length > n_decisions {
                return Err(ScheduleError::Malformed);
            }
            decisions.extend(std::iter::repeat_n(decision, length as usize));
        }
        let (checks, mut bytes) = bytes
            .split_at_checked(decisions.len())
            .ok_or(ScheduleError::Malformed)?;
        let mut visible = Vec::new();
        while !bytes.is_empty() {
            visible.push(take_visible(&mut bytes).ok_or(ScheduleError::Malformed)?);
        }
        Ok(Self {
            decisions,
            checks: checks.to_vec(),
            visible,
            memory_model,
            leeway,
        })
    }
}

/// Appends one of [`Schedule::visible`].
#[cfg(feature = "explore")]
pub fn put_visible(bytes: &mut Vec<u8>, visible: &VisibleBytes) {
    // No thread has so high a number.
    let (thread, number) = match visible.home {
        Home::Statics => (u64::from(u16::MAX), 0),
        Home::Block { thread, number } => (u64::from(thread.0), u64::from(number)),
    };
    let (offset, size) = (u64::from(visible.offset), u64::from(visible.size));
    for part in [thread, number, offset, size] {
        put_number(bytes, part);
    }
}

/// Reads what [`put_visible`] wrote from the front; `None` if that is not there.
#[cfg(feature = "explore")]
pub(crate) fn take_visible(bytes: &mut &[u8]) -> Option<VisibleBytes> {
    let mut next = || u32::try_from(take_number(bytes)?).ok();
    let (thread, number, offset, size) = (next()?, next()?, next()?, next()?);
    let thread = u16::try_from(thread).ok()?;
    let home = match thread {
        u16::MAX => Home::Statics,
        _ => Home::Block {
            thread: ThreadIndex(thread),
            number,
        },
    };
    Some(VisibleBytes { home, offset, size })
}

#[cfg(all(test, feature = "explore"))]
mod tests {
    use super::*;
    use crate::delay::DelayPoint;

    #[test]
    fn what_an_action_says_beyond_its_kind_is_not_in_the_check() {
        use super::super::{Action, Blocking, LockMode, Update};
        use std::sync::atomic::Ordering::Relaxed;
        let write = Action::TryAcquire(LockMode::Exclusive, true);
        assert_eq!(kind_of(Action::Arrive(false)), kind_of(write));
        for blocking in [Blocking::Waits, Blocking::Tries] {
            assert_eq!(kind_of(Action::Send(blocking, true)), 14);
            assert_eq!(kind_of(Action::Receive(blocking, true)), 15);
        }
        for update in [Update::Conditional, Update::Replace, Update::Add] {
            assert_eq!(kind_of(Action::Rmw(Relaxed, update)), 3);
        }
        let weaker = Some(LockMode::Read);
        assert_eq!(kind_of(Action::Release(LockMode::Exclusive, weaker)), 7);
    }

    #[test]
    fn visible_memory_is_written_down_behind_the_decisions() {
        let block = |number| Home::Block {
            thread: ThreadIndex(2),
            number,
        };
        let bytes = |home| VisibleBytes {
            home,
            offset: 300,
            size: 8,
        };
        let schedule = Schedule {
            decisions: vec![Decision::Thread(1), Decision::Value(2)],
            checks: vec![3, 4],
            visible: vec![bytes(block(7)), bytes(Home::Statics)],
            memory_model: MemoryModel::Rc11,
            leeway: Leeway::default(),
        };
        assert_eq!(Schedule::from_text(&schedule.to_text()), Ok(schedule));
    }

    #[test]
    fn leeway_and_draw_are_written_down_where_there_were_any() {
        for memory_model in [MemoryModel::Sc, MemoryModel::Rc11] {
            let mut schedule = Schedule {
                decisions: vec![Decision::Thread(1)],
                checks: vec![3],
                memory_model,
                ..Schedule::default()
            };
            let without = schedule.to_text();
            let delay = Some(Delay::at(DelayPoint::Step(1_234_567, 5)));
            for (rounds, draw, delay) in [
                (200, 0, None),
                (0, 7, None),
                (9, 255, None),
                (0, 256, None),
                (0, 0, delay),
                (3, 4000, delay),
            ] {
                schedule.leeway = Leeway {
                    early_ends: 1,
                    rounds,
                    draw,
                    delay,
                };
                assert_ne!(schedule.to_text(), without);
                assert_eq!(
                    Schedule::from_text(&schedule.to_text()).as_ref(),
                    Ok(&schedule)
                );
            }
        }
    }
}
