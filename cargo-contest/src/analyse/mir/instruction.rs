//! Statements, terminators and what they are made of.

use super::body::{
    BlockId, Call, Callee, CalleePath, PlaceExpression, Position, Statement, Terminator, Value,
};
use super::text::{bracket, split, split_at_word, top_level};
use super::ty::{Type, path_and_arguments};
use super::values::{Statics, operand, place, read_value};

/// A line of a block, its `;` and comment removed.
pub(super) enum Instruction {
    Statement(Statement),
    Terminator(Terminator),
    /// Says nothing about what the program does.
    Nothing,
}

/// Statements that only mark something for the compiler.
const MARKERS: [&str; 9] = [
    "StorageLive(",
    "StorageDead(",
    "ConstEvalCounter",
    "nop",
    "FakeRead(",
    "PlaceMention(",
    "Retag(",
    "AscribeUserType(",
    "Coverage::",
];

/// Reads one line.
pub(super) fn instruction(text: &str, named_at: Position, statics: &Statics) -> Instruction {
    let terminator = |it| Instruction::Terminator(it);
    let unknown = || Instruction::Statement(Statement::Unknown(text.to_string()));
    if MARKERS.iter().any(|it| text.starts_with(it)) {
        return Instruction::Nothing;
    }
    match text {
        "return" => return terminator(Terminator::Return),
        "unreachable" | "resume" => return terminator(Terminator::Diverge),
        _ => {}
    }
    if text.starts_with("terminate(") || text.starts_with("abort") {
        return terminator(Terminator::Diverge);
    }
    if text.starts_with("goto -> ") || text.starts_with("falseEdge") {
        return terminator(Terminator::Goto(blocks(text)));
    }
    if let Some(rest) = text.strip_prefix("switchInt") {
        return terminator(switch(rest, statics).unwrap_or_else(|| Terminator::Goto(blocks(text))));
    }
    if text.starts_with("assert(") {
        return terminator(Terminator::Goto(
            target(text, "success: ").into_iter().collect(),
        ));
    }
    if text.starts_with("drop(") {
        return terminator(
            drop_of(text).unwrap_or_else(|| Terminator::Unknown(text.to_string(), blocks(text))),
        );
    }
    if text.starts_with("asm!(") {
        let why = "runs the macro `asm!`".to_string();
        return terminator(Terminator::Unknown(
            why,
            target(text, "return: ").into_iter().collect(),
        ));
    }
    if text.starts_with("discriminant(")
        && let Some((to, _)) = split_at_word(text, " = ")
        && let Some(to) = bracket(&to["discriminant".len()..]).and_then(|(it, _)| place(it))
    {
        return Instruction::Statement(Statement::Assign(to, Value::Of(Vec::new())));
    }
    let Some((to, value)) = split_at_word(text, " = ") else {
        return match text.starts_with("assume(") || text.starts_with("deinit(") {
            true => Instruction::Nothing,
            false => unknown(),
        };
    };
    let Some(to) = place(to.trim()) else {
        return unknown();
    };
    if let Some((called, ways)) = last_arrow(value) {
        return match call(called, to, target(ways, "return: "), named_at, statics) {
            Some(call) => terminator(Terminator::Call(call)),
            None => terminator(Terminator::Unknown(text.to_string(), blocks(ways))),
        };
    }
    match read_value(value, statics) {
        Some(value) => Instruction::Statement(Statement::Assign(to, value)),
        None => unknown(),
    }
}

/// `(move _2) -> [0: bb2, otherwise: bb1]`
fn switch(text: &str, statics: &Statics) -> Option<Terminator> {
    let (on, targets) = bracket(text)?;
    let (targets, _) = bracket(targets.trim().strip_prefix("-> ")?)?;
    let targets = split(targets, b',').into_iter().map(|it| {
        let (value, block) = it.split_once(": bb")?;
        Some((value.parse().ok(), block.parse().ok()?))
    });
    Some(Terminator::Switch(
        operand(on, statics)?,
        targets.collect::<Option<_>>()?,
    ))
}

fn drop_of(text: &str) -> Option<Terminator> {
    let (inside, after) = bracket(text.strip_prefix("drop")?)?;
    let place = place(inside)?;
    Some(match target(after, "return: ") {
        Some(next) => Terminator::Drop(place, next),
        None => Terminator::Diverge,
    })
}

/// A call and where it goes: `f(..) -> [return: bb1, unwind: bb2]` or `f(..) -> unwind continue`.
fn last_arrow(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind(" -> ")?;
    let ways = &text[at + 4..];
    let is_way =
        ways.starts_with("[return: ") || ways.starts_with("unwind") || ways.starts_with("bb");
    is_way.then(|| (&text[..at], ways))
}

