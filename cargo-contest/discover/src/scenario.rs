//! A scenario typed on the command line → the catalog of a driver.
//!
//! `let q = Queue::new(1); q.push(1) | q.push(2); q.pop()`
//!
//! What comes first makes what the threads share: statements up to the last `let` or `use` of the first thread. Then
//! the calls of each thread, one after another, separated by semicolons; between threads stands `|`. A call with
//! `.await` is a future that its thread runs; what comes first may wait for futures too.

use contest_data::subject::StandInMode;
use std::fmt::Write as _;
use std::ops::Range;

use contest_data::subject::FutureUse;
use contest_data::subject::custom::is_weak;
use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::scope;
use super::stand_in::is_declared;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, SCENARIO, SubjectCatalog, SubjectEntry, SupportItem,
    Taken,
};

/// A scenario, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioText {
    /// As typed.
    pub text: String,
    /// The statements that come first.
    pub setup: Vec<String>,
    /// Names of the variables that these make.
    variables: Vec<String>,
    /// The calls of each thread.
    pub lanes: Vec<Vec<String>>,
    /// Of types that it names without a path. `None` as long as only what the crate's root has is in scope.
    paths: Option<Vec<String>>,
}

impl ScenarioText {
    /// Reads a scenario.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| format!("this is no Rust code: {error}"))?;
        let mut setup = Vec::new();
        let mut lanes: Vec<Vec<String>> = Vec::new();
        for (number, lane) in split(tokens.into_iter().collect(), '|')
            .into_iter()
            .enumerate()
        {
            let mut calls = Vec::new();
            let statements = split(lane, ';');
            let prepares = |it: &Vec<TokenTree>| match it.first() {
                Some(TokenTree::Ident(word)) => word == "let" || word == "use",
                _ => false,
            };
            let first_call = statements.iter().rposition(prepares).map_or(0, |it| it + 1);
            for (place, statement) in statements.iter().enumerate() {
                let Some(range) = range_of(statement) else {
                    continue;
                };
                let source = text[range].trim().to_owned();
                if place >= first_call {
                    calls.push(source);
                } else if number == 0 {
                    setup.push(source);
                } else {
                    return Err(format!(
                        "`{source}` is a statement of one thread; `let` and `use` come first, for all threads"
                    ));
                }
            }
            lanes.push(calls);
        }
        if lanes.len() < 2 || lanes.iter().any(Vec::is_empty) {
            return Err(
                "it needs two threads or more, each with a call: `let q = Queue::new(1); q.push(1) | q.pop()`"
                    .to_owned(),
            );
        }
        if lanes.len() > contest_data::test::MAX_LANES {
            let most = contest_data::test::MAX_LANES;
            return Err(format!("it has more than {most} threads"));
        }
        let mut variables = Vec::new();
        for statement in &setup {
            let parsed = syn::parse_str::<syn::Stmt>(&format!("{statement};"));
            match parsed {
                Ok(syn::Stmt::Local(local)) => names(&local.pat, &mut variables),
                Ok(_) => {}
                Err(error) => return Err(format!("`{statement}`: {error}")),
            }
        }
        if let Some(error) = lanes.iter().flatten().find_map(|call| {
            let error = syn::parse_str::<syn::Expr>(call).err()?;
            Some(format!("`{call}`: {error}"))
        }) {
            return Err(error);
        }
        Ok(Self {
            text: text.to_owned(),
            setup,
            variables,
            lanes,
            paths: None,
        })
    }

    /// `use` items for what it names of `std` without a path: outside of the block with `use library::*;`.
    #[must_use]
    pub fn uses(&self, indent: &str) -> String {
        let paths = self.paths.as_deref();
        paths.map_or_else(String::new, |paths| scope::uses(&self.text, paths, indent))
    }

    /// The same, and what it names without a path is in scope: types by the paths by which the driver of this catalog
    /// names them, then items of `std`. What is in the root of `library` goes before all.
    ///
    /// # Errors
    /// In words, if a name may be of two types.
    pub fn with_scope(&self, catalog: &SubjectCatalog, library: &str) -> Result<Self, String> {
        Ok(Self {
            paths: Some(scope::paths(&self.text, catalog, library)?),
            ..self.clone()
        })
    }

    /// What all threads share, as a tuple: `(q, a)`, `(q,)`.
    #[must_use]
    pub fn shared(&self) -> String {
        let comma = if self.variables.len() == 1 { "," } else { "" };
        format!("({}{comma})", self.variables.join(", "))
    }

    /// The statements that come first. If they wait for futures, they are all in one, which `runs` runs, and from which
    /// all threads get what they share.
    #[must_use]
    pub fn setup_source(&self, runs: &str, indent: &str) -> String {
        let statements = self.setup.iter().map(|it| format!("{indent}{it};\n"));
        let statements: String = statements.collect();
        if !self.setup.iter().any(|it| awaits(it)) {
            return statements;
        }
        let shared = self.shared();
        format!(
            "{indent}let {shared} = {runs}(async {{\n{statements}{indent}{shared}\n{indent}}});\n"
        )
    }

    /// True if it names what discovery declares, as `list` shows: a stand-in of a trait, a future.
    #[must_use]
    pub fn names_stand_ins(&self) -> bool {
        self.text.parse().is_ok_and(any_is_declared)
    }

    /// What a driver is made of that can run it; `library` is the crate name of the package.
    #[must_use]
    pub fn catalog(&self, library: &str) -> SubjectCatalog {
        let mut operations = Vec::new();
        for call in self.lanes.iter().flatten() {
            let number = operations.len();
            let name = method_of(call);
            let expression =
                Expression::Object.method("call", [Expression::from(number.to_string())]);
            operations.push(OperationEntry {
                weak: is_weak(&name),
                declared: "the command line".to_owned(),
                ..OperationEntry::new(name, Taken::Reference, expression, call.clone().into())
            });
        }
        let setup = self.setup.join("; ");
        // As it was typed, where that is what makes the objects.
        let setup = match ["let ", "use "].iter().any(|it| setup.starts_with(it)) {
            true => setup,
            false => format!("{{ {setup} }}"),
        };
        SubjectCatalog {
            other_format: None,
            unsafe_impls: Vec::new(),
            idioms: Vec::new(),
            subjects: vec![SubjectEntry {
                path: format!("{SCENARIO}{}", self.text),
                type_expression: "Scenario".to_owned(),
                declared: "the command line".to_owned(),
                constructors: vec![ConstructorEntry {
                    text: setup.into(),
                    expression: Expression::call("scenario", []),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: Vec::new(),
                }],
                operations,
                left_out: Vec::new(),
            }],
            support_items: vec![SupportItem {
                name: "Scenario".to_owned(),
                source: self.source(library),
                emitted: None,
            }],
            skipped: Vec::new(),
            given: Vec::new(),
        }
    }

    /// The type of the scenario: a closure for each call, over what the `let` statements made.
    fn source(&self, library: &str) -> String {
        let shared = self.shared();
        let mut source = format!(
            "struct Raw(::core::option::Option<::std::string::String>);\n\
             impl ::core::fmt::Debug for Raw {{\n    \
                 fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{\n        \
                     f.write_str(self.0.as_deref().unwrap_or(\"()\"))\n    \
                 }}\n\
             }}\n\
             type ScenarioCall = ::std::boxed::Box<dyn ::core::ops::Fn() -> ::contest::subject::Response + ::core::marker::Send + ::core::marker::Sync>;\n\
             struct Scenario(::std::vec::Vec<ScenarioCall>);\n\
             impl Scenario {{\n    \
                 fn call(&self, number: usize) -> Raw {{ Raw((self.0[number])()) }}\n\
             }}\n\
             fn scenario() -> Scenario {{\n{}    {{\n    use {library}::*;\n",
            self.uses("    ")
        );
        source.push_str(&self.setup_source("::contest::macro_support::wait_for", "    "));
        let _ = writeln!(
            source,
            "    let contest_shared = ::std::sync::Arc::new({shared});\n    \
             let mut contest_calls: ::std::vec::Vec<ScenarioCall> = ::std::vec::Vec::new();"
        );
        for call in self.lanes.iter().flatten() {
            let observed = if awaits(call) {
                let run = FutureUse::Run.choice();
                format!("observe_future!(async {{ {call} }}, {run})")
            } else {
                format!("observe!({call})")
            };
            let _ = writeln!(
                source,
                "    {{\n        let contest_shared = ::std::sync::Arc::clone(&contest_shared);\n        \
                 contest_calls.push(::std::boxed::Box::new(move || {{\n            \
                     let {shared} = &*contest_shared;\n            \
                     ::contest::{observed}\n        \
                 }}));\n    }}"
            );
        }
        source.push_str("    Scenario(contest_calls)\n    }\n}\n");
        source
    }
}

