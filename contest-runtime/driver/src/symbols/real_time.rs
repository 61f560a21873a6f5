//! Waiting, in real time, for what is outside the process, once no virtual thread can run: processes that code under
//! test has started, who is at the other end of a socket, the kernel itself, locks of files.

use std::ffi::{c_int, c_long};
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use contest_engine::black_box;
use contest_engine::execution::real_time::{self, News};
use contest_engine::memory::outside::{self, Outside};
use libc::{pollfd, timespec};

use super::call::{call, controlled, raw_call};
use super::sockets::are_all_internal;

/// How long processes may do nothing while threads wait for them; and descriptors, once all processes have ended: some
/// may have started others.
const PROCESSES: Duration = Duration::from_secs(60);
const AFTER_PROCESSES: Duration = Duration::from_secs(5);
/// The same for the other ends of sockets. They are mostly in the same process.
const SOCKETS: Duration = Duration::from_millis(500);
/// The same for sockets with both ends in this process, while a thread waits for time: bytes arrive there at once.
const INTERNAL: Duration = Duration::from_millis(2);
/// The same for the kernel, which has said mostly at once what it has to say.
const KERNEL: Duration = Duration::from_millis(20);

const UNKNOWN_SOCKET: &str =
    "it waits for a socket, and who is at the other end is not under control";
const UNKNOWN_DESCRIPTOR: &str =
    "it waits for a descriptor, and who makes that ready is not under control";
const SLOW_PROCESS: &str = "it waits for a process that it started, which did nothing for 60 s";
const SLOW_DESCRIPTOR: &str =
    "it waits for a descriptor after all processes that it started have ended, in vain for 5 s";
const SLOW_LOCK: &str = "it waits for the lock of a file, which another process has held for 60 s";

/// How long the kernel waits at once; the tool hears of the process in between.
const AT_ONCE: Duration = Duration::from_millis(200);
/// How often a lock of a file is tried.
const TRY_LOCK: Duration = Duration::from_millis(10);
/// Waits at a time, which is the number of threads.
const MOST_WAITS: usize = 128;
/// Descriptors that are looked at.
const MOST_DESCRIPTORS: usize = 256;

/// A socket was opened; a descriptor on which the kernel speaks. Statics on purpose, as the others here: they start
/// again in every execution.
static HAS_SOCKETS: AtomicBool = AtomicBool::new(false);
static KERNEL_SPEAKS: AtomicBool = AtomicBool::new(false);
/// Nanoseconds since something has happened outside.
static WAITED: AtomicU64 = AtomicU64::new(0);
/// How often threads were to look again. No thread can tell that from anything else that makes them do so.
static NEWS: AtomicU64 = AtomicU64::new(0);
/// What threads wait for.
static WAITS: [Wait; MOST_WAITS] = [const {
    Wait {
        kind: AtomicUsize::new(0),
        entries: AtomicUsize::new(0),
        length: AtomicUsize::new(0),
        ended: AtomicUsize::new(0),
    }
}; MOST_WAITS];

struct Wait {
    /// 0 is none.
    kind: AtomicUsize,
    entries: AtomicUsize,
    length: AtomicUsize,
    /// What had [ended](ended) before the thread looked.
    ended: AtomicUsize,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum For<'a> {
    /// One of these descriptors.
    Descriptors(&'a [pollfd]),
    /// The end of a process.
    Process,
    /// The lock of a file.
    FileLock,
}

const DESCRIPTORS: usize = 1;
const PROCESS: usize = 2;
const FILE_LOCK: usize = 3;

/// A thread waits as long as this lives.
pub(super) struct Waiting(Option<usize>);

impl Waiting {
    /// `ended`: what had [ended](ended) before the thread looked; of other waits than those for processes any number.
    pub(super) fn begin(what: For<'_>, ended: usize) -> Self {
        let place = WAITS.iter().position(|it| it.kind.load(Relaxed) == 0);
        if let Some(place) = place {
            let (kind, entries) = match what {
                For::Descriptors(entries) => (DESCRIPTORS, entries),
                For::Process => (PROCESS, &[][..]),
                For::FileLock => (FILE_LOCK, &[][..]),
            };
            let wait = &WAITS[place];
            let address = entries.as_ptr().expose_provenance();
            wait.entries.store(address, Relaxed);
            wait.length.store(entries.len(), Relaxed);
            wait.ended.store(ended, Relaxed);
            wait.kind.store(kind, Relaxed);
        }
        Self(place)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            WAITS[place].kind.store(0, Relaxed);
        }
    }
}

