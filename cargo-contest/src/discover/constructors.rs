//! Ways to make a value of a type of the crate: associated functions, `Default`, `From`, builders, free functions, variants, literals.

use rustdoc_types::{ItemEnum, StructKind, VariantKind, Visibility};

use super::calls::Call;
use super::document::is_hidden;
use super::library::ItemRef;
use super::public_names::Namespace;
use super::recipes::{MAX_CHOICES, MAX_NESTING, Recipes, Request, cannot_make, choice};
use super::render::source;
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use super::solver::Holds;
use super::std_paths::last_segment;
use super::std_traits::is_integer;
use super::subject_catalog::{ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made, Passed};
use crate::skipped::Skipped;

/// A constructor with what decides its place in the list.
struct Ranked {
    rank: (usize, usize, usize),
    entry: ConstructorEntry,
}

impl Recipes<'_> {
    /// Ways to make a `ty`, preferred first, and what was left out.
    pub(crate) fn constructors(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> (Vec<ConstructorEntry>, Vec<Skipped>) {
        if self.in_progress.borrow().contains(ty) {
            return (Vec::new(), Vec::new());
        }
        self.in_progress.borrow_mut().push(ty.clone());
        let mut found = Vec::new();
        let mut left_out = Vec::new();
        self.literals(ty, depth, &mut found);
        self.trait_constructors(ty, depth, &mut found);
        for (place, maker) in self.functions.makers(ty.path()).enumerate() {
            match self.maker(ty, maker, place, depth) {
                Ok(entries) => found.extend(entries),
                Err(None) => {}
                Err(Some(why)) => left_out.push(Skipped::new(maker.name.clone(), why)),
            }
        }
        self.in_progress.borrow_mut().pop();
        // Fewest arguments first, a well-known name counts for about one.
        found.sort_by_key(|it| (it.rank.0 + it.rank.1, it.rank.1, it.rank));
        let mut entries: Vec<ConstructorEntry> = Vec::new();
        for ranked in found {
            let same = |it: &ConstructorEntry| it.expression == ranked.entry.expression;
            if !entries.iter().any(same) {
                entries.push(ranked.entry);
            }
        }
        (entries, left_out)
    }

    /// Alternatives for a value of a type of the crate.
    ///
    /// # Errors
    /// Says that it cannot be made.
    pub(crate) fn own_values(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let key = (ty.clone(), depth);
        let known = self.constructors.borrow().get(&key).cloned();
        let entries = match known {
            Some(entries) => entries,
            None => {
                let (entries, _) = self.constructors(ty, depth);
                // What is found inside a circle depends on where the circle was entered.
                if self.in_progress.borrow().is_empty() {
                    self.constructors.borrow_mut().insert(key, entries.clone());
                }
                entries
            }
        };
        let mut choices: Vec<ArgumentChoice> = Vec::new();
        for entry in entries.iter().filter(|it| it.made == Made::Plain) {
            let most = entry
                .arguments
                .iter()
                .map(|it| it.choices.len())
                .max()
                .unwrap_or(1);
            let wanted = if choices.is_empty() { most.min(2) } else { 1 };
            choices.extend((0..wanted).filter_map(|it| flatten(entry, it, borrows(ty))));
            if choices.len() >= MAX_CHOICES {
                break;
            }
        }
        choices.truncate(MAX_CHOICES);
        if choices.is_empty() {
            return Err(cannot_make(ty));
        }
        Ok(choices)
    }

    fn request<'r>(&self, ty: &'r RustType, depth: usize) -> Request<'r> {
        Request {
            depth,
            constructs: Some(ty),
            ..Request::PLAIN
        }
    }

    /// Unit structs, structs with public fields, enum variants, constants.
    fn literals(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        let Some((at, item)) = library.find_item(ty.path()) else {
            return;
        };
        let Some(by) = self.bind_parameters(ty) else {
            return;
        };
        let Ok(written) = source(library, ty) else {
            return;
        };
        let short = last_segment(ty.path());
        let non_exhaustive = |item: &rustdoc_types::Item| {
            item.attrs
                .contains(&rustdoc_types::Attribute::NonExhaustive)
        };
        let mut add = |rank: usize, path: String, text: String, fields: Option<Fields>| {
            let Some(fields) = fields else { return };
            if let Some(entry) = self.literal(ty, &path, &text, &fields, &by, at, depth) {
                let rank = (rank, entry.arguments.len(), found.len());
                found.push(Ranked { rank, entry });
            }
        };
        // `Enum::<u32>::Variant`: a literal's path cannot be `<Enum<u32>>::Variant`.
        let path = written.replacen('<', "::<", 1);
        match &item.inner {
            ItemEnum::Struct(it) if !non_exhaustive(item) => {
                add(3, path, short.to_owned(), fields_of_struct(&it.kind));
            }
            ItemEnum::Enum(it) => {
                for id in &it.variants {
                    let variant = ItemRef { id: *id, ..at };
                    let Some(item) = library.item(variant) else {
                        continue;
                    };
                    let ItemEnum::Variant(kind) = &item.inner else {
                        continue;
                    };
                    if is_hidden(item) || non_exhaustive(item) {
                        continue;
                    }
                    let name = item.name.clone().unwrap_or_default();
                    add(
                        0,
                        format!("{path}::{name}"),
                        format!("{short}::{name}"),
                        fields_of_variant(&kind.kind),
                    );
                }
            }
            _ => {}
        }
        self.constants(ty, found);
    }

    #[expect(clippy::too_many_arguments, reason = "one private step of the above")]
    fn literal(
        &self,
        ty: &RustType,
        path: &str,
        text: &str,
        fields: &Fields,
        by: &Substitution,
        at: ItemRef,
        depth: usize,
    ) -> Option<ConstructorEntry> {
        let library = self.solver.library;
        let mut arguments = Vec::new();
        let mut names = Vec::new();
        for id in &fields.ids {
            let item = library.item(ItemRef { id: *id, ..at })?;
            let ItemEnum::StructField(field) = &item.inner else {
                return None;
            };
            if fields.must_be_public && item.visibility != Visibility::Public {
                return None;
            }
            let field = self
                .solver
                .normalise(library.convert(at.document, field).substitute(by));
            let name = item.name.clone().unwrap_or_default();
            let request = Request {
                name: &name,
                ..self.request(ty, depth)
            };
            arguments.push(self.argument(&field, request).ok()?);
            names.push(name);
        }
        // Borrowed fields would have to outlive the value.
        if arguments.iter().any(|it| it.passed != Passed::Value) {
            return None;
        }
        let body = match fields.shape {
            Shape::Unit => String::new(),
            Shape::Tuple => {
                let all: Vec<String> = (0..names.len()).map(|it| format!("{{{it}}}")).collect();
                format!("({})", all.join(", "))
            }
            Shape::Named => {
                let all: Vec<String> = names
                    .iter()
                    .enumerate()
                    .map(|(index, name)| format!("{name}: {{{index}}}"))
                    .collect();
                format!(" {{ {} }}", all.join(", "))
            }
        };
        Some(ConstructorEntry {
            text: format!("{text}{body}"),
            expression: format!("{path}{body}"),
            made: Made::Plain,
            arguments,
        })
    }

    fn constants(&self, ty: &RustType, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        for (document, it) in library.documents.iter().enumerate() {
            for item in it.items_in_order() {
                let ItemEnum::Constant { type_, .. } = &item.inner else {
                    continue;
                };
                let Some(path) = it.definition_path(item.id) else {
                    continue;
                };
                let Some(name) = library.names.get(&path, Namespace::Value) else {
                    continue;
                };
                if name.hidden || library.convert(document, type_) != *ty {
                    continue;
                }
                found.push(Ranked {
                    rank: (4, 0, found.len()),
                    entry: ConstructorEntry {
                        text: last_segment(&name.path).to_owned(),
                        expression: name.path.clone(),
                        made: Made::Plain,
                        arguments: Vec::new(),
                    },
                });
            }
        }
    }

    /// `Default` and `From`.
    fn trait_constructors(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        let Ok(written) = source(library, ty) else {
            return;
        };
        let short = last_segment(ty.path());
        if self.solver.implements(ty, "core::default::Default") == Holds::Yes {
            found.push(Ranked {
                rank: (2, 0, 0),
                entry: ConstructorEntry {
                    text: format!("{short}::default()"),
                    expression: format!("<{written} as std::default::Default>::default()"),
                    made: Made::Plain,
                    arguments: Vec::new(),
                },
            });
        }
        for from in self.conversions(ty) {
            let Ok(argument) = self.argument(&from, self.request(ty, depth)) else {
                continue;
            };
            found.push(Ranked {
                rank: (5, 1, found.len()),
                entry: ConstructorEntry {
                    text: format!("{short}::from({{0}})"),
                    expression: format!("<{written} as std::convert::From<_>>::from({{0}})"),
                    made: Made::Plain,
                    arguments: vec![argument],
                },
            });
        }
    }

    /// Types `X` with `impl From<X> for ty` in the crate, others than parameters.
    fn conversions(&self, ty: &RustType) -> Vec<RustType> {
        let library = self.solver.library;
        let mut found = Vec::new();
        for at in library.impls_of_type(ty.path()) {
            let Some(ItemEnum::Impl(block)) = library.item(at).map(|it| &it.inner) else {
                continue;
            };
            let Some(trait_) = &block.trait_ else {
                continue;
            };
            if block.blanket_impl.is_some() || block.is_synthetic {
                continue;
            }
            let bound = library.trait_bound(at.document, trait_);
            if bound.path != "core::convert::From" {
                continue;
            }
            let constraints = library.constraints(at.document, &block.generics);
            let for_ = library.convert(at.document, &block.for_);
            let mut by = Substitution::new();
            if !bind(&for_, ty, &constraints.names(), &mut by) {
                continue;
            }
            if let Some(from) = bound.substitute(&by).types().next()
                && from.is_closed()
                && self.solver.all_hold(&constraints, &by) != Holds::No
            {
                found.push(from.clone());
            }
        }
        found.truncate(2);
        found
    }

    /// Constructors that call `maker`. `Err(None)` if it does not make this type after all.
    fn maker(
        &self,
        ty: &RustType,
        maker: &Signature,
        place: usize,
        depth: usize,
    ) -> Result<Vec<Ranked>, Option<String>> {
        let mut by = Substitution::new();
        let wrapping =
            unwrapping(&maker.output, ty, &maker.constraints.names(), &mut by).ok_or(None)?;
        let is_own = matches!(&maker.owner, Owner::Inherent(owner) if owner.path() == ty.path());
        let mut chains = vec![(String::new(), String::new(), 0)];
        let n_given = usize::from(maker.is_method());
        if maker.is_method() {
            let Owner::Inherent(owner) = &maker.owner else {
                return Err(None);
            };
            // A method of the type itself makes nothing from nothing; others are worth a try as long as it is cheap.
            if is_own || depth >= MAX_NESTING {
                return Err(None);
            }
            let Some((receiver, reference)) = receiver_of(maker) else {
                return Err(None);
            };
            let owner = self.close(owner, maker, &mut by).ok_or(None)?;
            debug_assert!(matches!(receiver, RustType::Named { .. }) || owner.is_closed());
            let reference = match (borrows(ty), reference) {
                (true, "&") => "&*std::boxed::Box::leak(std::boxed::Box::new({}))",
                (true, "&mut ") => "std::boxed::Box::leak(std::boxed::Box::new({}))",
                (_, "&") => "&{}",
                (_, "&mut ") => "&mut {}",
                _ => "{}",
            };
            chains = self.receivers(&owner, reference, depth).ok_or(None)?;
        }
        let call = self
            .call(maker, by, n_given, self.request(ty, depth))
            .map_err(Some)?;
        let ranked = chains
            .into_iter()
            .map(|(receiver, receiver_text, penalty)| {
                let entry = finish(&call, &wrapping, &receiver, &receiver_text);
                let closures = call
                    .arguments
                    .iter()
                    .filter(|it| it.choices.iter().any(|it| it.text.starts_with('|')))
                    .count();
                let class = match (&maker.owner, maker.is_method()) {
                    // As an argument, a builder's small value is the most telling one.
                    _ if depth > 0 && maker.is_method() && penalty == 0 => 0,
                    _ if is_own && maker.name == "new" => 0,
                    _ if is_own => 1,
                    (_, true) => 6,
                    _ => 4,
                };
                Ranked {
                    rank: (
                        class + wrapping.cost,
                        call.arguments.len() + closures,
                        place * 8 + penalty,
                    ),
                    entry,
                }
            });
        Ok(ranked.collect())
    }

    /// Values of a builder: plain, and with one setter called with a small value.
    fn receivers(
        &self,
        owner: &RustType,
        reference: &str,
        depth: usize,
    ) -> Option<Vec<(String, String, usize)>> {
        let library = self.solver.library;
        let values = self.own_values(owner, depth + 1).ok()?;
        let base = &values[0];
        let passed = |expression: &str| reference.replace("{}", expression);
        let mut chains = vec![(passed(&base.expression), base.text.clone(), 1)];
        let sizes = ["size", "cap", "max", "limit", "count", "num", "threads"];
        for setter in self.functions.inherent(owner.path()) {
            let simple = setter.inputs.len() == 2
                && is_integer(&setter.inputs[1].1)
                && sizes.iter().any(|it| setter.name.contains(it));
            if !simple || setter.is_unsafe || setter.is_hidden || setter.is_async {
                continue;
            }
            let mut by = Substitution::new();
            let names = setter.constraints.names();
            let by_value = matches!(receiver_of(setter), Some((_, "")));
            if !by_value || !bind(&setter.output, owner, &names, &mut by) {
                continue;
            }
            let Owner::Inherent(own) = &setter.owner else {
                continue;
            };
            let own = self.solver.normalise(own.substitute(&by));
            let (true, Ok(written)) = (own.is_closed(), source(library, &own)) else {
                continue;
            };
            let request = Request {
                name: &setter.name,
                ..self.request(owner, depth)
            };
            let Ok(values) = self.values(&setter.inputs[1].1, request) else {
                continue;
            };
            let value = &values[0];
            let called = format!(
                "<{written}>::{}({}, {})",
                setter.name, base.expression, value.expression
            );
            let text = format!("{}.{}({})", base.text, setter.name, value.text);
            // A small pool shows more than a big one.
            chains.insert(chains.len() - 1, (passed(&called), text, 0));
            if chains.len() >= MAX_CHOICES {
                break;
            }
        }
        Some(chains)
    }

    /// Fills the parameters of a maker's owner that its output leaves open.
    fn close(
        &self,
        owner: &RustType,
        maker: &Signature,
        by: &mut Substitution,
    ) -> Option<RustType> {
        let closed = self.solver.normalise(owner.substitute(by));
        if closed.is_closed() {
            return Some(closed);
        }
        let mut open = Vec::new();
        closed.visit(&mut |it| {
            if let RustType::Parameter(name) = it {
                open.push(name.clone());
            }
        });
        for name in open {
            let bounds: Vec<_> = maker
                .constraints
                .bounds
                .iter()
                .filter(|(subject, _)| *subject == RustType::Parameter(name.clone()))
                .map(|(_, it)| it.clone())
                .collect();
            let chosen = self.type_for(&bounds, by, &[]).ok()?;
            by.insert(name, super::rust_type::TypeArgument::Type(chosen));
        }
        let closed = self.solver.normalise(owner.substitute(by));
        closed.is_closed().then_some(closed)
    }

    /// The parameters of a type's definition, as its arguments have them.
    pub(crate) fn bind_parameters(&self, ty: &RustType) -> Option<Substitution> {
        let (path, arguments) = ty.as_named()?;
        let (_, item) = self.solver.library.find_item(path)?;
        let generics = super::document::generics_of(item)?;
        let names = generics.params.iter().map(|it| it.name.clone());
        Some(names.zip(arguments.iter().cloned()).collect())
    }
}

