//! What code under test does outside the process, which isolation does not put back.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering::Relaxed};
use std::time::Duration;

/// What code under test may do outside the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outside {
    /// Opens a socket.
    Socket = 1,
    /// Creates, removes or opens a file to write to it.
    File = 2,
    /// Starts a process.
    Process = 4,
    /// Waits, in real time, for what is outside.
    Wait = 8,
}

impl Outside {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Socket, "opens sockets"),
        (Self::File, "writes files"),
        (Self::Process, "starts processes"),
        (Self::Wait, "waits in real time for what they do"),
    ];
}

/// Deeds of the present execution, as bits. A static on purpose: it starts again in every execution.
static DEEDS: AtomicU8 = AtomicU8::new(0);

/// Code under test has looked at a path. A static on purpose, likewise.
static LOOKED: AtomicBool = AtomicBool::new(false);

/// Notes that code under test looks at a path.
pub fn note_look() {
    LOOKED.store(true, Relaxed);
}

/// True if the present execution could meet others outside the process.
pub(super) fn meets_others() -> bool {
    LOOKED.load(Relaxed) || DEEDS.load(Relaxed) != 0
}

/// Notes that code under test does this.
pub fn note(deed: Outside) {
    DEEDS.fetch_or(deed as u8, Relaxed);
}

/// What was noted in the present execution, as ends of sentences.
pub(super) fn noted() -> Vec<&'static str> {
    let bits = DEEDS.load(Relaxed);
    let all = Outside::ALL.iter();
    all.filter(|(deed, _)| bits & *deed as u8 != 0)
        .map(|(_, text)| *text)
        .collect()
}

/// Most processes that an execution may have at a time and that are known. Others are not waited for.
const MOST_PROCESSES: usize = 64;

/// Processes that were started in the present execution and whose end nobody has asked for; 0 is none. Statics on
/// purpose, as the one above.
static PROCESSES: [AtomicI32; MOST_PROCESSES] = [const { AtomicI32::new(0) }; MOST_PROCESSES];
/// There was any.
static ANY_PROCESS: AtomicBool = AtomicBool::new(false);

/// Code under test has started this process.
pub fn process_started(process: i32) {
    ANY_PROCESS.store(true, Relaxed);
    let known = || PROCESSES.iter().any(|it| it.load(Relaxed) == process);
    if process > 0
        && !known()
        && let Some(place) = PROCESSES.iter().find(|it| it.load(Relaxed) == 0)
    {
        place.store(process, Relaxed);
    }
}

/// Its end was asked for: from here on the number may be that of another process.
pub fn process_is_gone(process: i32) {
    for place in &PROCESSES {
        let _ = place.compare_exchange(process, 0, Relaxed, Relaxed);
    }
}

/// Processes of the present execution whose end nobody has asked for.
pub fn processes() -> impl Iterator<Item = i32> {
    let all = PROCESSES.iter().map(|it| it.load(Relaxed));
    all.filter(|process| *process != 0)
}

/// True if the present execution has started a process.
pub fn has_started_process() -> bool {
    ANY_PROCESS.load(Relaxed)
}

/// Ends the processes that the execution leaves behind: the next one starts its own.
#[inline]
pub(super) fn end_processes() {
    if ANY_PROCESS.load(Relaxed) {
        processes().for_each(end_process);
    }
}

#[cold]
fn end_process(process: i32) {
    /// A process that the kernel does not let go is left to it.
    const PATIENCE: u32 = 1_000;
    // SAFETY: a child of this process that was not waited for, so the number is still its own.
    unsafe { libc::kill(process, libc::SIGKILL) };
    for _ in 0..PATIENCE {
        // SAFETY: as above; no place for its status.
        let ended = unsafe { libc::waitpid(process, std::ptr::null_mut(), libc::WNOHANG) };
        if ended != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
