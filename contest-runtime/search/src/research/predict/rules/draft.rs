//! Rules while they are found: stated on positions of events, with what each thread can still be part of.

use super::{Rule, Section};
use crate::research::predict::step::{Cuts, StepId};
use contest_data::trace::{Event, ExecutionRecord};

/// A section by positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub thread: u16,
    pub begin: u32,
    pub end: Option<u32>,
    /// Taken exclusively.
    pub exclusive: bool,
}

/// Rules on positions; the same meaning as in [`Rule`].
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Ordered(u32, u32),
    Apart(Span, Span),
    Outside(u32, u32, Option<u32>),
    Inside(u32, Vec<Span>),
    Token(u32, Option<u32>, Vec<u32>),
}

/// The part of an execution that is modelled, and the rules found in it.
#[derive(Debug)]
pub(crate) struct Draft<'r> {
    pub record: &'r ExecutionRecord,
    /// Position of the first modelled event: what is before it has happened.
    pub begin: u32,
    /// For each thread the position from which on nothing of it is modelled.
    pub limit: Vec<u32>,
    /// For each object, the positions of the events on it from the start of the execution, up to the limits.
    pub uses: Vec<Vec<u32>>,
    pub relevant: Vec<bool>,
    /// `later` needs `earlier`.
    pub needs: Vec<(u32, u32)>,
    pub found: Vec<Found>,
    pub cuts: Cuts,
}

impl<'r> Draft<'r> {
    pub(crate) fn event(&self, position: u32) -> &'r Event {
        &self.record.events[position as usize]
    }

    /// True if the event happens within the model, neither before it nor cut off.
    pub(crate) fn is_modelled(&self, position: u32) -> bool {
        position >= self.begin && !self.is_cut(position)
    }

    /// True if it is left out although it is not before the model.
    pub(crate) fn is_cut(&self, position: u32) -> bool {
        position >= self.begin && position >= self.limit[self.event(position).thread.index()]
    }

    /// The thread of this event is modelled up to here only, because what the event does cannot be stated.
    pub(crate) fn cut(&mut self, position: u32) {
        let thread = self.event(position).thread.index();
        if position < self.limit[thread] {
            self.limit[thread] = position;
        }
    }

    /// `later` cannot happen without `earlier`.
    pub(crate) fn need(&mut self, later: u32, earlier: u32) {
        if later >= self.begin && self.event(later).thread != self.event(earlier).thread {
            self.needs.push((later, earlier));
        }
    }

    /// Cuts off what needs something that is cut off, until nothing changes.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut changed = false;
            for index in 0..self.needs.len() {
                let (later, earlier) = self.needs[index];
                if self.is_cut(earlier) && !self.is_cut(later) {
                    self.cut(later);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The rules on steps; `steps` says which step an event is.
    pub(crate) fn rules(&self, steps: &dyn Fn(u32) -> Option<StepId>) -> Vec<Rule> {
        let mut rules = Vec::new();
        for &(later, earlier) in &self.needs {
            if let (Some(later), Some(earlier)) = (steps(later), steps(earlier)) {
                rules.push(Rule::Needs { later, earlier });
            }
        }
        let section = |span: &Span| Section {
            begin: steps(span.begin),
            end: span.end.and_then(steps),
        };
        for found in &self.found {
            match found {
                Found::Ordered(first, second) => {
                    if let (Some(first), Some(second)) = (steps(*first), steps(*second)) {
                        rules.push(Rule::Ordered { first, second });
                    }
                }
                Found::Apart(one, two) => {
                    let (one, two) = (section(one), section(two));
                    if one.begin.is_some() && two.begin.is_some() {
                        rules.push(Rule::Apart { one, two });
                    }
                }
                Found::Outside(notify, wait, ended) => {
                    if let (Some(notify), Some(wait)) = (steps(*notify), steps(*wait)) {
                        let ended = ended.and_then(steps);
                        rules.push(Rule::Outside {
                            notify,
                            wait,
                            ended,
                        });
                    }
                }
                Found::Inside(failed, spans) => {
                    if let Some(failed) = steps(*failed) {
                        let reached =
                            |span: &&Span| span.begin < self.begin || steps(span.begin).is_some();
                        let sections = spans.iter().filter(reached).map(section).collect();
                        rules.push(Rule::Inside { failed, sections });
                    }
                }
                Found::Token(park, after, unparks) => {
                    if let Some(park) = steps(*park) {
                        rules.push(Rule::Token {
                            park,
                            after: after.and_then(steps),
                            unparks: unparks.iter().filter_map(|&unpark| steps(unpark)).collect(),
                        });
                    }
                }
            }
        }
        rules
    }
}
