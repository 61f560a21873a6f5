//! Operations made of two calls: one that returns a handle or guard, and one on that handle.

use super::calls::{Call, identifier};
use super::cancel_safety::not_cancel_safe;
use super::holds::Holds;
use super::observation::{is_approximate, is_observer, is_weak, returned};
use super::operations::Operations;
use super::recipes::Recipes;
use super::request::Request;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use super::std_paths::{is_std, last_segment};
use super::std_traits::is_integer;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{OperationEntry, Returned, Taken};

/// Derived operations of one subject.
const MAX_PER_SUBJECT: usize = 12;
/// Derived operations of one operation.
const MAX_PER_OPERATION: usize = 6;

/// A handle that an operation returns, and how to reach it.
struct Handle {
    /// The type whose methods are called.
    ty: RustType,
    wrapping: Wrapping,
    /// It is a `&T`, so nothing happens when it is dropped.
    is_reference: bool,
    /// How often the value is dereferenced on the way; a handle reached by none is owned.
    n_derefs: usize,
}

/// The type around a handle.
#[derive(Clone, Copy, PartialEq)]
enum Wrapping {
    Plain,
    Option,
    Result,
}

/// How a method takes a handle.
#[derive(Clone, Copy, PartialEq)]
enum Receiver {
    Value,
    Shared,
    Exclusive,
}

/// An operation and the type of its result.
type Derived = (OperationEntry, RustType);

/// Adds chained operations to those found.
pub(super) fn derive_operations(
    recipes: &Recipes<'_>,
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
            && recipes
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
        found.extend(increment(recipes, &base, &output));
        for handle in handles(recipes, &output, ty) {
            found.extend(chain(recipes, ty, &base, &handle, declared));
        }
        let room = MAX_PER_SUBJECT.saturating_sub(operations.found.len() - n_direct);
        let n_more = found.len().saturating_sub(room.min(MAX_PER_OPERATION));
        found.truncate(found.len() - n_more);
        if n_more > 0 {
            operations
                .left_out
                .push(contest_catalog::skipped::Skipped::new(
                    format!("{}().*", base.name),
                    format!("{n_more} more operations on what it returns"),
                ));
        }
        for (mut entry, output) in found {
            if is_async {
                entry.expression = entry.expression.between("async { ", " }");
                entry.returned = Returned::Future;
            }
            operations.found.push(entry);
            operations.outputs.push(output);
        }
    }
}

/// The handles an output is or dereferences to.
fn handles(recipes: &Recipes<'_>, output: &RustType, subject: &RustType) -> Vec<Handle> {
    let Some((wrapping, inner)) = unwrapped(output) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut ty = inner.clone();
    for n_derefs in 0..4 {
        let of_package = ty
            .as_named()
            .is_some_and(|(path, _)| !is_std(path) && recipes.solver.library.find(path).is_some());
        let name = last_segment(ty.path());
        let settings = ["Config", "Options", "Settings", "Policy", "Builder"];
        let is_irrelevant = settings.iter().any(|it| name.contains(it))
            || !recipes.solver.can_change(&ty) && !borrows(&ty);
        if of_package && ty != *subject && !is_irrelevant {
            found.push(Handle {
                ty: ty.clone(),
                wrapping,
                is_reference: matches!(inner, RustType::Reference { .. }),
                n_derefs,
            });
        }
        let Some(next) = dereferenced(recipes, &ty) else {
            break;
        };
        ty = next;
    }
    found
}

/// The type of `*value`, guessed for guards of crates that were not read.
fn dereferenced(recipes: &Recipes<'_>, ty: &RustType) -> Option<RustType> {
    if let Some(target) = recipes.solver.deref_target(ty) {
        return Some(target);
    }
    let (path, arguments) = ty.as_named()?;
    let name = last_segment(path);
    let unknown = !is_std(path) && recipes.solver.library.find(path).is_none();
    if unknown && (name.contains("Guard") || name.contains("Ref")) {
        let mut types = arguments.iter().rev();
        return types.find_map(TypeArgument::as_type).cloned();
    }
    None
}

