//! Places in the source that access shared state, numbered.

use std::panic::Location;

use contest_data::fast_hash::FastMap;
use contest_data::trace::{AccessSymbols, Event, Field, ObjectId, Place, PlainAccess};

/// Number of a [`Site`] in its [`SiteTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// What identifies an access across executions (`AccessId`): the type of the object, the source location and the
/// method. Deviations: the field path is that of the location; of the call stack only the innermost frame of the
/// caller's code is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// Type of the object: `AtomicUsize`, `Mutex`.
    pub what: &'static str,
    /// Source file of the access.
    pub file: &'static str,
    /// Line, counting from 1; 0 if it is not known.
    pub line: u32,
    /// Column, counting from 1.
    pub column: u32,
    /// Method: `load`, `lock`.
    pub name: &'static str,
    /// The field that a plain access is to, if an annotation or debug information names it.
    pub field: Option<Field>,
}

impl Site {
    /// The one place where an access gets its identity.
    fn of(event: &Event, what: &'static str) -> Self {
        Self {
            what,
            file: event.location.file(),
            line: event.location.line(),
            column: event.location.column(),
            name: event.name,
            field: None,
        }
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            file,
            line,
            column,
            field,
            ..
        } = self;
        if let Some(field) = field {
            write!(f, "{field} ")?;
        }
        write!(f, "{name} at {file}")?;
        if *line == 0 {
            return Ok(());
        }
        write!(f, ":{line}:{column}")
    }
}

/// Numbers sites in order of first sight.
#[derive(Clone, Debug, Default)]
pub struct SiteTable {
    sites: Vec<Site>,
    by_content: FastMap<Site, SiteId>,
    /// The same by address of the location, type name and method: what every event is looked up by.
    by_address: FastMap<(usize, usize, usize), SiteId>,
    /// Plain accesses by the address of their symbols, and whether they write.
    by_symbols: FastMap<(usize, bool), SiteId>,
}

impl SiteTable {
    /// The number of the event's site; `objects` are the type names of the execution's objects.
    pub fn number(&mut self, event: &Event, object: ObjectId, objects: &[&'static str]) -> SiteId {
        let what = objects.get(object.0 as usize).copied().unwrap_or("object");
        let location: *const Location<'_> = event.location;
        let key = (
            location as usize,
            what.as_ptr() as usize,
            event.name.as_ptr() as usize,
        );
        if let Some(&site) = self.by_address.get(&key) {
            return site;
        }
        let site = Site::of(event, what);
        let next = SiteId(self.sites.len() as u32);
        let id = *self.by_content.entry(site).or_insert(next);
        if id == next {
            self.sites.push(site);
        }
        self.by_address.insert(key, id);
        id
    }

    /// The number of a plain access's site: line and field. An access by compiled code without symbols is identified by
    /// the number of its call stack in place of the line.
    pub(crate) fn number_plain(&mut self, access: &PlainAccess) -> SiteId {
        let symbols = access.symbols.map(std::ptr::from_ref::<AccessSymbols>);
        let key = symbols.map(|symbols| (symbols.addr(), access.writes));
        if let Some(&known) = key.and_then(|key| self.by_symbols.get(&key)) {
            return known;
        }
        let (file, line, column) = match (access.place, access.symbols) {
            (_, Some(symbols)) => (symbols.file, symbols.line, symbols.column),
            (Place::Source(location), _) => (location.file(), location.line(), location.column()),
            (Place::Addresses(stack), _) => ("call stack", stack, 0),
            // Call stacks are symbolised when an execution is over and its races are reported; coverage reads accesses
            // before that.
            (Place::Stack(_), _) => ("frames", 0, 0),
        };
        let name = if access.writes { "write" } else { "read" };
        let site = Site {
            what: "memory",
            file,
            line,
            column,
            name,
            field: access.field.or(access.symbols.map(|symbols| symbols.field)),
        };
        let next = SiteId(self.sites.len() as u32);
        let id = *self.by_content.entry(site).or_insert(next);
        if id == next {
            self.sites.push(site);
        }
        if let Some(key) = key {
            self.by_symbols.insert(key, id);
        }
        id
    }

    /// The site of this number.
    ///
    /// # Panics
    /// If the number is not of this table.
    #[must_use]
    pub fn get(&self, site: SiteId) -> &Site {
        &self.sites[site.0 as usize]
    }

    /// Number of sites.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// True if nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }
}
