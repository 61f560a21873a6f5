//! The writing side of the [black box](contest_data::protocol::black_box): plain stores into a mapped file, safe in a
//! signal handler.

use std::fmt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32};

use contest_data::delay::Delay;
use contest_data::limits::Leeway;
use contest_data::protocol::black_box::{
    DeathKind, EXHAUSTED_BIT, LAYOUT, Layout, MAGIC, Phase, TEST_BYTES, TESTS_OVER, VISIBLE_BYTES,
    WEAK_EXECUTION,
};
use contest_data::trace::VisibleBytes;
use contest_data::trace::schedule::put_visible;

// Set once, before the snapshot of static data.
static MAPPED: AtomicPtr<Layout> = AtomicPtr::new(std::ptr::null_mut());

#[inline]
fn mapped() -> Option<&'static Layout> {
    // SAFETY: set only by `attach`, whose caller promises a mapping of `SIZE` bytes for good; every bit pattern is
    // valid.
    unsafe { MAPPED.load(Relaxed).as_ref() }
}

/// Begins to write to this memory.
///
/// # Safety
/// `memory` is aligned to 8, has [`SIZE`](contest_data::protocol::black_box::SIZE) readable and writable bytes and
/// stays for the life of the process.
pub unsafe fn attach(memory: *mut u8) {
    MAPPED.store(memory.cast(), Relaxed);
    if let Some(it) = mapped() {
        it.layout.store(LAYOUT, Relaxed);
        it.magic.store(MAGIC, Relaxed);
    }
}

/// Writes to it no longer: what this process does from here on is no fact about the driver.
pub fn detach() {
    MAPPED.store(std::ptr::null_mut(), Relaxed);
}

/// Says what the driver does from here on.
pub fn phase(phase: Phase) {
    if let Some(it) = mapped() {
        it.phase.store(phase as u32, Relaxed);
        it.heartbeat.fetch_add(1, Relaxed);
    }
}

/// Says that the process waits for something outside, and is alive.
pub fn waits() {
    if let Some(it) = mapped() {
        it.heartbeat.fetch_add(1, Relaxed);
    }
}

/// Says which test runs from here on, as text; empty for none. A test that does not fit is left out.
pub fn test(number: u64, json: &str) {
    if let Some(it) = mapped() {
        it.test_length.store(0, Relaxed);
        it.test_number.store(number, Relaxed);
        if json.len() <= TEST_BYTES {
            put(&it.test, &it.test_length, 0, json.as_bytes());
        }
        it.heartbeat.fetch_add(1, Relaxed);
    }
}

/// Number of the test that runs.
#[must_use]
pub fn test_number() -> u64 {
    mapped().map_or(0, |it| it.test_number.load(Relaxed))
}

/// True if interleavings of a test are run.
#[must_use]
pub fn is_exploring() -> bool {
    mapped().is_some_and(|it| it.phase.load(Relaxed) == Phase::Exploring as u32)
}

