//! What is asked about next, and the answer as a plan.

use std::sync::Arc;

use super::waiting::{Ask, Form, Waiting, let_go, rank, reach};
use super::{Aim, Pcr};
use crate::research::predict::{Foresight, Outlook, TraceModel, construct};
use contest_data::trace::{ExecutionRecord, ThreadIndex};

/// Added to the rank of what is asked for tentatively.
const TENTATIVE: usize = 1;
/// Added to the rank of what is asked for without its last access.
const OPEN: usize = 1;
/// Questions that tire as much as a plan.
const QUESTIONS_PER_PLAN: u32 = 8;
/// Most that is added to the rank of a pattern because it was asked for before.
const MOST_TIRED: usize = 31;

impl Pcr {
    /// Plans the next execution; false if no question is left.
    pub fn plan(&mut self) -> bool {
        while let Some((index, stale_rank, ask)) = self.next_ask() {
            // Executions since may have covered it, and questions since tired it.
            let rank = self.rank_now(index, &ask);
            if rank > stale_rank {
                self.waiting[index].push(rank, ask);
                continue;
            }
            if self.is_spared(index, &ask) {
                continue;
            }
            self.counts.let_go += let_go(&mut self.waiting, index, self.settings.held_clauses);
            let waiting = &mut self.waiting[index];
            let wish = match ask.form {
                Form::Open => ask.candidate.open_wish(),
                Form::Whole | Form::Tentative => ask.candidate.wish(),
            };
            let answer = waiting.foresight.ask(
                &wish,
                ask.form == Form::Tentative,
                &self.settings.limits,
                &mut self.cores,
                &mut self.counts.questions,
            );
            match answer {
                Outlook::Possible(order) => {
                    let plan = waiting.foresight.plan(&order);
                    if self.pool.add(&plan) {
                        self.follower.start(plan);
                        if let Some(key) = ask.candidate.key {
                            self.attempts.entry(key).or_default().plans += 1;
                        }
                        self.aim = Some(Aim {
                            key: ask.candidate.key,
                            form: ask.form,
                            then: self.still_to_come(index, &ask),
                        });
                        return true;
                    }
                }
                Outlook::Impossible(blames) if ask.form == Form::Whole => {
                    let by_counters =
                        self.settings.tentative && waiting.foresight.is_up_to_counters(&blames);
                    self.ask_again(index, &ask, Form::Open);
                    if by_counters {
                        self.ask_again(index, &ask, Form::Tentative);
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Asks for what cannot be had as a whole in another form, when its turn comes.
    fn ask_again(&mut self, index: usize, ask: &Ask, form: Form) {
        let again = Ask {
            candidate: ask.candidate.clone(),
            form,
        };
        let rank = self.rank_now(index, &again);
        self.waiting[index].push(rank, again);
    }

    fn still_to_come(&self, index: usize, ask: &Ask) -> Option<(ThreadIndex, u32)> {
        let foresight = &self.waiting[index].foresight;
        let last = *ask.candidate.steps.last()?;
        let step = foresight.model().step(last);
        let thread = foresight.model().indices[usize::from(step.thread)];
        (ask.form == Form::Open).then(|| (thread, foresight.index_of(step.event)))
    }

    fn rank_now(&self, index: usize, ask: &Ask) -> usize {
        self.rank_in(self.waiting[index].foresight.model(), ask)
    }

    fn rank_in(&self, model: &TraceModel, ask: &Ask) -> usize {
        let form = match ask.form {
            Form::Whole => 0,
            Form::Open => OPEN,
            Form::Tentative => {
                (TENTATIVE + self.counts.tentative_diverged as usize).min(MOST_TIRED)
            }
        };
        let base = rank(&ask.candidate, model) + form;
        let Some(key) = ask.candidate.key.filter(|_| self.settings.rules.uncovered) else {
            return base;
        };
        let attempts = self.attempts.get(&key).copied().unwrap_or_default();
        let covered = u32::from(self.coverage.covers(key));
        let tired = (covered + attempts.plans + attempts.questions / QUESTIONS_PER_PLAN) as usize;
        base + tired.min(MOST_TIRED)
    }

    /// True, counted, if there is no use in asking (again).
    fn is_spared(&mut self, index: usize, ask: &Ask) -> bool {
        let Some(key) = ask.candidate.key.filter(|_| self.settings.rules.uncovered) else {
            return false;
        };
        if self.coverage.covers(key) {
            let waiting = &self.waiting[index];
            let state = waiting.state(&ask.candidate).with(ask.form as u64);
            if !self.settings.states || !self.states.insert(state) {
                self.counts.filtered[1] += 1;
                return true;
            }
        } else if self
            .attempts
            .get(&key)
            .is_some_and(|of| of.questions >= self.settings.attempts)
        {
            self.counts.exhausted += 1;
            return true;
        }
        self.attempts.entry(key).or_default().questions += 1;
        false
    }

    /// The best candidate of all traces, the trace it is of, and the rank it had there.
    fn next_ask(&mut self) -> Option<(usize, usize, Ask)> {
        loop {
            let ranks = self.waiting.iter().enumerate();
            let best = ranks
                .filter_map(|(index, waiting)| Some((waiting.best()?, index)))
                .min();
            if let Some((rank, index)) = best {
                return Some((index, rank, self.waiting[index].pop(rank)?));
            }
            // Everything was asked: the next window, or the next trace.
            let waiting = self.waiting.front_mut()?;
            match waiting.windows.pop_front() {
                Some(skip) => {
                    let record = Arc::clone(&waiting.record);
                    let mut next = self.look_ahead(record, skip);
                    let waiting = self.waiting.front_mut()?;
                    next.windows = std::mem::take(&mut waiting.windows);
                    *waiting = next;
                }
                None => {
                    self.held_events -= waiting.record.events.len() as u64;
                    self.waiting.pop_front();
                }
            }
        }
    }

    pub(super) fn look_ahead(&mut self, record: Arc<ExecutionRecord>, skip: usize) -> Waiting {
        let foresight = Foresight::new(
            Arc::clone(&record),
            self.coverage.sites_mut(),
            self.settings.contents,
            skip,
            &self.settings.limits,
            &mut self.counts.questions,
        );
        let construction = construct(foresight.model(), self.settings.rules, &|_| false);
        self.counts.capped += construction.capped;
        for (sum, dropped) in self.counts.filtered.iter_mut().zip(construction.filtered) {
            *sum += dropped;
        }
        let cuts = foresight.cuts();
        self.counts.cuts += cuts.timeouts + cuts.panics + cuts.unknown + cuts.opaque;
        self.counts.capped += cuts.plain;
        let mut waiting = Waiting::new(record, foresight);
        let mut candidates = construction.candidates;
        candidates.sort_by_key(|candidate| std::cmp::Reverse(reach(candidate)));
        for candidate in candidates {
            let ask = Ask {
                candidate,
                form: Form::Whole,
            };
            let rank = self.rank_in(waiting.foresight.model(), &ask);
            waiting.push(rank, ask);
        }
        waiting
    }
}
