//! Arguments that cannot be made, as the package's own code passes them.
//!
//! Whether such an argument is of the right type is left to the compiler. What it refuses is left out.

use super::hints::written;
use super::idioms::Written;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::source;
use super::request::choice;
use super::rust_type::RustType;
use super::signature::Signature;
use super::std_paths::last_segment;
use contest_catalog::subject_catalog::{ArgumentRecipe, Passed, SubjectCatalog, TakenIdiom};

impl Recipes<'_> {
    /// An argument that cannot be made, as others pass it. `index` does not count the receiver.
    ///
    /// # Errors
    /// `why` it cannot be made, where none is passed.
    pub(super) fn idiomatic(
        &self,
        function: &Signature,
        index: usize,
        ty: &RustType,
        why: Obstacle,
    ) -> Result<ArgumentRecipe, Obstacle> {
        let (owned, passed, reference) = match ty {
            RustType::Reference { mutable, to, .. } if *mutable => {
                (&**to, Passed::MutableReference, "&mut ")
            }
            RustType::Reference { to, .. } => (&**to, Passed::Reference, "&"),
            _ => (ty, Passed::Value, ""),
        };
        let Ok(type_expression) = source(self.solver.library, owned) else {
            return Err(why);
        };
        // The compiler leaves out all of a call for one argument of another type, so there is one: if possible, one in
        // which the type is named.
        let names_type = |it: &Written| it.expression.contains(last_segment(owned.path()));
        let fitting = self.idioms.arguments(function, index);
        let fitting = fitting.filter(|(it, _)| it.reference == reference);
        let Some((argument, location)) = fitting.min_by_key(|(it, _)| !names_type(it)) else {
            return Err(why);
        };
        let krate = &self.solver.library.documents[0].name;
        let choice = choice(&argument.text, written(krate, &argument.expression));
        let inputs = function.inputs.iter().map(|(name, _)| name.as_str());
        let name = inputs.filter(|it| *it != "self").nth(index);
        self.taken_idioms.borrow_mut().push(TakenIdiom {
            argument: format!("{}.{}", function.shown(), name.unwrap_or_default()),
            text: argument.text.clone(),
            expression: choice.expression.to_string(),
            location: location.to_owned(),
        });
        Ok(ArgumentRecipe {
            type_expression: Some(type_expression),
            passed,
            choices: vec![choice],
            of_texts: false,
        })
    }

    /// The idioms that a catalog holds, each once.
    pub(super) fn idioms_in(&self, catalog: &SubjectCatalog) -> Vec<TakenIdiom> {
        let arguments = |it: &[ArgumentRecipe]| -> Vec<String> {
            let choices = it.iter().flat_map(|it| &it.choices);
            choices.map(|it| it.expression.to_string()).collect()
        };
        let expressions = catalog.subjects.iter().flat_map(|subject| {
            let constructors = subject.constructors.iter();
            let constructors = constructors.flat_map(|it| {
                let own = it.expression.to_string();
                arguments(&it.arguments).into_iter().chain([own])
            });
            let operations = subject.operations.iter();
            constructors.chain(operations.flat_map(|it| arguments(&it.arguments)))
        });
        let expressions: Vec<String> = expressions.collect();
        let mut found: Vec<TakenIdiom> = Vec::new();
        for taken in self.taken_idioms.borrow().iter() {
            let is_held = expressions.iter().any(|it| it.contains(&taken.expression));
            if is_held && !found.contains(taken) {
                found.push(taken.clone());
            }
        }
        found
    }
}
