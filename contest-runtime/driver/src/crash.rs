//! The last word of a dying driver: signal handlers that write to the black box what they know, then let the signal do
//! its work.

use std::backtrace::Backtrace;
use std::ffi::{c_int, c_void};
use std::ptr;

use contest_data::protocol::black_box::DeathKind;
use contest_engine::black_box;
use contest_engine::execution::stack_frames;
use contest_engine::memory::{is_user_code, set_user_code};
use contest_engine::real_threads::DEATH_SIGNALS;

/// The stack is unwound and written out on it, with file names; committed on touch.
const HANDLER_STACK_BYTES: usize = 1 << 20;
/// A fault this close to the stack pointer is the stack's own: functions touch each page of a large frame in turn.
const NEAR_STACK_POINTER: usize = 64 << 10;
const FIRST_PAGE: usize = 4096;
/// Seconds for the stack trace, which is not safe in a signal handler and may hang; the facts are written before.
const TRACE_SECONDS: libc::c_uint = 5;

/// Installs the handlers, on a stack of their own.
pub(crate) fn install() -> std::io::Result<()> {
    // SAFETY: a new mapping that stays; the handler has the signature that SA_SIGINFO requires.
    unsafe {
        let stack = libc::mmap(
            ptr::null_mut(),
            HANDLER_STACK_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if stack == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let alternative = libc::stack_t {
            ss_sp: stack,
            ss_flags: 0,
            ss_size: HANDLER_STACK_BYTES,
        };
        if libc::sigaltstack(&raw const alternative, ptr::null_mut()) == -1 {
            return Err(std::io::Error::last_os_error());
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        for signal in DEATH_SIGNALS {
            if libc::sigaction(signal, &raw const action, ptr::null_mut()) == -1 {
                return Err(std::io::Error::last_os_error());
            }
        }
        // The driver itself ends by `_exit`: whoever gets here was sent by code under test.
        libc::atexit(on_exit);
    }
    Ok(())
}

extern "C" fn on_exit() {
    black_box::death(DeathKind::Exit, 0, is_user_code());
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let user_code = set_user_code(false);
    // SAFETY: the kernel passes both, valid for the duration of the handler.
    let (fault, stack_pointer) = unsafe { ((*info).si_addr().addr(), stack_pointer(context)) };
    black_box::death(classify(signal, fault, stack_pointer), signal, user_code);
    // SAFETY: gives every signal back its default action, so that a second one ends the process. A fault comes again
    // when the handler returns; the others are raised here and delivered then.
    unsafe {
        for signal in DEATH_SIGNALS {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut unblocked: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut unblocked);
        libc::sigaddset(&raw mut unblocked, libc::SIGALRM);
        libc::raise(signal);
        if signal != libc::SIGALRM {
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const unblocked, ptr::null_mut());
            libc::alarm(TRACE_SECONDS);
        }
    }
    for frame in stack_frames::worth_showing(&Backtrace::force_capture().to_string()) {
        black_box::death_detail(format_args!("{frame}\n"));
    }
}

fn classify(signal: c_int, fault: usize, stack_pointer: usize) -> DeathKind {
    match signal {
        libc::SIGABRT => DeathKind::Abort,
        libc::SIGILL => DeathKind::IllegalInstruction,
        libc::SIGFPE => DeathKind::Arithmetic,
        libc::SIGALRM => DeathKind::Hung,
        _ if fault < FIRST_PAGE => DeathKind::NullPointer,
        _ if fault.abs_diff(stack_pointer) < NEAR_STACK_POINTER => DeathKind::StackOverflow,
        _ => DeathKind::BadAddress,
    }
}

/// # Safety
/// `context` is what the kernel passes to a handler that was set with `SA_SIGINFO`.
unsafe fn stack_pointer(context: *mut c_void) -> usize {
    let context: *const libc::ucontext_t = context.cast();
    // SAFETY: by this function's contract it points to the registers that the kernel saved.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            (*context).uc_mcontext.gregs[libc::REG_RSP as usize] as usize
        }
        #[cfg(target_arch = "aarch64")]
        {
            (*context).uc_mcontext.sp as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_next_to_the_stack_pointer_is_a_stack_overflow() {
        let sp = 0x7fff_0000_1000;
        for (signal, fault, expected) in [
            (libc::SIGSEGV, sp - 8, DeathKind::StackOverflow),
            (libc::SIGBUS, sp - 8192, DeathKind::StackOverflow),
            (libc::SIGSEGV, 16, DeathKind::NullPointer),
            (libc::SIGSEGV, sp - (1 << 30), DeathKind::BadAddress),
            (libc::SIGABRT, 0, DeathKind::Abort),
            (libc::SIGALRM, 0, DeathKind::Hung),
        ] {
            assert_eq!(classify(signal, fault, sp), expected);
        }
    }
}
