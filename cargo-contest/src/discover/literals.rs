//! Values written down: unit structs, structs with public fields, enum variants.

use contest_data::subject::StandInMode;
use rustdoc_types::{ItemEnum, StructKind, VariantKind, Visibility};

use super::constructors::Ranked;
use super::document::is_hidden;
use super::expression::Expression;
use super::library::ItemRef;
use super::recipes::Recipes;
use super::render::source;
use super::request::Request;
use super::rust_type::{RustType, Substitution};
use super::std_paths::last_segment;
use super::subject_catalog::{ConstructorEntry, Made, Passed};

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
