//! A body in, its effects in the order of evaluation out.
//!
//! The walk knows Rust's scopes: which value is dropped where, in both editions. It is path-insensitive as far as it never asks which
//! way a condition goes, but it keeps ways apart, because a guard may be dropped on one of them only. What it does not understand
//! becomes [`Effect::Unknown`] or [`Effect::Inexact`] with the reason.

mod calls;
mod cell_methods;
mod closures;
mod container_methods;
mod control;
mod expressions;
mod foreign_calls;
mod known_methods;
mod lock_methods;
mod macros;
mod meeting_methods;
mod methods;
mod patterns;
mod places;
mod scopes;
mod statements;
mod wrapper_methods;

use std::collections::HashSet;
use std::rc::Rc;

use super::cfg_attributes::CfgSet;
use super::collect::Body;
use super::effect::{AccessKind, Effect, Returned, Token, Trace};
use super::index::{Function, Index, Receiver};
use super::macro_rules::MacroTable;
use super::place::{Place, Root};
use super::types::Type;
use scopes::{Scope, ScopeKind, Variable};

/// What an expression is worth.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Type,
    /// What it names, borrows or is a handle to.
    pub(super) place: Option<Place>,
    /// Guards it owns.
    pub(super) tokens: Vec<Token>,
    /// It is a place, not a temporary.
    pub(super) is_place: bool,
    /// The variable it names.
    pub(super) variable: Option<usize>,
    /// The functions of the package it is.
    pub(super) functions: Vec<u32>,
}

impl Value {
    /// A temporary of this type that refers to nothing.
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty,
            place: None,
            tokens: Vec::new(),
            is_place: false,
            variable: None,
            functions: Vec::new(),
        }
    }

    /// A temporary that refers to a place.
    pub(super) fn at(ty: Type, place: Option<Place>) -> Self {
        Self {
            place,
            ..Self::of(ty)
        }
    }

    pub(super) fn unknown() -> Self {
        Self::of(Type::Unknown)
    }

    pub(super) fn unit() -> Self {
        Self::of(Type::unit())
    }

    pub(super) fn owning(mut self, tokens: Vec<Token>) -> Self {
        self.tokens = tokens;
        self
    }
}

/// What all bodies of a package share.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) index: &'a Index,
    pub(crate) macros: &'a MacroTable,
    pub(crate) cfg: &'a CfgSet,
}

/// A loop or labelled block that is walked.
struct Frame {
    label: Option<String>,
    /// Scopes there were when it began.
    scopes: usize,
    is_loop: bool,
}

/// Expressions nested deeper are not walked.
const DEEPEST: usize = 120;
/// Effects one body may have; a body that grows larger by macros is not understood.
const MOST: usize = 60_000;

struct Walker<'a> {
    index: &'a Index,
    macros: &'a MacroTable,
    cfg: &'a CfgSet,
    function: &'a Function,
    edition_2024: bool,
    out: Vec<Effect>,
    trace: Trace,
    scopes: Vec<Scope>,
    variables: Vec<Variable>,
    frames: Vec<Frame>,
    closures: Vec<Rc<syn::ExprClosure>>,
    closures_walked: Vec<u32>,
    escaped: HashSet<u32>,
    next_token: Token,
    next_local: u32,
    next_call: u32,
    depth: usize,
    expansions: usize,
    count: usize,
    line: u32,
    /// Column of the method whose call is walked, counting from 1.
    column: u32,
    /// The code that is walked is never reached.
    dead: bool,
    /// Values that closures in progress return early.
    closure_depth: usize,
}

/// Walks the body of a function.
pub(crate) fn walk(surroundings: Surroundings<'_>, function: &Function, body: &Body) -> Trace {
    let mut walker = Walker {
        index: surroundings.index,
        macros: surroundings.macros,
        cfg: surroundings.cfg,
        function,
        edition_2024: surroundings.index.edition_2024,
        out: Vec::new(),
        trace: Trace::default(),
        scopes: Vec::new(),
        variables: Vec::new(),
        frames: Vec::new(),
        closures: Vec::new(),
        closures_walked: Vec::new(),
        escaped: HashSet::new(),
        next_token: 0,
        next_local: 0,
        next_call: 0,
        depth: 0,
        expansions: 0,
        count: 0,
        line: u32::try_from(function.lines.1).unwrap_or(0),
        column: 0,
        dead: false,
        closure_depth: 0,
    };
    let Some(block) = &body.block else {
        return walker.trace;
    };
    walker.body(block, &body.patterns);
    walker.trace.effects = std::mem::take(&mut walker.out);
    walker.trace
}