fn chain(
    recipes: &Recipes<'_>,
    subject: &RustType,
    base: &OperationEntry,
    handle: &Handle,
    declared: &dyn Fn(&Signature) -> String,
) -> Vec<Derived> {
    let mut methods: Vec<(Signature, Substitution)> = Vec::new();
    for method in recipes.functions.inherent(handle.ty.path()) {
        let mut by = Substitution::new();
        let names = method.constraints.names();
        if matches!(&method.owner, Owner::Inherent(it) if bind(it, &handle.ty, &names, &mut by)) {
            methods.push((method.clone(), by));
        }
    }
    methods.extend(recipes.solver.trait_functions(&handle.ty));
    let request = Request {
        subject: Some(subject),
        ..Request::PLAIN
    };
    let mut found = Vec::new();
    for (method, mut by) in methods {
        by.insert("Self".to_owned(), TypeArgument::Type(handle.ty.clone()));
        let may_panic = ["_", "unwrap", "expect"]
            .iter()
            .any(|it| method.name.starts_with(it));
        if !method.is_method() || may_panic {
            continue;
        }
        // Only for handles that borrow the object: others change the caller's own data.
        let exclusive = handle.n_derefs == 0
            && !handle.is_reference
            && borrows(&handle.ty)
            && matches!(method.owner, Owner::Inherent(_));
        let receiver = match recipes.solver.normalise(method.inputs[0].1.substitute(&by)) {
            RustType::Reference { mutable, to, .. }
                if *to == handle.ty && (!mutable || exclusive) =>
            {
                if mutable {
                    Receiver::Exclusive
                } else {
                    Receiver::Shared
                }
            }
            own if own == handle.ty && handle.n_derefs == 0 => Receiver::Value,
            _ => continue,
        };
        let by_value = receiver == Receiver::Value;
        // The future has to own the handle, or to be awaited where that is.
        let awaited = is_awaited(handle, &method, receiver);
        if awaited && !(receiver == Receiver::Shared && is_owned(handle)) {
            continue;
        }
        let Ok(call) = recipes.call(&method, by, 1, request) else {
            continue;
        };
        // A result that borrows from the handle would not outlive it; weakly consistent methods of a handle are not
        // worth a test.
        let observer = (base.observer || base.name.starts_with("get_or"))
            && is_observer(&method.name, &call.output, Returned::Observe);
        let weak = is_weak(&method.name, &call.output, Returned::Observe);
        if !by_value && borrows(&call.output) || weak && !observer {
            continue;
        }
        if let Some(mut entry) = entry(recipes, base, handle, &method, &call, receiver) {
            entry.observer = observer && !awaited;
            entry.may_observe = false;
            entry.weak = weak;
            entry.approximate = is_approximate(&method.docs, &call.output);
            entry.declared = declared(&method);
            found.push((entry, call.output));
        }
    }
    found
}

/// True if nothing else has the handle, and it borrows nothing.
fn is_owned(handle: &Handle) -> bool {
    handle.n_derefs == 0 && !handle.is_reference && !borrows(&handle.ty)
}

/// True if the call is awaited where its handle is, for its future does not own it.
fn is_awaited(handle: &Handle, method: &Signature, receiver: Receiver) -> bool {
    let owns = receiver == Receiver::Value && handle.wrapping == Wrapping::Plain;
    method.is_async && !owns
}

