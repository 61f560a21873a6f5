//! The programs, and what becomes of their text for each tool.

use similar::{ChangeTag, TextDiff};

/// Whose types a program uses.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Dialect {
    /// The standard library's: `cargo contest` and Miri.
    Std,
    Loom,
    Shuttle,
}

/// A test with a bug, which the feature `mended` removes.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    text: &'static str,
    /// Where other names and a wrapper do not suffice.
    by_hand: ByHand,
}

enum ByHand {
    Nothing,
    /// loom has a type of this name with other methods.
    Loom(&'static str),
    /// loom has nothing of the kind.
    NotLoom,
}

macro_rules! program {
    ($name:literal) => {
        program!($name, ByHand::Nothing)
    };
    ($name:literal, $by_hand:expr) => {
        Program {
            name: $name,
            text: include_str!(concat!("programs/", $name, ".rs")),
            by_hand: $by_hand,
        }
    };
}

pub(crate) const PROGRAMS: &[Program] = &[
    program!("abba"),
    program!("set_outside_the_lock"),
    program!("check_then_act"),
    program!("made_twice"),
    program!("one_condition_for_all"),
    program!("if_in_place_of_while"),
    program!("stopped_too_early"),
    program!("torn_snapshot"),
    program!("aba"),
    program!("relaxed_flag"),
    program!("both_pass"),
    program!(
        "spin_lock",
        ByHand::Loom(include_str!("programs/spin_lock.loom.rs"))
    ),
    program!("freed_twice"),
    program!("too_short_a_sleep", ByHand::NotLoom),
];

impl Program {
    /// The test for a tool; none if it cannot be written with the tool's types.
    pub(crate) fn text(&self, dialect: Dialect) -> Option<String> {
        match (dialect, &self.by_hand) {
            (Dialect::Std, _) => Some(self.text.to_owned()),
            (Dialect::Loom, ByHand::NotLoom) => None,
            (Dialect::Loom, ByHand::Loom(text)) => Some((*text).to_owned()),
            (Dialect::Loom, ByHand::Nothing) => Some(renamed(self.text, "loom")),
            (Dialect::Shuttle, _) => Some(renamed(self.text, "shuttle")),
        }
    }

    /// A row: lines of the test, and how many of them are new for each tool.
    pub(crate) fn changed_lines(&self) -> String {
        let changed = |dialect| match self.text(dialect) {
            None => "cannot be written".to_owned(),
            Some(text) => TextDiff::from_lines(self.text, &text)
                .iter_all_changes()
                .filter(|change| change.tag() == ChangeTag::Insert)
                .count()
                .to_string(),
        };
        let (loom, shuttle) = (changed(Dialect::Loom), changed(Dialect::Shuttle));
        let lines = self.text.lines().count();
        format!("| `{}` | {lines} | {loom} | {shuttle} |", self.name)
    }
}

/// Other names for threads and what they share, and a closure around the test. Cells and durations stay `std`'s.
fn renamed(text: &str, library: &str) -> String {
    let mut renamed = String::new();
    for line in text.lines() {
        let line = ["std::sync", "std::thread"]
            .iter()
            .fold(line.to_owned(), |line, name| {
                line.replace(
                    &format!("use {name}"),
                    &format!("use {library}{}", &name[3..]),
                )
            });
        renamed += &line;
        renamed += "\n";
        if line == "fn test() {" {
            renamed += "    side_by_side::model(|| {\n";
        }
    }
    let body = renamed.trim_end().strip_suffix('}');
    format!("{}    }});\n}}\n", body.expect("a test ends with a brace"))
}
