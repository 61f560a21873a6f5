//! std `mpsc.rs`.

use std::sync::Arc;
use std::time::Duration;

use contest::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use contest::thread;

use crate::runs::inside_and_outside;

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn messages_arrive_in_order_from_one_thread_and_its_clones() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        sender.send(Box::new(1)).unwrap();
        let other = sender.clone();
        other.send(Box::new(2)).unwrap();
        assert_eq!(receiver.recv(), Ok(Box::new(1)));
        assert_eq!(receiver.recv(), Ok(Box::new(2)));
    });
}

#[test]
fn messages_that_stay_are_dropped_with_the_channel() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        drop(sender.clone());
        let message = Arc::new(1);
        sender.send(Arc::clone(&message)).unwrap();
        drop(receiver);
        assert_eq!(Arc::strong_count(&message), 1);
    });
}

#[test]
fn a_message_arrives_from_another_thread() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv(), Ok(1));
    });
}

#[test]
fn sending_fails_and_gives_the_message_back_when_the_receiver_is_gone() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        drop(receiver);
        let other = sender.clone();
        assert_eq!(sender.send(1).unwrap_err().0, 1);
        drop(sender);
        assert_eq!(other.send(2).unwrap_err().0, 2);
    });
}

#[test]
fn sending_fails_some_time_after_the_receiver_went_away_in_another_thread() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let other = sender.clone();
        thread::spawn(move || receiver.recv().unwrap());
        let mut sent = 0;
        while sender.send(1).is_ok() && other.send(1).is_ok() {
            sent += 1;
            if sent > 2 {
                break;
            }
            thread::yield_now();
        }
    });
}

#[test]
fn receiving_fails_when_all_senders_are_gone() {
    inside_and_outside(|| {
        let (sender, receiver) = channel::<u8>();
        let other = sender.clone();
        drop((sender, other));
        assert!(receiver.recv().is_err());
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    });
}

#[test]
fn what_was_sent_before_the_sender_went_away_is_received() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        thread::spawn(move || (0..2).for_each(|message| sender.send(message).unwrap()));
        let mut received = Vec::new();
        while let Ok(message) = receiver.recv() {
            received.push(message);
        }
        assert_eq!(received, [0, 1]);
    });
}

#[test]
fn no_message_of_several_threads_is_lost() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        for _ in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || (0..2).for_each(|_| sender.send(1).unwrap()));
        }
        drop(sender);
        let receives = thread::spawn(move || {
            (0..4).for_each(|_| assert_eq!(receiver.recv(), Ok(1)));
            assert!(receiver.try_recv().is_err());
        });
        receives.join().unwrap();
    });
}

#[test]
fn two_threads_answer_each_other() {
    inside_and_outside(|| {
        let (question, questions) = channel();
        let (answer, answered) = channel();
        let first = thread::spawn(move || {
            assert_eq!(questions.recv(), Ok(1));
            answer.send(2).unwrap();
        });
        let second = thread::spawn(move || {
            question.send(1).unwrap();
            assert_eq!(answered.recv(), Ok(2));
        });
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn either_end_may_go_away_first() {
    inside_and_outside(|| {
        let (sender, receiver) = channel::<u8>();
        thread::spawn(move || drop(receiver));
        drop(sender);
        let (_sender, receiver) = channel::<u8>();
        drop(receiver);
    });
}

#[test]
fn unwrapping_a_failed_receive_panics() {
    inside_and_outside(|| {
        let (sender, receiver) = channel::<u8>();
        thread::spawn(move || drop(sender));
        let receives = thread::spawn(move || receiver.recv().unwrap());
        assert!(receives.join().is_err());
    });
}

#[test]
fn a_send_may_meet_the_end_of_the_receiver() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        thread::spawn(move || drop(receiver));
        // It panics or not, depending on who is first.
        let _ = thread::spawn(move || sender.send(1).unwrap()).join();
    });
}

#[test]
fn trying_to_receive_shows_each_state() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let (step, next_step) = channel();
        let (done, is_done) = channel();
        thread::spawn(move || {
            next_step.recv().unwrap();
            sender.send(1).unwrap();
            done.send(()).unwrap();
            next_step.recv().unwrap();
            drop(sender);
            done.send(()).unwrap();
        });
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        step.send(()).unwrap();
        is_done.recv().unwrap();
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        step.send(()).unwrap();
        is_done.recv().unwrap();
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    });
}

