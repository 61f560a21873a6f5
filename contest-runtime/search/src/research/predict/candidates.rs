//! The patterns that a reordering of a trace might show (Zhao et al., Algorithm 3 with its slips mended), after the
//! [filter rules](super::filter_rules).
//!
//! Where rule 5 holds, each access has at most one partner in its own thread, and the time is linear in the accesses
//! but for the caps: of one place in the source, of one variable and thread, some first and last accesses stand for the
//! rest.

use super::filter_rules::{
    Act, FilterRules, changes_writer, pair_changes_state, triple_changes_state, writers,
};
use super::staircase::Goal;
use super::step::StepId;
use super::trace_model::TraceModel;
use crate::coverage::FastMap;
use crate::coverage::PatternKey;
use crate::coverage::Shape;
use crate::coverage::{Pattern, Role};
use contest_data::sorted;

/// A pattern to query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its steps in order.
    pub steps: Vec<StepId>,
    /// Which pattern, where; `None` for what is none of the 17 (rule 1 off).
    pub key: Option<PatternKey>,
    /// Each thread's accesses lie in one call.
    pub within_calls: bool,
    /// All values are known.
    pub valued: bool,
    /// The last access has to write.
    pub ends_in_write: bool,
    /// The last but one has to write.
    pub write_before_end: bool,
}

impl Candidate {
    /// The goal for the solver.
    #[must_use]
    pub fn goal(&self) -> Goal {
        Goal::Order(self.steps.clone(), self.ends_in_write)
    }

    /// The goal for all but its last access. Reaching it does not guarantee that the last access follows.
    #[must_use]
    pub(crate) fn open_goal(&self) -> Goal {
        Goal::Open(self.steps.clone(), self.write_before_end)
    }

    /// The number of the pattern, or 0.
    #[must_use]
    pub fn number(&self) -> u8 {
        self.key.map_or(0, |key| key.pattern().number())
    }
}

/// What was constructed, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Construction {
    /// The patterns left, in the order of construction: length 2, 3, 4.
    pub candidates: Vec<Candidate>,
    /// Patterns left out by rules 1 to 6.
    pub filtered: [u64; 6],
    /// Accesses that others of the same place stand for, and candidates beyond the limit.
    pub capped: u64,
}

/// Accesses of one place, variable and thread: so many first and so many last ones are examined.
const ENDS: usize = 3;
/// Most candidates of a trace.
const MOST_CANDIDATES: usize = 20_000;
/// Variables that follow an access in its thread, for patterns over two.
const MOST_NEIGHBOURS: usize = 16;

struct Builder<'a> {
    model: &'a TraceModel,
    rules: FilterRules,
    covered: &'a dyn Fn(PatternKey) -> bool,
    writers: Vec<Option<StepId>>,
    /// For each variable, the accesses that are examined.
    chosen: Vec<Vec<StepId>>,
    /// For each step the next access of the same variable by its thread, and the one before.
    next_same: Vec<Option<StepId>>,
    result: Construction,
    /// Patterns of length two that only rule 4 left out.
    old_pairs: Vec<Candidate>,
}

/// Constructs the candidates of a model; patterns that are `covered` need no query.
#[must_use]
pub fn construct(
    model: &TraceModel,
    rules: FilterRules,
    covered: &dyn Fn(PatternKey) -> bool,
) -> Construction {
    let mut builder = Builder {
        model,
        rules,
        covered,
        writers: writers(model),
        chosen: Vec::new(),
        next_same: vec![None; model.steps.len()],
        result: Construction::default(),
        old_pairs: Vec::new(),
    };
    builder.choose();
    builder.pairs();
    // If nothing would change any value, try every order of two.
    if builder.result.candidates.is_empty() {
        builder.result.filtered[3] -= builder.old_pairs.len() as u64;
        builder.result.candidates.append(&mut builder.old_pairs);
    }
    builder.triples();
    builder.quadruples();
    builder.result
}

