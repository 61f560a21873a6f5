//! What code under test does outside the process, which isolation does not put back.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

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
}

impl Outside {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Socket, "opens sockets"),
        (Self::File, "writes files"),
        (Self::Process, "starts processes"),
    ];
}

/// Deeds of the present execution, as bits. A static on purpose: it starts again in every execution.
static DEEDS: AtomicU8 = AtomicU8::new(0);

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
