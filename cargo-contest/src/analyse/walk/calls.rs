//! Calls of functions: of the package, of closures, and of those of other crates that mean something.

use syn::Expr;
use syn::spanned::Spanned;

use super::super::effect::{AccessKind, Argument, Effect};
use super::super::method_summary::OF_ANOTHER_LANGUAGE;
use super::super::place::Place;
use super::super::resolve::Resolved;
use super::super::types::{Name, Type, convert_arguments, last_segment, plain};
use super::patterns::mentions_guard;
use super::{Value, Walker};

/// Functions of C that the driver has an own version of, or that do nothing to threads.
const SEEN_BY_THE_ENGINE: &[&str] = &[
    "clock_gettime",
    "gettimeofday",
    "time",
    "getrandom",
    "nanosleep",
    "clock_nanosleep",
    "syscall",
    "getpid",
    "sysconf",
    "mmap",
    "munmap",
    "mprotect",
    "madvise",
];

impl Walker<'_> {
    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Value {
        let callee = match &*call.func {
            Expr::Paren(it) => &it.expr,
            _ => &call.func,
        };
        let Expr::Path(path) = &**callee else {
            let value = self.expression(callee);
            let arguments = self.arguments(&call.args);
            return match self.call_value(&value, arguments.clone(), true) {
                Some(value) => value,
                None => self.unknown("calls something that is not known".to_string(), &arguments),
            };
        };
        if let Some(name) = path.path.get_ident()
            && self.variable(&plain(name)).is_some()
        {
            let value = self.expression(callee);
            let arguments = self.arguments(&call.args);
            self.at_line(path.span());
            return match self.call_value(&value, arguments.clone(), true) {
                Some(value) => value,
                None => self.unknown(format!("calls `{name}`, which is not known"), &arguments),
            };
        }
        let arguments = self.arguments(&call.args);
        self.at_line(path.span());
        self.call_path(path, arguments)
    }

    pub(super) fn arguments(
        &mut self,
        arguments: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
    ) -> Vec<Value> {
        arguments.iter().map(|it| self.operand(it)).collect()
    }

    fn call_path(&mut self, path: &syn::ExprPath, arguments: Vec<Value>) -> Value {
        let segments: Vec<Name> = path
            .path
            .segments
            .iter()
            .map(|it| plain(&it.ident).into())
            .collect();
        let name = segments.last().cloned().unwrap_or_else(|| "".into());
        if let Some(qself) = &path.qself {
            let ty = self.type_of(&qself.ty);
            return self.associated(&ty, &name, arguments);
        }
        if &*segments[0] == "Self" && segments.len() <= 2 {
            let ty = self.self_type();
            return if segments.len() == 1 {
                self.construct(ty, arguments)
            } else {
                self.associated(&ty, &name, arguments)
            };
        }
        if segments.len() == 2 && self.function.generics.names.contains(&segments[0]) {
            return self.associated(&Type::Parameter(segments[0].clone()), &name, arguments);
        }
        match self.index.resolve(&self.function.module, &segments) {
            Some(Resolved::Own(own)) => {
                if let Some(callees) = self.index.free.get(&own).cloned() {
                    return self.call_own(&callees, arguments, &Type::Unknown);
                }
                if self.index.of_other_languages.contains(&own) {
                    return self.of_other_language(&own, &arguments);
                }
                if self.index.structs.contains_key(&own) {
                    let generics = path
                        .path
                        .segments
                        .last()
                        .map(|it| convert_arguments(&it.arguments, &self.function.generics))
                        .unwrap_or_default();
                    return self.construct(Type::Own(own, generics), arguments);
                }
                if self.index.variants.contains_key(&own) {
                    return self.construct(Type::Own(own, Vec::new()), arguments);
                }
                let Some((owner, _)) = own.rsplit_once("::") else {
                    return self.unknown(format!("calls `{own}`, which is not known"), &arguments);
                };
                // `Alias::new()`: the type behind the alias.
                let generics = type_arguments(&path.path, &self.function.generics);
                let ty = self
                    .index
                    .resolve_type(&self.function.module, &Type::Own(owner.into(), generics));
                let ty = match self.index.aliases.get(owner) {
                    Some((_, of, to)) => self.index.resolve_type(of, to),
                    None => ty,
                };
                self.associated(&ty, &name, arguments)
            }
            // A crate of declarations only, as good as an `extern` block.
            Some(Resolved::Foreign(foreign)) if foreign.starts_with("libc::") => {
                self.of_other_language(&foreign, &arguments)
            }
            Some(Resolved::Foreign(foreign)) => {
                let generics = type_arguments(&path.path, &self.function.generics)
                    .iter()
                    .map(|it| self.resolved(it))
                    .collect();
                self.call_foreign(&foreign, generics, arguments)
            }
            _ => self.unknown(
                format!("calls `{}`, which is not found", join(&segments)),
                &arguments,
            ),
        }
    }

    /// It may reach what no argument leads to: a C library has statics, locks and threads of its own.
    fn of_other_language(&mut self, name: &str, arguments: &[Value]) -> Value {
        let why = if SEEN_BY_THE_ENGINE.contains(&last_segment(name)) {
            format!("calls `{name}`, a function of the system")
        } else {
            format!("calls `{name}`{OF_ANOTHER_LANGUAGE}")
        };
        self.unknown(why, arguments)
    }

    /// `Type::name(…)`.
    fn associated(&mut self, ty: &Type, name: &str, arguments: Vec<Value>) -> Value {
        match ty {
            Type::Own(path, _) => {
                let callees = self.index.methods_of(path, name);
                if !callees.is_empty() {
                    return self.call_own(&callees, arguments, ty);
                }
                let variant: Name = format!("{path}::{name}").into();
                if self.index.variants.contains_key(&variant) {
                    return self.construct(Type::Own(variant, Vec::new()), arguments);
                }
                let of_trait = self.index.methods_of_trait(path, name);
                if !of_trait.is_empty() {
                    if let Some(Type::Own(own, _)) = arguments.first().map(|it| it.ty.referent()) {
                        let callees = self.index.methods_of(own, name);
                        if !callees.is_empty() {
                            return self.call_own(&callees, arguments, ty);
                        }
                    }
                    return self.call_trait(path, name, arguments);
                }
                match (name, arguments.first()) {
                    // Derived, or of a trait of std: nothing but a new value.
                    (
                        "default" | "new" | "from" | "clone" | "into" | "try_from" | "from_iter"
                        | "hash" | "eq" | "fmt" | "cmp" | "partial_cmp",
                        _,
                    ) => {
                        for argument in &arguments {
                            self.access(argument.place.as_ref(), AccessKind::Read, false);
                        }
                        let place = (name != "default" && name != "new")
                            .then(|| arguments.first().and_then(|it| it.place))
                            .flatten();
                        Value::at(ty.clone(), place)
                    }
                    // By `Deref` to something of another crate.
                    (_, Some(first)) => {
                        let first = first.clone();
                        self.method_on(first, name, arguments.into_iter().skip(1).collect(), None)
                    }
                    _ => self.unknown(
                        format!("calls `{}::{name}`, which is not found", ty.last()),
                        &arguments,
                    ),
                }
            }
            Type::Foreign(path, generics) => {
                let path = format!("{path}::{name}");
                self.call_foreign(&path, generics.clone(), arguments)
            }
            Type::Parameter(_) | Type::Traits(_) => match arguments.first() {
                Some(first)
                    if matches!(first.ty.referent(), Type::Parameter(_) | Type::Traits(_)) =>
                {
                    let first = first.clone();
                    self.method_on(first, name, arguments.into_iter().skip(1).collect(), None)
                }
                _ => self.call_bounds(ty, name, arguments),
            },
            _ => match arguments.first() {
                Some(first) => {
                    let first = first.clone();
                    self.method_on(first, name, arguments.into_iter().skip(1).collect(), None)
                }
                None => Value::unknown(),
            },
        }
    }

    /// A function of a type parameter: of the traits it is bound by.
    pub(super) fn call_bounds(&mut self, ty: &Type, name: &str, arguments: Vec<Value>) -> Value {
        let bounds: Vec<Type> = match ty {
            Type::Parameter(parameter) => self
                .function
                .generics
                .bounds
                .iter()
                .filter(|(it, _)| it == parameter)
                .map(|(_, bound)| bound.clone())
                .collect(),
            Type::Traits(traits) => traits.clone(),
            _ => Vec::new(),
        };
        for bound in &bounds {
            if let Type::Own(path, _) = self.resolved(bound)
                && self
                    .index
                    .trait_methods
                    .contains_key(&(path.clone(), name.into()))
            {
                return self.call_trait(&path, name, arguments);
            }
        }
        // A method of a supertrait, of an extension, or of a type of the package that stands for the parameter.
        let own = bounds
            .iter()
            .find(|it| matches!(self.resolved(it), Type::Own(..)));
        if own.is_some() && !super::methods::UNIVERSAL.contains(&name) {
            let callees: Vec<u32> = self
                .index
                .by_name
                .get(name)
                .into_iter()
                .flatten()
                .copied()
                .filter(|it| {
                    let function = &self.index.functions[*it as usize];
                    function.trait_.is_some() && function.has_body
                })
                .collect();
            let value = self.unknown(
                format!("calls `{name}` of a type parameter, by a trait that does not declare it"),
                &arguments,
            );
            if callees.is_empty() {
                return value;
            }
            return self.call_own(&callees, arguments, &Type::Unknown);
        }
        if bounds
            .iter()
            .any(|it| matches!(self.resolved(it), Type::Foreign(path, _) if !is_std(&path)))
        {
            return self.unknown(
                format!("calls `{name}` of a trait of another crate"),
                &arguments,
            );
        }
        // A trait of std on a plain type: the driver chooses numbers and strings for type parameters.
        for argument in &arguments {
            self.access(argument.place.as_ref(), AccessKind::Read, false);
        }
        Value::unknown()
    }

    /// A method of a trait of the package: any of its impls; if it is public, any other as well.
    fn call_trait(&mut self, path: &Name, name: &str, arguments: Vec<Value>) -> Value {
        let callees = self.index.methods_of_trait(path, name);
        let public = self.index.traits.get(path).copied().unwrap_or(true);
        if public || callees.is_empty() {
            self.unknown(
                format!(
                    "calls `{name}` of the trait `{}`, which others may implement",
                    last_segment(path)
                ),
                &arguments,
            );
        }
        if callees.is_empty() {
            return Value::unknown();
        }
        self.call_own(&callees, arguments, &Type::Unknown)
    }

    /// A tuple struct or a tuple variant.
    fn construct(&mut self, ty: Type, arguments: Vec<Value>) -> Value {
        let Type::Own(path, generics) = ty else {
            return Value::at(ty, arguments.into_iter().next().and_then(|it| it.place));
        };
        let fields = arguments
            .into_iter()
            .enumerate()
            .map(|(n, value)| (n.to_string(), value))
            .collect();
        let of = if self.index.variants.contains_key(&path) {
            Type::Own(
                path.rsplit_once("::").map_or("", |(it, _)| it).into(),
                generics,
            )
        } else {
            Type::Own(path.clone(), generics)
        };
        self.aggregate(of, &path, fields)
    }

    /// Calls functions of the package; the object is the first argument, if there is one.
    pub(super) fn call_own(&mut self, callees: &[u32], arguments: Vec<Value>, of: &Type) -> Value {
        self.next_call += 1;
        let number = self.next_call;
        let token = self.token();
        let mut passed = Vec::new();
        let mut given = Vec::new();
        for value in &arguments {
            let mut argument = Argument {
                place: value.place.as_ref().map(|it| self.seen(it)),
                ..Argument::default()
            };
            match &value.ty {
                Type::Closure(closure) => argument.closure = Some(self.closure_trace(*closure)),
                Type::Callable(_) => {
                    if let Some(
                        place @ Place {
                            root: super::super::place::Root::Parameter(parameter),
                            ..
                        },
                    ) = &value.place
                        && place.path().is_empty()
                    {
                        argument.callable = Some(*parameter);
                    }
                }
                _ => {}
            }
            given.extend(value.tokens.iter().copied());
            passed.push(argument);
        }
        let line = self.line;
        self.emit(Effect::Call {
            number,
            callees: callees.to_vec(),
            arguments: passed,
            token,
            line,
        });
        for value in &arguments {
            self.escape(value);
        }
        let output = callees
            .first()
            .map_or(Type::Unknown, |it| self.output_of(*it, of, &arguments));
        let mut tokens = Vec::new();
        if self.index.may_hold_guard(&output) {
            tokens.push(token);
        } else {
            self.emit(Effect::Drop(token));
        }
        if mentions_guard(&output) || (!given.is_empty() && matches!(output, Type::Own(..))) {
            tokens.extend(given);
        } else {
            for token in given {
                self.emit(Effect::Drop(token));
            }
        }
        if output == Type::foreign("!", Vec::new()) {
            self.emit(Effect::Diverge);
            self.dead = true;
        }
        let place = Place::of(super::super::place::Root::Result(number));
        Value::at(output, Some(place)).owning(tokens)
    }

    fn output_of(&self, callee: u32, of: &Type, arguments: &[Value]) -> Type {
        let function = &self.index.functions[callee as usize];
        let of = match of {
            Type::Own(..) => of.clone(),
            _ => function.self_type.clone().unwrap_or(Type::Unknown),
        };
        let mut by: Vec<(Name, Type)> = Vec::new();
        if let (Some(Type::Own(_, names)), Type::Own(_, types)) = (&function.self_type, &of) {
            for (name, ty) in names.iter().zip(types) {
                match_type(name, ty, &mut by);
            }
        }
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match_type(parameter, &argument.ty, &mut by);
        }
        function.output.substitute(Some(&of), &by)
    }

    /// Starts a thread.
    pub(super) fn spawn(&mut self, arguments: &[Value]) -> Value {
        let body = self.aside(|walker| {
            for value in arguments {
                walker.escape(value);
                walker.call_value(value, Vec::new(), true);
            }
        });
        self.emit(Effect::Spawn(body));
        Value::at(
            Type::foreign("std::thread::JoinHandle", vec![Type::Unknown]),
            Some(self.index.names.unknown("JoinHandle")),
        )
    }

    /// Waits at something.
    pub(super) fn wait_for(&mut self, place: Option<&Place>) {
        if let Some(place) = place {
            let (object, line) = (self.seen(place), self.line);
            self.emit(Effect::Block { object, line });
            self.access(Some(&object), AccessKind::Both, true);
        }
    }

    /// Sends or receives.
    pub(super) fn channel(&mut self, place: Option<&Place>, blocks: bool) {
        if blocks {
            self.wait_for(place);
        } else {
            self.access(place, AccessKind::Both, true);
        }
    }
}

