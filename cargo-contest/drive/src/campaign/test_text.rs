//! A test as readable text, from the catalog. The driver writes the same texts for its own findings.

use contest_data::subject::FutureUse;
use contest_data::test::ConcurrentTest;
use contest_data::test::call_text::object_name;

use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ArgumentRecipe, SubjectEntry};

/// Constructors, then the calls of the prefix.
pub(super) fn prefix(subject: &SubjectEntry, test: &ConcurrentTest) -> Vec<String> {
    let objects = (0_u8..).zip(&test.objects).map(|(n, object)| {
        let made = subject
            .constructors
            .get(usize::from(object.constructor))
            .map_or_else(
                || "?".to_string(),
                |constructor| {
                    let name = object_name(n);
                    with(
                        &constructor.text,
                        name,
                        &constructor.arguments,
                        &object.choices,
                    )
                },
            );
        format!("let {} = {made};", object_name(n))
    });
    let calls = test.prefix.iter().map(|made| call(subject, made) + ";");
    objects.chain(calls).collect()
}

/// The calls of each thread.
pub(super) fn threads(subject: &SubjectEntry, test: &ConcurrentTest) -> Vec<Vec<String>> {
    test.threads
        .iter()
        .map(|calls| calls.iter().map(|made| call(subject, made)).collect())
        .collect()
}

/// The whole test in one line.
pub(super) fn one_line(subject: &SubjectEntry, test: &ConcurrentTest) -> String {
    let threads: Vec<String> = threads(subject, test)
        .iter()
        .map(|calls| calls.join("; "))
        .collect();
    format!(
        "{} {}",
        prefix(subject, test).join(" "),
        threads.join(" ‖ ")
    )
}

fn call(subject: &SubjectEntry, call: &contest_data::test::TestCall) -> String {
    let Some(operation) = subject.operations.get(usize::from(call.operation)) else {
        return "?".to_string();
    };
    let object = object_name(call.object);
    let mut text = with(&operation.text, object, &operation.arguments, &call.choices);
    let future = operation.future_use(&call.choices);
    text.push_str(operation.awaits());
    text.push_str(FutureUse::CHOICES[usize::from(future.choice())]);
    text
}

fn with(text: &Expression, object: char, arguments: &[ArgumentRecipe], choices: &[u8]) -> String {
    let filled = text.fill(&|hole| match hole {
        Hole::Object { .. } => Some(object.to_string().into()),
        Hole::Argument(n) => {
            let choice = choices.get(n).copied().unwrap_or(0);
            let recipe = arguments.get(n)?;
            Some(match recipe.choices.get(usize::from(choice)) {
                Some(choice) => choice.text.clone().into(),
                // Another object of the test.
                None => format!("&{}", object_name(choice)).into(),
            })
        }
    });
    filled.to_string()
}
