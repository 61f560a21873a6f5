//! loom `tests/mpsc.rs`.

use contest::sync::mpsc::channel;
use contest::thread;

use crate::runs::{outcomes, passes};

#[test]
fn a_message_arrives_in_the_same_thread() {
    passes(|| {
        let (sender, receiver) = channel();
        sender.send(5).unwrap();
        assert_eq!(receiver.recv(), Ok(5));
    });
}

#[test]
fn a_message_arrives_from_another_thread() {
    passes(|| {
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(5).unwrap());
        assert_eq!(receiver.recv(), Ok(5));
    });
}

#[test]
fn messages_of_two_senders_arrive_in_either_order() {
    let orders = outcomes(|| {
        let (sender, receiver) = channel();
        for message in [5, 6] {
            let sender = sender.clone();
            thread::spawn(move || sender.send(message).unwrap());
        }
        (receiver.recv().unwrap(), receiver.recv().unwrap())
    });
    assert_eq!(orders, [(5, 6), (6, 5)].into());
}

#[test]
fn messages_that_were_not_received_are_dropped_with_the_receiver() {
    passes(|| {
        let (sender, receiver) = channel();
        for _ in 0..2 {
            sender.send(contest::alloc::Track::new(1)).unwrap();
        }
        assert_eq!(*receiver.recv().unwrap().get_ref(), 1);
    });
}
