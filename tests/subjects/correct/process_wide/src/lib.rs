//! What `std` has once for the process, or for a thread of the system: one test for each row of the table in the
//! documentation of the drop-in types.

#[cfg(test)]
mod tests {
    use std::backtrace::Backtrace;
    use std::cell::Cell;
    use std::collections::HashSet;
    use std::hash::{BuildHasher, RandomState};
    use std::io::{BufRead, Read, Write};
    use std::net::ToSocketAddrs;
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Arc, LazyLock, Mutex, Once, OnceLock};
    use std::thread;

    /// Has two threads do this.
    fn twice<R: Send + 'static>(f: impl Fn() -> R + Send + Sync + 'static) -> (R, R) {
        let one = Arc::new(f);
        let other = one.clone();
        let thread = thread::spawn(move || other());
        let result = one();
        (result, thread.join().unwrap())
    }

    #[test]
    fn standard_output() {
        twice(|| {
            let mut out = std::io::stdout().lock();
            out.write_all(b"a line\n").unwrap();
            println!("another one");
        });
    }

    #[test]
    fn standard_error() {
        twice(|| {
            let mut err = std::io::stderr().lock();
            writeln!(err, "a line").unwrap();
            eprintln!("another one");
        });
    }

    #[test]
    fn standard_input() {
        twice(|| {
            let lines = std::io::stdin().lock().lines().count();
            let mut rest = String::new();
            std::io::stdin().lock().read_to_string(&mut rest).unwrap();
            (lines, rest.len())
        });
    }

    #[test]
    fn panic_hook() {
        twice(|| {
            let hook = take_hook();
            set_hook(Box::new(|_| ()));
            assert!(catch_unwind(|| panic!("caught")).is_err());
            set_hook(hook);
        });
    }

    #[test]
    fn a_hook_that_locks() {
        let seen = Arc::new(Mutex::new(0));
        let of_hook = seen.clone();
        set_hook(Box::new(move |_| *of_hook.lock().unwrap() += 1));
        twice(|| assert!(catch_unwind(|| panic!("caught")).is_err()));
        let _ = take_hook();
        assert_eq!(*seen.lock().unwrap(), 2);
    }

    #[test]
    fn backtraces() {
        twice(|| {
            let trace = Backtrace::force_capture();
            assert!(!trace.to_string().is_empty());
        });
    }

    #[test]
    fn environment() {
        twice(|| {
            std::env::set_var("CONTEST_PROCESS_WIDE", "set");
            std::env::var("CONTEST_PROCESS_WIDE").unwrap();
            std::env::vars_os().count()
        });
    }

    #[test]
    fn current_thread() {
        let (one, two) = twice(|| thread::current().id());
        assert_ne!(one, two);
        let named = thread::Builder::new().name("named".to_owned());
        let name = named.spawn(|| thread::current().name().map(str::to_owned));
        assert_eq!(name.unwrap().join().unwrap().as_deref(), Some("named"));
    }

    #[test]
    fn statics_of_std() {
        static ONCE: Once = Once::new();
        static LOCK: OnceLock<u32> = OnceLock::new();
        static LAZY: LazyLock<u32> = LazyLock::new(|| 3);
        static CALLS: AtomicU32 = AtomicU32::new(0);
        twice(|| {
            ONCE.call_once(|| {
                CALLS.fetch_add(1, SeqCst);
            });
            assert_eq!((*LOCK.get_or_init(|| 2), *LAZY), (2, 3));
        });
        assert_eq!(CALLS.load(SeqCst), 1);
    }

    #[test]
    fn available_parallelism() {
        let (one, two) = twice(|| thread::available_parallelism().unwrap());
        assert_eq!(one, two);
    }

    #[test]
    fn resolver() {
        twice(|| assert!(("127.0.0.1", 80).to_socket_addrs().unwrap().count() > 0));
    }

    #[test]
    fn processes() {
        twice(|| assert!(Command::new("true").status().unwrap().success()));
    }

    #[test]
    fn allocator() {
        let (one, two) = twice(|| vec![1; 1000]);
        assert_eq!(one, two);
    }

    #[test]
    fn thread_locals() {
        static DROPPED: AtomicU32 = AtomicU32::new(0);
        struct Counted(Cell<u32>);
        impl Drop for Counted {
            fn drop(&mut self) {
                DROPPED.fetch_add(self.0.get(), SeqCst);
            }
        }
        thread_local! {
            static COUNTED: Counted = const { Counted(Cell::new(0)) };
        }
        let count = || COUNTED.with(|it| it.0.set(it.0.get() + 1));
        let threads = [thread::spawn(count), thread::spawn(count)];
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(DROPPED.load(SeqCst), 2);
    }

    #[test]
    fn hash_seeds() {
        let (one, two) = twice(|| RandomState::new().hash_one(1));
        assert_eq!(HashSet::from([one, two]).is_empty(), false);
    }

    #[test]
    fn panics_of_threads() {
        let (one, two) = twice(|| {
            let caught = catch_unwind(|| panic!("caught"));
            (caught.is_err(), thread::panicking())
        });
        assert_eq!((one, two), ((true, false), (true, false)));
    }
}