fn entry(
    recipes: &Recipes<'_>,
    base: &OperationEntry,
    handle: &Handle,
    method: &Signature,
    call: &Call,
    receiver: Receiver,
) -> Option<OperationEntry> {
    let by_value = receiver == Receiver::Value;
    let awaited = is_awaited(handle, method, receiver);
    let n_base = base.arguments.len();
    let holes = || Expression::arguments(n_base, call.arguments.len());
    let returned = match handle.wrapping {
        _ if awaited => Returned::Future,
        Wrapping::Plain => returned(&recipes.solver, &call.output, method.is_async),
        _ => Returned::Observe,
    };
    if returned == Returned::Future && base.returned == Returned::Future && !awaited {
        return None;
    }
    let called = |place: Expression| match &method.owner {
        Owner::Trait(_) => {
            let reference = match (by_value, handle.n_derefs) {
                (true, _) => String::new(),
                (false, n_derefs) => format!("&{}", "*".repeat(n_derefs)),
            };
            let first = std::iter::once(place.between(reference, ""));
            Expression::call(&call.path, first.chain(holes()))
        }
        _ => {
            let name = format!("{}{}", identifier(&method.name), call.turbofish);
            place.method(name, holes())
        }
    };
    let text = |place: Expression| place.method(&method.name, holes());
    // A handle that is dropped afterwards is dropped in a step of its own. It may refer to an end of a pair, which is
    // lent until the end of the `match`.
    let called = |place: Expression| {
        if by_value || handle.is_reference {
            return called(place);
        }
        let bound = match receiver {
            Receiver::Exclusive => " { mut handle => { let value = ",
            _ => " { handle => { let value = ",
        };
        Expression::Sequence(vec![
            "match ".into(),
            place,
            bound.into(),
            called("handle".into()).step(),
            if awaited { ".await" } else { "" }.into(),
            "; drop(handle); value } }".into(),
        ])
    };
    let (text, expression) = if awaited {
        let expression = wrap_awaited(handle.wrapping, &base.expression, &called);
        let expression = match base.returned {
            Returned::Future => expression,
            _ => expression.between("async { ", " }"),
        };
        let unwrap = match handle.wrapping {
            Wrapping::Plain => "",
            Wrapping::Option => "?",
            Wrapping::Result => ".ok()?",
        };
        let on_handle = text(base.text.clone().between("", unwrap));
        (on_handle.between("", ".await"), expression)
    } else {
        let text = wrap(handle.wrapping, &base.text, &text);
        (text, wrap(handle.wrapping, &base.expression, &called))
    };
    let name = match &method.owner {
        Owner::Trait(bound) => format!("{}::{}", last_segment(&bound.path), method.name),
        _ => method.name.clone(),
    };
    Some(OperationEntry {
        name: format!("{}().{name}", base.name),
        text,
        expression,
        arguments: base
            .arguments
            .iter()
            .chain(&call.arguments)
            .cloned()
            .collect(),
        returned,
        not_cancel_safe: not_cancel_safe(&method.docs).filter(|_| returned == Returned::Future),
        ..base.clone()
    })
}

/// A guard over a number, used to add one.
fn increment(recipes: &Recipes<'_>, base: &OperationEntry, output: &RustType) -> Option<Derived> {
    let (wrapping, guard) = unwrapped(output)?;
    let target = recipes.solver.deref_target(guard)?;
    let mutable = recipes
        .solver
        .implements(guard, "core::ops::deref::DerefMut")
        == Holds::Yes;
    if is_std(guard.path()) || !mutable || !is_integer(&target) {
        return None;
    }
    let add = |place: Expression| {
        place.between(
            "match ",
            " { mut guard => { *guard = (*guard).wrapping_add(1); let value = *guard; drop(guard); value } }",
        )
    };
    let text = |place: Expression| place.between("*", " += 1");
    let entry = OperationEntry {
        name: format!("{}() += 1", base.name),
        text: wrap(wrapping, &base.text, &text),
        expression: wrap(wrapping, &base.expression, &add),
        returned: Returned::Observe,
        weak: false,
        approximate: false,
        observer: false,
        may_observe: false,
        ..base.clone()
    };
    Some((entry, target))
}

/// The operation as the first part of a chain: with its future run, for use inside an `async` block, and as a call of
/// its own, so that others may come between it and the rest.
fn first_step(mut base: OperationEntry) -> OperationEntry {
    if base.returned == Returned::Future {
        base.expression = base.expression.between("", ".await");
        base.text = base.text.between("", ".await");
    }
    base.expression = base.expression.step();
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
fn wrap(
    wrapping: Wrapping,
    base: &Expression,
    rest: &dyn Fn(Expression) -> Expression,
) -> Expression {
    let base = base.clone();
    let mapped =
        |option: Expression| option.method("map", [rest("it".into()).between("|it| ", "")]);
    match wrapping {
        Wrapping::Plain => rest(base),
        Wrapping::Option => mapped(base),
        Wrapping::Result => mapped(base.method("ok", [])),
    }
}

/// As [`wrap`], for a rest that awaits, which a closure cannot.
fn wrap_awaited(
    wrapping: Wrapping,
    base: &Expression,
    rest: &dyn Fn(Expression) -> Expression,
) -> Expression {
    let (some, none) = match wrapping {
        Wrapping::Plain => return rest(base.clone()),
        Wrapping::Option => ("option::Option::Some", "option::Option::None"),
        Wrapping::Result => ("result::Result::Ok", "result::Result::Err(_)"),
    };
    Expression::Sequence(vec![
        "match ".into(),
        base.clone(),
        format!(" {{ ::core::{some}(it) => ::core::option::Option::Some(").into(),
        rest("it".into()),
        format!("), ::core::{none} => ::core::option::Option::None }}").into(),
    ])
}

/// A reference or a lifetime somewhere in it.
pub(super) fn borrows(ty: &RustType) -> bool {
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
