//! The text between the braces of a function to its locals and blocks.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::body::{Block, Position, Statement, Terminator};
use super::instruction::{Instruction, instruction};
use super::text::without_comment;
use super::ty::Type;
use super::values::Statics;

/// The text of a function between its braces.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) text: Arc<str>,
    pub(super) inside: Range<usize>,
    pub(super) statics: Statics,
}

impl Source {
    pub(super) fn inside(&self) -> &str {
        &self.text[self.inside.clone()]
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.inside).finish()
    }
}

/// What is between the braces of a function.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// Types of all locals, by number.
    pub(super) locals: Vec<Type>,
    pub(super) blocks: Vec<Block>,
}

/// Reads the code of a function with these parameters.
pub(super) fn read(source: &Source, parameters: &[Type]) -> Inside {
    let mut inside = Inside {
        locals: vec![Type::Tuple(Vec::new())],
        blocks: Vec::new(),
    };
    inside.locals.extend(parameters.iter().cloned());
    let lines: Vec<&str> = source.inside().lines().collect();
    let mut unknown = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let text = line.trim_start();
        if is_block(text) {
            let from = at;
            while lines.get(at).is_some_and(|it| it.trim() != "}") {
                at += 1;
            }
            let cleanup = text.contains("(cleanup)");
            (inside.blocks).push(block(&lines[from..at], cleanup, &source.statics));
        } else if !declaration(text, &mut inside.locals) {
            unknown = unknown.or(Some(text));
        }
    }
    if inside.blocks.is_empty() {
        inside.blocks.push(Block {
            statements: Vec::new(),
            terminator: (Terminator::Diverge, Position::default()),
            cleanup: false,
        });
        unknown = unknown.or(Some("a function without blocks"));
    }
    // A line in an unknown form may be a local or a block: nothing is known of the function.
    if let (Some(text), Some(first)) = (unknown, inside.blocks.first_mut()) {
        let statement = Statement::Unknown(text.to_owned());
        first.statements.insert(0, (statement, Position::default()));
    }
    inside
}

/// `let mut _3: T; // in scope 0 at a.rs:1:2: 1:3`. False for a line of a form that is not known.
fn declaration(line: &str, locals: &mut Vec<Type>) -> bool {
    let (text, _) = without_comment(line);
    let Some(text) = text.strip_prefix("let ") else {
        let known = ["debug ", "scope ", "coverage ", "|"];
        return text.is_empty() || text == "}" || known.iter().any(|it| text.starts_with(it));
    };
    let text = text.strip_prefix("mut ").unwrap_or(text);
    let Some((local, ty)) = text.split_once(": ") else {
        return false;
    };
    let Some(number) = local
        .strip_prefix('_')
        .and_then(|it| it.parse::<usize>().ok())
    else {
        return false;
    };
    if locals.len() <= number {
        locals.resize(number + 1, Type::Tuple(Vec::new()));
    }
    locals[number] = Type::parse(ty);
    true
}

fn block(lines: &[&str], cleanup: bool, statics: &Statics) -> Block {
    let mut block = Block {
        statements: Vec::new(),
        terminator: (Terminator::Diverge, Position::default()),
        cleanup,
    };
    let mut at = 0;
    while at < lines.len() {
        let mut line = lines[at].trim().to_string();
        at += 1;
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        // The text of assembly is written as it is, line breaks too.
        while line.starts_with("asm!(") && !line.contains("-> [") && at < lines.len() {
            line.push_str(lines[at].trim());
            at += 1;
        }
        let (text, place) = without_comment(&line);
        let position = place
            .split_once(" at ")
            .and_then(|(_, place)| source(place))
            .map_or(Position::default(), |(_, position)| position);
        let name = lines[at..]
            .iter()
            .map(|it| it.trim())
            .take_while(|it| it.starts_with("//"))
            .find_map(|it| it.strip_prefix("// + span: "));
        let named_at = name
            .and_then(source)
            .map_or(position, |(_, position)| position);
        match instruction(text, named_at, statics) {
            Instruction::Statement(statement) => block.statements.push((statement, position)),
            Instruction::Terminator(terminator) => block.terminator = (terminator, position),
            Instruction::Nothing => {}
        }
    }
    block
}

pub(super) fn is_block(line: &str) -> bool {
    line.starts_with("bb") && line.ends_with('{')
}

/// `src/lib.rs:7:34: 7:47`.
pub(super) fn source(text: &str) -> Option<(&str, Position)> {
    let text = text.split(" (#").next()?.trim();
    let (rest, _) = text.rsplit_once(": ")?;
    let mut parts = rest.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, Position { line, column }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown_in(text: &str) -> Vec<String> {
        let source = Source {
            text: text.into(),
            inside: 0..text.len(),
            statics: Statics::new(),
        };
        let blocks = read(&source, &[]).blocks;
        let statements = blocks.into_iter().flat_map(|it| it.statements);
        let texts = statements.filter_map(|(it, _)| match it {
            Statement::Unknown(text) => Some(text),
            Statement::Assign(..) => None,
        });
        texts.collect()
    }

    #[test]
    fn declarations_and_blocks_of_other_forms_are_noticed() {
        let known = "    debug x => _1;\n    let mut _0: u8; // in scope 0\n    scope 1 {\n    }\n\n    bb0: {\n        return;\n    }\n";
        assert!(unknown_in(known).is_empty());
        for (form, other) in [
            ("let mut _0: u8", "local _0: u8"),
            ("let mut _0: u8", "let _0 is u8"),
            ("bb0: {", "block 0 {"),
        ] {
            assert!(
                !unknown_in(&known.replace(form, other)).is_empty(),
                "{other}"
            );
        }
        assert_eq!(unknown_in(""), ["a function without blocks"]);
    }
}
