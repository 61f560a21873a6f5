//! Values, operands and places.

use super::body::{AggregateKind, Operand, PlaceExpression, Projection, Value};
use super::text::{bracket, find, split, split_at_word, top_level};
use super::ty::{Type, last_segment, path_and_arguments};

/// Numbers of statics in one function: `alloc5` and the path it stands for.
pub(super) type Statics = std::collections::HashMap<String, String>;

/// What stands on the right of an assignment; `None` for a form that is not known.
pub(super) fn read_value(text: &str, statics: &Statics) -> Option<Value> {
    let text = text.trim();
    // Of copied references: whether they are tagged anew, which is for Miri.
    let text = text.strip_prefix("no_retag ").unwrap_or(text);
    if let Some(rest) = text.strip_prefix('&') {
        if let Some(path) = rest.strip_prefix("/*tls*/ ") {
            return Some(Value::Of(vec![Operand::Static(path.into(), false)]));
        }
        let mut rest = rest;
        for word in ["raw ", "const ", "mut ", "fake ", "(fake) ", "shallow "] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        return Some(Value::Address(place(rest.trim())?));
    }
    for word in ["discriminant(", "Len("] {
        if text.starts_with(word) {
            let (inside, _) = bracket(&text[word.len() - 1..])?;
            return Some(Value::About(place(inside)?));
        }
    }
    if ["copy ", "move ", "const "]
        .iter()
        .any(|it| text.starts_with(it))
    {
        let (value, converted) = match text.strip_prefix("const ") {
            // The text of a constant may be anything.
            Some(_) => (text, ""),
            None => split_at_word(text, " as ").unwrap_or((text, "")),
        };
        let value = operand(value, statics)?;
        if converted.ends_with("(PointerWithExposedProvenance)") {
            return Some(Value::FromNumber(value));
        }
        return Some(Value::Of(vec![value]));
    }
    if text.starts_with('(') {
        let (inside, _) = bracket(text)?;
        let fields = split(inside, b',');
        return aggregate(fields, AggregateKind::Tuple, statics);
    }
    if text.starts_with('[') {
        let (inside, _) = bracket(text)?;
        let inside = split(inside, b';');
        return match inside.as_slice() {
            [] => Some(Value::Of(Vec::new())),
            [list] => aggregate(split(list, b','), AggregateKind::Array, statics),
            [item, ..] => aggregate(vec![item], AggregateKind::Array, statics),
        };
    }
    if text.starts_with("{closure@") {
        let (_, fields) = bracket(text)?;
        return aggregate(braced(fields), AggregateKind::Closure, statics);
    }
    if text.starts_with("{coroutine") {
        let (_, fields) = bracket(text)?;
        return aggregate(braced(fields), AggregateKind::Closure, statics);
    }
    let (path, _) = path_and_arguments(text);
    if let Some(at) = find(text, "(") {
        let (inside, after) = bracket(&text[at..])?;
        if !after.trim().is_empty() {
            return None;
        }
        let name = text[..at].trim();
        let fields = split(inside, b',');
        if is_operator(name) {
            let operands = fields.into_iter().map(|it| operand(it, statics));
            // `SizeOf(T)` reads nothing.
            return Some(Value::Of(operands.flatten().collect()));
        }
        return aggregate(fields, declared(name)?, statics);
    }
    if let Some(at) = find(text, "{") {
        return aggregate(braced(&text[at..]), declared(text[..at].trim())?, statics);
    }
    // A variant or struct without fields.
    let named = !path.is_empty() && !path.contains(' ');
    named.then(|| Value::Aggregate(Vec::new(), AggregateKind::Declared(path.into())))
}

/// A struct or variant; several words are a form that is not known.
fn declared(name: &str) -> Option<AggregateKind> {
    let is_path = find(name, " ").is_none();
    is_path.then(|| AggregateKind::Declared(path_and_arguments(name).0.into()))
}

/// `Add`, `PtrMetadata`: one word, where a tuple struct of this name would be given its fields the same way.
fn is_operator(name: &str) -> bool {
    const OPERATORS: [&str; 33] = [
        "Add",
        "AddUnchecked",
        "AddWithOverflow",
        "Sub",
        "SubUnchecked",
        "SubWithOverflow",
        "Mul",
        "MulUnchecked",
        "MulWithOverflow",
        "Div",
        "Rem",
        "BitXor",
        "BitAnd",
        "BitOr",
        "Shl",
        "ShlUnchecked",
        "Shr",
        "ShrUnchecked",
        "Eq",
        "Lt",
        "Le",
        "Ne",
        "Ge",
        "Gt",
        "Cmp",
        "Offset",
        "Not",
        "Neg",
        "PtrMetadata",
        "SizeOf",
        "AlignOf",
        "OffsetOf",
        "UbChecks",
    ];
    OPERATORS.contains(&name)
        || matches!(
            name,
            "ShallowInitBox" | "CopyForDeref" | "ContractChecks" | "RuntimeChecks"
        )
}

