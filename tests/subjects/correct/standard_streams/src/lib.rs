//! The locks of standard output and standard error, in all the ways in which they are held.

use std::cell::UnsafeCell;
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

/// Writes lines under the locks of the streams.
#[derive(Default)]
pub struct Log {
    lines: AtomicU32,
}

impl Log {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn note(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes());
        self.lines.fetch_add(1, SeqCst);
    }

    pub fn warn(&self, text: &str) {
        let mut out = std::io::stderr().lock();
        let _ = writeln!(out, "{text}");
        self.lines.fetch_add(1, SeqCst);
    }

    pub fn lines(&self) -> u32 {
        self.lines.load(SeqCst)
    }
}

/// A number that is changed under the lock of standard output only.
#[derive(Default)]
pub struct Guarded {
    number: UnsafeCell<u32>,
}

// SAFETY: the number is used under the lock of standard output only.
unsafe impl Sync for Guarded {}

impl Guarded {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn next(&self) -> u32 {
        let _out = std::io::stdout().lock();
        // SAFETY: the lock is held.
        unsafe {
            *self.number.get() += 1;
            *self.number.get()
        }
    }

    /// Takes the lock again while it is held, as `println!` beside a guard does.
    pub fn print_next(&self) -> u32 {
        let mut out = std::io::stdout().lock();
        println!("next");
        let _ = writeln!(out, "comes");
        // SAFETY: the lock is held.
        unsafe {
            *self.number.get() += 1;
            *self.number.get()
        }
    }
}

/// What is printed takes a lock while the stream is held.
#[derive(Default)]
pub struct Shown {
    number: Mutex<u32>,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = self.number.lock().unwrap();
        *number += 1;
        write!(f, "{number}")
    }
}

impl Shown {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn show(&self) {
        println!("{self}");
    }

    pub fn complain(&self) {
        eprintln!("{self}");
    }

    pub fn get(&self) -> u32 {
        *self.number.lock().unwrap()
    }
}

/// Prints while it holds a lock of its own.
#[derive(Default)]
pub struct Told {
    number: Mutex<u32>,
}

impl Told {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn tell(&self) -> u32 {
        let mut number = self.number.lock().unwrap();
        *number += 1;
        println!("{number}");
        *number
    }

    pub fn add(&self) {
        let mut number = self.number.lock().unwrap();
        eprint!("{number}");
        *number += 1;
    }
}

/// A panic that gives the stream back while it unwinds.
#[derive(Default)]
pub struct Careful {
    lines: AtomicU32,
}

impl Careful {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn print(&self) -> u32 {
        let caught = std::panic::catch_unwind(|| {
            let _out = std::io::stderr().lock();
            eprintln!("about to panic");
            panic!("in the middle of a line");
        });
        assert!(caught.is_err());
        let mut out = std::io::stderr().lock();
        let _ = writeln!(out, "after it");
        self.lines.fetch_add(1, SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn lines_of_two_threads() {
        let log = Arc::new(Log::new());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let log = log.clone();
                thread::spawn(move || {
                    log.note("a line\n");
                    println!("another one");
                    log.warn("and one more");
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(log.lines(), 4);
    }

    #[test]
    fn a_held_stream_lets_nobody_in() {
        let guarded = Arc::new(Guarded::new());
        let other = guarded.clone();
        let thread = thread::spawn(move || other.print_next());
        let (one, two) = (guarded.next(), thread.join().unwrap());
        assert_eq!(one + two, 3);
    }

    #[test]
    fn both_streams_beside_a_mutex() {
        let shown = Arc::new(Shown::new());
        let other = shown.clone();
        let thread = thread::spawn(move || other.show());
        shown.complain();
        thread.join().unwrap();
        assert_eq!(shown.get(), 2);
    }
}
