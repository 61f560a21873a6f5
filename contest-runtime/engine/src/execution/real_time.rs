//! Real time. When no thread can run, virtual time passes at once; but processes that a test has started, and whoever
//! is at the other end of a socket, need real time. So the driver is asked first: it waits, in the kernel, for what
//! threads wait for, not longer than virtual time would pass.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::machine::Machine;
use contest_data::decision::ThreadSet;
use contest_data::trace::Ending;

/// What came of waiting for the world outside the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// No thread waits for anything outside: virtual time may pass, or it is a deadlock.
    Nothing,
    /// The time is over.
    Over,
    /// Threads that wait for the world outside should look again.
    Ready,
    /// It took too long: this cannot be controlled.
    GivenUp(&'static str),
}

/// Waits for the world outside, for at most so long if there is a limit; also says how long that took.
pub type LookOutside = fn(Option<Duration>) -> (News, Duration);

/// A [`LookOutside`], and the address at which threads wait that look again. Set before the snapshot.
static HOOK: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));
/// Something outside may help threads of the present execution. A static on purpose: it starts again in every one.
static EXPECTED: AtomicBool = AtomicBool::new(false);
/// These are processes. Likewise.
static PROCESSES: AtomicBool = AtomicBool::new(false);

/// How long a thread that goes round a loop waits for the world outside before it does so once more.
const ROUND: Duration = Duration::from_millis(1);

/// Sets how to wait, and the address of the futex at which threads do that look again when something has happened.
/// Called once, before the snapshot.
pub fn set_hook(hook: LookOutside, queue: usize) {
    HOOK.0
        .store((hook as *const ()).expose_provenance(), Relaxed);
    HOOK.1.store(queue, Relaxed);
}

/// From here on the world outside may help threads of the present execution.
pub fn expect() {
    EXPECTED.store(true, Relaxed);
}

/// The same of processes: virtual time does not pass faster than they run.
pub fn expect_processes() {
    PROCESSES.store(true, Relaxed);
    expect();
}

/// True if the world outside may help.
#[inline]
pub(super) fn is_expected() -> bool {
    EXPECTED.load(Relaxed)
}

/// True if processes may help.
#[inline]
pub(super) fn are_processes_expected() -> bool {
    PROCESSES.load(Relaxed)
}

fn look_outside(most: Option<Duration>) -> (News, Duration) {
    let hook: *const () = std::ptr::with_exposed_provenance(HOOK.0.load(Relaxed));
    if hook.is_null() {
        return (News::Nothing, Duration::ZERO);
    }
    // SAFETY: only `set_hook` stores there, a function of this type.
    let hook = unsafe { std::mem::transmute::<*const (), LookOutside>(hook) };
    hook(most)
}

impl Machine {
    /// No thread can run, but the world outside may help: waits for it. The threads that can run then, or none if the
    /// execution is over; `None` if it is for virtual time.
    #[cold]
    pub(super) fn wait_outside(&mut self) -> Option<Option<ThreadSet>> {
        let deadline = self.earliest_deadline(|_| true);
        let mut most = deadline.map(|(_, deadline)| deadline.saturating_sub(self.clock));
        if !(self.spinning & self.enabled).is_empty() {
            most = Some(most.unwrap_or(ROUND).min(ROUND));
        }
        let (news, passed) = look_outside(most);
        self.clock = self.clock.saturating_add(passed);
        match news {
            News::Nothing | News::Over => None,
            News::Ready => {
                let queue = self.objects.queue(HOOK.1.load(Relaxed));
                self.wake_waiters(queue, u32::MAX);
                let able = self.enabled & !self.spinning;
                (!able.is_empty()).then_some(Some(able))
            }
            News::GivenUp(why) => {
                self.finish(Ending::Unsupported(why.to_owned()));
                Some(None)
            }
        }
    }
}
