//! What the locals of a function refer to: a flow-insensitive, field-sensitive points-to analysis by inclusion
//! (Andersen, "Program Analysis and Specialization for the C Programming Language", 1994, section 4), within one
//! function; calls return what summaries say.
//!
//! Deviation: a reference, a box and what they lead to have one name, so following a pointer is no step, and a value
//! that was moved out of shared memory keeps the name of where it was. Both make more accesses shared, never fewer.

mod assignments;
mod calls;

use std::collections::{BTreeMap, BTreeSet};

use super::callees::Target;
use super::mir::body::{Operand, PlaceExpression, Projection, Statement, Terminator};
use super::mir::ty::{Name, Type};
use super::place::{Place, Root, Step};
use super::program::{Function, Program};
use super::summary::Summary;

/// What something refers to: any of these.
pub(crate) type Places = Vec<Place>;

/// Places that one local may refer to; with more it may refer to anything.
const MOST: usize = 8;
/// Rounds over a function. Names only grow, and paths are cut where they repeat.
const MOST_ROUNDS: usize = 10;

/// What calls mean, by block.
pub(crate) type Targets = Vec<Option<Target>>;

/// Names of the locals of one function.
pub(crate) struct Bindings<'a> {
    program: &'a Program,
    function: &'a Function,
    targets: &'a Targets,
    summaries: &'a [Summary],
    locals: Vec<Places>,
    /// What fields of objects made here refer to.
    fields: BTreeMap<(u32, Step), Places>,
    /// Objects made here that others may find.
    escaped: BTreeSet<u32>,
    /// Locals without a name are objects of their own.
    own_objects: bool,
    changed: bool,
}

/// Adds places to a list.
pub(crate) fn add(list: &mut Places, more: &[Place]) -> bool {
    let before = list.len();
    for place in more {
        if list.len() <= MOST && !list.contains(place) {
            list.push(*place);
        }
    }
    if list.len() > MOST && !(list.len() == before && list[0] == everything()) {
        *list = vec![everything(); MOST + 1];
        return true;
    }
    list.len() != before
}

fn everything() -> Place {
    let mut place = Place::anything();
    place.cut = true;
    place
}

impl<'a> Bindings<'a> {
    /// Names of all locals.
    pub(crate) fn new(
        program: &'a Program,
        function: &'a Function,
        targets: &'a Targets,
        summaries: &'a [Summary],
    ) -> Self {
        let mut bindings = Self {
            program,
            function,
            targets,
            summaries,
            locals: vec![Vec::new(); function.body.locals().len()],
            fields: BTreeMap::new(),
            escaped: BTreeSet::new(),
            own_objects: false,
            changed: true,
        };
        bindings.settle();
        bindings.own_objects = true;
        bindings.settle();
        bindings
    }

    fn settle(&mut self) {
        self.changed = true;
        for _ in 0..MOST_ROUNDS {
            if !std::mem::take(&mut self.changed) {
                return;
            }
            let function = self.function;
            for (block, target) in function.body.blocks().iter().zip(self.targets) {
                if block.cleanup {
                    continue;
                }
                for (statement, _) in &block.statements {
                    if let Statement::Assign(to, value) = statement {
                        self.assign(to, value);
                    }
                }
                if let (Terminator::Call(call), _) = &block.terminator {
                    let result = self.result(call, target.as_ref());
                    self.store(&call.result, &result);
                    self.spread(call, target.as_ref());
                }
            }
        }
    }

    fn krate(&self) -> usize {
        self.function.krate
    }

    /// Type of a place.
    pub(crate) fn type_of(&self, place: &PlaceExpression) -> Type {
        self.function.body.type_of(place)
    }

    fn local_type(&self, local: u32) -> &Type {
        self.function.body.local_type(local)
    }

    /// Type of an operand, if it is known.
    pub(crate) fn operand_type(&self, operand: &Operand) -> Type {
        self.function.body.operand_type(operand)
    }

    /// What a place expression means.
    pub(crate) fn places(&self, expression: &PlaceExpression) -> Places {
        let mut found = self.base(expression.local);
        let mut ty = self.local_type(expression.local).clone();
        let mut variant: Option<Name> = None;
        for projection in &expression.projections {
            match projection {
                Projection::Deref => {}
                Projection::Variant(name) => variant = Some(name.clone()),
                Projection::Element => found = self.steps(&found, Step::ELEMENT),
                Projection::Field(number, _) => {
                    let name = variant.take();
                    let step = self
                        .program
                        .field(self.krate(), &ty, name.as_deref(), *number);
                    if let Some(step) = step {
                        found = self.steps(&found, step);
                    }
                }
            }
            ty = projection.of(&ty);
        }
        found
    }

