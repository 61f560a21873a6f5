//! Scenarios under the engine, with code that is not instrumented: the real `std`, which ends up at the replaced
//! symbols.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::{Engine, active};
use contest_engine::memory::Isolation;
use contest_search::explore::Dfs;

use crate::blocks::resident_bytes;
use crate::deaths::{endless_recursion, hoard};
use crate::scenarios::{Process, quit};

pub(crate) fn engine() -> Engine {
    Engine::new(Limits {
        forget_unfinished: true,
        ..Limits::default()
    })
}

/// Runs every interleaving of `body`; returns how many there were.
pub(crate) fn explore(
    process: &mut Process,
    engine: &mut Engine,
    body: impl Fn() + Copy,
    mut look: impl FnMut(&ExecutionRecord),
) -> u32 {
    let mut dfs = Dfs::new(Some(2));
    let mut executions = 0;
    while dfs.begin() {
        process.isolation.begin();
        let record = engine.run(&mut dfs, body);
        look(record);
        dfs.end(record);
        process.isolation.end();
        executions += 1;
        assert!(executions < 200_000, "no end of it");
    }
    executions
}

pub(crate) fn spawn(body: impl FnOnce() + 'static) -> impl FnOnce() {
    let thread = active().unwrap().spawn_owned(None, body);
    move || active().unwrap().join(thread)
}

/// Each of two threads allocates blocks between visible operations: where they are does not depend on the other one.
pub(crate) fn own_addresses() -> ! {
    static SEEN: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
    let allocate = |thread: usize| {
        spawn(move || {
            for block in 0..4 {
                step();
                let own = Box::new([thread; 20]);
                let address = (&raw const *own).addr() as u64;
                SEEN[thread * 4 + block].store(address, SeqCst);
                std::mem::forget(own);
            }
        })
    };
    let body = || {
        let threads = [allocate(0), allocate(1)];
        threads.into_iter().for_each(|join| join());
    };
    let mut process = Process::start();
    let mut engine = engine();
    let mut first = None;
    let executions = explore(&mut process, &mut engine, body, |_| {
        let seen = SEEN.each_ref().map(|it| it.load(SeqCst));
        assert_eq!(*first.get_or_insert(seen), seen);
    });
    assert!(executions > 10, "{executions}");
    process.end()
}

/// A visible operation, at which the other thread may go on.
fn step() {
    active().unwrap().fence(SeqCst);
}

pub(crate) fn virtual_time() -> ! {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    let mut process = Process::start();
    let mut engine = engine();
    for _ in 0..4 {
        let begin = Instant::now();
        let mut lines = String::new();
        explore(
            &mut process,
            &mut engine,
            || {
                let (instant, system) = (Instant::now(), SystemTime::now());
                std::thread::sleep(Duration::from_secs(3600));
                std::thread::yield_now();
                let slept = instant.elapsed();
                assert!(slept >= Duration::from_secs(3600) && slept < Duration::from_secs(3601));
                let calendar = system.duration_since(UNIX_EPOCH).unwrap();
                assert_eq!(calendar.as_secs(), 1_715_774_400);
                // Going back from now is possible, as on a machine that has been up for a while.
                assert!(instant.checked_sub(Duration::from_secs(86_400)).is_some());
                SEEN.store(slept.as_nanos() as u64, SeqCst);
            },
            |record| {
                assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics);
                let seconds = SEEN.load(SeqCst) / 1_000_000_000;
                lines = format!("2024-05-15 + {seconds} s, {} ns", SEEN.load(SeqCst));
            },
        );
        assert!(begin.elapsed() < Duration::from_secs(60));
        process.say(&lines);
    }
    quit(0)
}

pub(crate) fn real_time() -> ! {
    let process = Process::start();
    let (instant, system) = (Instant::now(), SystemTime::now());
    std::thread::sleep(Duration::from_millis(20));
    let elapsed = instant.elapsed();
    assert!(elapsed >= Duration::from_millis(20) && elapsed < Duration::from_secs(60));
    // Later than this line was written.
    assert!(system.duration_since(UNIX_EPOCH).unwrap().as_secs() > 1_750_000_000);
    // Real threads of the tool wait in the real kernel.
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        *other.0.lock().unwrap() = true;
        other.1.notify_all();
    });
    let guard = pair
        .1
        .wait_while(pair.0.lock().unwrap(), |it| !*it)
        .unwrap();
    assert!(*guard);
    drop(guard);
    thread.join().unwrap();
    process.end()
}

pub(crate) fn futex_mutex() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    let mut waited = 0;
    let executions = explore(
        &mut process,
        &mut engine,
        || {
            let counter = Arc::new(Mutex::new(0));
            let threads = [(); 2].map(|()| {
                let counter = Arc::clone(&counter);
                spawn(move || {
                    let mut guard = counter.lock().unwrap();
                    let before = *guard;
                    step();
                    *guard = before + 1;
                })
            });
            for join in threads {
                join();
            }
            assert_eq!(*counter.lock().unwrap(), 2);
        },
        |record| {
            assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics);
            waited += u32::from(record.events.iter().any(|event| event.name == "futex_wait"));
        },
    );
    // Some interleavings have a thread find the lock taken, some do not.
    assert!(
        waited > 0 && waited < executions,
        "{waited} of {executions}"
    );
    process.end()
}

