//! What the child does. Code under test is played by [`Process::execution`].

use std::alloc::{Layout, alloc_zeroed};
use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, OnceLock};

use crate::{controlled, states};
use contest::driver::{self, Channel};
use contest::memory::{Isolation, ProcessIsolation, arena, set_user_code};
use contest::protocol::black_box::{self as recorder, Phase};

pub(crate) struct Process {
    pub(crate) isolation: ProcessIsolation,
    out: File,
}

impl Process {
    pub(crate) fn start() -> Self {
        Self::prepared(|| ())
    }

    pub(crate) fn prepared(prepare: impl FnOnce()) -> Self {
        if let Err(message) = driver::fix_addresses() {
            // The tests that compare addresses will say so; the others hold without.
            drop(message);
        }
        // SAFETY: a new descriptor.
        let out = unsafe { File::from_raw_fd(libc::dup(1)) };
        drop(Channel::open().unwrap());
        let started = driver::start(prepare).unwrap();
        Self {
            isolation: started.isolation,
            out,
        }
    }

    fn execution<R>(&mut self, body: impl FnOnce() -> R, keep: impl FnOnce(R) -> String) -> String {
        self.isolation.begin();
        set_user_code(true);
        let result = body();
        set_user_code(false);
        let kept = keep(result);
        self.isolation.end();
        kept
    }

    fn run(&mut self, body: impl FnOnce()) {
        self.execution(body, |()| String::new());
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.out, "{line}").unwrap();
    }

    pub(crate) fn end(mut self) -> ! {
        self.say("ok");
        quit(0)
    }
}

