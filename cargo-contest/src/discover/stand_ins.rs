//! Makes the types that the driver declares where an API needs an implementation of a trait and the crate has none.

use contest_data::subject::Probe;
use rustdoc_types::ItemEnum;

use super::expression::Expression;
use super::library::ItemRef;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::{source, source_with_elided_lifetimes, trait_source};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::signature::{Signature, trait_methods};
use super::stand_in::{ALWAYS, StandIn, UNSENT, UNSHARED};
use super::std_paths::last_segment;

impl Recipes<'_> {
    /// The type of a probe.
    pub(crate) fn probe(&self, probe: Probe) -> RustType {
        let (name, lacks): (_, &[_]) = match probe {
            Probe::Unshared => (
                UNSHARED,
                &[
                    "core::marker::Copy",
                    "core::marker::Sync",
                    "core::panic::unwind_safe::RefUnwindSafe",
                ],
            ),
            Probe::Unsent => (UNSENT, &["core::marker::Copy", "core::marker::Send"]),
        };
        let mut known = self.solver.stand_ins.borrow_mut();
        if !known.iter().any(|it| it.name == name) {
            known.push(std::rc::Rc::new(StandIn {
                name: name.to_owned(),
                trait_path: String::new(),
                associated: Vec::new(),
                source: format!("#[allow(unused_imports)]\nuse contest::probe::{name};\n").into(),
                lacks,
            }));
        }
        RustType::named(name, [])
    }

    /// A stand-in for an implementation of `bound`, made on first use.
    ///
    /// # Errors
    /// What about the trait cannot be written.
    pub(crate) fn stand_in(&self, bound: &TraitBound) -> Result<RustType, Obstacle> {
        let short = last_segment(&bound.path);
        let name = format!("StandIn{short}");
        let ty = RustType::named(&name, []);
        let known = self.solver.stand_ins.borrow();
        if let Some(known) = known.iter().find(|it| it.name == name) {
            if known.trait_path == bound.path {
                return Ok(ty);
            }
            return Err(Obstacle::SameTraitName(short.to_owned()));
        }
        drop(known);
        let written = self.write_stand_in(&name, &ty, bound);
        let mut known = self.solver.stand_ins.borrow_mut();
        // The half-written one was needed to resolve `Self::Associated`.
        known.retain(|it| it.name != name);
        known.push(std::rc::Rc::new(written?));
        Ok(ty)
    }

    fn write_stand_in(
        &self,
        name: &str,
        ty: &RustType,
        bound: &TraitBound,
    ) -> Result<StandIn, Obstacle> {
        let library = self.solver.library;
        let short = last_segment(&bound.path);
        let Some((at, item)) = library.find_item(&bound.path) else {
            return Err(Obstacle::ForeignTrait(short.to_owned()));
        };
        let ItemEnum::Trait(trait_) = &item.inner else {
            return Err(Obstacle::NoTrait(short.to_owned()));
        };
        if trait_.is_unsafe {
            return Err(Obstacle::UnsafeTrait(short.to_owned()));
        }
        if !trait_.generics.params.is_empty() && bound.arguments.is_empty() {
            return Err(Obstacle::TraitWithParameters(short.to_owned()));
        }
        for supertrait in library.bounds(at.document, &trait_.bounds) {
            if !ALWAYS.contains(&supertrait.path.as_str()) {
                return Err(Obstacle::Supertrait {
                    name: short.to_owned(),
                    supertrait: last_segment(&supertrait.path).to_owned(),
                });
            }
        }
        let header = trait_source(
            library,
            &TraitBound {
                equalities: Vec::new(),
                constraints: Vec::new(),
                ..bound.clone()
            },
        )?;
        let mut by = Substitution::new();
        by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
        for (parameter, argument) in trait_.generics.params.iter().zip(&bound.arguments) {
            by.insert(parameter.name.clone(), argument.clone());
        }
        let mut stand_in = StandIn {
            name: name.to_owned(),
            trait_path: bound.path.clone(),
            associated: Vec::new(),
            source: "".into(),
            lacks: &[],
        };
        let mut body: Vec<Expression> = Vec::new();
        for id in &trait_.items {
            let at = ItemRef { id: *id, ..at };
            let Some(item) = library.item(at) else {
                continue;
            };
            let own = item.name.clone().unwrap_or_default();
            match &item.inner {
                ItemEnum::AssocType {
                    bounds,
                    type_: None,
                    ..
                } => {
                    let fixed = bound.equalities.iter().find(|(it, _)| *it == own);
                    let chosen = match fixed {
                        Some((_, ty)) => ty.clone(),
                        None => {
                            let bounds = library.bounds(at.document, bounds);
                            self.type_for(&bounds, &by, &[])?
                        }
                    };
                    body.push(format!("    type {own} = {};\n", source(library, &chosen)?).into());
                    stand_in.associated.push((own, chosen));
                }
                ItemEnum::AssocConst { type_, value: None } => {
                    let ty = library.convert(at.document, type_);
                    let value = self.first_value(&ty)?;
                    let declared = format!("    const {own}: {} = ", source(library, &ty)?);
                    body.push(value.between(declared, ";\n"));
                }
                _ => {}
            }
        }
        let half_written = std::rc::Rc::new(stand_in.clone());
        self.solver.stand_ins.borrow_mut().push(half_written);
        for method in trait_methods(library, at) {
            let has_body = matches!(
                library.item(method.at).map(|it| &it.inner),
                Some(ItemEnum::Function(function)) if function.has_body
            );
            if !has_body {
                body.push(self.stand_in_method(&method, &by)?);
            }
        }
        stand_in.source = Expression::Sequence(body).between(
            format!(
                "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
                 pub struct {name};\n\
                 impl {header} for {name} {{\n"
            ),
            "}\n",
        );
        Ok(stand_in)
    }

    fn stand_in_method(
        &self,
        method: &Signature,
        by: &Substitution,
    ) -> Result<Expression, Obstacle> {
        let library = self.solver.library;
        if method.is_unsafe || !method.own_parameters.is_empty() {
            return Err(Obstacle::TraitMethod(method.name.clone()));
        }
        let close = |ty: &RustType| self.solver.normalise(ty.substitute(by));
        let mut inputs = Vec::new();
        for (index, (name, ty)) in method.inputs.iter().enumerate() {
            let written = source_with_elided_lifetimes(library, &close(ty))?;
            inputs.push(if name == "self" {
                format!("self: {written}")
            } else {
                format!("_{index}: {written}")
            });
        }
        let output = close(&method.output);
        // Predicates report that everything is in order.
        let good = ["valid", "ok", "alive", "enabled"];
        let value = match &output {
            RustType::Primitive(name) if name == "bool" => method
                .name
                .split('_')
                .any(|it| good.contains(&it))
                .to_string()
                .into(),
            _ => self.first_value(&output)?,
        };
        let header = format!(
            "    {}fn {}({}) -> {} {{\n        ",
            if method.is_async { "async " } else { "" },
            method.name,
            inputs.join(", "),
            source_with_elided_lifetimes(library, &output)?,
        );
        Ok(value.between(header, "\n    }\n"))
    }
}
