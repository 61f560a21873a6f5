//! The black box: a small file, shared by mapping, that says what the driver process was doing when it died.
//!
//! This is the layout and the reading side. The driver maps the file and writes with plain stores, so that the last
//! word survives any death; the tool reads it as a file. Strings are cut to the room they have, and the contents say
//! so.

use std::fmt;
use std::io;
use std::mem::offset_of;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use crate::delay::Delay;
use crate::limits::{Leeway, MemoryModel};
use crate::trace::schedule::take_visible;
use crate::trace::{Decision, Schedule};

/// Size of the file in bytes.
pub const SIZE: usize = 1 << 20;
/// Version of the layout.
pub const LAYOUT: u32 = 6;
/// First bytes of the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"contest\0");
/// As [`Layout::in_execution`]: one under RC11.
pub const WEAK_EXECUTION: u32 = 2;
/// In a recorded decision: it is a value, not a thread.
const VALUE_BIT: u16 = 1 << 15;

/// Room for the running test as text.
pub const TEST_BYTES: usize = 256 << 10;
/// Room for the last panic.
pub const PANIC_BYTES: usize = 32 << 10;
const DEATH_BYTES: usize = 96 << 10;
/// Most decisions of an execution that are kept.
pub const DECISIONS: usize = 128 << 10;
/// Room for what is visible of memory.
pub const VISIBLE_BYTES: usize = 4 << 10;
/// Tests that are over and remembered, the latest ones.
pub const TESTS_OVER: usize = 8 << 10;
/// Of such a test: every interleaving was explored.
pub const EXHAUSTED_BIT: u64 = 1 << 63;
/// Most subjects whose tests are counted.
pub const SUBJECTS: usize = 1 << 10;

/// What the driver is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Phase {
    /// No code under test.
    #[default]
    Idle = 0,
    /// Runs operations alone to make call sequences.
    Generating = 1,
    /// Runs the serial orders of a test.
    Serial = 2,
    /// Explores interleavings of a test.
    Exploring = 3,
    /// Makes a finding smaller.
    Minimising = 4,
    /// Runs a given schedule.
    Replaying = 5,
}

impl Phase {
    fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Generating,
            2 => Self::Serial,
            3 => Self::Exploring,
            4 => Self::Minimising,
            5 => Self::Replaying,
            _ => Self::Idle,
        }
    }
}

/// What ended the driver process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum DeathKind {
    /// Code under test used up its stack.
    StackOverflow = 1,
    /// It used an address in the first page.
    NullPointer = 2,
    /// It used an address that is not its to use.
    BadAddress = 3,
    /// `abort()`: a second panic while unwinding, a panic that must not unwind, `process::abort`.
    Abort = 4,
    /// An instruction that does not exist; how `core::intrinsics::abort` ends a process.
    IllegalInstruction = 5,
    /// Integer division fault.
    Arithmetic = 6,
    /// The tool's watchdog found no progress.
    Hung = 7,
    /// The memory limit of an execution was reached and the engine could not end the execution.
    MemoryLimit = 8,
    /// Code under test ended the process (`exit`).
    Exit = 9,
    /// The driver panicked in code of its own; the details are message and location.
    OwnPanic = 10,
}

impl DeathKind {
    const ALL: [(Self, &'static str); 10] = [
        (Self::StackOverflow, "stack overflow"),
        (Self::NullPointer, "null pointer dereference"),
        (Self::BadAddress, "invalid memory access"),
        (Self::Abort, "abort"),
        (Self::IllegalInstruction, "illegal instruction"),
        (Self::Arithmetic, "arithmetic fault"),
        (Self::Hung, "no progress"),
        (Self::MemoryLimit, "memory limit reached"),
        (Self::Exit, "process exit"),
        (Self::OwnPanic, "panic in the driver"),
    ];

    /// In words, for a report.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }

    fn from_number(number: u32) -> Option<Self> {
        Self::ALL
            .iter()
            .map(|(kind, _)| *kind)
            .find(|kind| *kind as u32 == number)
    }
}

impl fmt::Display for DeathKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the driver process died, as far as it could record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// What ended it.
    pub kind: DeathKind,
    /// Number of the signal; 0 if there was none.
    pub signal: i32,
    /// True if code under test was running, as opposed to the tool's own.
    pub in_user_code: bool,
    /// Further lines, e.g. the stack at the point of death, innermost frame first. May be empty.
    pub details: String,
}

/// What a black box says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlackBoxContents {
    /// Rises while the driver makes progress; together with [`decisions_made`](Self::decisions_made).
    pub heartbeat: u64,
    /// What it was doing.
    pub phase: Phase,
    /// Executions begun.
    pub executions: u64,
    /// What the visits of its campaign have cost, in steps.
    pub work: u64,
    /// True if an execution was under way.
    pub in_execution: bool,
    /// For each subject of the campaign, how many of its tests have begun; nothing for those behind the last one that
    /// has any, and for those beyond the room.
    pub begun: Vec<u64>,
    /// Numbers of the tests that were over last, and whether every interleaving of them was explored.
    pub over: Vec<(u64, bool)>,
    /// Findings that the driver has begun to report.
    pub findings: u32,
    /// Number of the running test.
    pub test_number: u64,
    /// The running test as `contest-wire` writes it; `None` if none was running or it was too long to be stored.
    pub test: Option<String>,
    /// Decisions of the running (or last) execution.
    pub schedule: Schedule,
    /// How many decisions there were; more than are stored if the room was used up.
    pub decisions_made: u32,
    /// Message and location of the last panic of the running (or last) execution: `message` at `file:line:column`.
    pub panic: Option<String>,
    /// What ended the process; `None` if it exited, or was ended by a signal that cannot be caught.
    pub death: Option<Death>,
}

