//! Programs that fail in every schedule: what is tested is that this is seen at once.

use std::sync::Arc;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use super::{Program, asserts, deadlocks, run_all};

pub(super) const PROGRAMS: [Program; 8] = [
    deadlocks("phase01", phase01),
    asserts("fsbench", fsbench),
    asserts("din_phil2", || philosophers(2)),
    asserts("din_phil3", || philosophers(3)),
    asserts("din_phil4", || philosophers(4)),
    asserts("din_phil5", || philosophers(5)),
    asserts("din_phil6", || philosophers(6)),
    asserts("din_phil7", || philosophers(7)),
];

/// A lock that is never given back.
fn phase01() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let body = |locks: Arc<(Mutex<()>, Mutex<()>)>| {
        move || {
            drop(locks.0.lock().unwrap());
            std::mem::forget(locks.0.lock().unwrap());
            drop(locks.1.lock().unwrap());
            drop(locks.1.lock().unwrap());
        }
    };
    run_all(vec![
        Box::new(body(Arc::clone(&locks))),
        Box::new(body(locks)),
    ]);
}

/// 27 threads, and locks for 26.
fn fsbench() {
    const BLOCKS: usize = 26;
    struct Disk {
        inode_locks: Vec<Mutex<usize>>,
        block_locks: Vec<Mutex<bool>>,
    }
    let disk = Arc::new(Disk {
        inode_locks: (0..BLOCKS).map(|_| Mutex::new(0)).collect(),
        block_locks: (0..BLOCKS).map(|_| Mutex::new(false)).collect(),
    });
    let body = |thread: usize| -> Box<dyn FnOnce() + Send> {
        let disk = Arc::clone(&disk);
        Box::new(move || {
            let mut inode = disk.inode_locks[thread % 32].lock().unwrap();
            if *inode == 0 {
                let first = thread * 2 % BLOCKS;
                for block in (0..BLOCKS / 2).map(|block| (first + block) % BLOCKS) {
                    let mut busy = disk.block_locks[block].lock().unwrap();
                    if !*busy {
                        *busy = true;
                        *inode = block + 1;
                        break;
                    }
                }
            }
        })
    };
    run_all((0..=BLOCKS).map(body).collect());
}

/// The forks are taken under one more lock, so there is no deadlock; the assertion is that not all philosophers get to
/// eat. They race for the count, so that some schedules hide it.
fn philosophers(number: usize) {
    struct Table {
        forks: Vec<Mutex<()>>,
        waiter: Mutex<()>,
        eaten: AtomicUsize,
    }
    let table = Arc::new(Table {
        forks: (0..number).map(|_| Mutex::new(())).collect(),
        waiter: Mutex::new(()),
        eaten: AtomicUsize::new(0),
    });
    let body = |left: usize| -> Box<dyn FnOnce() + Send> {
        let table = Arc::clone(&table);
        Box::new(move || {
            {
                let _waiter = table.waiter.lock().unwrap();
                let _right = table.forks[(left + 1) % number].lock().unwrap();
                let _left = table.forks[left].lock().unwrap();
            }
            let eaten = table.eaten.load(SeqCst) + 1;
            table.eaten.store(eaten, SeqCst);
            assert_ne!(table.eaten.load(SeqCst), number);
        })
    };
    run_all((0..number).map(body).collect());
}
