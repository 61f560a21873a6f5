//! Stacks on Windows grow: what a stack has not used yet is reserved address space, and guard pages lie above it. Only
//! the thread that runs on a stack may access those.

use std::ffi::c_void;
use std::mem::{MaybeUninit, size_of};
use std::ops::Range;
use std::ptr;

/// `MEMORY_BASIC_INFORMATION`: pages beside each other of one kind.
#[repr(C)]
struct Region {
    base: usize,
    allocation: usize,
    first_protection: u32,
    bytes: usize,
    state: u32,
    protection: u32,
    kind: u32,
}

/// `MEM_COMMIT`.
const COMMITTED: u32 = 0x1000;
/// `PAGE_READWRITE`, without `PAGE_GUARD`.
const WRITABLE: u32 = 0x04;

unsafe extern "system" {
    fn VirtualQuery(address: *const c_void, region: *mut Region, bytes: usize) -> usize;
}

/// The pages that the stack has grown to: from the first that may be written, to its end.
pub(super) fn accessible(stack: Range<usize>) -> Range<usize> {
    let mut at = stack.start;
    while at < stack.end {
        let mut region = MaybeUninit::<Region>::uninit();
        // SAFETY: any address may be asked for; the region has as many bytes as is said.
        let written = unsafe {
            VirtualQuery(
                ptr::without_provenance(at),
                region.as_mut_ptr(),
                size_of::<Region>(),
            )
        };
        if written == 0 {
            break;
        }
        // SAFETY: the system has filled it in.
        let region = unsafe { region.assume_init() };
        if region.state == COMMITTED && region.protection == WRITABLE {
            return at..stack.end;
        }
        at = region.base + region.bytes;
    }
    stack.end..stack.end
}
