//! The rules in their order: what ended the execution, the first panic, calls that hang, results, memory left behind.

use super::beside_tasks::{BesideTasks, explain_beside_tasks};
use super::early_end;
use super::exclusion;
use super::history::History;
use super::linearizability::{Compared, Explanation, Rest, explain};
use super::refusal::waits_asleep;
use super::serial_outcomes::{RunSerially, SerialOutcomes};
use super::trial::rests_on_serial_orders;
use super::verdict::{Suspicion, Verdict};
use super::{
    callbacks, cancelled, deadlock, exit, futurelock, given_out, held_counts, leak, livelock,
    lost_wakeup, non_linearizable, panic, reentrant_waker, refusal, stuck, torn_read, waited_out,
};
use contest_data::finding::FindingKind;
use contest_data::subject::custom::is_bulk;
use contest_data::subject::{Contract, Needs, Operation, Receiver, StandInMode};
use contest_data::test::call_text;
use contest_data::test::{CallName, MainCall, RunnableTest, TestCall, TestShape};
use contest_data::trace::{Ending, ExecutionRecord, Outcome};

/// Judges the executions of one test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'a> {
    /// The test.
    pub test: &'a RunnableTest,
    /// Its shape.
    pub shape: &'a TestShape,
    /// Its serial runs.
    pub outcomes: &'a SerialOutcomes,
    /// Which results count.
    pub compared: &'a Compared,
}

/// True if every call ended, and what is wrong is what they returned or left.
fn is_about_results(suspicion: &Suspicion, history: &History) -> bool {
    let mut calls = history.lane_calls();
    match suspicion.kind {
        FindingKind::NonLinearizable | FindingKind::TornRead => true,
        FindingKind::Cancellation => {
            calls.all(|(_, call)| matches!(call.outcome, Outcome::Returned(_)))
        }
        _ => false,
    }
}

/// What no serial order of these calls explains, in words.
fn difference(rest: &Rest) -> Suspicion {
    let judge = Judge {
        test: &rest.test,
        shape: &TestShape::of(&rest.test),
        outcomes: &rest.outcomes,
        compared: &rest.compared,
    };
    non_linearizable::suspicion(&judge, &rest.history)
}

