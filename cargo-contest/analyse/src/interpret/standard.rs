//! Calls of the standard library.

use super::super::held_locks::{Held, unprotect};
use super::super::library::Model;
use super::super::mir::body::{Call, Position};
use super::super::mir::ty::{Type, is_std};
use super::super::place::Place;
use super::super::summary::{AccessKind, Mode};
use super::calls::Argument;
use super::{Flow, Interpreter, is_local};

impl Interpreter<'_> {
    pub(super) fn standard(
        &mut self,
        flow: &mut Flow,
        call: &Call,
        arguments: &[Argument],
        model: Model,
        position: Position,
    ) {
        // A method is reported where its name stands.
        let position = if call.named_at.line == 0 {
            position
        } else {
            call.named_at
        };
        let first: Vec<Place> = arguments.first().map(|it| it.0.clone()).unwrap_or_default();
        match model {
            Model::Acquire(mode, blocking) => {
                if self.is_own_lock(arguments) {
                    let at = self.at(position.line);
                    self.summary
                        .inexact("uses a lock that this package implements", at);
                }
                self.acquire(flow, &first, mode, blocking, &call.result, position);
            }
            Model::Wait => self.wait(flow, call, &first, arguments, position),
            Model::Atomic(kind) => {
                self.site(&first, position);
                self.access_all(flow, &first, kind, true, position);
                self.run_closures(flow, arguments, position);
            }
            Model::Cell(kind) => {
                let inside: Vec<Place> = first.iter().map(Place::inside).collect();
                self.site(&first, position);
                self.access_all(flow, &inside, kind, false, position);
            }
            Model::Block => self.block_at(flow, &first, position),
            Model::Park => {
                let thread = self.program.names.unknown("Thread");
                self.block_at(flow, &[thread], position);
            }
            Model::Once => {
                let before = flow.owners.clone();
                self.acquire(flow, &first, Mode::Exclusive, true, &call.result, position);
                flow.owners = before;
                self.run_closures(flow, arguments, position);
                let token = self.block;
                flow.state.held.retain(|it| it.token != token);
                self.access_all(flow, &first, AccessKind::Both, true, position);
            }
            Model::Spawn => {
                let mut other = Flow {
                    state: flow.state.clone(),
                    ..Flow::default()
                };
                other.state.held.clear();
                self.run_closures(&mut other, arguments, position);
                // What another thread does is protected by nothing that is held here.
                unprotect(&mut flow.state);
            }
            Model::ThreadLocal => {
                let closures: Vec<Argument> = arguments.iter().skip(1).cloned().collect();
                self.run_closures(flow, &closures, position);
            }
            Model::Drop => {
                for (places, ty) in arguments {
                    let ty = match ty {
                        Type::Pointer(_, to) => to,
                        ty => ty,
                    };
                    for (path, drop) in self.program.drop_calls(self.function.krate, ty).iter() {
                        let objects = places.iter().map(|it| it.join(path, false)).collect();
                        self.call_functions(
                            flow,
                            &[*drop],
                            &[(objects, ty.clone())],
                            None,
                            position,
                        );
                    }
                }
            }
            Model::Forget => {
                // A forgotten guard is held for ever.
                for operand in &call.arguments {
                    if let super::Operand::Move(place) = operand
                        && flow.owners.remove(&place.local).is_some()
                    {
                        let at = self.at(position.line);
                        self.summary
                            .inexact("leaves a lock locked by forgetting its guard", at);
                    }
                }
            }
            Model::Inside | Model::Same => self.run_closures(flow, arguments, position),
            Model::Element | Model::Plain => {
                // What an iterator leads to is read; the items that it gives may be written.
                let only_reads = model == Model::Element
                    && !arguments
                        .first()
                        .is_some_and(|it| is_container(it.1.referent()));
                self.through_references(flow, arguments, only_reads, position);
                let held = flow.state.held.len();
                self.run_closures(flow, arguments, position);
                if flow.state.held.len() > held {
                    // The guards that a closure returns may be collected: it runs again beside them.
                    self.run_closures(flow, arguments, position);
                }
            }
        }
    }

    /// What a function does with what it is given by reference: a read through every reference and a write through
    /// every `&mut` are assumed.
    fn through_references(
        &mut self,
        flow: &mut Flow,
        arguments: &[Argument],
        only_reads: bool,
        position: Position,
    ) {
        for (places, ty) in arguments {
            let kind = match ty {
                Type::Reference(true, _) | Type::Pointer(true, _) if !only_reads => {
                    AccessKind::Both
                }
                Type::Reference(..) | Type::Pointer(..) => AccessKind::Read,
                _ => continue,
            };
            // A guard, an iterator or a handle is itself no shared memory.
            if matches!(ty.referent(), Type::Closure(_)) {
                continue;
            }
            self.access_all(flow, places, kind, false, position);
        }
    }

    fn site(&mut self, places: &[Place], position: Position) {
        for place in places.iter().filter(|it| !is_local(it)) {
            self.trace.sites.insert((position, *place));
        }
    }

    fn block_at(&mut self, flow: &mut Flow, objects: &[Place], position: Position) {
        let at = self.at(position.line);
        self.site(objects, position);
        for object in objects.iter().filter(|it| !is_local(it)) {
            for held in &flow.state.held {
                self.summary
                    .pair((held.lock, held.mode), (*object, Mode::Exclusive), at);
            }
            self.summary.acquire(*object, Mode::Exclusive, true, at);
            self.trace.lines.entry(position.line).or_default().locks = true;
        }
        self.access_all(flow, objects, AccessKind::Both, true, position);
    }

    fn wait(
        &mut self,
        flow: &mut Flow,
        call: &Call,
        condvars: &[Place],
        arguments: &[Argument],
        position: Position,
    ) {
        let at = self.at(position.line);
        self.site(condvars, position);
        self.access_all(flow, condvars, AccessKind::Read, true, position);
        let line = self.trace.lines.entry(position.line).or_default();
        (line.reads, line.writes, line.locks) = (true, true, true);
        // parking_lot lends the guard, std takes it.
        let guards: Vec<u32> = call
            .arguments
            .iter()
            .skip(1)
            .filter_map(|it| match it {
                super::Operand::Move(place) | super::Operand::Copy(place) => Some(place.local),
                _ => None,
            })
            .flat_map(|local| flow.owners.get(&local).cloned().unwrap_or_default())
            .collect();
        let lent = arguments.get(1).map(|it| it.0.clone()).unwrap_or_default();
        let is_given =
            |held: &Held| guards.contains(&held.token) || lent.contains(&held.lock.inside());
        let (given, kept): (Vec<Held>, Vec<Held>) =
            flow.state.held.iter().cloned().partition(|it| is_given(it));
        for held in &kept {
            let mine = (held.lock, held.mode);
            for condvar in condvars.iter().filter(|it| !is_local(it)) {
                self.summary.pair(mine, (*condvar, Mode::Exclusive), at);
            }
            for other in &given {
                self.summary.pair(mine, (other.lock, other.mode), at);
            }
        }
        // Taken again: another acquisition.
        super::renew(&mut flow.state, self.block);
        for held in &mut flow.state.held {
            if given.contains(held) {
                held.acquisitions = vec![self.block];
            }
        }
        self.run_closures(flow, arguments, position);
    }

    /// Code of the graph that the standard library runs although it is not called by name: a comparison, a hash, a
    /// clone, the next item.
    pub(super) fn implied(
        &mut self,
        flow: &mut Flow,
        name: &str,
        call: &Call,
        arguments: &[Argument],
        position: Position,
    ) {
        let super::super::mir::body::Callee::Path(path) = &call.callee else {
            return;
        };
        let functions = self.program.implied(self.function.krate, path, name);
        for function in functions {
            let matters = self
                .summaries
                .get(function as usize)
                .is_some_and(|it| !it.is_nothing());
            if matters {
                let everything: Vec<Place> = arguments
                    .iter()
                    .flat_map(|it| it.0.iter().copied())
                    .collect();
                let parameters = &self.program.functions[function as usize].body.parameters;
                let given: Vec<Argument> = parameters
                    .iter()
                    .map(|it| (everything.clone(), it.clone()))
                    .collect();
                let before = flow.clone();
                self.call_functions(flow, &[function], &given, None, position);
                *flow = super::join_flows(&before, flow);
            }
        }
    }

    /// `lock_api::Mutex<RawMutex, T>`: that it is a lock is for the tests to show.
    fn is_own_lock(&self, arguments: &[Argument]) -> bool {
        let Some(Type::Named(_, parts)) = arguments.first().map(|it| it.1.referent()) else {
            return false;
        };
        let own = |ty: &Type| match ty {
            Type::Named(path, _) if !is_std(path) => self
                .program
                .declared(self.function.krate, path)
                .is_some_and(|it| !self.program.is_modelled(it.krate)),
            _ => false,
        };
        parts.len() == 2 && own(&parts[0])
    }
}

fn is_container(ty: &Type) -> bool {
    matches!(ty, Type::Slice(_))
        || matches!(
            ty.last(),
            "Vec"
                | "VecDeque"
                | "HashMap"
                | "BTreeMap"
                | "HashSet"
                | "BTreeSet"
                | "LinkedList"
                | "BinaryHeap"
                | "String"
        )
}
