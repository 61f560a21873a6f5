//! Answers the same queries as [`Staircase`](super::Staircase) by enumerating all reorderings: the oracle of its tests,
//! and the fallback when the solver gives up on a small trace.

use super::rules::{Rule, Section};
use super::staircase::{Goal, Prediction};
use super::step::StepId;
use super::trace_model::TraceModel;
use crate::coverage::FastSet;

/// State of a partial reordering.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    /// Steps done, by thread.
    done: Vec<u32>,
    /// Value of each variable; `None` if unknown.
    memory: Vec<Option<u64>>,
    /// For each [`Rule::Token`], whether one of its unparks was done in time.
    tokens: Vec<bool>,
    /// Threads that read something else than in the trace: what they do next is not known.
    dead: u64,
    /// Steps of the requested order done.
    progress: u32,
}

#[derive(Debug)]
struct Search<'m> {
    model: &'m TraceModel,
    goal: &'m Goal,
    seen: FastSet<Position>,
    most: usize,
    /// Rules by the step at which they are checked.
    checks: Vec<Vec<u32>>,
    tokens: Vec<u32>,
    schedule: Vec<StepId>,
}

/// Enumerates all reorderings, up to so many states; returns no core.
#[must_use]
pub fn search(model: &TraceModel, goal: &Goal, most_positions: usize) -> Prediction {
    let mut search = Search {
        model,
        goal,
        seen: FastSet::default(),
        most: most_positions,
        checks: vec![Vec::new(); model.steps.len()],
        tokens: Vec::new(),
        schedule: Vec::new(),
    };
    for (index, rule) in model.rules.iter().enumerate() {
        let index = index as u32;
        let mut check = |step: StepId| search.checks[step as usize].push(index);
        match rule {
            Rule::Needs { later, .. } => check(*later),
            Rule::Ordered { first, .. } => check(*first),
            Rule::Apart { one, two } => [one, two]
                .into_iter()
                .filter_map(|s| s.begin)
                .for_each(check),
            Rule::Outside { notify, .. } => check(*notify),
            Rule::Inside { failed, .. } => check(*failed),
            Rule::Token { park, unparks, .. } => {
                check(*park);
                unparks.iter().copied().for_each(check);
                search.tokens.push(index);
            }
        }
    }
    let start = Position {
        done: vec![0; model.threads.len()],
        memory: model
            .variables
            .iter()
            .map(|variable| variable.initial)
            .collect(),
        tokens: vec![false; search.tokens.len()],
        dead: 0,
        progress: 0,
    };
    match search.from(&start) {
        Some(true) => Prediction::Possible(search.schedule),
        Some(false) => Prediction::Impossible(Vec::new()),
        None => Prediction::Unknown,
    }
}

