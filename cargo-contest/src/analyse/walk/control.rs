//! Branches and loops, with the scopes of their conditions.

use syn::{Expr, Pat};

use super::super::effect::{AccessKind, Effect};
use super::super::known_types::{Kind, element, kind, wrapped};
use super::super::place::{Names, Place};
use super::super::types::Type;
use super::scopes::ScopeKind;
use super::{Frame, Value, Walker};

/// One way of a branch.
pub(super) type Arm<'f, 'a> = Box<dyn FnOnce(&mut Walker<'a>) -> Value + 'f>;

impl<'a> Walker<'a> {
    /// Walks ways that exclude each other from the same state; owners are joined where they come together.
    pub(super) fn branch(&mut self, arms: Vec<Arm<'_, 'a>>) -> Value {
        let was_dead = self.dead;
        let before = self.scopes.clone();
        let mut ways = Vec::new();
        let mut ends = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for arm in arms {
            self.scopes.clone_from(&before);
            self.dead = was_dead;
            let outer = std::mem::take(&mut self.out);
            let value = arm(self);
            ways.push(std::mem::replace(&mut self.out, outer));
            if !self.dead {
                ends.push(std::mem::take(&mut self.scopes));
                values.push(value);
            }
        }
        self.dead = was_dead;
        if ways.iter().any(|it| !it.is_empty()) {
            self.emit(Effect::Branch(ways));
        }
        match Self::join_scopes(ends) {
            Some(scopes) => self.scopes = scopes,
            None => {
                self.scopes = before;
                self.dead = true;
            }
        }
        join_values(values, &self.index.names)
    }

    pub(super) fn if_(&mut self, it: &syn::ExprIf) -> Value {
        if !has_let(&it.cond) {
            self.condition(&it.cond);
            return self.branch(vec![
                Box::new(|walker: &mut Self| walker.body_block(&it.then_branch)),
                Box::new(|walker: &mut Self| walker.else_(it)),
            ]);
        }
        // Temporaries of the condition: dropped before `else` since 2024, at the end of the statement around up to 2021.
        let own_scope = self.edition_2024;
        let at = self.scopes.len();
        if own_scope {
            self.push(ScopeKind::Temporaries);
        }
        self.push(ScopeKind::Block);
        let mut bindings = Vec::new();
        self.chain(&it.cond, &mut bindings);
        let value = self.branch(vec![
            Box::new(|walker: &mut Self| {
                walker.push(ScopeKind::Temporaries);
                walker.push(ScopeKind::Block);
                for (pattern, value) in bindings.clone() {
                    walker.bind(pattern, value);
                }
                let mut value = walker.body_block(&it.then_branch);
                walker.take(&mut value);
                walker.pop();
                walker.pop();
                if own_scope {
                    walker.drop_now(at);
                }
                value
            }),
            Box::new(|walker: &mut Self| {
                if own_scope {
                    walker.drop_now(at);
                }
                walker.else_(it)
            }),
        ]);
        self.pop();
        if own_scope {
            self.pop();
        }
        value
    }

    /// Drops what a scope owns while the scope stays.
    fn drop_now(&mut self, at: usize) {
        self.push(ScopeKind::Temporaries);
        let last = self.scopes.len() - 1;
        if at < last {
            self.scopes.swap(at, last);
            self.pop();
            // The emptied scope has taken the place of the full one.
        }
    }

    fn else_(&mut self, it: &syn::ExprIf) -> Value {
        match &it.else_branch {
            Some((_, otherwise)) => {
                self.push(ScopeKind::Temporaries);
                let mut value = self.expression(otherwise);
                self.take(&mut value);
                self.pop();
                value
            }
            None => Value::unit(),
        }
    }

    /// Evaluates a chain of conditions; `let`s are bound where the body begins.
    fn chain<'e>(&mut self, condition: &'e Expr, bindings: &mut Vec<(&'e Pat, Value)>) {
        match condition {
            Expr::Binary(it) if matches!(it.op, syn::BinOp::And(_)) => {
                self.chain(&it.left, bindings);
                self.chain(&it.right, bindings);
            }
            Expr::Paren(it) => self.chain(&it.expr, bindings),
            Expr::Let(it) => {
                let value = self.expression(&it.expr);
                self.read(&value);
                let value = self.hold(value);
                // Later conditions may use the names already; guards move when the body begins.
                self.preview(&it.pat, value.clone());
                bindings.push((&it.pat, value));
            }
            other => self.condition(other),
        }
    }

    /// Names of a pattern for the conditions that follow it; guards stay where they are.
    fn preview(&mut self, pattern: &Pat, value: Value) {
        let borrowed = Value {
            variable: None,
            is_place: true,
            tokens: Vec::new(),
            ..value
        };
        self.bind(pattern, borrowed);
    }

    pub(super) fn match_(&mut self, it: &syn::ExprMatch) -> Value {
        let value = self.expression(&it.expr);
        self.read(&value);
        let value = self.hold(value);
        if it.arms.is_empty() {
            self.emit(Effect::Diverge);
            self.dead = true;
            return Value::unknown();
        }
        let arms = it
            .arms
            .iter()
            .filter(|arm| self.cfg.keeps(&arm.attrs))
            .map(|arm| -> Arm<'_, 'a> {
                let value = value.clone();
                Box::new(move |walker: &mut Self| {
                    walker.push(ScopeKind::Temporaries);
                    walker.push(ScopeKind::Block);
                    if let Some((_, guard)) = &arm.guard {
                        // While the guard runs nothing is moved out yet.
                        walker.push(ScopeKind::Block);
                        walker.preview(&arm.pat, value.clone());
                        walker.condition(guard);
                        walker.pop();
                    }
                    walker.bind(&arm.pat, value);
                    walker.push(ScopeKind::Temporaries);
                    let mut result = walker.expression(&arm.body);
                    walker.read(&result);
                    walker.take(&mut result);
                    walker.pop();
                    walker.pop();
                    walker.pop();
                    result
                })
            })
            .collect();
        self.branch(arms)
    }

    fn in_frame(
        &mut self,
        label: Option<&syn::Label>,
        is_loop: bool,
        walk: impl FnOnce(&mut Self),
    ) -> Vec<Effect> {
        let label = label.map(|it| it.name.ident.to_string());
        self.frames.push(Frame {
            label,
            scopes: self.scopes.len(),
            is_loop,
        });
        let scopes = self.scopes.clone();
        let dead = self.dead;
        let body = self.aside(walk);
        if self.dead {
            // Scopes as on the way that did not run into an end.
            self.scopes = scopes;
        }
        self.dead = dead;
        self.frames.pop();
        body
    }

    pub(super) fn labelled_block(&mut self, label: &str, block: &syn::Block) -> Value {
        self.frames.push(Frame {
            label: Some(label.to_string()),
            scopes: self.scopes.len(),
            is_loop: false,
        });
        let scopes = self.scopes.clone();
        let dead = self.dead;
        let mut value = Value::unit();
        let body = self.aside(|walker| value = walker.block(block));
        if self.dead {
            self.scopes = scopes;
        }
        self.dead = dead;
        self.frames.pop();
        self.emit(Effect::Labelled(body));
        value
    }

    pub(super) fn while_(&mut self, it: &syn::ExprWhile) -> Value {
        let body = self.in_frame(it.label.as_ref(), true, |walker| {
            walker.push(ScopeKind::Temporaries);
            walker.push(ScopeKind::Block);
            let mut bindings = Vec::new();
            if has_let(&it.cond) {
                walker.chain(&it.cond, &mut bindings);
            } else {
                walker.condition(&it.cond);
            }
            walker.branch(vec![
                Box::new(|walker: &mut Self| {
                    walker.push(ScopeKind::Temporaries);
                    walker.push(ScopeKind::Block);
                    for (pattern, value) in bindings {
                        walker.bind(pattern, value);
                    }
                    walker.body_block(&it.body);
                    walker.pop();
                    walker.pop();
                    Value::unit()
                }),
                Box::new(|walker: &mut Self| {
                    walker.leave_frame(None, false);
                    Value::unit()
                }),
            ]);
            walker.pop();
            walker.pop();
        });
        self.emit(Effect::Loop {
            body,
            endless: true,
        });
        Value::unit()
    }

    pub(super) fn loop_(&mut self, it: &syn::ExprLoop) -> Value {
        let body = self.in_frame(it.label.as_ref(), true, |walker| {
            walker.body_block(&it.body);
        });
        let ends = breaks(&body, 0);
        self.emit(Effect::Loop {
            body,
            endless: true,
        });
        if !ends {
            self.dead = true;
        }
        Value::unknown()
    }

    pub(super) fn for_(&mut self, it: &syn::ExprForLoop) -> Value {
        let value = self.expression(&it.expr);
        self.read(&value);
        let value = self.hold(value);
        let items = self.iterated(&value);
        let body = self.in_frame(it.label.as_ref(), true, |walker| {
            walker.next_item(&value);
            walker.branch(vec![
                Box::new(|walker: &mut Self| {
                    walker.push(ScopeKind::Block);
                    walker.bind(&it.pat, items);
                    walker.body_block(&it.body);
                    walker.pop();
                    Value::unit()
                }),
                Box::new(|walker: &mut Self| {
                    walker.leave_frame(None, false);
                    Value::unit()
                }),
            ]);
        });
        self.emit(Effect::Loop {
            body,
            endless: true,
        });
        Value::unit()
    }

    /// The items of what a `for` loop goes through.
    pub(super) fn iterated(&mut self, value: &Value) -> Value {
        let mut ty = value.ty.clone();
        while let Some(inner) = wrapped(&ty) {
            ty = inner;
        }
        if let Type::Own(path, _) = &ty {
            for name in ["into_iter", "iter"] {
                let callees = self.index.methods_of(path, name);
                if !callees.is_empty() && self.index.methods_of(path, "next").is_empty() {
                    return self.call_own(&callees, vec![value.clone()], &ty);
                }
            }
            return Value::at(Type::Unknown, value.place);
        }
        if kind(&ty) == Some(Kind::Maybe) {
            return Value::at(element(&ty), value.place);
        }
        let place = value.place.as_ref().map(|it| it.element());
        let item = match ty.last() {
            "HashMap" | "BTreeMap" => Type::Tuple(vec![ty.argument(0), ty.argument(1)]),
            _ => element(&ty),
        };
        let is_place = place.is_some();
        Value {
            is_place,
            ..Value::at(item, place)
        }
    }

    /// Gets the next item of an iterator.
    fn next_item(&mut self, value: &Value) {
        let ty = value.ty.referent().clone();
        if let Type::Own(path, _) = &ty {
            let callees = self.index.methods_of(path, "next");
            if !callees.is_empty() {
                self.call_own(&callees, vec![value.clone()], &ty);
            } else if let Some(place) = &value.place {
                // Some type of its own that iterates in a way that is not seen.
                let place = *place;
                self.unknown(
                    format!("iterates over `{}`", ty.last()),
                    &[Value::at(ty.clone(), Some(place))],
                );
            }
        } else if kind(&ty) == Some(Kind::Receiver) {
            self.channel(value.place.as_ref(), true);
        } else {
            self.access(
                value.place.as_ref().map(|it: &Place| it.element()).as_ref(),
                AccessKind::Read,
                false,
            );
        }
    }

    /// Leaves a loop or a labelled block, or goes on with its next round.
    pub(super) fn leave_frame(&mut self, label: Option<&syn::Lifetime>, next_round: bool) {
        let wanted = label.map(|it| it.ident.to_string());
        let found = self.frames.iter().rev().position(|frame| match &wanted {
            Some(label) => frame.label.as_ref() == Some(label),
            None => frame.is_loop,
        });
        let Some(up) = found else {
            // In a closure that is walked in place.
            return;
        };
        let depth = self.frames[self.frames.len() - 1 - up].scopes;
        self.leave(depth);
        self.emit(if next_round {
            Effect::Continue(up)
        } else {
            Effect::Break(up)
        });
        self.dead = true;
    }
}

/// True if some way leaves the loop `depth` frames up.
fn breaks(effects: &[Effect], depth: usize) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Break(up) => *up == depth,
        Effect::Branch(ways) => ways.iter().any(|way| breaks(way, depth)),
        Effect::Loop { body, .. } | Effect::Labelled(body) => breaks(body, depth + 1),
        _ => false,
    })
}

fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(it) if matches!(it.op, syn::BinOp::And(_)) => {
            has_let(&it.left) || has_let(&it.right)
        }
        Expr::Paren(it) => has_let(&it.expr),
        _ => false,
    }
}

/// One value for several ways.
fn join_values(values: Vec<Value>, names: &Names) -> Value {
    let mut values = values
        .into_iter()
        .filter(|it| it.ty != Type::unit() || it.place.is_some());
    let Some(mut joined) = values.next() else {
        return Value::unit();
    };
    for value in values {
        if joined.ty == Type::Unknown {
            joined.ty = value.ty.clone();
        }
        for token in value.tokens {
            if !joined.tokens.contains(&token) {
                joined.tokens.push(token);
            }
        }
        joined.functions.extend(value.functions);
        joined.place = match (joined.place, value.place) {
            (Some(a), Some(b)) if a != b => Some(names.unknown(joined.ty.referent().last())),
            (a, b) => a.or(b),
        };
    }
    joined.variable = None;
    joined
}