pub(crate) fn quit(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

pub(crate) fn run(name: &str) -> ! {
    let scenarios: [(&str, fn() -> !); 33] = [
        ("addresses", addresses),
        ("addresses_repeat", addresses_repeat),
        ("hash_order", hash_order),
        ("statics", statics),
        ("startup_heap", startup_heap),
        ("environment", environment),
        ("both_sides", both_sides),
        ("reuse", reuse),
        ("leak", leak),
        ("unowned", unowned),
        ("states", states::states),
        ("random", random),
        ("chatter", chatter),
        ("stack_overflow", || dies(|| endless_recursion(1))),
        ("double_panic", || dies(double_panic)),
        ("c_panic", || dies(|| c_panic())),
        ("null", || dies(|| touch(8))),
        ("wild", || dies(|| touch(0x1234_5678_9000))),
        ("exit", || dies(|| std::process::exit(3))),
        ("endless_loop", || dies(endless_loop)),
        ("memory_limit", memory_limit),
        ("limit_hook", limit_hook),
        ("absurd_request", absurd_request),
        ("virtual_time", controlled::virtual_time),
        ("real_time", controlled::real_time),
        ("futex_mutex", controlled::futex_mutex),
        ("futex_deadlock", controlled::futex_deadlock),
        ("futex_timeout", controlled::futex_timeout),
        ("controlled_limit", controlled::memory_limit),
        ("unfinished", controlled::unfinished),
        ("controlled_overflow", controlled::stack_overflow),
        ("controlled_panic", controlled::panic),
        ("cost", cost),
    ];
    let (_, scenario) = scenarios.iter().find(|(it, _)| *it == name).expect(name);
    scenario()
}

#[repr(align(128))]
struct Padded(#[expect(dead_code, reason = "only its address matters")] [u8; 200]);

#[repr(align(8192))]
struct PageAligned(#[expect(dead_code, reason = "only its address matters")] u8);

/// Blocks of many sizes, some freed in between; their addresses, and those of a static and a function.
fn allocate_a_lot() -> Vec<usize> {
    static ANCHOR: AtomicUsize = AtomicUsize::new(0);
    let mut addresses = Vec::new();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for round in 0..200usize {
        let block = vec![round as u8; 1 + round * round];
        addresses.push(block.as_ptr().addr());
        if round % 3 == 0 {
            kept.push(block);
        }
        let text = format!("{round}");
        addresses.push(text.as_ptr().addr());
        if round % 7 == 0 {
            kept.push(text.into_bytes());
        }
        if round % 50 == 0 {
            let padded = Box::new(Padded([0; 200]));
            let paged = Box::new(PageAligned(0));
            assert_eq!((&raw const *padded).addr() % 128, 0);
            assert_eq!((&raw const *paged).addr() % 8192, 0);
            addresses.push((&raw const *padded).addr());
            addresses.push((&raw const *paged).addr());
        }
    }
    addresses.push((&raw const ANCHOR).addr());
    addresses.push(allocate_a_lot as *const () as usize);
    std::mem::forget(kept);
    addresses
}

fn addresses() -> ! {
    let mut process = Process::start();
    let lines = process.execution(allocate_a_lot, |addresses| {
        addresses
            .iter()
            .map(|address| format!("{address:#x}\n"))
            .collect()
    });
    process.say(lines.trim_end());
    quit(0)
}

fn addresses_repeat() -> ! {
    let mut process = Process::start();
    let mut tools_own = Vec::new();
    let first = process.execution(allocate_a_lot, |it| format!("{it:x?}"));
    for round in 0..200 {
        tools_own.push(vec![0u8; round * 100]);
        let next = process.execution(allocate_a_lot, |it| format!("{it:x?}"));
        assert_eq!(first, next);
    }
    process.end()
}

fn hash_order() -> ! {
    let mut process = Process::start();
    for round in 0..5 {
        // The tool uses hash maps too, a different number each time.
        for _ in 0..round {
            black_box(HashMap::from([(1, 2)]));
        }
        let order = process.execution(
            || HashMap::<u32, u32>::from_iter((0..50).map(|it| (it, it))),
            |map| format!("{:?}", map.keys().collect::<Vec<_>>()),
        );
        process.say(&order);
    }
    quit(0)
}

static COUNTER: AtomicUsize = AtomicUsize::new(5);
static ZERO: AtomicU64 = AtomicU64::new(0);
static ONCE: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<Mutex<Vec<String>>> = LazyLock::new(|| Mutex::new(vec!["first".into()]));

struct Raw(UnsafeCell<[u64; 3000]>);
// SAFETY: used by one thread.
unsafe impl Sync for Raw {}
static RAW: Raw = Raw(UnsafeCell::new([7; 3000]));

thread_local! {
    static LOCAL: Cell<u32> = const { Cell::new(3) };
    static LAZY_LOCAL: String = String::from("made at first use");
}

fn statics() -> ! {
    let mut process = Process::start();
    for _ in 0..100 {
        process.run(|| {
            assert_eq!(COUNTER.fetch_add(1, SeqCst), 5);
            assert_eq!(ZERO.fetch_add(1, SeqCst), 0);
            assert_eq!(ONCE.get(), None);
            ONCE.get_or_init(|| "x".repeat(1000));
            let mut lazy = LAZY.lock().unwrap();
            assert_eq!(lazy.len(), 1);
            lazy.push("second".into());
            // Held over the end of the execution, as by a thread that never runs again.
            std::mem::forget(lazy);
            // SAFETY: one thread.
            let raw = unsafe { &mut *RAW.0.get() };
            assert!(raw.iter().all(|it| *it == 7));
            raw[2999] = 8;
            raw[0] = 9;
            assert_eq!(LOCAL.replace(4), 3);
            assert!(LAZY_LOCAL.with(|it| contest_arena_contains(it.as_ptr().addr())));
            // An execution may be forgotten in the middle of a panic: the count of panics of the thread goes back too.
            assert!(!std::thread::panicking());
            std::panic::catch_unwind(|| panic!("caught")).unwrap_err();
        });
    }
    process.end()
}

fn contest_arena_contains(address: usize) -> bool {
    (address >> 32) == 0x6000
}

fn startup_heap() -> ! {
    #[expect(clippy::vec_box, reason = "a block behind a block")]
    static LIST: Mutex<Vec<Box<u32>>> = Mutex::new(Vec::new());
    // What a static constructor would do before main: a heap block behind a static.
    LIST.lock().unwrap().push(Box::new(1));
    let mut process = Process::start();
    let mut tools_own: Vec<Box<u32>> = Vec::new();
    for round in 0..100 {
        process.run(|| {
            let mut list = LIST.lock().unwrap();
            assert_eq!(*list[0], 1, "round {round}");
            *list[0] = 2;
            list.extend((0..100).map(Box::new));
            list.clear();
            list.shrink_to_fit();
        });
        tools_own.extend((0..100).map(Box::new));
    }
    process.run(|| drop(std::panic::take_hook()));
    process.run(|| {
        drop(std::panic::catch_unwind(|| {
            panic!("the hook is there again")
        }))
    });
    process.end()
}

fn environment() -> ! {
    let mut process = Process::prepared(|| {
        // SAFETY: one thread.
        unsafe { std::env::set_var("FROM_BEFORE", "the snapshot") };
    });
    let before = std::env::vars_os().count();
    for _ in 0..100 {
        process.run(|| {
            assert_eq!(std::env::var("FROM_BEFORE").unwrap(), "the snapshot");
            assert_eq!(std::env::vars_os().count(), before);
            // SAFETY: one thread.
            unsafe {
                std::env::set_var("FROM_BEFORE", "this execution");
                std::env::remove_var("WALL_SCENARIO");
                for number in 0..100 {
                    std::env::set_var(format!("NEW_{number}"), "new");
                }
            }
        });
    }
    process.end()
}

fn both_sides() -> ! {
    let mut process = Process::start();
    for _ in 0..1000 {
        let mut from_tool = vec![1u8; 100];
        process.execution(
            move || {
                from_tool.extend_from_slice(&[2; 10_000]);
                assert!(!contest_arena_contains(from_tool.as_ptr().addr()));
                drop(from_tool);
                assert!(contest_arena_contains(vec![0u8; 10].as_ptr().addr()));
                vec![3u8; 100]
            },
            |mut from_user| {
                assert!(contest_arena_contains(from_user.as_ptr().addr()));
                from_user.extend_from_slice(&[4; 10_000]);
                assert!(!contest_arena_contains(from_user.as_ptr().addr()));
                assert_eq!(from_user[99..101], [3, 4]);
                String::new()
            },
        );
    }
    // What somebody keeps over the end is not written to when it is freed.
    let mut stale = Vec::new();
    process.run(|| stale = vec![9u8; 64]);
    drop(stale);
    assert_eq!(arena::in_use().stale_frees, 1);
    process.run(|| {
        let live = black_box(vec![0u8; 64]);
        assert!(live.iter().all(|it| *it == 0));
    });
    process.end()
}

/// Owners of blocks: an address as it is, one with a mark, one of the middle of a block.
static OWNERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

thread_local! {
    static OWNER: Cell<usize> = const { Cell::new(0) };
}

fn forgotten<T>(value: T) -> usize {
    Box::into_raw(Box::new(value)).expose_provenance()
}

fn unowned() -> ! {
    let mut process = Process::start();
    // The compiler leaves out what is only written.
    black_box((&OWNERS, OWNER.with(|owner| owner.as_ptr())));
    let sizes = |process: &mut Process| -> Vec<usize> {
        let blocks = process.isolation.unowned();
        blocks.into_iter().map(|(_, size)| size).collect()
    };
    let mut after = |body: fn()| {
        process.isolation.begin();
        set_user_code(true);
        body();
        set_user_code(false);
        let sizes = sizes(&mut process);
        process.isolation.end();
        sizes
    };
    for _ in 0..3 {
        // Freed.
        assert_eq!(after(|| drop(black_box(vec![1_u8; 100]))), []);
        // Forgotten, one of them at the address of a block that was freed.
        let forget = || {
            drop(black_box(Box::new([0_u8; 24])));
            black_box(forgotten([1_u8; 24]));
            black_box(forgotten([1_u8; 5000]));
        };
        assert_eq!(after(forget), [24, 5000]);
        // Owned by statics, in each of the forms.
        let owned = || {
            OWNERS[0].store(forgotten([1_u8; 24]), SeqCst);
            OWNERS[1].store(forgotten([1_u64; 4]) | 7 | 5 << 48, SeqCst);
            OWNERS[2].store(forgotten([1_u8; 5000]) + 4000, SeqCst);
            OWNER.set(forgotten([1_u8; 40]) << 16 | 99);
            black_box(forgotten([1_u8; 48]));
        };
        assert_eq!(after(owned), [48]);
        // Through other blocks, also round in a circle; and a circle that nobody owns.
        let chained = || {
            let last = forgotten([0_usize; 2]);
            let middle = forgotten([last, 0, 0, 0]);
            // SAFETY: the block just made.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(last).write(middle) };
            OWNERS[0].store(middle, SeqCst);
            let lost = forgotten([0_usize; 3]);
            // SAFETY: the block just made.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(lost).write(lost) };
        };
        assert_eq!(after(chained), [24]);
        // A block that grew in its place is as large as it is now.
        let grown = || {
            let mut text = String::with_capacity(17);
            text.reserve_exact(30);
            std::mem::forget(black_box(text));
        };
        assert_eq!(after(grown), [30]);
    }
    process.end()
}

fn reuse() -> ! {
    let mut process = Process::start();
    for _ in 0..3 {
        process.run(|| {
            let (a, b) = (Box::new([1u64; 10]), Box::new([2u64; 10]));
            let (at_a, at_b) = ((&raw const *a).addr(), (&raw const *b).addr());
            drop(a);
            drop(b);
            let c = Box::new([3u64; 10]);
            let d = Box::new([4u64; 10]);
            assert_eq!((&raw const *c).addr(), at_b);
            assert_eq!((&raw const *d).addr(), at_a);
            drop(c);
            for size in [80usize, 5000, 300_000, 5_000_000] {
                let layout = Layout::from_size_align(size, 8).unwrap();
                // SAFETY: a block of `size` bytes, leaked.
                unsafe {
                    let block = alloc_zeroed(layout);
                    let bytes = std::slice::from_raw_parts_mut(block, size);
                    assert!(bytes.iter().all(|it| *it == 0), "{size}");
                    bytes.fill(0xff);
                }
            }
            // Memory never handed out before in this execution is zero even when nobody asks for that.
            let fresh = Vec::<u8>::with_capacity(100_000);
            // SAFETY: reads what the arena promises to be initialised.
            let bytes = unsafe { std::slice::from_raw_parts(fresh.as_ptr(), 100_000) };
            assert!(bytes.iter().all(|it| *it == 0));
        });
    }
    process.end()
}

pub(crate) fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn leak() -> ! {
    let mut process = Process::start();
    let mut before = 0;
    for round in 0..10_000 {
        process.run(|| {
            for _ in 0..10 {
                let mut block = Vec::<u8>::with_capacity(1_000_000);
                // One page in sixteen, or the test would take a minute.
                for at in (0..1_000_000).step_by(1 << 16) {
                    block.spare_capacity_mut()[at].write(1);
                }
                std::mem::forget(block);
            }
            assert!(arena::in_use().live_bytes >= 10_000_000);
        });
        if round == 100 {
            before = resident_bytes();
        }
    }
    let after = resident_bytes();
    assert!(after < before + (4 << 20), "{before} bytes, then {after}");
    process.end()
}

fn random() -> ! {
    let mut process = Process::start();
    for _ in 0..3 {
        let bytes = process.execution(
            || {
                let (mut a, mut b) = ([0u8; 20], [0u8; 7]);
                // SAFETY: places of that length.
                unsafe {
                    libc::getrandom(a.as_mut_ptr().cast(), a.len(), 0);
                    libc::syscall(libc::SYS_getrandom, b.as_mut_ptr(), b.len(), 0);
                }
                assert_ne!(a[..7], b);
                (a, b)
            },
            |bytes| format!("{bytes:?}"),
        );
        process.say(&bytes);
    }
    quit(0)
}

fn chatter() -> ! {
    let mut process = Process::start();
    let read = process.execution(
        || {
            for _ in 0..100_000 {
                println!("chatter on stdout");
                eprintln!("chatter on stderr");
            }
            std::io::stdin().read(&mut [0; 100]).unwrap()
        },
        |count| format!("read {count} bytes"),
    );
    process.say(&read);
    process.say("done");
    quit(0)
}

fn dies(body: impl FnOnce()) -> ! {
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

fn double_panic() {
    let _guard = PanicsInDrop;
    panic!("the first");
}

extern "C" fn c_panic() {
    panic!("through C");
}

fn touch(address: usize) {
    // SAFETY: none; the scenario.
    unsafe { std::ptr::with_exposed_provenance::<u8>(black_box(address)).read_volatile() };
}

#[inline(never)]
fn endless_loop() {
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

fn memory_limit() -> ! {
    let mut process = Process::prepared(|| arena::set_limit(64 << 20));
    process.run(hoard);
    process.end()
}

fn limit_hook() -> ! {
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

fn absurd_request() -> ! {
    let mut process = Process::start();
    process.run(|| {
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 45).is_err());
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 38).is_err());
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 20).is_ok());
    });
    process.end()
}

/// Not a test: `WALL_SCENARIO=cost` prints what isolation costs.
fn cost() -> ! {
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
