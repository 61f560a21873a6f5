//! Operations of a subject: its methods, those of the crate's own traits, `Clone`, and what can be done with handles
//! they return.

use super::announced_panics::announced_panic;
use super::calls::{Call, identifier};
use super::cancel_safety::not_cancel_safe;
use super::holds::Holds;
use super::observation::{
    changes_later, docs_say_loose, is_approximate, is_getter, is_measure, is_observer, is_weak,
    may_observe, returned, takes_out,
};
use super::pinned::{pinned_object, unpinned};
use super::polls::Polled;
use super::probe_operations::probe_operations;
use super::recipes::Recipes;
use super::render::source;
use super::request::Request;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned, Taken};
use contest_data::subject::{Keeping, UserCode};

/// Most operations on clones of one object.
const MOST_HANDLES: usize = 8;

/// Most operations with which objects of one type end, beside a drop: each test has one of them.
const MOST_ENDINGS: usize = 3;

/// Operations and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    pub(crate) found: Vec<OperationEntry>,
    pub(crate) left_out: Vec<Skipped>,
    /// What each of `found` returns.
    pub(crate) outputs: Vec<RustType>,
}

impl Operations {
    /// Operations that take the object by value are called on a clone, if there can be one: a handle is given away, and
    /// others of its kind are still there. What takes it by `&mut` is called on a clone as well as on the object
    /// itself, where a clone shares what can change with it: each thread has a handle of its own.
    pub(crate) fn give_clones(&mut self, recipes: &Recipes<'_>, ty: &RustType) {
        let clones = recipes.solver.implements(ty, "core::clone::Clone") == Holds::Yes;
        let Ok(written) = source(recipes.solver.library, ty) else {
            return;
        };
        let taken = |it: &&mut OperationEntry| it.taken == Taken::Value && clones;
        for entry in self.found.iter_mut().filter(taken) {
            let clone = Expression::call(
                format!("<{written} as std::clone::Clone>::clone"),
                [Expression::Object],
            );
            let shown = Expression::Object.method("clone", []);
            let on = |expression: &Expression, by: Expression| {
                expression.fill(&|hole| matches!(hole, Hole::Object { .. }).then(|| by.clone()))
            };
            entry.expression = on(&entry.expression, clone.step());
            entry.text = on(&entry.text, shown);
            entry.taken = Taken::Reference;
            entry.observer = false;
        }
        if clones && recipes.solver.is_handle(ty) {
            self.add_handles(&written);
        }
    }

    /// What takes the object of this type by `&mut`, once more on a clone of it.
    fn add_handles(&mut self, written: &str) {
        let exclusive = (0..self.found.len()).filter(|&at| {
            let entry = &self.found[at];
            entry.taken == Taken::MutableReference && !entry.polled && !self.lends(at)
        });
        let exclusive: Vec<usize> = exclusive.take(MOST_HANDLES).collect();
        for at in exclusive {
            let clone = format!("<{written} as std::clone::Clone>::clone");
            let clone = Expression::call(clone, [Expression::Object]);
            let on = |expression: &Expression, by: Expression| {
                expression.fill(&|hole| matches!(hole, Hole::Object { .. }).then(|| by.clone()))
            };
            let of = &self.found[at];
            let mut expression = on(&of.expression, clone.step().between("(&mut ", ")"));
            if of.returned == Returned::Future {
                // The future may borrow the clone.
                expression = expression.between("async { ", ".await }");
            }
            let text = on(&of.text, Expression::Object.method("clone", []));
            let entry = OperationEntry {
                expression,
                text,
                taken: Taken::Reference,
                observer: false,
                may_observe: false,
                ..of.clone()
            };
            let output = self.outputs[at].clone();
            self.found.push(entry);
            self.outputs.push(output);
        }
    }

    /// True if the result of the operation may borrow from the object.
    fn lends(&self, at: usize) -> bool {
        let mut borrows = false;
        self.outputs[at].visit(&mut |it| {
            borrows |= match it {
                RustType::Reference { .. } => true,
                RustType::Named { arguments, .. } => {
                    let mut all = arguments.iter();
                    all.any(|it| matches!(it, TypeArgument::Lifetime))
                }
                _ => false,
            };
        });
        borrows
    }

