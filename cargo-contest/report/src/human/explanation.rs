//! What a kind of finding means, as text.

use std::fmt::Write as _;

use crate::explain::Explanation;
use crate::styles::{ERROR, NOTE};

/// Width of running text.
const PROSE: usize = 96;

/// What a kind of finding means.
#[must_use]
pub fn explanation(about: &Explanation) -> String {
    let mut out = format!("{ERROR}{}{ERROR:#}\n\n", about.kind.name());
    for (title, text) in [
        ("What it means", about.meaning),
        ("How sure it is", about.certainty),
    ] {
        let _ = writeln!(out, "{NOTE}{title}{NOTE:#}");
        for line in wrapped(text, PROSE) {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{NOTE}What to do{NOTE:#}");
    for remedy in about.remedies {
        for (n, line) in wrapped(remedy, PROSE - 2).iter().enumerate() {
            let _ = writeln!(out, "  {} {line}", if n == 0 { "-" } else { " " });
        }
    }
    let _ = writeln!(out, "\n{NOTE}Example{NOTE:#}");
    for line in about.example.lines() {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
    out
}

/// A kind of finding in a list.
#[must_use]
pub fn kind(about: &Explanation) -> String {
    let first = about.meaning.split([':', '.']).next().unwrap_or_default();
    format!("{NOTE}{:<18}{NOTE:#}{first}\n", about.kind.name())
}

/// Lines of at most `width` characters, broken at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
