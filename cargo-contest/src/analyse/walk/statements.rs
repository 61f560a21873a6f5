//! Blocks, `let`, and temporaries whose life a `let` extends.

use syn::{Expr, Stmt};

use super::super::effect::Effect;
use super::super::types::Type;
use super::scopes::ScopeKind;
use super::{Value, Walker};

impl Walker<'_> {
    /// A block with its own variables.
    pub(super) fn block(&mut self, block: &syn::Block) -> Value {
        self.push(ScopeKind::Block);
        let value = self.statements(&block.stmts);
        self.pop();
        value
    }

    /// A block whose temporaries end with it: the body of a loop, a branch or an arm.
    pub(super) fn body_block(&mut self, block: &syn::Block) -> Value {
        self.push(ScopeKind::Temporaries);
        let value = self.block(block);
        self.pop();
        value
    }

    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Value {
        let mut value = Value::unit();
        for (n, statement) in statements.iter().enumerate() {
            let last = n + 1 == statements.len();
            match statement {
                Stmt::Expr(expression, None) if last => {
                    value = self.tail(expression);
                }
                Stmt::Macro(call) if last && call.semi_token.is_none() => {
                    value = self.macro_statement(call, true);
                }
                Stmt::Expr(expression, _) => {
                    if self.cfg.keeps(expression_attributes(expression)) {
                        self.statement(expression);
                    }
                }
                Stmt::Macro(call) => {
                    if self.cfg.keeps(&call.attrs) {
                        self.macro_statement(call, false);
                    }
                }
                Stmt::Local(local) => {
                    if self.cfg.keeps(&local.attrs) {
                        self.local_statement(local);
                    }
                }
                Stmt::Item(_) => {}
            }
        }
        if self.dead { Value::unknown() } else { value }
    }

    /// The value of a block. Its temporaries are dropped after the variables up to edition 2021, before them since 2024.
    fn tail(&mut self, expression: &Expr) -> Value {
        if self.edition_2024 {
            self.push(ScopeKind::Temporaries);
            let mut value = self.expression(expression);
            self.read(&value);
            self.take(&mut value);
            self.pop();
            value
        } else {
            let mut value = self.expression(expression);
            self.read(&value);
            self.take(&mut value);
            value
        }
    }

    pub(super) fn statement(&mut self, expression: &Expr) {
        self.push(ScopeKind::Temporaries);
        let value = self.expression(expression);
        self.hold(value);
        self.pop();
    }

    fn local_statement(&mut self, local: &syn::Local) {
        let declared = match &local.pat {
            syn::Pat::Type(it) => Some(self.type_of(&it.ty)),
            _ => None,
        };
        let pattern = match &local.pat {
            syn::Pat::Type(it) => &*it.pat,
            pattern => pattern,
        };
        let Some(init) = &local.init else {
            let value = Value::of(declared.unwrap_or(Type::Unknown));
            self.bind(pattern, value);
            return;
        };
        self.push(ScopeKind::Temporaries);
        // Each part of a tuple goes to its own name.
        if let (syn::Pat::Tuple(names), Expr::Tuple(values), None) =
            (pattern, &*init.expr, &init.diverge)
            && names.elems.len() == values.elems.len()
            && !names.elems.iter().any(|it| matches!(it, syn::Pat::Rest(_)))
        {
            let values: Vec<Value> = values.elems.iter().map(|it| self.extended(it)).collect();
            for (name, value) in names.elems.iter().zip(values) {
                self.bind(name, value);
            }
            self.pop();
            return;
        }
        let mut value = self.extended(&init.expr);
        if let Some(declared) = declared
            && !matches!(value.ty, Type::Closure(_))
            && declared != Type::Unknown
        {
            value.ty = better(declared, &value.ty);
        }
        if let Some((_, otherwise)) = &init.diverge {
            if !matches!(pattern, syn::Pat::Wild(_)) {
                self.read(&value);
            }
            self.take(&mut value);
            self.pop();
            self.branch(vec![
                Box::new(|walker: &mut Self| {
                    // What did not match is dropped before.
                    for token in value.tokens.clone() {
                        walker.emit(Effect::Drop(token));
                    }
                    walker.push(ScopeKind::Temporaries);
                    let value = walker.expression(otherwise);
                    walker.pop();
                    value
                }),
                Box::new(|_: &mut Self| Value::unit()),
            ]);
            self.bind(pattern, value);
            return;
        }
        if !matches!(pattern, syn::Pat::Wild(_)) {
            if !binds_by_reference(pattern) {
                self.read(&value);
                self.take(&mut value);
            }
            self.bind(pattern, value);
        } else {
            self.hold(value);
        }
        self.pop();
    }

    /// The initialiser of a `let`: a temporary that is borrowed in the right place lives as long as the block.
    fn extended(&mut self, expression: &Expr) -> Value {
        match expression {
            Expr::Reference(it) => {
                let value = self.extended_place(&it.expr);
                let value = self.extend(value);
                let ty = Type::Reference(it.mutability.is_some(), Box::new(value.ty.clone()));
                Value::at(ty, value.place)
            }
            Expr::Paren(it) => self.extended(&it.expr),
            Expr::Group(it) => self.extended(&it.expr),
            Expr::Cast(it) if matches!(&*it.expr, Expr::Reference(_)) => {
                let value = self.extended(&it.expr);
                Value {
                    ty: self.type_of(&it.ty),
                    ..value
                }
            }
            Expr::Tuple(it) => {
                let values = it.elems.iter().map(|it| self.extended(it)).collect();
                self.aggregate_tuple(values)
            }
            _ => self.expression(expression),
        }
    }

    /// The operand of an extended borrow.
    fn extended_place(&mut self, expression: &Expr) -> Value {
        match expression {
            Expr::Paren(it) => self.extended_place(&it.expr),
            Expr::Group(it) => self.extended_place(&it.expr),
            Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Deref(_),
                expr,
                ..
            }) => {
                let value = self.extended_place(expr);
                let value = self.extend(value);
                self.dereference(value)
            }
            Expr::Field(it) => {
                let value = self.extended_place(&it.base);
                let value = self.extend(value);
                self.field(value, &it.member)
            }
            Expr::Index(it) => {
                let value = self.extended_place(&it.expr);
                let value = self.extend(value);
                self.index_into(value, &it.index)
            }
            Expr::Reference(_) | Expr::Tuple(_) => self.extended(expression),
            _ => self.expression(expression),
        }
    }
}

/// The declared type, or what was found out if that says more.
fn better(declared: Type, found: &Type) -> Type {
    let vague = |ty: &Type| match ty {
        Type::Foreign(_, arguments) | Type::Own(_, arguments) => arguments.contains(&Type::Unknown),
        Type::Unknown => true,
        _ => false,
    };
    if vague(&declared) && declared.last() == found.last() {
        found.clone()
    } else {
        declared
    }
}

fn binds_by_reference(pattern: &syn::Pat) -> bool {
    matches!(pattern, syn::Pat::Ident(it) if it.by_ref.is_some())
}

/// Attributes of a statement, for `cfg`.
pub(super) fn expression_attributes(expression: &Expr) -> &[syn::Attribute] {
    match expression {
        Expr::Block(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        Expr::ForLoop(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        _ => &[],
    }
}
