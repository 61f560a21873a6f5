//! Mutual exclusion: sections of one lock by different threads do not overlap, unless both only read; a try-lock fails
//! inside a section.

use super::draft::{Draft, Found, Span};
use contest_data::trace::{Action, LockMode, ObjectId};

impl Draft<'_> {
    /// Sections and failures on one lock, by the events on it.
    pub(crate) fn lock_rules(&mut self, object: ObjectId) {
        let positions = std::mem::take(&mut self.uses[object.0 as usize]);
        let mut spans: Vec<Span> = Vec::new();
        let mut failures = Vec::new();
        let mut handed_over = false;
        for &position in &positions {
            let event = self.event(position);
            let thread = event.thread.0;
            let open = |mode: LockMode, position: u32| Span {
                thread,
                begin: position,
                end: None,
                exclusive: mode == LockMode::Exclusive,
            };
            match event.action {
                Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
                    spans.push(open(mode, position));
                }
                Action::Arrive(true) => spans.push(open(LockMode::Exclusive, position)),
                Action::Wake(_) if event.second == object => {
                    spans.push(open(LockMode::Exclusive, position));
                }
                Action::Release(mode, weaker) => {
                    handed_over |= !close(&mut spans, thread, mode, position);
                    if weaker.is_some() {
                        spans.push(open(LockMode::Read, position));
                    }
                }
                Action::Wait if event.second == object => {
                    handed_over |= !close(&mut spans, thread, LockMode::Exclusive, position);
                }
                Action::TryAcquire(mode, false) => failures.push((position, mode)),
                Action::Arrive(false) => failures.push((position, LockMode::Exclusive)),
                _ => {}
            }
        }
        if handed_over {
            // Released by another thread than the one that acquired it: no sections, so the order is fixed.
            self.keep_order(&positions);
        } else {
            self.exclusion(&spans);
            for (position, mode) in failures {
                self.failure(position, mode, &spans);
            }
        }
        self.uses[object.0 as usize] = positions;
    }

    fn exclusion(&mut self, spans: &[Span]) {
        for (index, one) in spans.iter().enumerate() {
            if self.is_cut(one.begin) {
                continue;
            }
            for two in &spans[index + 1..] {
                if one.thread == two.thread
                    || !(one.exclusive || two.exclusive)
                    || two.begin < self.begin
                {
                    continue;
                }
                match one.end {
                    // Held when the model begins.
                    Some(end) if one.begin < self.begin => {
                        if end >= self.begin {
                            self.need(two.begin, end);
                        }
                    }
                    _ => self.found.push(Found::Apart(*one, *two)),
                }
            }
        }
    }

    fn failure(&mut self, position: u32, mode: LockMode, spans: &[Span]) {
        if position < self.begin {
            return;
        }
        let thread = self.event(position).thread.0;
        let stands_in_the_way = |span: &&Span| mode == LockMode::Exclusive || span.exclusive;
        let mut holders = Vec::new();
        for span in spans.iter().filter(stands_in_the_way) {
            if span.thread == thread {
                if span.begin < position && span.end.is_none_or(|end| end > position) {
                    // Its own hold.
                    return;
                }
            } else if span.end.is_none_or(|end| end >= self.begin) {
                holders.push(*span);
            }
        }
        if holders.is_empty() {
            self.cuts.unknown += 1;
            self.cut(position);
        } else {
            self.found.push(Found::Inside(position, holders));
        }
    }
}

/// Ends the thread's open section of this mode; false if it has none.
fn close(spans: &mut [Span], thread: u16, mode: LockMode, position: u32) -> bool {
    let exclusive = mode == LockMode::Exclusive;
    let open = |span: &&mut Span| {
        span.thread == thread && span.exclusive == exclusive && span.end.is_none()
    };
    spans
        .iter_mut()
        .rev()
        .find(open)
        .map(|span| span.end = Some(position))
        .is_some()
}
