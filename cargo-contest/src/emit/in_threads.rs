//! Real threads, many rounds. Where results are wrong, what the calls and the objects show is compared with what they
//! show one call after another.

use std::fmt::Write as _;

use contest_data::finding::{Compared, FindingKind};
use contest_data::subject::FutureUse;
use contest_data::test::TestCall;

use super::test_code::Code;
use super::turns::{SHOWN, compares, hangs, indented, observers, orders};

/// True if real threads can show that the results are wrong.
pub(super) fn shows_results(code: &Code<'_>) -> bool {
    let finding = code.finding;
    let is_of_results = matches!(
        finding.kind,
        FindingKind::NonLinearizable | FindingKind::TornRead
    );
    let mut calls = finding.test.threads.iter().flatten();
    is_of_results
        && compares(finding)
        && !hangs(finding)
        && calls.all(|call| code.future_use(call) == FutureUse::Run && !code.keeps(call))
}

/// The rest of a function that gives a round to the function of this name: real threads, and a comparison of results
/// where these can be wrong.
pub(super) fn write_rounds(out: &mut String, code: &Code<'_>, run: &str) {
    if !shows_results(code) {
        let _ = write!(
            out,
            "    {run}(|| {{\n        let _ = outcome(&[]);\n    }});\n}}\n"
        );
        return;
    }
    let _ = write!(
        out,
        "    let expected = one_after_another(&{orders:?});
    {run}(move || {{
        let found = outcome(&[]);
        if let Some(expected) = &expected {{
            assert!(expected.contains(&found), \"found {{found:?}}; one call after another: {{expected:?}}\");
        }}
    }});
}}
",
        orders = orders(code.finding),
    );
}

/// Adds the function that makes the calls, and what it needs.
pub(super) fn write_helpers(out: &mut String, code: &Code<'_>) {
    let finding = code.finding;
    let compares = shows_results(code);
    let compared = match compares {
        true => finding.compared.clone(),
        false => Compared::default(),
    };
    let shown = &compared.results;
    let mut lanes = String::new();
    for (lane, calls) in finding.test.threads.iter().enumerate() {
        lanes.push_str("        scope.spawn(|| {\n");
        lanes.push_str(&code.entered("            "));
        lanes.push_str("            turns.begin();\n");
        for (number, call) in calls.iter().enumerate() {
            let made = if shown.contains(&(lane as u16, number as u16)) {
                shown_call(
                    code,
                    call,
                    &format!("thread {} call {}", lane + 1, number + 1),
                )
            } else {
                let mut made = String::new();
                code.call(&mut made, call, "", Some((lane, number)));
                made
            };
            let _ = write!(
                lanes,
                "            let turn = turns.turn({lane});\n            {}\n            drop(turn);\n",
                made.trim()
            );
        }
        lanes.push_str("        });\n");
    }
    let _ = write!(
        out,
        "
/// What the calls and the objects show: all threads at once, or one call after another, where the order says whose.
fn outcome(order: &[usize]) -> Vec<String> {{
{runtime}{objects}{prefix}    let shown = std::sync::Mutex::new(Vec::<String>::new());
    let turns = Turns::new(order, {threads});
    std::thread::scope(|scope| {{
{lanes}    }});
    let mut shown = shown.into_inner().unwrap();
    shown.sort();
{observers}    shown
}}
",
        runtime = code.entered("    "),
        objects = indented(&code.objects()),
        prefix = indented(&code.prefix()),
        threads = finding.test.threads.len(),
        observers = observers(code, &compared),
    );
    if compares {
        out.push_str(include_str!("one_after_another.rs.in"));
    }
    out.push_str(include_str!("in_threads.rs.in"));
    if out.contains("Shown(") {
        out.push_str(SHOWN);
    }
}

/// A call whose result is kept as text.
fn shown_call(code: &Code<'_>, call: &TestCall, name: &str) -> String {
    let Some((bindings, mut text)) = code.called(call, false) else {
        return String::new();
    };
    if code.returns_future(call) {
        text = format!("block_on({text})");
    }
    let bound: String = bindings.iter().map(|it| format!("{it} ")).collect();
    format!(
        "{{ {bound}let result = {text}; let text = Shown(&result).text(); \
         shown.lock().unwrap().push(format!(\"{name}: {{text}}\")); }}"
    )
}