    /// Removes operations that take the object by value, and returns those with which an object of this type can end.
    /// Of a type with a `Drop` of its own, the first of them is the drop.
    pub(crate) fn take_endings(
        &mut self,
        recipes: &Recipes<'_>,
        ty: &RustType,
    ) -> Vec<OperationEntry> {
        let mut endings = Vec::new();
        let mut outputs = std::mem::take(&mut self.outputs).into_iter();
        for entry in std::mem::take(&mut self.found) {
            let output = outputs.next();
            if entry.taken == Taken::Value {
                let why = match output {
                    // A setter of a builder.
                    Some(output) if output == *ty => "takes the object by value and returns it",
                    _ if entry.takes_other_object() => "takes the object by value and another one",
                    _ if endings.len() == MOST_ENDINGS => {
                        "takes the object by value; three others that do are tested"
                    }
                    _ => {
                        endings.push(entry);
                        continue;
                    }
                };
                self.left_out.push(Skipped::new(entry.name, why));
            } else {
                self.found.push(entry);
                self.outputs.extend(output);
            }
        }
        let dropped = recipes.solver.implements(ty, "core::ops::drop::Drop") == Holds::Yes;
        if dropped && !endings.is_empty() {
            let call = Expression::call("std::mem::drop", [Expression::Object]);
            let text = Expression::call("drop", [Expression::Object]);
            endings.insert(0, OperationEntry::new("drop", Taken::Value, call, text));
        }
        endings
    }

    /// Keeps operations by shared reference only, for an object that must stay on its thread.
    pub(crate) fn keep_where_it_is(&mut self) {
        let arguments_stay = |it: &OperationEntry| {
            let mut passed = it.arguments.iter().map(|it| it.passed);
            passed.all(|it| it != Passed::OtherObjectArc)
        };
        let mut outputs = std::mem::take(&mut self.outputs).into_iter();
        for entry in std::mem::take(&mut self.found) {
            let output = outputs.next();
            if entry.taken == Taken::Reference && arguments_stay(&entry) {
                self.found.push(entry);
                self.outputs.extend(output);
            } else {
                let why = "is tried with values that are `Send`";
                self.left_out.push(Skipped::new(entry.name, why));
            }
        }
    }
}

impl Recipes<'_> {
    /// Remembers which types these operations return.
    pub(crate) fn note_returned(&self, operations: &Operations) {
        let mut returned = self.returned.borrow_mut();
        for output in &operations.outputs {
            output.visit(&mut |it| {
                if let Some((path, _)) = it.as_named() {
                    returned.insert(path.to_owned());
                }
            });
        }
    }
}

/// All operations of `ty`; `declared` turns a place into `src/lib.rs:12`.
pub(super) fn operations(
    recipes: &Recipes<'_>,
    ty: &RustType,
    declared: &dyn Fn(&Signature) -> String,
) -> Operations {
    let mut operations = Operations::default();
    for method in recipes.functions.inherent(ty.path()) {
        let Owner::Inherent(owner) = &method.owner else {
            continue;
        };
        let mut by = Substitution::new();
        if !bind(owner, ty, &method.constraints.names(), &mut by) {
            let receiver = method.inputs.first().and_then(|(_, it)| taken(it, owner));
            if receiver.is_some() {
                operations.left_out.push(Skipped::new(
                    method.name.clone(),
                    format!("only for `{}`", super::render::short_text(owner)),
                ));
            }
            continue;
        }
        add(recipes, &mut operations, ty, method, by, None, declared);
    }
    for function in recipes.functions.takers(ty.path()) {
        let mut by = Substitution::new();
        let names = function.constraints.names();
        if matches!(&function.inputs[0].1, RustType::Reference { to, .. } if bind(to, ty, &names, &mut by))
        {
            add(recipes, &mut operations, ty, function, by, None, declared);
        }
    }
    trait_operations(recipes, &mut operations, ty, declared);
    clone_operation(recipes, &mut operations, ty);
    for (entry, output) in probe_operations(recipes, ty) {
        operations.found.push(entry);
        operations.outputs.push(output);
    }
    operations
}

/// The documentation of the method that gives up where this one panics.
fn twin_docs<'a>(recipes: &Recipes<'a>, ty: &RustType, name: &str) -> Option<&'a str> {
    let twin = format!("try_{name}");
    let mut methods = recipes.functions.inherent(ty.path());
    methods
        .find(|it| it.name == twin)
        .map(|it| it.docs.as_str())
}

