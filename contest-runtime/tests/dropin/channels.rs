//! Channels between real threads.

use std::time::{Duration, Instant};

use contest::sync::mpsc::{
    RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError, channel, sync_channel,
};
use contest::sync::{Arc, Mutex};
use contest::thread;

#[test]
fn messages_of_one_sender_come_in_order() {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        for number in 0..1_000 {
            sender.send(number).unwrap();
        }
    });
    assert!(receiver.iter().eq(0..1_000));
    thread.join().unwrap();
}

#[test]
fn messages_of_many_senders_all_come() {
    let (sender, receiver) = sync_channel(2);
    thread::scope(|scope| {
        for _ in 0..4 {
            let sender = sender.clone();
            scope.spawn(move || (0..500).for_each(|number| sender.send(number).unwrap()));
        }
        drop(sender);
        assert_eq!(receiver.into_iter().sum::<u32>(), 4 * 499 * 250);
    });
}

#[test]
fn a_closed_channel_says_so_after_the_last_message() {
    let (sender, receiver) = channel();
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    sender.clone().send(1).unwrap();
    sender.send(2).unwrap();
    drop(sender);
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [2]);
    assert_eq!(receiver.recv(), Err(RecvError));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(
        receiver.recv_timeout(Duration::from_secs(1)),
        Err(RecvTimeoutError::Disconnected)
    );
}

#[test]
fn a_message_without_a_receiver_is_returned() {
    let (sender, receiver) = channel();
    drop(receiver);
    assert_eq!(sender.send(1), Err(SendError(1)));
    let (sender, receiver) = sync_channel(1);
    sender.try_send(1).unwrap();
    assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    drop(receiver);
    assert_eq!(sender.try_send(3), Err(TrySendError::Disconnected(3)));
    assert_eq!(sender.send(4), Err(SendError(4)));
}

#[test]
fn messages_that_are_not_received_are_dropped_with_the_receiver() {
    let message = Arc::new(());
    let (sender, receiver) = channel();
    sender.send(Arc::clone(&message)).unwrap();
    drop(receiver);
    assert_eq!(Arc::strong_count(&message), 1);
    drop(sender);
}

#[test]
fn a_full_channel_makes_the_sender_wait() {
    let (sender, receiver) = sync_channel(1);
    let log = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
            log.lock().unwrap().push("sent both");
        });
        while receiver.try_recv().is_err() {
            thread::yield_now();
        }
        assert_eq!(receiver.recv(), Ok(2));
    });
    assert_eq!(log.into_inner().unwrap(), ["sent both"]);
}

#[test]
fn a_rendezvous_hands_over_from_hand_to_hand() {
    let (sender, receiver) = sync_channel(0);
    assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..100 {
                sender.send(number).unwrap();
            }
        });
        for number in 0..100 {
            assert_eq!(receiver.recv(), Ok(number));
        }
    });
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
}

#[test]
fn a_rendezvous_can_be_tried_while_the_receiver_waits() {
    let (sender, receiver) = sync_channel(0);
    thread::scope(|scope| {
        let taker = scope.spawn(move || receiver.recv());
        while sender.try_send(5).is_err() {
            thread::yield_now();
        }
        assert_eq!(taker.join().unwrap(), Ok(5));
    });
}

#[test]
fn waiting_senders_of_a_rendezvous_get_their_own_message_back() {
    let (sender, receiver) = sync_channel(0);
    thread::scope(|scope| {
        let senders: Vec<_> = (0..3)
            .map(|number| {
                let sender = sender.clone();
                scope.spawn(move || (number, sender.send(number)))
            })
            .collect();
        thread::sleep(Duration::from_millis(20));
        let taken = receiver.recv().unwrap();
        drop(receiver);
        for sender in senders {
            let (number, result) = sender.join().unwrap();
            let expected = if number == taken {
                Ok(())
            } else {
                Err(SendError(number))
            };
            assert_eq!(result, expected);
        }
    });
}

#[test]
fn a_receiver_with_a_limit_waits_that_long() {
    let (sender, receiver) = channel::<u8>();
    let start = Instant::now();
    assert_eq!(
        receiver.recv_timeout(Duration::from_millis(20)),
        Err(RecvTimeoutError::Timeout)
    );
    assert!(start.elapsed() >= Duration::from_millis(20));
    thread::spawn(move || sender.send(3).unwrap());
    assert_eq!(receiver.recv_timeout(Duration::MAX), Ok(3));
}
