//! Whether a thread that goes round a loop is in the same state as one round before: its registers, where it is in the
//! code, and all of its stack above the engine's own frames. Where it is, and reads the same, it goes round for ever;
//! where it is not, the loop may have an end of its own, such as a number of tries.
//!
//! A number of tries elsewhere (behind a reference) is noticed where the compiler reports accesses, and missed else.

use std::panic::Location;

use super::current;

/// Registers that a function keeps for its caller.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const KEPT: usize = if cfg!(target_arch = "aarch64") { 12 } else { 6 };
/// Deeper stacks are not compared.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const DEEPEST: usize = 64 << 10;

/// The running thread is about to execute an operation at this place, after another one that only read: notes its
/// state if it was here before.
#[inline(always)]
pub(super) fn note_state(location: &'static Location<'static>) {
    if current::has_only_read() && was_here(location) {
        // SAFETY: it only reads the stack of the thread that calls it.
        unsafe { with_registers() };
    }
}

/// As [`note_state`], of a yield, which ends a round.
#[inline(always)]
pub(super) fn note_state_at_yield() {
    if ends_round_of_locks() || current::has_only_read() {
        // SAFETY: it only reads the stack of the thread that calls it.
        unsafe { with_registers() };
    }
}

/// In a frame of its own: a frame that is compared must hold nothing of the engine.
#[inline(never)]
fn ends_round_of_locks() -> bool {
    current::machine().ends_round_of_locks()
}

/// True if the running thread was at this place since it last wrote.
#[inline(never)]
fn was_here(location: &'static Location<'static>) -> bool {
    let mut machine = current::machine();
    let thread = machine.me();
    let before = std::ptr::eq(thread.location, location) && thread.spin.count > 0;
    thread.spin.was_at(std::ptr::from_ref(location).addr()) | before
}

/// Calls `look` with where the registers lie that a function keeps, and where the stack of its caller begins. The
/// address it returns to is among them: that of an unrolled loop is another one in each round.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "sysv64" fn with_registers() {
    core::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rdi, rsp",
        "lea rsi, [rsp + 48]",
        "sub rsp, 8",
        "call {look}",
        "add rsp, 56",
        "ret",
        look = sym look_from_x86_64,
    )
}

#[cfg(target_arch = "x86_64")]
extern "sysv64" fn look_from_x86_64(registers: *const usize, frame: *const usize) {
    look(registers, frame);
}

/// Calls `look` with where the registers lie that a function keeps, and where the stack of its caller begins. The
/// address it returns to is among them: that of an unrolled loop is another one in each round.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn with_registers() {
    core::arch::naked_asm!(
        "mov x1, sp",
        "stp x29, x30, [sp, #-16]!",
        "stp x27, x28, [sp, #-16]!",
        "stp x25, x26, [sp, #-16]!",
        "stp x23, x24, [sp, #-16]!",
        "stp x21, x22, [sp, #-16]!",
        "stp x19, x20, [sp, #-16]!",
        "mov x0, sp",
        "bl {look}",
        "add sp, sp, #80",
        "ldp x29, x30, [sp], #16",
        "ret",
        look = sym look_from_aarch64,
    )
}

#[cfg(target_arch = "aarch64")]
extern "C" fn look_from_aarch64(registers: *const usize, frame: *const usize) {
    look(registers, frame);
}

/// The state is not known.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe extern "C" fn with_registers() {}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn look(registers: *const usize, frame: *const usize) {
    let mut machine = current::machine();
    if machine.over || machine.tearing_down {
        return;
    }
    let thread = machine.me();
    let words = thread.stack_end.saturating_sub(frame.addr()) / size_of::<usize>();
    if words > DEEPEST / size_of::<usize>() {
        return;
    }
    // SAFETY: `with_registers` has put them there.
    let state = unsafe { hash(0, registers, KEPT) };
    // SAFETY: the stack of the running thread, from the frame of its caller to the end.
    let state = unsafe { hash(state, frame, words) };
    thread.spin.note_state(state);
    super::layer::watch_changes();
}

/// # Safety
/// So many words can be read.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe fn hash(mut hash: u64, words: *const usize, count: usize) -> u64 {
    for index in 0..count {
        // SAFETY: the caller says so; they may be of values that were never written, so nothing is assumed of them.
        let word = unsafe { words.add(index).read_volatile() };
        hash = (hash.rotate_left(5) ^ word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    // 0 is no state.
    hash | 1
}
