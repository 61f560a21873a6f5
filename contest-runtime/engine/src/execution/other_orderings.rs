//! Orderings other than those of the source, by place, in executions under RC11: what the code under test would do if
//! it were written in another way is seen without compiling it again.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::active::{AtomicKind, AtomicOperation};
use super::engine::Engine;
use super::machine::Machine;
use contest_data::fast_hash::FastMap;
use contest_data::orderings::{AtomicPlace, AtomicRole, OrderingChange, OrderingSettings};
use contest_data::sorted;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, ObjectId, Pending};

/// Places in the source, by the addresses of location and name and the text of the rest.
type Places = FastMap<(usize, usize, AtomicRole, Ordering, Option<Ordering>), AtomicPlace>;

/// What an engine keeps for it.
#[derive(Debug, Default)]
pub(super) struct OtherOrderings {
    settings: OrderingSettings,
    places: Places,
    /// The operation before which the running thread stands at a fence that is not in the source, by thread.
    displaced: FastMap<u16, Pending>,
    /// The fence before the operation that is published next has been executed.
    fenced: bool,
}

/// The operation of a source line, as the engine sees it.
#[derive(Clone, Copy)]
struct Written {
    location: &'static Location<'static>,
    name: &'static str,
    role: AtomicRole,
    order: Ordering,
    /// `None` where it is not known yet, too.
    failure: Option<Ordering>,
}

impl Written {
    fn is_at(&self, place: &AtomicPlace) -> bool {
        place.line == self.location.line()
            && place.column == self.location.column()
            && place.role == self.role
            && place.order.ordering() == self.order
            && self
                .failure
                .is_none_or(|failure| place.failure == Some(failure.into()))
            && place.name == self.name
            && place.file == self.location.file()
    }

    fn place(&self) -> AtomicPlace {
        AtomicPlace {
            file: self.location.file().to_owned(),
            line: self.location.line(),
            column: self.location.column(),
            name: self.name.to_owned(),
            role: self.role,
            order: self.order.into(),
            failure: self.failure.map(Into::into),
        }
    }
}

impl OtherOrderings {
    /// No operation is changed.
    pub(super) fn is_empty(&self) -> bool {
        self.settings.changes.is_empty()
    }

    /// Begins an execution.
    pub(super) fn reset(&mut self) {
        self.displaced.clear();
        self.fenced = false;
    }

    fn of(&self, written: &Written) -> Option<&OrderingChange> {
        let mut changes = self.settings.changes.iter();
        changes.find(|change| written.is_at(&change.place))
    }

    fn collect(&mut self, written: &Written) {
        if self.settings.collect {
            let location: *const Location<'_> = written.location;
            let key = (
                location as usize,
                written.name.as_ptr() as usize,
                written.role,
                written.order,
                written.failure,
            );
            self.places.entry(key).or_insert_with(|| written.place());
        }
    }
}

impl Engine {
    /// Sets what executions under RC11 do with orderings, from the next one on.
    pub fn set_orderings(&mut self, settings: OrderingSettings) {
        self.machine_mut().weak.orderings.settings = settings;
    }

    /// The atomic operations and fences that executions under RC11 have executed so far, if they are collected.
    #[must_use]
    pub fn atomic_places(&self) -> Vec<AtomicPlace> {
        let places = self.machine().weak.orderings.places.values();
        let mut places: Vec<AtomicPlace> = places.cloned().collect();
        sorted::sort_by(&mut places, |a, b| {
            let place = |it: &AtomicPlace| (it.file.clone(), it.line, it.column, it.name.clone());
            place(a).cmp(&place(b))
        });
        // One place in several copies of generic code.
        places.dedup();
        places
    }
}

impl Machine {
    /// What the running thread has published is replaced by a fence that comes before it, or has another ordering.
    #[cold]
    pub(super) fn change_published(&mut self) {
        let index = self.running.index();
        let Some(pending) = self.pending[index] else {
            return;
        };
        let (role, order) = match pending.action {
            Action::Load(order) => (AtomicRole::Load, order),
            Action::Store(order) => (AtomicRole::Store, order),
            Action::Rmw(order, _) if self.threads[index].exchange.is_some() => {
                (AtomicRole::Exchange, order)
            }
            Action::Rmw(order, _) => (AtomicRole::Update, order),
            _ => return,
        };
        let written = Written {
            location: self.threads[index].location,
            name: pending.name,
            role,
            order,
            failure: None,
        };
        if std::mem::take(&mut self.weak.orderings.fenced) {
            return;
        }
        let Some(change) = self.weak.orderings.of(&written) else {
            return;
        };
        let order = change.order.ordering();
        let action = match pending.action {
            Action::Load(_) => Action::Load(order),
            Action::Store(_) => Action::Store(order),
            Action::Rmw(_, update) => Action::Rmw(order, update),
            other => other,
        };
        let pending = Pending { action, ..pending };
        let Some(fence) = change.fence_before else {
            self.pending[index] = Some(pending);
            return;
        };
        let action = Action::Fence(fence.ordering());
        self.pending[index] = Some(Pending {
            action,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            name: "fence",
            check: check_of(action, "fence"),
        });
        let running = self.running.0;
        self.weak.orderings.displaced.insert(running, pending);
    }

    /// The operation before which the running thread stands at a fence that is not in the source, and that fence. It is
    /// to be published once more when the fence has been executed.
    pub(super) fn take_displaced(&mut self) -> Option<(Pending, Ordering)> {
        let running = self.running;
        let displaced = self.weak.orderings.displaced.remove(&running.0)?;
        let Some(Action::Fence(order)) = self.pending[running.index()].map(|it| it.action) else {
            return None;
        };
        self.weak.orderings.fenced = true;
        Some((displaced, order))
    }

    /// An atomic operation of the running thread that has its turn, with the orderings that it is to have.
    pub(super) fn with_other_orderings(&mut self, operation: &AtomicOperation) -> AtomicOperation {
        let orderings = &mut self.weak.orderings;
        let mut changed = *operation;
        if orderings.is_empty() && !orderings.settings.collect {
            return changed;
        }
        let (role, failure) = match operation.kind {
            AtomicKind::Load => (AtomicRole::Load, None),
            AtomicKind::Store => (AtomicRole::Store, None),
            AtomicKind::Rmw(_) => (AtomicRole::Update, None),
            AtomicKind::CompareExchange(_, failure) => (AtomicRole::Exchange, Some(failure)),
        };
        let written = Written {
            location: self.threads[self.running.index()].location,
            name: operation.name,
            role,
            order: operation.ordering,
            failure,
        };
        orderings.collect(&written);
        if let Some(change) = orderings.of(&written) {
            changed.ordering = change.order.ordering();
            if let (AtomicKind::CompareExchange(_, failure), Some(other)) =
                (&mut changed.kind, change.failure)
            {
                *failure = other.ordering();
            }
        }
        changed
    }

    /// The ordering that a fence at this place is to have.
    pub(super) fn other_fence(
        &mut self,
        location: &'static Location<'static>,
        order: Ordering,
    ) -> Ordering {
        let written = Written {
            location,
            name: "fence",
            role: AtomicRole::Fence,
            order,
            failure: None,
        };
        let orderings = &mut self.weak.orderings;
        orderings.collect(&written);
        let change = orderings.of(&written);
        change.map_or(order, |change| change.order.ordering())
    }
}
