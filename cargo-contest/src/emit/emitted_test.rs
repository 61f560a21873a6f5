//! The source of an emitted test: the object, the prefix, the threads, the schedule. Meant to be read and kept.

use std::fmt::Write as _;
use std::hash::Hasher as _;

use contest::assemble::TestCall;
use contest::assemble::call_text::object_name;
use contest::judge::{Finding, FindingKind};
use contest::subject::Probe;
use fnv::FnvHasher;

use super::token_in_file::CONSTANT;
use crate::discover::expression::{Expression, Hole, Style};
use crate::discover::subject_catalog::{
    ArgumentRecipe, Made, Passed, SubjectEntry, SupportItem, Taken,
};

/// Line with the hash of everything below it.
const HASH_LINE: &str = "// contest-hash: ";
/// Line that names the bug.
const BUG_LINE: &str = "// contest-bug: ";
/// Rounds of the stress test.
const ROUNDS: u32 = 1000;
/// Seconds until the stress test is called hung.
const HUNG_AFTER: u32 = 20;

/// The file for a finding about a type. The subject's constructors and operations are those the finding's numbers refer
/// to.
#[must_use]
pub fn source(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    contest: Option<&str>,
) -> String {
    let body = match contest {
        Some(contest) => annotated_body(name, finding, subject, support, package, contest),
        None => body(name, finding, subject, support, package),
    };
    format!("{HASH_LINE}{:016x}\n{body}", hash(&body))
}

/// True if the file was not edited since it was written.
#[must_use]
pub fn is_untouched(file: &str) -> bool {
    file.strip_prefix(HASH_LINE)
        .and_then(|rest| rest.split_once('\n'))
        .is_some_and(|(line, body)| line == format!("{:016x}", hash(body)))
}

/// Declaration of the interleaving in the emitted test of an annotated type.
const INTERLEAVING: &str = "const INTERLEAVING: &str = \"";

/// True if it is a test of an annotated type whose interleaving is not filled in yet.
#[must_use]
pub fn lacks_interleaving(file: &str) -> bool {
    is_untouched(file) && file.contains(&format!("{INTERLEAVING}\";"))
}

/// The file with this interleaving; it counts as untouched again.
#[must_use]
pub fn with_interleaving(file: &str, interleaving: &str) -> String {
    let body = file.split_once('\n').map_or(file, |(_, body)| body);
    let body = body.replacen(
        &format!("{INTERLEAVING}\";"),
        &format!("{INTERLEAVING}{interleaving}\";"),
        1,
    );
    format!("{HASH_LINE}{:016x}\n{body}", hash(&body))
}

/// The interleaving that a failing test suggests.
#[must_use]
pub fn named_interleaving(output: &str) -> Option<String> {
    let (_, after) = output.split_once(INTERLEAVING)?;
    let (interleaving, _) = after.split_once('"')?;
    (!interleaving.is_empty()).then(|| interleaving.to_owned())
}

/// True if the file is about this bug.
#[must_use]
pub fn is_about(file: &str, finding: &Finding) -> bool {
    let line = bug_line(finding);
    file.lines().any(|other| other == line.trim_end())
}

fn bug_line(finding: &Finding) -> String {
    format!("{BUG_LINE}{}\n", finding.fingerprint.replace('\n', " "))
}