/// True if the call has an `.await` that is in no `async` block of its own: it is a future that the thread runs.
#[must_use]
pub fn awaits(call: &str) -> bool {
    call.parse()
        .is_ok_and(|tokens: TokenStream| has_await(tokens))
}

fn any_is_declared(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => is_declared(&word.to_string()),
        TokenTree::Group(group) => any_is_declared(group.stream()),
        _ => false,
    })
}

fn has_await(tokens: TokenStream) -> bool {
    let (mut after_dot, mut is_async) = (false, false);
    for token in tokens {
        match &token {
            TokenTree::Ident(word) if after_dot && word == "await" => return true,
            TokenTree::Ident(word) => is_async = word == "async" || is_async && word == "move",
            TokenTree::Group(group) => {
                if !is_async && has_await(group.stream()) {
                    return true;
                }
                is_async = false;
            }
            _ => is_async = false,
        }
        after_dot = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '.');
    }
    false
}

/// At this sign, where it stands alone and in no brackets.
fn split(tokens: Vec<TokenTree>, at: char) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut joined = false;
    for token in tokens {
        let is_sign = matches!(&token, TokenTree::Punct(sign)
            if sign.as_char() == at && sign.spacing() == Spacing::Alone && !joined);
        joined = matches!(&token, TokenTree::Punct(sign) if sign.spacing() == Spacing::Joint);
        match parts.last_mut() {
            Some(part) if !is_sign => part.push(token),
            _ => parts.push(Vec::new()),
        }
    }
    parts
}

