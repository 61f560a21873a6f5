//! Closures: walked where they are called, not where they are written.

use std::rc::Rc;

use super::super::effect::Effect;
use super::super::place::{Place, Root};
use super::super::types::Type;
use super::scopes::ScopeKind;
use super::{Value, Walker};

impl Walker<'_> {
    pub(super) fn closure(&mut self, closure: &syn::ExprClosure) -> Value {
        let number = u32::try_from(self.closures.len()).unwrap_or(0);
        self.closures.push(Rc::new(closure.clone()));
        Value::of(Type::Closure(number))
    }

    /// Walks a closure in place: it is called here, with these arguments.
    pub(super) fn call_closure(&mut self, number: u32, arguments: Vec<Value>) -> Value {
        if self.closures_walked.contains(&number) {
            self.inexact("has a closure that calls itself");
            return Value::unknown();
        }
        let Some(closure) = self.closures.get(number as usize).cloned() else {
            return Value::unknown();
        };
        self.closures_walked.push(number);
        self.closure_depth += 1;
        self.push(ScopeKind::Temporaries);
        self.push(ScopeKind::Block);
        let mut arguments = arguments.into_iter();
        for pattern in &closure.inputs {
            let mut value = arguments.next().unwrap_or_else(Value::unknown);
            if let syn::Pat::Type(it) = pattern
                && value.ty == Type::Unknown
            {
                value.ty = self.type_of(&it.ty);
            }
            self.bind(pattern, value);
        }
        let frames = std::mem::take(&mut self.frames);
        let dead = self.dead;
        let mut value = self.operand(&closure.body);
        self.frames = frames;
        self.take(&mut value);
        self.pop();
        self.pop();
        self.dead = dead;
        self.closure_depth -= 1;
        self.closures_walked.pop();
        value
    }

    /// Walks what may be called any number of times, or not at all.
    pub(super) fn call_closure_maybe(&mut self, number: u32, arguments: Vec<Value>) -> Value {
        let mut value = Value::unknown();
        let body = self.aside(|walker| value = walker.call_closure(number, arguments));
        if !body.is_empty() {
            self.emit(Effect::Branch(vec![body, Vec::new()]));
        }
        value
    }

    /// Writes a closure down as a body of its own, for functions of the package that call it.
    pub(super) fn closure_trace(&mut self, number: u32) -> u32 {
        let at = u32::try_from(self.trace.closures.len()).unwrap_or(0);
        self.trace.closures.push(Vec::new());
        let arguments = (0..4_u16)
            .map(|n| Value::at(Type::Unknown, Some(Place::of(Root::ClosureArgument(at, n)))))
            .collect();
        let scopes = self.scopes.clone();
        let body = self.aside(|walker| {
            walker.call_closure(number, arguments);
        });
        self.scopes = scopes;
        self.trace.closures[at as usize] = body;
        at
    }

    /// Calls whatever a value is: a closure, functions of the package. `None` if it is neither.
    pub(super) fn call_value(
        &mut self,
        value: &Value,
        arguments: Vec<Value>,
        surely: bool,
    ) -> Option<Value> {
        match &value.ty {
            Type::Closure(number) if surely => Some(self.call_closure(*number, arguments)),
            Type::Closure(number) => Some(self.call_closure_maybe(*number, arguments)),
            Type::Callable(output) => {
                let output = (**output).clone();
                self.call_parameter(value, arguments, output)
            }
            _ if !value.functions.is_empty() => {
                Some(self.call_own(&value.functions.clone(), arguments, &Type::Unknown))
            }
            _ => None,
        }
    }

    /// Calls a parameter of the function, or something callable that is stored.
    fn call_parameter(
        &mut self,
        value: &Value,
        arguments: Vec<Value>,
        output: Type,
    ) -> Option<Value> {
        match &value.place {
            Some(
                place @ Place {
                    root: Root::Parameter(number),
                    ..
                },
            ) if place.path().is_empty() => {
                let places = arguments
                    .iter()
                    .map(|it| if self.reaches(it) { it.place } else { None })
                    .collect();
                for argument in &arguments {
                    self.escape(argument);
                }
                let (parameter, line) = (*number, self.line);
                self.emit(Effect::CallParameter {
                    parameter,
                    arguments: places,
                    line,
                });
            }
            _ => {
                self.unknown("calls a stored closure or function".to_string(), &arguments);
            }
        }
        Some(Value::at(output, None))
    }
}