/// Message and location of the last panic since an execution began.
#[must_use]
pub fn last_panic() -> Option<String> {
    let it = mapped()?;
    let length = it.panic_length.load(Relaxed) as usize;
    let bytes = it.panic.get(..length).filter(|it| !it.is_empty())?;
    let bytes: Vec<u8> = bytes.iter().map(|byte| byte.load(Relaxed)).collect();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Counts the tests that have begun of the subject in this place of the campaign: at least so many.
pub fn begun(turn: usize, tests: u64) {
    if let Some(place) = mapped().and_then(|it| it.begun.get(turn)) {
        place.fetch_max(tests, Relaxed);
    }
}

/// The test with this number is over.
pub fn over(number: u64, exhausted: bool) {
    if let Some(it) = mapped() {
        let place = it.tests_over.fetch_add(1, Relaxed) as usize % TESTS_OVER;
        let mark = if exhausted { EXHAUSTED_BIT } else { 0 };
        it.over[place].store((number + 1) & !EXHAUSTED_BIT | mark, Relaxed);
    }
}

/// Says what the visits of the campaign have cost so far, in steps.
pub fn work(steps: u64) {
    if let Some(it) = mapped() {
        it.work.store(steps, Relaxed);
    }
}

/// A finding is about to be reported.
pub fn finding() {
    if let Some(it) = mapped() {
        it.findings.fetch_add(1, Relaxed);
    }
}

/// Says what is visible in the executions from here on (see `Schedule::visible`).
pub fn visible(visible: &[VisibleBytes]) {
    if let Some(it) = mapped() {
        let mut bytes = Vec::new();
        for one in visible {
            put_visible(&mut bytes, one);
        }
        it.visible_length.store(0, Relaxed);
        if bytes.len() <= VISIBLE_BYTES {
            put(&it.visible, &it.visible_length, 0, &bytes);
        }
    }
}

/// The execution that has begun is one under RC11, if `weak`, and has this leeway.
pub fn execution_is(weak: bool, leeway: Leeway) {
    if let Some(it) = mapped() {
        let kind = if weak { WEAK_EXECUTION } else { 1 };
        let [low, high] = leeway.draw.to_le_bytes();
        let bytes = [leeway.early_ends, leeway.rounds, low, high];
        it.leeway.store(u32::from_le_bytes(bytes), Relaxed);
        it.delay.store(Delay::encode(leeway.delay), Relaxed);
        it.in_execution.store(kind, Relaxed);
    }
}

/// An execution begins: no decisions and no panic yet.
#[inline]
pub fn execution_begin() {
    if let Some(it) = mapped() {
        it.decisions_made.store(0, Relaxed);
        it.panic_length.store(0, Relaxed);
        it.memory_limit.store(0, Relaxed);
        it.executions
            .store(it.executions.load(Relaxed) + 1, Relaxed);
        it.in_execution.store(1, Relaxed);
        it.heartbeat.store(it.heartbeat.load(Relaxed) + 1, Relaxed);
    }
}

/// The execution ended.
#[inline]
pub fn execution_end() {
    if let Some(it) = mapped() {
        it.in_execution.store(0, Relaxed);
        it.heartbeat.store(it.heartbeat.load(Relaxed) + 1, Relaxed);
    }
}

/// Appends a decision of the running execution (see [`encode`](contest_data::protocol::black_box::encode)) and its
/// check (see `Schedule::checks`).
#[inline]
pub fn decision(code: u16, check: u8) {
    if let Some(it) = mapped() {
        let made = it.decisions_made.load(Relaxed);
        if let (Some(place), Some(check_place)) = (
            it.decisions.get(made as usize),
            it.checks.get(made as usize),
        ) {
            place.store(code, Relaxed);
            check_place.store(check, Relaxed);
        }
        it.decisions_made.store(made.saturating_add(1), Relaxed);
    }
}

/// Keeps the message and location of a panic.
pub fn panic(message: fmt::Arguments<'_>) {
    if let Some(it) = mapped() {
        it.panic_length.store(0, Relaxed);
        let mut writer = Writer {
            room: &it.panic,
            length: &it.panic_length,
        };
        // Cut where the room ends.
        let _ = fmt::write(&mut writer, message);
    }
}

/// An allocation of code under test fails because the limit of the execution, in bytes, is reached. If an abort
/// follows, that is why.
pub fn memory_limit(bytes: u64) {
    if let Some(it) = mapped() {
        it.memory_limit.store(bytes, Relaxed);
    }
}

/// Says what is about to end the process; safe in a signal handler. The first word on it stands.
pub fn death(kind: DeathKind, signal: i32, in_user_code: bool) {
    let Some(it) = mapped() else { return };
    if it.death_kind.load(Relaxed) != 0 {
        return;
    }
    let limit = it.memory_limit.load(Relaxed);
    let kind = if kind == DeathKind::Abort && limit != 0 {
        death_detail(format_args!("limit: {limit} bytes in one execution\n"));
        DeathKind::MemoryLimit
    } else {
        kind
    };
    it.death_signal.store(signal as u32, Relaxed);
    it.death_in_user_code.store(in_user_code.into(), Relaxed);
    it.death_kind.store(kind as u32, Relaxed);
}

/// Appends to the details of the death.
pub fn death_detail(text: fmt::Arguments<'_>) {
    if let Some(it) = mapped() {
        let mut writer = Writer {
            room: &it.death,
            length: &it.death_length,
        };
        // Cut where the room ends.
        let _ = fmt::write(&mut writer, text);
    }
}

struct Writer {
    room: &'static [AtomicU8],
    length: &'static AtomicU32,
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let at = self.length.load(Relaxed) as usize;
        if put(self.room, self.length, at, text.as_bytes()) {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// Writes bytes from place `at` on, then the new length; false if they had to be cut.
fn put(room: &[AtomicU8], length: &AtomicU32, at: usize, bytes: &[u8]) -> bool {
    let Some(room) = room.get(at..) else {
        return false;
    };
    let fits = bytes.len().min(room.len());
    for (place, byte) in room.iter().zip(bytes) {
        place.store(*byte, Relaxed);
    }
    length.store((at + fits) as u32, Relaxed);
    fits == bytes.len()
}

#[cfg(test)]
mod tests;
