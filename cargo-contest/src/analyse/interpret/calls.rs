//! Calls: what a callee does, in names of its caller.

use std::collections::BTreeMap;

use super::super::effect::{Argument, Mode, Token};
use super::super::held_locks::{Held, Protecting, State, hold, join, protect};
use super::super::place::Place;
use super::super::summary::{Called, Returns, Summary};
use super::{Interpreter, Result_, is_local, is_shared, rename};

impl Interpreter<'_> {
    pub(super) fn call(
        &mut self,
        state: &mut State,
        number: u32,
        callees: &[u32],
        arguments: &[Argument],
        token: Token,
        line: u32,
    ) {
        let places: Vec<Option<Place>> = arguments
            .iter()
            .map(|it| it.place.as_ref().map(|it| self.resolve(it)))
            .collect();
        let mut results: Vec<Result_> = Vec::new();
        let summaries = self.summaries;
        for callee in callees {
            let Some(callee) = summaries.get(*callee as usize) else {
                continue;
            };
            self.call_one(
                state,
                callee,
                arguments,
                &places,
                token,
                callees.len() == 1,
                line,
            );
            results.push(match &callee.returns {
                Returns::Nothing => Result_::Fields(Vec::new()),
                Returns::Unknown => Result_::Unknown,
                Returns::Place(place) => Result_::Place(rename(place, &places)),
                Returns::Fields(fields) => Result_::Fields(
                    fields
                        .iter()
                        .map(|(step, to)| (*step, rename(to, &places)))
                        .collect(),
                ),
            });
        }
        let result = match results.as_slice() {
            [] => Result_::Unknown,
            [Result_::Place(first), rest @ ..]
                if rest
                    .iter()
                    .all(|it| matches!(it, Result_::Place(place) if place == first)) =>
            {
                Result_::Place(*first)
            }
            [Result_::Fields(_)] => results.remove(0),
            _ => Result_::Unknown,
        };
        self.results.insert(number, result);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn call_one(
        &mut self,
        state: &mut State,
        callee: &Summary,
        arguments: &[Argument],
        places: &[Option<Place>],
        token: Token,
        only: bool,
        line: u32,
    ) {
        let at = self.at(line);
        // One number for each lock of the callee: what it holds around a closure is what it holds elsewhere.
        let mut numbers: BTreeMap<(Place, Mode), u32> = BTreeMap::new();
        for (why, its) in &callee.inexact {
            self.summary.inexact(why, *its);
        }
        self.steps += callee.accesses.len()
            + callee.pairs.len()
            + callee.acquires.len() * (1 + state.held.len());
        let mut any_shared = false;
        let mut any = false;
        let mut became_shared = false;
        for ((place, _), access) in &callee.accesses {
            let renamed = rename(place, places);
            let renamed = self.resolve(&renamed);
            if is_local(&renamed) {
                continue;
            }
            any = true;
            let before = access.always || is_shared(place);
            let after = access.always || is_shared(&renamed);
            any_shared |= after;
            became_shared |= after && !before;
            let its = access.at;
            self.summary
                .access(renamed, access.kind(), access.always, its);
        }
        for ((first, second), its) in &callee.pairs {
            let first = (self.resolve(&rename(&first.0, places)), first.1);
            let second = (self.resolve(&rename(&second.0, places)), second.1);
            if !is_local(&first.0) && !is_local(&second.0) {
                self.summary.pair(first, second, *its);
            }
        }
        for ((lock, mode), (blocking, its)) in &callee.acquires {
            let lock = self.resolve(&rename(lock, places));
            if is_local(&lock) {
                continue;
            }
            if *blocking {
                for held in &state.held {
                    self.summary
                        .pair((held.lock, held.mode), (lock, *mode), *its);
                }
            }
            self.summary.acquire(lock, *mode, *blocking, *its);
        }
        let mut own = Vec::new();
        if only {
            let locks = if became_shared {
                &callee.all_locks
            } else {
                &callee.shared_locks
            };
            for (lock, mode) in locks.iter().flatten() {
                let lock = self.resolve(&rename(lock, places));
                let number = self.number(&mut numbers, &lock, *mode);
                own.push(Protecting {
                    lock,
                    mode: *mode,
                    acquisitions: vec![number],
                });
            }
        }
        if any {
            protect(state, any_shared, &own);
        }
        for (parameter, called, _) in &callee.calls {
            let Some(argument) = arguments.get(usize::from(*parameter)) else {
                continue;
            };
            let held: Vec<(Place, Mode)> = called
                .held
                .iter()
                .map(|(lock, mode)| (self.resolve(&rename(lock, places)), *mode))
                .collect();
            let given: Vec<Option<Place>> = called
                .arguments
                .iter()
                .map(|it| it.as_ref().map(|it| self.resolve(&rename(it, places))))
                .collect();
            if let Some(closure) = argument.closure {
                let mut inside = state.clone();
                for (lock, mode) in &held {
                    let number = self.number(&mut numbers, lock, *mode);
                    inside.held.push(Held {
                        lock: *lock,
                        mode: *mode,
                        token: 0,
                        acquisitions: vec![number],
                        surely: true,
                    });
                }
                let after = self.closure(closure, &given, inside);
                state.shared = after.shared;
                state.all = after.all;
            } else if let Some(own) = argument.callable {
                let mut all: Vec<(Place, Mode)> =
                    state.held.iter().map(|it| (it.lock, it.mode)).collect();
                all.extend(held);
                self.summary.call(
                    own,
                    Called {
                        held: all,
                        arguments: given,
                    },
                    at,
                );
            } else {
                self.summary
                    .inexact("passes a function that is not known", at);
                state.shared = Some(Vec::new());
                state.all = Some(Vec::new());
            }
        }
        for (lock, mode, surely) in &callee.returned_locks {
            let lock = self.resolve(&rename(lock, places));
            if is_local(&lock) {
                continue;
            }
            let number = self.number(&mut numbers, &lock, *mode);
            let held = Held {
                lock,
                mode: *mode,
                token,
                acquisitions: vec![number],
                surely: *surely && only,
            };
            hold(state, held);
        }
    }

    pub(super) fn number(
        &mut self,
        numbers: &mut BTreeMap<(Place, Mode), u32>,
        lock: &Place,
        mode: Mode,
    ) -> u32 {
        *numbers.entry((*lock, mode)).or_insert_with(|| {
            self.next += 1;
            self.next
        })
    }

    /// Runs a closure that may be called any number of times.
    pub(super) fn closure(
        &mut self,
        closure: u32,
        arguments: &[Option<Place>],
        state: State,
    ) -> State {
        if self.closures_run.contains(&closure) {
            return state;
        }
        let Some(body) = self.trace.closures.get(closure as usize) else {
            return state;
        };
        for n in 0..4_u16 {
            self.closure_arguments.insert(
                (closure, n),
                arguments.get(usize::from(n)).cloned().flatten(),
            );
        }
        self.closures_run.push(closure);
        let frames = std::mem::take(&mut self.frames);
        let end = self.run(body, Some(state.clone()));
        self.frames = frames;
        self.closures_run.pop();
        end.map_or(state.clone(), |end| join(&state, &end))
    }
}
