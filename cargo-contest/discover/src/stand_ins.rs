//! Makes the types that the driver declares where an API needs an implementation of a trait and the crate has none.

use contest_data::subject::Probe;
use rustdoc_types::{GenericParamDefKind, Generics, ItemEnum};

use super::library::{ItemRef, Library};
use super::obstacle::Obstacle;
use super::raw_locks::{DECLARATION, INITIAL, LACKS, body, is_raw_lock};
use super::recipes::Recipes;
use super::render::{source, source_with_elided_lifetimes, trait_source};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::signature::{Signature, trait_methods};
use super::stand_in::{ALIGNED, ALWAYS, CARRIES, LATER, PREFIX, StandIn, UNSENT, UNSHARED, ZST};
use super::std_paths::{is_std, last_segment};
use contest_catalog::expression::Expression;

const LATER_SOURCE: &str = include_str!("later.rs.in");

/// Supertraits of one trait, theirs included.
const MOST_SUPERTRAITS: usize = 8;

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
        let source = format!("#[allow(unused_imports)]\nuse contest::probe::{name};\n");
        self.declare(name, source.into(), lacks)
    }

    /// [`ZST`] or [`ALIGNED`].
    pub(crate) fn declared(&self, name: &str) -> RustType {
        let (attribute, content) = match name {
            ZST => ("", ""),
            ALIGNED => ("#[repr(align(64))]\n", "(pub u32)"),
            _ => unreachable!("{name} is not declared by itself"),
        };
        let traits = "Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash";
        let source = format!("#[derive({traits})]\n{attribute}pub struct {name}{content};\n");
        self.declare(name, source.into(), &[])
    }

    /// A future of this output.
    pub(crate) fn future_of(&self, output: RustType) -> RustType {
        let lacks = &["core::marker::Copy", "core::default::Default"];
        let (before, after) = LATER_SOURCE
            .split_once("{callers_code}")
            .expect("the code of a caller runs in its poll");
        let source = [before.into(), Expression::CallersCode, after.into()];
        self.declare(LATER, Expression::Sequence(source.into()), lacks);
        RustType::named(LATER, [output])
    }

    fn declare(&self, name: &str, source: Expression, lacks: &'static [&'static str]) -> RustType {
        if self.solver.stand_in_named(name).is_none() {
            self.solver.declare(StandIn {
                name: name.to_owned(),
                trait_path: match name {
                    LATER => "core::future::future::Future".to_owned(),
                    _ => String::new(),
                },
                also: match name {
                    LATER => vec!["core::future::into_future::IntoFuture".to_owned()],
                    _ => Vec::new(),
                },
                associated: Vec::new(),
                source,
                lacks,
                modes: Vec::new(),
            });
        }
        RustType::named(name, [])
    }

    /// A stand-in for an implementation of `bound`, made on first use.
    ///
    /// # Errors
    /// What about the trait cannot be written.
    pub(crate) fn stand_in(&self, bound: &TraitBound) -> Result<RustType, Obstacle> {
        let short = last_segment(&bound.path);
        let name = format!("{PREFIX}{short}");
        let ty = RustType::named(&name, []);
        if let Some(known) = self.solver.stand_in_named(&name) {
            if known.trait_path == bound.path {
                return Ok(ty);
            }
            return Err(Obstacle::SameTraitName(short.to_owned()));
        }
        match self.write_stand_in(&name, &ty, bound) {
            Ok(written) => self.solver.declare(written),
            Err(why) => {
                self.solver.withdraw(&name);
                return Err(why);
            }
        }
        Ok(ty)
    }

    /// True if what implements the trait has to be `Send`, or can be copied.
    fn wants_markers(&self, bound: &TraitBound) -> bool {
        let library = self.solver.library;
        let Some((at, item)) = library.find_item(&bound.path) else {
            return true;
        };
        let ItemEnum::Trait(trait_) = &item.inner else {
            return true;
        };
        let supertraits = library.bounds(at.document, &trait_.bounds);
        supertraits.iter().any(|it| {
            let own = !is_std(&it.path) && self.wants_markers(it);
            own || ["core::marker::Send", "core::marker::Copy"].contains(&it.path.as_str())
        })
    }

    /// As [`stand_in`](Self::stand_in), with an [`UNSENT`] in it.
    ///
    /// # Errors
    /// Likewise.
    pub(super) fn stand_in_that_carries(&self, bound: &TraitBound) -> Result<RustType, Obstacle> {
        let name = format!("{CARRIES}{}", last_segment(&bound.path));
        let ty = RustType::named(&name, []);
        if let Some(known) = self.solver.stand_in_named(&name) {
            return match known.trait_path == bound.path {
                true => Ok(ty),
                false => Err(Obstacle::SameTraitName(
                    last_segment(&bound.path).to_owned(),
                )),
            };
        }
        if self.wants_markers(bound) {
            return Err(Obstacle::NoTrait(name));
        }
        self.probe(Probe::Unsent);
        let written = self.write_stand_in(&name, &ty, bound);
        let mut written = written.inspect_err(|_| self.solver.withdraw(&name))?;
        if written.lacks == LACKS {
            self.solver.withdraw(&name);
            return Err(Obstacle::UnsafeTrait(name));
        }
        written.lacks = &["core::marker::Copy", "core::marker::Send"];
        let declared = format!(
            "#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub struct {name} {{\n    \
             carried: {UNSENT},\n}}\n"
        );
        if let Expression::Sequence(blocks) = &mut written.source {
            blocks[0] = declared.into();
        }
        self.solver.declare(written);
        Ok(ty)
    }

    fn write_stand_in(
        &self,
        name: &str,
        ty: &RustType,
        bound: &TraitBound,
    ) -> Result<StandIn, Obstacle> {
        let mut stand_in = StandIn {
            name: name.to_owned(),
            trait_path: bound.path.clone(),
            also: Vec::new(),
            associated: Vec::new(),
            source: "".into(),
            lacks: &[],
            modes: Vec::new(),
        };
        // An associated type may have to be one itself.
        self.solver.declare(stand_in.clone());
        let mut blocks: Vec<Expression> = vec!["".into()];
        self.implement(&mut stand_in, ty, bound, &mut blocks)?;
        if blocks[0] == "".into() {
            blocks[0] = stand_in.declaration().into();
        }
        stand_in.source = Expression::Sequence(blocks);
        Ok(stand_in)
    }

    /// Writes the impl block of a trait, after those of its supertraits.
    fn implement(
        &self,
        stand_in: &mut StandIn,
        ty: &RustType,
        bound: &TraitBound,
        blocks: &mut Vec<Expression>,
    ) -> Result<(), Obstacle> {
        let library = self.solver.library;
        let short = last_segment(&bound.path);
        let Some((at, item)) = library.find_item(&bound.path) else {
            return Err(Obstacle::ForeignTrait(short.to_owned()));
        };
        let ItemEnum::Trait(trait_) = &item.inner else {
            return Err(Obstacle::NoTrait(short.to_owned()));
        };
        let is_lock = trait_.is_unsafe && is_raw_lock(library, at, short, trait_);
        if trait_.is_unsafe && !is_lock {
            return Err(Obstacle::UnsafeTrait(short.to_owned()));
        }
        if is_lock {
            stand_in.lacks = LACKS;
            let name = &stand_in.name;
            blocks[0] = format!("#[derive(Debug, Default)]\npub struct {name}{DECLARATION}").into();
        }
        if !trait_.generics.params.is_empty() && bound.arguments.is_empty() {
            return Err(Obstacle::TraitWithParameters(short.to_owned()));
        }
        let mut by = Substitution::new();
        by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
        for (parameter, argument) in trait_.generics.params.iter().zip(&bound.arguments) {
            by.insert(parameter.name.clone(), argument.clone());
        }
        for supertrait in library.bounds(at.document, &trait_.bounds) {
            let known = ALWAYS.contains(&supertrait.path.as_str())
                || stand_in.also.contains(&supertrait.path);
            if known {
                continue;
            }
            if stand_in.also.len() == MOST_SUPERTRAITS || is_std(&supertrait.path) {
                return Err(Obstacle::Supertrait {
                    name: short.to_owned(),
                    supertrait: last_segment(&supertrait.path).to_owned(),
                });
            }
            stand_in.also.push(supertrait.path.clone());
            self.implement(stand_in, ty, &supertrait.substitute(&by), blocks)?;
        }
        let header = trait_source(
            library,
            &TraitBound {
                equalities: Vec::new(),
                constraints: Vec::new(),
                ..bound.clone()
            },
        )?;
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
                    generics,
                } => {
                    let parameters =
                        lifetimes(generics).ok_or_else(|| Obstacle::TraitMethod(own.clone()))?;
                    let fixed = bound.equalities.iter().find(|(it, _)| *it == own);
                    let chosen = match fixed {
                        Some((_, ty)) => ty.clone(),
                        // What `lock` returns says nothing.
                        None if is_lock => RustType::unit(),
                        None => {
                            let bounds = library.bounds(at.document, bounds);
                            self.type_for(&bounds, &by, &[])?
                        }
                    };
                    let chosen_source = source(library, &chosen)?;
                    body.push(format!("    type {own}{parameters} = {chosen_source};\n").into());
                    stand_in.associated.push((own, chosen));
                    // The next one may name it.
                    self.solver.declare(stand_in.clone());
                }
                ItemEnum::AssocConst { value: None, .. } if is_lock => {
                    body.push(format!("    const {own}: Self = {INITIAL};\n").into());
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
        self.solver.declare(stand_in.clone());
        for method in trait_methods(library, at) {
            let has_body = matches!(
                library.item(method.at).map(|it| &it.inner),
                Some(ItemEnum::Function(function)) if function.has_body
            );
            if !has_body {
                body.push(self.stand_in_method(stand_in, &method, &by, is_lock)?);
            }
        }
        let block = Expression::Sequence(body);
        let safety = if is_lock { "unsafe " } else { "" };
        let attribute = async_attribute(library, at);
        let header = format!(
            "{attribute}{safety}impl {header} for {} {{\n",
            stand_in.name
        );
        blocks.push(block.between(header, "}\n"));
        Ok(())
    }

    fn stand_in_method(
        &self,
        stand_in: &mut StandIn,
        method: &Signature,
        by: &Substitution,
        is_lock: bool,
    ) -> Result<Expression, Obstacle> {
        let library = self.solver.library;
        if method.is_unsafe && !is_lock || !method.own_parameters.is_empty() {
            return Err(Obstacle::TraitMethod(method.name.clone()));
        }
        let close = |ty: &RustType| self.solver.normalise(ty.substitute(by));
        let boxed_future = is_of_async_trait(library, method.at);
        let mut inputs = Vec::new();
        for (index, (name, ty)) in method.inputs.iter().enumerate() {
            let written = source_with_elided_lifetimes(library, &close(ty))?;
            inputs.push(if name == "self" {
                format!("self: {written}")
            } else {
                format!("_{index}: {written}")
            });
        }
        let output = match close(&method.output) {
            // A method may name the type of what the trait leaves open.
            RustType::Impl(bounds) => self.type_for(&bounds, by, &[])?,
            other if boxed_future => future_output(&other).cloned().unwrap_or(other),
            other => other,
        };
        // Predicates report that everything is in order.
        let good = ["valid", "ok", "alive", "enabled"];
        let has_modes = !is_lock && !stand_in.name.starts_with(CARRIES);
        let lock_body = is_lock.then(|| body(&method.name, &output)).flatten();
        let value = match &output {
            _ if lock_body.is_some() => lock_body.unwrap_or_default().into(),
            RustType::Primitive(name) if name == "bool" => method
                .name
                .split('_')
                .any(|it| good.contains(&it))
                .to_string()
                .into(),
            _ => self.first_value(&output)?,
        };
        let awaits = method.is_async || boxed_future;
        let value = match has_modes {
            true => self.body_with_modes(stand_in, method, &output, awaits, value),
            false => value,
        };
        let header = format!(
            "    {}{}fn {}({}) -> {} {{\n        ",
            if awaits { "async " } else { "" },
            if method.is_unsafe { "unsafe " } else { "" },
            method.name,
            inputs.join(", "),
            source_with_elided_lifetimes(library, &output)?,
        );
        // Others may come while it runs.
        let callers_code = match is_lock {
            true => "".into(),
            false => Expression::CallersCode,
        };
        let source = [header.into(), callers_code, value];
        Ok(Expression::Sequence(source.into()).between("", "\n    }\n"))
    }
}