impl Builder<'_> {
    fn choose(&mut self) {
        let model = self.model;
        for variable in &model.variables {
            let mut places: FastMap<(u16, u32), Vec<StepId>> = FastMap::default();
            let mut last: Vec<Option<StepId>> = vec![None; model.threads.len()];
            for &step in &variable.accesses {
                let of = model.step(step);
                if let Some(before) = last[usize::from(of.thread)].replace(step) {
                    self.next_same[before as usize] = Some(step);
                }
                if let Some(access) = of.access {
                    places
                        .entry((of.thread, access.site.0))
                        .or_default()
                        .push(step);
                }
            }
            let mut chosen = Vec::new();
            for list in places.values() {
                if list.len() <= 2 * ENDS {
                    chosen.extend_from_slice(list);
                } else {
                    chosen.extend_from_slice(&list[..ENDS]);
                    chosen.extend_from_slice(&list[list.len() - ENDS..]);
                    self.result.capped += (list.len() - 2 * ENDS) as u64;
                }
            }
            sorted::sort(&mut chosen);
            self.chosen.push(chosen);
        }
    }

    fn roles(&self, step: StepId) -> impl Iterator<Item = Role> + use<> {
        let access = self.model.step(step).access;
        let read = access
            .is_some_and(|access| access.reads)
            .then_some(Role::Read);
        let write = access
            .is_some_and(|access| access.writes)
            .then_some(Role::Write);
        read.into_iter().chain(write)
    }

    fn thread(&self, step: StepId) -> u16 {
        self.model.step(step).thread
    }

    /// Adds a candidate unless a rule leaves it out. `changes` is rule 4 and `exchanges` rule 6.
    fn add(&mut self, pattern: Option<Pattern>, acts: &[Act], changes: bool, exchanges: bool) {
        let steps: Vec<StepId> = acts.iter().map(|act| act.0).collect();
        let sites: Vec<_> = steps
            .iter()
            .filter_map(|&step| self.model.step(step).access)
            .collect();
        let key = pattern.map(|pattern| {
            let sites: Vec<_> = sites.iter().map(|access| access.site).collect();
            PatternKey::new(pattern, &sites)
        });
        let in_the_trace = steps.is_sorted();
        let rules = self.rules;
        let program_order = || {
            steps.iter().enumerate().all(|(index, &a)| {
                steps[index + 1..]
                    .iter()
                    .all(|&b| self.thread(a) != self.thread(b) || a < b)
            })
        };
        let broken = if rules.defined && key.is_none() {
            Some(0)
        } else if rules.uncovered && (in_the_trace || key.is_some_and(|key| (self.covered)(key))) {
            Some(1)
        } else if rules.program_order && !program_order() {
            Some(2)
        } else if rules.new_state && !changes {
            Some(3)
        } else if rules.uninterrupted && !self.is_uninterrupted(&steps) {
            Some(4)
        } else if rules.new_writer && !exchanges {
            Some(5)
        } else {
            None
        };
        let candidate = Candidate {
            within_calls: self.is_within_calls(&steps),
            valued: sites.iter().all(|access| access.valued),
            ends_in_write: acts.last().is_some_and(|act| act.1 == Role::Write),
            write_before_end: acts
                .iter()
                .nth_back(1)
                .is_some_and(|act| act.1 == Role::Write),
            steps,
            key,
        };
        match broken {
            None if self.result.candidates.len() < MOST_CANDIDATES => {
                self.result.candidates.push(candidate)
            }
            None => self.result.capped += 1,
            Some(rule) => {
                self.result.filtered[rule] += 1;
                if rule == 3 && acts.len() == 2 {
                    self.old_pairs.push(candidate);
                }
            }
        }
    }

    fn is_within_calls(&self, steps: &[StepId]) -> bool {
        steps.iter().all(|&a| {
            steps.iter().all(|&b| {
                let (a, b) = (self.model.step(a), self.model.step(b));
                // Outside the calls of a harness, a thread is one unit.
                a.thread != b.thread || a.call == b.call
            })
        })
    }

    /// Rule 5.
    fn is_uninterrupted(&self, steps: &[StepId]) -> bool {
        let variables: Vec<u32> = steps
            .iter()
            .filter_map(|&step| self.model.step(step).access)
            .map(|access| access.variable)
            .collect();
        steps.iter().enumerate().all(|(index, &a)| {
            steps[index + 1..]
                .iter()
                .filter(|&&b| self.thread(a) == self.thread(b))
                .all(|&b| {
                    let between = |variable: &u32| {
                        let list = &self.model.variables[*variable as usize].accesses;
                        let from = list.partition_point(|&step| step <= a.min(b));
                        let to = list.partition_point(|&step| step < a.max(b));
                        list[from..to]
                            .iter()
                            .any(|&step| self.thread(step) == self.thread(a))
                    };
                    !variables.iter().any(between)
                })
        })
    }

    fn pairs(&mut self) {
        for variable in 0..self.chosen.len() {
            let chosen = std::mem::take(&mut self.chosen[variable]);
            for &a in &chosen {
                for &b in &chosen {
                    if self.thread(a) == self.thread(b) {
                        continue;
                    }
                    for one in self.roles(a) {
                        for two in self.roles(b) {
                            if let Some(pattern) = Pattern::of_two(one, two) {
                                let changes = pair_changes_state(self.model, (a, one), (b, two));
                                self.add(Some(pattern), &[(a, one), (b, two)], changes, true);
                            }
                        }
                    }
                }
            }
            self.chosen[variable] = chosen;
        }
    }

    /// The accesses of the same thread and variable that can end what `first` begins.
    fn partners(&self, first: StepId, chosen: &[StepId]) -> Vec<StepId> {
        if self.rules.uninterrupted && self.rules.program_order {
            return self.next_same[first as usize].into_iter().collect();
        }
        let same = |step: &StepId| *step != first && self.thread(*step) == self.thread(first);
        chosen.iter().copied().filter(same).collect()
    }

    fn triples(&mut self) {
        for variable in 0..self.chosen.len() {
            let chosen = std::mem::take(&mut self.chosen[variable]);
            for &a in &chosen {
                for c in self.partners(a, &chosen) {
                    for &b in &chosen {
                        if self.thread(b) != self.thread(a) {
                            self.triple(a, b, c);
                        }
                    }
                }
            }
            self.chosen[variable] = chosen;
        }
    }

    fn triple(&mut self, a: StepId, b: StepId, c: StepId) {
        for one in self.roles(a) {
            for two in self.roles(b) {
                for three in self.roles(c) {
                    if let Some(pattern) = Pattern::of_three(one, two, three) {
                        let acts = [(a, one), (b, two), (c, three)];
                        let changes = triple_changes_state(self.model, acts);
                        self.add(Some(pattern), &acts, changes, true);
                    }
                }
            }
        }
    }

    /// For one access, accesses of other variables in its thread, after it or before it, up to its next access of the
    /// same: the nearest of each, or all where rule 5 is off.
    fn neighbours(&self, of: StepId, forward: bool) -> Vec<StepId> {
        let step = self.model.step(of);
        let Some(own) = step.access else {
            return Vec::new();
        };
        let thread = &self.model.threads[usize::from(step.thread)];
        let place = step.place as usize;
        let mut known: Vec<u32> = Vec::new();
        let mut found = Vec::new();
        let (before, after) = (&thread[..place], &thread[place + 1..]);
        let mut steps: Box<dyn Iterator<Item = &StepId>> = if forward {
            Box::new(after.iter())
        } else {
            Box::new(before.iter().rev())
        };
        while let Some(&next) = steps.next()
            && found.len() < MOST_NEIGHBOURS
        {
            let Some(access) = self.model.step(next).access else {
                continue;
            };
            if access.variable == own.variable {
                if self.rules.uninterrupted {
                    break;
                }
            } else if !self.rules.uninterrupted || !known.contains(&access.variable) {
                known.push(access.variable);
                found.push(next);
            }
        }
        found
    }

    fn quadruples(&mut self) {
        for variable in 0..self.chosen.len() {
            let chosen = std::mem::take(&mut self.chosen[variable]);
            for &x1 in &chosen {
                let own = self.neighbours(x1, true);
                if own.is_empty() {
                    continue;
                }
                for &x2 in &chosen {
                    if self.thread(x2) == self.thread(x1) {
                        continue;
                    }
                    for forward in [true, false] {
                        for y2 in self.neighbours(x2, forward) {
                            for &y1 in &own {
                                if self.result.candidates.len() < MOST_CANDIDATES {
                                    self.quadruple([x1, x2, y2, y1], forward);
                                } else {
                                    self.result.capped += 1;
                                }
                            }
                        }
                    }
                }
            }
            self.chosen[variable] = chosen;
        }
    }

    fn quadruple(&mut self, [x1, x2, y2, y1]: [StepId; 4], inside: bool) {
        let variable = |step: StepId| self.model.step(step).access.map(|access| access.variable);
        if variable(y1) != variable(y2) {
            return;
        }
        let shapes: &[Shape] = if inside {
            &[Shape::Inside]
        } else {
            &[Shape::Crossed, Shape::Alternating]
        };
        for one in self.roles(x1) {
            for two in self.roles(x2) {
                for three in self.roles(y2) {
                    for four in self.roles(y1) {
                        if Pattern::of_two(one, two).is_none()
                            || Pattern::of_two(three, four).is_none()
                        {
                            continue;
                        }
                        let x = [(x1, one), (x2, two)];
                        let y = [(y2, three), (y1, four)];
                        let changes = pair_changes_state(self.model, x[0], x[1])
                            || pair_changes_state(self.model, y[0], y[1]);
                        let exchanges = changes_writer(&self.writers, x[0], x[1])
                            || changes_writer(&self.writers, y[0], y[1]);
                        for &shape in shapes {
                            let pattern = Pattern::of_four(shape, (one, two), (three, four));
                            let acts = match shape {
                                Shape::Inside => [x[0], x[1], y[0], y[1]],
                                Shape::Crossed => [x[0], y[0], x[1], y[1]],
                                Shape::Alternating => [x[0], y[0], y[1], x[1]],
                            };
                            self.add(pattern, &acts, changes, exchanges);
                        }
                    }
                }
            }
        }
    }
}
