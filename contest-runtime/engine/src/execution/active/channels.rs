//! Channels. The engine counts messages and endpoints; the messages are in the real queue.

use std::panic::Location;
use std::time::Duration;

use super::{
    Active, Deferred, Received, Sent, Site, site, stop, stop_at_gate, tearing_down, wait_for_turn,
};
use crate::execution::current::{self, Access};
use crate::execution::machine::Machine;
use crate::execution::same_state::note_state;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::{Action, Blocking, ChannelBefore, ObjectId, Pending};

impl Active {
    /// Sends on the channel whose shared state is at `address`. `capacity` is `None` for an unbounded channel,
    /// `wait` is false for `try_send`. `push` puts the message into the real queue; it is not called on [`Sent::Full`].
    /// On a rendezvous channel (capacity 0) the send completes when a receiver took the message; if the last receiver
    /// goes away first the result is [`Sent::Closed`] and the message, which was pushed, is the newest in the queue.
    #[track_caller]
    pub fn channel_send(
        self,
        address: usize,
        capacity: Option<usize>,
        wait: bool,
        push: impl FnOnce(),
    ) -> Sent {
        let mut push = Deferred::new(push);
        self.send_by(address, capacity, wait, &mut || *push.call())
    }

    #[track_caller]
    #[inline(never)]
    fn send_by(
        self,
        address: usize,
        capacity: Option<usize>,
        wait: bool,
        push: &mut dyn FnMut(),
    ) -> Sent {
        if tearing_down() {
            return Sent::Full;
        }
        set_user_code(false);
        let site = if wait {
            site!("send", Action::Send(Blocking::Waits, true))
        } else {
            site!("try_send", Action::Send(Blocking::Tries, true))
        };
        let mut machine = current::machine();
        let object = machine.objects.at(address, "channel");
        machine.objects.get_mut(object).capacity = capacity;
        let full = !machine.objects.get(object).can_send();
        if wait {
            machine.note_waiting(full);
            let action = Action::Send(Blocking::Waits, true);
            machine = stop_at_gate(machine, action, object, Gate::Send(object), site);
        } else {
            machine.publish_conditional();
            // On a rendezvous channel it looks at who waits.
            let second = machine.waiters(address, capacity);
            machine.publish(
                Pending {
                    action: Action::Send(Blocking::Tries, true),
                    object,
                    second,
                    name: site.name,
                    check: site.check,
                },
                Gate::Open,
                site.location,
            );
            machine = wait_for_turn(machine);
        }
        let second = machine.waiters(address, capacity.filter(|_| !wait));
        let sent = execute_send(machine, object, second, capacity, wait, push, site);
        set_user_code(true);
        sent
    }

    /// Receives. `wait`: false for `try_recv`. After [`Received::Message`] the caller pops the message at once.
    #[track_caller]
    #[inline]
    pub fn channel_receive(
        self,
        address: usize,
        wait: bool,
        timeout: Option<Duration>,
    ) -> Received {
        note_state(Location::caller());
        self.receive(address, wait, timeout)
    }

    #[track_caller]
    #[inline(never)]
    fn receive(self, address: usize, wait: bool, timeout: Option<Duration>) -> Received {
        if tearing_down() {
            return Received::Empty;
        }
        set_user_code(false);
        let site = if wait {
            site!("recv", Action::Receive(Blocking::Waits, true))
        } else {
            site!("try_recv", Action::Receive(Blocking::Tries, true))
        };
        let mut machine = current::machine();
        let object = machine.objects.at(address, "channel");
        let empty = !machine.objects.get(object).can_receive();
        let capacity = machine.objects.get(object).capacity;
        let second = machine.waiters(address, capacity.filter(|_| wait));
        if wait {
            let bit = machine.running_bit();
            if second != ObjectId::NONE {
                let begin = site.again(&mut machine, Action::ReceiveBegin);
                machine = stop(machine, Action::ReceiveBegin, second, begin);
                machine.objects.get_mut(second).waiting |= bit;
                machine.commit(Action::ReceiveBegin, second, site.name, 0, 0);
            }
            let pending = Pending {
                action: Action::Receive(Blocking::Waits, true),
                object,
                second,
                name: site.name,
                check: site.check,
            };
            machine.publish(pending, Gate::Receive(object), site.location);
            machine.publish_timeout(timeout);
            machine.publish_conditional();
            machine.note_waiting(empty);
            machine = wait_for_turn(machine);
            if second != ObjectId::NONE {
                machine.objects.get_mut(second).waiting &= !bit;
            }
        } else {
            machine.publish_conditional();
            machine = stop(
                machine,
                Action::Receive(Blocking::Tries, true),
                object,
                site,
            );
        }
        let timed_out = machine.me().timed_out;
        let state = machine.objects.get_mut(object);
        let (count, before) = (state.count as u64, state.before());
        let answer = if state.count > 0 {
            state.count -= 1;
            state.taken += 1;
            Received::Message
        } else if state.senders == 0 {
            Received::Closed
        } else if wait && timed_out {
            Received::TimedOut
        } else {
            Received::Empty
        };
        let taken = state.taken;
        let done = if answer == Received::Message && capacity == Some(0) {
            machine.senders_of(object, taken - 1..taken)
        } else {
            0
        };
        machine.refresh(object);
        machine.commit_pair(
            Action::Receive(blocking(wait), answer == Received::Message),
            object,
            second,
            site.name,
            count,
            before | done << ChannelBefore::MASK_AT,
        );
        set_user_code(true);
        answer
    }

