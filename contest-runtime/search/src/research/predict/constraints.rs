//! What the rules and the values say, as clauses of a [`Staircase`].

use std::sync::Arc;

use super::name::Name;
use super::rules::{Rule, Section};
use super::sat_solver::{Literal, SatSolver};
use super::staircase::{Staircase, Term};
use super::step::StepId;
use super::trace_model::TraceModel;
use contest_data::sorted;

/// What a read may have read: a write, or what was there at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Write(StepId),
    Initial,
}

/// The sources from which `read` can get `value`, its own thread's newest write at most.
pub(super) fn sources(model: &TraceModel, read: StepId, value: u64) -> Vec<Source> {
    let Some(access) = model.step(read).access else {
        return Vec::new();
    };
    let variable = &model.variables[access.variable as usize];
    let thread = model.step(read).thread;
    let mut own: Option<StepId> = None;
    let mut found = Vec::new();
    for &step in &variable.accesses {
        let Some(access) = model.step(step).access.filter(|access| access.writes) else {
            continue;
        };
        if model.step(step).thread == thread {
            if step < read {
                own = Some(step);
            }
        } else if access.wrote == value {
            found.push(Source::Write(step));
        }
    }
    match own {
        Some(write)
            if model
                .step(write)
                .access
                .is_some_and(|access| access.wrote == value) =>
        {
            found.push(Source::Write(write));
        }
        // Its own write hides what was there before.
        Some(_) => {}
        None if variable.initial == Some(value) => found.push(Source::Initial),
        None => {}
    }
    found
}

impl<S: SatSolver> Staircase<S> {
    /// Reads that have a later included step, and read-modify-writes before the target, read what they read in the
    /// trace.
    pub(crate) fn value_constraints(&mut self) {
        let model = Arc::clone(&self.model);
        self.firm = vec![None; model.steps.len()];
        for variable in &model.variables {
            if !variable.valued {
                continue;
            }
            let mut name = Name::new().with(variable.initial.map_or(u64::MAX, |value| value ^ 1));
            let mut names: Vec<Name> = Vec::new();
            for &step in &variable.accesses {
                let of = model.step(step);
                if let Some(access) = of.access {
                    let next = model
                        .next(step)
                        .map_or(Name::new(), |next| model.step(next).name);
                    names.push(of.name.with(access.read).with(access.wrote).with_name(next));
                }
            }
            sorted::sort(&mut names);
            for part in names {
                name = name.with_name(part);
            }
            let group = self.group(name);
            if let Some(counter) = self.counters.last_mut() {
                *counter = variable
                    .accesses
                    .iter()
                    .any(|&step| model.step(step).counts);
            }
            for &read in &variable.accesses {
                let step = model.step(read);
                let Some(access) = step.access.filter(|access| access.reads) else {
                    continue;
                };
                let next = model.next(read);
                let is_firm = access.writes || step.conditional;
                if next.is_none() && !is_firm {
                    continue;
                }
                let keeps = self.solver.variable(true);
                self.reads_value(keeps, group, read, access.read);
                if is_firm {
                    self.firm[read as usize] = Some(keeps);
                }
                if let Some(next) = next {
                    self.clause(&[!self.is_included(next), Term::Literal(keeps)]);
                }
            }
        }
    }

    /// The literal for: this step reads this value.
    pub fn reading(&mut self, read: StepId, value: u64) -> Literal {
        if let Some(&literal) = self.readings.get(&(read, value)) {
            return literal;
        }
        let literal = self.solver.variable(false);
        self.readings.insert((read, value), literal);
        self.reads_value(literal, Term::Is(true), read, value);
        literal
    }

    /// `keeps` and the group imply that `read` reads `value`.
    fn reads_value(&mut self, keeps: Literal, group: Term, read: StepId, value: u64) {
        let model = Arc::clone(&self.model);
        let Some(access) = model.step(read).access else {
            return;
        };
        let variable = &model.variables[access.variable as usize];
        let mut choice = vec![Term::Literal(!keeps), !group];
        let written = variable.accesses.iter().rev().find(|&&step| {
            step < read && model.step(step).access.is_some_and(|access| access.writes)
        });
        let in_trace = written.map_or(Source::Initial, |&write| Source::Write(write));
        for source in sources(&model, read, value) {
            // As in the trace is tried first.
            let from = Term::Literal(self.solver.variable(source == in_trace));
            choice.push(from);
            if let Source::Write(write) = source {
                let earlier = self.before(write, read);
                self.clause(&[!from, earlier]);
            }
            for (thread, list) in model.threads.iter().enumerate() {
                self.no_write_between(
                    from,
                    source,
                    read,
                    value,
                    thread,
                    list.is_empty(),
                    &variable.accesses,
                );
            }
        }
        self.clause(&choice);
    }