/// True if a thread waits for the lock of a file.
pub(super) fn is_file_lock_awaited() -> bool {
    WAITS.iter().any(|it| it.kind.load(Relaxed) == FILE_LOCK)
}

/// How often threads were to look again.
pub(super) fn news() -> u64 {
    NEWS.load(Relaxed)
}

/// Code under test has opened a socket.
pub(super) fn note_socket() {
    if controlled().is_some() {
        HAS_SOCKETS.store(true, Relaxed);
        real_time::expect();
    }
}

/// Code under test has a descriptor on which the kernel speaks, or nobody knows who.
pub(super) fn note_kernel() {
    if controlled().is_some() {
        KERNEL_SPEAKS.store(true, Relaxed);
        real_time::expect();
    }
}

/// Code under test has started this process, or waits for it.
pub(super) fn note_process(process: c_int) {
    outside::process_started(process);
    real_time::expect_processes();
}

/// Threads wait for a lock that another process has.
pub(super) fn note_file_lock() {
    real_time::expect();
}

/// Sets how the engine waits; `queue` is where threads wait that look again.
pub(super) fn set_hook(queue: usize) {
    real_time::set_hook(wait, queue);
}

/// True if this process, a child, has not ended yet.
fn is_alive(process: c_int) -> bool {
    // SAFETY: a value of which all zeros are one.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let arguments = [
        c_long::from(libc::P_PID),
        process.into(),
        (&raw mut info).expose_provenance() as c_long,
        c_long::from(libc::WEXITED | libc::WNOHANG | libc::WNOWAIT),
        0,
    ];
    // SAFETY: a place of our own; the state of the process is left.
    let result = unsafe { raw_call(libc::SYS_waitid, arguments) };
    // SAFETY: written by the call, or zeros.
    result == 0 && unsafe { info.si_pid() } == 0
}

