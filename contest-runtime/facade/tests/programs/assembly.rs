//! Every form of an operand of `asm!`, through the facade.

use std::arch::asm;
use std::sync::atomic::AtomicUsize;

mod without_std_in_the_path {
    pub(crate) fn add(a: u64, b: u64) -> u64 {
        let mut sum = a;
        unsafe { core::arch::asm!("add {}, {}", inout(reg) sum, in(reg) b, options(nomem, nostack)) };
        sum
    }
}

macro_rules! in_a_macro {
    ($state:expr) => {{
        let old: u8;
        unsafe {
            asm!("lock bts qword ptr [{0:r}], 0", "setc {1}", in(reg) &$state, out(reg_byte) old, options(nostack))
        };
        old
    }};
}

fn copied(from: &[u8; 4]) -> [u8; 4] {
    let mut to = [0_u8; 4];
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") from.len() => _,
            inout("rdi") to.as_mut_ptr() => _,
            inout("rsi") from.as_ptr() => _,
            options(nostack, preserves_flags),
        );
    }
    to
}

fn named(value: u32) -> u32 {
    let result;
    unsafe {
        asm!(
            concat!("mov {result:e}, ", "{value:e}"),
            "shl {result:e}, {by}",
            value = in(reg) value,
            by = const 1 + 1,
            result = out(reg) result,
            out("rcx") _,
            options(pure, nomem, nostack),
        );
    }
    result
}

extern "C" fn seven() -> u64 {
    7
}

fn called() -> u64 {
    let result: u64;
    unsafe { asm!("call {}", sym seven, lateout("rax") result, clobber_abi("C")) };
    result
}

fn long(mut value: u64) -> u64 {
    unsafe {
        asm!(
            "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}",
            "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}", "inc {0}",
            inlateout(reg) value
        )
    };
    value
}

fn never(code: i32) -> ! {
    unsafe { asm!("syscall", in("rax") 231, in("rdi") code, options(noreturn)) }
}

fn main() {
    assert_eq!(without_std_in_the_path::add(3, 4), 7);
    let state = AtomicUsize::new(0);
    assert_eq!((in_a_macro!(state), in_a_macro!(state)), (0, 1));
    assert_eq!(copied(&[1, 2, 3, 4]), [1, 2, 3, 4]);
    assert_eq!(named(5), 20);
    assert_eq!(called(), 7);
    assert_eq!(long(2), 20);
    unsafe { asm!("") };
    println!("assembled");
    never(0)
}