/// The method says that what is read is of different moments; of a number that is read without any argument its type,
/// the module of that, or the field of its name may say so.
fn is_said_to_be_loose(
    recipes: &Recipes<'_>,
    ty: &RustType,
    method: &Signature,
    output: &RustType,
) -> bool {
    let RustType::Named { path, .. } = ty else {
        return false;
    };
    if docs_say_loose(&method.docs) {
        return true;
    }
    if method.inputs.len() > 1 || !is_measure(output) {
        return false;
    }
    let library = recipes.solver.library;
    let docs = |path: &str| {
        let found = library.find_item(path);
        found.and_then(|(_, item)| item.docs.as_deref())
    };
    // What the root of a crate says is about much else.
    let module = path.rsplit_once("::").map(|it| it.0);
    let module = module.filter(|it| it.contains("::"));
    let field = recipes.solver.field_docs(ty, &method.name);
    let of_all = [docs(path), module.and_then(docs), field];
    of_all.into_iter().flatten().any(docs_say_loose)
}

/// Another method of the type says that it changes this result later.
fn others_change_later(
    recipes: &Recipes<'_>,
    ty: &RustType,
    method: &Signature,
    output: &RustType,
) -> bool {
    let mut methods = recipes.functions.inherent(ty.path());
    methods.any(|it| it.name != method.name && changes_later(&it.docs, &method.name, output))
}

/// Adds a method as an operation, or why it is none.
pub(super) fn add(
    recipes: &Recipes<'_>,
    operations: &mut Operations,
    ty: &RustType,
    method: &Signature,
    mut by: Substitution,
    from_trait: Option<&str>,
    declared: &dyn Fn(&Signature) -> String,
) {
    by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
    let closed = |it: &RustType| recipes.solver.normalise(it.substitute(&by));
    let unpinned = unpinned(method);
    let method = unpinned.as_ref().unwrap_or(method);
    let pinned = unpinned.is_some();
    let polled = Polled::of(method);
    let method = polled.as_ref().map_or(method, |it| &it.signature);
    let Some((_, first)) = method.inputs.first() else {
        return;
    };
    let name = match from_trait {
        Some(trait_) => format!("{}::{}", last_segment(trait_), method.name),
        None => method.name.clone(),
    };
    let mut leave_out = |why: &str| {
        operations.left_out.push(Skipped::new(name.clone(), why));
    };
    let Some(taken) = taken(&closed(first), ty) else {
        if method.is_method() {
            leave_out("takes the object in a way that is not supported");
        }
        return;
    };
    if method.name.starts_with('_') {
        return leave_out("internal by its name");
    }
    if pinned && recipes.solver.implements(ty, "core::marker::Unpin") == Holds::No {
        return leave_out("takes the object in a `Pin`, and the type is not `Unpin`");
    }
    let request = Request {
        subject: Some(ty),
        from_object: taken == Taken::Reference,
        ..Request::PLAIN
    };
    let call = match recipes.call(method, by, 1, request) {
        Ok(call) => call,
        Err(why) => return leave_out(&why.to_string()),
    };
    let mut points = false;
    call.output
        .visit(&mut |it| points |= matches!(it, RustType::RawPointer));
    if points {
        return leave_out("returns a raw pointer");
    }
    let returned = match polled {
        Some(_) => Returned::Future,
        None => returned(&recipes.solver, &call.output, method.is_async),
    };
    if call.output == *ty && taken == Taken::Arc {
        return leave_out("returns the object itself");
    }
    let is_weak = is_weak(&method.name, &call.output, returned);
    let shares = !matches!(taken, Taken::MutableReference | Taken::Value)
        && call.arguments.iter().all(|it| !it.choices.is_empty());
    let observes = shares
        && match call.arguments.is_empty() {
            true => is_getter(&method.name, &call.output, returned),
            false => is_observer(&method.name, &call.output, returned),
        }
        && !takes_out(&recipes.solver, &call.output);
    let (text, expression) = match &polled {
        Some(polled) => (
            polled.text(&call),
            polled.expression(&call, from_trait.is_some(), pinned),
        ),
        None => {
            let called = match pinned {
                true => {
                    let object = std::iter::once(pinned_object());
                    Expression::call(&call.path, object.chain(call.holes()))
                }
                false => expression(&call, method, from_trait.is_some()),
            };
            // Creating a future may have effects of its own: a waiter is registered, a ticket taken.
            let is_made = returned == Returned::Future && !method.is_async;
            let called = if is_made { called.step() } else { called };
            (text(&call, method), called)
        }
    };
    operations.found.push(OperationEntry {
        text,
        expression,
        name,
        taken,
        returned,
        polled: polled.is_some(),
        weak: is_weak || observes && is_said_to_be_loose(recipes, ty, method, &call.output),
        approximate: is_approximate(&method.docs, &call.output)
            || others_change_later(recipes, ty, method, &call.output),
        not_cancel_safe: not_cancel_safe(&method.docs).filter(|_| returned == Returned::Future),
        announced_panic: announced_panic(&method.docs, twin_docs(recipes, ty, &method.name)),
        observer: observes,
        may_observe: shares
            && polled.is_none()
            && may_observe(&recipes.solver, &method.name, &call.output),
        keeping: Keeping::No,
        user_code: UserCode::Plain,
        given_out: Vec::new(),
        from_trait: from_trait.map(str::to_owned),
        declared: declared(method),
        arguments: call.arguments,
    });
    operations.outputs.push(call.output);
}