/// All blocks that are named, those of unwinding left out.
fn blocks(text: &str) -> Vec<BlockId> {
    let text = text.split(", unwind").next().unwrap_or(text);
    let mut found = Vec::new();
    for piece in text.split("bb").skip(1) {
        let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(number) = digits.parse()
            && !found.contains(&number)
        {
            found.push(number);
        }
    }
    found
}

fn target(text: &str, label: &str) -> Option<BlockId> {
    let rest = &text[text.rfind(&format!("{label}bb"))? + label.len()..];
    blocks(rest.split(',').next()?).first().copied()
}

fn call(
    text: &str,
    result: PlaceExpression,
    next: Option<BlockId>,
    named_at: Position,
    statics: &Statics,
) -> Option<Call> {
    // `copy (*_2)(move _3)` calls what stands in a place.
    let pointer = text.starts_with("copy ") || text.starts_with("move ");
    let open = if pointer {
        let opens = top_level(text).filter(|(_, byte)| *byte == b'(');
        opens.last()?.0
    } else {
        top_level(text).find(|(_, byte)| *byte == b'(')?.0
    };
    let (inside, _) = bracket(&text[open..])?;
    let arguments = split(inside, b',')
        .into_iter()
        .map(|it| operand(it, statics))
        .collect::<Option<Vec<_>>>()?;
    let callee = if pointer {
        Callee::Pointer(operand(&text[..open], statics)?)
    } else {
        Callee::Path(callee_path(&text[..open])?)
    };
    Some(Call {
        callee,
        arguments,
        result,
        next,
        named_at,
    })
}

/// The path of a function as an expression.
pub(crate) fn callee_path(text: &str) -> Option<CalleePath> {
    let text = text.trim();
    if text.starts_with('<') && !text.starts_with("<impl at ") {
        let (inside, after) = bracket(text)?;
        let (name, arguments) = path_and_arguments(after.strip_prefix("::")?);
        let (owner, name) = name.rsplit_once("::").unwrap_or(("", &name));
        let mut all = arguments;
        let (self_type, trait_) = match split_at_word(inside, " as ") {
            Some((self_type, trait_)) => {
                let (trait_, of_trait) = path_and_arguments(trait_);
                all.extend(of_trait);
                (self_type, Some(trait_.into()))
            }
            None => (inside, None),
        };
        return Some(CalleePath {
            self_type: Some(Type::parse(self_type)),
            trait_,
            owner: owner.into(),
            name: name.into(),
            arguments: all,
        });
    }
    let (path, arguments) = path_and_arguments(text);
    let (owner, name) = path.rsplit_once("::").unwrap_or(("", &path));
    Some(CalleePath {
        self_type: None,
        trait_: None,
        owner: owner.into(),
        name: name.into(),
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Instruction {
        instruction(text, Position::default(), &Statics::new())
    }

    #[test]
    fn a_call_has_its_path_arguments_and_target() {
        let text = "_3 = <std::sync::MutexGuard<'_, T> as std::ops::Deref>::deref(move _4, const 1_u8) -> [return: bb7, unwind: bb2]";
        let Instruction::Terminator(Terminator::Call(call)) = read(text) else {
            panic!("no call");
        };
        assert_eq!(
            (call.next, call.arguments.len(), call.result.local),
            (Some(7), 2, 3)
        );
        let Callee::Path(path) = call.callee else {
            panic!("no path")
        };
        assert_eq!(
            (&*path.name, path.trait_.as_deref()),
            ("deref", Some("std::ops::Deref"))
        );
        assert_eq!(path.self_type.unwrap().last(), "MutexGuard");
    }

    #[test]
    fn a_form_that_is_not_known_is_kept() {
        let known = [
            "_1 = E::C { x: copy _1 }",
            "_1 = {closure@a.rs:1:2: 3:4} { x: &_2 }",
            "_0 = P(copy _1)",
        ];
        assert!(matches!(
            read(known[0]),
            Instruction::Statement(Statement::Assign(..))
        ));
        assert!(matches!(
            read(known[2]),
            Instruction::Statement(Statement::Assign(..))
        ));
        for unknown in [
            "_1 = some new thing",
            "_1 = some_new copy (*_2)",
            "_1 = some_new copy ((*_2).0: &a::S)",
            "_1 = some_new copy { a: copy _2 }",
        ] {
            let is_unknown = matches!(read(unknown), Instruction::Statement(Statement::Unknown(_)));
            assert!(is_unknown, "{unknown}");
        }
        assert!(matches!(
            read("brand new"),
            Instruction::Statement(Statement::Unknown(_))
        ));
    }
}
