//! Names of objects and cells after the fields that they are, as the macros of annotated types name them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Engine;
use super::active::Active;
use super::current;
use contest_data::trace::{ExecutionRecord, Field, NamedObject, Within};

/// The fields that an execution has named. They are looked up afterwards, for the executions that a report shows.
#[derive(Debug, Default)]
pub(super) struct FieldNames {
    is_wanted: bool,
    /// Addresses of fields.
    fields: Vec<(Range<usize>, Field)>,
    /// Locations that cells have instead of their addresses, and these.
    cells: Vec<(Range<usize>, usize)>,
}

impl FieldNames {
    pub(super) fn want(&mut self, on: bool) {
        self.is_wanted = on;
    }

    pub(super) fn reset(&mut self) {
        self.fields.clear();
        self.cells.clear();
    }

    fn at(&self, address: usize) -> Option<&(Range<usize>, Field)> {
        let mut newest_first = self.fields.iter().rev();
        newest_first.find(|(range, _)| range.contains(&address))
    }

    /// The field that a location of a cell, or an address, is in.
    fn of_location(&self, location: usize) -> Option<Field> {
        let cell = self.cells.iter().find(|it| it.0.contains(&location));
        self.at(cell.map_or(location, |it| it.1)).map(|it| it.1)
    }
}

impl Active {
    /// What is at this address, so many bytes, is that field: locks, atomics and cells there get its name in reports.
    pub fn name_field(self, field: Field, address: usize, bytes: usize) {
        let mut machine = current::machine();
        let names = &mut machine.field_names;
        let named = (address..address + bytes.max(1), field);
        if names.is_wanted && !names.fields.contains(&named) {
            names.fields.push(named);
        }
    }

    /// A cell at this address, of so many bytes, has that location of its own.
    pub fn name_cell(self, location: usize, address: usize, bytes: usize) {
        let mut machine = current::machine();
        let names = &mut machine.field_names;
        let cell = (location..location + bytes.max(1), address);
        if names.is_wanted && !names.cells.contains(&cell) {
            names.cells.push(cell);
        }
    }
}

impl Engine {
    /// Names the objects and the memory of the last execution after the fields that the execution has named, where
    /// they have no name yet. Where several values have a field, they are numbered by first use.
    pub fn name_fields(&mut self) -> &ExecutionRecord {
        let machine = self.machine_mut();
        let objects = machine.objects.noted().unwrap_or_default();
        let (names, record) = (&machine.field_names, &mut machine.record);
        let mut values: HashMap<Field, Vec<usize>> = HashMap::new();
        let mut found = Vec::new();
        for (object, address) in objects {
            if let Some((range, field)) = names.at(address) {
                let values = values.entry(*field).or_default();
                if !values.contains(&range.start) {
                    values.push(range.start);
                }
                found.push((object.0 as usize, range.start, *field));
            }
        }
        if !found.is_empty() {
            record.object_names.resize(record.objects.len(), None);
        }
        for (object, start, field) in found {
            let values = &values[&field];
            let mut name = field.to_string();
            let plain = keep(name.clone());
            if values.len() > 1 {
                let number = values.iter().position(|it| *it == start);
                name += &format!("#{}", number.unwrap_or_default() + 1);
            }
            if let Some(slot) = record.object_names.get_mut(object) {
                slot.get_or_insert_with(|| NamedObject {
                    name: keep(name),
                    field: plain,
                    of_package: true,
                });
            }
        }
        let touched = record.faults.iter_mut().filter_map(|it| it.touched_mut());
        for touched in touched.flatten() {
            if let Within::Address(location) = touched.within
                && touched.field.is_none()
            {
                let field = names.of_location(location);
                touched.field = field.map(|it| keep(it.to_string()));
            }
        }
        &machine.record
    }
}

/// The same text for as long as the process lives: there are as many as fields.
fn keep(text: String) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(text.as_str()) {
        return known;
    }
    let text = &*text.leak();
    kept.insert(text);
    text
}
