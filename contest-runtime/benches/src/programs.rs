//! The programs, one text for all libraries.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Executions begun in this process. Outside every model: a real atomic.
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

/// How often a program has run in this process.
pub(crate) fn executions() -> u64 {
    EXECUTIONS.load(Relaxed)
}

fn begins() {
    // Not an addition in one step: that would cost more than an execution may. Only threads of the operating system
    // could lose one.
    EXECUTIONS.store(EXECUTIONS.load(Relaxed) + 1, Relaxed);
}

/// A program by name.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) run: fn(),
}

/// Names, and what each program does.
pub(crate) const PROGRAMS: [(&str, &str); 11] = [
    ("z", "nothing"),
    ("y", "2 empty threads"),
    ("a", "2 threads, each one increment under a mutex"),
    ("b", "2 threads, each twice a load and a store"),
    ("c", "3 threads, each a load and a store"),
    ("d", "one item handed over, mutex and condvar"),
    ("e", "2 threads, each push and pop of a Treiber stack"),
    ("f", "2 threads, check-then-act on a map under a mutex"),
    ("l", "as b, 100 times each"),
    (
        "m",
        "3 threads, a message passed on: relaxed data, release and acquire flags",
    ),
    (
        "r",
        "4 threads, two write, two read both in opposite orders: release and acquire",
    ),
];

