//! Not a test: `WALL_SCENARIO=cost` prints what isolation costs.

use std::hint::black_box;

use contest_engine::memory::{Isolation, set_user_code};

use crate::scenarios::{Process, quit};

pub(crate) fn cost() -> ! {
    let mut process = Process::start();
    let n = 1_000_000u32;
    let mut report = String::new();
    report += &format!("statics {} bytes\n", process.isolation.static_bytes());
    let t = std::time::Instant::now();
    for _ in 0..n {
        process.isolation.begin();
        process.isolation.end();
    }
    report += &format!("begin+end {:?}\n", t.elapsed() / n);
    let t = std::time::Instant::now();
    for _ in 0..n {
        process.isolation.begin();
        set_user_code(true);
        for i in 0..20 {
            std::mem::forget(black_box(vec![1u8; 64 + i]));
        }
        set_user_code(false);
        process.isolation.end();
    }
    report += &format!("begin+end+20 allocs {:?}\n", t.elapsed() / n);
    let t = std::time::Instant::now();
    process.isolation.begin();
    set_user_code(true);
    for i in 0..n {
        drop(black_box(vec![1u8; 64 + (i & 15) as usize]));
    }
    set_user_code(false);
    process.isolation.end();
    report += &format!("alloc+free arena {:?}\n", t.elapsed() / n);
    let t = std::time::Instant::now();
    for i in 0..n {
        drop(black_box(vec![1u8; 64 + (i & 15) as usize]));
    }
    report += &format!("alloc+free system {:?}\n", t.elapsed() / n);
    for kib in [64usize, 256, 512, 1024, 4096] {
        let n = 2000;
        let t = std::time::Instant::now();
        for _ in 0..n {
            process.isolation.begin();
            set_user_code(true);
            std::mem::forget(black_box(vec![1u8; kib << 10]));
            set_user_code(false);
            process.isolation.end();
        }
        report += &format!("touch {kib} KiB {:?}\n", t.elapsed() / n);
    }
    let t = std::time::Instant::now();
    for _ in 0..n {
        black_box(std::time::Instant::now());
    }
    report += &format!("Instant::now {:?}\n", t.elapsed() / n);
    process.say(&report);
    quit(0)
}
