//! The constraints as clauses over "this step before that one".
//!
//! A thread is a chain, so only pairs of steps of two threads need a variable, and two implications per variable make
//! every model for two threads an interleaving. With three threads and more, cycles in a solution are detected and
//! forbidden (the prototype's eager transitivity is cubic). Steps after the target are not constrained: for each target
//! a literal includes the steps before it.
//!
//! The constraints on one variable or one rule's objects are switched on by assumptions, so that an unsatisfiable core
//! names the constraints that conflict; see [`super::unsat_cores`].

use std::sync::Arc;

use super::name::Name;
use super::sat_solver::{Answer, Literal, SatSolver};
use super::step::StepId;
use super::trace_model::TraceModel;
use contest_data::sorted::{self, SortedMap};

/// A literal or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Is(bool),
    Literal(Literal),
}

impl std::ops::Not for Term {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Is(value) => Self::Is(!value),
            Self::Literal(literal) => Self::Literal(!literal),
        }
    }
}

/// What a reordering has to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// These steps in this order; the last ends the schedule. What the target writes must be what it wrote, if the flag
    /// says so (a compare-exchange that has to succeed).
    Order(Vec<StepId>, bool),
    /// As an order, but the schedule ends with the last step but one. What that step writes must be what it wrote, if
    /// the flag says so.
    Open(Vec<StepId>, bool),
    /// This step reads this value, and if that is new its thread does nothing after it; these steps, none of them a
    /// later one of its thread, happen too, before or after, and read what they read in the trace.
    Reads(StepId, u64, Vec<StepId>),
}

impl Goal {
    /// The step that ends the schedule.
    ///
    /// # Panics
    /// If an order is empty, or an open one has fewer than two steps.
    #[must_use]
    pub fn target(&self) -> StepId {
        match self {
            Self::Order(steps, _) => *steps.last().expect("an order has steps"),
            Self::Open(steps, _) => steps[steps.len() - 2],
            Self::Reads(step, ..) => *step,
        }
    }
}

/// Answer to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// The included steps in order; where an order was requested, the last is the target.
    Possible(Vec<StepId>),
    /// No reordering of the trace reaches the goal; the unsatisfiable core.
    Impossible(Vec<CorePart>),
    /// The solver gave up.
    Unknown,
}

/// Part of an unsatisfiable core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CorePart {
    /// The constraints of this group.
    Group(u32),
    /// The requested order of these two steps.
    Order(StepId, StepId),
    /// That the target ends the schedule, or reads the value.
    Target,
}

/// The clauses of one model, and the solver that holds them.
#[derive(Debug)]
pub struct Staircase<S> {
    pub(crate) model: Arc<TraceModel>,
    pub(crate) solver: S,
    /// Number of the variable for the first steps of two threads, by both.
    base: Vec<Literal>,
    pairs: SortedMap<(u16, u16), u32>,
    /// Included, by step.
    pub(crate) included: Vec<Literal>,
    /// Must keep its value though it is the last of its thread: read-modify-writes before the target.
    pub(crate) firm: Vec<Option<Literal>>,
    pub(crate) groups: Vec<(Literal, Name)>,
    /// By group: it is about the values of a counter.
    pub(crate) counters: Vec<bool>,
    targets: SortedMap<(StepId, bool), Literal>,
    pub(crate) readings: SortedMap<(StepId, u64), Literal>,
    core: SortedMap<Literal, CorePart>,
    /// Rounds of forbidding cycles, so far.
    pub(crate) rounds: u64,
}

/// Rounds of forbidding cycles before a query is given up.
const MOST_ROUNDS: u32 = 400;

impl<S: SatSolver> Staircase<S> {
    /// Adds the clauses of the model.
    #[must_use]
    pub fn new(model: Arc<TraceModel>) -> Self {
        let mut staircase = Self {
            model,
            solver: S::default(),
            base: Vec::new(),
            pairs: SortedMap::new(),
            included: Vec::new(),
            firm: Vec::new(),
            groups: Vec::new(),
            counters: Vec::new(),
            targets: SortedMap::new(),
            readings: SortedMap::new(),
            core: SortedMap::new(),
            rounds: 0,
        };
        staircase.order();
        for _ in 0..staircase.model.steps.len() {
            let literal = staircase.solver.variable(false);
            staircase.included.push(literal);
        }
        staircase.value_constraints();
        staircase.rule_constraints();
        for (index, &(literal, _)) in staircase.groups.iter().enumerate() {
            staircase
                .core
                .insert(literal, CorePart::Group(index as u32));
        }
        staircase
    }

