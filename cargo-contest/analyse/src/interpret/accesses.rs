//! What statements access, and what is unknown.

use super::super::held_locks::{protect, unprotect};
use super::super::mir::body::{Operand, PlaceExpression, Position, Projection, Value};
use super::super::place::Place;
use super::super::summary::{AccessKind, Mode};
use super::{Flow, Interpreter, is_local, is_shared};

impl Interpreter<'_> {
    pub(super) fn assign(
        &mut self,
        flow: &mut Flow,
        to: &PlaceExpression,
        value: &Value,
        position: Position,
    ) {
        match value {
            Value::Of(operands) => operands.iter().for_each(|it| self.read(flow, it, position)),
            Value::FromNumber(operand) => self.read(flow, operand, position),
            Value::Address(of) => self.follow(flow, of, position),
            Value::About(of) => self.access_place(flow, of, AccessKind::Read, position),
            Value::Aggregate(operands, _) => {
                operands
                    .iter()
                    .for_each(|(_, it)| self.read(flow, it, position));
            }
        }
        self.access_place(flow, to, AccessKind::Write, position);
        let moved: Vec<&Operand> = match value {
            Value::Of(operands) => operands.iter().collect(),
            Value::Aggregate(operands, _) => operands.iter().map(|(_, it)| it).collect(),
            _ => Vec::new(),
        };
        for operand in moved {
            if let Operand::Move(from) | Operand::Copy(from) = operand
                && from.is_stored_locally()
                && let Some(tokens) = flow.owners.remove(&from.local)
            {
                // Stored behind a pointer, a guard has no owner here: it is held from now on.
                if to.is_stored_locally() {
                    flow.owners.entry(to.local).or_default().extend(tokens);
                }
            }
        }
    }

    pub(super) fn read(&mut self, flow: &mut Flow, operand: &Operand, position: Position) {
        if let Operand::Copy(place) | Operand::Move(place) = operand {
            self.access_place(flow, place, AccessKind::Read, position);
        }
    }

    /// Pointers on the way to a place are read.
    pub(super) fn follow(&mut self, flow: &mut Flow, place: &PlaceExpression, position: Position) {
        let derefs = place.projections.iter().enumerate().skip(1);
        let ends: Vec<usize> = derefs
            .filter(|(_, it)| **it == Projection::Deref)
            .map(|(end, _)| end)
            .collect();
        for end in ends {
            let pointer = PlaceExpression {
                local: place.local,
                projections: place.projections[..end].to_vec(),
            };
            if !pointer.is_stored_locally() {
                self.access_all(
                    flow,
                    &self.bindings.places(&pointer),
                    AccessKind::Read,
                    false,
                    position,
                );
            }
        }
    }

    pub(super) fn access_place(
        &mut self,
        flow: &mut Flow,
        place: &PlaceExpression,
        kind: AccessKind,
        position: Position,
    ) {
        self.follow(flow, place, position);
        if !place.is_stored_locally() {
            self.access_all(flow, &self.bindings.places(place), kind, false, position);
        }
    }

    /// Accesses any of these places.
    pub(super) fn access_all(
        &mut self,
        flow: &mut Flow,
        places: &[Place],
        kind: AccessKind,
        always: bool,
        position: Position,
    ) {
        let at = self.at(position.line);
        for place in places {
            if is_local(place) {
                continue;
            }
            if *place == Place::anything() || (place.cut && place.root == Place::anything().root) {
                self.summary
                    .inexact("follows a raw pointer whose target is not known", at);
            }
            self.summary.access(*place, kind, always, at);
            protect(&mut flow.state, always || is_shared(place), &[]);
            let line = self.trace.lines.entry(position.line).or_default();
            line.reads |= kind.reads();
            line.writes |= kind.writes();
        }
    }

    /// Anything may happen to what the call is given; here the function itself is at fault.
    pub(super) fn unknown(&mut self, flow: &mut Flow, why: &str, position: Position) {
        let at = self.at(position.line);
        self.summary.inexact(why, at);
        for held in &flow.state.held {
            let held = (held.lock, held.mode);
            self.summary
                .pair(held, (Place::anything(), Mode::Exclusive), at);
        }
        unprotect(&mut flow.state);
    }
}
