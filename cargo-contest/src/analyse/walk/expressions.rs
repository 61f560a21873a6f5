//! Expressions, operands left to right.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Member, UnOp};

use super::super::effect::{AccessKind, Effect, Returned};
use super::super::known_types::element;
use super::super::place::{Place, Root};
use super::super::types::{Name, Type, plain};
use super::scopes::ScopeKind;
use super::{Value, Walker};

impl Walker<'_> {
    /// What an expression is worth; places are not read yet.
    pub(super) fn expression(&mut self, expression: &Expr) -> Value {
        self.deeper(Value::unknown(), |walker| {
            walker.expression_inside(expression)
        })
    }

    /// An expression whose value is used: read and moved.
    pub(super) fn operand(&mut self, expression: &Expr) -> Value {
        let mut value = self.expression(expression);
        self.read(&value);
        self.take(&mut value);
        value
    }

    /// A number, a truth value: something that is looked at and forgotten.
    pub(super) fn looked_at(&mut self, expression: &Expr) -> Value {
        let value = self.expression(expression);
        self.read(&value);
        self.hold(value)
    }

    pub(super) fn at_line(&mut self, span: proc_macro2::Span) {
        let line = span.start().line;
        if line > 0 {
            self.line = u32::try_from(line).unwrap_or(0);
            self.column = u32::try_from(span.start().column + 1).unwrap_or(0);
        }
    }

    fn expression_inside(&mut self, expression: &Expr) -> Value {
        match expression {
            Expr::Lit(it) => literal(&it.lit),
            Expr::Path(it) => {
                self.at_line(it.span());
                self.path(it)
            }
            Expr::Paren(it) => self.expression(&it.expr),
            Expr::Group(it) => self.expression(&it.expr),
            Expr::Reference(it) => {
                let value = self.expression(&it.expr);
                let value = self.hold(value);
                Value {
                    ty: Type::Reference(it.mutability.is_some(), Box::new(value.ty.clone())),
                    is_place: false,
                    ..value
                }
            }
            Expr::RawAddr(it) => {
                let value = self.expression(&it.expr);
                let value = self.hold(value);
                Value::at(Type::Pointer(Box::new(value.ty)), value.place)
            }
            Expr::Unary(it) => match it.op {
                UnOp::Deref(_) => {
                    let value = self.expression(&it.expr);
                    let value = self.hold(value);
                    self.dereference(value)
                }
                _ => {
                    let value = self.looked_at(&it.expr);
                    Value::of(value.ty.referent().clone())
                }
            },
            Expr::Field(it) => {
                let base = self.expression(&it.base);
                let base = self.hold(base);
                self.field(base, &it.member)
            }
            Expr::Index(it) => {
                let base = self.expression(&it.expr);
                let base = self.hold(base);
                self.index_into(base, &it.index)
            }
            Expr::MethodCall(it) => {
                let value = self.method_call(it);
                self.at_line(it.method.span());
                value
            }
            Expr::Call(it) => self.call(it),
            Expr::Macro(it) => self.macro_expression(&it.mac),
            Expr::Block(it) => match &it.label {
                Some(label) => self.labelled_block(&label.name.ident.to_string(), &it.block),
                None => self.block(&it.block),
            },
            Expr::Unsafe(it) => self.block(&it.block),
            Expr::Const(it) => self.block(&it.block),
            Expr::If(it) => self.if_(it),
            Expr::Match(it) => self.match_(it),
            Expr::While(it) => self.while_(it),
            Expr::Loop(it) => self.loop_(it),
            Expr::ForLoop(it) => self.for_(it),
            Expr::Assign(it) => self.assign(it),
            Expr::Binary(it) => self.binary(it),
            Expr::Cast(it) => {
                let value = self.expression(&it.expr);
                self.read(&value);
                let ty = self.type_of(&it.ty);
                let keeps = matches!(
                    ty,
                    Type::Pointer(_) | Type::Reference(..) | Type::Traits(_) | Type::Unknown
                );
                Value {
                    ty,
                    place: if keeps { value.place } else { None },
                    is_place: false,
                    ..value
                }
            }
            Expr::Try(it) => {
                let mut value = self.expression(&it.expr);
                self.read(&value);
                self.take(&mut value);
                Value {
                    ty: element(&value.ty),
                    is_place: false,
                    ..value
                }
            }
            Expr::Return(it) => self.return_(it.expr.as_deref()),
            Expr::Break(it) => {
                self.push(ScopeKind::Temporaries);
                if let Some(value) = &it.expr {
                    self.operand(value);
                }
                self.pop();
                self.leave_frame(it.label.as_ref(), false);
                Value::unknown()
            }
            Expr::Continue(it) => {
                self.leave_frame(it.label.as_ref(), true);
                Value::unknown()
            }
            Expr::Closure(it) => self.closure(it),
            Expr::Struct(it) => self.struct_(it),
            Expr::Tuple(it) => {
                let values = it.elems.iter().map(|it| self.operand(it)).collect();
                self.aggregate_tuple(values)
            }
            Expr::Array(it) => {
                let values: Vec<Value> = it.elems.iter().map(|it| self.operand(it)).collect();
                let ty = values.first().map_or(Type::Unknown, |it| it.ty.clone());
                let place = values.iter().find_map(|it| it.place);
                let tokens = values.into_iter().flat_map(|it| it.tokens).collect();
                Value::at(Type::Sequence(Box::new(ty)), place).owning(tokens)
            }
            Expr::Repeat(it) => {
                let value = self.operand(&it.expr);
                Value::at(Type::Sequence(Box::new(value.ty)), value.place).owning(value.tokens)
            }
            Expr::Range(it) => {
                let mut ty = Type::foreign("usize", Vec::new());
                for bound in [&it.start, &it.end].into_iter().flatten() {
                    ty = self.looked_at(bound).ty;
                }
                Value::of(Type::foreign("Range", vec![ty]))
            }
            Expr::Let(it) => {
                // Outside a condition that knows how to scope it.
                let value = self.expression(&it.expr);
                let value = self.hold(value);
                self.bind(&it.pat, value);
                Value::of(Type::foreign("bool", Vec::new()))
            }
            Expr::Await(it) => {
                let value = self.expression(&it.base);
                self.at_line(it.await_token.span());
                self.unknown(
                    "awaits: other tasks run while it is suspended".to_string(),
                    &[],
                );
                Value {
                    is_place: false,
                    ..value
                }
            }
            Expr::Async(it) => {
                self.inexact("has an async block: when it runs is not known");
                let value = self.block(&it.block);
                Value {
                    is_place: false,
                    ..value
                }
            }
            other => {
                self.at_line(other.span());
                let text: String = other
                    .to_token_stream()
                    .to_string()
                    .chars()
                    .take(24)
                    .collect();
                self.inexact(&format!(
                    "has an expression that is not understood: `{text}`"
                ));
                Value::unknown()
            }
        }
    }

    fn assign(&mut self, it: &syn::ExprAssign) -> Value {
        if matches!(&*it.left, Expr::Infer(_)) {
            let value = self.expression(&it.right);
            self.hold(value);
            return Value::unit();
        }
        let value = self.operand(&it.right);
        if let Expr::Path(path) = &*it.left
            && let Some(name) = path.path.get_ident()
            && let Some(variable) = self.variable(&plain(name))
        {
            self.reassign(variable, value);
            return Value::unit();
        }
        if let (Expr::Tuple(left), true) = (&*it.left, true) {
            for part in &left.elems {
                let part = self.expression(part);
                self.access(part.place.as_ref(), AccessKind::Write, false);
            }
            return Value::unit();
        }
        let left = self.expression(&it.left);
        if !matches!(
            left.place,
            Some(Place {
                root: Root::Local(_),
                ..
            })
        ) {
            self.escape(&value);
        }
        self.access(left.place.as_ref(), AccessKind::Write, false);
        // A guard that goes into a field outlives what can be seen here.
        if !value.tokens.is_empty() {
            self.inexact("stores a guard");
            for token in value.tokens {
                self.emit(Effect::Forget(token));
            }
        }
        Value::unit()
    }

    fn binary(&mut self, it: &syn::ExprBinary) -> Value {
        let boolean = || Value::of(Type::foreign("bool", Vec::new()));
        if matches!(it.op, BinOp::And(_) | BinOp::Or(_)) {
            self.condition(&it.left);
            self.branch(vec![
                Box::new(|walker: &mut Self| {
                    walker.condition(&it.right);
                    Value::unit()
                }),
                Box::new(|_: &mut Self| Value::unit()),
            ]);
            return boolean();
        }
        let compound = compound(&it.op);
        let (left, right) = if compound {
            let right = self.operand(&it.right);
            let left = self.expression(&it.left);
            self.access(left.place.as_ref(), AccessKind::Both, false);
            (left, right)
        } else {
            let left = self.looked_at(&it.left);
            let right = self.looked_at(&it.right);
            (left, right)
        };
        // Operators of types of the package are methods.
        let ty = left.ty.referent().clone();
        if let (Type::Own(path, _), Some(name)) = (&ty, operator(&it.op)) {
            let callees = self.index.methods_of(path, name);
            if !callees.is_empty() {
                return self.call_own(&callees, vec![left, right], &ty);
            }
        }
        if matches!(
            it.op,
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
        ) {
            boolean()
        } else {
            Value::of(ty)
        }
    }

    /// A condition: its temporaries end with it.
    pub(super) fn condition(&mut self, expression: &Expr) {
        self.push(ScopeKind::Temporaries);
        let value = self.expression(expression);
        self.read(&value);
        self.hold(value);
        self.pop();
    }

    fn return_(&mut self, expression: Option<&Expr>) -> Value {
        self.push(ScopeKind::Temporaries);
        let value = expression.map_or_else(Value::unit, |it| self.operand(it));
        self.pop();
        if self.closure_depth > 0 {
            // Leaves the closure, not the function; what follows in the closure is walked all the same.
            return Value::unknown();
        }
        self.leave(0);
        self.emit(Effect::Return(Returned {
            place: value.place,
            tokens: value.tokens,
        }));
        self.dead = true;
        Value::unknown()
    }

    fn struct_(&mut self, it: &syn::ExprStruct) -> Value {
        let written = super::super::types::convert_path(&it.path, &self.function.generics);
        let ty = match self.resolved(&written) {
            Type::Own(path, arguments) if self.index.variants.contains_key(&path) => {
                let of: Name = path.rsplit_once("::").map_or("", |(it, _)| it).into();
                Type::Own(of, arguments)
            }
            ty => ty,
        };
        let owner: Name = match &ty {
            Type::Own(path, _) => path.clone(),
            _ => "".into(),
        };
        let mut fields = Vec::new();
        for field in &it.fields {
            let name = match &field.member {
                Member::Named(it) => plain(it),
                Member::Unnamed(it) => it.index.to_string(),
            };
            fields.push((name, self.operand(&field.expr)));
        }
        if let Some(rest) = &it.rest {
            self.operand(rest);
        }
        self.aggregate(ty, &owner, fields)
    }

    /// An object made here; what its fields refer to is remembered.
    pub(super) fn aggregate(
        &mut self,
        ty: Type,
        owner: &str,
        fields: Vec<(String, Value)>,
    ) -> Value {
        let place = self.local();
        let Root::Local(number) = place.root else {
            return Value::unknown();
        };
        let mut tokens = Vec::new();
        for (name, value) in fields {
            if let Some(to) = value.place.filter(|_| {
                !value.is_place
                    || !value.ty.is_copy()
                    || matches!(value.ty, Type::Reference(..) | Type::Pointer(_))
            }) {
                let step = self.index.names.field(owner, &name);
                self.trace.aliases.push((number, step, to));
            }
            tokens.extend(value.tokens);
        }
        Value::at(ty, Some(place)).owning(tokens)
    }

    pub(super) fn aggregate_tuple(&mut self, values: Vec<Value>) -> Value {
        let ty = Type::Tuple(values.iter().map(|it| it.ty.clone()).collect());
        let fields = values
            .into_iter()
            .enumerate()
            .map(|(n, value)| (n.to_string(), value))
            .collect();
        self.aggregate(ty, "", fields)
    }
}

