//! Signals to a thread that waits for a descriptor.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use contest_data::trace::Ending;

use crate::controlled::{engine, explore, spawn};
use crate::scenarios::Process;

extern "C" fn on_signal(_signal: c_int) {}

fn handle(flags: c_int) {
    // SAFETY: a value of which all zeros are one, with a handler that does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int) as *const () as usize;
        action.sa_flags = flags;
        libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut());
    }
}

/// `errno` if nothing has come from the pipe.
fn read(pipe: [c_int; 2]) -> u32 {
    let mut byte = 0_u8;
    // SAFETY: a place for one byte.
    match unsafe { libc::read(pipe[0], (&raw mut byte).cast(), 1) } {
        1 => 0,
        // SAFETY: the thread's own errno.
        _ => unsafe { *libc::__errno_location() as u32 },
    }
}

/// What a thread that reads came back with, in all interleavings with a signal and a write.
fn results(process: &mut Process, flags: c_int) -> Vec<u32> {
    static RESULT: AtomicU32 = AtomicU32::new(0);
    let mut seen = Vec::new();
    explore(
        process,
        &mut engine(),
        || {
            handle(flags);
            let mut pipe = [0; 2];
            // SAFETY: a place for two descriptors.
            assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
            let join = spawn(move || RESULT.store(read(pipe), SeqCst));
            // SAFETY: the running thread, which all virtual ones have in common.
            let sent = unsafe { libc::pthread_kill(libc::pthread_self(), libc::SIGUSR1) };
            assert_eq!(sent, 0);
            // SAFETY: one byte of a text.
            let written = unsafe { libc::write(pipe[1], c"a".as_ptr().cast(), 1) };
            assert_eq!(written, 1);
            join();
            // SAFETY: descriptors of our own.
            unsafe {
                libc::close(pipe[0]);
                libc::close(pipe[1]);
            }
        },
        |record| {
            assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics);
            seen.push(RESULT.load(SeqCst));
        },
    );
    seen.sort_unstable();
    seen.dedup();
    seen
}

pub(crate) fn interrupts() -> ! {
    let mut process = Process::start();
    assert_eq!(results(&mut process, 0), [0, libc::EINTR as u32]);
    assert_eq!(results(&mut process, libc::SA_RESTART), [0]);
    process.end()
}