/// FNV-1a: stable over releases of Rust, which std's hasher does not promise. It detects edits; it protects against
/// nothing.
fn hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn body(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
) -> String {
    let code = Code {
        finding,
        subject,
        style: Style::Standalone,
    };
    let mut out = bug_line(finding);
    let _ = write!(
        out,
        "\
//! Found by cargo-contest in {package}: {kind}.
//!
//! {message}
//!
//! `cargo contest test` runs this test under a controlled scheduler with the schedule below, the same way every time.
//! Under plain `cargo test` it is an uncontrolled stress test: {ROUNDS} rounds with real threads, {detects}.
//! It may pass although the bug is there. Edit it freely: a file that was edited is never overwritten.

/// The schedule that shows it.
#[allow(dead_code)] // read by `cargo contest test`
const {CONSTANT}: &str = \"{schedule}\";

#[test]
fn {name}() {{
    // Expected: every interleaving of the threads below ends as some order of their calls, one after another, does.
    // Found:    {message}
",
        kind = finding.kind,
        message = one_line(&finding.message),
        detects = match finding.kind {
            FindingKind::NonLinearizable => "which fails if a thread panics or hangs; it does not compare results",
            FindingKind::Abort => "which dies as the process did",
            _ => "which fails if a thread panics or hangs",
        },
        schedule = finding.schedule,
    );
    for line in &finding.details {
        let _ = writeln!(out, "    //           {}", one_line(line));
    }
    let _ = write!(
        out,
        "\
    stress(|| {{
{objects}{prefix}        let start = std::sync::Barrier::new({threads});
        std::thread::scope(|scope| {{
",
        objects = code.objects(),
        prefix = code.prefix(),
        threads = finding.test.threads.len(),
    );
    for calls in &finding.test.threads {
        out.push_str("            scope.spawn(|| {\n                start.wait();\n");
        for call in calls {
            code.call(&mut out, call, "                ", false);
        }
        out.push_str("            });\n");
    }
    let _ = write!(
        out,
        "\
        }});
    }});
}}

/// Runs `round` again and again with real threads; fails if it panics or does not come to an end.
fn stress(round: fn()) {{
    let (done, end) = std::sync::mpsc::channel();
    let rounds = std::thread::spawn(move || {{
        for _ in 0..{ROUNDS} {{
            round();
        }}
        let _ = done.send(());
    }});
    match end.recv_timeout(std::time::Duration::from_secs({HUNG_AFTER})) {{
        Ok(()) => {{}}
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!(\"hung: not at an end after {HUNG_AFTER} s\"),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {{
            if let Err(panic) = rounds.join() {{
                std::panic::resume_unwind(panic);
            }}
        }}
    }}
}}
"
    );
    for item in used_support(&out, support) {
        let source = item.emitted.as_ref().unwrap_or(&item.source);
        let _ = write!(out, "\n{}\n", source.trim());
    }
    out
}

