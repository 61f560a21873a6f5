//! Which type has the next turn.

use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest_data::settings::Settings;
use contest_data::subject::{Operation, Subject};

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// Is changed in several steps, by operations that all do the same.
#[derive(Debug, Default)]
struct Steps(AtomicU32);

const fn go_on(name: &'static str) -> Operation {
    operation(name, "{s}.go_on()", &[], |call| {
        let steps = object::<Steps>(call);
        (0..4).for_each(|_| _ = steps.0.fetch_add(1, SeqCst));
        None
    })
}

const fn subject(name: &'static str, operations: &'static [Operation]) -> Subject {
    Subject {
        name,
        path: name,
        constructors: &[const { new::<Steps>("Steps::default()") }],
        operations,
        state: None,
    }
}

static SUBJECTS: [Subject; 2] = [
    subject("Few", &const { [go_on("a"), go_on("b")] }),
    subject(
        "Many",
        &const {
            [
                go_on("a"),
                go_on("b"),
                go_on("c"),
                go_on("d"),
                go_on("e"),
                go_on("f"),
                go_on("g"),
                go_on("h"),
                go_on("i"),
                go_on("j"),
                go_on("k"),
                go_on("l"),
            ]
        },
    ),
];

#[test]
fn a_type_with_more_operations_has_more_of_the_budget() {
    let settings = Settings {
        steps: Some(300_000),
        ..settings(60_000)
    };
    let heard = campaign(&SUBJECTS, &settings);
    let [few, many] = &heard.totals.subjects[..] else {
        panic!("two subjects: {}", heard.text());
    };
    let times = many.executions as f64 / few.executions as f64;
    assert!((2.0..4.0).contains(&times), "{times}");
}