pub(crate) fn futex_deadlock() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    let (mut deadlocks, mut finished) = (0, 0);
    explore(
        &mut process,
        &mut engine,
        || {
            let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
            let other = Arc::clone(&locks);
            let join = spawn(move || {
                let first = other.1.lock().unwrap();
                step();
                drop((other.0.lock().unwrap(), first));
            });
            let first = locks.0.lock().unwrap();
            step();
            drop((locks.1.lock().unwrap(), first));
            join();
        },
        |record| match &record.ending {
            Ending::Finished => finished += 1,
            Ending::Deadlock(threads) => {
                assert_eq!(threads.len(), 2);
                deadlocks += 1;
            }
            other => panic!("{other:?}"),
        },
    );
    assert!(deadlocks > 0 && finished > 0);
    process.end()
}

pub(crate) fn futex_timeout() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    explore(
        &mut process,
        &mut engine,
        || {
            let pair = (Mutex::new(()), Condvar::new());
            let begin = Instant::now();
            let guard = pair.0.lock().unwrap();
            let (_guard, result) = pair.1.wait_timeout(guard, Duration::from_secs(60)).unwrap();
            assert!(result.timed_out());
            assert!(begin.elapsed() >= Duration::from_secs(60));

            // The bare system call: relative time, a word that has changed, no thread to wake.
            let word = AtomicU32::new(1);
            let wait = |expected: u32, seconds: i64| {
                let time = libc::timespec {
                    tv_sec: seconds,
                    tv_nsec: 0,
                };
                // SAFETY: a word and a time of our own.
                let result = unsafe {
                    libc::syscall(
                        libc::SYS_futex,
                        word.as_ptr(),
                        libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                        expected,
                        &raw const time,
                    )
                };
                (result, std::io::Error::last_os_error().raw_os_error())
            };
            assert_eq!(wait(1, 5), (-1, Some(libc::ETIMEDOUT)));
            assert_eq!(wait(2, 5), (-1, Some(libc::EAGAIN)));
            assert_eq!(wait(1, -5), (-1, Some(libc::EINVAL)));
            // SAFETY: a word of our own.
            let woken =
                unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
            assert_eq!(woken, 0);
            // Other system calls still get through, errors included.
            // SAFETY: touches no memory.
            unsafe {
                assert_eq!(libc::syscall(libc::SYS_getpid), i64::from(libc::getpid()));
                assert_eq!(libc::syscall(libc::SYS_close, -1), -1);
                assert_eq!(*libc::__errno_location(), libc::EBADF);
            }
        },
        |record| assert_eq!(record.ending, Ending::Finished, "{:?}", record.panics),
    );
    process.end()
}

pub(crate) fn memory_limit() -> ! {
    let mut process = Process::prepared(|| contest_engine::memory::arena::set_limit(64 << 20));
    let mut engine = engine();
    for _ in 0..10 {
        explore(
            &mut process,
            &mut engine,
            || {
                let kept = vec![1u8; 1000];
                step();
                hoard();
                drop(kept);
            },
            |record| assert_eq!(record.ending, Ending::MemoryLimit(64 << 20)),
        );
        explore(
            &mut process,
            &mut engine,
            || assert!(vec![0u8; 1 << 20].iter().all(|it| *it == 0)),
            |record| assert_eq!(record.ending, Ending::Finished),
        );
    }
    process.end()
}

pub(crate) fn unfinished() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    let mut before = 0;
    for round in 0..20_000 {
        explore(
            &mut process,
            &mut engine,
            || {
                let big = vec![1u8; 20_000];
                let lock = Arc::new(Mutex::new(big));
                let other = Arc::clone(&lock);
                let join = spawn(move || drop(other.lock().unwrap()));
                let _guard = lock.lock().unwrap();
                join();
            },
            |record| assert!(matches!(record.ending, Ending::Deadlock(_))),
        );
        if round == 1000 {
            before = resident_bytes();
        }
    }
    let after = resident_bytes();
    assert!(after < before + (2 << 20), "{before} bytes, then {after}");
    process.end()
}

pub(crate) fn stack_overflow() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    explore(
        &mut process,
        &mut engine,
        || {
            let join = spawn(|| {
                step();
                endless_recursion(1);
            });
            step();
            join();
        },
        |_| (),
    );
    process.end()
}

pub(crate) fn panic() -> ! {
    let mut process = Process::start();
    let mut engine = engine();
    let mut text = String::new();
    explore(
        &mut process,
        &mut engine,
        || panic!("boom {}", 42),
        |record| match &record.ending {
            Ending::Panicked(panic) => text = format!("engine: {}", panic.message),
            other => panic!("{other:?}"),
        },
    );
    process.say(&text);
    process.end()
}