/// Type of `self` and how a value is turned into it.
fn receiver_of(method: &Signature) -> Option<(&RustType, &'static str)> {
    match &method.inputs.first()?.1 {
        RustType::Reference { to, .. } if to.path() == "alloc::sync::Arc" => None,
        RustType::Reference { mutable, to, .. } => Some((to, if *mutable { "&mut " } else { "&" })),
        ty @ RustType::Named { .. } if ty.path() != "alloc::sync::Arc" => Some((ty, "")),
        _ => None,
    }
}

struct Fields {
    shape: Shape,
    ids: Vec<rustdoc_types::Id>,
    must_be_public: bool,
}

enum Shape {
    Unit,
    Tuple,
    Named,
}

fn fields_of_struct(kind: &StructKind) -> Option<Fields> {
    let (shape, ids) = match kind {
        StructKind::Unit => (Shape::Unit, Vec::new()),
        StructKind::Tuple(ids) => (
            Shape::Tuple,
            ids.iter().copied().collect::<Option<Vec<_>>>()?,
        ),
        StructKind::Plain {
            fields,
            has_stripped_fields: false,
        } => (Shape::Named, fields.clone()),
        StructKind::Plain { .. } => return None,
    };
    Some(Fields {
        shape,
        ids,
        must_be_public: true,
    })
}

