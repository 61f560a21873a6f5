//! Operations made of two calls: a handle or guard that an operation returns, and what is done with it.

use super::calls::{Call, identifier};
use super::observation::{is_observer, is_weak, returned};
use super::operations::Operations;
use super::recipes::{Recipes, Request};
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use super::solver::Holds;
use super::std_paths::{is_std, last_segment};
use super::std_traits::is_integer;
use super::subject_catalog::{ArgumentRecipe, OperationEntry, Returned, Taken};

/// Derived operations of one subject.
const MAX_PER_SUBJECT: usize = 12;
/// Derived operations of one operation.
const MAX_PER_OPERATION: usize = 6;

/// What an operation gives, and how to get at it.
struct Handle {
    /// What methods are looked for on.
    ty: RustType,
    /// Around the rest of the chain, which is `{}` with the handle as `it`; empty for a plain chain.
    wrapping: Wrapping,
    /// The handle itself is owned, not a reference to it.
    owned: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Wrapping {
    Plain,
    Option,
    Result,
}

impl Recipes<'_> {
    /// Adds chained operations to those found.
    pub(crate) fn derive_operations(
        &self,
        ty: &RustType,
        operations: &mut Operations,
        declared: &dyn Fn(&Signature) -> String,
    ) {
        let n_direct = operations.found.len();
        for index in 0..n_direct {
            let base = operations.found[index].clone();
            let output = operations.outputs[index].clone();
            if base.taken == Taken::MutableReference || base.returned != Returned::Observe {
                continue;
            }
            let mut room = MAX_PER_SUBJECT.saturating_sub(operations.found.len() - n_direct);
            room = room.min(MAX_PER_OPERATION);
            let mut found = Vec::new();
            if let Some(entry) = self.increment(&base, &output) {
                found.push((entry, output.clone()));
            }
            for handle in self.handles(&output, ty) {
                found.extend(self.chain(ty, &base, &handle, declared));
            }
            for (entry, output) in found.into_iter().take(room) {
                operations.found.push(entry);
                operations.outputs.push(output);
            }
        }
    }

    /// The handle an output is or dereferences to.
    fn handles(&self, output: &RustType, subject: &RustType) -> Vec<Handle> {
        let (wrapping, inner) = match output.path() {
            "core::option::Option" => (Wrapping::Option, output.argument(0)),
            "core::result::Result" => (Wrapping::Result, output.argument(0)),
            _ => (Wrapping::Plain, Some(output)),
        };
        let Some(inner) = inner else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut ty = inner.clone();
        let mut owned = true;
        for _ in 0..4 {
            let of_package = ty
                .as_named()
                .is_some_and(|(path, _)| !is_std(path) && self.solver.library.find(path).is_some());
            let name = last_segment(ty.path());
            let settings = ["Config", "Options", "Settings", "Policy", "Builder"];
            let tells_nothing =
                settings.iter().any(|it| name.contains(it)) || !self.can_change(&ty) && !owned;
            if of_package && ty != *subject && !tells_nothing {
                found.push(Handle {
                    ty: ty.clone(),
                    wrapping,
                    owned,
                });
            }
            let Some(next) = self.dereferenced(&ty) else {
                break;
            };
            ty = next;
            owned = false;
        }
        found
    }

    /// What `*value` is, by guess for guards of crates that were not read.
    fn dereferenced(&self, ty: &RustType) -> Option<RustType> {
        if let Some(target) = self.solver.deref_target(ty) {
            return Some(target);
        }
        let (path, arguments) = ty.as_named()?;
        let name = last_segment(path);
        let unknown = !is_std(path) && self.solver.library.find(path).is_none();
        if unknown && (name.contains("Guard") || name.contains("Ref")) {
            return arguments.iter().rev().find_map(|it| it.as_type()).cloned();
        }
        None
    }

    fn chain(
        &self,
        subject: &RustType,
        base: &OperationEntry,
        handle: &Handle,
        declared: &dyn Fn(&Signature) -> String,
    ) -> Vec<(OperationEntry, RustType)> {
        let mut found = Vec::new();
        for method in self.functions.inherent(handle.ty.path()) {
            let Owner::Inherent(owner) = &method.owner else {
                continue;
            };
            let by_value = match method.inputs.first() {
                Some((
                    name,
                    RustType::Reference {
                        mutable: false, to, ..
                    },
                )) if name == "self" && **to == *owner => false,
                Some((name, ty)) if name == "self" && ty == owner && handle.owned => true,
                _ => continue,
            };
            let mut by = Substitution::new();
            if !bind(owner, &handle.ty, &method.constraints.names(), &mut by) {
                continue;
            }
            let request = Request {
                subject: Some(subject),
                ..Request::PLAIN
            };
            let Ok(call) = self.call(method, by, 1, request) else {
                continue;
            };
            // What borrows from the handle would not outlive it.
            if !by_value && borrows(&call.output) {
                continue;
            }
            if let Some(entry) = self.entry(base, handle, method, &call, declared) {
                found.push((entry, call.output.clone()));
            }
        }
        found
    }

