//! Channels and barriers, which are made of loom's locks.

use std::collections::BTreeSet;
use std::sync::Mutex as Seen;

use contest::FindingKind;
use contest::sync::mpsc::{TryRecvError, TrySendError, channel, sync_channel};
use contest::sync::{Arc, Barrier, Mutex};
use contest::thread;

use super::{clean, found};

#[test]
fn a_receiver_hears_that_its_senders_are_gone() {
    clean(|| {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let thread = thread::spawn(move || other.send(1).unwrap());
        sender.send(2).unwrap();
        drop(sender);
        assert_eq!(receiver.iter().sum::<u32>(), 3);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        thread.join().unwrap();
    });
    let finding = found(|| {
        let (sender, receiver) = channel::<u32>();
        let kept = sender.clone();
        let thread = thread::spawn(move || drop(sender));
        assert!(receiver.recv().is_err());
        thread.join().unwrap();
        drop(kept);
    });
    assert_eq!(finding.kind, FindingKind::Deadlock, "{finding:?}");
}

#[test]
fn a_bounded_channel_holds_its_senders_back() {
    clean(|| {
        let (sender, receiver) = sync_channel(1);
        let thread = thread::spawn(move || (0..2).for_each(|it| sender.send(it).unwrap()));
        assert_eq!(receiver.into_iter().collect::<Vec<u32>>(), [0, 1]);
        thread.join().unwrap();
    });
    // There is room for the second one as soon as the first one was received.
    let seconds = Seen::new(BTreeSet::new());
    clean(|| {
        let (sender, receiver) = sync_channel(1);
        let thread = thread::spawn(move || {
            sender.try_send(1).unwrap();
            sender.try_send(2) != Err(TrySendError::Full(2))
        });
        assert_eq!(receiver.recv(), Ok(1));
        seconds.lock().unwrap().insert(thread.join().unwrap());
    });
    assert_eq!(seconds.into_inner().unwrap(), [false, true].into());
}

#[test]
fn without_room_a_message_is_handed_over() {
    clean(|| {
        let (sender, receiver) = sync_channel(0);
        let taken = Arc::new(Mutex::new(false));
        let theirs = Arc::clone(&taken);
        let thread = thread::spawn(move || {
            let taken = receiver.recv();
            *theirs.lock().unwrap() = true;
            taken
        });
        sender.send(7).unwrap();
        assert_eq!(thread.join().unwrap(), Ok(7));
        assert!(*taken.lock().unwrap());
    });
    // The receiver is dropped and has received nothing, so the sender gets its message back.
    let ends = Seen::new(BTreeSet::new());
    clean(|| {
        let (sender, receiver) = sync_channel(0);
        let thread = thread::spawn(move || drop(receiver));
        ends.lock().unwrap().insert(sender.send(7).is_ok());
        assert!(sender.try_send(8).is_err());
        thread.join().unwrap();
    });
    assert_eq!(ends.into_inner().unwrap(), [false].into());
}

#[test]
fn a_barrier_lets_all_go_on_together() {
    let leaders = Seen::new(BTreeSet::new());
    clean(|| {
        let barrier = Arc::new(Barrier::new(2));
        let theirs = Arc::clone(&barrier);
        let thread = thread::spawn(move || theirs.wait().is_leader());
        let mine = barrier.wait().is_leader();
        let theirs = thread.join().unwrap();
        assert_ne!(mine, theirs);
        leaders.lock().unwrap().insert(mine);
    });
    assert_eq!(leaders.into_inner().unwrap(), [false, true].into());
    let finding = found(|| {
        let barrier = Arc::new(Barrier::new(3));
        let theirs = Arc::clone(&barrier);
        let thread = thread::spawn(move || theirs.wait().is_leader());
        barrier.wait();
        thread.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock, "{finding:?}");
}