macro_rules! programs {
    ($library:ident: $thread:path, $Mutex:path, $Condvar:path, $AtomicUsize:path) => {
        pub(crate) mod $library {
            use std::collections::HashMap;
            use std::sync::Arc;
            use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

            use $AtomicUsize as AtomicUsize;
            use $Condvar as Condvar;
            use $Mutex as Mutex;
            use $thread as thread;

            use super::{Program, begins};

            pub(crate) const ALL: [Program; 11] = [
                Program {
                    name: "z",
                    run: nothing,
                },
                Program {
                    name: "y",
                    run: empty_threads,
                },
                Program {
                    name: "a",
                    run: locked_increments,
                },
                Program {
                    name: "b",
                    run: lost_updates::<2, 2>,
                },
                Program {
                    name: "c",
                    run: lost_updates::<3, 1>,
                },
                Program {
                    name: "d",
                    run: handover,
                },
                Program {
                    name: "e",
                    run: treiber_stack,
                },
                Program {
                    name: "f",
                    run: check_then_act,
                },
                Program {
                    name: "l",
                    run: lost_updates::<2, 100>,
                },
                Program {
                    name: "m",
                    run: message_passed_on,
                },
                Program {
                    name: "r",
                    run: independent_reads,
                },
            ];

            fn nothing() {
                begins();
            }

            fn empty_threads() {
                begins();
                let threads = [(); 2].map(|()| thread::spawn(|| {}));
                for thread in threads {
                    thread.join().unwrap();
                }
            }

            fn locked_increments() {
                begins();
                let total = Arc::new(Mutex::new(0));
                let threads = [(); 2].map(|()| {
                    let total = Arc::clone(&total);
                    thread::spawn(move || *total.lock().unwrap() += 1)
                });
                for thread in threads {
                    thread.join().unwrap();
                }
                assert_eq!(*total.lock().unwrap(), 2);
            }

            pub(crate) fn lost_updates_of(rounds: usize) {
                increments::<2>(rounds);
            }

            fn lost_updates<const THREADS: usize, const ROUNDS: usize>() {
                increments::<THREADS>(ROUNDS);
            }

            fn increments<const THREADS: usize>(rounds: usize) {
                begins();
                let number = Arc::new(AtomicUsize::new(0));
                let threads = [(); THREADS].map(|()| {
                    let number = Arc::clone(&number);
                    thread::spawn(move || {
                        for _ in 0..rounds {
                            let before = number.load(SeqCst);
                            number.store(before + 1, SeqCst);
                        }
                    })
                });
                for thread in threads {
                    thread.join().unwrap();
                }
                assert_ne!(number.load(SeqCst), 0);
            }

            fn handover() {
                begins();
                let slot = Arc::new((Mutex::new(None), Condvar::new()));
                let theirs = Arc::clone(&slot);
                let producer = thread::spawn(move || {
                    *theirs.0.lock().unwrap() = Some(1);
                    theirs.1.notify_one();
                });
                let theirs = Arc::clone(&slot);
                let consumer = thread::spawn(move || {
                    let mut item = theirs.0.lock().unwrap();
                    while item.is_none() {
                        item = theirs.1.wait(item).unwrap();
                    }
                    item.take()
                });
                producer.join().unwrap();
                assert_eq!(consumer.join().unwrap(), Some(1));
            }

            /// Nodes are numbers from 1; what comes after each is plain data that the exchange of the head hands over.
            struct Stack {
                head: AtomicUsize,
                next: [std::sync::atomic::AtomicUsize; 3],
            }

            impl Stack {
                fn push(&self, node: usize) {
                    let mut head = self.head.load(SeqCst);
                    loop {
                        self.next[node].store(head, Relaxed);
                        match self.head.compare_exchange(head, node, SeqCst, SeqCst) {
                            Ok(_) => return,
                            Err(now) => head = now,
                        }
                    }
                }

                fn pop(&self) -> usize {
                    let mut head = self.head.load(SeqCst);
                    while head != 0 {
                        let next = self.next[head].load(Relaxed);
                        match self.head.compare_exchange(head, next, SeqCst, SeqCst) {
                            Ok(_) => return head,
                            Err(now) => head = now,
                        }
                    }
                    0
                }
            }

            fn treiber_stack() {
                begins();
                let stack = Arc::new(Stack {
                    head: AtomicUsize::new(0),
                    next: Default::default(),
                });
                let threads = [1, 2].map(|node| {
                    let stack = Arc::clone(&stack);
                    thread::spawn(move || {
                        stack.push(node);
                        stack.pop()
                    })
                });
                let [first, second] = threads.map(|thread| thread.join().unwrap());
                assert_eq!(first + second, 3);
            }

            fn message_passed_on() {
                begins();
                let shared = Arc::new([(); 3].map(|()| AtomicUsize::new(0)));
                let first = Arc::clone(&shared);
                let second = Arc::clone(&shared);
                let threads = [
                    thread::spawn(move || {
                        first[0].store(1, Relaxed);
                        first[1].store(1, Release);
                    }),
                    thread::spawn(move || {
                        if second[1].load(Acquire) == 1 {
                            second[2].store(1, Release);
                        }
                    }),
                    thread::spawn(move || {
                        if shared[2].load(Acquire) == 1 {
                            assert_eq!(shared[0].load(Relaxed), 1);
                        }
                    }),
                ];
                for thread in threads {
                    thread.join().unwrap();
                }
            }

            fn independent_reads() {
                begins();
                let shared = Arc::new([(); 2].map(|()| AtomicUsize::new(0)));
                let writers = [0, 1].map(|own| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || shared[own].store(1, Release))
                });
                let readers = [0, 1].map(|first| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || {
                        shared[first].load(Acquire);
                        shared[1 - first].load(Acquire);
                    })
                });
                for thread in writers.into_iter().chain(readers) {
                    thread.join().unwrap();
                }
            }

            fn check_then_act() {
                begins();
                let map = Arc::new(Mutex::new(HashMap::new()));
                let threads = [10, 20].map(|value| {
                    let map = Arc::clone(&map);
                    thread::spawn(move || {
                        let known = map.lock().unwrap().contains_key("key");
                        if !known {
                            map.lock().unwrap().insert("key", value);
                        }
                    })
                });
                for thread in threads {
                    thread.join().unwrap();
                }
            }
        }
    };
}

programs!(ours: contest::thread, contest::sync::Mutex, contest::sync::Condvar, contest::sync::atomic::AtomicUsize);
programs!(loom: ::loom::thread, ::loom::sync::Mutex, ::loom::sync::Condvar, ::loom::sync::atomic::AtomicUsize);
programs!(shuttle: ::shuttle::thread, ::shuttle::sync::Mutex, ::shuttle::sync::Condvar, ::shuttle::sync::atomic::AtomicUsize);
programs!(threads: std::thread, std::sync::Mutex, std::sync::Condvar, std::sync::atomic::AtomicUsize);
