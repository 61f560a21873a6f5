//! Scopes: which names there are, who owns which guard, and when it is dropped.

use super::super::effect::{Argument, Effect, Token};
use super::super::place::Place;
use super::super::types::{Name, Type};
use super::{Value, Walker};

/// What a scope is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// Variables, dropped at the end in reverse order.
    Block,
    /// Temporaries of a statement, a condition, an arm.
    Temporaries,
}

/// Something a scope drops.
#[derive(Clone, Debug)]
pub(super) enum Owned {
    /// A guard.
    Guard(Token, Option<usize>),
    /// A value whose drop runs code of the package.
    Value(Place, Type, Option<usize>),
}

impl Owned {
    fn variable(&self) -> Option<usize> {
        match self {
            Self::Guard(_, variable) | Self::Value(_, _, variable) => *variable,
        }
    }
}

/// A scope.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    names: Vec<(Name, usize)>,
    owned: Vec<Owned>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) ty: Type,
    pub(super) place: Option<Place>,
    pub(super) functions: Vec<u32>,
}

impl Walker<'_> {
    pub(super) fn push(&mut self, kind: ScopeKind) {
        self.scopes.push(Scope {
            kind,
            names: Vec::new(),
            owned: Vec::new(),
        });
    }

    /// Ends the innermost scope: what it owns is dropped, last first.
    pub(super) fn pop(&mut self) {
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        for owned in scope.owned.iter().rev() {
            self.drop_owned(owned);
        }
    }

    /// Drops what scopes from `depth` on own, on a way that leaves them; on other ways they go on.
    pub(super) fn leave(&mut self, depth: usize) {
        let leaving: Vec<Owned> = self.scopes[depth.min(self.scopes.len())..]
            .iter()
            .rev()
            .flat_map(|scope| scope.owned.iter().rev().cloned())
            .collect();
        for owned in &leaving {
            self.drop_owned(owned);
        }
    }

    fn drop_owned(&mut self, owned: &Owned) {
        match owned {
            Owned::Guard(token, _) => self.emit(Effect::Drop(*token)),
            Owned::Value(place, ty, _) => {
                for (path, function) in self.index.drops(ty) {
                    let mut place = *place;
                    for (owner, field) in &path {
                        place = place.step(self.index.names.field(owner, field));
                    }
                    self.next_call += 1;
                    let argument = Argument {
                        place: Some(self.seen(&place)),
                        ..Argument::default()
                    };
                    let (number, token, line) = (self.next_call, self.token(), self.line);
                    self.emit(Effect::Call {
                        number,
                        callees: vec![function],
                        arguments: vec![argument],
                        token,
                        line,
                    });
                }
            }
        }
    }

    /// Looks a variable up.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.names.iter().rev())
            .find(|(it, _)| &**it == name)
            .map(|(_, number)| *number)
    }

    /// A new variable in the innermost block that owns what the value owns.
    pub(super) fn declare(&mut self, name: &str, value: Value) -> usize {
        let at = self
            .scopes
            .iter()
            .rposition(|it| it.kind == ScopeKind::Block)
            .unwrap_or(0);
        let number = self.own(at, value);
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.names.push((name.into(), number));
        }
        number
    }

    /// Puts a value into the innermost scope of temporaries; returns it as a place.
    pub(super) fn hold(&mut self, value: Value) -> Value {
        if value.is_place || value.variable.is_some() {
            return value;
        }
        let at = self
            .scopes
            .iter()
            .rposition(|it| it.kind == ScopeKind::Temporaries)
            .unwrap_or(0);
        self.hold_in(at, value)
    }

    /// Puts a value into the block around: its life is extended.
    pub(super) fn extend(&mut self, value: Value) -> Value {
        if value.is_place || value.variable.is_some() {
            return value;
        }
        let at = self
            .scopes
            .iter()
            .rposition(|it| it.kind == ScopeKind::Block)
            .unwrap_or(0);
        self.hold_in(at, value)
    }

    fn hold_in(&mut self, at: usize, value: Value) -> Value {
        let (ty, place, functions) = (value.ty.clone(), value.place, value.functions.clone());
        let number = self.own(at, value);
        Value {
            ty,
            place,
            tokens: Vec::new(),
            is_place: true,
            variable: Some(number),
            functions,
        }
    }

    fn own(&mut self, at: usize, value: Value) -> usize {
        let number = self.variables.len();
        self.variables.push(Variable {
            ty: value.ty.clone(),
            place: value.place,
            functions: value.functions,
        });
        // A handle to a part of the object itself is never the last one while the object is used.
        let kept_alive = matches!(value.ty.last(), "Arc" | "Rc")
            && value.place.as_ref().is_some_and(Place::is_fixed);
        let drops = !value.is_place
            && !kept_alive
            && owns_itself(&value.ty)
            && !self.index.drops(&value.ty).is_empty();
        let place = match (drops, value.place) {
            (true, None) => Some(self.local()),
            (_, place) => place,
        };
        if drops {
            self.variables[number].place.clone_from(&place);
        }
        let Some(scope) = self.scopes.get_mut(at) else {
            return number;
        };
        scope.owned.extend(
            value
                .tokens
                .iter()
                .map(|token| Owned::Guard(*token, Some(number))),
        );
        if let (true, Some(place)) = (drops, place) {
            scope
                .owned
                .push(Owned::Value(place, value.ty, Some(number)));
        }
        number
    }

    /// Moves a value: what its variable owned is the value's own now.
    pub(super) fn take(&mut self, value: &mut Value) {
        let Some(variable) = value.variable else {
            return;
        };
        if value.ty.is_copy() {
            return;
        }
        for scope in &mut self.scopes {
            scope.owned.retain(|owned| {
                let taken = owned.variable() == Some(variable);
                if taken && let Owned::Guard(token, _) = owned {
                    value.tokens.push(*token);
                }
                !taken
            });
        }
        value.variable = None;
        value.is_place = false;
    }

    /// Guards that a value owns or whose owner it names or borrows.
    pub(super) fn guards_of(&self, value: &Value) -> Vec<Token> {
        let mut tokens = value.tokens.clone();
        if let Some(variable) = value.variable {
            for owned in self.scopes.iter().flat_map(|it| &it.owned) {
                if let Owned::Guard(token, Some(it)) = owned
                    && *it == variable
                {
                    tokens.push(*token);
                }
            }
        }
        tokens
    }

    /// Gives a variable other guards; those it had are dropped.
    pub(super) fn reassign(&mut self, variable: usize, value: Value) {
        let mut old = Vec::new();
        let mut at = None;
        for (n, scope) in self.scopes.iter_mut().enumerate() {
            if scope.names.iter().any(|(_, it)| *it == variable) {
                at = Some(n);
            }
            scope.owned.retain(|owned| {
                let its = owned.variable() == Some(variable);
                if its {
                    old.push(owned.clone());
                }
                !its
            });
        }
        for owned in old.iter().rev() {
            self.drop_owned(owned);
        }
        if let Some(scope) = at.and_then(|at| self.scopes.get_mut(at)) {
            scope.owned.extend(
                value
                    .tokens
                    .iter()
                    .map(|token| Owned::Guard(*token, Some(variable))),
            );
            if let Some(owned @ Owned::Value(..)) =
                old.into_iter().find(|it| matches!(it, Owned::Value(..)))
            {
                scope.owned.push(owned);
            }
        }
        let it = &mut self.variables[variable];
        if it.ty == Type::Unknown {
            it.ty = value.ty;
        }
        match (&it.place, value.place) {
            (None, place) => it.place = place,
            // May be either: some object of the type.
            (Some(old), Some(new)) if *old != new => {
                it.place = Some(self.index.names.unknown(it.ty.referent().last()))
            }
            _ => {}
        }
    }

    /// Owners after ways that came together: whoever owns something on one of them.
    pub(super) fn join_scopes(mut ends: Vec<Vec<Scope>>) -> Option<Vec<Scope>> {
        let mut joined = ends.pop()?;
        for end in ends {
            for (scope, other) in joined.iter_mut().zip(end) {
                for owned in other.owned {
                    let there = scope.owned.iter().any(|it| match (it, &owned) {
                        (Owned::Guard(a, _), Owned::Guard(b, _)) => a == b,
                        (Owned::Value(_, _, a), Owned::Value(_, _, b)) => a == b,
                        _ => false,
                    });
                    if !there {
                        scope.owned.push(owned);
                    }
                }
            }
        }
        Some(joined)
    }
}

/// False for references and handles: their drop is not the end of what they refer to.
fn owns_itself(ty: &Type) -> bool {
    !matches!(ty, Type::Reference(..) | Type::Pointer(_) | Type::Unknown)
}
