//! What a test uses that outlives it: statics, and what the process has beside its memory.

use std::collections::BTreeMap;
use std::path::Path;

use super::outcome::Outcome;
use super::shown::Running;
use crate::campaign::test_runner::TestRunner;
use crate::judge::timing::is_of_system;
use contest_data::contact::{Shared, Uses};
use contest_data::delay::{Delay, DelayPoint};
use contest_data::limits::Leeway;
use contest_data::trace::{Action, Event, Schedule};

/// A draw of random numbers that no other execution has.
const OTHER_DRAW: u16 = 7_919;

/// What tests share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A static, by its address.
    Static(usize),
    /// Something else than memory.
    Outside(Shared),
}

impl Place {
    /// No strategy sees all that is done to it.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self, Self::Outside(_))
    }

    /// What it is called.
    pub(super) fn name(&self, contact: &Contact, runner: &mut TestRunner<'_>) -> String {
        let name = match self {
            Self::Outside(shared) => return shared.to_string(),
            Self::Static(address) => {
                (contact.name.map(str::to_owned)).or_else(|| runner.static_at(*address))
            }
        };
        name.map_or_else(|| "a static".to_owned(), |name| format!("`{name}`"))
    }
}

/// How a test uses something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contact {
    pub(super) uses: Uses,
    /// The field that a lock or an atomic is.
    pub(super) name: Option<&'static str>,
    /// Code of the package does something to it, not only dependencies.
    pub(super) by_package: bool,
}

/// What a test uses, and how.
pub(super) type Contacts = BTreeMap<Place, Contact>;

/// Runs the test once, and says what it uses that outlives it; `None` if it does not end as it is said to.
pub(super) fn contacts(running: &mut Running<'_, '_>, passes: bool) -> Option<Contacts> {
    let mut contacts = noted(running, &Schedule::default(), passes)?;
    // Names that are drawn or made of the time, and ports that the system gives, are others another time.
    let is_made = |(place, contact): (&Place, &Contact)| {
        let named = matches!(
            place,
            Place::Outside(Shared::Path(_) | Shared::Entries(_) | Shared::Port(_))
        );
        named && (contact.uses.adds || contact.uses.changes)
    };
    if contacts.iter().any(is_made) {
        let other = Leeway::of_draw(OTHER_DRAW);
        let late = other.with_delay(Delay::at(DelayPoint::Reading(0)));
        let mut others = [late, other].into_iter();
        let again = others.find_map(|leeway| {
            let schedule = Schedule {
                leeway,
                ..Schedule::default()
            };
            noted(running, &schedule, passes)
        });
        if let Some(again) = again {
            contacts.retain(|place, _| !place.is_outside() || again.contains_key(place));
        }
    }
    Some(contacts)
}

fn noted(running: &mut Running<'_, '_>, schedule: &Schedule, passes: bool) -> Option<Contacts> {
    let runner = &mut running.runner;
    runner.note_contacts(true);
    running.replay(schedule);
    let runner = &mut running.runner;
    let (objects, statics) = (runner.static_objects(), runner.accessed_statics());
    let outside = runner.contacts();
    runner.note_contacts(false);
    let is_as_said = match running.outcome() {
        Outcome::Passes => passes,
        Outcome::Fails(_) => !passes,
        Outcome::Cut(_) | Outcome::Abandoned => false,
    };
    if !is_as_said {
        return None;
    }
    let record = running.runner.record();
    let mut contacts = Contacts::new();
    let mut add = |place, uses, name, by_package| {
        let contact: &mut Contact = contacts.entry(place).or_default();
        contact.uses.join(uses);
        contact.name = contact.name.or(name);
        contact.by_package |= by_package;
    };
    for (object, address) in objects {
        // What stands in for the system counts what it does, of which code under test knows nothing.
        let own = (record.events.iter())
            .filter(|event| event.object == object || event.second == object)
            .filter(|event| !is_of_system(event.location.file()));
        let name = record.object_name(object).map(|it| it.name);
        for event in own {
            add(
                Place::Static(address),
                uses(event),
                name,
                is_of_package(event),
            );
        }
    }
    for (address, writes) in statics {
        let uses = if writes { Uses::CHANGES } else { Uses::READS };
        add(Place::Static(address), uses, None, true);
    }
    for (shared, uses) in outside {
        add(Place::Outside(shared), uses, None, true);
    }
    Some(contacts)
}

/// Dependencies are compiled under absolute paths.
fn is_of_package(event: &Event) -> bool {
    !Path::new(event.location.file()).is_absolute()
}

fn uses(event: &Event) -> Uses {
    match event.action {
        Action::Load(_) | Action::CasFail(_) | Action::OncePeek(_) | Action::Yield => Uses::READS,
        // A dependency makes numbers so, of which each is to be another one.
        Action::Rmw(..) if event.name == "fetch_add" && !is_of_package(event) => Uses::ADDS,
        _ => Uses::CHANGES,
    }
}
