//! Ends that a function makes together: `channel() -> (Sender<T>, Receiver<T>)`.
//!
//! A single end has no counterpart, and it may be neither `Sync` nor constructible on its own. So the pair is the
//! subject: a tuple whose ends are used by the threads of a test as Rust lets them: an end by many threads through
//! `&self` if it is `Sync`, else by one; moved or dropped at the end. Test generation obeys these rules; the wrapper
//! around each end only gives access to it.

use super::derived::derive_operations;
use super::holds::Holds;
use super::library::ItemRef;
use super::obstacle::Obstacle;
use super::operations::{self, Operations};
use super::public_names::PublicName;
use super::recipes::Recipes;
use super::related::{Handed, hand_over};
use super::render::source;
use super::request::Request;
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::pair_path::pair_path;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{
    ConstructorEntry, OperationEntry, Passed, SubjectEntry, SupportItem, Taken, WRAPPERS,
};
use contest_data::subject::{EndUse, Needs};

/// A type that may be an end, as it is tested.
pub(super) struct Candidate<'a> {
    pub(super) at: ItemRef,
    pub(super) name: &'a PublicName,
    pub(super) ty: RustType,
}

/// One end of a pair, or a member of a family.
#[derive(Clone)]
pub(super) struct End<'a> {
    candidate: &'a Candidate<'a>,
    pub(super) ty: RustType,
    pub(super) is_sync: bool,
    /// Nothing is called on it; calls on the others take it.
    is_key: bool,
}

impl<'a> End<'a> {
    /// A type as an end, if it can be sent to a thread.
    pub(super) fn of(
        recipes: &Recipes<'_>,
        candidate: &'a Candidate<'a>,
        ty: &RustType,
    ) -> Option<Self> {
        let is = |marker| recipes.solver.implements(ty, marker) == Holds::Yes;
        let fits = ty.is_closed() && is("core::marker::Send") && recipes.solver.can_change(ty);
        fits.then(|| Self {
            candidate,
            is_sync: is("core::marker::Sync"),
            ty: ty.clone(),
            is_key: false,
        })
    }

    /// The end of a key, which can be sent and shared.
    pub(super) fn of_key(candidate: &'a Candidate<'a>) -> Self {
        Self {
            candidate,
            is_sync: true,
            ty: candidate.ty.clone(),
            is_key: true,
        }
    }

    /// True if all threads can use it at once, whatever they do with it but give it away.
    pub(super) fn is_for_all(&self, recipes: &Recipes<'_>) -> bool {
        let mut methods = recipes.functions.inherent(self.ty.path());
        self.is_sync
            && methods.all(|it| {
                let receiver = it.inputs.first().map(|(_, ty)| ty);
                !it.is_method()
                    || !matches!(receiver, Some(RustType::Reference { mutable: true, .. }))
            })
    }

    /// What only gives access to it.
    pub(super) fn wrapper(&self) -> &'static str {
        let [shared, own] = WRAPPERS;
        if self.is_sync { shared } else { own }
    }
}

/// A pair that was found.
pub(super) struct Pair<'a> {
    pub(super) ends: [End<'a>; 2],
    /// Its constructors; each makes the ends as they are.
    pub(super) made: Vec<ConstructorEntry>,
    pub(super) subject: SubjectEntry,
}

/// How a subject of several ends begins.
pub(super) struct Root {
    pub(super) constructors: Vec<ConstructorEntry>,
    pub(super) left_out: Vec<Skipped>,
    /// What operations return is used further in the same operation.
    pub(super) chains: bool,
    /// Dropping a member is worth a test, even if nothing else can be done with it.
    pub(super) drops: bool,
    /// Operations of a member get the others, where they take such.
    pub(super) hands_over: bool,
}

impl Root {
    /// Of a family, whose members are made by these constructors.
    pub(super) fn of_family(constructors: Vec<ConstructorEntry>) -> Self {
        Self {
            constructors,
            left_out: Vec::new(),
            // The root alone has them, and there are many operations without.
            chains: false,
            drops: false,
            hands_over: true,
        }
    }
}