impl Judge<'_> {
    /// Judges an execution; `run` serves the questions that the serial runs of the whole test leave open.
    pub(crate) fn judge(
        &self,
        record: &ExecutionRecord,
        history: &History,
        run: &mut dyn RunSerially,
    ) -> Verdict {
        use FindingKind::{Cancellation, Invariant, NonLinearizable, Panic, TornRead};
        let verdict = match self.judge_history(history, run) {
            Verdict::Suspect(suspicion) => Verdict::Suspect(Box::new(
                torn_read::about_reads_once_more(self, &record.schedule, history, run, *suspicion),
            )),
            verdict => verdict,
        };
        match verdict {
            Verdict::Suspect(suspicion)
                if is_about_results(&suspicion, history)
                    && self.has_several_calls()
                    && record.writes.stale().next().is_some() =>
            {
                Verdict::Excused(
                    "several calls of one thread were seen in another order, which weak memory orderings allow",
                )
            }
            Verdict::Suspect(suspicion)
                if is_about_results(&suspicion, history)
                    && history.background_steps
                    && !record.schedule.visible.is_empty() =>
            {
                Verdict::Unjudged("results beside background threads that share plain memory")
            }
            Verdict::Suspect(suspicion)
                if is_about_results(&suspicion, history)
                    && history.background_threads > 0
                    && record.writes.stale().next().is_some() =>
            {
                Verdict::Excused(
                    "a write may reach background threads, or come from them, later than others, which weak memory orderings allow",
                )
            }
            Verdict::Suspect(suspicion)
                if is_about_results(&suspicion, history) && !record.writes.spurious.is_empty() =>
            {
                Verdict::Excused(
                    "a weak compare-exchange failed spuriously, which the call may pass on",
                )
            }
            Verdict::Suspect(suspicion)
                if matches!(
                    suspicion.kind,
                    NonLinearizable | TornRead | Cancellation | Panic | Invariant
                ) && held_counts::looked_at(record) =>
            {
                Verdict::Excused(
                    "a count of an `Arc` was looked at while a call held it for a moment",
                )
            }
            Verdict::Suspect(suspicion)
                if rests_on_serial_orders(suspicion.kind)
                    && cancelled::are_too_many(self, history) =>
            {
                Verdict::Unjudged(
                    "more calls are cancelled, or beside cancelled ones, than are left out in all ways",
                )
            }
            // In the order of its steps it reads what it should: an ordering is too weak.
            Verdict::Suspect(suspicion)
                if suspicion.kind == TornRead && record.writes.stale().next().is_some() =>
            {
                Verdict::Suspect(Box::new(Suspicion {
                    kind: NonLinearizable,
                    only_reads: true,
                    ..*suspicion
                }))
            }
            verdict => verdict,
        }
    }

    /// True if all is explained by what calls under way show of themselves, to calls that take the steps of some serial
    /// order, or whom such a call turns away.
    fn is_seen_under_way(&self, history: &History) -> bool {
        let Some(under_way) = &history.under_way else {
            return false;
        };
        let steps = |history: &History, name: CallName| history.call(name)?.steps.clone();
        self.outcomes.runs.iter().any(|run| {
            under_way.iter().all(|name| {
                let here = steps(history, *name);
                here.is_some() && here == steps(&run.history, *name)
                    || refusal::is_turned_away(self, history, *name)
            })
        })
    }

    /// True if some call gives an end of a pair to a future, as `async fn (self)`.
    fn has_future_with_end(&self) -> bool {
        let mut calls = self.test.test.threads.iter().flatten();
        calls.any(|call| {
            let operation = &self.test.subject.operations[usize::from(call.operation)];
            let whole = matches!(operation.receiver, Receiver::End(of) if of.needs == Needs::Whole);
            whole && operation.contract.awaited
        })
    }

    /// True if a thread makes more than one call: whether others must see them in their order is for the orderings to
    /// say.
    fn has_several_calls(&self) -> bool {
        self.test.test.threads.iter().any(|lane| lane.len() > 1)
    }

    /// True if futures of the user's side of the objects wait, so that a call may be cancelled inside of them.
    pub(super) fn users_side_waits(&self) -> bool {
        let constructors = self.test.subject.constructors;
        let mut objects = self.test.test.objects.iter();
        objects.any(|it| {
            let made = constructors.get(usize::from(it.constructor));
            made.is_some_and(|it| it.mode == StandInMode::Waits)
        })
    }

    /// True if a thread calls an operation that adds or takes several values.
    fn adds_several_values(&self) -> bool {
        let operations = &self.test.subject.operations;
        let mut calls = self.test.test.threads.iter().flatten();
        calls.any(|call| is_bulk(operations[usize::from(call.operation)].name))
    }

    /// Judges what the callers saw.
    pub(crate) fn judge_history(&self, history: &History, run: &mut dyn RunSerially) -> Verdict {
        match &history.ending {
            Ending::Abandoned => return Verdict::Pass,
            Ending::StepLimit(_) => return Verdict::Unjudged("step limit"),
            Ending::MemoryLimit(_) => return Verdict::Unjudged("memory limit"),
            Ending::Unsupported(_) => return Verdict::Unjudged("not supported by the engine"),
            Ending::Panicked(_) => return Verdict::Unjudged("panic outside the calls"),
            Ending::Finished | Ending::Deadlock(_) | Ending::Livelock(_) | Ending::Exit(_) => {}
        }
        if !self.outcomes.complete {
            return Verdict::Unjudged("too many serial orders");
        }
        if !history.early_timeout {
            return self.judge_calls(history, run);
        }
        if let Some(verdict) = early_end::judge(self, history) {
            return verdict;
        }
        match self.judge_calls(history, run) {
            Verdict::Suspect(mut suspicion) => {
                let note = early_end::note(history, |call| self.text(call));
                suspicion.details.insert(0, note);
                Verdict::Suspect(suspicion)
            }
            verdict => verdict,
        }
    }

    fn judge_calls(&self, history: &History, run: &mut dyn RunSerially) -> Verdict {
        if let Some(verdict) = callbacks::judge(self, history) {
            return verdict;
        }
        if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &history.ending
            && let Some(verdict) = futurelock::judge(self, history, blocked, run)
        {
            return verdict;
        }
        if let Some((first, call)) = &history.first_panic {
            return match panic::judge(self, history, first, *call, run) {
                Verdict::Suspect(suspicion)
                    if suspicion.kind == FindingKind::Panic
                        && history.polls_in_wake.contains(&first.thread) =>
                {
                    let suspicion = reentrant_waker::about_wakers(self, history, *suspicion);
                    Verdict::Suspect(Box::new(suspicion))
                }
                verdict => verdict,
            };
        }
        match &history.ending {
            Ending::Exit(how) => exit::judge(self, history, how),
            Ending::Deadlock(blocked) | Ending::Livelock(blocked) => {
                if let Some(lost) = lost_wakeup::suspicion(self, history, blocked) {
                    // The thread that would have woken it may hang in a poll of another future.
                    let lost = reentrant_waker::about_wakers(self, history, lost);
                    return Verdict::Suspect(Box::new(lost));
                }
                if history.pending().next().is_none() {
                    return Verdict::Unjudged("a thread hangs outside the calls");
                }
                let calls = stuck::unexplained(self, history, run);
                if calls.is_empty() {
                    return Verdict::Excused("blocks in a serial order too");
                }
                // All that hang are shown: those that may hang alone are part of the knot.
                let calls = history.pending().collect();
                let suspicion = if matches!(history.ending, Ending::Livelock(_)) {
                    livelock::suspicion(self, history, blocked, calls)
                } else {
                    deadlock::suspicion(self, history, blocked, calls)
                };
                let suspicion = cancelled::about_cancelled(self, history, suspicion);
                let suspicion = reentrant_waker::about_wakers(self, history, suspicion);
                Verdict::Suspect(Box::new(suspicion))
            }
            _ => {
                let together = exclusion::judge(self, history, run);
                if let Some(suspect @ Verdict::Suspect(_)) = together {
                    return suspect;
                }
                let results = match self.judge_results(history, run) {
                    Verdict::Suspect(suspicion)
                        if matches!(
                            suspicion.kind,
                            FindingKind::NonLinearizable | FindingKind::TornRead
                        ) && self.is_seen_under_way(history) =>
                    {
                        Verdict::Excused(
                            "calls under way are seen by others, as how many run at once",
                        )
                    }
                    verdict => verdict,
                };
                match results {
                    verdict @ (Verdict::Pass | Verdict::Excused(_)) => {
                        let leaked = leak::judge(self, history, run);
                        leaked.or(together).unwrap_or(verdict)
                    }
                    verdict => verdict,
                }
            }
        }
    }

    fn judge_results(&self, history: &History, run: &mut dyn RunSerially) -> Verdict {
        if !history.early_timeout
            && let Some(suspicion) = waited_out::suspicion(self, history)
        {
            return Verdict::Suspect(Box::new(suspicion));
        }
        match explain(history, self.outcomes, self.compared) {
            Some(Explanation::Linearizable(_)) => return Verdict::Pass,
            Some(Explanation::OnlySequential(_)) => {
                return Verdict::Excused(
                    "sequentially consistent, only real time is not respected",
                );
            }
            Some(Explanation::None(_)) | None => {}
        }
        if history.background_steps {
            return match explain_beside_tasks(self, history, run) {
                BesideTasks::Explained => Verdict::Pass,
                BesideTasks::Unknown(reason) => Verdict::Unjudged(reason),
                BesideTasks::Unexplained(outcomes) => Judge {
                    outcomes: &outcomes,
                    ..*self
                }
                .judge_unexplained(history, run),
            };
        }
        if self.has_future_with_end() {
            return Verdict::Unjudged(
                "a future that owns an end drops it after its result is there, and another call may come between",
            );
        }
        let blocked = history.lane_calls().any(|(_, call)| call.blocked);
        let overlapping = blocked && self.outcomes.some_call_blocks();
        let limited = overlapping && history.early_timeout;
        let with_limits_over = limited
            .then(|| early_end::with_limits_over(self, run))
            .flatten();
        if overlapping && with_limits_over.is_none() {
            return Verdict::Unjudged("results of calls that wait for each other");
        }
        let outcomes = with_limits_over.as_ref().unwrap_or(self.outcomes);
        let explained = explain(history, outcomes, self.compared);
        if explained.is_some_and(|it| !matches!(it, Explanation::None(_))) {
            return Verdict::Pass;
        }
        let unfinished = history
            .lane_calls()
            .chain(history.observer_calls())
            .any(|(_, call)| !matches!(call.outcome, Outcome::Returned(_)));
        if unfinished || self.outcomes.runs.is_empty() {
            return Verdict::Unjudged("calls that did not run");
        }
        Judge { outcomes, ..*self }.judge_unexplained(history, run)
    }

    /// Results that no serial order explains as they are.
    fn judge_unexplained(&self, history: &History, run: &mut dyn RunSerially) -> Verdict {
        if refusal::explains(self, history, run) {
            return Verdict::Excused(match history.early_timeout {
                true => "a call gave up because its time was up, and had no effect",
                false => "a call gave up while another thread was inside",
            });
        }
        if given_out::explains(self, history, run) {
            return Verdict::Excused(
                "a call had a number, like the id of a job, that another one was about to return",
            );
        }
        if refusal::explains_beside_callers_code(self, history, run) {
            return Verdict::Excused(
                "a call gave up while the code that the caller of another one had handed in was running",
            );
        }
        if refusal::may_be_explained_beside_callers_code(self, history, run) {
            return Verdict::Unjudged("too many orders of calls beside the code of their callers");
        }
        let mut calls = history.lane_calls();
        if history.reads_clock && calls.any(|(name, call)| waits_asleep(self, name, call, run)) {
            return Verdict::Unjudged("a call slept to wait, and results may depend on the clock");
        }
        if !self.compared.strict && self.adds_several_values() {
            return Verdict::Excused(
                "an operation on several values at once, which need not be one step",
            );
        }
        if cancelled::explains(self, history, run) {
            return Verdict::Pass;
        }
        if cancelled::explains_what_tasks_leave(self, history, run) {
            return Verdict::Unjudged("a task of a cancelled call was not yet done");
        }
        if cancelled::explains_by_variant(self, history, run) {
            return Verdict::Unjudged(
                "a call was cancelled while code of its user ran, which may have had something in hand",
            );
        }
        let mut given_up = cancelled::cancelled(self, history).into_iter();
        if given_up.any(|call| self.contract(call).polled) {
            // To poll again is all that is not done: the object keeps what the polls have done.
            return Verdict::Unjudged(
                "a poll that is pending may have done a part of the work of the object",
            );
        }
        let mut suspicion = non_linearizable::suspicion(self, history);
        if self.outcomes.some_call_blocks()
            && let Some(rest) = cancelled::without_cancelled(self, history, run)
        {
            // Run to its end, a cancelled call blocks, and there is nothing after it to compare with.
            let of_rest = difference(&rest);
            suspicion.message = of_rest.message;
            suspicion.details = of_rest.details;
            let waits = cancelled::left_waiting(self, history, run);
            if let Some(waits) = waits.filter(|it| !it.is_explained()) {
                let text = format!(
                    "if it goes on until it waits: {}",
                    difference(&waits).message
                );
                suspicion.details.insert(0, text);
            }
        }
        let suspicion = cancelled::about_cancelled(self, history, suspicion);
        let suspicion = torn_read::about_readers(self, history, run, suspicion);
        Verdict::Suspect(Box::new(torn_read::about_objects(
            self, history, run, suspicion,
        )))
    }

    /// True if an observer says something about this history: it failed, or some serial order leaves another value.
    #[must_use]
    pub(crate) fn is_informative(&self, observer: CallName, history: &History) -> bool {
        let Some(here) = history.call(observer) else {
            return false;
        };
        !self.compared.ignored.contains(&observer)
            && self.outcomes.all().any(|run| {
                run.history.call(observer).is_some_and(|there| {
                    !self.compared.equal(observer, &here.outcome, &there.outcome)
                })
            })
    }

    /// What the annotation of the call's operation promises.
    #[must_use]
    pub(crate) fn contract(&self, call: CallName) -> Contract {
        self.operation(call)
            .map_or(Contract::NONE, |it| it.contract)
    }

    /// The operation of a call of a lane, of the prefix or of an observer.
    pub(super) fn operation(&self, call: CallName) -> Option<&'static Operation> {
        let made = self.made(call)?;
        Some(&self.test.subject.operations[usize::from(made.operation)])
    }

    /// A call of a lane, of the prefix or of an observer.
    pub(super) fn made(&self, call: CallName) -> Option<&TestCall> {
        let calls = &self.test.test;
        match call {
            CallName::Lane(lane, number) => {
                calls.threads.get(lane).and_then(|lane| lane.get(number))
            }
            CallName::Main(number) => match self.shape.main_call(number) {
                MainCall::Prefix(index) => calls.prefix.get(index),
                MainCall::Observer(index) => self.test.observers.get(index),
                MainCall::Object(_) | MainCall::Drop => None,
            },
        }
    }

    /// The call as people read it.
    #[must_use]
    pub(crate) fn text(&self, call: CallName) -> String {
        let subject = self.test.subject;
        let made = match call {
            CallName::Lane(lane, number) => self
                .test
                .test
                .threads
                .get(lane)
                .and_then(|calls| calls.get(number)),
            CallName::Main(number) => match self.shape.main_call(number) {
                MainCall::Object(index) => {
                    return self
                        .test
                        .test
                        .objects
                        .get(index)
                        .map_or_else(String::new, |object| {
                            call_text::object(subject, index as u8, object)
                        });
                }
                MainCall::Prefix(index) => self.test.test.prefix.get(index),
                MainCall::Observer(index) => self.test.observers.get(index),
                MainCall::Drop => return "dropping the object".to_owned(),
            },
        };
        made.map_or_else(String::new, |made| call_text::call(subject, made))
    }
}
