//! What is reported: a place, and what is done to it.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::visit_mut::VisitMut;

use super::cell::CellPlace;
use super::place::Place;

/// What an expression does to a place.
#[derive(Clone)]
pub(super) enum Access {
    Read,
    Write,
    Update,
    Method(String),
    Event,
}

impl Access {
    pub(super) fn of_pointer(writes: bool) -> Self {
        if writes { Self::Write } else { Self::Read }
    }
}

/// What is reported.
pub(super) enum Noted {
    Field(Place),
    Cell(Box<CellPlace>),
}

impl Noted {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Field(place) => place.span,
            Self::Cell(place) => place.span,
        }
    }

    /// What is behind a reference is not the field.
    pub(super) fn ends_in_reference(&self) -> bool {
        matches!(self, Self::Field(place) if place.ends_in_reference)
    }
}

/// Names that a pattern binds.
pub(super) struct Names(pub(super) BTreeSet<String>);

impl VisitMut for Names {
    fn visit_pat_ident_mut(&mut self, name: &mut syn::PatIdent) {
        self.0.insert(name.ident.to_string());
    }
}