fn range_of(tokens: &[TokenTree]) -> Option<Range<usize>> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    Some(first.span().byte_range().start..last.span().byte_range().end)
}

fn names(pattern: &syn::Pat, into: &mut Vec<String>) {
    match pattern {
        syn::Pat::Ident(name) => into.push(name.ident.to_string()),
        syn::Pat::Type(typed) => names(&typed.pat, into),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().for_each(|it| names(it, into)),
        _ => {}
    }
}

/// The last method or function that the expression calls.
fn method_of(call: &str) -> String {
    match syn::parse_str::<syn::Expr>(call) {
        Ok(syn::Expr::MethodCall(call)) => call.method.to_string(),
        _ => call.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_what_all_share_and_the_calls_of_each_thread() {
        let read = ScenarioText::parse(
            "let q = Queue::new(1); let (a, b): (u8, u8) = (1, 2); q.push(|x| x | 1) | q.len(); q.pop()",
        )
        .unwrap();
        assert_eq!(read.setup.len(), 2);
        assert_eq!(read.variables, ["q", "a", "b"]);
        assert_eq!(read.lanes[0], ["q.push(|x| x | 1)"]);
        assert_eq!(read.lanes[1], ["q.len()", "q.pop()"]);
        let text = "use std::mem; let q = Queue::new(1); q.push(1); let n = mem::size_of_val(&q); q.pop() | q.len()";
        let read = ScenarioText::parse(text).unwrap();
        assert_eq!(read.setup[2], "q.push(1)");
        assert_eq!(read.variables, ["q", "n"]);
        assert_eq!(read.lanes[0], ["q.pop()"]);
    }

    #[test]
    fn a_call_that_awaits_is_a_future() {
        for (call, future) in [
            ("q.pop().await", true),
            ("q.push(q.pop().await)", true),
            ("q.spawn(async move { q.pop().await })", false),
            ("{ let it = async { 1 }; it.await }", true),
            ("q.await_all()", false),
        ] {
            assert_eq!(awaits(call), future, "{call}");
        }
        let text = "let q = Queue::new(); q.pop().await | q.push(1)";
        let source = ScenarioText::parse(text).unwrap().source("queue");
        assert!(
            source.contains("::contest::observe_future!(async { q.pop().await }, 0)"),
            "{source}"
        );
        assert!(
            source.contains("::contest::observe!(q.push(1))"),
            "{source}"
        );
        assert!(!source.contains("wait_for"), "{source}");
        let text = "let q = Queue::open().await; q.pop().await | q.push(1)";
        let source = ScenarioText::parse(text).unwrap().source("queue");
        let made = "let (q,) = ::contest::macro_support::wait_for(async {\n    \
                    let q = Queue::open().await;\n    (q,)\n    });";
        assert!(source.contains(made), "{source}");
    }

    #[test]
    fn what_is_no_scenario_is_refused_with_the_reason() {
        for (text, why) in [
            ("q.push(1)", "two threads"),
            ("q.push( | q.pop()", "no Rust code"),
            ("let q = 1; q.a() | let r = 2; r.b()", "come first"),
            ("let q = 1; q. | q.b()", "`q.`"),
        ] {
            let error = ScenarioText::parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
