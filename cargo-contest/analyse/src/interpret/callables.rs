//! Closures, functions and parameters that are called as values.

use super::super::bindings::Places;
use super::super::held_locks::unprotect;
use super::super::mir::body::{Call, Position};
use super::super::mir::ty::{Name, Type};
use super::super::place::{Place, Root};
use super::super::summary::{Called, Mode};
use super::calls::Argument;
use super::{Flow, Interpreter};

impl Interpreter<'_> {
    /// Calls a value: a closure whose body is known, a parameter, or something that is not known.
    pub(super) fn call_value(
        &mut self,
        flow: &mut Flow,
        call: &Call,
        arguments: &[Argument],
        position: Position,
    ) {
        if let Some((body, given)) = self.bindings.closure_called(call) {
            self.call_functions(flow, &[body], &given, Some(&call.result), position);
            return;
        }
        let Some((places, ty)) = arguments.first() else {
            return;
        };
        if let Type::Function(path) = ty.referent() {
            let path = path.clone();
            self.call_named(flow, &path, &arguments[1..], position);
            return;
        }
        let given = self.bindings.tuple_arguments(call, ty);
        let given: Vec<Places> = given.into_iter().skip(1).map(|it| it.0).collect();
        self.call_callable(flow, places, &given, position);
    }

    /// A parameter is called, of which the caller knows what it is.
    pub(super) fn call_callable(
        &mut self,
        flow: &mut Flow,
        places: &[Place],
        given: &[Places],
        position: Position,
    ) {
        let at = self.at(position.line);
        let held: Vec<(Place, Mode)> = flow
            .state
            .held
            .iter()
            .map(|it| (it.lock, it.mode))
            .collect();
        let mut known = !places.is_empty();
        for place in places {
            match place.root {
                Root::Parameter(number) if place.path().is_empty() => {
                    let called = Called {
                        held: held.clone(),
                        arguments: given.to_vec(),
                    };
                    self.summary.call(number, called, at);
                }
                Root::Local(_) => {}
                _ => known = false,
            }
        }
        if !known {
            self.unknown(flow, "calls a function that is stored somewhere", position);
        }
        unprotect(&mut flow.state);
    }

    /// Runs an argument that is a function.
    pub(super) fn run_callable(
        &mut self,
        flow: &mut Flow,
        places: &[Place],
        ty: &Type,
        given: &[Places],
        position: Position,
    ) {
        match ty.referent() {
            Type::Closure(at) => {
                let Some(body) = self.program.closures.get(at).copied() else {
                    self.unknown(flow, "runs a closure of which no body is known", position);
                    return;
                };
                let parameters = &self.program.functions[body as usize].body.parameters;
                let mut arguments = vec![(places.to_vec(), ty.clone())];
                let types = parameters.iter().skip(1);
                arguments.extend(given.iter().cloned().zip(types.cloned()));
                self.call_functions(flow, &[body], &arguments, None, position);
            }
            Type::Function(path) => {
                let path = path.clone();
                let arguments: Vec<Argument> = given
                    .iter()
                    .map(|it| (it.clone(), Type::Opaque("".into())))
                    .collect();
                self.call_named(flow, &path, &arguments, position);
            }
            _ => self.call_callable(flow, places, given, position),
        }
    }

    /// Runs all closures and functions among the arguments, any number of times.
    pub(super) fn run_closures(
        &mut self,
        flow: &mut Flow,
        arguments: &[Argument],
        position: Position,
    ) {
        for (places, ty) in arguments {
            let before = flow.clone();
            match ty.referent() {
                Type::Closure(at) => {
                    let Some(body) = self.program.closures.get(at).copied() else {
                        continue;
                    };
                    let given = self.bindings.closure_arguments(body, ty, arguments);
                    self.call_functions(flow, &[body], &given, None, position);
                }
                Type::Function(path) => {
                    let path = path.clone();
                    let others: Vec<Argument> =
                        arguments.iter().filter(|it| it.1 != *ty).cloned().collect();
                    self.call_named(flow, &path, &others, position);
                }
                Type::FunctionPointer => {
                    self.unknown(flow, "passes a function pointer", position);
                }
                Type::Named(..) | Type::Opaque(_) if self.is_callable(ty.referent()) => {
                    self.call_callable(flow, places, &[], position);
                }
                _ => continue,
            }
            *flow = super::join_flows(&before, flow);
        }
    }

    /// True for a type parameter that is bound to be a function.
    fn is_callable(&self, ty: &Type) -> bool {
        match ty {
            Type::Opaque(text) => text.contains("impl Fn") || text.contains("impl for<"),
            Type::Named(name, arguments) if arguments.is_empty() => {
                let declarations = &self.program.crates[self.function.krate].declarations;
                let of: Name = self.function_name().into();
                declarations.callable.contains(&(of, name.clone()))
                    || declarations.callable.contains(&("".into(), name.clone()))
            }
            _ => false,
        }
    }

    /// Name of the function, of the one around it for a closure.
    fn function_name(&self) -> &str {
        let path = &self.function.body.path;
        let path = path.split("::{closure").next().unwrap_or(path);
        super::super::mir::ty::last_segment(path)
    }
}
