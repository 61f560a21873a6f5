//! `java.util.Hashtable` of JDK 1.4 (DepCon+, C18, "deadlock"): a table can be a key of another one. Whoever needs the
//! hash of a key holds its own lock meanwhile, and the hash of a table takes that table's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug)]
enum Key {
    Number(u32),
    Table(NestedTable),
}

impl Key {
    fn hash(&self) -> u32 {
        match self {
            Key::Number(number) => *number,
            Key::Table(table) => table.hash_code(),
        }
    }

    fn is(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Number(one), Key::Number(other)) => one == other,
            (Key::Table(one), Key::Table(other)) => Arc::ptr_eq(&one.entries, &other.entries),
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    hash: u32,
    key: Key,
    value: u32,
}

/// A table whose keys are numbers or tables. A copy is the same table.
#[derive(Clone)]
pub struct NestedTable {
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl NestedTable {
    /// An empty table.
    pub fn new() -> Self {
        Self {
            entries: Arc::default(),
        }
    }

    fn enter(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, key: Key, value: u32) -> Option<u32> {
        let mut entries = self.enter();
        let hash = key.hash();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.key.is(&key)) {
            return Some(std::mem::replace(&mut entry.value, value));
        }
        entries.push(Entry { hash, key, value });
        None
    }

    fn find(&self, key: &Key) -> Option<u32> {
        let entries = self.enter();
        let hash = key.hash();
        let mut found = entries
            .iter()
            .filter(|entry| entry.hash == hash || entry.key.is(key));
        found
            .find(|entry| entry.key.is(key))
            .map(|entry| entry.value)
    }

    /// Sets the value of a number.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        self.insert(Key::Number(key), value)
    }

    /// Sets the value of a table, which must be another one. The fault: its hash is computed under this table's lock.
    pub fn put_table(&self, key: &NestedTable, value: u32) -> Option<u32> {
        if Arc::ptr_eq(&self.entries, &key.entries) {
            return None;
        }
        self.insert(Key::Table(key.clone()), value)
    }

    /// The value of a number.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.find(&Key::Number(key))
    }

    /// The value of a table, which must be another one. The fault: as in `put_table`.
    pub fn get_table(&self, key: &NestedTable) -> Option<u32> {
        if Arc::ptr_eq(&self.entries, &key.entries) {
            return None;
        }
        self.find(&Key::Table(key.clone()))
    }

    /// Removes a number.
    pub fn remove(&self, key: u32) -> Option<u32> {
        let mut entries = self.enter();
        let at = entries
            .iter()
            .position(|entry| entry.key.is(&Key::Number(key)))?;
        Some(entries.remove(at).value)
    }

    /// True if the number has a value.
    pub fn contains_key(&self, key: u32) -> bool {
        self.get(key).is_some()
    }

    /// True if a key has this value.
    pub fn contains(&self, value: u32) -> bool {
        self.enter().iter().any(|entry| entry.value == value)
    }

    /// Number of entries.
    pub fn size(&self) -> usize {
        self.enter().len()
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.enter().is_empty()
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.enter().clear();
    }

    /// The values, in the order in which their keys came.
    pub fn elements(&self) -> Vec<u32> {
        self.enter().iter().map(|entry| entry.value).collect()
    }

    /// The keys that are numbers.
    pub fn keys(&self) -> Vec<u32> {
        let numbers = |entry: &Entry| match entry.key {
            Key::Number(number) => Some(number),
            Key::Table(_) => None,
        };
        self.enter().iter().filter_map(numbers).collect()
    }

    /// A number that is the same for equal tables. The fault: keys that are tables are locked meanwhile.
    pub fn hash_code(&self) -> u32 {
        let entries = self.enter();
        let hash = |hash: u32, entry: &Entry| hash.wrapping_add(entry.key.hash() ^ entry.value);
        entries.iter().fold(0, hash)
    }
}

impl Default for NestedTable {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for NestedTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Tables may contain each other.
        write!(formatter, "table of {}", self.size())
    }
}
