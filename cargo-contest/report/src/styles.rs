//! Styles of the text for a terminal.

use anstyle::{AnsiColor, Style};
use contest_data::finding::{Finding, Level};

/// What is wrong.
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What may be wrong.
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What stands out.
pub(super) const NOTE: Style = Style::new().bold();
/// Marks in front of lines.
pub(super) const ARROW: Style = AnsiColor::Blue.on_default().bold();

/// `error[deadlock]`, `warning[torn-read]`.
pub(super) fn level_and_kind(finding: &Finding) -> String {
    let style = match finding.level {
        Level::Error => ERROR,
        Level::Warning => WARNING,
    };
    format!("{style}{}[{}]{style:#}", finding.level.name(), finding.kind)
}