fn fields_of_variant(kind: &VariantKind) -> Option<Fields> {
    let (shape, ids) = match kind {
        VariantKind::Plain => (Shape::Unit, Vec::new()),
        VariantKind::Tuple(ids) => (
            Shape::Tuple,
            ids.iter().copied().collect::<Option<Vec<_>>>()?,
        ),
        VariantKind::Struct {
            fields,
            has_stripped_fields: false,
        } => (Shape::Named, fields.clone()),
        VariantKind::Struct { .. } => return None,
    };
    Some(Fields {
        shape,
        ids,
        must_be_public: false,
    })
}

/// How a maker's output becomes the value: text with `{}` for the call.
struct Unwrapping {
    around: String,
    text_after: String,
    made: Made,
    /// Detours make a constructor less welcome.
    cost: usize,
}

/// Peels `Result`, `Option`, `Arc`, `Box` and pairs off `output` until it is `ty`.
fn unwrapping(
    output: &RustType,
    ty: &RustType,
    free: &[String],
    by: &mut Substitution,
) -> Option<Unwrapping> {
    let mut trial = by.clone();
    if !matches!(output, RustType::Parameter(_) | RustType::Projection { .. })
        && bind(output, ty, free, &mut trial)
    {
        *by = trial;
        return Some(Unwrapping {
            around: "{}".to_owned(),
            text_after: String::new(),
            made: Made::Plain,
            cost: 0,
        });
    }
    let inner = |index: usize| output.argument(index);
    match output {
        RustType::Named { path, .. } => {
            let (around, after) = match path.as_str() {
                "core::result::Result" => ("{}.ok().unwrap()", ".unwrap()"),
                "core::option::Option" => ("{}.unwrap()", ".unwrap()"),
                "alloc::boxed::Box" => ("*{}", ""),
                "alloc::sync::Arc" => ("{}", ""),
                _ => return None,
            };
            let rest = unwrapping(inner(0)?, ty, free, by)?;
            let is_arc = path == "alloc::sync::Arc";
            if is_arc && rest.around != "{}" {
                return None;
            }
            Some(Unwrapping {
                around: rest.around.replace("{}", around),
                text_after: format!("{after}{}", rest.text_after),
                made: if is_arc { Made::Arc } else { rest.made },
                cost: rest.cost + usize::from(is_arc),
            })
        }
        RustType::Tuple(items) if items.len() > 1 => {
            let (index, rest) = items
                .iter()
                .enumerate()
                .find_map(|(index, it)| Some((index, unwrapping(it, ty, free, by)?)))?;
            let names: Vec<String> = (0..items.len()).map(|it| format!("part_{it}")).collect();
            let forgotten: Vec<String> = names
                .iter()
                .enumerate()
                .filter(|(it, _)| *it != index)
                .map(|(_, it)| format!("std::mem::forget({it});"))
                .collect();
            // The other half lives on: a channel without its other end is closed.
            let around = format!(
                "{{ let ({}) = {{}}; {} {} }}",
                names.join(", "),
                forgotten.join(" "),
                rest.around.replace("{}", &names[index]),
            );
            Some(Unwrapping {
                around,
                text_after: format!(".{index}{}", rest.text_after),
                made: rest.made,
                cost: rest.cost + 1,
            })
        }
        _ => None,
    }
}

