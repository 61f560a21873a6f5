//! Clocks of channels: every message carries its sender's, every taken message of a bounded channel its receiver's.

use super::clock::{copy, join};
use super::operations::{ChannelEnds, Facts};
use super::synchronisation::Synchronisation;
use contest_data::trace::{ObjectId, ThreadIndex};

/// Clocks of one channel in one execution.
#[derive(Clone, Debug)]
pub(crate) struct ChannelClock {
    object: ObjectId,
    width: usize,
    /// A row for each message put in so far: the sender's clock, once it is taken that of the receiver.
    messages: Vec<u32>,
    put: usize,
    taken: usize,
    /// What senders and receivers did before they went away.
    gone_senders: Vec<u32>,
    gone_receivers: Vec<u32>,
    ends: ChannelEnds,
}

impl ChannelClock {
    fn new(object: ObjectId, width: usize) -> Self {
        let mut this = Self {
            object,
            width,
            messages: Vec::new(),
            put: 0,
            taken: 0,
            gone_senders: Vec::new(),
            gone_receivers: Vec::new(),
            ends: ChannelEnds::default(),
        };
        this.renew(object, width);
        this
    }

    fn renew(&mut self, object: ObjectId, width: usize) {
        self.object = object;
        self.width = width;
        self.messages.clear();
        self.put = 0;
        self.taken = 0;
        for gone in [&mut self.gone_senders, &mut self.gone_receivers] {
            gone.clear();
            gone.resize(width, 0);
        }
        self.ends = ChannelEnds::default();
    }

    pub(crate) fn widen(&mut self, width: usize) {
        let mut messages = vec![0; self.put * width];
        for message in 0..self.put {
            messages[message * width..message * width + self.width]
                .copy_from_slice(&self.messages[message * self.width..(message + 1) * self.width]);
        }
        self.messages = messages;
        self.gone_senders.resize(width, 0);
        self.gone_receivers.resize(width, 0);
        self.width = width;
    }

    fn message(&self, number: usize) -> &[u32] {
        &self.messages[number * self.width..(number + 1) * self.width]
    }
}

impl Synchronisation {
    /// Index of the channel's clocks. Executions have few channels.
    fn channel(&mut self, object: ObjectId) -> usize {
        let found = self.channels[..self.n_channels]
            .iter()
            .position(|channel| channel.object == object);
        if let Some(index) = found {
            return index;
        }
        let width = self.width();
        let index = self.n_channels;
        if let Some(channel) = self.channels.get_mut(index) {
            channel.renew(object, width);
        } else {
            self.channels.push(ChannelClock::new(object, width));
        }
        self.n_channels += 1;
        index
    }

    /// A message went in.
    pub(crate) fn send(&mut self, thread: ThreadIndex, object: ObjectId, facts: &impl Facts) {
        let capacity = facts.channel(object).capacity;
        let index = self.channel(object);
        let mut channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
        // The place of the message was that of an earlier one.
        if let Some(earlier) = capacity
            .filter(|capacity| *capacity > 0)
            .and_then(|capacity| channel.put.checked_sub(capacity))
        {
            join(self.own(thread), channel.message(earlier));
        }
        channel.messages.extend_from_slice(self.clock(thread));
        channel.put += 1;
        self.step(thread);
        self.channels[index] = channel;
    }

    /// On a rendezvous channel the sender of the message with this number learns that it was taken.
    pub(crate) fn send_taken(&mut self, thread: ThreadIndex, object: ObjectId, number: u64) {
        let index = self.channel(object);
        let channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
        if (number as usize) < channel.put {
            join(self.own(thread), channel.message(number as usize));
        }
        self.channels[index] = channel;
    }

    /// The send found no receiver, or no room.
    pub(crate) fn send_failed(
        &mut self,
        thread: ThreadIndex,
        object: ObjectId,
        facts: &impl Facts,
    ) {
        if facts.channel(object).receivers == 0 {
            let index = self.channel(object);
            let channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
            join(self.own(thread), &channel.gone_receivers);
            self.channels[index] = channel;
        }
    }

    pub(crate) fn receive(&mut self, thread: ThreadIndex, object: ObjectId) {
        let index = self.channel(object);
        let mut channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
        let number = channel.taken;
        if number < channel.put {
            join(self.own(thread), channel.message(number));
            let width = channel.width;
            copy(
                &mut channel.messages[number * width..(number + 1) * width],
                self.clock(thread),
            );
            channel.taken += 1;
            self.step(thread);
        }
        self.channels[index] = channel;
    }

    /// Nothing was received: because all senders are gone, or for lack of time or of a message.
    pub(crate) fn receive_failed(
        &mut self,
        thread: ThreadIndex,
        object: ObjectId,
        facts: &impl Facts,
    ) {
        if facts.channel(object).senders == 0 {
            let index = self.channel(object);
            let channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
            join(self.own(thread), &channel.gone_senders);
            self.channels[index] = channel;
        }
    }

    /// A sender or a receiver went away or was cloned. A clone orders nothing. Who goes away takes from those of its
    /// side that went before, as with every counted reference; the last receiver drops the messages that are left, the
    /// last endpoint the channel.
    pub(crate) fn endpoint(&mut self, thread: ThreadIndex, object: ObjectId, facts: &impl Facts) {
        let now = facts.channel(object);
        let index = self.channel(object);
        let mut channel = std::mem::replace(&mut self.channels[index], ChannelClock::EMPTY);
        let before = std::mem::replace(&mut channel.ends, now);
        if now.senders < before.senders {
            join(self.own(thread), &channel.gone_senders);
            if now.senders == 0 && now.receivers == 0 {
                join(self.own(thread), &channel.gone_receivers);
            }
            join(&mut channel.gone_senders, self.clock(thread));
            self.step(thread);
        } else if now.receivers < before.receivers {
            join(self.own(thread), &channel.gone_receivers);
            if now.receivers == 0 {
                for number in channel.taken..channel.put {
                    join(self.own(thread), channel.message(number));
                }
                if now.senders == 0 {
                    join(self.own(thread), &channel.gone_senders);
                }
            }
            join(&mut channel.gone_receivers, self.clock(thread));
            self.step(thread);
        }
        self.channels[index] = channel;
    }
}

impl ChannelClock {
    /// Stands in while the real one is in use beside the threads' clocks.
    const EMPTY: Self = Self {
        object: ObjectId::NONE,
        width: 0,
        messages: Vec::new(),
        put: 0,
        taken: 0,
        gone_senders: Vec::new(),
        gone_receivers: Vec::new(),
        ends: ChannelEnds {
            capacity: None,
            senders: 1,
            receivers: 1,
        },
    };
}
