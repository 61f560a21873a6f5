//! Values written down: unit structs, structs with public fields, enum variants.

use contest_data::subject::StandInMode;
use rustdoc_types::{ItemEnum, StructKind, VariantKind, Visibility};

use super::constructors::{Ranked, default_of};
use super::document::is_hidden;
use super::holds::Holds;
use super::library::ItemRef;
use super::numbers::is_limit;
use super::recipes::Recipes;
use super::render::source;
use super::request::Request;
use super::rust_type::{RustType, Substitution};
use super::std_paths::last_segment;
use super::std_traits::is_integer;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ArgumentChoice, ConstructorEntry, Made, Passed};

impl Recipes<'_> {
    /// Unit structs, structs with public fields, enum variants, constants.
    pub(super) fn literals(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        let Some((at, item)) = library.find_item(ty.path()) else {
            return;
        };
        let Some(by) = self.solver.bind_parameters(ty) else {
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
        // `Enum::<u32>::Variant`: a literal's path cannot be `<Enum<u32>>::Variant`.
        let path = written.replacen('<', "::<", 1);
        if let ItemEnum::Struct(it) = &item.inner
            && !non_exhaustive(item)
            && self.solver.implements(ty, "core::default::Default") == Holds::Yes
            && let Some(fields) = fields_of_struct(&it.kind)
            && let Some(entry) =
                self.small_limits(ty, [&path, short, &written], &fields, &by, at, depth)
        {
            let rank = (1, 0, found.len());
            found.push(Ranked { rank, entry });
        }
        let mut add = |rank: usize, path: String, text: String, fields: Option<Fields>| {
            let Some(fields) = fields else { return };
            if let Some(entry) = self.literal(ty, &path, &text, &fields, &by, at, depth) {
                let rank = (rank, entry.arguments.len(), found.len());
                found.push(Ranked { rank, entry });
            }
        };
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
        let mut arguments = Vec::new();
        let mut names = Vec::new();
        for id in &fields.ids {
            let Field {
                name,
                ty: field,
                is_public,
            } = self.field(ItemRef { id: *id, ..at }, by)?;
            if fields.must_be_public && !is_public {
                return None;
            }
            let request = Request {
                name: &name,
                ..Request::to_construct(ty, depth)
            };
            arguments.push(self.argument(&field, request).ok()?);
            names.push(name);
        }
        // Borrowed fields would have to outlive the value.
        if arguments.iter().any(|it| it.passed != Passed::Value) {
            return None;
        }
        let written = |path: &str| match fields.shape {
            Shape::Unit => path.into(),
            Shape::Tuple => Expression::call(path, Expression::arguments(0, names.len())),
            Shape::Named => {
                let holes = Expression::arguments(0, names.len()).zip(&names);
                let fields = holes.map(|(hole, name)| hole.between(format!("{name}: "), ""));
                Expression::list(&format!("{path} {{ "), fields, " }")
            }
        };
        Some(ConstructorEntry {
            text: written(text),
            expression: written(path),
            made: Made::Plain,
            mode: StandInMode::Usual,
            arguments,
        })
    }

    fn field(&self, at: ItemRef, by: &Substitution) -> Option<Field> {
        let library = self.solver.library;
        let item = library.item(at)?;
        let ItemEnum::StructField(ty) = &item.inner else {
            return None;
        };
        let ty = library.convert(at.document, ty).substitute(by);
        Some(Field {
            name: item.name.clone().unwrap_or_default(),
            ty: self.solver.normalise(ty),
            is_public: item.visibility == Visibility::Public,
        })
    }

    /// The default with small numbers in all fields that are limits: `Config { max_size: 1, ..Default::default() }`.
    /// Small limits are soon reached, and what is not named keeps its usual value. The names of the type are its path,
    /// what is shown, and what has its default.
    fn small_limits(
        &self,
        ty: &RustType,
        [path, shown, written]: [&str; 3],
        fields: &Fields,
        by: &Substitution,
        at: ItemRef,
        depth: usize,
    ) -> Option<ConstructorEntry> {
        if !matches!(fields.shape, Shape::Named) {
            return None;
        }
        let mut texts = Vec::new();
        let mut values = Vec::new();
        for id in &fields.ids {
            let Field {
                name,
                ty: field,
                is_public,
            } = self.field(ItemRef { id: *id, ..at }, by)?;
            // What is not named must be in sight, too.
            if !is_public {
                return None;
            }
            if !is_limit(&name) || !may_be_limit(&field) {
                continue;
            }
            let request = Request {
                name: &name,
                ..Request::to_construct(ty, depth)
            };
            let value = self.values(&field, request).ok()?.into_iter().next()?;
            let named = |it: Expression| it.between(format!("{name}: "), "");
            texts.push(named(value.text.into()));
            values.push(named(value.expression));
        }
        if values.is_empty() {
            return None;
        }
        let whole = values.len() == fields.ids.len();
        let literal = |path: &str, named: Vec<Expression>, rest: Expression| {
            let rest = (!whole).then(|| rest.between("..", ""));
            Expression::list(&format!("{path} {{ "), named.into_iter().chain(rest), " }")
        };
        let limited = ArgumentChoice {
            text: literal(shown, texts, Expression::call("Default::default", [])).to_string(),
            expression: literal(path, values, default_of(written)),
        };
        Some(ConstructorEntry::of_value(limited))
    }
}

/// True for an integer, and for one that may be absent.
fn may_be_limit(ty: &RustType) -> bool {
    match ty {
        RustType::Primitive(_) => is_integer(ty),
        RustType::Named { path, .. } if path == "core::option::Option" => {
            ty.argument(0).is_some_and(may_be_limit)
        }
        RustType::Named { path, .. } => path == "core::num::nonzero::NonZero",
        _ => false,
    }
}

/// A field of a struct or a variant.
struct Field {
    name: String,
    ty: RustType,
    is_public: bool,
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