/// Why a black box cannot be read.
#[derive(Debug)]
pub enum BlackBoxError {
    /// The file cannot be read.
    Io(io::Error),
    /// No driver has written to it, or a driver of another version.
    NotABlackBox,
}

impl fmt::Display for BlackBoxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the driver's black box: {error}"),
            Self::NotABlackBox => f.write_str("the driver has not written its black box"),
        }
    }
}

impl std::error::Error for BlackBoxError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::NotABlackBox => None,
        }
    }
}

/// The reading side.
#[derive(Clone, Copy, Debug)]
pub struct BlackBox;

impl BlackBox {
    /// Makes an empty file for a driver to write to.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> io::Result<()> {
        std::fs::File::create(path)?.set_len(SIZE as u64)
    }

    /// Reads a black box, of a dead driver or of one that runs.
    ///
    /// # Errors
    /// If the file cannot be read or no driver has written to it.
    pub fn read(path: &Path) -> Result<BlackBoxContents, BlackBoxError> {
        Self::parse(&std::fs::read(path).map_err(BlackBoxError::Io)?)
    }

    /// Understands the bytes of a black box.
    ///
    /// # Errors
    /// If they are none that a driver of this version has written.
    pub fn parse(bytes: &[u8]) -> Result<BlackBoxContents, BlackBoxError> {
        parse(bytes).ok_or(BlackBoxError::NotABlackBox)
    }
}

fn parse(bytes: &[u8]) -> Option<BlackBoxContents> {
    let u32_at = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let text = |at: usize, length: u32, room: usize| {
        let length = (length as usize).min(room);
        Some(String::from_utf8_lossy(bytes.get(at..at + length)?).into_owned())
    };
    if u64_at(offset_of!(Layout, magic))? != MAGIC || u32_at(offset_of!(Layout, layout))? != LAYOUT
    {
        return None;
    }
    let decisions_made = u32_at(offset_of!(Layout, decisions_made))?;
    let stored = (decisions_made as usize).min(DECISIONS);
    let decisions = offset_of!(Layout, decisions);
    let checks = offset_of!(Layout, checks);
    let schedule = Schedule {
        decisions: bytes
            .get(decisions..decisions + 2 * stored)?
            .chunks_exact(2)
            .map(|code| decode(u16::from_ne_bytes([code[0], code[1]])))
            .collect(),
        checks: bytes.get(checks..checks + stored)?.to_vec(),
        visible: {
            let at = offset_of!(Layout, visible);
            let length = u32_at(offset_of!(Layout, visible_length))? as usize;
            let mut written = bytes.get(at..at + length.min(VISIBLE_BYTES))?;
            std::iter::from_fn(|| take_visible(&mut written)).collect()
        },
        memory_model: match u32_at(offset_of!(Layout, in_execution))? {
            WEAK_EXECUTION => MemoryModel::Rc11,
            _ => MemoryModel::Sc,
        },
        leeway: {
            let [early_ends, rounds, low, high] = u32_at(offset_of!(Layout, leeway))?.to_le_bytes();
            Leeway {
                early_ends,
                rounds,
                draw: u16::from_le_bytes([low, high]),
                delay: Delay::decode(u64_at(offset_of!(Layout, delay))?),
            }
        },
    };
    let test_length = u32_at(offset_of!(Layout, test_length))?;
    let panic_length = u32_at(offset_of!(Layout, panic_length))?;
    let death = match DeathKind::from_number(u32_at(offset_of!(Layout, death_kind))?) {
        None => None,
        Some(kind) => Some(Death {
            kind,
            signal: u32_at(offset_of!(Layout, death_signal))? as i32,
            in_user_code: u32_at(offset_of!(Layout, death_in_user_code))? != 0,
            details: text(
                offset_of!(Layout, death),
                u32_at(offset_of!(Layout, death_length))?,
                DEATH_BYTES,
            )?,
        }),
    };
    Some(BlackBoxContents {
        heartbeat: u64_at(offset_of!(Layout, heartbeat))?,
        phase: Phase::from_number(u32_at(offset_of!(Layout, phase))?),
        executions: u64_at(offset_of!(Layout, executions))?,
        work: u64_at(offset_of!(Layout, work))?,
        in_execution: u32_at(offset_of!(Layout, in_execution))? != 0,
        begun: {
            let all = (0..SUBJECTS).map(|turn| u64_at(offset_of!(Layout, begun) + 8 * turn));
            let mut begun = all.collect::<Option<Vec<u64>>>()?;
            let used = begun.iter().rposition(|tests| *tests != 0);
            begun.truncate(used.map_or(0, |last| last + 1));
            begun
        },
        over: (0..TESTS_OVER)
            .map(|place| u64_at(offset_of!(Layout, over) + 8 * place))
            .filter(|entry| *entry != Some(0))
            .map(|entry| {
                let entry = entry?;
                let number = (entry & !EXHAUSTED_BIT) - 1;
                Some((number, entry & EXHAUSTED_BIT != 0))
            })
            .collect::<Option<_>>()?,
        findings: u32_at(offset_of!(Layout, findings))?,
        test_number: u64_at(offset_of!(Layout, test_number))?,
        test: match test_length {
            0 => None,
            length => Some(text(offset_of!(Layout, test), length, TEST_BYTES)?),
        },
        schedule,
        decisions_made,
        panic: match panic_length {
            0 => None,
            length => Some(text(offset_of!(Layout, panic), length, PANIC_BYTES)?),
        },
        death,
    })
}

