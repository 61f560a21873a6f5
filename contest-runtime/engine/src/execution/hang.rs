//! A watchdog for hand-written models: says which call an execution hangs in that the scheduler knows nothing of, and
//! ends the process.
//!
//! A real lock of `std`, a real sleep or a blocking system call inside of a model stops the OS thread that all virtual
//! threads share. Nothing can unwind it from outside, so the process ends, with exit status 101, after the hanging call
//! has been named.

use std::backtrace::Backtrace;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::machine::Machine;
use super::signals::say;
use super::{current, stack_frames};

/// Time for the stack trace, which is not safe in a signal handler and may hang itself.
const TRACE_TIME: Duration = Duration::from_secs(3);
/// Exit status, as of a test that failed.
const STATUS: c_int = 101;
/// Ignored where it is not handled.
const SIGNAL: c_int = libc::SIGURG;

static TRACED: AtomicBool = AtomicBool::new(false);

/// What the watched thread and the watchdog share.
#[derive(Debug, Default)]
pub struct Progress {
    /// Executions begun.
    executions: AtomicU64,
    /// The OS thread that runs them.
    thread: AtomicU64,
    over: Mutex<bool>,
    ended: Condvar,
}

impl Progress {
    /// The calling OS thread is the one that runs executions from here on.
    pub fn here(&self) {
        // SAFETY: always allowed.
        self.thread
            .store(unsafe { libc::pthread_self() } as u64, Relaxed);
    }

    /// An execution begins.
    #[inline]
    pub fn tick(&self) {
        self.executions
            .store(self.executions.load(Relaxed).wrapping_add(1), Relaxed);
    }
}

/// Watches one run; ends with this value.
#[derive(Debug)]
pub struct Watchdog {
    progress: Arc<Progress>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watchdog {
    /// Ends the process when an execution takes longer than `limit`.
    pub fn start(progress: &Arc<Progress>, limit: Duration) -> Self {
        let theirs = Arc::clone(progress);
        let thread = std::thread::Builder::new()
            .name("contest-watchdog".to_owned())
            .spawn(move || watch(&theirs, limit));
        Self {
            progress: Arc::clone(progress),
            thread: thread.ok(),
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self
            .progress
            .over
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.progress.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            drop(thread.join());
        }
    }
}

fn watch(progress: &Progress, limit: Duration) {
    let mut over = progress.over.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = progress.executions.load(Relaxed);
    let mut since = Instant::now();
    while !*over {
        let (guard, _) = progress
            .ended
            .wait_timeout(over, limit / 8)
            .unwrap_or_else(PoisonError::into_inner);
        over = guard;
        let now = progress.executions.load(Relaxed);
        if now != seen || now == 0 || crate::object::waits(progress.thread.load(Relaxed)) {
            seen = now;
            since = Instant::now();
        } else if since.elapsed() >= limit && !*over {
            give_up(progress, limit);
        }
    }
}

/// Processor time of the watched thread.
fn processor_time(thread: libc::pthread_t) -> Option<Duration> {
    // SAFETY: the thread runs executions until the watchdog has ended; both calls write to locals only.
    unsafe {
        let mut clock = 0;
        let mut time: libc::timespec = std::mem::zeroed();
        if libc::pthread_getcpuclockid(thread, &raw mut clock) != 0
            || libc::clock_gettime(clock, &raw mut time) != 0
        {
            return None;
        }
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

fn give_up(progress: &Progress, limit: Duration) -> ! {
    let thread = progress.thread.load(Relaxed) as libc::pthread_t;
    let before = processor_time(thread);
    std::thread::sleep(Duration::from_millis(100));
    let computes = match (before, processor_time(thread)) {
        (Some(before), Some(after)) => after - before > Duration::from_millis(1),
        _ => false,
    };
    let how = if computes {
        "computes without any operation that the scheduler sees: an endless loop, or much work in one go (then raise \
         `hang_limit`)"
    } else {
        "blocks in a call that the scheduler does not see: a lock, a channel or a sleep of `std` instead of `contest` (in a type that is not \
         annotated, say, or for another version of contest-runtime), or a system call"
    };
    say(format_args!(
        "\ncontest: execution {} of the model has made no progress for {limit:?}: it {how}\n",
        progress.executions.load(Relaxed)
    ));
    if let Some(copies) = super::other_copies::several() {
        say(format_args!("contest: {copies}\n"));
    }
    // SAFETY: the handler has the signature of one without SA_SIGINFO; the thread is alive, see `processor_time`.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int) as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(SIGNAL, &raw const action, std::ptr::null_mut());
        libc::pthread_kill(thread, SIGNAL);
    }
    let start = Instant::now();
    while !TRACED.load(Relaxed) && start.elapsed() < TRACE_TIME {
        std::thread::sleep(Duration::from_millis(10));
    }
    say(format_args!(
        "contest: the process ends here, because the call cannot be taken back\n"
    ));
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(STATUS) }
}

/// Runs on the thread that hangs: says where.
extern "C" fn on_signal(_signal: c_int) {
    let machine = current::pointer();
    if !machine.is_null() {
        // SAFETY: the machine lives as long as it is current, on the thread that this interrupts. That may be using it:
        // what is read here is copied out, without a reference to the machine, and the process ends after it.
        let (thread, location, begun) = unsafe {
            let thread = (*machine).running;
            let slot = Machine::slot(machine, thread);
            (thread.0, (*slot).location, (*slot).executed > 1)
        };
        say(format_args!(
            "  in thread {thread} of the model (0 is the main thread), "
        ));
        if begun {
            say(format_args!("after its operation at {location}\n"));
        } else {
            say(format_args!("before its first operation\n"));
        }
    }
    for frame in stack_frames::worth_showing(&Backtrace::force_capture().to_string()) {
        say(format_args!("  in {frame}\n"));
    }
    TRACED.store(true, Relaxed);
}