/// The pairs among these types, as subjects.
pub(super) fn pairs<'a>(
    recipes: &Recipes<'_>,
    candidates: &'a [Candidate<'a>],
    roots: &[&std::path::Path],
) -> Vec<Pair<'a>> {
    let mut seen: Vec<[RustType; 2]> = Vec::new();
    let mut subjects = Vec::new();
    for first in candidates {
        for maker in recipes.functions.makers(first.ty.path()) {
            let Some(ends) = ends(recipes, first, maker, candidates) else {
                continue;
            };
            let types = [ends[0].ty.clone(), ends[1].ty.clone()];
            if seen.contains(&types) {
                continue;
            }
            if let Some(pair) = pair(recipes, ends, roots) {
                seen.push(types);
                subjects.push(pair);
            }
        }
    }
    subjects
}

/// The two ends that a function makes, if each of them can be sent to a thread.
fn ends<'a>(
    recipes: &Recipes<'_>,
    first: &'a Candidate<'a>,
    maker: &Signature,
    candidates: &'a [Candidate<'a>],
) -> Option<[End<'a>; 2]> {
    let [left, right] = tuple_in(&maker.output)? else {
        return None;
    };
    if left.path() != first.ty.path() {
        return None;
    }
    let second = candidates.iter().find(|it| it.ty.path() == right.path())?;
    // A function that takes its own type apart does not make ends.
    if let (true, Owner::Inherent(owner)) = (maker.is_method(), &maker.owner)
        && [left, right].iter().any(|it| it.path() == owner.path())
    {
        return None;
    }
    let names = maker.constraints.names();
    let mut by = Substitution::new();
    if !bind(left, &first.ty, &names, &mut by) {
        return ends_as_made(recipes, first, second, maker);
    }
    let mut other = recipes.solver.normalise(right.substitute(&by));
    if !other.is_closed() && bind(&other, &second.ty, &names, &mut by) {
        other = second.ty.clone();
    }
    let first = End::of(recipes, first, &first.ty)?;
    Some([first, End::of(recipes, second, &other)?])
}

/// The ends of the types that a function gives them, where these are not those by which the first one is tested alone.
fn ends_as_made<'a>(
    recipes: &Recipes<'_>,
    first: &'a Candidate<'a>,
    second: &'a Candidate<'a>,
    maker: &Signature,
) -> Option<[End<'a>; 2]> {
    if maker.is_method() {
        return None;
    }
    let call = recipes.call(maker, Substitution::new(), 0, Request::PLAIN);
    let output = call.ok()?.output;
    let [left, right] = tuple_in(&output)? else {
        return None;
    };
    Some([
        End::of(recipes, first, left)?,
        End::of(recipes, second, right)?,
    ])
}

fn pair<'a>(
    recipes: &Recipes<'_>,
    ends: [End<'a>; 2],
    roots: &[&std::path::Path],
) -> Option<Pair<'a>> {
    let tuple = RustType::Tuple(ends.iter().map(|it| it.ty.clone()).collect());
    let mut left_out = Vec::new();
    let made = pair_constructors(recipes, &ends, &tuple, &mut left_out);
    let wrapped = made.iter().cloned().map(|mut entry| {
        let (first, second) = (ends[0].wrapper(), ends[1].wrapper());
        entry.expression = entry.expression.between(
            "{ let (first, second) = ",
            format!("; ({first}::new(first), {second}::new(second)) }}"),
        );
        entry
    });
    let root = Root {
        constructors: wrapped.collect(),
        left_out,
        chains: true,
        drops: false,
        hands_over: false,
    };
    let subject = subject_of(recipes, &ends, root, roots)?;
    Some(Pair {
        ends,
        made,
        subject,
    })
}

