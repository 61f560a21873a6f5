//! What calls return, and what they do with the objects they are given.

use super::super::callees::Target;
use super::super::library::{Model, model};
use super::super::mir::body::{Call, Callee, Operand};
use super::super::mir::ty::Type;
use super::super::place::{Place, Root, Step};
use super::{Bindings, Places, add, is_closure, is_raw};

impl Bindings<'_> {
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
    pub(super) fn result(&self, call: &Call, target: Option<&Target>) -> Places {
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
                let is_object =
                    |it: &Place| matches!(it.root, Root::Local(_)) && it.path().is_empty();
                let mut found = Places::new();
                if place.path().is_empty() || to.iter().any(is_object) {
                    found.clone_from(to);
                    for step in place.path() {
                        found = self.steps(&found, *step);
                    }
                } else {
                    // Only fields of objects made here refer to something else: the path can be walked at once.
                    for it in to {
                        add(&mut found, &[it.join(place.path(), false)]);
                    }
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

    /// Arguments of a closure that is run by a function that is given it: the closure itself, and anything reachable
    /// from the function's other arguments.
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

    /// What a call does with objects made here: objects stored into shared memory escape, objects stored into a local
    /// object become part of it.
    pub(super) fn spread(&mut self, call: &Call, target: Option<&Target>) {
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
}
