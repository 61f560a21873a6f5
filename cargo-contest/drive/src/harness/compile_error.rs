//! A compiler error in the driver: the line it is about, and the reason to report.

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};

use crate::harness::driver_source::SOURCE_FILE;

/// Most characters of a reason.
const LONGEST_REASON: usize = 300;

/// True for what stops a build; the last line of every failed build ("aborting due to …") is not counted.
#[must_use]
pub fn is_error(diagnostic: &Diagnostic) -> bool {
    matches!(
        diagnostic.level,
        DiagnosticLevel::Error | DiagnosticLevel::Ice
    ) && !diagnostic.message.starts_with("aborting due to ")
}

/// True for a note without an error of its own: after an error in the evaluation of a generic constant, it names the
/// use that required the constant.
#[must_use]
pub fn is_afterthought(diagnostic: &Diagnostic) -> bool {
    diagnostic.level == DiagnosticLevel::Note
}

/// Lines of the driver's source that the error is about, counting from 1, the most likely first.
#[must_use]
pub fn lines_in_driver(diagnostic: &Diagnostic) -> Vec<u32> {
    let mut lines = Vec::new();
    let (primary, secondary): (Vec<_>, Vec<_>) =
        diagnostic.spans.iter().partition(|it| it.is_primary);
    // An error inside generic code of a dependency names the driver in a note only.
    let notes = diagnostic.children.iter().flat_map(|it| it.spans.iter());
    for span in primary.into_iter().chain(secondary).chain(notes) {
        let mut next = Some(span);
        // From inside a macro out to where it was used.
        while let Some(span) = next {
            if is_driver_source(span) {
                lines.push(u32::try_from(span.line_start).unwrap_or(u32::MAX));
            }
            next = span.expansion.as_ref().map(|it| &it.span);
        }
    }
    lines
}

/// Cargo runs the compiler in the driver's own directory; other local sources have longer paths.
fn is_driver_source(span: &DiagnosticSpan) -> bool {
    span.file_name == SOURCE_FILE
}

/// The error in one line: the message, and the label at its location or, failing that, its first note.
#[must_use]
pub fn reason(diagnostic: &Diagnostic) -> String {
    let first_line = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
    let message = first_line(&diagnostic.message);
    let labels = diagnostic
        .spans
        .iter()
        .filter(|it| it.is_primary)
        .filter_map(|it| it.label.as_deref());
    let notes = diagnostic
        .children
        .iter()
        .filter(|it| matches!(it.level, DiagnosticLevel::Note | DiagnosticLevel::Help))
        .map(|it| it.message.as_str())
        .filter(|it| !is_routine(it));
    let label = labels
        .chain(notes)
        .map(first_line)
        .find(|it| !it.is_empty() && !message.contains(it.as_str()));
    let mut reason = match label {
        Some(label) => format!("{message}: {label}"),
        None => message,
    };
    if let Some((end, _)) = reason.char_indices().nth(LONGEST_REASON) {
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

/// Notes that say nothing about the cause.
fn is_routine(note: &str) -> bool {
    const ROUTINE: [&str; 6] = [
        "required ",
        "the full ",
        "this error originates",
        "consider ",
        "for more information",
        "if the ",
    ];
    ROUTINE.iter().any(|it| note.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn span(file: &str, line: u32, label: &str, expansion: Value) -> Value {
        json!({
            "file_name": file, "byte_start": 0, "byte_end": 1, "line_start": line, "line_end": line,
            "column_start": 1, "column_end": 2, "is_primary": true, "text": [], "label": label,
            "suggested_replacement": null, "suggestion_applicability": null, "expansion": expansion,
        })
    }

    fn diagnostic(message: &str, spans: &[Value], note: &str) -> Diagnostic {
        serde_json::from_value(json!({
            "message": message, "code": null, "level": "error", "spans": spans, "rendered": null,
            "children": [{
                "message": note, "code": null, "level": "note", "spans": [], "children": [], "rendered": null,
            }],
        }))
        .unwrap()
    }

    #[test]
    fn an_error_inside_a_macro_is_where_the_macro_is_used() {
        let expansion = json!({
            "span": span(SOURCE_FILE, 12, "", Value::Null),
            "macro_decl_name": "observe!", "def_site_span": null,
        });
        let inside = span("/registry/contest/src/subject.rs", 90, "", expansion);
        let error = diagnostic("no method", &[inside], "");
        assert_eq!(lines_in_driver(&error), [12]);
    }

    #[test]
    fn an_error_in_a_file_of_another_crate_is_not_in_the_driver() {
        let other = span("/user/demo/contest-driver.rs", 12, "", Value::Null);
        assert!(lines_in_driver(&diagnostic("x", &[other], "")).is_empty());
    }

    #[test]
    fn the_reason_is_the_message_and_the_label() {
        let place = span(SOURCE_FILE, 1, "expected `u32`, found `&str`", Value::Null);
        let error = diagnostic("mismatched types", &[place], "expected type `u32`");
        assert_eq!(
            reason(&error),
            "mismatched types: expected `u32`, found `&str`"
        );
    }

    #[test]
    fn without_a_label_the_first_telling_note_is_taken() {
        let error = diagnostic("a\nb", &[], "`Rc<u32>` cannot be shared");
        assert_eq!(reason(&error), "a: `Rc<u32>` cannot be shared");
        let routine = diagnostic("a", &[], "required by a bound in `f`");
        assert_eq!(reason(&routine), "a");
    }
}
