//! `basic/mpsc.rs`: order, bounds, rendezvous, ends.

use std::collections::BTreeSet;

use contest::FindingKind;
use contest::sync::mpsc::{RecvError, TryRecvError, TrySendError, channel, sync_channel};
use contest::thread;

use super::{failure, outcomes};

#[test]
fn messages_of_one_sender_keep_their_order_and_those_of_two_mix() {
    let orders = outcomes(|| {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let thread =
            thread::spawn(move || (1..=2).for_each(|message| other.send(message).unwrap()));
        sender.send(10).unwrap();
        drop(sender);
        thread.join().unwrap();
        receiver.iter().collect::<Vec<i32>>()
    });
    assert_eq!(
        orders,
        BTreeSet::from([vec![10, 1, 2], vec![1, 10, 2], vec![1, 2, 10]])
    );
}

#[test]
fn a_receiver_sees_the_end_after_the_last_message() {
    outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv(), Ok(1));
        assert_eq!(receiver.recv(), Err(RecvError));
        thread.join().unwrap();
    });
}

#[test]
fn a_send_fails_exactly_if_the_receiver_is_gone() {
    let sent = outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || drop(receiver));
        let sent = sender.send(()).is_ok();
        thread.join().unwrap();
        sent
    });
    assert_eq!(sent, BTreeSet::from([false, true]));
}

#[test]
fn a_full_channel_makes_the_sender_wait() {
    let model = |receives: usize| {
        move || {
            let (sender, receiver) = sync_channel(1);
            let thread =
                thread::spawn(move || (0..2).for_each(|number| sender.send(number).unwrap()));
            for number in 0..receives {
                assert_eq!(receiver.recv(), Ok(number));
            }
            // Kept until the end: the sender must not find the channel closed.
            thread.join().unwrap();
            drop(receiver);
        }
    };
    outcomes(model(1));
    outcomes(model(2));
    let finding = failure(model(0));
    assert_eq!(finding.kind, FindingKind::Deadlock);
}

#[test]
fn a_rendezvous_ends_when_the_message_is_taken() {
    let model = |receives: bool| {
        move || {
            let (sender, receiver) = sync_channel(0);
            let thread = thread::spawn(move || sender.send(1));
            if receives {
                assert_eq!(receiver.recv(), Ok(1));
            }
            assert!(thread.join().unwrap().is_ok());
            drop(receiver);
        }
    };
    outcomes(model(true));
    assert_eq!(failure(model(false)).kind, FindingKind::Deadlock);
}

#[test]
fn try_recv_says_empty_while_senders_live_and_closed_after() {
    let seen = outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        let first = receiver.try_recv();
        thread.join().unwrap();
        let second = receiver.try_recv();
        (
            first.is_ok(),
            second.is_ok(),
            second == Err(TryRecvError::Disconnected),
        )
    });
    assert_eq!(
        seen,
        BTreeSet::from([(true, false, true), (false, true, false)])
    );
}

#[test]
fn try_send_says_full_and_gives_the_message_back() {
    let seen = outcomes(|| {
        let (sender, receiver) = sync_channel(1);
        sender.send(1).unwrap();
        let thread = thread::spawn(move || receiver.recv().unwrap());
        let second = sender.try_send(2);
        thread.join().unwrap();
        match second {
            Ok(()) => 0,
            Err(TrySendError::Full(message)) => message,
            Err(TrySendError::Disconnected(message)) => 10 * message,
        }
    });
    assert_eq!(seen, BTreeSet::from([0, 2, 20]));
}

#[test]
fn messages_that_are_not_received_are_dropped_with_the_channel() {
    outcomes(|| {
        let message = std::sync::Arc::new(());
        let (sender, receiver) = channel();
        let theirs = std::sync::Arc::clone(&message);
        let thread = thread::spawn(move || drop(sender.send(theirs)));
        drop(receiver);
        thread.join().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&message), 1);
    });
}