#[test]
fn a_stream_may_be_handed_from_thread_to_thread() {
    fn send(sender: Sender<u32>, message: u32) {
        if message < 2 {
            thread::spawn(move || {
                sender.send(message).unwrap();
                send(sender, message + 1);
            });
        }
    }
    fn receive(receiver: Receiver<u32>, message: u32) {
        if message < 2 {
            thread::spawn(move || {
                assert_eq!(receiver.recv(), Ok(message));
                receive(receiver, message + 1);
            });
        }
    }
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        send(sender, 0);
        receive(receiver, 0);
    });
}

#[test]
fn receiving_with_a_timeout_gets_what_is_there_and_else_times_out() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        for _ in 0..2 {
            sender.send(1).unwrap();
            assert_eq!(receiver.recv_timeout(SHORT), Ok(1));
            assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
        }
        drop(sender);
        assert_eq!(
            receiver.recv_timeout(SHORT),
            Err(RecvTimeoutError::Disconnected)
        );
    });
}

#[test]
fn receiving_with_timeouts_gets_every_message_of_slow_senders() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        for pause in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || {
                thread::sleep(SHORT * 2 * pause);
                sender.send(1).unwrap();
            });
        }
        drop(sender);
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
fn a_timeout_beyond_the_end_of_time_is_none() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let receives = thread::spawn(move || receiver.recv_timeout(Duration::from_secs(u64::MAX)));
        sender.send(1).unwrap();
        assert_eq!(receives.join().unwrap(), Ok(1));
    });
}

#[test]
fn a_thousand_messages_need_no_stack() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        (0..1_000).for_each(|_| sender.send(()).unwrap());
        (0..1_000).for_each(|_| receiver.recv().unwrap());
    });
}

#[test]
fn iterating_ends_when_the_senders_are_gone() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let (total, sum) = channel();
        thread::spawn(move || total.send(receiver.iter().sum::<u32>()).unwrap());
        for message in [3, 1, 2] {
            sender.send(message).unwrap();
        }
        drop(sender);
        assert_eq!(sum.recv(), Ok(6));
    });
}

#[test]
fn iterating_may_end_before() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            receiver
                .iter()
                .take_while(|&message| message < 3)
                .sum::<u32>()
        });
        for message in [1, 2, 3] {
            sender.send(message).unwrap();
        }
        let _ = sender.send(4);
        assert_eq!(thread.join().unwrap(), 3);
    });
}

#[test]
fn iterating_without_waiting_takes_what_is_there() {
    inside_and_outside(|| {
        let (request, requests) = channel();
        let (response, responses) = channel();
        let requester = thread::spawn(move || {
            let mut sum = 0;
            while sum < 4 {
                sum += responses.try_iter().sum::<u32>();
                request.send(()).unwrap();
                thread::yield_now();
            }
            sum
        });
        for () in requests.iter().take(2) {
            response.send(2).unwrap();
        }
        drop(response);
        // Requests that are not read any more still need a receiver.
        assert_eq!(requester.join().unwrap(), 4);
        drop(requests);
    });
}

#[test]
fn a_receiver_turns_into_an_iterator_owned_or_borrowed() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        drop(sender);
        assert_eq!((&receiver).into_iter().next(), Some(1));
        assert_eq!(receiver.into_iter().collect::<Vec<_>>(), [2]);
    });
}

#[test]
fn a_receiver_may_go_away_while_a_cloned_sender_is_in_use() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let (gone, is_gone) = channel();
        thread::spawn(move || {
            receiver.recv().unwrap();
            drop(receiver);
            gone.send(()).unwrap();
        });
        let other = sender.clone();
        drop(sender);
        other.send(()).unwrap();
        is_gone.recv().unwrap();
    });
}

#[test]
fn a_sender_may_be_handed_on_while_the_receiver_waits() {
    inside_and_outside(|| {
        let (sender, receiver) = channel::<u8>();
        let thread = thread::spawn(move || {
            thread::sleep(SHORT);
            drop(sender.clone());
            sender
        });
        assert_eq!(
            receiver.recv_timeout(SHORT * 2),
            Err(RecvTimeoutError::Timeout)
        );
        let _sender = thread.join().unwrap();
        assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
    });
}
