//! Calls of functions: of the package, of closures, and of those of other crates that mean something.

use syn::Expr;
use syn::spanned::Spanned;

use super::super::effect::{AccessKind, Argument, Effect};
use super::super::known_types::{Kind, kind, protected};
use super::super::place::Place;
use super::super::resolve::Resolved;
use super::super::types::{Name, Type, convert_arguments, last_segment, plain};
use super::patterns::mentions_guard;
use super::scopes::ScopeKind;
use super::{Value, Walker};

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

    /// A function of another crate.
    fn call_foreign(&mut self, path: &str, generics: Vec<Type>, arguments: Vec<Value>) -> Value {
        let name = last_segment(path).to_string();
        let owner = path.rsplit_once("::").map_or("", |(it, _)| it);
        let owner_name = last_segment(owner).to_string();
        let first = arguments.first().cloned();
        match (owner_name.as_str(), name.as_str()) {
            (_, "drop") if matches!(owner_name.as_str(), "" | "mem") => {
                return self.drop_value(arguments);
            }
            (_, "forget") | ("ManuallyDrop", "new") => {
                let Some(value) = first else {
                    return Value::unit();
                };
                for token in &value.tokens {
                    self.emit(Effect::Forget(*token));
                }
                if !value.tokens.is_empty() {
                    self.inexact("keeps a lock by forgetting its guard");
                }
                return if name == "forget" {
                    Value::unit()
                } else {
                    Value {
                        tokens: Vec::new(),
                        ..value
                    }
                };
            }
            ("mem", "replace" | "swap" | "take") => {
                for value in arguments.iter().take(if name == "swap" { 2 } else { 1 }) {
                    self.access(value.place.as_ref(), AccessKind::Both, false);
                }
                let Some(value) = first else {
                    return Value::unknown();
                };
                for other in &arguments[1..] {
                    self.escape(other);
                }
                return Value {
                    is_place: false,
                    variable: None,
                    ty: value.ty.referent().clone(),
                    ..value
                };
            }
            (_, "Some" | "Ok" | "Err" | "Ready") => {
                let Some(value) = first else {
                    return Value::unknown();
                };
                let holder = if name == "Some" { "Option" } else { "Result" };
                let mut types = vec![value.ty.clone()];
                if name == "Err" {
                    types.insert(0, Type::Unknown);
                }
                return Value {
                    ty: Type::foreign(holder, types),
                    is_place: false,
                    ..value
                };
            }
            ("Arc" | "Rc", "clone" | "downgrade") => {
                let Some(value) = first else {
                    return Value::unknown();
                };
                return Value {
                    ty: value.ty.referent().clone(),
                    is_place: false,
                    variable: None,
                    ..value
                };
            }
            (
                "Arc" | "Rc" | "Weak",
                "ptr_eq" | "strong_count" | "weak_count" | "as_ptr" | "into_raw" | "from_raw",
            ) => {
                let ty = match (name.as_str(), &first) {
                    ("as_ptr" | "into_raw", Some(value)) => {
                        Type::Pointer(Box::new(value.ty.referent().argument(0)))
                    }
                    _ => Type::Unknown,
                };
                return Value::at(ty, first.and_then(|it| it.place));
            }
            (
                "Box" | "Arc" | "Rc" | "Pin" | "CachePadded" | "NonNull" | "Weak" | "Cow",
                "new" | "pin" | "from" | "new_unchecked" | "leak" | "from_raw" | "into_raw"
                | "into_inner" | "into_pin" | "try_unwrap" | "get_mut" | "as_mut" | "as_ref",
            ) => {
                let Some(value) = first else {
                    return Value::of(Type::foreign(owner, generics));
                };
                let ty = match name.as_str() {
                    "leak" => Type::Reference(true, Box::new(value.ty.argument(0))),
                    "into_raw" => Type::Pointer(Box::new(value.ty.argument(0))),
                    "from_raw" => match &value.ty {
                        Type::Pointer(to) => Type::foreign(owner, vec![(**to).clone()]),
                        _ => Type::foreign(owner, vec![Type::Unknown]),
                    },
                    "into_inner" => value.ty.argument(0),
                    "get_mut" | "as_mut" | "as_ref" | "try_unwrap" => {
                        Type::foreign("Option", vec![value.ty.referent().argument(0)])
                    }
                    _ => Type::foreign(owner, vec![value.ty.clone()]),
                };
                let made_here =
                    value.place.is_none() && matches!(name.as_str(), "new" | "pin" | "from");
                let place = if made_here {
                    Some(self.local())
                } else {
                    value.place
                };
                return Value {
                    ty,
                    place,
                    is_place: false,
                    variable: None,
                    ..value
                };
            }
            (_, "spawn" | "spawn_unchecked" | "spawn_blocking")
                if matches!(owner_name.as_str(), "thread" | "Builder" | "task") =>
            {
                return self.spawn(&arguments);
            }
            ("thread", "scope") => {
                for value in &arguments {
                    self.call_value(
                        value,
                        vec![Value::of(Type::foreign("std::thread::Scope", Vec::new()))],
                        true,
                    );
                }
                return Value::unknown();
            }
            ("thread", "park" | "park_timeout") => {
                self.wait_for(Some(&self.index.names.unknown("Thread")));
                return Value::unit();
            }
            ("thread", "current") => {
                return Value::at(
                    Type::foreign("std::thread::Thread", Vec::new()),
                    Some(self.index.names.unknown("Thread")),
                );
            }
            (
                "thread" | "hint",
                "sleep" | "yield_now" | "spin_loop" | "panicking" | "black_box",
            ) => return Value::of(Type::foreign("bool", Vec::new())),
            ("process", "exit" | "abort") | ("panic", "panic_any" | "resume_unwind") => {
                self.emit(Effect::Diverge);
                self.dead = true;
                return Value::unknown();
            }
            ("atomic", "fence" | "compiler_fence") => return Value::unit(),
            ("from_fn" | "panic", "catch_unwind") => {}
            _ => {}
        }
        // `Mutex::lock(&m)`, `MutexGuard::map(g, f)`, `Iterator::next(&mut it)`.
        let owner_type = Type::foreign(owner, generics.clone());
        if let Some(first) = first.clone() {
            match kind(&owner_type) {
                Some(Kind::Guard) => {
                    return self.guard_function(
                        &name,
                        first,
                        arguments.into_iter().skip(1).collect(),
                    );
                }
                Some(_) if !is_constructor(&name) => {
                    return self.method_on(
                        first,
                        &name,
                        arguments.into_iter().skip(1).collect(),
                        None,
                    );
                }
                None if owner_name.starts_with(char::is_uppercase) && !is_constructor(&name) => {
                    return self.method_on(
                        first,
                        &name,
                        arguments.into_iter().skip(1).collect(),
                        None,
                    );
                }
                _ => {}
            }
        }
        if owner_name.starts_with(char::is_uppercase)
            || matches!(owner_name.as_str(), "mpsc" | "channel")
        {
            return self.made_elsewhere(owner, &name, generics, arguments);
        }
        self.other_function(path, arguments)
    }

    /// A value of a type of another crate is made.
    fn made_elsewhere(
        &mut self,
        owner: &str,
        name: &str,
        mut generics: Vec<Type>,
        arguments: Vec<Value>,
    ) -> Value {
        let holder = Type::foreign(owner, Vec::new());
        let holds = matches!(
            kind(&holder),
            Some(
                Kind::Mutex
                    | Kind::RwLock
                    | Kind::Reentrant
                    | Kind::Cell
                    | Kind::OnceCell
                    | Kind::Atomic
                    | Kind::Wrapper
            )
        );
        if holds && generics.is_empty() {
            generics.extend(arguments.first().map(|it| it.ty.clone()));
        }
        let mut tokens = Vec::new();
        let mut reaching = Vec::new();
        for value in arguments {
            tokens.extend(value.tokens.iter().copied());
            if matches!(value.ty, Type::Closure(_) | Type::Callable(_)) || self.reaches(&value) {
                reaching.push(value);
            }
        }
        let place = self.local();
        if is_std(owner) || kind(&holder).is_some() {
            let inside = reaching.iter().find_map(|it| it.place);
            for value in &reaching {
                self.call_value(value, Vec::new(), false);
            }
            return Value::at(Type::foreign(owner, generics), inside.or(Some(place)))
                .owning(tokens);
        }
        let ty = Type::foreign(owner, generics);
        if reaching.is_empty() {
            return Value::at(ty, Some(place)).owning(tokens);
        }
        let value = self.unknown(
            format!("calls `{}::{name}` of another crate", last_segment(owner)),
            &reaching,
        );
        Value { ty, ..value }.owning(tokens)
    }

    /// A free function of another crate.
    fn other_function(&mut self, path: &str, arguments: Vec<Value>) -> Value {
        let mut reaching = Vec::new();
        let mut tokens = Vec::new();
        for value in &arguments {
            tokens.extend(value.tokens.iter().copied());
            if matches!(value.ty, Type::Closure(_) | Type::Callable(_))
                || !value.functions.is_empty()
                || self.reaches(value)
            {
                reaching.push(value.clone());
            }
        }
        let place = reaching.iter().find_map(|it| it.place);
        let value = if is_std(path) {
            for value in &reaching {
                if self.call_value(value, Vec::new(), false).is_none() {
                    self.access(value.place.as_ref(), AccessKind::Both, false);
                }
                self.escape(value);
            }
            Value::at(Type::Unknown, place)
        } else if reaching.is_empty() {
            Value::unknown()
        } else {
            self.unknown(format!("calls `{path}` of another crate"), &reaching)
        };
        for token in tokens {
            self.emit(Effect::Drop(token));
        }
        value
    }

    fn drop_value(&mut self, arguments: Vec<Value>) -> Value {
        // `operand` has moved them already: what they own ends here.
        self.push(ScopeKind::Temporaries);
        for value in arguments {
            self.hold(Value {
                is_place: false,
                variable: None,
                ..value
            });
        }
        self.pop();
        Value::unit()
    }

    /// Associated functions of guards: `MutexGuard::map(guard, …)`.
    fn guard_function(&mut self, name: &str, guard: Value, rest: Vec<Value>) -> Value {
        match name {
            "map" | "try_map" | "filter_map" | "map_split" => {
                let of = protected(&guard.ty);
                let mut inner = Value::at(Type::Reference(true, Box::new(of)), guard.place);
                for value in &rest {
                    if let Some(result) = self.call_value(value, vec![inner.clone()], true) {
                        inner = result;
                    }
                }
                let of = inner.ty.referent().clone();
                Value::at(
                    super::super::known_types::guard(of),
                    inner.place.or(guard.place),
                )
                .owning(guard.tokens)
            }
            "downgrade" | "downgrade_to_upgradable" | "upgrade" | "with_upgraded" | "leak" => {
                if name != "downgrade" {
                    self.inexact("changes how a lock is held");
                }
                guard
            }
            "unlock_fair" | "unlock" => {
                for token in guard.tokens {
                    self.emit(Effect::Drop(token));
                }
                Value::unit()
            }
            "unlocked" | "unlocked_fair" | "bump" => {
                // Given back and taken again: what was read before may have changed.
                let tokens = self.guards_of(&guard);
                let condvar = guard.place.unwrap_or_else(Place::anything);
                let line = self.line;
                self.emit(Effect::Wait {
                    condvar,
                    tokens,
                    line,
                });
                for value in &rest {
                    self.call_value(value, Vec::new(), true);
                }
                Value::unit()
            }
            _ => self.method_on(guard, name, rest, None),
        }
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

fn is_constructor(name: &str) -> bool {
    name == "new"
        || name.starts_with("with_")
        || matches!(
            name,
            "default"
                | "from"
                | "const_new"
                | "from_iter"
                | "bounded"
                | "unbounded"
                | "channel"
                | "sync_channel"
                | "null"
                | "null_mut"
                | "empty"
                | "once"
        )
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