    fn base(&self, local: u32) -> Places {
        let mut found = Places::new();
        if local >= 1 && local as usize <= self.function.body.parameters.len() {
            let number = u16::try_from(local - 1).unwrap_or(u16::MAX);
            found.push(Place::of(Root::Parameter(number)));
        }
        if let Some(names) = self.locals.get(local as usize) {
            add(&mut found, names);
        }
        if found.is_empty() && self.own_objects {
            found.push(Place::of(Root::Local(local)));
        }
        self.seen(&found)
    }

    /// Places as others see them: an object made here that was given away is some object of its type.
    fn seen(&self, places: &[Place]) -> Places {
        let mut found = Places::new();
        for place in places {
            match place.root {
                Root::Local(local) if self.escaped.contains(&local) => {
                    let ty = self.program.name_of(self.krate(), self.local_type(local));
                    let unknown = self.program.names.unknown(&ty);
                    add(&mut found, &[unknown.join(place.path(), place.cut), *place]);
                }
                _ => {
                    add(&mut found, &[*place]);
                }
            }
        }
        found
    }

    fn steps(&self, places: &[Place], step: Step) -> Places {
        let mut found = Places::new();
        for place in places {
            match place.root {
                Root::Local(local) if place.path().is_empty() => {
                    match self.fields.get(&(local, step)) {
                        Some(to) => add(&mut found, &self.seen(to)),
                        None => add(&mut found, &[place.step(step)]),
                    };
                }
                _ => {
                    add(&mut found, &[place.step(step)]);
                }
            }
        }
        found
    }

    /// What an operand refers to; a value that refers to nothing has no places.
    pub(crate) fn operand(&self, operand: &Operand) -> Places {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => {
                let ty = self.type_of(place);
                if !self.program.carries(self.krate(), &ty) {
                    return Places::new();
                }
                let places = self.places(place);
                if is_raw(&ty) && !place.projections.is_empty() && !self.is_of_box(place) {
                    return self.pointees(&ty, &places);
                }
                places
            }
            Operand::Static(path, mutable) => {
                let place = Place::of(Root::Static(self.program.names.path(path)));
                vec![if *mutable { place.inside() } else { place }]
            }
            Operand::Constant(_) => Places::new(),
        }
    }

    /// Pointees of the raw pointers in these places. They depend on the pointer's type, not on where it is stored.
    fn pointees(&self, ty: &Type, places: &[Place]) -> Places {
        let mut found = Places::new();
        for place in places {
            if matches!(place.root, Root::Local(_)) {
                add(&mut found, &[*place]);
            } else {
                let name = self.program.name_of(self.krate(), ty);
                add(&mut found, &[self.program.names.unknown(&name)]);
            }
        }
        found
    }

    /// The pointer that a box is made of leads to what the box owns.
    fn is_of_box(&self, place: &PlaceExpression) -> bool {
        let mut ty = self.local_type(place.local).clone();
        for step in &place.projections {
            if matches!(ty.last(), "Box" | "Unique") {
                return true;
            }
            ty = step.of(&ty);
        }
        false
    }

    /// What the function returns, in terms of its parameters.
    pub(crate) fn returns(&self) -> Places {
        let ty = self.local_type(0);
        if !self.program.carries(self.krate(), ty) {
            return Places::new();
        }
        let mut found = Places::new();
        let mut seen = BTreeSet::new();
        let mut waiting = self.base(0);
        while let Some(place) = waiting.pop() {
            if let Root::Local(local) = place.root {
                if !seen.insert(local) {
                    continue;
                }
                // The fields of an object lie one step below what callers know: whatever is below them is cut off.
                for ((_, _), to) in self
                    .fields
                    .range((local, Step::FIRST)..=(local, Step::LAST))
                {
                    waiting.extend(to.iter().map(|it| {
                        let mut it = *it;
                        it.cut |= !matches!(it.root, Root::Local(_));
                        it
                    }));
                }
                waiting.extend(self.locals.get(local as usize).into_iter().flatten());
            } else {
                add(&mut found, &[place]);
            }
        }
        found
    }
}

/// A pointer without an owner or a lifetime.
fn is_raw(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(..)) || matches!(ty.last(), "NonNull" | "AtomicPtr")
}

fn is_closure(ty: &Type) -> bool {
    matches!(ty, Type::Closure(_))
}
