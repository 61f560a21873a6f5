//! What the locals of a function refer to: a flow-insensitive, field-sensitive points-to analysis by inclusion (Andersen, "Program
//! Analysis and Specialization for the C Programming Language", 1994, section 4), within one function; calls return what summaries say.
//!
//! Deviation: a reference, a box and what they lead to have one name, so following a pointer is no step, and a value that was moved out
//! of shared memory keeps the name of where it was. Both make more accesses shared, never fewer.

use std::collections::{BTreeMap, BTreeSet};

use super::callees::Target;
use super::library::{Model, model};
use super::mir::body::{
    AggregateKind, Call, Callee, Operand, PlaceExpression, Projection, Statement, Terminator, Value,
};
use super::mir::ty::{Name, Type, is_std, last_segment};
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
            locals: vec![Vec::new(); function.body.locals.len()],
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
            for (block, target) in function.body.blocks.iter().zip(self.targets) {
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

    /// What a raw pointer leads to that stands in these places: where it stands says nothing of that, its type does.
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

    fn assign(&mut self, to: &PlaceExpression, value: &Value) {
        match value {
            Value::Of(operands) => {
                let ty = self.type_of(to);
                if self.program.carries(self.krate(), &ty) {
                    let from: Vec<Places> = operands.iter().map(|it| self.operand(it)).collect();
                    self.store(to, &from.concat());
                }
            }
            Value::FromNumber(_) => {
                let ty = self.type_of(to);
                let name = self.program.name_of(self.krate(), &ty);
                self.store(to, &[self.program.names.unknown(&name)]);
            }
            Value::Address(of) => {
                let places = self.places(of);
                self.store(to, &places);
            }
            Value::About(_) => {}
            Value::Aggregate(operands, kind) => self.aggregate(to, operands, kind),
        }
    }

    fn aggregate(
        &mut self,
        to: &PlaceExpression,
        operands: &[(Option<Name>, Operand)],
        kind: &AggregateKind,
    ) {
        let ty = self.type_of(to);
        if !self.program.carries(self.krate(), &ty) {
            return;
        }
        let wrapper = matches!(kind, AggregateKind::Declared(path) if is_std(path));
        let object = self.base_object(to);
        for (number, (_, operand)) in (0_u32..).zip(operands) {
            let from = self.operand(operand);
            if from.is_empty() {
                continue;
            }
            let step = match kind {
                AggregateKind::Array => Some(Step::ELEMENT),
                AggregateKind::Declared(path) => {
                    let variant = last_segment(path);
                    self.program.field(self.krate(), &ty, Some(variant), number)
                }
                _ => self.program.field(self.krate(), &ty, None, number),
            };
            match (object, step) {
                (Some(object), Some(step)) if !wrapper => self.put((object, step), &from),
                _ => self.store(to, &from),
            }
        }
        if let Some(object) = object
            && !wrapper
        {
            self.store(to, &[Place::of(Root::Local(object))]);
        }
    }

    /// The object that stands in a local.
    fn base_object(&self, to: &PlaceExpression) -> Option<u32> {
        to.projections.is_empty().then_some(to.local)
    }

    fn put(&mut self, field: (u32, Step), places: &[Place]) {
        let list = self.fields.entry(field).or_default();
        self.changed |= add(list, places);
    }

    /// Something is stored in a place.
    fn store(&mut self, to: &PlaceExpression, from: &[Place]) {
        if from.is_empty() {
            return;
        }
        if to.projections.is_empty() {
            if let Some(list) = self.locals.get_mut(to.local as usize) {
                self.changed |= add(list, from);
            }
            return;
        }
        for place in self.places(to) {
            match (place.root, place.path()) {
                (Root::Local(object), [step]) if !self.escaped.contains(&object) => {
                    self.put((object, *step), from);
                }
                (Root::Local(object), []) if !self.escaped.contains(&object) => {
                    if let Some(list) = self.locals.get_mut(object as usize) {
                        self.changed |= add(list, from);
                    }
                }
                _ => self.escape(from),
            }
        }
    }

    /// Others may find these objects from now on.
    fn escape(&mut self, places: &[Place]) {
        for place in places {
            if let Root::Local(local) = place.root
                && local != 0
                && !is_closure(self.local_type(local))
            {
                self.changed |= self.escaped.insert(local);
            }
        }
    }

    /// What each argument refers to, and what kind of thing it is.
    pub(crate) fn arguments(&self, call: &Call) -> Vec<(Places, Type)> {
        let each = call.arguments.iter();
        each.map(|it| (self.argument(it), self.operand_type(it)))
            .collect()
    }

    /// An argument of a function is named whether or not it refers to anything: it may be a closure.
    fn argument(&self, operand: &Operand) -> Places {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.places(place),
            other => self.operand(other),
        }
    }

    /// What a call returns.
    fn result(&self, call: &Call, target: Option<&Target>) -> Places {
        let ty = self.type_of(&call.result);
        if !self.program.carries(self.krate(), &ty) {
            return Places::new();
        }
        let arguments = self.arguments(call);
        let all = || {
            let mut all = Places::new();
            for (operand, (places, _)) in call.arguments.iter().zip(&arguments) {
                if !self.operand(operand).is_empty() {
                    add(&mut all, places);
                }
            }
            all
        };
        match target {
            Some(Target::Functions(functions) | Target::Open(functions, _)) => {
                if let Some(model) = self.modelled(functions, call, &arguments) {
                    return self.modelled_result(model, &ty, &arguments, all());
                }
                let mut found = Places::new();
                for function in functions {
                    add(&mut found, &self.returned(*function, &arguments));
                }
                found
            }
            Some(Target::Standard { owner, name }) => {
                let receiver = arguments
                    .first()
                    .map_or(Type::Tuple(Vec::new()), |it| it.1.clone());
                let model = model(owner, name, &receiver);
                let mut found = self.modelled_result(model, &ty, &arguments, all());
                for (_, ty) in &arguments {
                    if let Type::Closure(at) = ty.referent()
                        && let Some(body) = self.program.closures.get(at)
                    {
                        let given = self.closure_arguments(*body, ty, &arguments);
                        add(&mut found, &self.returned(*body, &given));
                    }
                }
                found
            }
            Some(Target::Value) => match self.closure_called(call) {
                Some((body, given)) => self.returned(body, &given),
                None => all(),
            },
            Some(Target::Parameter) => all(),
            _ => {
                let name = self.program.name_of(self.krate(), &ty);
                vec![self.program.names.unknown(&name)]
            }
        }
    }

    /// The model of a function of the graph that has one.
    pub(crate) fn modelled(
        &self,
        functions: &[u32],
        call: &Call,
        arguments: &[(Places, Type)],
    ) -> Option<Model> {
        let function = &self.program.functions[*functions.first()? as usize];
        let Callee::Path(path) = &call.callee else {
            return None;
        };
        self.program.is_modelled(function.krate).then(|| {
            let owner = function.trait_().filter(|it| {
                matches!(
                    *it,
                    "Deref" | "DerefMut" | "Clone" | "Drop" | "From" | "Default"
                )
            });
            let receiver = arguments
                .first()
                .map_or(Type::Tuple(Vec::new()), |it| it.1.clone());
            model(owner.unwrap_or(function.owner()), &path.name, &receiver)
        })
    }

    fn modelled_result(
        &self,
        model: Model,
        ty: &Type,
        arguments: &[(Places, Type)],
        all: Places,
    ) -> Places {
        let first = || {
            arguments
                .first()
                .map_or_else(Places::new, |it| it.0.clone())
        };
        match model {
            Model::Atomic(_) | Model::Cell(_) if ty.any(&is_raw) => self.pointees(ty, &first()),
            Model::Acquire(..)
            | Model::Inside
            | Model::Cell(_)
            | Model::Once
            | Model::Atomic(_) => first().iter().map(Place::inside).collect(),
            Model::Wait => arguments.get(1).map_or_else(Places::new, |it| it.0.clone()),
            Model::Element => {
                let mut found = Places::new();
                for place in all {
                    let own = self.steps(&[place], Step::ELEMENT);
                    add(&mut found, &own);
                }
                found
            }
            Model::Same | Model::ThreadLocal => all,
            // What is handed on may be a part of it.
            Model::Plain => all,
            Model::Block | Model::Park | Model::Spawn | Model::Drop | Model::Forget => {
                Places::new()
            }
        }
    }

    /// What a function of the graph returns, in names of this one.
    fn returned(&self, function: u32, arguments: &[(Places, Type)]) -> Places {
        let Some(summary) = self.summaries.get(function as usize) else {
            return Places::new();
        };
        let mut found = Places::new();
        for place in &summary.returns {
            add(&mut found, &self.rename(place, arguments));
        }
        found
    }

    /// A place of a callee in names of this function.
    pub(crate) fn rename(&self, place: &Place, arguments: &[(Places, Type)]) -> Places {
        match place.root {
            Root::Parameter(number) => {
                let Some((to, _)) = arguments.get(usize::from(number)) else {
                    return Places::new();
                };
                let mut found: Places = to.clone();
                for step in place.path() {
                    found = self.steps(&found, *step);
                }
                for it in &mut found {
                    it.cut |= place.cut;
                }
                found
            }
            Root::Static(_) | Root::Unknown(_) => vec![*place],
            Root::Local(_) => Places::new(),
        }
    }

    /// Arguments of a closure that is run by a function that is given it: itself, and anything out of what else that is given.
    pub(crate) fn closure_arguments(
        &self,
        body: u32,
        closure: &Type,
        arguments: &[(Places, Type)],
    ) -> Vec<(Places, Type)> {
        let mut environment = Places::new();
        let mut others = Places::new();
        for (places, ty) in arguments {
            if ty == closure {
                add(&mut environment, places);
            } else if !is_closure(ty.referent()) && self.program.carries(self.krate(), ty) {
                add(&mut others, places);
            }
        }
        let parameters = &self.program.functions[body as usize].body.parameters;
        let mut given = vec![(environment, closure.clone())];
        given.extend(
            parameters
                .iter()
                .skip(1)
                .map(|ty| (others.clone(), ty.clone())),
        );
        given
    }

    /// The body of the closure that is called, and its arguments, if that is what the first argument of a call is.
    pub(crate) fn closure_called(&self, call: &Call) -> Option<(u32, Vec<(Places, Type)>)> {
        let closure = self.operand_type(call.arguments.first()?);
        let Type::Closure(at) = closure.referent() else {
            return None;
        };
        let body = *self.program.closures.get(at)?;
        Some((body, self.tuple_arguments(call, &closure)))
    }

    /// `call(closure, (a, b))` is `closure(a, b)`.
    pub(crate) fn tuple_arguments(&self, call: &Call, closure: &Type) -> Vec<(Places, Type)> {
        let environment = call.arguments.first().map(|it| self.argument(it));
        let mut given = vec![(environment.unwrap_or_default(), closure.clone())];
        if let Some(tuple) = call.arguments.get(1) {
            let places = self.argument(tuple);
            if let Type::Tuple(types) = self.operand_type(tuple) {
                for (number, ty) in types.into_iter().enumerate() {
                    let step = self.program.names.field("", &number.to_string());
                    given.push((self.steps(&places, step), ty));
                }
            }
        }
        given
    }

    /// What a call does with objects made here: what it stores in shared memory others may find, what it stores in an own one is there.
    fn spread(&mut self, call: &Call, target: Option<&Target>) {
        let arguments = self.arguments(call);
        let given: Vec<Places> = call.arguments.iter().map(|it| self.operand(it)).collect();
        match target {
            Some(Target::Functions(functions) | Target::Open(functions, _)) => {
                if self.modelled(functions, call, &arguments).is_some() {
                    return;
                }
                for (places, (_, ty)) in given.iter().zip(&arguments) {
                    let owned = ty.any(&|it| {
                        matches!(it, Type::Pointer(..))
                            || matches!(it.last(), "Arc" | "Rc" | "NonNull")
                    });
                    if owned {
                        self.escape(places);
                    }
                }
            }
            Some(Target::Standard { owner, name }) => {
                let receiver = arguments
                    .first()
                    .map_or(Type::Tuple(Vec::new()), |it| it.1.clone());
                let kind = model(owner, name, &receiver);
                let stores = matches!(
                    kind,
                    Model::Atomic(_) | Model::Cell(_) | Model::Element | Model::Block
                ) || (matches!(receiver, Type::Reference(true, _)) && given.len() > 1)
                    || name == "write"
                    || name == "replace"
                    || name == "swap";
                if !stores {
                    return;
                }
                let Some((first, rest)) = given.split_first() else {
                    return;
                };
                let types = arguments.iter().skip(1).map(|(_, ty)| ty);
                for (places, ty) in rest.iter().zip(types) {
                    // What is only lent cannot stay.
                    if places.is_empty()
                        || matches!(ty, Type::Reference(..))
                        || ty.last() == "Arguments"
                    {
                        continue;
                    }
                    for to in first {
                        match to.root {
                            Root::Local(object) if !self.escaped.contains(&object) => {
                                self.put((object, Step::ELEMENT), places);
                            }
                            _ => self.escape(places),
                        }
                    }
                }
            }
            Some(Target::Value | Target::Parameter) => {}
            _ => given.iter().for_each(|it| self.escape(it)),
        }
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
