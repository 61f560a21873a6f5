//! Methods of what threads meet at: channels, barriers, threads, shared queues and maps.

use super::super::effect::AccessKind;
use super::super::known_types::Kind;
use super::super::types::Type;
use super::container_methods::LOOKING;
use super::known_methods::Known;
use super::{Value, Walker};

impl Walker<'_> {
    /// Channels, barriers, threads, shared containers.
    pub(super) fn meeting_method(
        &mut self,
        what: Kind,
        at: Value,
        name: &str,
        arguments: &[Value],
    ) -> Known {
        let place = at.place.or_else(|| {
            matches!(what, Kind::Thread | Kind::JoinHandle)
                .then(|| self.index.names.unknown(at.ty.last()))
        });
        for value in arguments {
            self.escape(value);
            self.call_value(value, Vec::new(), false);
        }
        let ty = at.ty.clone();
        let item = ty.argument(0);
        let unbounded = matches!(&ty, Type::Foreign(path, _) if path.starts_with("std::") && path.ends_with("::Sender"))
            || ty.last().starts_with("Unbounded");
        self.hold(at);
        if name == "clone" {
            return Ok(Value::at(ty, place));
        }
        match what {
            Kind::Sender => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try") && name.contains("send") && !unbounded,
                );
                Ok(Value::of(Type::foreign("Result", vec![Type::unit()])))
            }
            Kind::Receiver => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try") && name != "len" && name != "is_empty",
                );
                let ty = match name {
                    "iter" | "try_iter" | "into_iter" => Type::foreign("Iter", vec![item]),
                    _ => Type::foreign("Result", vec![item]),
                };
                Ok(Value::of(ty))
            }
            Kind::Waiting => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try")
                        && !name.starts_with("add")
                        && !name.starts_with("notify")
                        && !name.contains("permits"),
                );
                Ok(Value::unknown())
            }
            Kind::Thread => {
                if name == "unpark" {
                    self.access(place.as_ref(), AccessKind::Write, true);
                }
                Ok(Value::unknown())
            }
            Kind::JoinHandle => {
                match name {
                    "join" => self.wait_for(place.as_ref()),
                    "thread" => {
                        return Ok(Value::at(
                            Type::foreign("std::thread::Thread", Vec::new()),
                            Some(self.index.names.unknown("Thread")),
                        ));
                    }
                    _ => self.access(place.as_ref(), AccessKind::Read, true),
                }
                Ok(Value::of(Type::foreign("Result", vec![item])))
            }
            _ => {
                let looks = LOOKING.contains(&name) || name == "is_full";
                self.access(
                    place.as_ref(),
                    if looks {
                        AccessKind::Read
                    } else {
                        AccessKind::Both
                    },
                    true,
                );
                if matches!(ty.last(), "DashMap" | "DashSet") {
                    self.inexact(&format!(
                        "calls `{}::{name}`, which holds a lock inside",
                        ty.last()
                    ));
                }
                Ok(Value::at(
                    Type::foreign("Option", vec![item]),
                    place.map(|it| it.element()),
                ))
            }
        }
    }
}