/// These ends as one subject.
pub(super) fn subject_of(
    recipes: &Recipes<'_>,
    ends: &[End<'_>],
    root: Root,
    roots: &[&std::path::Path],
) -> Option<SubjectEntry> {
    let library = recipes.solver.library;
    let Root {
        constructors,
        mut left_out,
        chains,
        drops,
        hands_over,
    } = root;
    let mut operations = Vec::new();
    let mut handed = Vec::new();
    let worked_with = (0_u8..).zip(ends).filter(|(_, end)| !end.is_key);
    for (number, end) in worked_with {
        // What is left out at one end is left out at another one of its type.
        let mut own = Vec::new();
        let short = name_among(ends, usize::from(number));
        let named = (number, end, short.as_str());
        let others = if hands_over { ends } else { &[] };
        let how = (chains, others);
        handed.extend(end_operations(
            recipes,
            named,
            how,
            roots,
            &mut operations,
            &mut own,
        ));
        let before = &ends[..usize::from(number)];
        if !before.iter().any(|it| it.ty == end.ty) {
            left_out.extend(own);
        }
    }
    // What others are given stays where it is, and so does what all calls need.
    let one_object = ends.iter().filter(|it| !it.is_key).count() == 1;
    operations.retain(|it| match it.taken {
        Taken::End(of) if of.needs != Needs::Shared && handed.contains(&of.end) => false,
        Taken::End(of) => of.needs != Needs::Whole || !one_object,
        _ => true,
    });
    let wrapped = ends.iter().map(|end| {
        let written = source(library, &end.ty).ok()?;
        Some(format!("{}<{written}>", end.wrapper()))
    });
    let wrapped = wrapped.collect::<Option<Vec<_>>>()?;
    // Each end needs an operation.
    let all = (0_u8..).zip(ends).all(|(number, end)| {
        drops || end.is_key
            || operations.iter().any(|it: &OperationEntry| {
            matches!(it.taken, Taken::End(of) if of.end == number && !it.declared.is_empty())
        })
    });
    let paths: Vec<&str> = ends
        .iter()
        .map(|it| it.candidate.name.path.as_str())
        .collect();
    (all && !constructors.is_empty()).then(|| SubjectEntry {
        path: pair_path(&paths),
        type_expression: format!("({})", wrapped.join(", ")),
        declared: library.location(ends[0].candidate.at, roots),
        constructors,
        operations,
        left_out,
    })
}

/// The name of an end in those of its operations: the last segment of its path, with a number if there was one before.
fn name_among(ends: &[End<'_>], number: usize) -> String {
    let path = |it: &End<'_>| it.candidate.name.path.clone();
    let own = path(&ends[number]);
    let before = ends[..number].iter().filter(|it| path(it) == own).count();
    let short = last_segment(&own);
    if before == 0 {
        short.to_owned()
    } else {
        format!("{short} {}", before + 1)
    }
}

fn pair_constructors(
    recipes: &Recipes<'_>,
    ends: &[End<'_>; 2],
    tuple: &RustType,
    left_out: &mut Vec<Skipped>,
) -> Vec<ConstructorEntry> {
    let mut found = Vec::new();
    for (place, maker) in recipes.functions.makers(ends[0].ty.path()).enumerate() {
        match recipes.maker(tuple, maker, place, 0) {
            Ok(entries) => found.extend(entries),
            Err(None) => {}
            Err(Some(why)) => left_out.push(Skipped::new(maker.name.clone(), why.to_string())),
        }
    }
    found.sort_by_key(|it| it.rank);
    found.into_iter().map(|ranked| ranked.entry).collect()
}

/// Adds the operations of an end; returns the members that they are given.
fn end_operations(
    recipes: &Recipes<'_>,
    (number, end, short): (u8, &End<'_>, &str),
    (chains, others): (bool, &[End<'_>]),
    roots: &[&std::path::Path],
    operations: &mut Vec<OperationEntry>,
    left_out: &mut Vec<Skipped>,
) -> Vec<u8> {
    let library = recipes.solver.library;
    let declared = |signature: &Signature| library.location(signature.at, roots);
    let mut own: Operations = operations::operations(recipes, &end.ty, &declared);
    if chains {
        derive_operations(recipes, &end.ty, &mut own, &declared);
    }
    let handed = match others {
        [] => Vec::new(),
        others => {
            let members: Vec<(&RustType, bool)> = others
                .iter()
                .map(|it| (&it.ty, it.is_for_all(recipes)))
                .collect();
            hand_over(recipes, &members, number, &declared, &mut own)
        }
    };
    recipes.note_returned(&own);
    left_out.extend(
        own.left_out
            .into_iter()
            .map(|it| Skipped::new(format!("{short}::{}", it.item), it.why)),
    );
    for (index, entry) in own.found.into_iter().enumerate() {
        let name = format!("{short}::{}", entry.name);
        match on_end(entry, number, end.is_sync, &name) {
            Ok(mut entry) => {
                let given = handed.iter().find(|it: &&Handed| it.operation == index);
                if let Some(given) = given {
                    let end = end_of_pair(given.member);
                    let place = end.clone().method("get", []).between("*", "");
                    given.pass(&mut entry, place, end);
                }
                operations.push(entry);
            }
            Err(why) => left_out.push(Skipped::new(name, why.to_string())),
        }
    }
    let whole = Taken::End(EndUse {
        end: number,
        needs: Needs::Whole,
    });
    operations.push(OperationEntry::new(
        format!("{short}::drop"),
        whole,
        Expression::call("std::mem::drop", [end_of_pair(number).method("take", [])]),
        Expression::call("drop", [end_of_pair(number)]),
    ));
    handed.iter().map(|it| it.member).collect()
}

/// An operation of an end as one of the pair.
fn on_end(
    mut entry: OperationEntry,
    number: u8,
    is_sync: bool,
    name: &str,
) -> Result<OperationEntry, Obstacle> {
    let other = |it: &Passed| matches!(it, Passed::OtherObject | Passed::OtherObjectArc);
    if entry.arguments.iter().any(|it| other(&it.passed)) {
        return Err(Obstacle::OtherPair);
    }
    let (needs, way, place) = match entry.taken {
        Taken::Reference if is_sync && !entry.polled => (Needs::Shared, "get", "&*"),
        Taken::Reference => (Needs::Alone, "get", "&*"),
        Taken::MutableReference => (Needs::Alone, "get_mut", "&mut *"),
        Taken::Value => (Needs::Whole, "take", ""),
        Taken::Arc | Taken::ArcReference | Taken::End(_) => {
            return Err(Obstacle::Receiver);
        }
    };
    let end = end_of_pair(number).method(way, []);
    entry.expression = entry.expression.fill(&|hole| match hole {
        Hole::Object { member: Some(_) } => Some(end.clone()),
        Hole::Object { member: None } => Some(end.clone().between(place, "")),
        Hole::Argument(_) => None,
    });
    entry.text = entry.text.fill(&|hole| match hole {
        Hole::Object { .. } => Some(end_of_pair(number)),
        Hole::Argument(_) => None,
    });
    name.clone_into(&mut entry.name);
    entry.taken = Taken::End(EndUse { end: number, needs });
    Ok(entry)
}

fn end_of_pair(number: u8) -> Expression {
    Expression::Field(Box::new(Expression::Object), number)
}

/// The tuple that a function's output is once it is unwrapped.
fn tuple_in(output: &RustType) -> Option<&[RustType]> {
    match output {
        RustType::Tuple(items) => Some(items),
        RustType::Named { path, .. }
            if matches!(
                path.as_str(),
                "core::result::Result" | "core::option::Option" | "alloc::boxed::Box"
            ) =>
        {
            tuple_in(output.argument(0)?)
        }
        _ => None,
    }
}

/// True if the pairs make this type redundant as a subject: it is one of their ends and has no other constructor.
pub(super) fn covers(pairs: &[SubjectEntry], subject: &SubjectEntry) -> bool {
    is_end(pairs, &subject.path)
        && (subject.constructors.iter()).all(|it| it.expression.takes_tuple_apart())
}

/// True if the type at this path is an end of one of the pairs.
pub(super) fn is_end(pairs: &[SubjectEntry], path: &str) -> bool {
    pairs
        .iter()
        .any(|pair| pair.ends().iter().any(|end| end == path))
}

/// The wrappers: in a driver, which runs all threads of a test on one OS thread, and in an emitted test.
pub(super) fn support_items() -> [SupportItem; 2] {
    let item = |name: &str, source: &str, emitted: &str| SupportItem {
        name: name.to_owned(),
        source: source.to_owned(),
        emitted: Some(emitted.to_owned()),
    };
    [
        item(
            WRAPPERS[0],
            include_str!("pairs/shared_end.rs.in"),
            include_str!("pairs/shared_end_emitted.rs.in"),
        ),
        item(
            WRAPPERS[1],
            "type OwnEnd<T> = SharedEnd<T>;\n",
            include_str!("pairs/own_end_emitted.rs.in"),
        ),
    ]
}
