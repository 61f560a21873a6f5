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
const MARKERS: [&str; 8] = [
    "StorageLive(",
    "StorageDead(",
    "ConstEvalCounter",
    "FakeRead(",
    "PlaceMention(",
    "Retag(",
    "AscribeUserType(",
    "Coverage::",
];

/// Reads one line.
pub(super) fn instruction(text: &str, named_at: Position, statics: &Statics) -> Instruction {
    let terminator = |it| Instruction::Terminator(it);
    let unknown = || match text.rsplit_once(" -> ") {
        // It ends the block.
        Some((_, ways)) if !blocks(ways).is_empty() => {
            terminator(Terminator::Unknown(text.to_string(), blocks(ways)))
        }
        _ => Instruction::Statement(Statement::Unknown(text.to_string())),
    };
    if MARKERS.iter().any(|it| text.starts_with(it)) {
        return Instruction::Nothing;
    }
    // Where a form that is not known goes on, if it names blocks at all.
    let goes_on = |found: Vec<BlockId>| {
        terminator(match found.is_empty() {
            true => Terminator::Unknown(text.to_string(), blocks(text)),
            false => Terminator::Goto(found),
        })
    };
    match text {
        "nop" => return Instruction::Nothing,
        "return" => return terminator(Terminator::Return),
        "unreachable" | "resume" => return terminator(Terminator::Diverge),
        _ => {}
    }
    if text.starts_with("terminate(") || text.starts_with("abort") {
        return terminator(Terminator::Diverge);
    }
    if text.starts_with("goto -> ") || text.starts_with("falseEdge") {
        return goes_on(blocks(text));
    }
    if let Some(rest) = text.strip_prefix("switchInt") {
        return match switch(rest, statics) {
            Some(switch) => terminator(switch),
            None => goes_on(blocks(text)),
        };
    }
    if text.starts_with("assert(") {
        let next = target(text, "success: ");
        if next.is_none() && always_unwinds(last_arrow(text).map_or("", |(_, ways)| ways)) {
            return terminator(Terminator::Diverge);
        }
        return goes_on(next.into_iter().collect());
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
        let next = target(ways, "return: ");
        let is_known = next.is_some() || always_unwinds(ways) || is_block(ways);
        let call = is_known.then(|| call(called, to, next, named_at, statics));
        return match call.flatten() {
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
        None if always_unwinds(after.trim().strip_prefix("-> ")?) => Terminator::Diverge,
        None => return None,
    })
}

/// True for the ways of what never goes on: `unwind continue`, `unwind: bb3`.
fn always_unwinds(ways: &str) -> bool {
    ways.starts_with("unwind") && !ways.contains(", ")
}

/// True for the name of a block. It is the only way of a call that never returns and has something to drop.
fn is_block(ways: &str) -> bool {
    let number = ways.strip_prefix("bb").unwrap_or_default();
    number.parse::<usize>().is_ok()
}

/// A call and where it goes: `f(..) -> [return: bb1, unwind: bb2]`, `f(..) -> unwind continue` or `f(..) -> bb2`.
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
        for (text, blocks) in [
            ("goto -> next(3)", vec![]),
            ("switchInt(move _2) by [0 to bb2, else to bb1]", vec![2, 1]),
            ("assert(copy _1, \"a\") -> bb3", vec![3]),
            ("drop(_1) -> bb4", vec![4]),
            ("drop(_1) -> [next: bb4, unwind: bb5]", vec![4]),
            ("_1 = a::f() -> [next: bb6, unwind: bb7]", vec![6]),
        ] {
            let next = match read(text) {
                Instruction::Terminator(Terminator::Unknown(_, next) | Terminator::Goto(next)) => {
                    next
                }
                Instruction::Statement(Statement::Unknown(_)) => Vec::new(),
                _ => panic!("{text}"),
            };
            assert_eq!(next, blocks, "{text}");
        }
        for text in [
            "_1 = a::f() -> unwind continue",
            "_1 = a::f() -> bb8",
            "drop(_1) -> unwind: bb3",
        ] {
            let ends = match read(text) {
                Instruction::Terminator(Terminator::Call(call)) => call.next.is_none(),
                Instruction::Terminator(end) => end == Terminator::Diverge,
                _ => false,
            };
            assert!(ends, "{text}");
        }
        assert!(matches!(
            read("brand new"),
            Instruction::Statement(Statement::Unknown(_))
        ));
    }
}