    /// Registers a new channel with its capacity.
    pub fn channel_new(self, address: usize, capacity: Option<usize>) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let mut machine = current::machine();
        let object = machine.objects.at(address, "channel");
        let object = if machine.objects.get(object).put + machine.objects.get(object).taken > 0 {
            machine.objects.renew(address, "channel")
        } else {
            object
        };
        let state = machine.objects.get_mut(object);
        state.capacity = capacity;
        state.senders = 1;
        state.receivers = 1;
        state.count = 0;
        set_user_code(true);
    }

    /// A sender or a receiver comes or goes: waits for the turn of this thread, then runs `change`, which does it and
    /// returns the numbers of senders and receivers after it. `name` is `clone` or `drop`; `location` says where the
    /// endpoint was made.
    pub fn channel_endpoints(
        self,
        address: usize,
        name: &'static str,
        location: &'static Location<'static>,
        change: impl FnOnce() -> (usize, usize),
    ) {
        let mut change = Deferred::new(change);
        self.change_endpoints(address, name, location, &mut || *change.call());
    }

    #[inline(never)]
    fn change_endpoints(
        self,
        address: usize,
        name: &'static str,
        location: &'static Location<'static>,
        change: &mut dyn FnMut() -> (usize, usize),
    ) {
        if current::machine().tearing_down {
            change();
            return;
        }
        set_user_code(false);
        let mut machine = current::machine();
        let site = Site::of(&mut machine, Action::Endpoint, name, location);
        let object = machine.objects.at(address, "channel");
        let machine = stop(machine, Action::Endpoint, object, site);
        let (mut machine, (senders, receivers)) = machine.suspended(change);
        let state = machine.objects.get_mut(object);
        let (count, before) = (state.count as u64, state.before());
        state.senders = senders;
        state.receivers = receivers;
        let taken = state.taken;
        let done = if receivers == 0 && before & ChannelBefore::NO_RECEIVER == 0 {
            machine.senders_of(object, taken..u64::MAX)
        } else {
            0
        };
        machine.refresh(object);
        machine.commit(
            Action::Endpoint,
            object,
            site.name,
            count,
            before | done << ChannelBefore::MASK_AT,
        );
        set_user_code(true);
    }
}

/// Puts the message into the queue, if there is room; waits until it is taken on a rendezvous channel.
fn execute_send(
    mut machine: Access,
    object: ObjectId,
    second: ObjectId,
    capacity: Option<usize>,
    wait: bool,
    push: &mut dyn FnMut(),
    site: Site,
) -> Sent {
    let rendezvous = capacity == Some(0);
    let blocking = blocking(wait);
    let state = machine.objects.get(object);
    let (count, before) = (state.count as u64, state.before());
    let room = if rendezvous && !wait {
        // Only a receiver that waits already can take it.
        state.count < machine.objects.get(second).waiting.len() as usize
    } else {
        state.can_send()
    };
    let refused = match (state.receivers, room) {
        (0, _) => Some(Sent::Closed),
        (_, false) => Some(Sent::Full),
        (_, true) => None,
    };
    if let Some(refused) = refused {
        let action = Action::Send(blocking, false);
        machine.commit_pair(action, object, second, site.name, count, before);
        return refused;
    }
    let (mut machine, ()) = machine.suspended(push);
    let state = machine.objects.get_mut(object);
    let number = state.put;
    state.put += 1;
    state.count += 1;
    machine.refresh(object);
    let action = Action::Send(blocking, true);
    machine.commit_pair(action, object, second, site.name, count, before);
    if !(rendezvous && wait) {
        return Sent::Room;
    }
    machine.note_waiting(true);
    let action = Action::SendTaken(true);
    let taken_site = site.again(&mut machine, action);
    let gate = Gate::Taken(object, number);
    let mut machine = stop_at_gate(machine, action, object, gate, taken_site);
    let state = machine.objects.get_mut(object);
    let taken = state.taken > number;
    if !taken {
        state.count -= 1;
        state.put -= 1;
    }
    machine.commit(Action::SendTaken(taken), object, site.name, 0, number);
    if taken { Sent::Room } else { Sent::Closed }
}

fn blocking(wait: bool) -> Blocking {
    if wait {
        Blocking::Waits
    } else {
        Blocking::Tries
    }
}

impl Machine {
    /// The set of receivers that wait on a rendezvous channel: an object of its own, because a send that waits does not
    /// look at it. None for other channels.
    fn waiters(&mut self, address: usize, capacity: Option<usize>) -> ObjectId {
        match capacity {
            Some(0) => self.objects.receivers(address),
            _ => ObjectId::NONE,
        }
    }
}
