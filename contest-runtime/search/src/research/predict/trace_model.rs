//! A model of the reorderings of one execution: the steps of its threads, the values they read and wrote, and the rules
//! between them.
//!
//! The model covers operations on objects that at least two threads use and at least one changes. A thread is modelled
//! up to the first operation that no rule can state (a timeout, a step after a panic); what needs such an operation is
//! left out too. Of a long execution a window is modelled: what is before it has happened, what is after it is left
//! out. All of it is counted in [`Cuts`].

use super::object_kinds::concurrent_from;
use super::plain_steps::PlainSteps;
use super::rules::Rule;
use super::rules::draft::Draft;
use super::step::{Cuts, Step, StepAccess, StepId};
use super::values::Values;
use crate::coverage::{Contents, FastMap, SiteTable, access_of};
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, Event, ExecutionRecord, ThreadIndex, Update};

/// A variable of the model.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Value at the beginning of the model, if known.
    pub initial: Option<u64>,
    /// Values are known and add up: reads return what was written last.
    pub valued: bool,
    /// The steps that access it, in the order of the trace.
    pub accesses: Vec<StepId>,
}

/// A model of the reorderings of one execution.
#[derive(Clone, Debug)]
pub struct TraceModel {
    /// In the order of the trace.
    pub steps: Vec<Step>,
    /// For each modelled thread its steps.
    pub threads: Vec<Vec<StepId>>,
    /// Which thread of the execution each modelled thread is.
    pub indices: Vec<ThreadIndex>,
    /// Position of the first event that is not before the model.
    pub begin: u32,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// What is left out.
    pub cuts: Cuts,
}

impl TraceModel {
    /// Models the window of at most `most_steps` steps that begins after `skip` of them.
    #[must_use]
    pub fn new(
        record: &ExecutionRecord,
        sites: &mut SiteTable,
        contents: Contents,
        skip: usize,
        most_steps: usize,
    ) -> Self {
        let mut draft = Draft::of(record);
        let plain = PlainSteps::of(record, draft.begin);
        draft.cuts.plain = plain.dropped;
        // The data behind locks has accesses of its own in this record.
        let contents = if record.plain.cover_contents() {
            Contents::Ignored
        } else {
            contents
        };
        let relevant: Vec<u32> = draft.relevant_positions(&plain);
        draft.begin = relevant
            .get(skip)
            .copied()
            .unwrap_or(record.events.len() as u32);
        if skip == 0 {
            draft.begin = concurrent_from(record);
        }
        if relevant.len() > skip + most_steps {
            let end = relevant[skip + most_steps];
            draft.cuts.length += (relevant.len() - skip - most_steps) as u64;
            draft
                .limit
                .iter_mut()
                .for_each(|limit| *limit = end.min(*limit));
        }
        let mut values = Values::of(&mut draft, contents);
        draft.find_rules(&values);
        draft.settle();
        let mut model = Self {
            steps: Vec::new(),
            threads: Vec::new(),
            indices: Vec::new(),
            begin: draft.begin,
            variables: Vec::new(),
            rules: Vec::new(),
            cuts: draft.cuts,
        };
        model.add_steps(&draft, &mut values, &relevant, &plain, sites, contents);
        let steps = &model.steps;
        let find = |position: u32| -> Option<StepId> {
            // Before the steps that are bound to it.
            let first = steps.partition_point(|step| step.event < position);
            let is_it = steps.get(first).is_some_and(|step| step.event == position);
            is_it.then_some(first as StepId)
        };
        model.rules = draft.rules(&find);
        model
    }

