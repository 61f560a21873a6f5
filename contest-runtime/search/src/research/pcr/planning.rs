//! Chooses the next query and makes its answer a plan.

use std::sync::Arc;

use super::waiting::{Form, Query, Waiting, let_go, rank, reach};
use super::{Aim, Pcr};
use crate::research::predict::{Foresight, Prediction, TraceModel, construct};
use contest_data::sorted;
use contest_data::trace::{ExecutionRecord, ThreadIndex};

/// Added to the rank of a tentative query.
const TENTATIVE: usize = 1;
/// Added to the rank of an open query.
const OPEN: usize = 1;
/// Queries that lower the priority of a pattern as much as one plan does.
const QUESTIONS_PER_PLAN: u32 = 8;
/// Most that is added to the rank of a pattern because of earlier queries.
const MOST_TIRED: usize = 31;

impl Pcr {
    /// Plans the next execution; false if no query is left.
    pub fn plan(&mut self) -> bool {
        while let Some((index, stale_rank, query)) = self.next_query() {
            // Its rank may have changed: executions since may have covered it, and queries since lowered its priority.
            let rank = self.rank_now(index, &query);
            if rank > stale_rank {
                self.waiting[index].push(rank, query);
                continue;
            }
            if self.is_spared(index, &query) {
                continue;
            }
            self.counts.let_go += let_go(&mut self.waiting, index, self.settings.held_clauses);
            let waiting = &mut self.waiting[index];
            let goal = match query.form {
                Form::Open => query.candidate.open_goal(),
                Form::Whole | Form::Tentative => query.candidate.goal(),
            };
            let answer = waiting.foresight.query(
                &goal,
                query.form == Form::Tentative,
                &self.settings.limits,
                &mut self.cores,
                &mut self.counts.questions,
            );
            match answer {
                Prediction::Possible(order) => {
                    let plan = waiting.foresight.plan(&order);
                    if self.pool.add(&plan) {
                        self.follower.start(plan);
                        if let Some(key) = query.candidate.key {
                            self.attempts.entry(key).or_default().plans += 1;
                        }
                        self.aim = Some(Aim {
                            key: query.candidate.key,
                            form: query.form,
                            then: self.still_to_come(index, &query),
                        });
                        return true;
                    }
                }
                Prediction::Impossible(core) if query.form == Form::Whole => {
                    let by_counters =
                        self.settings.tentative && waiting.foresight.is_up_to_counters(&core);
                    self.retry_as(index, &query, Form::Open);
                    if by_counters {
                        self.retry_as(index, &query, Form::Tentative);
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Queues an infeasible pattern again in another form.
    fn retry_as(&mut self, index: usize, query: &Query, form: Form) {
        let again = Query {
            candidate: query.candidate.clone(),
            form,
        };
        let rank = self.rank_now(index, &again);
        self.waiting[index].push(rank, again);
    }

    fn still_to_come(&self, index: usize, query: &Query) -> Option<(ThreadIndex, u32)> {
        let foresight = &self.waiting[index].foresight;
        let last = *query.candidate.steps.last()?;
        let step = foresight.model().step(last);
        let thread = foresight.model().indices[usize::from(step.thread)];
        (query.form == Form::Open).then(|| (thread, foresight.index_of(step.event)))
    }

    fn rank_now(&self, index: usize, query: &Query) -> usize {
        self.rank_in(self.waiting[index].foresight.model(), query)
    }

    fn rank_in(&self, model: &TraceModel, query: &Query) -> usize {
        let form = match query.form {
            Form::Whole => 0,
            Form::Open => OPEN,
            Form::Tentative => {
                (TENTATIVE + self.counts.tentative_diverged as usize).min(MOST_TIRED)
            }
        };
        let base = rank(&query.candidate, model) + form;
        let Some(key) = query
            .candidate
            .key
            .filter(|_| self.settings.rules.uncovered)
        else {
            return base;
        };
        let attempts = self.attempts.get(&key).copied().unwrap_or_default();
        let covered = u32::from(self.coverage.covers(key));
        let tired = (covered + attempts.plans + attempts.questions / QUESTIONS_PER_PLAN) as usize;
        base + tired.min(MOST_TIRED)
    }

    /// True, and counted, if the query need not be made.
    fn is_spared(&mut self, index: usize, query: &Query) -> bool {
        let Some(key) = query
            .candidate
            .key
            .filter(|_| self.settings.rules.uncovered)
        else {
            return false;
        };
        if self.coverage.covers(key) {
            let waiting = &self.waiting[index];
            let state = waiting.state(&query.candidate).with(query.form as u64);
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
    fn next_query(&mut self) -> Option<(usize, usize, Query)> {
        loop {
            let ranks = self.waiting.iter().enumerate();
            let best = ranks
                .filter_map(|(index, waiting)| Some((waiting.best()?, index)))
                .min();
            if let Some((rank, index)) = best {
                return Some((index, rank, self.waiting[index].pop(rank)?));
            }
            // No query is left: the next window, or the next trace.
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
        sorted::sort_by_key(&mut candidates, |candidate| {
            std::cmp::Reverse(reach(candidate))
        });
        for candidate in candidates {
            let query = Query {
                candidate,
                form: Form::Whole,
            };
            let rank = self.rank_in(waiting.foresight.model(), &query);
            waiting.push(rank, query);
        }
        waiting
    }
}