/// Which processes have ended, as one number: another one if another process has.
pub(super) fn ended() -> usize {
    let ended = outside::processes().filter(|process| !is_alive(*process));
    ended.fold(0, |all, process| {
        all ^ (process as usize).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

/// True if a thread waits for a process that has ended since the thread looked.
fn is_end_unseen() -> bool {
    let waits = WAITS.iter().filter(|it| it.kind.load(Relaxed) == PROCESS);
    let mut ended_then = waits.map(|it| it.ended.load(Relaxed)).peekable();
    ended_then.peek().is_some() && {
        let now = ended();
        ended_then.any(|then| then != now)
    }
}

/// The descriptors that are looked at together, those of processes behind the others.
struct Set {
    entries: [pollfd; MOST_DESCRIPTORS],
    waits: usize,
    length: usize,
}

impl Set {
    /// What threads wait for.
    fn collect() -> Self {
        let unused = pollfd {
            fd: -1,
            events: 0,
            revents: 0,
        };
        let mut set = Self {
            entries: [unused; MOST_DESCRIPTORS],
            waits: 0,
            length: 0,
        };
        for wait in WAITS
            .iter()
            .filter(|it| it.kind.load(Relaxed) == DESCRIPTORS)
        {
            let entries: *const pollfd = with_exposed_provenance(wait.entries.load(Relaxed));
            // SAFETY: the thread that waits lends them until it does so no longer.
            let entries = unsafe { std::slice::from_raw_parts(entries, wait.length.load(Relaxed)) };
            for entry in entries.iter().filter(|it| it.fd >= 0) {
                set.add(*entry);
            }
        }
        set.waits = set.length;
        set
    }

    fn add(&mut self, entry: pollfd) {
        if let Some(place) = self.entries.get_mut(self.length) {
            *place = entry;
            self.length += 1;
        }
    }

    /// Adds processes, each with a descriptor of its own. Of a kernel that has none, they are looked at now and then.
    fn add_processes(&mut self) {
        for process in outside::processes().filter(|process| is_alive(*process)) {
            // SAFETY: takes numbers, touches no memory.
            let descriptor = unsafe { raw_call(libc::SYS_pidfd_open, [process.into(), 0]) };
            if descriptor >= 0 {
                self.add(pollfd {
                    fd: descriptor as c_int,
                    events: libc::POLLIN,
                    revents: 0,
                });
            }
        }
    }

    /// Waits for at most so long; true if a thread should look again, or a process has ended.
    fn poll(&mut self, most: Duration) -> bool {
        let time = timespec {
            tv_sec: most.as_secs() as libc::time_t,
            tv_nsec: c_long::from(most.subsec_nanos()),
        };
        let arguments = [
            self.entries.as_mut_ptr().expose_provenance() as c_long,
            self.length as c_long,
            (&raw const time).expose_provenance() as c_long,
            0,
            0,
        ];
        // SAFETY: so many entries and a time, of our own.
        unsafe { raw_call(libc::SYS_ppoll, arguments) > 0 }
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        for entry in &self.entries[self.waits..self.length] {
            // SAFETY: opened by `add_processes`.
            unsafe { raw_call(libc::SYS_close, [entry.fd.into()]) };
        }
    }
}

/// What can help threads that wait.
struct Helpers {
    processes: bool,
    started: bool,
    file_lock: bool,
}

impl Helpers {
    fn now() -> Self {
        Self {
            processes: outside::processes().any(is_alive),
            started: outside::has_started_process(),
            file_lock: is_file_lock_awaited(),
        }
    }

    /// How long they may do nothing, and what is said if they do so longer.
    fn limit(&self) -> Option<(Duration, &'static str)> {
        Some(match () {
            () if self.processes => (PROCESSES, SLOW_PROCESS),
            () if self.file_lock => (PROCESSES, SLOW_LOCK),
            () if self.started => (AFTER_PROCESSES, SLOW_DESCRIPTOR),
            () if HAS_SOCKETS.load(Relaxed) => (SOCKETS, UNKNOWN_SOCKET),
            () if KERNEL_SPEAKS.load(Relaxed) => (KERNEL, UNKNOWN_DESCRIPTOR),
            () => return None,
        })
    }
}

/// No thread can run: waits for the world outside, for at most `most`.
fn wait(most: Option<Duration>) -> (News, Duration) {
    let begun = Instant::now();
    let helpers = Helpers::now();
    let Some((mut limit, why)) = helpers.limit() else {
        return (News::Nothing, Duration::ZERO);
    };
    if limit == SOCKETS && most.is_some() && are_all_internal() {
        limit = INTERNAL;
    }
    let anyone = WAITS.iter().any(|it| it.kind.load(Relaxed) != 0);
    // Threads that only wait for time have to be patient while a process runs, which they may look for then.
    if !anyone && (most.is_none() || !helpers.processes) {
        return (News::Nothing, Duration::ZERO);
    }
    if is_end_unseen() {
        WAITED.store(0, Relaxed);
        NEWS.fetch_add(1, Relaxed);
        return (News::Ready, begun.elapsed());
    }
    let left = limit.saturating_sub(Duration::from_nanos(WAITED.load(Relaxed)));
    let until = most.map_or(left, |most| most.min(left));
    let mut set = Set::collect();
    set.add_processes();
    if helpers.processes {
        outside::note(Outside::Wait);
    }
    let step = if helpers.file_lock { TRY_LOCK } else { AT_ONCE };
    let news = loop {
        let ready = set.poll(step.min(until.saturating_sub(begun.elapsed())));
        black_box::waits();
        if ready && anyone {
            WAITED.store(0, Relaxed);
            break News::Ready;
        }
        // Processes that have ended are waited for no longer.
        if ready && !outside::processes().any(is_alive) {
            break News::Over;
        }
        if ready {
            set = Set::collect();
            set.add_processes();
        }
        let waited = begun.elapsed();
        if helpers.file_lock && waited < left {
            add_waited(waited);
            break News::Ready;
        }
        if waited >= until {
            add_waited(waited);
            break match most {
                Some(most) if waited >= most => News::Over,
                // What is at the other end of a socket may be under control, and not to say anything.
                Some(_) if !helpers.processes && !helpers.file_lock => News::Over,
                _ => News::GivenUp(why),
            };
        }
    };
    if news == News::Ready {
        NEWS.fetch_add(1, Relaxed);
    }
    (news, begun.elapsed())
}

fn add_waited(waited: Duration) {
    let nanos = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
    WAITED.fetch_add(nanos, Relaxed);
}

/// True if the lock that keeps this descriptor from its own is held by another process, as far as the kernel says who
/// holds it.
pub(super) fn is_locked_by_others(descriptor: c_int) -> bool {
    // SAFETY: a value of which all zeros are one.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    let place = (&raw mut status).expose_provenance() as c_long;
    // SAFETY: a place of our own.
    if unsafe { call(libc::SYS_fstat, [descriptor.into(), place]) } != 0 {
        return true;
    }
    let Ok(locks) = std::fs::read_to_string("/proc/locks") else {
        return true;
    };
    let own = std::process::id().to_string();
    let file = format!(":{}", status.st_ino);
    locks.lines().any(|line| {
        let mut words = line.split_whitespace().filter(|word| *word != "->").skip(4);
        let (holder, place) = (words.next(), words.next());
        holder != Some(&own) && place.is_some_and(|place| place.ends_with(&file))
    })
}
