//! What every execution finds as it was: statics, thread-locals, memory of the startup, environment variables, random
//! bytes.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, OnceLock};

use crate::scenarios::{Process, contest_arena_contains, quit};

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

pub(crate) fn statics() -> ! {
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

pub(crate) fn startup_heap() -> ! {
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

pub(crate) fn environment() -> ! {
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

pub(crate) fn process_state() -> ! {
    extern "C" fn ignore(_: libc::c_int) {}
    let mut process = Process::start();
    let before = std::env::current_dir().unwrap();
    assert_ne!(before.as_os_str(), "/");
    for _ in 0..3 {
        process.run(|| {
            assert_eq!(std::env::current_dir().unwrap(), before);
            std::env::set_current_dir("/").unwrap();
            // SAFETY: a handler that does nothing.
            unsafe {
                let handler = ignore as *const () as libc::sighandler_t;
                assert_ne!(libc::signal(libc::SIGABRT, handler), handler);
                let mut action: libc::sigaction = std::mem::zeroed();
                let none = std::ptr::null_mut();
                assert_eq!(libc::sigaction(libc::SIGSEGV, none, &raw mut action), 0);
                assert_ne!(action.sa_sigaction, handler);
                action.sa_sigaction = handler;
                assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const action, none), 0);
            }
        });
    }
    assert_eq!(std::env::current_dir().unwrap(), before);
    process.end()
}

pub(crate) fn random() -> ! {
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