impl Walker<'_> {
    fn body(&mut self, block: &syn::Block, patterns: &[syn::Pat]) {
        if self.function.is_async {
            self.inexact("is async: what runs between its suspensions is not known");
        }
        if self.function.unsure {
            self.inexact("stands under a `cfg` that only the build script decides");
        }
        if let Some(attribute) = &self.function.attribute {
            let why = format!("the attribute `#[{attribute}]` may rewrite it");
            self.inexact(&why);
        }
        self.push(ScopeKind::Temporaries);
        self.push(ScopeKind::Block);
        let mut types = self.function.parameters.iter();
        let mut number = 0_u16;
        if self.function.receiver != Receiver::None {
            let ty = types.next().cloned().unwrap_or(Type::Unknown);
            let ty = match self.function.receiver {
                Receiver::Value if matches!(ty, Type::Itself | Type::Unknown) => self.self_type(),
                _ => ty,
            };
            let value = self.parameter(ty, number);
            self.declare("self", value);
            number += 1;
        }
        for (pattern, ty) in patterns.iter().zip(types) {
            let value = self.parameter(ty.clone(), number);
            self.bind(pattern, value);
            number += 1;
        }
        let mut value = self.block(block);
        self.take(&mut value);
        self.pop();
        self.pop();
        if !self.dead {
            let returned = Returned {
                place: value.place,
                tokens: value.tokens,
            };
            self.emit(Effect::Return(returned));
        }
    }

    fn parameter(&mut self, ty: Type, number: u16) -> Value {
        let ty = match ty {
            Type::Itself => self.self_type(),
            ty => ty,
        };
        Value::at(ty, Some(Place::of(Root::Parameter(number))))
    }

    fn self_type(&self) -> Type {
        self.function
            .self_type
            .clone()
            .or_else(|| {
                self.function
                    .trait_
                    .as_ref()
                    .map(|it| Type::Traits(vec![it.clone()]))
            })
            .unwrap_or(Type::Unknown)
    }

    fn emit(&mut self, effect: Effect) {
        self.count += 1;
        if self.dead || self.count > MOST {
            return;
        }
        if self.count == MOST {
            self.out.push(Effect::Inexact {
                why: "is too large".to_string(),
                line: self.line,
            });
            return;
        }
        self.out.push(effect);
    }

    fn inexact(&mut self, why: &str) {
        let line = self.line;
        self.emit(Effect::Inexact {
            why: why.to_string(),
            line,
        });
    }

    /// An access, if anybody else can see the place.
    fn access(&mut self, place: Option<&Place>, kind: AccessKind, always: bool) {
        if let Some(place) = place {
            if matches!(place.root, Root::Parameter(_))
                && place.path().is_empty()
                && !always
                && kind == AccessKind::Read
            {
                return;
            }
            let place = self.seen(place);
            let line = self.line;
            self.emit(Effect::Access {
                place,
                kind,
                always,
                line,
            });
        }
    }

    /// Reads a value that stands in a place.
    fn read(&mut self, value: &Value) {
        if value.is_place {
            self.access(value.place.as_ref(), AccessKind::Read, false);
        }
    }

    /// A place as others see it: an object of this function that was given away is some object of its type.
    fn seen(&self, place: &Place) -> Place {
        match place.root {
            Root::Local(number) if self.escaped.contains(&number) => {
                let owner = place
                    .path()
                    .iter()
                    .map(|it| self.index.names.of(*it).0)
                    .find(|it| !it.is_empty());
                let mut place = *place;
                place.root = Root::Unknown(self.index.names.path(owner.as_deref().unwrap_or("")));
                place
            }
            _ => *place,
        }
    }

    /// The value goes where others may find it.
    fn escape(&mut self, value: &Value) {
        if let Some(Place {
            root: Root::Local(number),
            ..
        }) = &value.place
            && (matches!(
                value.ty,
                Type::Reference(..) | Type::Pointer(_) | Type::Unknown
            ) || matches!(value.ty.last(), "Arc" | "Rc" | "Weak"))
        {
            self.escaped.insert(*number);
        }
    }

    fn token(&mut self) -> Token {
        self.next_token += 1;
        self.next_token
    }

    fn local(&mut self) -> Place {
        self.next_local += 1;
        Place::of(Root::Local(self.next_local))
    }

    /// True if what the value refers to may be shared and may change.
    fn reaches(&self, value: &Value) -> bool {
        let Some(place) = &value.place else {
            return false;
        };
        match &place.root {
            Root::Local(number) if !self.escaped.contains(number) => {
                return self
                    .trace
                    .aliases
                    .iter()
                    .any(|(it, _, to)| it == number && !matches!(to.root, Root::Local(_)));
            }
            _ => {}
        }
        place.is_inside() || self.index.may_change_while_shared(&value.ty)
    }

    /// Anything may happen through these values.
    fn unknown(&mut self, why: String, values: &[Value]) -> Value {
        let mut reaches = Vec::new();
        let mut closures = Vec::new();
        let mut callables = Vec::new();
        for value in values {
            match &value.ty {
                Type::Closure(number) => closures.push(self.closure_trace(*number)),
                Type::Callable(_) => {
                    if let Some(
                        place @ Place {
                            root: Root::Parameter(number),
                            ..
                        },
                    ) = &value.place
                        && place.path().is_empty()
                    {
                        callables.push(*number);
                    }
                }
                _ if self.reaches(value) => {
                    reaches.extend(value.place.as_ref().map(|it| self.seen(it)))
                }
                _ => {}
            }
            self.escape(value);
        }
        let tainted = !reaches.is_empty();
        let line = self.line;
        self.emit(Effect::Unknown {
            why,
            reaches,
            closures,
            callables,
            line,
        });
        Value::at(Type::Unknown, tainted.then(Place::anything))
    }

    /// An effect block of its own.
    fn aside(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<Effect> {
        let outer = std::mem::take(&mut self.out);
        walk(self);
        std::mem::replace(&mut self.out, outer)
    }

    /// Walks deeper, if that is not too deep already.
    fn deeper<T>(&mut self, otherwise: T, walk: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth > DEEPEST {
            self.inexact("is nested too deeply");
            return otherwise;
        }
        self.depth += 1;
        let value = walk(self);
        self.depth -= 1;
        value
    }

    /// A written type as it is here.
    fn type_of(&self, ty: &syn::Type) -> Type {
        let written = super::types::convert(ty, &self.function.generics);
        self.resolved(&written)
    }

    fn resolved(&self, ty: &Type) -> Type {
        let of_self = self.function.self_type.as_ref();
        self.index
            .resolve_type(&self.function.module, ty)
            .substitute(of_self, &[])
    }
}
