//! Condition variables, park tokens and `Once`: which steps wait, and what ends the wait.

use super::draft::{Draft, Found, Span};
use contest_data::trace::{Action, ObjectId};

impl Draft<'_> {
    /// Waits and notifications of one condition variable. In the model, a notification wakes the same thread as in the
    /// trace.
    pub(crate) fn condvar_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let mut notifications: Vec<(u32, bool, u64)> = Vec::new();
        // Thread, wait, the notification that ended it, the wake-up.
        let mut waits: Vec<(u16, u32, Option<u32>, Option<u32>)> = Vec::new();
        for &position in &positions {
            let event = self.event(position);
            match event.action {
                Action::Notify(all) => {
                    let woken = event.wrote;
                    notifications.push((position, all || woken == 0, woken));
                    for wait in &mut waits {
                        if wait.0 < 64 && woken & 1 << wait.0 != 0 && wait.2.is_none() {
                            wait.2 = Some(position);
                        }
                    }
                }
                Action::Wait => waits.push((event.thread.0, position, None, None)),
                Action::Wake(_) => {
                    let thread = event.thread.0;
                    let own = waits
                        .iter_mut()
                        .rev()
                        .find(|wait| wait.0 == thread && wait.3.is_none());
                    if let Some(wait) = own {
                        wait.3 = Some(position);
                    }
                }
                _ => {}
            }
        }
        for &(_, wait, ended, wake) in &waits {
            if let Some(wake) = wake {
                match ended {
                    Some(notify) => self.need(wake, notify),
                    None => {
                        // Woken by an unknown notification.
                        self.cuts.unknown += u64::from(wake >= self.begin && !self.is_cut(wake));
                        self.cut(wake);
                    }
                }
            }
            if let Some(notify) = ended {
                self.need(notify, wait);
            }
        }
        for &(notify, matters, woken) in &notifications {
            if !matters || notify < self.begin {
                continue;
            }
            for &(thread, wait, ended, _) in &waits {
                if thread < 64 && woken & 1 << thread != 0 && ended == Some(notify) {
                    continue;
                }
                if self.event(notify).thread.0 == thread {
                    continue;
                }
                if wait >= self.begin {
                    self.found.push(Found::Outside(notify, wait, ended));
                } else if let Some(ended) = ended.filter(|&ended| ended >= self.begin) {
                    self.need(notify, ended);
                }
            }
        }
        self.uses[object.0 as usize] = positions;
    }

    /// Parks of one thread and unparks of it.
    pub(crate) fn token_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let mut last_park: Option<u32> = None;
        let mut available = false;
        let unparks: Vec<u32> = positions
            .iter()
            .copied()
            .filter(|&position| self.event(position).action == Action::Unpark)
            .collect();
        for &position in &positions {
            match self.event(position).action {
                Action::Unpark if position < self.begin => available = true,
                Action::Park(false) if position < self.begin => {
                    available = false;
                    last_park = Some(position);
                }
                Action::Park(false) => {
                    let thread = self.event(position).thread;
                    let since = last_park.unwrap_or(0);
                    let first = last_park.is_none_or(|park| park < self.begin);
                    let by_itself = unparks.iter().any(|&unpark| {
                        unpark > since && unpark < position && self.event(unpark).thread == thread
                    });
                    if !(by_itself || first && available) {
                        let others = unparks
                            .iter()
                            .copied()
                            .filter(|&unpark| {
                                unpark >= self.begin && self.event(unpark).thread != thread
                            })
                            .collect();
                        let after = last_park.filter(|&park| park >= self.begin);
                        self.found.push(Found::Token(position, after, others));
                    }
                    last_park = Some(position);
                }
                _ => {}
            }
        }
        self.uses[object.0 as usize] = positions;
    }

    /// Initialisers of one `Once`-like object exclude each other; what saw it complete comes after its completion, what
    /// did not, before.
    pub(crate) fn once_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let complete = positions
            .iter()
            .copied()
            .find(|&position| self.event(position).action == Action::OnceEnd(true));
        let mut spans: Vec<Span> = Vec::new();
        for &position in &positions {
            let event = self.event(position);
            match event.action {
                Action::OnceBegin(true) => spans.push(Span {
                    thread: event.thread.0,
                    begin: position,
                    end: None,
                    exclusive: true,
                }),
                Action::OnceEnd(_) => {
                    if let Some(span) = spans
                        .iter_mut()
                        .rev()
                        .find(|span| span.thread == event.thread.0 && span.end.is_none())
                    {
                        span.end = Some(position);
                    }
                }
                _ => {}
            }
        }
        for (index, one) in spans.iter().enumerate() {
            for two in &spans[index + 1..] {
                if one.thread == two.thread || two.begin < self.begin {
                    continue;
                }
                if one.begin >= self.begin {
                    self.found.push(Found::Apart(*one, *two));
                } else if let Some(end) = one.end.filter(|&end| end >= self.begin) {
                    self.need(two.begin, end);
                }
            }
        }
        if let Some(complete) = complete.filter(|&complete| complete >= self.begin) {
            let initialiser = self.event(complete).thread;
            for &position in &positions {
                let event = self.event(position);
                if event.thread == initialiser || position < self.begin {
                    continue;
                }
                match event.action {
                    Action::OnceBegin(false) | Action::OncePeek(true) => {
                        self.need(position, complete)
                    }
                    Action::OnceBegin(true) | Action::OncePeek(false) => {
                        self.found.push(Found::Ordered(position, complete));
                    }
                    _ => {}
                }
            }
        }
        self.uses[object.0 as usize] = positions;
    }
}