    fn order(&mut self) {
        let model = Arc::clone(&self.model);
        let threads = &model.threads;
        for s in 0..threads.len() {
            for t in s + 1..threads.len() {
                self.pairs
                    .insert((s as u16, t as u16), self.base.len() as u32);
                let width = threads[t].len();
                for &one in &threads[s] {
                    for &two in &threads[t] {
                        // A bound step is ordered as the step it is bound to. The order of the trace is tried first, so
                        // that what a goal leaves open keeps its order.
                        let literal = if model.step(one).bound {
                            self.base[self.base.len() - width]
                        } else if model.step(two).bound {
                            self.base[self.base.len() - 1]
                        } else {
                            self.solver.variable(one < two)
                        };
                        self.base.push(literal);
                    }
                }
                let first = self.base.len() - threads[s].len() * width;
                for i in 0..threads[s].len() {
                    for j in 0..width {
                        let here = self.base[first + i * width + j];
                        if i + 1 < threads[s].len() {
                            let later = self.base[first + (i + 1) * width + j];
                            self.solver.clause(&[!later, here]);
                        }
                        if j + 1 < width {
                            let later = self.base[first + i * width + j + 1];
                            self.solver.clause(&[!here, later]);
                        }
                    }
                }
            }
        }
    }

    /// The solver.
    #[must_use]
    pub fn solver(&self) -> &S {
        &self.solver
    }

    /// `a` comes before `b`.
    pub(crate) fn before(&self, a: StepId, b: StepId) -> Term {
        let (one, two) = (self.model.step(a), self.model.step(b));
        if one.thread == two.thread {
            return Term::Is(a < b);
        }
        let (first, second, flipped) = if one.thread < two.thread {
            (one, two, false)
        } else {
            (two, one, true)
        };
        let base = self.pairs[&(first.thread, second.thread)] as usize;
        let width = self.model.threads[usize::from(second.thread)].len();
        let literal = self.base[base + first.place as usize * width + second.place as usize];
        Term::Literal(if flipped { !literal } else { literal })
    }

    /// Adds a clause.
    pub(crate) fn clause(&mut self, terms: &[Term]) {
        let mut literals = Vec::with_capacity(terms.len());
        for term in terms {
            match term {
                Term::Is(true) => return,
                Term::Is(false) => {}
                Term::Literal(literal) => literals.push(*literal),
            }
        }
        self.solver.clause(&literals);
    }

    /// A new group of constraints with this name.
    pub(crate) fn group(&mut self, name: Name) -> Term {
        let literal = self.solver.variable(true);
        self.groups.push((literal, name));
        self.counters.push(false);
        Term::Literal(literal)
    }

    pub(crate) fn is_included(&self, step: StepId) -> Term {
        Term::Literal(self.included[step as usize])
    }

    /// The literal that makes this step the target.
    fn target(&mut self, target: StepId, keeps_value: bool) -> Literal {
        if let Some(&literal) = self.targets.get(&(target, keeps_value)) {
            return literal;
        }
        let literal = self.solver.variable(false);
        self.targets.insert((target, keeps_value), literal);
        self.core.insert(literal, CorePart::Target);
        let off = Term::Literal(!literal);
        for step in 0..self.model.steps.len() as StepId {
            let before = if step == target {
                Term::Is(true)
            } else {
                self.before(step, target)
            };
            self.clause(&[off, !before, self.is_included(step)]);
            if let Some(firm) = self.firm[step as usize]
                && (step != target || keeps_value)
            {
                self.clause(&[off, !before, Term::Literal(firm)]);
            }
        }
        literal
    }

    /// Searches for a reordering that reaches the goal.
    pub fn query(&mut self, goal: &Goal, most_conflicts: u64) -> Prediction {
        self.query_with(goal, false, most_conflicts)
    }

