//! The calls of a type as a list shows them.

use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ArgumentRecipe, Returned, SubjectEntry};

/// How objects are made, with the first choice of each argument.
pub(super) fn constructors(subject: &SubjectEntry) -> Vec<String> {
    subject
        .constructors
        .iter()
        .map(|constructor| with_first_choices(&constructor.text, &constructor.arguments))
        .collect()
}

/// The operations, with what is not compared or not done with their results.
pub(super) fn operations(subject: &SubjectEntry) -> Vec<String> {
    subject
        .operations
        .iter()
        .map(|operation| {
            let awaits = operation.awaits();
            let text = with_first_choices(&operation.text, &operation.arguments) + awaits;
            let not_cancelled = operation.not_cancelled();
            if operation.returned == Returned::Future && not_cancelled.is_some() {
                let why = not_cancelled.unwrap_or_default();
                return format!("{text}  (not cancelled: {why})");
            }
            if let Some(sentence) = &operation.announced_panic {
                return format!(
                    "{text}  (its panics beside others are not reported: \"{sentence}\")"
                );
            }
            text + if operation.approximate {
                "  (approximate, says its documentation: compared only where nothing can change it)"
            } else if operation.weak {
                "  (compared at quiescence)"
            } else {
                ""
            }
        })
        .collect()
}

/// A call of an object `a` with the first choice of each argument.
fn with_first_choices(text: &Expression, arguments: &[ArgumentRecipe]) -> String {
    let filled = text.fill(&|hole| match hole {
        Hole::Object { .. } => Some("a".into()),
        Hole::Argument(index) => {
            let choice = arguments.get(index)?.choices.first();
            // Without choices it is another object of the test.
            Some(choice.map_or("b", |it| it.text.as_str()).into())
        }
    });
    filled.to_string()
}
