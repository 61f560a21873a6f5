//! Objects whose operations keep the order they had in the trace: narrower than what could happen, and never wrong.
//! Channels keep the order of sends and that of receives, and a receive comes after the send of its message.

use super::draft::Draft;
use contest_data::trace::{Action, ObjectId};

impl Draft<'_> {
    /// Every operation needs the one before it (or comes after it in its thread anyway).
    pub(crate) fn keep_order(&mut self, positions: &[u32]) {
        for pair in positions.windows(2) {
            self.need(pair[1], pair[0]);
        }
    }

    /// Operations of one object that have no rules of their own.
    pub(crate) fn fixed_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        self.keep_order(&positions);
        self.uses[object.0 as usize] = positions;
    }

    /// Arrivals keep their order, and a thread leaves after all threads that had arrived.
    pub(crate) fn barrier_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let mut last: Option<u32> = None;
        for &position in &positions {
            if let Some(arrival) = last {
                self.need(position, arrival);
            }
            if self.event(position).action == Action::BarrierArrive {
                last = Some(position);
            }
        }
        self.uses[object.0 as usize] = positions;
    }

    /// Messages come out in the order they went in. The queue never gets longer than it was in the trace, because its
    /// bound may be just that.
    pub(crate) fn channel_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let mut sends: Vec<u32> = Vec::new();
        let mut receives: Vec<u32> = Vec::new();
        let mut others: Vec<u32> = Vec::new();
        let mut longest = 0;
        let mut rendezvous = false;
        for &position in &positions {
            let event = self.event(position);
            match event.action {
                Action::Send(_, true) => {
                    sends.push(position);
                    rendezvous |= event.second != ObjectId::NONE;
                    longest = longest.max(event.read + 1);
                }
                Action::Receive(_, true) => receives.push(position),
                _ => others.push(position),
            }
        }
        if rendezvous {
            self.keep_order(&positions);
        } else {
            self.keep_order(&sends);
            self.keep_order(&receives);
            self.keep_order(&others);
            for &other in &others {
                for list in [&sends, &receives] {
                    let split = list.partition_point(|&position| position < other);
                    if let Some(&before) = list[..split].last() {
                        self.need(other, before);
                    }
                    if let Some(&after) = list.get(split) {
                        self.need(after, other);
                    }
                }
            }
            for (index, &receive) in receives.iter().enumerate() {
                if let Some(&send) = sends.get(index) {
                    self.need(receive, send);
                }
            }
            let longest = usize::try_from(longest).unwrap_or(usize::MAX);
            for (index, &send) in sends.iter().enumerate() {
                if index >= longest
                    && let Some(&receive) = receives.get(index - longest)
                {
                    self.need(send, receive);
                }
            }
        }
        self.uses[object.0 as usize] = positions;
    }
}
