//! Methods of containers, strings and iterators, and the names that say that a method only looks.

use super::super::effect::{AccessKind, Effect};
use super::super::known_types::element;
use super::super::types::Type;
use super::{Value, Walker};

/// Methods of containers that only look.
pub(super) const LOOKING: &[&str] = &[
    "len",
    "is_empty",
    "capacity",
    "get",
    "contains",
    "contains_key",
    "first",
    "last",
    "front",
    "back",
    "peek",
    "iter",
    "keys",
    "values",
    "get_key_value",
    "as_slice",
    "as_str",
    "as_bytes",
    "as_ptr",
    "as_deref",
    "as_ref",
    "to_vec",
    "to_string",
    "chars",
    "bytes",
    "lines",
    "split",
    "trim",
    "starts_with",
    "ends_with",
    "find",
    "position",
    "any",
    "all",
    "count",
    "sum",
    "min",
    "max",
    "min_by_key",
    "max_by_key",
    "fold",
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "flatten",
    "for_each",
    "enumerate",
    "zip",
    "rev",
    "skip",
    "take_while",
    "skip_while",
    "chain",
    "cloned",
    "copied",
    "collect",
    "join",
    "concat",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "windows",
    "chunks",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "range",
    "nth",
    "step_by",
    "inspect",
    "peekable",
    "cycle",
    "is_disjoint",
    "is_subset",
    "difference",
    "intersection",
    "union",
    "get_unchecked",
    "last_key_value",
    "first_key_value",
    "start",
    "end",
    "to_owned",
    "partition",
    "unzip",
    "product",
    "by_ref",
    "size_hint",
    "into_iter",
    "as_any",
    "load",
];

/// Names that are common on values of std and say little about the type.
pub(super) fn is_common(name: &str) -> bool {
    LOOKING.contains(&name)
        || matches!(
            name,
            "push"
                | "pop"
                | "insert"
                | "remove"
                | "clear"
                | "push_back"
                | "push_front"
                | "pop_back"
                | "pop_front"
                | "next"
                | "extend"
                | "drain"
                | "retain"
                | "append"
                | "truncate"
                | "sort"
                | "entry"
                | "or_insert"
                | "or_insert_with"
                | "or_default"
                | "and_modify"
                | "iter_mut"
                | "get_mut"
                | "take"
                | "replace"
                | "unwrap"
                | "expect"
                | "unwrap_or"
                | "unwrap_or_else"
                | "unwrap_or_default"
                | "ok"
                | "err"
                | "map_err"
                | "and_then"
                | "or_else"
                | "ok_or"
                | "ok_or_else"
                | "is_some_and"
                | "wrapping_add"
                | "wrapping_sub"
                | "saturating_sub"
                | "saturating_add"
                | "checked_add"
                | "checked_sub"
                | "leading_zeros"
                | "trailing_zeros"
                | "count_ones"
                | "pow"
                | "abs"
                | "as_mut"
                | "swap"
                | "reserve"
                | "resize"
                | "is_power_of_two"
                | "next_power_of_two"
                | "rotate_left"
                | "elapsed"
                | "as_nanos"
                | "as_secs"
                | "as_millis"
                | "duration_since"
                | "checked_mul"
                | "write_str"
                | "write_fmt"
                | "field"
                | "finish"
                | "debug_struct"
                | "debug_tuple"
                | "pad"
                | "unwrap_unchecked"
                | "id"
                | "type_id"
                | "cast"
                | "is_null"
        )
}

