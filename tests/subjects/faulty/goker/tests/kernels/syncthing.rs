//! syncthing/syncthing.

use std::collections::BTreeSet;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use faulty_goker::{Context, MENDED, ms, run};
use tokio::select;
use tokio::sync::mpsc;

/// Addresses are removed under a write lock, and telling that reads it.
#[test]
fn syncthing_4829() {
    let mapping = RwLock::new(BTreeSet::new());
    let notify = || mapping.read().unwrap().len();
    thread::scope(|scope| {
        scope.spawn(|| mapping.write().unwrap().insert("address"));
        let mut addresses = mapping.write().unwrap();
        let any = !addresses.is_empty();
        addresses.clear();
        if any {
            if MENDED {
                drop(addresses);
            }
            assert_eq!(notify(), 0);
        }
    });
}

/// A message closes the connection, which waits for the loop in which messages are handled.
#[test]
fn syncthing_5795() {
    let (closing, closed, stopped) = (
        AtomicBool::new(false),
        Context::default(),
        Context::default(),
    );
    let (inbox, mut messages) = mpsc::channel(1);
    let close = |waits: bool| {
        if !closing.swap(true, SeqCst) {
            closed.cancel();
            if waits {
                run(stopped.done());
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            run(async {
                loop {
                    select! {
                        Some(()) = messages.recv() => close(!MENDED),
                        _ = closed.done() => break stopped.cancel(),
                    }
                }
            })
        });
        scope.spawn(|| {
            thread::sleep(ms(1));
            let _ = inbox.try_send(());
        });
        close(true);
    });
}
