//! Locks taken, guards dropped.

use super::super::held_locks::{Held, hold, renew};
use super::super::mir::body::{PlaceExpression, Position};
use super::super::place::Place;
use super::super::summary::Mode;
use super::{Flow, Interpreter, is_local};

impl Interpreter<'_> {
    /// Takes locks: any of these, the same one every time if there is only one.
    pub(super) fn acquire(
        &mut self,
        flow: &mut Flow,
        locks: &[Place],
        mode: Mode,
        blocking: bool,
        owner: &PlaceExpression,
        position: Position,
    ) {
        let at = self.at(position.line);
        let token = self.block;
        renew(&mut flow.state, token);
        let known: Vec<Place> = locks.iter().copied().filter(|it| !is_local(it)).collect();
        for lock in &known {
            self.trace.lines.entry(position.line).or_default().locks = true;
            self.trace.sites.insert((position, *lock));
            if blocking {
                for held in &flow.state.held {
                    self.summary.pair((held.lock, held.mode), (*lock, mode), at);
                }
            }
            self.summary.acquire(*lock, mode, blocking, at);
        }
        for lock in &known {
            let held = Held {
                lock: *lock,
                mode,
                token,
                acquisitions: vec![token],
                surely: blocking && locks.len() == 1,
            };
            if !hold(&mut flow.state, held) {
                self.summary
                    .inexact("holds more locks than are followed", at);
            }
        }
        if owner.is_stored_locally() {
            flow.owners.entry(owner.local).or_default().insert(token);
        }
    }

    /// Drops what stands in a place: its guards, and what its type runs.
    pub(super) fn drop_place(
        &mut self,
        flow: &mut Flow,
        place: &PlaceExpression,
        position: Position,
    ) {
        let ty = self.bindings.type_of(place);
        let places = self.bindings.places(place);
        for (path, drop) in self.program.drop_calls(self.function.krate, &ty).iter() {
            let objects = places.iter().map(|it| it.join(path, false)).collect();
            self.call_functions(flow, &[*drop], &[(objects, ty.clone())], None, position);
        }
        if place.is_stored_locally() {
            self.release(flow, place.local);
        }
    }

    /// Drops the guards that a local owns.
    pub(super) fn release(&self, flow: &mut Flow, local: u32) {
        for token in flow.owners.remove(&local).unwrap_or_default() {
            flow.state.held.retain(|it| it.token != token);
        }
    }
}
