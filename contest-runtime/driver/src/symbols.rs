//! What the driver executable defines in place of libc: time, random bytes, sleeping and the futex system call. `std`
//! and libraries that no Rust path leads to (parking_lot's parking, `libc` calls) end up here. Inside an execution the
//! engine answers; everywhere else the kernel does. The source location of an event that begins here is in this file: C
//! has no callers to report.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

pub use libc::{clockid_t, time_t, timespec, timeval};

use contest_data::rng::Rng;
use contest_engine::execution::{Active, active};
use contest_engine::memory::outside::{self, Outside};
use contest_engine::memory::{descriptors, is_user_code};

pub use raw::system_call;

#[cfg(target_arch = "aarch64")]
#[path = "raw_aarch64.rs"]
mod raw;
#[cfg(target_arch = "x86_64")]
#[path = "raw_x86_64.rs"]
mod raw;

/// Begin of virtual time on the calendar: 2024-01-01 00:00:00 UTC.
const CALENDAR_EPOCH: Duration = Duration::from_secs(1_704_067_200);
/// Begin of virtual time on the other clocks: a machine that has been up for a year, so that code may go back from now.
const UPTIME_EPOCH: Duration = Duration::from_secs(31_536_000);

/// Position in the stream of random bytes. A static on purpose: it starts again in every execution.
static RANDOM: AtomicU64 = AtomicU64::new(0);
/// The C library's `clock_gettime`, which makes no system call; found once, before the snapshot.
static CLOCK: AtomicUsize = AtomicUsize::new(0);

/// Its `posix_spawnp`, likewise.
static SPAWN: AtomicUsize = AtomicUsize::new(0);

type PosixSpawn = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;
type ClockGettime = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;

/// The execution on whose behalf the caller runs, if it is code under test.
#[inline]
pub(crate) fn controlled() -> Option<Active> {
    if is_user_code() { active() } else { None }
}

/// Finds the C library's functions that are called in the end.
pub fn find_functions() {
    SPAWN.store(look_up(c"posix_spawnp"), Relaxed);
    CLOCK.store(look_up(c"clock_gettime"), Relaxed);
}

/// The address of the C library's function of this name, 0 if it has none.
fn look_up(name: &CStr) -> usize {
    // SAFETY: a look-up by name.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance()
}

fn virtual_time(active: Active, clock: clockid_t) -> Duration {
    let epoch = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => CALENDAR_EPOCH,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => Duration::ZERO,
        _ => UPTIME_EPOCH,
    };
    epoch + active.now()
}

fn to_timespec(time: Duration) -> timespec {
    timespec {
        tv_sec: time.as_secs() as time_t,
        tv_nsec: c_long::from(time.subsec_nanos()),
    }
}

/// `None` for what the kernel would refuse.
pub(crate) fn to_duration(time: &timespec) -> Option<Duration> {
    let nanos = u32::try_from(time.tv_nsec)
        .ok()
        .filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanos))
}

pub(crate) fn fail(errno: c_int) -> c_int {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() = errno };
    -1
}

pub(crate) fn libc_convention(result: c_long) -> c_long {
    if (-4095..0).contains(&result) {
        return fail(-result as c_int).into();
    }
    result
}

/// # Safety
/// As for `clock_gettime(2)`.
pub unsafe fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a place to write to.
        unsafe { time.write(to_timespec(virtual_time(active, clock))) };
        return 0;
    }
    let found = CLOCK.load(Relaxed);
    if found != 0 {
        // SAFETY: the C library's function of that name.
        let function: ClockGettime = unsafe { std::mem::transmute(found) };
        // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
        return unsafe { function(clock, time) };
    }
    // SAFETY: the system call behind that function, with the same arguments.
    unsafe {
        call(
            libc::SYS_clock_gettime,
            [clock.into(), time.expose_provenance() as c_long],
        )
    }
}

/// # Safety
/// As for `gettimeofday(2)`.
pub unsafe fn gettimeofday(time: *mut timeval) -> c_int {
    let mut now = to_timespec(Duration::ZERO);
    // SAFETY: a place of our own.
    let result = unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if !time.is_null() {
        // SAFETY: the caller gives a place to write to.
        unsafe {
            time.write(timeval {
                tv_sec: now.tv_sec,
                tv_usec: now.tv_nsec / 1000,
            });
        }
    }
    result
}

/// # Safety
/// As for `time(2)`.
pub unsafe fn time(place: *mut time_t) -> time_t {
    let mut now = to_timespec(Duration::ZERO);
    // SAFETY: a place of our own.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if !place.is_null() {
        // SAFETY: the caller gives a place to write to.
        unsafe { place.write(now.tv_sec) };
    }
    now.tv_sec
}