/// The body for an annotated type: the test runs under plain `cargo test` as it was found.
fn annotated_body(
    name: &str,
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    contest: &str,
) -> String {
    let code = Code {
        finding,
        subject,
        style: Style::Driver,
    };
    let mut out = bug_line(finding);
    let _ = write!(
        out,
        "\
//! Found by cargo-contest in {package}: {kind}.
//!
//! {message}
//!
//! Runs under plain `cargo test`, controlled: the interleaving below first, the same way every time. If the code has
//! changed so that it does not fit any more, or if it is empty, others are searched for a short time, and `--nocapture`
//! says so. It fails as long as the bug is there. Edit it freely: a file that was edited is never overwritten.

/// The schedule that showed it to `cargo contest`; `cargo contest test` runs it.
#[allow(dead_code)] // read by `cargo contest test`
const {CONSTANT}: &str = \"{schedule}\";

/// The interleaving of this test to begin with. A failure names the one it found.
const INTERLEAVING: &str = \"\";

#[test]
fn {name}() {{
    // Expected: every interleaving of the threads below ends as some order of their calls, one after another, does.
    // Found:    {message}
",
        kind = finding.kind,
        message = one_line(&finding.message),
        schedule = finding.schedule,
    );
    for line in &finding.details {
        let _ = writeln!(out, "    //           {}", one_line(line));
    }
    let _ = write!(
        out,
        "    {contest}::emitted! {{\n        interleaving: INTERLEAVING;\n        objects {{\n"
    );
    for (binding, made, object) in code.made() {
        let (open, close) = block(&binding);
        let _ = writeln!(
            out,
            "            {object}: {} = {open}{made}{close};",
            subject.type_expression
        );
    }
    out.push_str("        }\n        prefix {\n");
    for call in &finding.test.prefix {
        code.call_in_macro(&mut out, call, true);
    }
    out.push_str("        }\n");
    for calls in &finding.test.threads {
        out.push_str("        thread {\n");
        for call in calls {
            code.call_in_macro(&mut out, call, false);
        }
        out.push_str("        }\n");
    }
    out.push_str("    }\n}\n");
    for item in used_support(&out, support) {
        let _ = write!(out, "\n{}\n", item.source.trim());
    }
    out
}

/// The block around an expression that needs bindings.
fn block(bindings: &[String]) -> (String, &'static str) {
    if bindings.is_empty() {
        (String::new(), "")
    } else {
        (format!("{{ {} ", bindings.join(" ")), " }")
    }
}

/// Support items that the code uses, directly or through others.
fn used_support<'a>(code: &str, support: &'a [SupportItem]) -> Vec<&'a SupportItem> {
    let mut used: Vec<&SupportItem> = Vec::new();
    let mut text = code.to_string();
    loop {
        let more: Vec<&SupportItem> = support
            .iter()
            .filter(|item| !used.contains(item) && text.contains(&item.name))
            .collect();
        if more.is_empty() {
            return used;
        }
        text = more.iter().map(|item| item.source.as_str()).collect();
        used.extend(more);
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes the parts of one test as Rust.
struct Code<'a> {
    finding: &'a Finding,
    subject: &'a SubjectEntry,
    style: Style,
}

impl Code<'_> {
    /// True if the objects may not be `Send` and must be shared without an `Arc`.
    fn stays(&self) -> bool {
        Probe::of_path(&self.subject.path) == Some(Probe::Unsent)
    }

    /// Of each object: its bindings, the expression that makes it, and its name.
    fn made(&self) -> Vec<(Vec<String>, String, char)> {
        let mut out = Vec::new();
        for (n, object) in (0_u8..).zip(&self.finding.test.objects) {
            let constructors = &self.subject.constructors;
            let Some(constructor) = constructors.get(usize::from(object.constructor)) else {
                continue;
            };
            let (bindings, arguments) =
                self.arguments(&constructor.arguments, &object.choices, n, true);
            let made = constructor.expression.fill(&|hole| match hole {
                Hole::Argument(n) => arguments.get(n).cloned().map(Expression::from),
                Hole::Object { .. } => None,
            });
            let mut made = made.render(self.style);
            if constructor.made == Made::Plain && !self.stays() {
                made = format!("std::sync::Arc::new({made})");
            }
            out.push((bindings, made, object_name(n)));
        }
        out
    }

    fn call_in_macro(&self, out: &mut String, call: &TestCall, prefix: bool) {
        if let Some((bindings, text)) = self.called(call, prefix) {
            let (open, close) = block(&bindings);
            let _ = writeln!(out, "            {open}{text}{close};");
        }
    }

    fn objects(&self) -> String {
        let mut out = String::new();
        for (n, (bindings, made, name)) in (0_u8..).zip(self.made()) {
            let mutable = if self.changed_alone(n) { "mut " } else { "" };
            for binding in &bindings {
                let _ = writeln!(out, "        {binding}");
            }
            let ty = &self.subject.type_expression;
            let _ = if self.stays() {
                writeln!(out, "        let {name}: &{ty} = &{made};")
            } else {
                writeln!(
                    out,
                    "        let {mutable}{name}: std::sync::Arc<{ty}> = {made};"
                )
            };
        }
        out
    }

    fn prefix(&self) -> String {
        let mut out = String::new();
        for call in &self.finding.test.prefix {
            self.call(&mut out, call, "        ", true);
        }
        out
    }

    /// True if an operation of the prefix takes this object by `&mut`.
    fn changed_alone(&self, object: u8) -> bool {
        self.finding.test.prefix.iter().any(|call| {
            call.object == object
                && self
                    .subject
                    .operations
                    .get(usize::from(call.operation))
                    .is_some_and(|operation| operation.taken == Taken::MutableReference)
        })
    }

    fn call(&self, out: &mut String, call: &TestCall, indent: &str, prefix: bool) {
        let Some((bindings, text)) = self.called(call, prefix) else {
            return;
        };
        if bindings.is_empty() {
            let _ = writeln!(out, "{indent}let _ = {text};");
        } else {
            let _ = writeln!(out, "{indent}{{ {} let _ = {text}; }}", bindings.join(" "));
        }
    }

    /// The bindings of a call, and the call.
    fn called(&self, call: &TestCall, prefix: bool) -> Option<(Vec<String>, String)> {
        let operation = self.subject.operations.get(usize::from(call.operation))?;
        let name = object_name(call.object).to_string();
        let receiver = |member: Option<&str>| match (operation.taken, member) {
            // As it would be written by hand.
            (Taken::Reference | Taken::Value | Taken::End(_), Some(member))
                if !METHODS_OF_ARC.contains(&member) =>
            {
                name.clone()
            }
            (Taken::Reference | Taken::Value | Taken::End(_), _) => format!("(&*{name})"),
            (Taken::ArcReference, _) => format!("(&{name})"),
            (Taken::Arc, _) => format!("std::sync::Arc::clone(&{name})"),
            (Taken::MutableReference, _) => {
                format!("std::sync::Arc::get_mut(&mut {name}).expect(\"not shared yet\")")
            }
        };
        let (bindings, arguments) =
            self.arguments(&operation.arguments, &call.choices, call.object, prefix);
        let called = operation.expression.fill(&|hole| match hole {
            Hole::Object { member } => Some(receiver(member).into()),
            Hole::Argument(n) => arguments.get(n).cloned().map(Expression::from),
        });
        Some((bindings, called.render(self.style)))
    }

    /// The bindings, and the expression for each argument. A value whose type can be written is bound with it, since
    /// a bare literal would leave a generic parameter open.
    fn arguments(
        &self,
        recipes: &[ArgumentRecipe],
        choices: &[u8],
        object: u8,
        making: bool,
    ) -> (Vec<String>, Vec<String>) {
        let mut bindings = Vec::new();
        let mut arguments = Vec::new();
        for (n, recipe) in recipes.iter().enumerate() {
            let choice = choices.get(n).copied().unwrap_or(0);
            let other = || object_name(choice);
            let value = recipe
                .choices
                .get(usize::from(choice))
                .map_or_else(String::new, |choice| choice.expression.render(self.style));
            let mut bound = |mutable: &str| {
                let name = argument_name(object, n, making);
                let of_type = recipe
                    .type_expression
                    .as_ref()
                    .map_or(String::new(), |text| format!(": {text}"));
                bindings.push(format!("let {mutable}{name}{of_type} = {value};"));
                name
            };
            arguments.push(match recipe.passed {
                Passed::Value if recipe.type_expression.is_none() => value,
                Passed::Value => bound(""),
                Passed::Reference => format!("&{}", bound("")),
                Passed::MutableReference => format!("&mut {}", bound("mut ")),
                Passed::OtherObject => format!("&*{}", other()),
                Passed::OtherObjectArc => format!("std::sync::Arc::clone(&{})", other()),
            });
        }
        (bindings, arguments)
    }
}

/// Methods of `Arc` itself, which hide methods of the same name of what it points to.
const METHODS_OF_ARC: &[&str] = &[
    "clone",
    "as_ref",
    "borrow",
    "eq",
    "cmp",
    "partial_cmp",
    "hash",
    "fmt",
    "to_string",
    "to_owned",
];

fn argument_name(object: u8, n: usize, making: bool) -> String {
    const NAMES: &[&str] = &["x", "y", "z", "w"];
    let name = NAMES
        .get(n)
        .map_or_else(|| format!("argument_{n}"), |name| (*name).to_string());
    if making && object > 0 {
        format!("{name}_{}", object_name(object))
    } else {
        name
    }
}
