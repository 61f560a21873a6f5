//! The parts of an emitted test as Rust: objects, prefix, calls, with the bindings that their arguments need.

use std::fmt::Write as _;

use contest_data::finding::Finding;
use contest_data::subject::{FutureUse, Keeping, Probe};
use contest_data::test::call_text::object_name;
use contest_data::test::{TestCall, TestObject};

use super::futures;
use contest_catalog::expression::{Expression, Hole, Style};
use contest_catalog::subject_catalog::{
    ArgumentRecipe, METHODS_OF_ARC, Made, OperationEntry, Passed, Returned, SubjectEntry, Taken,
};

/// Writes the parts of one test as Rust.
pub(super) struct Code<'a> {
    pub(super) finding: &'a Finding,
    pub(super) subject: &'a SubjectEntry,
    pub(super) style: Style,
    /// What the tests of the package call the tokio whose runtime the calls need.
    pub(super) tokio: Option<&'a str>,
}

impl Code<'_> {
    /// True if the objects may not be `Send` and must be shared without an `Arc`.
    fn stays(&self) -> bool {
        let shared = |it: &OperationEntry| {
            let mut passed = it.arguments.iter().map(|it| it.passed);
            matches!(it.taken, Taken::Arc | Taken::ArcReference)
                || passed.any(|it| it == Passed::OtherObjectArc)
        };
        match Probe::of_path(&self.subject.path) {
            Some(Probe::Unsent) => true,
            // Guards are seldom `Send`.
            Some(Probe::Unshared) => {
                let mut made = self.subject.constructors.iter();
                made.all(|it| it.made == Made::Plain) && !self.subject.operations.iter().any(shared)
            }
            None => false,
        }
    }

    /// A line that makes the runtime known to the thread, if calls need one.
    pub(super) fn entered(&self, indent: &str) -> String {
        match self.tokio {
            Some(_) => format!("{indent}let _entered = runtime().enter();\n"),
            None => String::new(),
        }
    }

    /// True if the runtime that the calls need has two workers: the first object says so, in the argument after those
    /// of its constructor.
    pub(super) fn on_workers(&self) -> bool {
        let Some(object) = self.finding.test.objects.first() else {
            return false;
        };
        let constructor = self
            .subject
            .constructors
            .get(usize::from(object.constructor));
        let Some(constructor) = constructor else {
            return false;
        };
        // How the object ends comes after that.
        let ends = usize::from(self.subject.endings().next().is_some());
        let further = object.choices.get(constructor.arguments.len()..);
        further.is_some_and(|it| it.len() == 1 + ends && it[0] == 1)
    }

    /// The calls that take the objects whole, in the end, if one of the main thread's last calls fails.
    pub(super) fn endings(&self) -> Vec<TestCall> {
        let test = &self.finding.test;
        let last = test.objects.len() + test.prefix.len();
        let fails = self.finding.interleaving.iter().any(|it| {
            it.thread == 0
                && it.call.is_some_and(|call| usize::from(call) >= last)
                && it
                    .result
                    .as_ref()
                    .is_some_and(|it| !it.starts_with("returned"))
        });
        if !fails {
            return Vec::new();
        }
        let objects = (0_u8..).zip(&test.objects);
        let ending = |(object, made): (u8, &TestObject)| {
            let operation = made.ending(self.subject.endings())?;
            let arguments = self.subject.operations[usize::from(operation)]
                .arguments
                .len();
            Some(TestCall {
                object,
                operation,
                choices: vec![0; arguments],
            })
        };
        objects.filter_map(ending).collect()
    }

    /// True if the call takes its object whole.
    pub(super) fn takes_whole(&self, call: &TestCall) -> bool {
        self.operation(call)
            .is_some_and(|it| it.taken == Taken::Value)
    }

    /// Of each object: its bindings, the expression that makes it, and its name.
    pub(super) fn made(&self) -> Vec<(Vec<String>, String, char)> {
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

    /// Futures are run by the function of the package that is linked as `contest`.
    pub(super) fn call_in_macro(
        &self,
        out: &mut String,
        call: &TestCall,
        prefix: bool,
        contest: &str,
    ) {
        if let Some((bindings, mut text)) = self.called(call, prefix) {
            if self.returns_future(call) {
                text = format!("{contest}::future::block_on({text})");
            }
            if let Some(kept) = self.kept(call, &bindings, &text) {
                let _ = writeln!(out, "            {kept}");
                return;
            }
            let (open, close) = block(&bindings);
            let _ = writeln!(out, "            {open}{text}{close};");
        }
    }

    pub(super) fn objects(&self) -> String {
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

    pub(super) fn prefix(&self) -> String {
        let mut out = String::new();
        for call in &self.finding.test.prefix {
            self.call(&mut out, call, "        ", None);
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

    /// A call: of this lane, with this number in it, or of the prefix.
    pub(super) fn call(
        &self,
        out: &mut String,
        call: &TestCall,
        indent: &str,
        place: Option<(usize, usize)>,
    ) {
        let Some((bindings, mut text)) = self.called(call, place.is_none()) else {
            return;
        };
        let how = self.future_use(call);
        if how == FutureUse::PollInWake && !self.stays() {
            let polled = self.polled_by_waker(&bindings, &text, "let _ = result;");
            let _ = writeln!(out, "{indent}block_on({polled});");
            return;
        }
        if self.returns_future(call) {
            text = futures::driven(&text, self.finding, how, place);
        }
        if let Some(kept) = self.kept(call, &bindings, &text) {
            let _ = writeln!(out, "{indent}{kept}");
        } else if bindings.is_empty() {
            let _ = writeln!(out, "{indent}let _ = {text};");
        } else {
            let _ = writeln!(out, "{indent}{{ {} let _ = {text}; }}", bindings.join(" "));
        }
    }

    /// A future that its waker polls: that of this call, and what then becomes of its `result`. It owns what it uses.
    pub(super) fn polled_by_waker(&self, bindings: &[String], text: &str, then: &str) -> String {
        let mut out = "polled_by_waker({ ".to_owned();
        for (_, _, name) in self.made() {
            let _ = write!(out, "let {name} = std::sync::Arc::clone(&{name}); ");
        }
        out.push_str("async move { ");
        for binding in bindings {
            let _ = write!(out, "{binding} ");
        }
        let _ = write!(out, "let result = {text}.await; {then} }} }})");
        out
    }

    /// The statements of a call that keeps its result, or lets it go.
    fn kept(&self, call: &TestCall, bindings: &[String], text: &str) -> Option<String> {
        let operation = self.operation(call)?;
        let (open, close) = block(bindings);
        match (operation.keeping, operation.returned) {
            (Keeping::No, _) => None,
            (Keeping::LetsGo, _) => Some("drop(kept);".to_owned()),
            (Keeping::Keeps, Returned::Iterator) => Some(format!(
                "let mut kept = {open}{text}{close}; let _ = kept.next();"
            )),
            (Keeping::Keeps, _) => Some(format!("let kept = {open}{text}{close};")),
        }
    }

    /// True if the call keeps its result, or lets one go.
    pub(super) fn keeps(&self, call: &TestCall) -> bool {
        self.operation(call)
            .is_some_and(|it| it.keeping != Keeping::No)
    }

    fn operation(&self, call: &TestCall) -> Option<&OperationEntry> {
        self.subject.operations.get(usize::from(call.operation))
    }

    pub(super) fn returns_future(&self, call: &TestCall) -> bool {
        let operation = self.operation(call);
        operation.is_some_and(|operation| operation.returned == Returned::Future)
    }

    pub(super) fn future_use(&self, call: &TestCall) -> FutureUse {
        let operation = self.operation(call);
        operation.map_or(FutureUse::Run, |it| it.future_use(&call.choices))
    }

    /// The bindings of a call, and the call.
    pub(super) fn called(&self, call: &TestCall, prefix: bool) -> Option<(Vec<String>, String)> {
        let operation = self.operation(call)?;
        let name = object_name(call.object).to_string();
        let receiver = |member: Option<&str>| match (operation.taken, member) {
            // As it would be written by hand.
            (Taken::Value, _) => name.clone(),
            (Taken::Reference | Taken::End(_), Some(member))
                if !METHODS_OF_ARC.contains(&member) =>
            {
                name.clone()
            }
            (Taken::Reference | Taken::End(_), _) => format!("(&*{name})"),
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
        let style = match self.future_use(call) {
            FutureUse::PollInWake if self.style == Style::Standalone => Style::PolledByWaker,
            _ => self.style,
        };
        Some((bindings, called.render(style)))
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

/// The block around an expression that needs bindings.
pub(super) fn block(bindings: &[String]) -> (String, &'static str) {
    if bindings.is_empty() {
        (String::new(), "")
    } else {
        (format!("{{ {} ", bindings.join(" ")), " }")
    }
}
