//! Processes that code under test starts, and waiting for their end.

use std::ffi::{CStr, c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use contest_engine::memory::outside::{Outside, process_is_gone};
use contest_engine::memory::set_user_code;
use libc::{id_t, pid_t, rlimit, rusage, siginfo_t};

use super::call::{call, controlled, note};
use super::look_up;
use super::real_time::{For, note_process};
use super::waiting::wait as wait_until;

/// The C library's functions; found once, before the snapshot.
static SPAWN: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
static FORK: AtomicUsize = AtomicUsize::new(0);
const SPAWN_NAMES: [&CStr; 2] = [c"posix_spawn", c"posix_spawnp"];

/// Limits of this process that others do not get.
static LIMITS: [Limit; 2] = [const { Limit::unknown() }; 2];

struct Limit {
    known: AtomicBool,
    most: AtomicU64,
}

impl Limit {
    const fn unknown() -> Self {
        Self {
            known: AtomicBool::new(false),
            most: AtomicU64::new(0),
        }
    }
}

type PosixSpawn = unsafe extern "C" fn(
    *mut pid_t,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;
type Fork = unsafe extern "C" fn() -> pid_t;

/// Finds the C library's functions that are called in the end, and what limits the process has. Called before it limits
/// itself.
pub(super) fn find_functions() {
    for (place, name) in SPAWN.iter().zip(SPAWN_NAMES) {
        place.store(look_up(name), Relaxed);
    }
    FORK.store(look_up(c"fork"), Relaxed);
    for (which, limit) in LIMITS.iter().enumerate() {
        if let Some(now) = limit_of(which) {
            limit.most.store(now.rlim_cur, Relaxed);
            limit.known.store(true, Relaxed);
        }
    }
}

/// A process that links this and has not started a driver looks it up at each call.
fn found(place: &AtomicUsize, name: &CStr) -> usize {
    match place.load(Relaxed) {
        0 => look_up(name),
        found => found,
    }
}

/// Sets the limits that this process had when it was started; returns those that it has.
fn set_limits_of_others() -> [Option<u64>; 2] {
    [0, 1].map(|which| {
        let limit = &LIMITS[which];
        let known = limit.known.load(Relaxed);
        known.then(|| set_limit(which, limit.most.load(Relaxed)))?
    })
}

fn limit_of(which: usize) -> Option<rlimit> {
    let mut now = MaybeUninit::<rlimit>::uninit();
    let place = now.as_mut_ptr();
    // SAFETY: a place of our own.
    let result = unsafe {
        match which {
            0 => libc::getrlimit(libc::RLIMIT_AS, place),
            _ => libc::getrlimit(libc::RLIMIT_CORE, place),
        }
    };
    // SAFETY: written by the call.
    (result == 0).then(|| unsafe { now.assume_init() })
}

/// Sets a limit, and returns what it was.
fn set_limit(which: usize, most: u64) -> Option<u64> {
    let mut limit = limit_of(which)?;
    let before = std::mem::replace(&mut limit.rlim_cur, most.min(limit.rlim_max));
    // SAFETY: a value of our own.
    let result = unsafe {
        match which {
            0 => libc::setrlimit(libc::RLIMIT_AS, &raw const limit),
            _ => libc::setrlimit(libc::RLIMIT_CORE, &raw const limit),
        }
    };
    (result == 0).then_some(before)
}

/// # Safety
/// As for `posix_spawn(3)`.
pub unsafe fn posix_spawn(
    process: *mut pid_t,
    path: *mut c_void,
    actions: *mut c_void,
    attributes: *mut c_void,
    argv: *mut c_void,
    environment: *mut c_void,
) -> c_int {
    let arguments = [path, actions, attributes, argv, environment];
    // SAFETY: by this function's contract.
    unsafe { spawn(0, process, arguments) }
}

/// # Safety
/// As for `posix_spawnp(3)`.
pub unsafe fn posix_spawnp(
    process: *mut pid_t,
    path: *mut c_void,
    actions: *mut c_void,
    attributes: *mut c_void,
    argv: *mut c_void,
    environment: *mut c_void,
) -> c_int {
    let arguments = [path, actions, attributes, argv, environment];
    // SAFETY: by this function's contract.
    unsafe { spawn(1, process, arguments) }
}

/// # Safety
/// The arguments are valid for the function of this number.
unsafe fn spawn(which: usize, process: *mut pid_t, arguments: [*mut c_void; 5]) -> c_int {
    note(Outside::Process);
    let function = found(&SPAWN[which], SPAWN_NAMES[which]);
    if function == 0 {
        return libc::ENOSYS;
    }
    // SAFETY: the C library's function of that name.
    let function: PosixSpawn = unsafe { std::mem::transmute(function) };
    let [path, actions, attributes, argv, environment] = arguments;
    let mut started = 0;
    let own = set_limits_of_others();
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract; a place of our own.
    let result = unsafe {
        function(
            &raw mut started,
            path,
            actions,
            attributes,
            argv,
            environment,
        )
    };
    for (which, limit) in own.into_iter().enumerate() {
        if let Some(limit) = limit {
            set_limit(which, limit);
        }
    }
    if result == 0 {
        if controlled().is_some() {
            note_process(started);
        }
        if !process.is_null() {
            // SAFETY: the caller gives a place for it.
            unsafe { process.write(started) };
        }
    }
    result
}

/// `fork(2)`. In the new process nothing is controlled: it has no other threads.
///
/// # Safety
/// As for `fork(2)`.
pub unsafe fn fork() -> pid_t {
    note(Outside::Process);
    let function = found(&FORK, c"fork");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Fork = unsafe { std::mem::transmute(function) };
    // SAFETY: by this function's contract.
    match unsafe { function() } {
        0 => {
            set_user_code(false);
            set_limits_of_others();
            0
        }
        process => {
            if process > 0 && controlled().is_some() {
                note_process(process);
            }
            process
        }
    }
}

/// # Safety
/// As for `wait4(2)`.
pub unsafe fn wait4(
    process: pid_t,
    status: *mut c_int,
    options: c_int,
    usage: *mut rusage,
) -> pid_t {
    let ask = |options: c_int| {
        let arguments = [
            process.into(),
            status.expose_provenance() as c_long,
            options.into(),
            usage.expose_provenance() as c_long,
        ];
        // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
        unsafe { call(libc::SYS_wait4, arguments) }
    };
    let Some(active) = controlled() else {
        return ask(options);
    };
    let ended = match options & libc::WNOHANG {
        0 => {
            if process > 0 {
                note_process(process);
            }
            wait_until(active, None, For::Process, || ask(options | libc::WNOHANG))
        }
        _ => ask(options),
    };
    if ended > 0 || process > 0 && ended < 0 {
        process_is_gone(if ended > 0 { ended } else { process });
    }
    ended
}

/// # Safety
/// As for `waitpid(2)`.
pub unsafe fn waitpid(process: pid_t, status: *mut c_int, options: c_int) -> pid_t {
    // SAFETY: by this function's contract.
    unsafe { wait4(process, status, options, std::ptr::null_mut()) }
}

/// # Safety
/// As for `wait(2)`.
pub unsafe fn wait(status: *mut c_int) -> pid_t {
    // SAFETY: by this function's contract.
    unsafe { wait4(-1, status, 0, std::ptr::null_mut()) }
}

/// # Safety
/// As for `waitid(2)`.
pub unsafe fn waitid(kind: c_int, number: id_t, info: *mut siginfo_t, options: c_int) -> c_int {
    // The kernel says in it whether there was one.
    // SAFETY: a value of which all zeros are one.
    let mut own: siginfo_t = unsafe { std::mem::zeroed() };
    let place = if info.is_null() { &raw mut own } else { info };
    let ask = |options: c_int| {
        let arguments = [
            kind.into(),
            number.into(),
            place.expose_provenance() as c_long,
            options.into(),
            0,
        ];
        // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
        unsafe { call(libc::SYS_waitid, arguments) }
    };
    let Some(active) = controlled() else {
        return ask(options);
    };
    // SAFETY: our own, or the caller's, who gives a valid one; zeros are a value of it.
    let ended = || unsafe { (*place).si_pid() };
    let result = if options & libc::WNOHANG != 0 {
        ask(options)
    } else {
        if kind as libc::idtype_t == libc::P_PID {
            note_process(number as pid_t);
        }
        let found = wait_until(active, None, For::Process, || {
            // SAFETY: as above.
            unsafe { place.write(std::mem::zeroed()) };
            match ask(options | libc::WNOHANG) {
                0 => c_int::from(ended() != 0),
                failed => failed,
            }
        });
        found.min(0)
    };
    if result == 0 && options & libc::WNOWAIT == 0 && ended() > 0 {
        process_is_gone(ended());
    }
    result
}
