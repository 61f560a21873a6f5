//! Channels inside executions.

use std::time::Duration;

use contest::sync::mpsc::{
    RecvTimeoutError, SendError, TryRecvError, TrySendError, channel, sync_channel,
};
use contest::sync::{Arc, Mutex};
use contest::thread;

use super::{endings, results, set, text_set};

#[test]
fn messages_of_one_sender_keep_their_order() {
    let seen = results(|| {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let first = thread::spawn(move || [1, 2].map(|number| sender.send(number).unwrap()));
        let second = thread::spawn(move || other.send(10).unwrap());
        let all: Vec<u32> = receiver.iter().collect();
        first.join().unwrap();
        second.join().unwrap();
        all
    });
    assert_eq!(seen, set([vec![1, 2, 10], vec![1, 10, 2], vec![10, 1, 2]]));
}

#[test]
fn the_receiver_learns_that_the_last_of_several_senders_is_gone() {
    let seen = endings(|| {
        let (sender, receiver) = channel::<()>();
        let other = sender.clone();
        thread::spawn(move || drop(sender));
        thread::spawn(move || drop(other));
        assert!(receiver.recv().is_err());
    });
    assert_eq!(seen, text_set(["finished"]));
}

#[test]
fn a_receiver_whose_sender_stays_waits_for_ever() {
    let seen = endings(|| {
        let (sender, receiver) = channel::<()>();
        let _ = receiver.recv();
        drop(sender);
    });
    assert_eq!(
        seen,
        text_set(["deadlock: waits for a message from channel#1"])
    );
}

#[test]
fn a_look_into_a_channel_finds_it_empty_full_or_closed() {
    let seen = results(|| {
        let (sender, receiver) = channel();
        let sending = thread::spawn(move || sender.send(1).unwrap());
        let looked = receiver.try_recv();
        sending.join().unwrap();
        match looked {
            Ok(number) => format!("{number}"),
            Err(TryRecvError::Empty) => format!("empty, then {:?}", receiver.recv()),
            Err(TryRecvError::Disconnected) => "closed".to_owned(),
        }
    });
    assert_eq!(seen, text_set(["1", "empty, then Ok(1)"]));
}

#[test]
fn a_send_races_with_the_end_of_the_receiver() {
    let dropped = Arc::new(());
    let seen = results(|| {
        let (sender, receiver) = channel();
        let message = Arc::clone(&dropped);
        let ending = thread::spawn(move || drop(receiver));
        let sent = sender.send(message);
        ending.join().unwrap();
        sent.is_ok()
    });
    assert_eq!(seen, set([false, true]));
    assert_eq!(
        Arc::strong_count(&dropped),
        1,
        "every message was dropped once"
    );
}

#[test]
fn a_bounded_channel_is_full_until_received_from() {
    let seen = results(|| {
        let (sender, receiver) = sync_channel(1);
        let receiving = thread::spawn(move || {
            let first = receiver.recv().unwrap();
            (first, receiver)
        });
        sender.send(1).unwrap();
        let second = sender.try_send(2);
        let (first, _receiver) = receiving.join().unwrap();
        (
            first,
            second == Ok(()),
            second == Err(TrySendError::Full(2)),
        )
    });
    assert_eq!(seen, set([(1, true, false), (1, false, true)]));
}

#[test]
fn a_full_channel_without_receives_deadlocks() {
    let seen = endings(|| {
        let (sender, _receiver) = sync_channel(1);
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert_eq!(seen, text_set(["deadlock: waits for room in channel#1"]));
}

#[test]
fn a_rendezvous_returns_after_the_message_was_taken() {
    let seen = results(|| {
        let (sender, receiver) = sync_channel(0);
        let log = Mutex::new(Vec::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in [1, 2] {
                    sender.send(number).unwrap();
                }
            });
            for _ in [1, 2] {
                log.lock().unwrap().push(receiver.recv().unwrap());
            }
        });
        log.into_inner().unwrap()
    });
    assert_eq!(seen, set([vec![1, 2]]));
}

#[test]
fn a_rendezvous_with_a_receiver_that_goes_away_gives_the_message_back() {
    let seen = results(|| {
        let (sender, receiver) = sync_channel(0);
        let sending = thread::spawn(move || (sender.send(5), sender.try_send(6)));
        drop(receiver);
        sending.join().unwrap() == (Err(SendError(5)), Err(TrySendError::Disconnected(6)))
    });
    assert_eq!(seen, set([true]));
}

#[test]
fn a_rendezvous_can_be_tried_only_while_a_receiver_waits() {
    let seen = results(|| {
        let (sender, receiver) = sync_channel(0);
        let receiving = thread::spawn(move || receiver.recv());
        let tried = sender.try_send(1);
        drop(sender);
        (tried.is_ok(), receiving.join().unwrap().ok())
    });
    assert_eq!(seen, set([(false, None), (true, Some(1))]));
}

#[test]
fn a_receive_with_a_limit_times_out_only_when_nothing_comes() {
    let seen = results(|| {
        let (sender, receiver) = channel::<u8>();
        let short = Duration::from_millis(1);
        let before = receiver.recv_timeout(short);
        sender.send(1).unwrap();
        let with = receiver.recv_timeout(short);
        drop(sender);
        (before, with, receiver.recv_timeout(short))
            == (
                Err(RecvTimeoutError::Timeout),
                Ok(1),
                Err(RecvTimeoutError::Disconnected),
            )
    });
    assert_eq!(seen, set([true]));
}

#[test]
fn a_channel_made_before_the_execution_can_be_used_in_it() {
    let seen = results(|| {
        let (sender, receiver) = std::thread::spawn(channel).join().unwrap();
        sender.send(3).unwrap();
        let other = sender.clone();
        drop(sender);
        let first = receiver.recv();
        drop(other);
        (first.ok(), receiver.recv().ok())
    });
    assert_eq!(seen, set([(Some(3), None::<u8>)]));
}

#[test]
fn a_look_after_a_wait_that_timed_out_finds_the_channel_empty() {
    let seen = results(|| {
        let (sender, receiver) = channel::<u8>();
        let waited = receiver.recv_timeout(Duration::from_millis(1));
        let looked = receiver.try_recv();
        drop(sender);
        format!("{waited:?} {looked:?}")
    });
    assert_eq!(seen, text_set(["Err(Timeout) Err(Empty)"]));
}
