//! What drops run, found once for each type: functions drop values of the same types again and again.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::mir::ty::Type;
use super::place::Step;

/// A `drop` that runs when a value is dropped, with the way from the value to what it is called on.
pub(crate) type DropCall = (Vec<Step>, u32);

/// Those of the types that one crate drops.
type OfCrate = HashMap<Type, Arc<[DropCall]>>;

/// What is known so far, by number of the crate.
#[derive(Debug, Default)]
pub(crate) struct Drops {
    known: RwLock<HashMap<usize, OfCrate>>,
}

impl Drops {
    /// What runs when a value of the type is dropped in the crate; `find` finds it the first time.
    pub(crate) fn of(
        &self,
        krate: usize,
        ty: &Type,
        find: impl FnOnce() -> Vec<DropCall>,
    ) -> Arc<[DropCall]> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(drops) = known.get(&krate).and_then(|it| it.get(ty)) {
            return drops.clone();
        }
        drop(known);
        let found: Arc<[DropCall]> = find().into();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(krate)
            .or_default()
            .insert(ty.clone(), found.clone());
        found
    }
}