/// Methods by impls of public traits of the crates that were read.
fn trait_operations(
    recipes: &Recipes<'_>,
    operations: &mut Operations,
    ty: &RustType,
    declared: &dyn Fn(&Signature) -> String,
) {
    for (method, by) in recipes.solver.trait_functions(ty) {
        let Owner::Trait(bound) = &method.owner else {
            continue;
        };
        let trait_ = bound.path.clone();
        let inherent = operations.found.iter().any(|it| it.name == method.name);
        if inherent && method.is_method() {
            operations.left_out.push(Skipped::new(
                format!("{}::{}", last_segment(&trait_), method.name),
                "the type has a method of this name itself",
            ));
        } else {
            add(
                recipes,
                operations,
                ty,
                &method,
                by,
                Some(&trait_),
                declared,
            );
        }
    }
}

fn clone_operation(recipes: &Recipes<'_>, operations: &mut Operations, ty: &RustType) {
    let clones = recipes.solver.implements(ty, "core::clone::Clone") == Holds::Yes;
    let Ok(written) = source(recipes.solver.library, ty) else {
        return;
    };
    if !clones || operations.found.iter().any(|it| it.name == "clone") {
        return;
    }
    let clone = Expression::call(
        format!("<{written} as std::clone::Clone>::clone"),
        [Expression::Object],
    );
    // The `Debug` text of a clone is seldom part of a contract.
    // Calls of other threads may come between it and its drop: it is a handle, and may be reference-counted.
    let dropped = Expression::call("std::mem::drop", [clone.step()]);
    let text = Expression::Object.method("clone", []);
    operations.found.push(OperationEntry {
        from_trait: Some("std::clone::Clone".to_owned()),
        ..OperationEntry::new("Clone::clone", Taken::Reference, dropped, text)
    });
    operations.outputs.push(RustType::unit());
}

/// A method is called on the object; other functions get it as their first argument.
fn expression(call: &Call, method: &Signature, is_trait: bool) -> Expression {
    if method.is_method() && !is_trait {
        let name = format!("{}{}", identifier(&method.name), call.turbofish);
        return Expression::Object.method(name, call.holes());
    }
    Expression::call(&call.path, object_and(call))
}

fn text(call: &Call, method: &Signature) -> Expression {
    if method.is_method() {
        return Expression::Object.method(&method.name, call.holes());
    }
    Expression::call(&call.short_path, object_and(call))
}

fn object_and(call: &Call) -> impl Iterator<Item = Expression> {
    std::iter::once(Expression::Object).chain(call.holes())
}

/// How a method's first input takes an object of type `ty`.
pub(super) fn taken(first: &RustType, ty: &RustType) -> Option<Taken> {
    let is_arc = |it: &RustType| it.path() == "alloc::sync::Arc" && it.argument(0) == Some(ty);
    match first {
        RustType::Reference { mutable, to, .. } if **to == *ty => Some(if *mutable {
            Taken::MutableReference
        } else {
            Taken::Reference
        }),
        RustType::Reference {
            mutable: false, to, ..
        } if is_arc(to) => Some(Taken::ArcReference),
        _ if is_arc(first) => Some(Taken::Arc),
        own if own == ty => Some(Taken::Value),
        _ => None,
    }
}
