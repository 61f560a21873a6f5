//! Examples in documentation.

use syn::visit::Visit;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The Rust examples of a file's documentation.
pub(super) fn of_file(file: &syn::File) -> Vec<String> {
    let mut lines = Lines(String::new());
    lines.visit_file(file);
    examples(&lines.0)
}

/// All documentation of a file, one line after another.
struct Lines(String);

impl<'ast> Visit<'ast> for Lines {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::NameValue(it) = &attribute.meta
            && it.path.is_ident("doc")
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &it.value
        {
            self.0.push_str(&text.value());
            self.0.push('\n');
        }
    }
}

/// Blocks of Markdown that are run as tests, as rustdoc takes them.
pub(super) fn examples(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The text so far, and whether it is an example.
    let mut open: Option<(String, bool)> = None;
    for line in markdown.lines() {
        let trimmed = line.trim();
        let fence = trimmed.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(words)) => open = Some((String::new(), is_run(words))),
            (Some(_), Some(_)) => {
                if let Some((text, true)) = open.take() {
                    found.push(whole(&text));
                }
            }
            (Some((text, _)), None) => {
                text.push_str(shown_or_hidden(line));
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// True if a block with these words is Rust that runs to its end.
fn is_run(words: &str) -> bool {
    let mut words = words.split([',', ' ']).filter(|it| !it.is_empty());
    words.all(|it| it == "rust" || it == "no_run" || it.starts_with("edition"))
}

/// A line of an example: `# ` in front hides it.
fn shown_or_hidden(line: &str) -> &str {
    let start = line.trim_start();
    match start.strip_prefix('#') {
        Some("") => "",
        Some(rest) if rest.starts_with(' ') => rest,
        Some(rest) if rest.starts_with('#') => rest,
        _ => line,
    }
}

fn whole(text: &str) -> String {
    if text.contains("fn main") {
        text.to_owned()
    } else {
        format!("fn main() {{\n{text}\n}}")
    }
}
