//! `com.thoughtworks.xstream.XStream` 1.4.1 (PCR, V20, "atomicity"; DepCon+, C15, "data race"): mended: which
//! converter belongs to a type is looked up once and then kept, under the lock of the converters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug)]
struct Converter {
    number: u32,
    /// It converts types whose number this divides.
    divisor: u32,
    priority: u32,
}

/// Turns objects into text and back; objects are numbers here, and so are types.
#[derive(Debug, Default)]
pub struct XStream {
    /// The best ones first.
    converters: Mutex<Vec<Converter>>,
    by_type: Mutex<BTreeMap<u32, u32>>,
    aliases: Mutex<BTreeMap<u32, u32>>,
    omitted: Mutex<BTreeSet<u32>>,
    attributes: Mutex<BTreeSet<u32>>,
    implicit: Mutex<BTreeSet<u32>>,
    immutable: Mutex<BTreeSet<u32>>,
    annotations: Mutex<BTreeSet<u32>>,
    mode: AtomicU32,
    strategy: AtomicU32,
    class_loader: AtomicU32,
    auto_detect: AtomicBool,
}

impl XStream {
    /// With one converter for all types.
    pub fn new() -> Self {
        let stream = Self::default();
        stream.register_converter(0, 1, 0);
        stream
    }

    fn converters(&self) -> MutexGuard<'_, Vec<Converter>> {
        self.converters
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn by_type(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.by_type.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a converter of types that the divisor divides; higher priorities come first, later ones among equals.
    pub fn register_converter(&self, number: u32, divisor: u32, priority: u32) {
        let converter = Converter {
            number,
            divisor: divisor.max(1),
            priority,
        };
        let mut converters = self.converters();
        let at = converters.partition_point(|other| other.priority > priority);
        converters.insert(at, converter);
        self.by_type().retain(|of, _| of % converter.divisor != 0);
    }

    /// The converter of a type.
    pub fn lookup_converter_for_type(&self, of: u32) -> Option<u32> {
        let converters = self.converters();
        if let Some(found) = self.by_type().get(&of) {
            return Some(*found);
        }
        let converter = converters
            .iter()
            .find(|converter| of % converter.divisor == 0);
        let found = converter?.number;
        self.by_type().insert(of, found);
        Some(found)
    }

    /// Forgets which converters belong to types.
    pub fn flush_cache(&self) {
        self.by_type().clear();
    }

    /// An object of a type as text.
    pub fn to_xml(&self, of: u32, value: u32) -> String {
        let aliases = self.aliases.lock().unwrap();
        let name = aliases.get(&of).copied().unwrap_or(of);
        match self.lookup_converter_for_type(of) {
            Some(converter) => format!("<t{name} c=\"{converter}\">{value}</t{name}>"),
            None => String::new(),
        }
    }

    /// The number of converters.
    pub fn converter_count(&self) -> usize {
        self.converters().len()
    }

    /// Gives a type another name.
    pub fn alias(&self, of: u32, name: u32) {
        self.aliases.lock().unwrap().insert(of, name);
    }

    /// The name of a type.
    pub fn alias_of(&self, of: u32) -> u32 {
        self.aliases.lock().unwrap().get(&of).copied().unwrap_or(of)
    }

    /// Leaves a field out.
    pub fn omit_field(&self, field: u32) -> bool {
        self.omitted.lock().unwrap().insert(field)
    }

    /// True if the field is left out.
    pub fn is_omitted(&self, field: u32) -> bool {
        self.omitted.lock().unwrap().contains(&field)
    }

    /// Writes a field as an attribute.
    pub fn use_attribute_for(&self, field: u32) -> bool {
        self.attributes.lock().unwrap().insert(field)
    }

    /// True if the field is written as an attribute.
    pub fn is_attribute(&self, field: u32) -> bool {
        self.attributes.lock().unwrap().contains(&field)
    }

    /// Writes the items of a field without the field.
    pub fn add_implicit_collection(&self, field: u32) -> bool {
        self.implicit.lock().unwrap().insert(field)
    }

    /// True if items of the field are written without it.
    pub fn is_implicit_collection(&self, field: u32) -> bool {
        self.implicit.lock().unwrap().contains(&field)
    }

    /// Objects of a type are never referred to.
    pub fn add_immutable_type(&self, of: u32) -> bool {
        self.immutable.lock().unwrap().insert(of)
    }

    /// True if objects of the type are never referred to.
    pub fn is_immutable_type(&self, of: u32) -> bool {
        self.immutable.lock().unwrap().contains(&of)
    }

    /// Reads the annotations of a type.
    pub fn process_annotations(&self, of: u32) -> bool {
        self.annotations.lock().unwrap().insert(of)
    }

    properties! {
        /// How references are written.
        mode, set_mode: u32;
        /// How objects are marshalled.
        strategy, set_strategy: u32;
        /// Number of the class loader.
        class_loader, set_class_loader: u32;
        /// True if annotations are read by themselves.
        auto_detect, set_auto_detect: bool;
    }
}