fn braced(text: &str) -> Vec<&str> {
    let text = text.trim();
    bracket(text).map_or_else(Vec::new, |(inside, _)| split(inside, b','))
}

fn aggregate(fields: Vec<&str>, kind: AggregateKind, statics: &Statics) -> Option<Value> {
    let fields = fields
        .into_iter()
        .map(|it| {
            if let Some(value) = operand(it, statics) {
                return Some((None, value));
            }
            let (name, value) = it.split_once(": ")?;
            Some((Some(name.into()), operand(value, statics)?))
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Value::Aggregate(fields, kind))
}

pub(super) fn operand(text: &str, statics: &Statics) -> Option<Operand> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("copy ") {
        return Some(Operand::Copy(place(rest)?));
    }
    if let Some(rest) = text.strip_prefix("move ") {
        return Some(Operand::Move(place(rest)?));
    }
    let Some(rest) = text.strip_prefix("const ") else {
        // A function that is passed on is written without `const`.
        let looks_like_path =
            text.contains("::") && !text.contains(": ") || !text.contains([' ', '(']);
        return (looks_like_path && !text.starts_with('_') && !text.is_empty())
            .then(|| Operand::Constant(Some(Type::Function(text.into()))));
    };
    if let Some((inside, _)) = rest.strip_prefix("{alloc").and_then(|_| bracket(rest)) {
        let (number, ty) = inside.split_once(": ")?;
        let number = number.split(['+', ' ', '<']).next().unwrap_or(number);
        return Some(match statics.get(number) {
            Some(path) => Operand::Static(path.as_str().into(), ty.starts_with("*mut ")),
            None => Operand::Constant(None),
        });
    }
    if let Some(ty) = rest.strip_prefix("ZeroSized: ") {
        return Some(Operand::Constant(Some(Type::parse(ty))));
    }
    Some(Operand::Constant(None))
}

/// A place: `_1`, `((*_1).0: T)`, `(*_2)[_3]`, `((_4 as Some).0: U)`.
pub(super) fn place(text: &str) -> Option<PlaceExpression> {
    let text = text.trim();
    if let Some(local) = text.strip_prefix('_')
        && let Ok(local) = local.parse()
    {
        return Some(PlaceExpression {
            local,
            projections: Vec::new(),
        });
    }
    if text.ends_with(']') {
        let open = top_level(text).filter(|(_, byte)| *byte == b'[').last()?.0;
        let mut of = place(&text[..open])?;
        of.projections.push(Projection::Element);
        return Some(of);
    }
    let (inside, after) = bracket(text)?;
    if !text.starts_with('(') || !after.is_empty() {
        return None;
    }
    if let Some(rest) = inside.strip_prefix('*') {
        let mut to = place(rest)?;
        to.projections.push(Projection::Deref);
        return Some(to);
    }
    if let Some((of, variant)) = split_at_word(inside, " as ") {
        let mut of = place(of)?;
        if !variant.starts_with("subtype ") {
            of.projections
                .push(Projection::Variant(last_segment(variant).into()));
        }
        return Some(of);
    }
    let (field, ty) = split_at_word(inside, ": ")?;
    let dot = field.rfind('.')?;
    let number = field[dot + 1..].parse().ok()?;
    let mut of = place(&field[..dot])?;
    of.projections
        .push(Projection::Field(number, Type::parse(ty)));
    Some(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_steps_in_order() {
        let place = place("((*((*_1).0: &a::S)).1: u32)").unwrap();
        assert_eq!(place.local, 1);
        let kinds: Vec<bool> = place
            .projections
            .iter()
            .map(|it| *it == Projection::Deref)
            .collect();
        assert_eq!(kinds, [true, false, true, false]);
    }

    #[test]
    fn whether_a_reference_is_tagged_anew_makes_no_difference() {
        for of in ["copy ((*_1).0: &a::S)", "copy (*_1)"] {
            for text in [of.to_owned(), format!("no_retag {of}")] {
                let value = read_value(&text, &Statics::new());
                let Some(Value::Of(operands)) = value else {
                    panic!("{text}");
                };
                let [Operand::Copy(place)] = &operands[..] else {
                    panic!("{text}");
                };
                assert_eq!(place.local, 1, "{text}");
            }
        }
    }
}