impl Walker<'_> {
    /// Containers, strings and iterators; what is not listed changes them.
    pub(super) fn container_method(
        &mut self,
        at: &Value,
        name: &str,
        arguments: &[Value],
        turbofish: Option<&Type>,
    ) -> Option<Value> {
        let item = element(&at.ty);
        let looks = LOOKING.contains(&name)
            || (super::methods::UNIVERSAL.contains(&name) && !name.ends_with("mut"));
        let is_iterator = matches!(
            at.ty.last(),
            "Iter" | "IterMut" | "IntoIter" | "Drain" | "Range" | "Peekable" | "Chars"
        );
        if !is_iterator {
            self.access(
                at.place.as_ref(),
                if looks {
                    AccessKind::Read
                } else {
                    AccessKind::Both
                },
                false,
            );
        }
        let inside = at.place.as_ref().map(|it| it.element());
        let given = Value::at(item.clone(), inside);
        let mut mapped = None;
        let mut tokens = Vec::new();
        for value in arguments {
            tokens.extend(value.tokens.iter().copied());
            if !looks {
                self.escape(value);
            }
            let arguments = if name == "fold" {
                vec![Value::unknown(), given.clone()]
            } else {
                vec![given.clone(), given.clone()]
            };
            if let Some(value) = self.call_value(value, arguments, false) {
                mapped = Some(value);
            }
        }
        let reference = |mutable: bool| Type::Reference(mutable, Box::new(item.clone()));
        let iterator = |ty: Type| Type::foreign("Iter", vec![ty]);
        let option = |ty: Type| Type::foreign("Option", vec![ty]);
        let number = || Type::foreign("usize", Vec::new());
        let value = match name {
            "len" | "capacity" | "count" | "position" => Value::of(number()),
            "is_empty" | "contains" | "contains_key" | "any" | "all" | "starts_with"
            | "ends_with" => Value::of(Type::foreign("bool", Vec::new())),
            "get" | "first" | "last" | "front" | "back" | "peek" | "find" | "max_by_key"
            | "min_by_key" | "nth"
                if !is_iterator =>
            {
                Value::at(option(reference(false)), inside)
            }
            "get_mut" | "first_mut" | "last_mut" | "front_mut" | "back_mut" | "peek_mut" => {
                Value::at(option(reference(true)), inside)
            }
            "next" | "next_back" | "find" | "last" | "nth" | "max_by_key" | "min_by_key"
            | "max" | "min" => Value::at(option(item), inside),
            "pop" | "pop_front" | "pop_back" | "remove" | "insert" | "swap_remove" | "take"
            | "replace" => Value::at(option(item), inside),
            "iter" | "values" => Value::at(iterator(reference(false)), at.place),
            "iter_mut" | "values_mut" => Value::at(iterator(reference(true)), at.place),
            "into_iter" | "drain" | "into_values" => Value::at(iterator(item), at.place),
            "entry" => Value::at(Type::foreign("Entry", vec![item]), at.place),
            "or_insert" | "or_insert_with" | "or_default" | "or_insert_with_key" => {
                Value::at(reference(true), inside)
            }
            "map" | "filter_map" | "flat_map" => {
                let mapped = mapped.unwrap_or_else(Value::unknown);
                let ty = if name == "map" {
                    mapped.ty.clone()
                } else {
                    element(&mapped.ty)
                };
                Value::at(iterator(ty), mapped.place)
            }
            "cloned" | "copied" => Value::at(iterator(item.referent().clone()), at.place),
            "enumerate" => Value::at(iterator(Type::Tuple(vec![number(), item])), at.place),
            "zip" => {
                let with = arguments
                    .first()
                    .map_or(Type::Unknown, |it| element(&it.ty));
                Value::at(iterator(Type::Tuple(vec![item, with])), at.place)
            }
            "filter" | "rev" | "skip" | "take_while" | "skip_while" | "chain" | "inspect"
            | "peekable" | "step_by" | "by_ref" | "cycle" | "and_modify" => {
                Value::at(at.ty.clone(), at.place)
            }
            "collect" => {
                let ty = match turbofish {
                    Some(ty @ Type::Foreign(path, _)) if ty.argument(0) == Type::Unknown => {
                        Type::foreign(path, vec![item])
                    }
                    Some(ty) => ty.clone(),
                    None => Type::foreign("Vec", vec![item]),
                };
                Value::at(ty, at.place)
            }
            "clone" | "to_vec" | "to_owned" => {
                let ty = at.ty.clone();
                let place = at.place.filter(|_| self.index.may_change_while_shared(&ty));
                Value::at(ty, place)
            }
            "as_slice" | "as_str" | "as_bytes" | "as_mut_slice" | "trim" | "as_ref" | "as_mut"
            | "range" | "chunks" | "windows" | "split_at" | "lines" | "split" | "chars"
            | "bytes" => Value::at(at.ty.clone(), at.place),
            "as_ptr" | "as_mut_ptr" => Value::at(Type::Pointer(Box::new(item)), inside),
            "fold" | "sum" | "product" | "for_each" => {
                Value::at(mapped.map_or(Type::Unknown, |it| it.ty), None)
            }
            "join" | "to_string" | "concat" => Value::of(Type::foreign("String", Vec::new())),
            _ => Value::at(Type::Unknown, at.place),
        };
        for token in tokens {
            // A guard that goes into a container is held as long as the container.
            if !looks {
                self.inexact("stores a guard");
                self.emit(Effect::Forget(token));
            }
        }
        Some(value)
    }
}