    /// As [`Staircase::query`]; if `tentative`, counters may have any values.
    pub(crate) fn query_with(
        &mut self,
        goal: &Goal,
        tentative: bool,
        most_conflicts: u64,
    ) -> Prediction {
        let target = goal.target();
        let groups = self.groups.iter().zip(&self.counters);
        let mut assumptions: Vec<Literal> = groups
            .filter(|(_, counter)| !(tentative && **counter))
            .map(|((literal, _), _)| *literal)
            .collect();
        let mut orders: Vec<(Literal, CorePart)> = Vec::new();
        let mut targets = vec![target];
        match goal {
            Goal::Order(steps, keeps_value) | Goal::Open(steps, keeps_value) => {
                assumptions.push(self.target(target, *keeps_value));
                for pair in steps.windows(2) {
                    match self.before(pair[0], pair[1]) {
                        Term::Is(true) => {}
                        Term::Is(false) => {
                            return Prediction::Impossible(vec![CorePart::Order(pair[0], pair[1])]);
                        }
                        Term::Literal(literal) => {
                            orders.push((literal, CorePart::Order(pair[0], pair[1])));
                        }
                    }
                }
            }
            Goal::Reads(step, value, also) => {
                assumptions.push(self.target(target, false));
                orders.push((self.reading(*step, *value), CorePart::Target));
                for &other in also {
                    assumptions.push(self.target(other, true));
                    let access = self.model.step(other).access;
                    if let Some(access) = access.filter(|access| access.reads && access.valued) {
                        orders.push((self.reading(other, access.read), CorePart::Target));
                    }
                }
                targets.extend_from_slice(also);
            }
        }
        assumptions.extend(orders.iter().map(|(literal, _)| *literal));
        for _ in 0..MOST_ROUNDS {
            match self.solver.solve(&assumptions, most_conflicts) {
                Answer::Unknown => return Prediction::Unknown,
                Answer::Unsatisfiable => {
                    let blame = |literal: &Literal| {
                        let order = orders.iter().find(|(of, _)| of == literal);
                        order.map_or_else(|| self.core[literal], |(_, blame)| *blame)
                    };
                    let mut core: Vec<CorePart> = self.solver.core().iter().map(blame).collect();
                    sorted::sort(&mut core);
                    core.dedup();
                    return Prediction::Impossible(core);
                }
                Answer::Satisfiable => match self.schedule(&targets) {
                    Some(schedule) => return Prediction::Possible(schedule),
                    None => self.rounds += 1,
                },
            }
        }
        Prediction::Unknown
    }

    fn holds(&self, a: StepId, b: StepId) -> bool {
        match self.before(a, b) {
            Term::Is(value) => value,
            Term::Literal(literal) => self.solver.value(literal),
        }
    }

    /// How many of a thread's steps the model puts before this step.
    fn count_before(&self, thread: usize, step: StepId) -> usize {
        self.model.threads[thread]
            .partition_point(|&other| other != step && self.holds(other, step))
    }

    /// The included steps in the model's order; `None` after forbidding the cycles that were in it.
    fn schedule(&mut self, targets: &[StepId]) -> Option<Vec<StepId>> {
        let model = Arc::clone(&self.model);
        let threads = model.threads.len();
        let up_to = |thread: usize, target: &StepId| {
            let step = model.step(*target);
            if usize::from(step.thread) == thread {
                step.place as usize + 1
            } else {
                self.count_before(thread, *target)
            }
        };
        let ends: Vec<usize> = (0..threads)
            .map(|thread| {
                targets
                    .iter()
                    .map(|target| up_to(thread, target))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        if threads > 2 {
            let mut cycles = Vec::new();
            for (steps, &end) in model.threads.iter().zip(&ends) {
                for &last in &steps[..end] {
                    self.cycles_at(last, &mut cycles);
                }
            }
            if !cycles.is_empty() {
                for [a, b, c] in cycles {
                    let terms = [!self.before(a, b), !self.before(b, c), self.before(a, c)];
                    self.clause(&terms);
                }
                return None;
            }
        }
        // Stays with a thread as long as possible, for few switches.
        let mut schedule = Vec::new();
        let mut at = vec![0; threads];
        let mut current = usize::from(model.step(targets[0]).thread);
        loop {
            let ready = |thread: usize, at: &[usize]| {
                at[thread] < ends[thread] && {
                    let step = self.model.threads[thread][at[thread]];
                    (0..threads).all(|other| {
                        other == thread
                            || at[other] >= ends[other]
                            || !self.holds(self.model.threads[other][at[other]], step)
                    })
                }
            };
            let next = if ready(current, &at) {
                Some(current)
            } else {
                (0..threads).find(|&thread| ready(thread, &at))
            };
            let Some(thread) = next else { break };
            current = thread;
            schedule.push(self.model.threads[thread][at[thread]]);
            at[thread] += 1;
        }
        Some(schedule)
    }

    /// Triples `a` before `b` before `last` with `last` before `a`.
    fn cycles_at(&self, last: StepId, cycles: &mut Vec<[StepId; 3]>) {
        let own = usize::from(self.model.step(last).thread);
        for middle in (0..self.model.threads.len()).filter(|&thread| thread != own) {
            let Some(b) = self.count_before(middle, last).checked_sub(1) else {
                continue;
            };
            let b = self.model.threads[middle][b];
            for outer in
                (0..self.model.threads.len()).filter(|&thread| thread != own && thread != middle)
            {
                if let Some(a) = self.count_before(outer, b).checked_sub(1) {
                    let a = self.model.threads[outer][a];
                    if !self.holds(a, last) {
                        cycles.push([a, b, last]);
                    }
                }
            }
        }
    }
}