/// Learns what parameters stand for.
fn match_type(parameter: &Type, argument: &Type, by: &mut Vec<(Name, Type)>) {
    match (parameter, argument) {
        (Type::Parameter(name), ty)
            if !by.iter().any(|(it, _)| it == name) && *ty != Type::Unknown =>
        {
            by.push((name.clone(), ty.clone()));
        }
        (Type::Reference(_, a), Type::Reference(_, b))
        | (Type::Pointer(a), Type::Pointer(b))
        | (Type::Sequence(a), Type::Sequence(b)) => {
            match_type(a, b, by);
        }
        (Type::Own(a, types), Type::Own(b, others))
        | (Type::Foreign(a, types), Type::Foreign(b, others))
            if last_segment(a) == last_segment(b) =>
        {
            for (ty, other) in types.iter().zip(others) {
                match_type(ty, other, by);
            }
        }
        _ => {}
    }
}

/// Type arguments of the last but one segment, or of the last: `Mutex::<u32>::new`.
fn type_arguments(path: &syn::Path, generics: &super::super::types::Generics) -> Vec<Type> {
    path.segments
        .iter()
        .rev()
        .skip(1)
        .take(1)
        .flat_map(|it| convert_arguments(&it.arguments, generics))
        .collect()
}

/// True for functions of the standard library: they know nothing of the package but what they are given.
pub(super) fn is_std(path: &str) -> bool {
    let first = path.split("::").next().unwrap_or(path);
    matches!(first, "std" | "core" | "alloc")
        || !path.contains("::")
        || first.starts_with(char::is_uppercase)
        || super::super::types::is_primitive(first)
}

fn join(segments: &[Name]) -> String {
    let parts: Vec<&str> = segments.iter().map(|it| &**it).collect();
    parts.join("::")
}