    fn add_steps(
        &mut self,
        draft: &Draft<'_>,
        values: &mut Values,
        relevant: &[u32],
        plain: &PlainSteps<'_>,
        sites: &mut SiteTable,
        contents: Contents,
    ) {
        let record = draft.record;
        let names = super::name::event_names(record);
        let mut dense: Vec<u16> = vec![u16::MAX; usize::from(record.threads)];
        let mut variables: Vec<u32> = vec![u32::MAX; record.objects.len()];
        let mut locations: FastMap<usize, u32> = FastMap::default();
        for &position in relevant {
            if !draft.is_modelled(position) {
                continue;
            }
            let event = draft.event(position);
            let index = event.thread.index();
            if dense[index] == u16::MAX {
                dense[index] = self.threads.len() as u16;
                self.threads.push(Vec::new());
                self.indices.push(event.thread);
            }
            let thread = dense[index];
            let number = self.steps.len() as StepId;
            let access = access_of(event, contents).and_then(|(object, reads, writes, valued)| {
                // Not every operation of a step is on an object that is shared.
                if !draft.relevant[object.0 as usize] {
                    return None;
                }
                let variable = &mut variables[object.0 as usize];
                if *variable == u32::MAX {
                    *variable = self.variables.len() as u32;
                    self.variables.push(Variable {
                        initial: values.initial(object),
                        valued: valued && !values.is_opaque(object),
                        accesses: Vec::new(),
                    });
                }
                self.variables[*variable as usize].accesses.push(number);
                Some(StepAccess {
                    variable: *variable,
                    site: sites.number(event, object, &record.objects),
                    reads,
                    writes,
                    read: event.read,
                    wrote: event.wrote,
                    valued: valued && !values.is_opaque(object),
                })
            });
            self.steps.push(Step {
                thread,
                place: self.threads[usize::from(thread)].len() as u32,
                event: position,
                call: event.call,
                access,
                conditional: is_conditional(event),
                counts: counts(event),
                bound: false,
                check: check_of(event.action, event.name),
                woken: if matches!(event.action, Action::Notify(_) | Action::FutexWake) {
                    event.wrote
                } else {
                    0
                },
                name: names[position as usize],
            });
            self.threads[usize::from(thread)].push(number);
            let anchor = self.steps[number as usize];
            for (turn, access) in plain.bound_to(position).iter().enumerate() {
                let number = self.steps.len() as StepId;
                let next = self.variables.len() as u32;
                let variable = *locations.entry(access.location).or_insert(next);
                if variable == next {
                    self.variables.push(Variable {
                        initial: None,
                        valued: false,
                        accesses: Vec::new(),
                    });
                }
                self.variables[variable as usize].accesses.push(number);
                self.steps.push(Step {
                    place: self.threads[usize::from(thread)].len() as u32,
                    access: Some(StepAccess {
                        variable,
                        site: sites.number_plain(access),
                        reads: !access.writes,
                        writes: access.writes,
                        read: 0,
                        wrote: 0,
                        valued: false,
                    }),
                    conditional: false,
                    counts: false,
                    bound: true,
                    name: anchor.name.with(turn as u64),
                    ..anchor
                });
                self.threads[usize::from(thread)].push(number);
            }
        }
    }

    /// The step of this number.
    #[must_use]
    pub fn step(&self, step: StepId) -> &Step {
        &self.steps[step as usize]
    }

    /// The next step of the same thread.
    #[must_use]
    pub fn next(&self, step: StepId) -> Option<StepId> {
        let step = self.step(step);
        let thread = &self.threads[usize::from(step.thread)];
        thread.get(step.place as usize + 1).copied()
    }

    /// True if `a` comes before `b` in their common thread.
    #[must_use]
    pub(crate) fn in_program_order(&self, a: StepId, b: StepId) -> bool {
        self.step(a).thread == self.step(b).thread && a < b
    }
}

/// A compare-exchange, by whatever name, writes or not by what it finds.
fn is_conditional(event: &Event) -> bool {
    matches!(
        event.action,
        Action::CasFail(_) | Action::Rmw(_, Update::Conditional)
    )
}

/// Changes the variable unconditionally, whatever its value.
fn counts(event: &Event) -> bool {
    matches!(event.action, Action::Rmw(_, Update::Add | Update::Combine))
}