fn literal(literal: &Lit) -> Value {
    let name = match literal {
        Lit::Str(_) => {
            return Value::of(Type::Reference(
                false,
                Box::new(Type::foreign("str", Vec::new())),
            ));
        }
        Lit::Bool(_) => "bool".to_string(),
        Lit::Char(_) => "char".to_string(),
        Lit::Int(it) if !it.suffix().is_empty() => it.suffix().to_string(),
        Lit::Float(_) => "f64".to_string(),
        Lit::ByteStr(_) | Lit::CStr(_) => {
            return Value::of(Type::Sequence(Box::new(Type::foreign("u8", Vec::new()))));
        }
        _ => "i32".to_string(),
    };
    Value::of(Type::foreign(&name, Vec::new()))
}

fn compound(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "add",
        BinOp::Sub(_) => "sub",
        BinOp::Mul(_) => "mul",
        BinOp::Div(_) => "div",
        BinOp::Rem(_) => "rem",
        BinOp::BitAnd(_) => "bitand",
        BinOp::BitOr(_) => "bitor",
        BinOp::BitXor(_) => "bitxor",
        BinOp::Shl(_) => "shl",
        BinOp::Shr(_) => "shr",
        BinOp::Eq(_) | BinOp::Ne(_) => "eq",
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => "partial_cmp",
        BinOp::AddAssign(_) => "add_assign",
        BinOp::SubAssign(_) => "sub_assign",
        BinOp::BitOrAssign(_) => "bitor_assign",
        BinOp::BitAndAssign(_) => "bitand_assign",
        _ => return None,
    })
}
