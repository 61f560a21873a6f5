//! Signals that concern a virtual thread: its stack overflows, or `std` aborts the process because it panicked once too
//! often. Installed by hand-written models; the driver process has handlers of its own.

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::active::never_resume;
use super::current;
use super::machine::Machine;

/// Room for a stack trace with file names; committed on touch.
const STACK_BYTES: usize = 1 << 20;
/// A fault this far below the guard page is an overflow too: a large frame may reach beyond the page.
const BEYOND: usize = 64 << 10;

static BEFORE_SEGV: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
static BEFORE_BUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
static BEFORE_ABORT: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Installs the handlers, once per process. What was installed before is called for all that is not ours.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let on_fault = on_fault as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        let on_abort = on_abort as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        let fault_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        handle(libc::SIGSEGV, on_fault, fault_flags, &BEFORE_SEGV);
        handle(libc::SIGBUS, on_fault, fault_flags, &BEFORE_BUS);
        // On the virtual thread's own stack, and not blocked while it runs: the handler is left for good.
        let abort_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        handle(libc::SIGABRT, on_abort, abort_flags, &BEFORE_ABORT);
    });
}

fn handle(
    signal: c_int,
    handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
    flags: c_int,
    before: &AtomicPtr<libc::sigaction>,
) {
    // SAFETY: zero is a valid `sigaction`; the handler has the signature that SA_SIGINFO requires; the old action is
    // kept for ever.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = flags;
        libc::sigemptyset(&raw mut action.sa_mask);
        let old = Box::into_raw(Box::new(std::mem::zeroed::<libc::sigaction>()));
        before.store(old, Ordering::Release);
        libc::sigaction(signal, &raw const action, old);
    }
}

/// Hands the signal to whoever had it before.
fn pass_on(
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
    before: &AtomicPtr<libc::sigaction>,
) {
    let before = before.load(Ordering::Acquire);
    // SAFETY: set by `handle` before the handler was installed; what it says is called as it was meant to be, or is put
    // back, so that the signal comes again when this handler returns.
    unsafe {
        let action = &*before;
        match action.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::sigaction(signal, before, ptr::null_mut());
            }
            handler if action.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid description.
    let fault = unsafe { (*info).si_addr().addr() };
    let machine = current::pointer();
    if !machine.is_null() {
        // SAFETY: the machine lives as long as it is current, on the thread that this interrupts. That may be using it:
        // only fields are read, without a reference to the whole, and it stands still while this runs.
        let (thread, bytes, slot) = unsafe {
            let thread = (*machine).running;
            let slot = Machine::slot(machine, thread);
            (thread, (*machine).limits.stack_bytes, &*slot)
        };
        // SAFETY: a question to the C library that is allowed in a signal handler.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let guard = slot.stack_limit.saturating_sub(BEYOND)..slot.stack_limit + page;
        if guard.contains(&fault) {
            let name = slot.name.as_deref().unwrap_or_default();
            let space = if name.is_empty() { "" } else { " " };
            say(format_args!(
                "\ncontest: {}{space}{name} of the model overflowed its stack of {bytes} bytes, ",
                Title(thread.0)
            ));
            // The first operation is the beginning itself.
            if slot.executed > 1 {
                say(format_args!("after its operation at {}", slot.location));
            } else {
                say(format_args!("before its first operation"));
            }
            say(format_args!(
                ". If it is not an endless recursion, give the model larger stacks: `contest::Builder::new().stack_size({})`\n",
                bytes * 8
            ));
            // SAFETY: ends the process, as an overflow of any other stack does.
            unsafe {
                libc::signal(libc::SIGABRT, libc::SIG_DFL);
                libc::abort();
            }
        }
    }
    let before = if signal == libc::SIGBUS {
        &BEFORE_BUS
    } else {
        &BEFORE_SEGV
    };
    pass_on(signal, info, context, before);
}

extern "C" fn on_abort(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // Whoever holds the machine when it aborts is the engine itself.
    let aborts = current::is_set()
        && !current::is_accessed()
        && std::mem::take(&mut current::machine().aborts);
    if aborts {
        // The C library allows a handler of this signal not to return, and holds no lock while it runs.
        never_resume();
    }
    pass_on(signal, info, context, &BEFORE_ABORT);
}

struct Title(u16);

impl std::fmt::Display for Title {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("the main thread"),
            number => write!(f, "thread {number}"),
        }
    }
}

/// Writes to standard error past all buffers and captures, without allocating.
pub fn say(text: std::fmt::Arguments<'_>) {
    struct Raw;
    impl Write for Raw {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // SAFETY: a write of so many bytes from a valid slice.
            let written =
                unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
            usize::try_from(written).map_err(|_| std::io::Error::last_os_error())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    // A failure cannot be reported: this is the report.
    let _ = Raw.write_fmt(text);
}

/// A stack for signal handlers of the present OS thread, as long as this value lives: that of `std` is too small for a
/// stack trace.
#[derive(Debug)]
pub struct HandlerStack {
    memory: *mut c_void,
    before: libc::stack_t,
}

impl HandlerStack {
    /// `None` if the system has no memory.
    pub fn install() -> Option<Self> {
        // SAFETY: a new mapping that lives until `drop`, given to the kernel for this thread.
        unsafe {
            let memory = libc::mmap(
                ptr::null_mut(),
                STACK_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            );
            if memory == libc::MAP_FAILED {
                return None;
            }
            let stack = libc::stack_t {
                ss_sp: memory,
                ss_flags: 0,
                ss_size: STACK_BYTES,
            };
            let mut before: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(&raw const stack, &raw mut before);
            Some(Self { memory, before })
        }
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        // SAFETY: gives back what was there, on the same thread, and then the mapping of `install`.
        unsafe {
            libc::sigaltstack(&raw const self.before, ptr::null_mut());
            libc::munmap(self.memory, STACK_BYTES);
        }
    }
}
