//! Operations made of two calls: a handle or guard that an operation returns, and what is done with it.

use super::calls::{Call, identifier};
use super::observation::{is_observer, is_weak, returned};
use super::operations::Operations;
use super::recipes::{Recipes, Request};
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use super::solver::Holds;
use super::std_paths::{is_std, last_segment};
use super::std_traits::is_integer;
use super::subject_catalog::{OperationEntry, Returned, Taken};

/// Derived operations of one subject.
const MAX_PER_SUBJECT: usize = 12;
/// Derived operations of one operation.
const MAX_PER_OPERATION: usize = 6;

/// Others may come between what was done to make its argument and what follows.
pub(super) const STEP: &str = "::contest::macro_support::step";

/// What an operation gives, and how to get at it.
struct Handle {
    /// What methods are looked for on.
    ty: RustType,
    wrapping: Wrapping,
    /// It is a `&T`, so nothing happens when it is dropped.
    is_reference: bool,
    /// How often the value is dereferenced on the way; a handle reached by none is owned.
    n_derefs: usize,
}

/// What stands around a handle.
#[derive(Clone, Copy, PartialEq)]
enum Wrapping {
    Plain,
    Option,
    Result,
}

/// An operation and the type of its result.
type Derived = (OperationEntry, RustType);

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
            // The output of a future that is not an `async fn` is not known.
            let is_async = base.returned == Returned::Future;
            let unknown = is_async
                && self
                    .solver
                    .implements(&output, "core::future::future::Future")
                    != Holds::No;
            let usable = matches!(base.returned, Returned::Observe | Returned::Future);
            let for_itself = matches!(base.taken, Taken::MutableReference | Taken::Value);
            if for_itself || !usable || unknown {
                continue;
            }
            let base = first_step(base);
            let mut found: Vec<Derived> = Vec::new();
            found.extend(self.increment(&base, &output));
            for handle in self.handles(&output, ty) {
                found.extend(self.chain(ty, &base, &handle, declared));
            }
            let room = MAX_PER_SUBJECT.saturating_sub(operations.found.len() - n_direct);
            let n_more = found.len().saturating_sub(room.min(MAX_PER_OPERATION));
            found.truncate(found.len() - n_more);
            if n_more > 0 {
                operations.left_out.push(crate::skipped::Skipped::new(
                    format!("{}().*", base.name),
                    format!("{n_more} more operations on what it returns"),
                ));
            }
            for (mut entry, output) in found {
                if is_async {
                    entry.expression = format!("async {{ {} }}", entry.expression);
                    entry.returned = Returned::Future;
                }
                operations.found.push(entry);
                operations.outputs.push(output);
            }
        }
    }

    /// The handles an output is or dereferences to.
    fn handles(&self, output: &RustType, subject: &RustType) -> Vec<Handle> {
        let Some((wrapping, inner)) = unwrapped(output) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut ty = inner.clone();
        for n_derefs in 0..4 {
            let of_package = ty
                .as_named()
                .is_some_and(|(path, _)| !is_std(path) && self.solver.library.find(path).is_some());
            let name = last_segment(ty.path());
            let settings = ["Config", "Options", "Settings", "Policy", "Builder"];
            let tells_nothing = settings.iter().any(|it| name.contains(it))
                || !self.can_change(&ty) && !borrows(&ty);
            if of_package && ty != *subject && !tells_nothing {
                found.push(Handle {
                    ty: ty.clone(),
                    wrapping,
                    is_reference: matches!(inner, RustType::Reference { .. }),
                    n_derefs,
                });
            }
            let Some(next) = self.dereferenced(&ty) else {
                break;
            };
            ty = next;
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
            let mut types = arguments.iter().rev();
            return types.find_map(TypeArgument::as_type).cloned();
        }
        None
    }

    fn chain(
        &self,
        subject: &RustType,
        base: &OperationEntry,
        handle: &Handle,
        declared: &dyn Fn(&Signature) -> String,
    ) -> Vec<Derived> {
        let mut methods: Vec<(Signature, Substitution)> = Vec::new();
        for method in self.functions.inherent(handle.ty.path()) {
            let mut by = Substitution::new();
            let names = method.constraints.names();
            if matches!(&method.owner, Owner::Inherent(it) if bind(it, &handle.ty, &names, &mut by))
            {
                methods.push((method.clone(), by));
            }
        }
        methods.extend(self.trait_functions(&handle.ty));
        let request = Request {
            subject: Some(subject),
            ..Request::PLAIN
        };
        let mut found = Vec::new();
        for (method, mut by) in methods {
            by.insert("Self".to_owned(), TypeArgument::Type(handle.ty.clone()));
            let asks_for_trouble = ["_", "unwrap", "expect"]
                .iter()
                .any(|it| method.name.starts_with(it));
            if !method.is_method() || method.is_async || asks_for_trouble {
                continue;
            }
            let by_value = match self.solver.normalise(method.inputs[0].1.substitute(&by)) {
                RustType::Reference {
                    mutable: false, to, ..
                } if *to == handle.ty => false,
                own if own == handle.ty && handle.n_derefs == 0 => true,
                _ => continue,
            };
            let Ok(call) = self.call(&method, by, 1, request) else {
                continue;
            };
            // What borrows from the handle would not outlive it; what it weakly counts is not worth a test of its own.
            let observer = (base.observer || base.name.starts_with("get_or"))
                && is_observer(&method.name, &call.output, Returned::Observe);
            let weak = is_weak(&method.name, &call.output, Returned::Observe);
            if !by_value && borrows(&call.output) || weak && !observer {
                continue;
            }
            if let Some(mut entry) = self.entry(base, handle, &method, &call, by_value) {
                entry.observer = observer;
                entry.weak = weak;
                entry.declared = declared(&method);
                found.push((entry, call.output));
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
        by_value: bool,
    ) -> Option<OperationEntry> {
        let n_base = base.arguments.len();
        let placeholders: Vec<String> = (0..call.arguments.len())
            .map(|it| format!("{{{}}}", it + n_base))
            .collect();
        let placeholders = placeholders.join(", ");
        let returned = match handle.wrapping {
            Wrapping::Plain => returned(&self.solver, &call.output, false),
            _ => Returned::Observe,
        };
        if returned == Returned::Future && base.returned == Returned::Future {
            return None;
        }
        let called = |place: &str| match &method.owner {
            Owner::Trait(_) => {
                let comma = if placeholders.is_empty() { "" } else { ", " };
                let reference = match (by_value, handle.n_derefs) {
                    (true, _) => String::new(),
                    (false, n_derefs) => format!("&{}", "*".repeat(n_derefs)),
                };
                format!("{}({reference}{place}{comma}{placeholders})", call.path)
            }
            _ => format!(
                "{place}.{}{}({placeholders})",
                identifier(&method.name),
                call.turbofish
            ),
        };
        let text = |place: &str| format!("{place}.{}({placeholders})", method.name);
        // A handle that is given back afterwards is given back in a step of its own.
        let called = |place: &str| {
            if by_value || handle.is_reference {
                return called(place);
            }
            let call = called("handle");
            format!("{{ let handle = {place}; let value = {STEP}({call}); drop(handle); value }}")
        };
        let name = match &method.owner {
            Owner::Trait(bound) => format!("{}::{}", last_segment(&bound.path), method.name),
            _ => method.name.clone(),
        };
        Some(OperationEntry {
            name: format!("{}().{name}", base.name),
            text: wrap(handle.wrapping, &base.text, &text),
            expression: wrap(handle.wrapping, &base.expression, &called),
            arguments: base
                .arguments
                .iter()
                .chain(&call.arguments)
                .cloned()
                .collect(),
            returned,
            ..base.clone()
        })
    }

    /// A guard over a number, used to add one.
    fn increment(&self, base: &OperationEntry, output: &RustType) -> Option<Derived> {
        let (wrapping, guard) = unwrapped(output)?;
        let target = self.solver.deref_target(guard)?;
        let mutable = self.solver.implements(guard, "core::ops::deref::DerefMut") == Holds::Yes;
        if is_std(guard.path()) || !mutable || !is_integer(&target) {
            return None;
        }
        let add = |place: &str| {
            format!(
                "{{ let mut guard = {place}; *guard = (*guard).wrapping_add(1); let value = *guard; drop(guard); value }}"
            )
        };
        let text = |place: &str| format!("*{place} += 1");
        let entry = OperationEntry {
            name: format!("{}() += 1", base.name),
            text: wrap(wrapping, &base.text, &text),
            expression: wrap(wrapping, &base.expression, &add),
            returned: Returned::Observe,
            weak: false,
            observer: false,
            ..base.clone()
        };
        Some((entry, target))
    }
}

/// The operation as the first part of a chain: with its future run, for use inside an `async` block, and as a call of its own, so
/// that others may come between it and the rest.
fn first_step(mut base: OperationEntry) -> OperationEntry {
    if base.returned == Returned::Future {
        base.expression.push_str(".await");
        base.text.push_str(".await");
    }
    base.expression = format!("{STEP}({})", base.expression);
    base
}

fn unwrapped(output: &RustType) -> Option<(Wrapping, &RustType)> {
    match output.path() {
        "core::option::Option" => Some((Wrapping::Option, output.argument(0)?)),
        "core::result::Result" => Some((Wrapping::Result, output.argument(0)?)),
        _ => Some((Wrapping::Plain, output)),
    }
}

/// `rest` of `base`, or of what is inside it.
fn wrap(wrapping: Wrapping, base: &str, rest: &dyn Fn(&str) -> String) -> String {
    match wrapping {
        Wrapping::Plain => rest(base),
        Wrapping::Option => format!("{base}.map(|it| {})", rest("it")),
        Wrapping::Result => format!("{base}.ok().map(|it| {})", rest("it")),
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
                .any(|it| matches!(it, TypeArgument::Lifetime)),
            _ => false,
        };
    });
    borrows
}