/// The same bytes in every process and, because its state is a static, in every execution.
///
/// # Safety
/// As for `getrandom(2)`.
pub unsafe fn getrandom(buffer: *mut c_void, length: usize, _flags: c_uint) -> isize {
    let length = length.min(isize::MAX as usize);
    let buffer: *mut u8 = buffer.cast();
    for start in (0..length).step_by(8) {
        let word = Rng::at(0, RANDOM.fetch_add(1, Relaxed)).to_le_bytes();
        let count = (length - start).min(8);
        // SAFETY: the caller gives `length` bytes to write to.
        unsafe {
            buffer
                .add(start)
                .copy_from_nonoverlapping(word.as_ptr(), count)
        };
    }
    length as isize
}

/// # Safety
/// As for `nanosleep(2)`.
pub unsafe fn nanosleep(request: *const timespec, remaining: *mut timespec) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a valid time or null.
        return match unsafe { request.as_ref() }.map(to_duration) {
            Some(Some(duration)) => {
                active.sleep(duration);
                0
            }
            Some(None) => fail(libc::EINVAL),
            None => fail(libc::EFAULT),
        };
    }
    // SAFETY: the system call of that name with the caller's arguments, which are valid for it.
    unsafe {
        call(
            libc::SYS_nanosleep,
            [
                request.expose_provenance() as c_long,
                remaining.expose_provenance() as c_long,
            ],
        )
    }
}

/// # Safety
/// As for `clock_nanosleep(2)`.
pub unsafe fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    request: *const timespec,
    remaining: *mut timespec,
) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a valid time or null.
        let Some(request) = (unsafe { request.as_ref() }) else {
            return libc::EFAULT;
        };
        let Some(mut duration) = to_duration(request) else {
            return libc::EINVAL;
        };
        if flags & libc::TIMER_ABSTIME != 0 {
            duration = duration.saturating_sub(virtual_time(active, clock));
        }
        active.sleep(duration);
        return 0;
    }
    let arguments = [
        clock.into(),
        flags.into(),
        request.expose_provenance() as c_long,
        remaining.expose_provenance() as c_long,
    ];
    // This function returns the error instead of setting errno.
    // SAFETY: the system call of that name with the caller's arguments, which are valid for it.
    -unsafe { raw_call(libc::SYS_clock_nanosleep, arguments) } as c_int
}

/// `sched_yield(2)`.
pub fn sched_yield() -> c_int {
    if let Some(active) = controlled() {
        active.yield_now("sched_yield");
        return 0;
    }
    // SAFETY: takes nothing, touches nothing.
    unsafe { call(libc::SYS_sched_yield, []) }
}

/// # Safety
/// As for `syscall(2)`.
pub unsafe fn syscall(number: c_long, arguments: [c_long; 6]) -> c_long {
    if number == libc::SYS_futex
        && let Some(active) = controlled()
        // SAFETY: the caller passes arguments that are valid for `futex(2)`: a word, and a time or null.
        && let Some(result) = unsafe { futex(active, &arguments) }
    {
        return result;
    }
    if number == libc::SYS_getrandom {
        let buffer = std::ptr::with_exposed_provenance_mut(arguments[0] as usize);
        // SAFETY: the caller passes arguments that are valid for `getrandom(2)`: a buffer of that length.
        return unsafe { getrandom(buffer, arguments[1] as usize, arguments[2] as c_uint) }
            as c_long;
    }
    // SAFETY: the caller passes arguments that are valid for the system call of this number.
    libc_convention(unsafe { system_call(number, arguments) })
}

/// Notes that code under test opens a descriptor.
pub(crate) fn note_opened() {
    if controlled().is_some() {
        descriptors::note_opened();
    }
}

/// Notes what code under test does outside the process.
pub(crate) fn note(deed: Outside) {
    if controlled().is_some() {
        outside::note(deed);
    }
}

/// # Safety
/// As for `open(2)`; `mode` counts only if a file is created.
pub unsafe fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT) != 0 {
        note(Outside::File);
    }
    note_opened();
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        (flags | libc::O_LARGEFILE).into(),
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_openat, arguments) }
}

/// # Safety
/// As for `unlink(2)`.
pub unsafe fn unlink(path: *const c_char) -> c_int {
    note(Outside::File);
    let arguments = [libc::AT_FDCWD.into(), path.expose_provenance() as c_long, 0];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_unlinkat, arguments) }
}

/// # Safety
/// As for `mkdir(2)`.
pub unsafe fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    note(Outside::File);
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_mkdirat, arguments) }
}

/// The arguments of `posix_spawn`, all of them pointers.
pub type SpawnArguments = [*mut c_void; 6];

/// # Safety
/// As for `posix_spawnp(3)`.
pub unsafe fn posix_spawnp(arguments: SpawnArguments) -> c_int {
    note(Outside::Process);
    // A process that links this and has not started a driver spawns as well.
    let found = match SPAWN.load(Relaxed) {
        0 => look_up(c"posix_spawnp"),
        found => found,
    };
    if found == 0 {
        return libc::ENOSYS;
    }
    // SAFETY: the C library's function of that name.
    let function: PosixSpawn = unsafe { std::mem::transmute(found) };
    let [pid, path, actions, attributes, argv, environment] = arguments;
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(pid, path, actions, attributes, argv, environment) }
}

