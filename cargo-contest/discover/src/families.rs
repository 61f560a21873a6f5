//! Objects that come from objects: `Worker::stealer`, `Sender::subscribe`, `ReadHandle::clone`.
//!
//! What a method returns shares state with its object, and often there is no other way to make it. A root (a type, or
//! the two ends of a pair) and what its members return are one subject, a tuple like that of a pair: each member is
//! used as Rust lets threads use it. Members are made before the threads start.

use super::calls::Call;
use super::constructors::{fixed_arguments, lasting_arguments};
use super::holds::Holds;
use super::makers::unwrapped;
use super::pairs::{Candidate, End, Pair, Root, subject_of};
use super::recipes::Recipes;
use super::related::{Branch, know_each_other, knows_its_like, made_of};
use super::request::Request;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ConstructorEntry, Made, SubjectEntry};

/// Families of one root, and members of one family.
const MOST_FAMILIES: usize = 2;
const MOST_MEMBERS: usize = 4;

/// The families of these types and pairs.
pub(super) fn families(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    pairs: &[Pair<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let mut found = Vec::new();
    for pair in pairs {
        let constructors = pair.made.clone();
        found.extend(of_root(
            recipes,
            &pair.ends,
            &constructors,
            candidates,
            roots,
        ));
    }
    for candidate in candidates {
        let Some(end) = End::of(recipes, candidate, &candidate.ty) else {
            continue;
        };
        let (mut constructors, _) = recipes.constructors(&candidate.ty, 0);
        constructors.retain(|it| it.made == Made::Plain);
        if !constructors.is_empty() && !only_from_objects(recipes, &candidate.ty) {
            found.extend(of_root(recipes, &[end], &constructors, candidates, roots));
        }
    }
    found
}

fn of_root(
    recipes: &Recipes<'_>,
    root: &[End<'_>],
    constructors: &[ConstructorEntry],
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let mut found: Vec<(RustType, SubjectEntry)> = Vec::new();
    // Of a pair, a second receiver is worth more than a second sender.
    let most = if root.len() > 1 { 1 } else { MOST_FAMILIES };
    for from in (0..root.len()).rev() {
        let own = &root[from].ty;
        let by_methods = methods(recipes, own).into_iter().filter_map(|method| {
            let is_clone = method.0.is_none();
            let (ty, branch) = branch(recipes, own, from, &method)?;
            Some((ty, branch, is_clone))
        });
        let types: Vec<&RustType> = candidates.iter().map(|it| &it.ty).collect();
        let by_functions = made_of(recipes, own, from, &types).into_iter();
        let by_functions = by_functions.map(|(ty, branch)| (ty, branch, false));
        for (ty, branch, is_clone) in by_methods.chain(by_functions) {
            if found.len() == most {
                break;
            }
            let Some(candidate) = candidates.iter().find(|it| it.ty.path() == ty.path()) else {
                continue;
            };
            let Some(end) = End::of(recipes, candidate, &ty) else {
                continue;
            };
            let again = root.iter().any(|it| it.ty == ty);
            // What all threads may use needs no second one; neither does what can be made in another way.
            let useful = if again {
                let alone = constructors
                    .iter()
                    .all(|it| !it.expression.takes_tuple_apart());
                let shares = alone && recipes.solver.may_share(&ty);
                let worth = root.len() > 1 || shares && !end.is_sync;
                // A child is another object than its parent.
                let is_child = root.len() == 1 && shares && !is_clone;
                *own == ty && (is_child || worth && !end.is_for_all(recipes))
            } else {
                !end.is_sync
                    || only_from_objects(recipes, &ty)
                    || know_each_other(recipes, own, &ty)
            };
            if !useful || found.iter().any(|(it, _)| *it == ty) {
                continue;
            }
            let mut members = root.to_vec();
            let alike = !again && knows_its_like(recipes, &ty);
            let one = again || branch.mutable || end.is_for_all(recipes);
            let wanted = if one && !alike { 1 } else { 2 };
            let room = MOST_MEMBERS - members.len();
            let branches = vec![&branch; wanted.min(room)];
            members.extend(branches.iter().map(|_| end.clone()));
            let constructors = constructors
                .iter()
                .map(|it| made(it, root.len(), None, &branches, &members));
            let root = Root::of_family(constructors.collect());
            if let Some(subject) = subject_of(recipes, &members, root, roots) {
                found.push((ty, subject));
            }
        }
    }
    found.into_iter().map(|(_, it)| it).collect()
}

/// The methods of a type, `Clone::clone` included.
pub(super) fn methods(
    recipes: &Recipes<'_>,
    ty: &RustType,
) -> Vec<(Option<Signature>, Substitution)> {
    let mut found = Vec::new();
    for method in recipes.functions.inherent(ty.path()) {
        let Owner::Inherent(owner) = &method.owner else {
            continue;
        };
        let mut by = Substitution::new();
        if bind(owner, ty, &method.constraints.names(), &mut by) {
            found.push((Some(method.clone()), by));
        }
    }
    if recipes.solver.implements(ty, "core::clone::Clone") == Holds::Yes {
        found.push((None, Substitution::new()));
    }
    found
}

/// What a method makes of a member of type `own` at once, and how, if that is of use to other threads.
pub(super) fn branch(
    recipes: &Recipes<'_>,
    own: &RustType,
    from: usize,
    method: &(Option<Signature>, Substitution),
) -> Option<(RustType, Branch)> {
    // What comes only after a wait is used further where it is given.
    let waits = method.0.as_ref().is_some_and(|it| it.is_async);
    (!waits).then(|| given(recipes, own, from, method, Lasting::No))?
}

/// Whether what is made is to last: where a time is wanted, it is one that does not pass at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasting {
    Yes,
    No,
}

/// What a method gives, perhaps after a wait, and how.
pub(super) fn given(
    recipes: &Recipes<'_>,
    own: &RustType,
    from: usize,
    (method, by): &(Option<Signature>, Substitution),
    lasting: Lasting,
) -> Option<(RustType, Branch)> {
    let Some(method) = method else {
        let clone = Expression::call(
            "std::clone::Clone::clone",
            [Expression::Object.between("&", "")],
        );
        let branch = Branch {
            from,
            expression: clone,
            text: Expression::Object.method("clone", []),
            mutable: false,
        };
        return Some((own.clone(), branch));
    };
    let (call, mutable) = call_of(recipes, own, method, by)?;
    let (mut value, mut text) = on_object(&call, method, mutable);
    if method.is_async {
        (value, text) = (value.awaited(), text.between("", ".await"));
    }
    let (ty, value, text) = unwrapped(&call.output, value, text);
    let mut borrows = false;
    ty.visit(&mut |it| {
        borrows |= matches!(it, RustType::Reference { .. })
            || it
                .as_named()
                .is_some_and(|(_, all)| all.iter().any(|it| matches!(it, TypeArgument::Lifetime)));
    });
    let (expression, text) = match lasting {
        Lasting::Yes => lasting_arguments(value, text, &call.arguments)?,
        Lasting::No => fixed_arguments(value, text, &call.arguments)?,
    };
    (!borrows && ty.is_closed()).then(|| {
        let branch = Branch {
            from,
            expression,
            text,
            mutable,
        };
        (ty.clone(), branch)
    })
}

/// A call of a method that takes a member of type `own` by reference, and whether it needs the member for itself.
fn call_of(
    recipes: &Recipes<'_>,
    own: &RustType,
    method: &Signature,
    by: &Substitution,
) -> Option<(Call, bool)> {
    let mut by = by.clone();
    by.insert("Self".to_owned(), TypeArgument::Type(own.clone()));
    let (_, receiver) = method.inputs.first().filter(|_| method.is_method())?;
    let RustType::Reference { mutable, to, .. } =
        recipes.solver.normalise(receiver.substitute(&by))
    else {
        return None;
    };
    let call = (*to == *own).then(|| recipes.call(method, by, 1, Request::PLAIN))?;
    Some((call.ok()?, mutable))
}

/// The call with a hole for the member, as it is compiled and as it is shown.
fn on_object(call: &Call, method: &Signature, mutable: bool) -> (Expression, Expression) {
    let reference = if mutable { "&mut " } else { "&" };
    let object = std::iter::once(Expression::Object.between(reference, ""));
    let value = Expression::call(&call.path, object.chain(call.holes()));
    let text = Expression::Object.method(&method.name, call.holes());
    (value, text)
}

/// A call of a method that takes a member by shared reference, whatever it returns.
pub(super) fn prepares(
    recipes: &Recipes<'_>,
    own: &RustType,
    method: &Signature,
    by: &Substitution,
) -> Option<Branch> {
    let (call, mutable) = call_of(recipes, own, method, by)?;
    if method.is_async || mutable {
        return None;
    }
    let (value, text) = on_object(&call, method, mutable);
    let (expression, text) = fixed_arguments(value, text, &call.arguments)?;
    Some(Branch {
        from: 0,
        expression,
        text,
        mutable: false,
    })
}

/// A constructor of the root, with the other members made from it. The call `before` comes before that.
pub(super) fn made(
    root: &ConstructorEntry,
    of_root: usize,
    before: Option<&Branch>,
    branches: &[&Branch],
    members: &[End<'_>],
) -> ConstructorEntry {
    let name = |number: usize| format!("member_{number}");
    let shown = |number: usize| ["x", "y", "z", "w"][number].to_owned();
    let all = |name: &dyn Fn(usize) -> String| {
        let names: Vec<String> = (0..of_root).map(name).collect();
        names
    };
    let is_mutable = |number: usize| branches.iter().any(|it| it.mutable && it.from == number);
    let pattern = |names: Vec<String>| {
        if let [only] = &names[..] {
            only.clone()
        } else {
            format!("({})", names.join(", "))
        }
    };
    let with_mut = |number: usize| {
        let mutable = if is_mutable(number) { "mut " } else { "" };
        format!("{mutable}{}", name(number))
    };
    let mut expression = vec![
        format!("{{ let {} = ", pattern(all(&with_mut))).into(),
        root.expression.clone(),
        "; ".into(),
    ];
    let mut text = vec![
        format!("{{ let {} = ", pattern(all(&shown))).into(),
        root.text.clone(),
        "; ".into(),
    ];
    let of = |call: &Expression, object: String| {
        call.fill(&|hole| match hole {
            Hole::Object { .. } => Some(object.clone().into()),
            Hole::Argument(_) => None,
        })
    };
    if let Some(before) = before {
        let statement = |call: Expression| call.between("let _ = ", "; ");
        expression.push(statement(of(&before.expression, name(before.from))));
        text.push(statement(of(&before.text, shown(before.from))));
    }
    for (number, branch) in (of_root..).zip(branches) {
        expression.extend([
            format!("let {} = ", name(number)).into(),
            of(&branch.expression, name(branch.from)),
            "; ".into(),
        ]);
        text.extend([
            format!("let {} = ", shown(number)).into(),
            of(&branch.text, shown(branch.from)),
            "; ".into(),
        ]);
    }
    let wrapped: Vec<String> = members
        .iter()
        .enumerate()
        .map(|(number, it)| format!("{}::new({})", it.wrapper(), name(number)))
        .collect();
    let names: Vec<String> = (0..members.len()).map(shown).collect();
    expression.push(format!("({}) }}", wrapped.join(", ")).into());
    text.push(format!("({}) }}", names.join(", ")).into());
    ConstructorEntry {
        text: Expression::Sequence(text),
        expression: Expression::Sequence(expression),
        ..root.clone()
    }
}

/// True if values of a type come from methods of other objects only.
pub(super) fn only_from_objects(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    only_from_methods(recipes, ty) && recipes.conversions(ty).is_empty()
}

/// True if the functions that make values of a type are methods of other objects.
pub(super) fn only_from_methods(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    let mut makers = recipes.functions.makers(ty.path());
    let of_another = |maker: &Signature| {
        maker.is_method() && !matches!(&maker.owner, Owner::Inherent(it) if it.path() == ty.path())
    };
    let mut some = false;
    let all = makers.all(|maker| {
        let own_method = maker.is_method() && !of_another(maker);
        some |= of_another(maker);
        own_method || of_another(maker)
    });
    let default = recipes.solver.implements(ty, "core::default::Default") == Holds::Yes;
    some && all && !default
}