fn finish(
    call: &Call,
    wrapping: &Unwrapping,
    receiver: &str,
    receiver_text: &str,
) -> ConstructorEntry {
    let placeholders = call.placeholders();
    let (written, text) = if receiver.is_empty() {
        (
            format!("{}({placeholders})", call.path),
            format!("{}({placeholders})", call.short_path),
        )
    } else {
        let comma = if placeholders.is_empty() { "" } else { ", " };
        let name = last_segment(&call.short_path);
        (
            format!("{}({receiver}{comma}{placeholders})", call.path),
            format!("{receiver_text}.{name}({placeholders})"),
        )
    };
    ConstructorEntry {
        text: format!("{text}{}", wrapping.text_after),
        expression: wrapping.around.replace("{}", &written),
        made: wrapping.made,
        arguments: call.arguments.clone(),
    }
}

/// An entry as one expression, each argument by its alternative number `index` or its last.
fn flatten(entry: &ConstructorEntry, index: usize, leak: bool) -> Option<ArgumentChoice> {
    let mut expression = entry.expression.clone();
    let mut text = entry.text.clone();
    for (number, argument) in entry.arguments.iter().enumerate() {
        let chosen = &argument.choices.get(index).or(argument.choices.last())?;
        let passed = passed_expression(argument, chosen, leak)?;
        expression = expression.replace(&format!("{{{number}}}"), &passed);
        text = text.replace(&format!("{{{number}}}"), &chosen.text);
    }
    Some(choice(text, expression))
}

/// The value may hold on to what it is given.
fn borrows(ty: &RustType) -> bool {
    let (_, arguments) = ty.as_named().unwrap_or_default();
    arguments
        .iter()
        .any(|it| matches!(it, super::rust_type::TypeArgument::Lifetime(_)))
}

fn passed_expression(
    argument: &ArgumentRecipe,
    chosen: &ArgumentChoice,
    leak: bool,
) -> Option<String> {
    let leaked = || {
        format!(
            "std::boxed::Box::leak(std::boxed::Box::new({}))",
            chosen.expression
        )
    };
    match argument.passed {
        Passed::Reference if leak => Some(format!("&*{}", leaked())),
        Passed::MutableReference if leak => Some(leaked()),
        Passed::Value => Some(chosen.expression.clone()),
        Passed::Reference => Some(format!("&({})", chosen.expression)),
        Passed::MutableReference => Some(format!("&mut ({})", chosen.expression)),
        Passed::OtherObject | Passed::OtherObjectArc => None,
    }
}
