//! std `mpsc_sync.rs`. What it repeats of `mpsc.rs` is in one test here.

use std::sync::Arc;
use std::time::Duration;

use contest::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError, channel, sync_channel};
use contest::thread;

use crate::runs::inside_and_outside;

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn what_fits_is_sent_without_waiting() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(1);
        sender.send(1).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
        sender.clone().send(2).unwrap();
        drop(sender);
        assert_eq!(receiver.try_recv(), Ok(2));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    });
}

#[test]
fn sending_waits_for_room() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(1);
        let thread =
            thread::spawn(move || (0..3).for_each(|message| sender.send(message).unwrap()));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
        thread.join().unwrap();
    });
}

#[test]
fn without_a_buffer_sender_and_receiver_meet() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        thread::spawn(move || (0..2).for_each(|message| sender.send(message).unwrap()));
        assert_eq!(receiver.recv(), Ok(0));
        assert_eq!(receiver.recv(), Ok(1));
        assert!(receiver.recv().is_err());
    });
}

#[test]
fn no_message_of_several_threads_is_lost_without_a_buffer() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        let (done, is_done) = sync_channel(0);
        for _ in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(1).unwrap());
        }
        drop(sender);
        thread::spawn(move || {
            assert_eq!(receiver.iter().sum::<u32>(), 2);
            assert!(receiver.try_recv().is_err());
            done.send(()).unwrap();
        });
        is_done.recv().unwrap();
    });
}

#[test]
fn a_waiting_sender_gets_its_message_back_when_the_receiver_goes_away() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        thread::spawn(move || drop(receiver));
        assert_eq!(sender.send(1).unwrap_err().0, 1);
        let (sender, receiver) = sync_channel(1);
        sender.send(1).unwrap();
        thread::spawn(move || drop(receiver));
        assert_eq!(sender.send(2).unwrap_err().0, 2);
    });
}

#[test]
fn all_waiting_senders_do() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        let (done, is_done) = channel();
        for message in [1, 2] {
            let (sender, done) = (sender.clone(), done.clone());
            thread::spawn(move || {
                assert!(sender.send(message).is_err());
                done.send(()).unwrap();
            });
        }
        drop(receiver);
        is_done.recv().unwrap();
        is_done.recv().unwrap();
    });
}

#[test]
fn trying_to_send_says_why_it_cannot() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
        drop(receiver);
        assert_eq!(sender.try_send(1), Err(TrySendError::Disconnected(1)));
        let (sender, receiver) = sync_channel(1);
        assert_eq!(sender.try_send(1), Ok(()));
        assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
        drop(receiver);
        assert_eq!(sender.try_send(2), Err(TrySendError::Disconnected(2)));
    });
}

#[test]
fn trying_to_send_into_a_buffer_wakes_the_receiver() {
    inside_and_outside(|| {
        let (question, questions) = sync_channel(3);
        let (answer, answered) = sync_channel(3);
        thread::spawn(move || {
            questions.recv().unwrap();
            answer.try_send(()).unwrap();
        });
        question.try_send(()).unwrap();
        answered.recv().unwrap();
    });
}

#[test]
fn receiving_fails_when_all_senders_are_gone_without_a_buffer() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel::<u8>(0);
        drop((sender.clone(), sender));
        assert!(receiver.recv().is_err());
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        let (_sender, receiver) = sync_channel::<u8>(0);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    });
}

#[test]
fn receiving_with_a_timeout_meets_senders_without_a_buffer() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(0);
        thread::spawn(move || (0..2).for_each(|_| sender.send(1).unwrap()));
        let mut received = 0;
        loop {
            match receiver.recv_timeout(SHORT) {
                Ok(message) => received += message,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        assert_eq!(received, 2);
    });
}

#[test]
fn messages_that_stay_are_dropped_with_the_receiver_at_once() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel(1);
        let message = Arc::new(());
        sender.send(Arc::clone(&message)).unwrap();
        drop(receiver);
        assert_eq!(Arc::strong_count(&message), 1);
        drop(sender);
    });
}

#[test]
fn either_end_may_go_away_first_without_a_buffer() {
    inside_and_outside(|| {
        let (sender, receiver) = sync_channel::<u8>(0);
        thread::spawn(move || drop(receiver));
        let _ = thread::spawn(move || sender.send(1).unwrap()).join();
    });
}
