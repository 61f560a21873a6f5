//! What assignments add to what locals refer to.

use super::super::mir::body::{AggregateKind, Operand, PlaceExpression, Value};
use super::super::mir::ty::{Name, is_std, last_segment};
use super::super::place::{Place, Root, Step};
use super::{Bindings, Places, add, is_closure};

impl Bindings<'_> {
    pub(super) fn assign(&mut self, to: &PlaceExpression, value: &Value) {
        match value {
            Value::Of(operands) => {
                let ty = self.type_of(to);
                if self.program.carries(self.krate(), &ty) {
                    let from: Vec<Places> = operands.iter().map(|it| self.operand(it)).collect();
                    self.store(to, &from.concat());
                }
            }
            Value::FromNumber(_) => {
                let ty = self.type_of(to);
                let name = self.program.name_of(self.krate(), &ty);
                self.store(to, &[self.program.names.unknown(&name)]);
            }
            Value::Address(of) => {
                let places = self.places(of);
                self.store(to, &places);
            }
            Value::About(_) => {}
            Value::Aggregate(operands, kind) => self.aggregate(to, operands, kind),
        }
    }

    pub(super) fn aggregate(
        &mut self,
        to: &PlaceExpression,
        operands: &[(Option<Name>, Operand)],
        kind: &AggregateKind,
    ) {
        let ty = self.type_of(to);
        if !self.program.carries(self.krate(), &ty) {
            return;
        }
        let wrapper = matches!(kind, AggregateKind::Declared(path) if is_std(path));
        let object = self.base_object(to);
        for (number, (_, operand)) in (0_u32..).zip(operands) {
            let from = self.operand(operand);
            if from.is_empty() {
                continue;
            }
            let step = match kind {
                AggregateKind::Array => Some(Step::ELEMENT),
                AggregateKind::Declared(path) => {
                    let variant = last_segment(path);
                    self.program.field(self.krate(), &ty, Some(variant), number)
                }
                _ => self.program.field(self.krate(), &ty, None, number),
            };
            match (object, step) {
                (Some(object), Some(step)) if !wrapper => self.put((object, step), &from),
                _ => self.store(to, &from),
            }
        }
        if let Some(object) = object
            && !wrapper
        {
            self.store(to, &[Place::of(Root::Local(object))]);
        }
    }

    /// The object that stands in a local.
    pub(super) fn base_object(&self, to: &PlaceExpression) -> Option<u32> {
        to.projections.is_empty().then_some(to.local)
    }

    pub(super) fn put(&mut self, field: (u32, Step), places: &[Place]) {
        let list = self.fields.entry(field).or_default();
        self.changed |= add(list, places);
    }

    /// Something is stored in a place.
    pub(super) fn store(&mut self, to: &PlaceExpression, from: &[Place]) {
        if from.is_empty() {
            return;
        }
        if to.projections.is_empty() {
            if let Some(list) = self.locals.get_mut(to.local as usize) {
                self.changed |= add(list, from);
            }
            return;
        }
        for place in self.places(to) {
            match (place.root, place.path()) {
                (Root::Local(object), [step]) if !self.escaped.contains(&object) => {
                    self.put((object, *step), from);
                }
                (Root::Local(object), []) if !self.escaped.contains(&object) => {
                    if let Some(list) = self.locals.get_mut(object as usize) {
                        self.changed |= add(list, from);
                    }
                }
                _ => self.escape(from),
            }
        }
    }

    /// Others may find these objects from now on.
    pub(super) fn escape(&mut self, places: &[Place]) {
        for place in places {
            if let Root::Local(local) = place.root
                && local != 0
                && !is_closure(self.local_type(local))
            {
                self.changed |= self.escaped.insert(local);
            }
        }
    }
}