    fn entry(
        &self,
        base: &OperationEntry,
        handle: &Handle,
        method: &Signature,
        call: &Call,
        declared: &dyn Fn(&Signature) -> String,
    ) -> Option<OperationEntry> {
        let n_base = base.arguments.len();
        let placeholders: Vec<String> = (0..call.arguments.len())
            .map(|it| format!("{{{}}}", it + n_base))
            .collect();
        let placeholders = placeholders.join(", ");
        let called = format!(
            ".{}{}({placeholders})",
            identifier(&method.name),
            call.turbofish
        );
        let text = format!(".{}({placeholders})", method.name);
        let returned = match handle.wrapping {
            Wrapping::Plain => returned(&self.solver, &call.output, method.is_async),
            _ => Returned::Observe,
        };
        if returned == Returned::Future && handle.wrapping != Wrapping::Plain || method.is_async {
            return None;
        }
        let arguments: Vec<ArgumentRecipe> = base
            .arguments
            .iter()
            .chain(&call.arguments)
            .cloned()
            .collect();
        let looks = base.observer || base.name.starts_with("get_or");
        Some(OperationEntry {
            name: format!("{}().{}", base.name, method.name),
            text: wrap(handle.wrapping, &base.text, &text),
            expression: wrap(handle.wrapping, &step(&base.expression), &called),
            taken: base.taken,
            arguments,
            returned,
            weak: is_weak(&method.name, returned),
            observer: looks && is_observer(&method.name, &call.output, returned),
            from_trait: base.from_trait.clone(),
            declared: declared(method),
        })
    }

    /// A guard over a number, used to add one.
    fn increment(&self, base: &OperationEntry, output: &RustType) -> Option<OperationEntry> {
        let (wrapping, guard) = match output.path() {
            "core::option::Option" => (Wrapping::Option, output.argument(0)?),
            "core::result::Result" => (Wrapping::Result, output.argument(0)?),
            _ => (Wrapping::Plain, output),
        };
        let target = self.solver.deref_target(guard)?;
        let mutable = self.solver.implements(guard, "core::ops::deref::DerefMut") == Holds::Yes;
        if is_std(guard.path()) || !mutable || !is_integer(&target) {
            return None;
        }
        let body = "{ *guard = (*guard).wrapping_add(1); *guard }";
        let (text, expression) = match wrapping {
            Wrapping::Plain => (
                format!("*{} += 1", base.text),
                format!(
                    "{{ let mut guard = {}; let value = {body}; drop(guard); value }}",
                    step(&base.expression)
                ),
            ),
            Wrapping::Option => (
                format!("{}.map(|mut it| *it += 1)", base.text),
                format!("{}.map(|mut guard| {body})", step(&base.expression)),
            ),
            Wrapping::Result => (
                format!("{}.map(|mut it| *it += 1)", base.text),
                format!("{}.ok().map(|mut guard| {body})", step(&base.expression)),
            ),
        };
        Some(OperationEntry {
            name: format!("{}() += 1", base.name),
            text,
            expression,
            weak: false,
            observer: false,
            ..base.clone()
        })
    }
}

/// The first call of a chain is a call of its own: others may come between it and the rest.
fn step(expression: &str) -> String {
    format!("::contest::macro_support::step({expression})")
}

fn wrap(wrapping: Wrapping, base: &str, rest: &str) -> String {
    match wrapping {
        Wrapping::Plain => format!("{base}{rest}"),
        Wrapping::Option => format!("{base}.map(|it| it{rest})"),
        Wrapping::Result => format!("{base}.ok().map(|it| it{rest})"),
    }
}

/// A reference or a lifetime somewhere in it.
fn borrows(ty: &RustType) -> bool {
    let mut borrows = false;
    ty.visit(&mut |it| {
        borrows |= match it {
            RustType::Reference { .. } | RustType::Impl(_) => true,
            RustType::Named { arguments, .. } => arguments
                .iter()
                .any(|it| matches!(it, super::rust_type::TypeArgument::Lifetime(_))),
            _ => false,
        };
    });
    borrows
}
