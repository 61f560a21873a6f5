//! Calls: what a callee does, in names of its caller.

use super::super::bindings::Places;
use super::super::call_effects::Effects;
use super::super::callees::Target;
use super::super::held_locks::{Held, Protecting, hold, protect, renew};
use super::super::library::may_hold_guard;
use super::super::mir::body::{Call, Operand, PlaceExpression, Position};
use super::super::mir::ty::{Name, Type};
use super::super::place::Place;
use super::super::summary::{AccessKind, Mode, Summary};
use super::{Flow, Interpreter, is_local, is_shared};
use contest_catalog::method_summary::OF_ANOTHER_LANGUAGE;

/// An argument: what it refers to, and its type.
pub(super) type Argument = (Places, Type);

impl Interpreter<'_> {
    pub(super) fn call(&mut self, flow: &mut Flow, call: &Call, position: Position) {
        for operand in &call.arguments {
            self.read(flow, operand, position);
        }
        let arguments = self.bindings.arguments(call);
        let targets = self.targets;
        let target = targets.get(self.block as usize).and_then(Option::as_ref);
        let moved = self.moved_guards(flow, call);
        match target {
            Some(Target::Functions(functions)) => {
                match self.bindings.modelled(functions, call, &arguments) {
                    Some(model) => self.standard(flow, call, &arguments, model, position),
                    None => {
                        // A callee may drop a guard that it is given before it accesses anything.
                        for held in &mut flow.state.held {
                            held.surely &= !moved.contains(&held.token);
                        }
                        self.call_functions(
                            flow,
                            functions,
                            &arguments,
                            Some(&call.result),
                            position,
                        );
                    }
                }
            }
            Some(Target::Open(functions, of_trait)) => {
                self.call_functions(flow, functions, &arguments, Some(&call.result), position);
                let why = format!("calls a method of `dyn {of_trait}`, which others may implement");
                self.unknown(flow, &why, position);
            }
            Some(Target::Standard { owner, name }) => {
                let none = Type::Tuple(Vec::new());
                let receiver = arguments.first().map_or(&none, |it| &it.1);
                let model = super::super::library::model(owner, name, receiver);
                self.implied(flow, name, call, &arguments, position);
                self.standard(flow, call, &arguments, model, position);
            }
            Some(Target::Value) => self.call_value(flow, call, &arguments, position),
            Some(Target::Parameter) => {}
            Some(Target::OtherLanguage(name)) => {
                self.call_unknown(
                    flow,
                    &arguments,
                    &format!("calls `{name}`{OF_ANOTHER_LANGUAGE}"),
                    position,
                );
            }
            Some(Target::Unknown(why)) => self.call_unknown(flow, &arguments, why, position),
            None => self.call_unknown(flow, &arguments, "calls a function pointer", position),
        }
        self.hand_over_guards(flow, call);
        self.access_place(flow, &call.result, AccessKind::Write, position);
    }

    fn moved_guards(&self, flow: &Flow, call: &Call) -> Vec<u32> {
        let moved = call.arguments.iter().filter_map(|it| match it {
            Operand::Move(place) | Operand::Copy(place) => flow.owners.get(&place.local),
            _ => None,
        });
        moved.flatten().copied().collect()
    }

    /// Guards that are moved into a call: the result has them if it can, else they are dropped.
    fn hand_over_guards(&mut self, flow: &mut Flow, call: &Call) {
        let ty = self.bindings.type_of(&call.result);
        let keeps = call.result.is_stored_locally()
            && may_hold_guard(self.program, self.function.krate, &ty);
        for operand in &call.arguments {
            let (Operand::Move(place) | Operand::Copy(place)) = operand else {
                continue;
            };
            if keeps {
                if let Some(tokens) = flow.owners.remove(&place.local) {
                    flow.owners
                        .entry(call.result.local)
                        .or_default()
                        .extend(tokens);
                }
            } else {
                self.release(flow, place.local);
            }
        }
    }

    /// Anything may happen to what is given.
    pub(super) fn call_unknown(
        &mut self,
        flow: &mut Flow,
        arguments: &[Argument],
        why: &str,
        position: Position,
    ) {
        for (places, ty) in arguments {
            if !self.program.carries(self.function.krate, ty) {
                continue;
            }
            let cut: Places = places.iter().map(|it| it.join(&[], true)).collect();
            self.access_all(flow, &cut, AccessKind::Both, true, position);
        }
        self.run_closures(flow, arguments, position);
        self.unknown(flow, why, position);
    }

    /// A function that is passed on by its name.
    pub(super) fn call_named(
        &mut self,
        flow: &mut Flow,
        path: &Name,
        arguments: &[Argument],
        position: Position,
    ) {
        match self.program.function_value(self.function.krate, path) {
            Some(Target::Functions(functions)) => {
                self.call_functions(flow, &functions, arguments, None, position);
            }
            Some(Target::Standard { .. } | Target::Parameter) => {}
            _ => self.unknown(
                flow,
                &format!("passes `{path}`, of which no body is known"),
                position,
            ),
        }
    }

    /// Calls functions of the graph: one of them.
    pub(super) fn call_functions(
        &mut self,
        flow: &mut Flow,
        functions: &[u32],
        arguments: &[Argument],
        result: Option<&PlaceExpression>,
        position: Position,
    ) {
        let summaries = self.summaries;
        if let [function] = functions {
            if let Some(summary) = summaries.get(*function as usize) {
                let callee = (*function, summary);
                self.call_one(flow, callee, arguments, result, true, position);
            }
            return;
        }
        let before = flow.clone();
        let mut after: Option<Flow> = None;
        for function in functions {
            let mut one = before.clone();
            if let Some(summary) = summaries.get(*function as usize) {
                let callee = (*function, summary);
                self.call_one(&mut one, callee, arguments, result, false, position);
            }
            after = Some(match after {
                Some(after) => super::join_flows(&after, &one),
                None => one,
            });
        }
        if let Some(after) = after {
            *flow = after;
        }
    }

    fn call_one(
        &mut self,
        flow: &mut Flow,
        (function, callee): (u32, &Summary),
        arguments: &[Argument],
        result: Option<&PlaceExpression>,
        only: bool,
        position: Position,
    ) {
        let at = self.at(position.line);
        let Effects {
            any,
            any_shared,
            became_shared,
        } = self.effects(function, callee, arguments);
        for ((lock, mode), (blocking, its)) in &callee.acquires {
            if *blocking && !flow.state.held.is_empty() {
                for lock in self.renamed(lock, arguments) {
                    for held in &flow.state.held {
                        self.summary
                            .pair((held.lock, held.mode), (lock, *mode), *its);
                    }
                }
            }
        }
        // One number for each lock of the callee: what it holds around a closure is what it holds elsewhere.
        let mut numbers: Vec<(Place, Mode)> = Vec::new();
        let token = self.block;
        let mut number = |lock: Place, mode: Mode| {
            let at = numbers
                .iter()
                .position(|it| *it == (lock, mode))
                .unwrap_or_else(|| {
                    numbers.push((lock, mode));
                    numbers.len() - 1
                });
            ACQUISITIONS_OF_CALLS
                + token * LOCKS_OF_ONE_CALL
                + u32::try_from(at).unwrap_or(0) % LOCKS_OF_ONE_CALL
        };
        let mut own = Vec::new();
        let locks = if became_shared {
            &callee.all_locks
        } else {
            &callee.shared_locks
        };
        for (lock, mode) in locks.iter().flatten().filter(|_| only) {
            if let [lock] = self.renamed(lock, arguments)[..] {
                let number = number(lock, *mode);
                renew(&mut flow.state, number);
                own.push(Protecting {
                    lock,
                    mode: *mode,
                    acquisitions: vec![number],
                });
            }
        }
        if any {
            protect(&mut flow.state, any_shared, &own);
        }
        for (parameter, called, _) in &callee.calls {
            let Some((places, ty)) = arguments.get(usize::from(*parameter)) else {
                continue;
            };
            let mut inside = flow.clone();
            for (lock, mode) in &called.held {
                for lock in self.renamed(lock, arguments) {
                    let acquisitions = vec![number(lock, *mode)];
                    let held = Held {
                        lock,
                        mode: *mode,
                        token: u32::MAX,
                        acquisitions,
                        surely: true,
                    };
                    hold(&mut inside.state, held);
                }
            }
            let given: Vec<Places> = called
                .arguments
                .iter()
                .map(|of| {
                    of.iter()
                        .flat_map(|it| self.bindings.rename(it, arguments))
                        .collect()
                })
                .collect();
            self.run_callable(&mut inside, places, ty, &given, position);
            let state = super::join(&flow.state, &inside.state);
            flow.state.shared = state.shared;
            flow.state.all = state.all;
        }
        for (lock, mode, surely) in &callee.returned_locks {
            let locks = self.renamed(lock, arguments);
            for lock in &locks {
                let held = Held {
                    lock: *lock,
                    mode: *mode,
                    token,
                    acquisitions: vec![number(*lock, *mode)],
                    surely: *surely && only && locks.len() == 1,
                };
                if !hold(&mut flow.state, held) {
                    self.summary
                        .inexact("holds more locks than are followed", at);
                }
                if let Some(owner) = result.filter(|it| it.is_stored_locally()) {
                    flow.owners.entry(owner.local).or_default().insert(token);
                }
            }
        }
    }

    /// Adds what a callee does whatever is held around the call. A block is visited again when more is held; this part
    /// stays the same, so it is added once for each call.
    fn effects(&mut self, function: u32, callee: &Summary, arguments: &[Argument]) -> Effects {
        let known = self.known_effects.get(&(self.block, function));
        let known = known.and_then(|all| all.iter().find(|(of, _)| of == arguments));
        if let Some((_, effects)) = known {
            return *effects;
        }
        for (why, its) in &callee.inexact {
            self.summary.inexact(why, *its);
        }
        let mut effects = Effects::default();
        for ((place, _), access) in &callee.accesses {
            let before = access.always || is_shared(place);
            for renamed in self.renamed(place, arguments) {
                let after = access.always || is_shared(&renamed);
                effects.any = true;
                effects.any_shared |= after;
                effects.became_shared |= after && !before;
                self.summary
                    .access(renamed, access.kind(), access.always, access.at);
            }
        }
        for ((first, second), its) in &callee.pairs {
            for one in self.renamed(&first.0, arguments) {
                for other in self.renamed(&second.0, arguments) {
                    self.summary.pair((one, first.1), (other, second.1), *its);
                }
            }
        }
        for ((lock, mode), (blocking, its)) in &callee.acquires {
            for lock in self.renamed(lock, arguments) {
                self.summary.acquire(lock, *mode, *blocking, *its);
            }
        }
        let all = self
            .known_effects
            .entry((self.block, function))
            .or_default();
        all.push((arguments.to_vec(), effects));
        effects
    }

    /// A place of a callee in names of this function; without objects made here, which no other thread has access to.
    fn renamed(&self, place: &Place, arguments: &[Argument]) -> Places {
        let mut found = self.bindings.rename(place, arguments);
        found.retain(|it| !is_local(it));
        found
    }
}

/// Acquisitions in callees are numbered apart from those of the function itself, which have the numbers of their
/// blocks.
const ACQUISITIONS_OF_CALLS: u32 = 1 << 24;
const LOCKS_OF_ONE_CALL: u32 = 32;
