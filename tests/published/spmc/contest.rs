//! Both ends of a channel as one object: sends hold a lock, as there is one sender.

extern crate contest;
extern crate spmc;

use std::sync::Mutex;

#[contest::shared]
struct Channel {
    sender: Mutex<spmc::Sender<u32>>,
    receiver: spmc::Receiver<u32>,
}

#[contest::operations]
impl Channel {
    pub fn new() -> Self {
        let (sender, receiver) = spmc::channel();
        Self {
            sender: Mutex::new(sender),
            receiver,
        }
    }

    pub fn send(&self, value: u32) {
        self.sender.lock().unwrap().send(value).unwrap();
    }

    pub fn recv(&self) -> u32 {
        self.receiver.recv().unwrap()
    }
}

#[test]
fn generated() {
    report(contest::check::<Channel>());
}
