//! Where cargo keeps what it builds is for each release of cargo to choose. So no source of the tool, and none of the
//! runtime, joins or parses names of its folders: paths come from cargo's messages or from the compiler's arguments.

use syn::visit::Visit;

use super::{root, rust_files};

/// Sources of what users run, and end-to-end tests of it.
const SOURCES: [&str; 10] = [
    "cargo-contest/src",
    "cargo-contest/catalog/src",
    "cargo-contest/build/src",
    "cargo-contest/discover/src",
    "cargo-contest/analyse/src",
    "cargo-contest/drive/src",
    "cargo-contest/report/src",
    "contest-macros/src",
    "contest-runtime",
    "tests",
];

/// Folders that nothing else is called by.
const OF_CARGO: [&str; 3] = ["deps", "incremental", ".fingerprint"];

/// Further ones, whose names mean other things too where no path is made of them.
const IN_PATHS: [&str; 4] = ["debug", "release", "build", "out"];

/// Calls that make paths, or take them to pieces.
const OF_PATHS: [&str; 9] = [
    "join",
    "push",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "with_file_name",
    "from",
    "new",
];

/// Names by which target triples go, which are folders too.
const TRIPLES: [&str; 3] = ["host", "triple", "target_triple"];

/// What a text says of folders.
#[derive(Default)]
struct Folders {
    found: Vec<(usize, String)>,
}

impl Folders {
    fn is_path_with(text: &str, names: &[&str]) -> bool {
        let looks_like_path = !text.contains([' ', '\n', '`']);
        looks_like_path && text.split('/').any(|part| names.contains(&part))
    }

    /// Arguments of a call that makes a path.
    fn arguments<'a>(&mut self, arguments: impl IntoIterator<Item = &'a syn::Expr>) {
        for argument in arguments {
            let mut inner = argument;
            while let syn::Expr::Reference(reference) = inner {
                inner = &reference.expr;
            }
            let (line, name) = match inner {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) if Self::is_path_with(&text.value(), &IN_PATHS) => {
                    (text.span().start().line, text.value())
                }
                syn::Expr::Field(field) => match &field.member {
                    syn::Member::Named(name) if TRIPLES.contains(&name.to_string().as_str()) => {
                        (name.span().start().line, name.to_string())
                    }
                    _ => continue,
                },
                syn::Expr::Path(path) => match path.path.get_ident() {
                    Some(name) if TRIPLES.contains(&name.to_string().as_str()) => {
                        (name.span().start().line, name.to_string())
                    }
                    _ => continue,
                },
                _ => continue,
            };
            self.found.push((line, name));
        }
    }
}

impl<'ast> Visit<'ast> for Folders {
    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        if Self::is_path_with(&text.value(), &OF_CARGO) {
            self.found.push((text.span().start().line, text.value()));
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if OF_PATHS.contains(&call.method.to_string().as_str()) {
            self.arguments(&call.args);
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let [.., of, function] = path.path.segments.iter().collect::<Vec<_>>()[..]
            && OF_PATHS.contains(&function.ident.to_string().as_str())
            && (of.ident == "Path" || of.ident == "PathBuf")
        {
            self.arguments(&call.args);
        }
        syn::visit::visit_expr_call(self, call);
    }
}

fn folders_in(text: &str) -> Vec<(usize, String)> {
    let mut folders = Folders::default();
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    folders.visit_file(&file);
    folders.found
}

#[test]
fn no_source_names_folders_of_cargo() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for source in SOURCES {
        for path in rust_files(&root().join(source)) {
            let relative = path.strip_prefix(root()).unwrap();
            let is_built = relative.iter().any(|part| part == "target");
            let is_subject = relative.starts_with("tests/subjects");
            // This file names them.
            if is_built || is_subject || relative.ends_with("tidy/cargo_folders.rs") {
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            // Programs for tests of what the compiler refuses are no Rust.
            let Ok(file) = syn::parse_file(&text) else {
                continue;
            };
            let mut folders = Folders::default();
            folders.visit_file(&file);
            let at = |(line, name)| format!("{}:{line}: {name}", relative.display());
            wrong.extend(folders.found.into_iter().map(at));
        }
    }
    assert!(seen > 400, "{seen}");
    assert!(
        wrong.is_empty(),
        "paths come from cargo's messages, or from the compiler's arguments:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn folders_are_seen_where_paths_are_made_of_them() {
    let found = |expression: &str| folders_in(&format!("fn f() {{ {expression}; }}"));
    for wrong in [
        "target.join(\"deps\")",
        "target.join(\"debug/deps\")",
        "path.parent().is_some_and(|it| it.ends_with(\"deps\"))",
        "name == \"deps\"",
        "target.join(&toolchain.host)",
        "target.join(\"release\")",
        "path.push(\"build\")",
        "Path::new(\"target/debug\")",
    ] {
        assert!(!found(wrong).is_empty(), "{wrong}");
    }
    for right in [
        "command.arg(\"build\")",
        "command.args([\"build\", \"--release\"])",
        "target.join(\"contest/mir\")",
        "field(\"release\")",
        "text.contains(\"a release of cargo\")",
    ] {
        assert_eq!(found(right), [], "{right}");
    }
}