/// The futex operations that wait and wake; `None` for those that the kernel may answer.
///
/// # Safety
/// The arguments are valid for `futex(2)`.
unsafe fn futex(active: Active, arguments: &[c_long; 6]) -> Option<c_long> {
    let [word, operation, value, timeout, _, third] = *arguments;
    let word = word as usize;
    let flags = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    let calendar = operation as c_int & libc::FUTEX_CLOCK_REALTIME != 0;
    let command = operation as c_int & !flags;
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            let timeout: *const timespec = std::ptr::with_exposed_provenance(timeout as usize);
            // SAFETY: the caller passes arguments that are valid for `futex(2)`, so this is a time or null.
            let timeout = match unsafe { timeout.as_ref() } {
                None => None,
                Some(time) => {
                    let Some(time) = to_duration(time) else {
                        return Some(fail(libc::EINVAL).into());
                    };
                    Some(if command == libc::FUTEX_WAIT {
                        time
                    } else {
                        let clock = if calendar {
                            libc::CLOCK_REALTIME
                        } else {
                            libc::CLOCK_MONOTONIC
                        };
                        time.saturating_sub(virtual_time(active, clock))
                    })
                }
            };
            // SAFETY: the caller passes arguments that are valid for `futex(2)`, so the word is aligned, has 32 bits
            // and is accessed atomically.
            Some(
                match unsafe { active.futex_wait(word, value as u32, timeout) } {
                    0 => 0,
                    errno => fail(errno).into(),
                },
            )
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
            Some(active.futex_wake(word, value as u32).into())
        }
        // A thread that would be moved to the other word is woken instead: a spurious wake-up, which every waiter must
        // expect.
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            if command == libc::FUTEX_CMP_REQUEUE {
                // SAFETY: the caller passes arguments that are valid for `futex(2)`, so the word is aligned, has 32
                // bits and is accessed atomically.
                let now = unsafe {
                    (*std::ptr::with_exposed_provenance::<std::sync::atomic::AtomicU32>(word))
                        .load(Relaxed)
                };
                if now != third as u32 {
                    return Some(fail(libc::EAGAIN).into());
                }
            }
            let count = (value as u32).saturating_add(timeout as u32);
            Some(active.futex_wake(word, count).into())
        }
        _ => None,
    }
}

/// # Safety
/// The arguments are valid for the system call of this number.
pub(crate) unsafe fn raw_call<const N: usize>(number: c_long, arguments: [c_long; N]) -> c_long {
    let mut six = [0; 6];
    six[..N].copy_from_slice(&arguments);
    // SAFETY: by this function's contract; the system call ignores the arguments that were added.
    unsafe { system_call(number, six) }
}

/// # Safety
/// The arguments are valid for the system call of this number.
pub(crate) unsafe fn call<const N: usize>(number: c_long, arguments: [c_long; N]) -> c_int {
    // SAFETY: `raw_call` has the contract of this function.
    libc_convention(unsafe { raw_call(number, arguments) }) as c_int
}

/// Defines, in the driver's `main.rs`, the global allocator and the functions that stand in for libc's. They must be in
/// the executable's own source: only there do they come before the shared library's.
#[macro_export]
macro_rules! driver_symbols {
    () => {
        // Drivers are compiled with the facade, whose attribute of this name registers nothing.
        #[$crate::global_allocator]
        static CONTEST_ALLOCATOR: $crate::DriverAllocator = $crate::DriverAllocator;

        #[allow(
            clippy::missing_safety_doc,
            missing_docs,
            unreachable_pub,
            reason = "C functions of libc's names"
        )]
        mod contest_symbols {
            use ::core::ffi::{c_char, c_int, c_uint, c_void};
            use $crate::symbols::{self, clockid_t, time_t, timespec, timeval};

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::clock_gettime(clock, time) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn gettimeofday(time: *mut timeval, _zone: *mut c_void) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::gettimeofday(time) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn time(place: *mut time_t) -> time_t {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::time(place) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn getrandom(
                buffer: *mut c_void,
                length: usize,
                flags: c_uint,
            ) -> isize {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::getrandom(buffer, length, flags) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn nanosleep(
                request: *const timespec,
                remaining: *mut timespec,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::nanosleep(request, remaining) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn clock_nanosleep(
                clock: clockid_t,
                flags: c_int,
                request: *const timespec,
                remaining: *mut timespec,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::clock_nanosleep(clock, flags, request, remaining) }
            }

            // libc declares it variadic, as `syscall`.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn open64(
                path: *const c_char,
                flags: c_int,
                mode: c_uint,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::open(path, flags, mode) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::unlink(path) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { symbols::mkdir(path, mode) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn posix_spawnp(
                pid: *mut c_void,
                path: *mut c_void,
                actions: *mut c_void,
                attributes: *mut c_void,
                argv: *mut c_void,
                environment: *mut c_void,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe {
                    symbols::posix_spawnp([pid, path, actions, attributes, argv, environment])
                }
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn sched_yield() -> c_int {
                symbols::sched_yield()
            }
        }
        $crate::descriptor_symbols!();
    };
}
