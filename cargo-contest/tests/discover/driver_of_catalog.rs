//! A program that uses every expression of a catalog, to ask rustc whether it agrees.

use std::fmt::Write as _;

use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ArgumentRecipe, Made, Passed, SubjectCatalog, Taken};

const RUNTIME: &str = "mod contest { pub mod macro_support {
    pub fn count_call() {} pub fn callers_code() {} pub fn step<V>(value: V) -> V { value }
    pub fn wait_for<F: std::future::Future>(_: F) -> F::Output { loop {} }
    pub fn is_polled_by_waker(_: &std::task::Context<'_>) -> bool { false }
} }
fn let_go() {}
fn new_directory() -> std::path::PathBuf { std::env::temp_dir() }";

const MADE: &str = include_str!("../../drive/src/harness/driver_made.rs.in");

/// The program.
pub(crate) fn source(catalog: &SubjectCatalog) -> String {
    let mut out = format!("#![allow(warnings)]\n{RUNTIME}\n{MADE}\n");
    for it in &catalog.support_items {
        out.push_str(it.emitted.as_ref().unwrap_or(&it.source));
    }
    for (number, subject) in catalog.subjects.iter().enumerate() {
        let ty = &subject.type_expression;
        // With a probe, an object that is no pair may stay on its thread.
        let stays = subject.path.contains("<Un") && subject.ends().is_empty();
        let send = if stays { "" } else { "Send + " };
        let _ = writeln!(
            out,
            "fn is_shared_{number}() where {ty}: {send}Sync + 'static {{}}"
        );
        for (index, it) in subject.constructors.iter().enumerate() {
            let bound = bind(&it.arguments, &it.expression, ty);
            let output = match it.made {
                Made::Plain => ty.clone(),
                Made::Arc => format!("std::sync::Arc<{ty}>"),
            };
            let _ = writeln!(
                out,
                "fn new_{number}_{index}(n: u8) -> {output} {{\n{}    {}\n}}",
                bound.lets, bound.expression
            );
        }
        for (index, it) in subject.operations.iter().enumerate() {
            let bound = bind(&it.arguments, &it.expression, ty);
            let receiver = match it.taken {
                Taken::Reference | Taken::End(_) => format!("&{ty}"),
                Taken::ArcReference => format!("&std::sync::Arc<{ty}>"),
                Taken::Arc => format!("std::sync::Arc<{ty}>"),
                Taken::MutableReference => format!("&mut {ty}"),
                Taken::Value => ty.clone(),
            };
            let _ = writeln!(
                out,
                "fn op_{number}_{index}(n: u8, s: {receiver}{}) {{\n{}    match {} {{ result => drop(result) }}\n}}",
                bound.parameters, bound.lets, bound.expression
            );
        }
    }
    out.push_str("fn main() {}\n");
    // The runtime is not linked: its functions are declared here.
    out.replace("::contest::", "crate::contest::")
}

struct Bound {
    lets: String,
    expression: String,
    parameters: String,
}

fn bind(all: &[ArgumentRecipe], expression: &Expression, subject: &str) -> Bound {
    let mut bound = Bound {
        lets: String::new(),
        expression: String::new(),
        parameters: String::new(),
    };
    let mut passed = Vec::new();
    for (index, it) in all.iter().enumerate() {
        passed.push(match it.passed {
            Passed::Value => format!("a{index}"),
            Passed::Reference => format!("&a{index}"),
            Passed::MutableReference => format!("&mut a{index}"),
            Passed::OtherObject => {
                let _ = write!(bound.parameters, ", a{index}: &{subject}");
                format!("a{index}")
            }
            Passed::OtherObjectArc => {
                let _ = write!(bound.parameters, ", a{index}: std::sync::Arc<{subject}>");
                format!("a{index}")
            }
        });
        if it.choices.is_empty() {
            continue;
        }
        let mut arms = String::new();
        for (number, choice) in it.choices.iter().enumerate() {
            let _ = write!(arms, "{number} => {}, ", choice.expression);
        }
        let ty = it.type_expression.as_ref().map(|it| format!(": {it}"));
        let _ = writeln!(
            bound.lets,
            "    let mut a{index}{} = match n {{ {arms}_ => unreachable!() }};",
            ty.unwrap_or_default()
        );
    }
    let filled = expression.fill(&|hole| match hole {
        Hole::Object { .. } => Some("s".into()),
        Hole::Argument(index) => passed.get(index).cloned().map(Expression::from),
    });
    bound.expression = filled.to_string();
    bound
}