    /// `from` implies that no write of another value by this thread comes between the source and the read. Of writes in
    /// the source's own thread only the first after it counts, in the read's own thread only the last before it: the
    /// others follow.
    #[expect(clippy::too_many_arguments, reason = "the parts of one clause")]
    fn no_write_between(
        &mut self,
        from: Term,
        source: Source,
        read: StepId,
        value: u64,
        thread: usize,
        empty: bool,
        accesses: &[StepId],
    ) {
        if empty {
            return;
        }
        let model = Arc::clone(&self.model);
        let others = accesses.iter().copied().filter(|&step| {
            let of = model.step(step);
            step != read
                && Source::Write(step) != source
                && usize::from(of.thread) == thread
                && of
                    .access
                    .is_some_and(|access| access.writes && access.wrote != value)
        });
        let by_reader = usize::from(model.step(read).thread) == thread;
        let chosen: Vec<StepId> = match source {
            _ if by_reader => {
                let mut before = others.filter(|&step| step < read);
                before.next_back().into_iter().collect()
            }
            Source::Write(write) if usize::from(model.step(write).thread) == thread => {
                let mut after = others.filter(|&step| step > write);
                after.next().into_iter().collect()
            }
            Source::Initial => others.take(1).collect(),
            Source::Write(_) => others.collect(),
        };
        for step in chosen {
            let after = self.before(read, step);
            let before = match source {
                Source::Write(write) => self.before(step, write),
                Source::Initial => Term::Is(false),
            };
            self.clause(&[!from, before, after]);
        }
    }

    /// Everything that is not about values.
    pub(crate) fn rule_constraints(&mut self) {
        let model = Arc::clone(&self.model);
        for rule in &model.rules {
            let group = self.group(rule_name(&model, rule));
            let off = !group;
            match rule {
                Rule::Needs { later, earlier } => {
                    let order = self.before(*earlier, *later);
                    self.clause(&[off, !self.is_included(*later), order]);
                }
                Rule::Ordered { first, second } => {
                    let order = self.before(*first, *second);
                    let both = [!self.is_included(*first), !self.is_included(*second)];
                    self.clause(&[off, both[0], both[1], order]);
                }
                Rule::Apart { one, two } => {
                    let (Some(a), Some(b)) = (one.begin, two.begin) else {
                        continue;
                    };
                    let ends = |section: &Section, other: StepId| {
                        section
                            .end
                            .map_or(Term::Is(false), |end| self.before(end, other))
                    };
                    let (first, second) = (ends(one, b), ends(two, a));
                    self.clause(&[
                        off,
                        !self.is_included(a),
                        !self.is_included(b),
                        first,
                        second,
                    ]);
                }
                Rule::Outside {
                    notify,
                    wait,
                    ended,
                } => {
                    let before = self.before(*notify, *wait);
                    let after = ended.map_or(Term::Is(false), |ended| self.before(ended, *notify));
                    let both = [!self.is_included(*notify), !self.is_included(*wait)];
                    self.clause(&[off, both[0], both[1], before, after]);
                }
                Rule::Inside { failed, sections } => {
                    let mut choice = vec![off, !self.is_included(*failed)];
                    for section in sections {
                        let inside = Term::Literal(self.solver.variable(false));
                        choice.push(inside);
                        if let Some(begin) = section.begin {
                            let begun = self.before(begin, *failed);
                            self.clause(&[!inside, begun]);
                        }
                        if let Some(end) = section.end {
                            let not_ended = self.before(*failed, end);
                            self.clause(&[!inside, not_ended]);
                        }
                    }
                    self.clause(&choice);
                }
                Rule::Token {
                    park,
                    after,
                    unparks,
                } => {
                    let mut choice = vec![off, !self.is_included(*park)];
                    for &unpark in unparks {
                        let from = Term::Literal(self.solver.variable(false));
                        choice.push(from);
                        let in_time = self.before(unpark, *park);
                        self.clause(&[!from, in_time]);
                        if let Some(after) = after {
                            let new = self.before(*after, unpark);
                            self.clause(&[!from, new]);
                        }
                    }
                    self.clause(&choice);
                }
            }
        }
    }
}

/// What a rule says, by the names of its steps.
fn rule_name(model: &TraceModel, rule: &Rule) -> Name {
    let step = |name: Name, step: StepId| name.with_name(model.step(step).name);
    let optional = |name: Name, of: Option<StepId>| match of {
        Some(of) => step(name.with(1), of),
        None => name.with(0),
    };
    let section =
        |name: Name, section: &Section| optional(optional(name, section.begin), section.end);
    let start = |kind: u64| Name::new().with(kind);
    match rule {
        Rule::Needs { later, earlier } => step(step(start(1), *later), *earlier),
        Rule::Ordered { first, second } => step(step(start(2), *first), *second),
        Rule::Apart { one, two } => section(section(start(3), one), two),
        Rule::Outside {
            notify,
            wait,
            ended,
        } => optional(step(step(start(4), *notify), *wait), *ended),
        Rule::Inside { failed, sections } => sections.iter().fold(step(start(5), *failed), section),
        Rule::Token {
            park,
            after,
            unparks,
        } => unparks
            .iter()
            .fold(optional(step(start(6), *park), *after), |name, &unpark| {
                step(name, unpark)
            }),
    }
}