/// True for a function that `#[async_trait]` has rewritten: its lifetimes have to be declared as that does it.
fn is_of_async_trait(library: &Library, at: ItemRef) -> bool {
    match library.item(at).map(|it| &it.inner) {
        Some(ItemEnum::Function(function)) => {
            let mut parameters = function.generics.params.iter();
            parameters.any(|it| it.name == "'async_trait")
        }
        _ => false,
    }
}

/// The attribute by which impl blocks of a trait have its asynchronous functions.
fn async_attribute(library: &Library, trait_at: ItemRef) -> &'static str {
    let methods = trait_methods(library, trait_at);
    let mut rewritten = methods
        .iter()
        .filter(|it| is_of_async_trait(library, it.at));
    match rewritten.next() {
        None => "",
        Some(method) => {
            let mut is_send = false;
            method.output.visit(&mut |it| {
                if let RustType::Dyn(bounds) = it {
                    is_send |= bounds.iter().any(|it| it.path == "core::marker::Send");
                }
            });
            if is_send {
                "#[async_trait::async_trait]\n"
            } else {
                "#[async_trait::async_trait(?Send)]\n"
            }
        }
    }
}

/// The output of the future in `Pin<Box<dyn Future>>`, or of an `impl Future`.
pub(super) fn future_output(future: &RustType) -> Option<&RustType> {
    let bounds = match future {
        RustType::Impl(bounds) => bounds,
        boxed => match boxed.argument(0)?.argument(0)? {
            RustType::Dyn(bounds) => bounds,
            _ => return None,
        },
    };
    let mut outputs = bounds.iter().flat_map(|it| &it.equalities);
    outputs.find(|(name, _)| name == "Output").map(|(_, it)| it)
}

/// Parameters of an associated type as they are declared: none, or lifetimes. `None` if there are others.
fn lifetimes(generics: &Generics) -> Option<String> {
    let mut names = Vec::new();
    for parameter in &generics.params {
        let GenericParamDefKind::Lifetime { .. } = parameter.kind else {
            return None;
        };
        names.push(parameter.name.as_str());
    }
    Some(if names.is_empty() {
        String::new()
    } else {
        format!("<{}>", names.join(", "))
    })
}
