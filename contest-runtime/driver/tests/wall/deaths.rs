//! How a process ends that cannot go on.

use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use contest_data::protocol::black_box::Phase;
use contest_engine::black_box as recorder;
use contest_engine::memory::{arena, set_user_code};

use crate::scenarios::{Process, quit};

pub(crate) fn dies(body: impl FnOnce()) -> ! {
    let mut process = Process::start();
    recorder::phase(Phase::Exploring);
    recorder::test(17, r#"{"test":17}"#);
    process.run(body);
    process.end()
}

#[expect(unconditional_recursion, reason = "the scenario")]
#[inline(never)]
pub(crate) fn endless_recursion(depth: u64) {
    let frame = black_box([depth; 100]);
    endless_recursion(depth + 1);
    black_box(frame);
}

struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        panic!("the second");
    }
}

pub(crate) fn double_panic() {
    let _guard = PanicsInDrop;
    panic!("the first");
}

pub(crate) extern "C" fn c_panic() {
    panic!("through C");
}

pub(crate) fn touch(address: usize) {
    // SAFETY: none; the scenario.
    unsafe { std::ptr::with_exposed_provenance::<u8>(black_box(address)).read_volatile() };
}

#[inline(never)]
pub(crate) fn endless_loop() {
    let mut turns = 0u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

pub(crate) fn hoard() {
    loop {
        std::mem::forget(vec![1u8; 100_000]);
    }
}

pub(crate) fn memory_limit() -> ! {
    let mut process = Process::prepared(|| arena::set_limit(64 << 20));
    process.run(hoard);
    process.end()
}

pub(crate) fn limit_hook() -> ! {
    static OUT: AtomicUsize = AtomicUsize::new(0);
    let mut process = Process::prepared(|| {
        arena::set_limit(64 << 20);
        arena::set_limit_hook(|bytes| {
            set_user_code(false);
            // SAFETY: the descriptor of `Process::out`.
            let mut out = unsafe { File::from_raw_fd(OUT.load(SeqCst) as i32) };
            writeln!(out, "limit {bytes}").unwrap();
            quit(5)
        });
    });
    let out = std::os::fd::AsRawFd::as_raw_fd(&process.out) as usize;
    process.run(move || {
        OUT.store(out, SeqCst);
        hoard();
    });
    process.end()
}

pub(crate) fn absurd_request() -> ! {
    let mut process = Process::start();
    process.run(|| {
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 45).is_err());
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 38).is_err());
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 20).is_ok());
    });
    process.end()
}
