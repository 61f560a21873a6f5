//! A function of a file of MIR. Its code is read when it is first needed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::body::{Block, Local, Operand, PlaceExpression, Position, Terminator};
use super::inside::{self, Inside, Source};
use super::ty::{Name, Type};

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// As written: `a::<impl at src/lib.rs:4:1: 4:20>::push`.
    pub(crate) path: Name,
    /// Types of its parameters.
    pub(crate) parameters: Vec<Type>,
    /// What it returns.
    pub(crate) output: Type,
    /// Its first parameter is `self`.
    pub(crate) has_self: bool,
    /// File as the compiler names it, and the first line that is known.
    pub(crate) file: Name,
    pub(crate) line: u32,
    /// A hash of its code that does not depend on where it stands.
    pub(crate) code: u64,
    /// Its code, once it has been read.
    pub(super) inside: OnceLock<Inside>,
    pub(super) source: Source,
}

impl Body {
    /// Its own name: `push`, `{closure#0}`.
    pub(crate) fn name(&self) -> &str {
        super::ty::last_segment(&self.path)
    }

    /// Types of all locals, by number.
    pub(crate) fn locals(&self) -> &[Type] {
        &self.inside().locals
    }

    /// Its code.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.inside().blocks
    }

    fn inside(&self) -> &Inside {
        self.inside.get_or_init(|| {
            let read = catch_unwind(AssertUnwindSafe(|| {
                inside::read(&self.source, &self.parameters)
            }));
            read.unwrap_or_else(|_| Inside {
                locals: Vec::new(),
                blocks: vec![Block {
                    statements: Vec::new(),
                    terminator: (
                        Terminator::Unknown(
                            "could not be read: a bug of this tool".to_owned(),
                            Vec::new(),
                        ),
                        Position::default(),
                    ),
                    cleanup: false,
                }],
            })
        })
    }

    pub(crate) fn local_type(&self, local: Local) -> &Type {
        const UNIT: &Type = &Type::Tuple(Vec::new());
        self.locals().get(local as usize).unwrap_or(UNIT)
    }

    /// Type of a place.
    pub(crate) fn type_of(&self, place: &PlaceExpression) -> Type {
        let start = self.local_type(place.local).clone();
        place
            .projections
            .iter()
            .fold(start, |ty, step| step.of(&ty))
    }

    /// Type of an operand; of a constant if the text says it.
    pub(crate) fn operand_type(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.type_of(place),
            Operand::Static(..) => Type::Opaque("".into()),
            Operand::Constant(ty) => ty.clone().unwrap_or(Type::Tuple(Vec::new())),
        }
    }
}
