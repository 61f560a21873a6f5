//! Methods of types of other crates: what kind of type it is decides which table is asked.

use super::super::known_types::{Kind, kind};
use super::super::place::Place;
use super::super::types::Type;
use super::{Value, Walker};

pub(super) type Known = Result<Value, Box<Value>>;

impl Walker<'_> {
    /// A method of a type that is known; `Err` gives the receiver back.
    pub(super) fn known_method(
        &mut self,
        at: Value,
        name: &str,
        arguments: &[Value],
        turbofish: Option<&Type>,
    ) -> Known {
        let Some(what) = kind(&at.ty) else {
            return Err(Box::new(at));
        };
        if let (Some(place), false) = (&at.place, matches!(what, Kind::Maybe | Kind::Container)) {
            let place = self.seen(place);
            self.trace.sites.push((self.line, self.column, place));
        }
        match what {
            Kind::Mutex | Kind::RwLock | Kind::Reentrant => self.lock_method(what, at, name),
            Kind::Condvar => self.condvar_method(at, name, arguments),
            Kind::Once | Kind::OnceCell => self.once_method(at, name, arguments),
            Kind::Atomic => self.atomic_method(at, name, arguments),
            Kind::Cell => self.cell_method(at, name, arguments),
            Kind::Sender
            | Kind::Receiver
            | Kind::Waiting
            | Kind::Thread
            | Kind::JoinHandle
            | Kind::Shared => self.meeting_method(what, at, name, arguments),
            Kind::Guard => Err(Box::new(at)),
            Kind::ThreadLocal => {
                let own = Value::at(
                    Type::Reference(false, Box::new(at.ty.argument(0))),
                    Some(Place::of(super::super::place::Root::Local(0))),
                );
                let mut result = Value::unknown();
                for value in arguments {
                    if let Some(value) = self.call_value(value, vec![own.clone()], true) {
                        result = value;
                    }
                }
                Ok(result)
            }
            Kind::Wrapper => self.wrapper_method(at, name),
            Kind::Maybe => self.maybe_method(at, name, arguments),
            Kind::Container => {
                let at = self.hold(at);
                match self.container_method(&at, name, arguments, turbofish) {
                    Some(value) => Ok(value),
                    None => Ok(Value::unknown()),
                }
            }
        }
    }
}