fn decode(code: u16) -> Decision {
    if code & VALUE_BIT == 0 {
        Decision::Thread(code)
    } else {
        Decision::Value(code & !VALUE_BIT)
    }
}

/// A decision as it is stored.
#[inline]
#[must_use]
pub fn encode(decision: Decision) -> u16 {
    match decision {
        Decision::Thread(thread) => thread & !VALUE_BIT,
        Decision::Value(value) => value | VALUE_BIT,
    }
}

/// The file. Atomics because it is written through a shared pointer, also by signal handlers.
#[repr(C)]
#[derive(Debug)]
pub struct Layout {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// [`LAYOUT`].
    pub layout: AtomicU32,
    /// A [`Phase`].
    pub phase: AtomicU32,
    /// Rises with progress.
    pub heartbeat: AtomicU64,
    /// Limit of memory that was reached, in bytes; 0 if none.
    pub memory_limit: AtomicU64,
    /// Executions begun.
    pub executions: AtomicU64,
    /// What the visits of the campaign have cost, in steps.
    pub work: AtomicU64,
    /// Number of the running test.
    pub test_number: AtomicU64,
    /// The [`Delay`] of the execution, encoded.
    pub delay: AtomicU64,
    /// What else is in its [`Leeway`], from the lowest byte on.
    pub leeway: AtomicU32,
    /// 1 while an execution runs, [`WEAK_EXECUTION`] if under RC11.
    pub in_execution: AtomicU32,
    /// Decisions of the execution, also those beyond the room.
    pub decisions_made: AtomicU32,
    /// Bytes used of `test`.
    pub test_length: AtomicU32,
    /// Bytes used of `panic`.
    pub panic_length: AtomicU32,
    /// A [`DeathKind`]; 0 while alive.
    pub death_kind: AtomicU32,
    /// Signal that ended the process.
    pub death_signal: AtomicU32,
    /// 1 if code under test was running.
    pub death_in_user_code: AtomicU32,
    /// Bytes used of `death`.
    pub death_length: AtomicU32,
    /// Bytes used of `visible`.
    pub visible_length: AtomicU32,
    /// Findings that were reported, or are about to be.
    pub findings: AtomicU32,
    /// How many tests were over.
    pub tests_over: AtomicU32,
    /// The latest of them: one more than their number, with [`EXHAUSTED_BIT`].
    pub over: [AtomicU64; TESTS_OVER],
    /// Tests begun, by place of the subject in the campaign.
    pub begun: [AtomicU64; SUBJECTS],
    /// What is visible of memory, encoded.
    pub visible: [AtomicU8; VISIBLE_BYTES],
    /// The running test as text.
    pub test: [AtomicU8; TEST_BYTES],
    /// The last panic.
    pub panic: [AtomicU8; PANIC_BYTES],
    /// Details of the death.
    pub death: [AtomicU8; DEATH_BYTES],
    /// Decisions, see [`encode`].
    pub decisions: [AtomicU16; DECISIONS],
    /// A check for each decision.
    pub checks: [AtomicU8; DECISIONS],
}

const _: () = assert!(size_of::<Layout>() <= SIZE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_and_every_death_has_its_number() {
        for phase in [
            Phase::Idle,
            Phase::Generating,
            Phase::Serial,
            Phase::Exploring,
            Phase::Minimising,
            Phase::Replaying,
        ] {
            assert_eq!(Phase::from_number(phase as u32), phase);
        }
        for (kind, name) in DeathKind::ALL {
            assert_eq!(DeathKind::from_number(kind as u32), Some(kind));
            assert_eq!(kind.to_string(), name);
        }
        assert_eq!(DeathKind::from_number(0), None);
    }

    #[test]
    fn a_file_no_driver_has_written_to_is_an_error_that_says_so() {
        let path = std::env::temp_dir().join(format!("contest-black-box-{}", std::process::id()));
        BlackBox::create(&path).unwrap();
        let unwritten = BlackBox::read(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            unwritten.unwrap_err().to_string(),
            "the driver has not written its black box"
        );
        assert!(matches!(BlackBox::read(&path), Err(BlackBoxError::Io(_))));
    }
}