impl Search<'_> {
    fn is_done(&self, at: &Position, step: StepId) -> bool {
        let step = self.model.step(step);
        step.place < at.done[usize::from(step.thread)]
    }

    fn is_open(&self, at: &Position, section: &Section) -> bool {
        section.begin.is_none_or(|begin| self.is_done(at, begin))
            && section.end.is_none_or(|end| !self.is_done(at, end))
    }

    /// True if the rules let this step happen here.
    fn is_allowed(&self, at: &Position, step: StepId) -> bool {
        self.checks[step as usize]
            .iter()
            .all(|&index| match &self.model.rules[index as usize] {
                Rule::Needs { earlier, .. } => self.is_done(at, *earlier),
                Rule::Ordered { second, .. } => !self.is_done(at, *second),
                Rule::Apart { one, two } => {
                    let other = if one.begin == Some(step) { two } else { one };
                    !self.is_open(at, other)
                }
                Rule::Outside { wait, ended, .. } => {
                    !self.is_done(at, *wait) || ended.is_some_and(|ended| self.is_done(at, ended))
                }
                Rule::Inside { sections, .. } => {
                    sections.iter().any(|section| self.is_open(at, section))
                }
                Rule::Token { park, .. } => {
                    let token = self.tokens.iter().position(|&token| token == index);
                    *park != step || token.is_some_and(|token| at.tokens[token])
                }
            })
    }

    /// Some(found), or `None` if there are too many positions.
    fn from(&mut self, at: &Position) -> Option<bool> {
        if self.seen.len() >= self.most {
            return None;
        }
        if !self.seen.insert(at.clone()) {
            return Some(false);
        }
        let mut gave_up = false;
        for thread in 0..self.model.threads.len() {
            let Some(&step) = self.model.threads[thread].get(at.done[thread] as usize) else {
                continue;
            };
            if at.dead & 1 << thread != 0 || !self.is_allowed(at, step) {
                continue;
            }
            let mut after = at.clone();
            if let Goal::Order(order, _) | Goal::Open(order, _) = self.goal
                && let Some(place) = order.iter().position(|&requested| requested == step)
            {
                if place as u32 != at.progress {
                    continue;
                }
                after.progress += 1;
            }
            let is_target = step == self.goal.target();
            if !self.access(&mut after, step, is_target) {
                continue;
            }
            self.schedule.push(step);
            if is_target && !matches!(self.goal, Goal::Reads(..)) {
                if after.progress as usize == self.requested() {
                    return Some(true);
                }
            } else {
                if is_target {
                    after.progress = 1;
                    if self.changes(step) {
                        after.dead |= 1 << thread;
                    }
                }
                if after.progress == 1 && self.all_done(&after, step) {
                    return Some(true);
                }
                after.done[thread] += 1;
                self.hand_out_tokens(&mut after, step);
                match self.from(&after) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => gave_up = true,
                }
            }
            self.schedule.pop();
            if gave_up {
                return None;
            }
        }
        Some(false)
    }

    /// The requested value is another than that of the trace.
    fn changes(&self, read: StepId) -> bool {
        match self.goal {
            Goal::Reads(_, value, _) => {
                let access = self.model.step(read).access;
                access.is_none_or(|access| access.read != *value)
            }
            Goal::Order(..) | Goal::Open(..) => false,
        }
    }

    fn requested(&self) -> usize {
        match self.goal {
            Goal::Order(steps, _) => steps.len(),
            Goal::Open(steps, _) => steps.len() - 1,
            Goal::Reads(..) => 1,
        }
    }

    /// The goal is a read, and with `last` all other steps of the goal are done.
    fn all_done(&self, at: &Position, last: StepId) -> bool {
        match self.goal {
            Goal::Order(..) | Goal::Open(..) => false,
            Goal::Reads(_, _, also) => also.iter().all(|&step| {
                step == last || self.is_done(at, step) || self.model.in_program_order(step, last)
            }),
        }
    }

    /// Reads and writes; false if the step cannot happen here.
    fn access(&self, at: &mut Position, step: StepId, is_target: bool) -> bool {
        let of = self.model.step(step);
        let Some(access) = of.access.filter(|access| access.valued) else {
            return true;
        };
        let variable = access.variable as usize;
        if access.reads {
            match self.goal {
                Goal::Reads(_, value, also) if is_target => {
                    // What it would write now is not known.
                    let changed = *value != access.read && (access.writes || of.conditional);
                    let last = also.iter().all(|&other| {
                        self.is_done(at, other) || self.model.in_program_order(other, step)
                    });
                    if at.memory[variable] != Some(*value) || changed && !last {
                        return false;
                    }
                    if access.writes {
                        at.memory[variable] = Some(access.wrote);
                    }
                    return true;
                }
                Goal::Reads(_, _, after)
                    if after.contains(&step) && at.memory[variable] != Some(access.read) =>
                {
                    return false;
                }
                _ => {}
            }
            if at.memory[variable] != Some(access.read) {
                let firm = access.writes || of.conditional;
                let must_keep = matches!(self.goal, Goal::Order(_, true) | Goal::Open(_, true));
                if firm && (!is_target || must_keep) {
                    return false;
                }
                at.dead |= 1 << of.thread;
            }
        }
        if access.writes {
            at.memory[variable] = Some(access.wrote);
        }
        true
    }

    fn hand_out_tokens(&self, at: &mut Position, step: StepId) {
        for (token, &index) in self.tokens.iter().enumerate() {
            if let Rule::Token { after, unparks, .. } = &self.model.rules[index as usize]
                && unparks.contains(&step)
                && after.is_none_or(|after| self.is_done(at, after))
            {
                at.tokens[token] = true;
            }
        }
    }
}
