//! gohugoio/hugo.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::sync_channel;
use std::thread;

use faulty_goker::{MENDED, lock};

/// Who waits for the lock of one address has the lock of all, which is taken to give the other one up.
#[test]
fn hugo_3251() {
    let addresses = Mutex::new(0);
    let (take, give) = sync_channel(1);
    let give = Mutex::new(give);
    let get = || {
        let mut known = lock(&addresses);
        *known += 1;
        if MENDED {
            drop(known);
            take.send(()).unwrap();
        } else {
            take.send(()).unwrap();
            drop(known);
        }
        drop(lock(&addresses));
        lock(&give).recv().unwrap();
    };
    thread::scope(|scope| {
        scope.spawn(get);
        get();
    });
}

/// Contents are made under a lock, and a short code in them asks for the contents.
#[test]
fn hugo_5379() {
    let (contents, short_code) = (Mutex::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| short_code.store(true, SeqCst));
        let mut words = lock(&contents);
        *words += 1;
        if short_code.load(SeqCst) {
            if MENDED {
                drop(words);
            }
            assert_eq!(*lock(&contents), 1);
        }
    });
}
