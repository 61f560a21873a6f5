//! The functions that instrumented code calls before plain accesses. They only leave a frame record and go on to the
//! function that does the work, with a pointer to the record behind the arguments.

use super::{FrameRecord, note, note_copy};
use contest_data::trace::AccessKind;

/// `entry!(name(arguments) -> result = work, register)`: a function of that name that calls `work` with the frame
/// record in `register`, the first one behind those of the arguments. It says how it is unwound: the stack of a call
/// that ended the process, or hangs, is read from inside of it.
macro_rules! entry {
    ($(#[$attribute:meta])* $name:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)?, $work:expr, $x86:literal, $arm:literal) => {
        $(#[$attribute])*
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $Type),*) $(-> $Result)? {
            ::core::arch::naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                concat!("mov ", $x86, ", rbp"),
                "call {work}",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                work = sym $work,
            )
        }

        $(#[$attribute])*
        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $Type),*) $(-> $Result)? {
            ::core::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-16]!",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset w30, -8",
                ".cfi_offset w29, -16",
                "mov x29, sp",
                ".cfi_def_cfa w29, 16",
                concat!("mov ", $arm, ", x29"),
                "bl {work}",
                "ldp x29, x30, [sp], #16",
                ".cfi_def_cfa sp, 0",
                "ret",
                ".cfi_endproc",
                work = sym $work,
            )
        }
    };
}
pub(super) use entry;

extern "C" fn read<const SIZE: usize>(address: usize, frame: *const FrameRecord) {
    note(address, SIZE, AccessKind::Read, frame);
}

extern "C" fn write<const SIZE: usize>(address: usize, frame: *const FrameRecord) {
    note(address, SIZE, AccessKind::Write, frame);
}

extern "C" fn read_range(address: usize, size: usize, frame: *const FrameRecord) {
    if size > 0 {
        note(address, size, AccessKind::Read, frame);
    }
}

extern "C" fn write_range(address: usize, size: usize, frame: *const FrameRecord) {
    if size > 0 {
        note(address, size, AccessKind::Write, frame);
    }
}

// A read that is followed by a write of the same bytes counts as the write: whatever races with the read races with it.
macro_rules! accesses {
    ($($size:literal: $read:ident $write:ident $read_write:ident $unaligned_read:ident $unaligned_write:ident $unaligned_read_write:ident
        $volatile_read:ident $volatile_write:ident $unaligned_volatile_read:ident $unaligned_volatile_write:ident;)*) => {$(
        entry!($read(address: usize), read::<$size>, "rsi", "x1");
        entry!($unaligned_read(address: usize), read::<$size>, "rsi", "x1");
        entry!($volatile_read(address: usize), read::<$size>, "rsi", "x1");
        entry!($unaligned_volatile_read(address: usize), read::<$size>, "rsi", "x1");
        entry!($write(address: usize), write::<$size>, "rsi", "x1");
        entry!($unaligned_write(address: usize), write::<$size>, "rsi", "x1");
        entry!($volatile_write(address: usize), write::<$size>, "rsi", "x1");
        entry!($unaligned_volatile_write(address: usize), write::<$size>, "rsi", "x1");
        entry!($read_write(address: usize), write::<$size>, "rsi", "x1");
        entry!($unaligned_read_write(address: usize), write::<$size>, "rsi", "x1");
    )*};
}

accesses! {
    1: __tsan_read1 __tsan_write1 __tsan_read_write1 __tsan_unaligned_read1 __tsan_unaligned_write1 __tsan_unaligned_read_write1
        __tsan_volatile_read1 __tsan_volatile_write1 __tsan_unaligned_volatile_read1 __tsan_unaligned_volatile_write1;
    2: __tsan_read2 __tsan_write2 __tsan_read_write2 __tsan_unaligned_read2 __tsan_unaligned_write2 __tsan_unaligned_read_write2
        __tsan_volatile_read2 __tsan_volatile_write2 __tsan_unaligned_volatile_read2 __tsan_unaligned_volatile_write2;
    4: __tsan_read4 __tsan_write4 __tsan_read_write4 __tsan_unaligned_read4 __tsan_unaligned_write4 __tsan_unaligned_read_write4
        __tsan_volatile_read4 __tsan_volatile_write4 __tsan_unaligned_volatile_read4 __tsan_unaligned_volatile_write4;
    8: __tsan_read8 __tsan_write8 __tsan_read_write8 __tsan_unaligned_read8 __tsan_unaligned_write8 __tsan_unaligned_read_write8
        __tsan_volatile_read8 __tsan_volatile_write8 __tsan_unaligned_volatile_read8 __tsan_unaligned_volatile_write8;
    16: __tsan_read16 __tsan_write16 __tsan_read_write16 __tsan_unaligned_read16 __tsan_unaligned_write16 __tsan_unaligned_read_write16
        __tsan_volatile_read16 __tsan_volatile_write16 __tsan_unaligned_volatile_read16 __tsan_unaligned_volatile_write16;
}

entry!(__tsan_read_range(address: usize, size: usize), read_range, "rdx", "x2");
entry!(__tsan_write_range(address: usize, size: usize), write_range, "rdx", "x2");

extern "C" fn copy(
    into: *mut u8,
    from: *const u8,
    size: usize,
    frame: *const FrameRecord,
) -> *mut u8 {
    note_copy(into.addr(), from.addr(), size, frame);
    // SAFETY: the compiler put this call in place of one of `memmove` or `memcpy` with these arguments; the former does
    // for both.
    unsafe { libc::memmove(into.cast(), from.cast(), size) };
    into
}

extern "C" fn fill(into: *mut u8, value: i32, size: usize, frame: *const FrameRecord) -> *mut u8 {
    if size > 0 {
        note(into.addr(), size, AccessKind::Write, frame);
    }
    // SAFETY: the compiler put this call in place of one of `memset` with these arguments.
    unsafe { libc::memset(into.cast(), value, size) };
    into
}

entry!(__tsan_memcpy(into: *mut u8, from: *const u8, size: usize) -> *mut u8, copy, "rcx", "x3");
entry!(__tsan_memmove(into: *mut u8, from: *const u8, size: usize) -> *mut u8, copy, "rcx", "x3");
entry!(__tsan_memset(into: *mut u8, value: i32, size: usize) -> *mut u8, fill, "rcx", "x3");

// The pointer to the functions of a C++ object: a plain word here.
entry!(__tsan_vptr_read(address: usize), read::<8>, "rsi", "x1");
entry!(__tsan_vptr_update(address: usize, new: usize), vptr_update, "rdx", "x2");

extern "C" fn vptr_update(address: usize, _new: usize, frame: *const FrameRecord) {
    note(address, 8, AccessKind::Write, frame);
}

/// Calls are not followed: frame pointers lead through the stack when it is needed. That the end of a function is
/// announced keeps the function on the stack while the last one runs that it calls.
#[unsafe(no_mangle)]
extern "C" fn __tsan_func_entry(_caller: usize) {}

/// See [`__tsan_func_entry`].
#[unsafe(no_mangle)]
extern "C" fn __tsan_func_exit() {}

/// Nothing to set up.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {}
