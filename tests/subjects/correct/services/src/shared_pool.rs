//! `SharedPoolDataSource` of Commons DBCP 1.4 (bug DBCP-369; PCR, V2; DepCon+, C3, "atomicity"): a source that gets a name
//! is registered in a map of all sources. Whoever registers or removes takes one lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All sources that are registered, by their keys.
static INSTANCES: Mutex<BTreeMap<u32, u32>> = Mutex::new(BTreeMap::new());
static CHANGES: AtomicU64 = AtomicU64::new(0);
static REGISTER: Mutex<()> = Mutex::new(());

fn instances() -> MutexGuard<'static, BTreeMap<u32, u32>> {
    INSTANCES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The keys one after the other, as an iterator of the JDK gives them.
///
/// # Panics
/// If the map changes meanwhile.
fn keys() -> Vec<u32> {
    let expected = CHANGES.load(SeqCst);
    let mut keys: Vec<u32> = Vec::new();
    loop {
        let next = match keys.last() {
            Some(last) => instances().range(last + 1..).next().map(|(key, _)| *key),
            None => instances().keys().next().copied(),
        };
        let Some(key) = next else { return keys };
        assert_eq!(CHANGES.load(SeqCst), expected, "concurrent modification");
        keys.push(key);
    }
}

/// Registers a source; its key. The caller holds the lock.
fn register(source: u32) -> u32 {
    let key = keys().last().map_or(0, |last| last + 1);
    instances().insert(key, source);
    CHANGES.fetch_add(1, SeqCst);
    key
}

/// Removes a source; false if it is not there. The caller holds the lock.
fn unregister(key: u32) -> bool {
    let removed = instances().remove(&key).is_some();
    if removed {
        CHANGES.fetch_add(1, SeqCst);
    }
    removed
}

/// A source of connections with one pool.
#[derive(Debug, Default)]
pub struct SharedPoolDataSource {
    keys: Mutex<Vec<u32>>,
    pool: Mutex<(u32, u32)>,
    description: Mutex<String>,
    maximum_active: AtomicU32,
    maximum_idle: AtomicU32,
    maximum_wait: AtomicU32,
    default_auto_commit: AtomicBool,
    default_read_only: AtomicBool,
    default_isolation: AtomicU32,
    login_timeout: AtomicU32,
    test_on_borrow: AtomicBool,
    test_on_return: AtomicBool,
    test_while_idle: AtomicBool,
    time_between_evictions: AtomicU32,
    tests_per_eviction: AtomicU32,
    minimum_evictable_idle: AtomicU32,
    rollback_after_validation: AtomicBool,
}

impl SharedPoolDataSource {
    /// Without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the source a name and registers it under it.
    pub fn set_data_source_name(&self, name: u32) {
        let _registers = REGISTER.lock().unwrap_or_else(PoisonError::into_inner);
        let key = register(name);
        self.keys.lock().unwrap().push(key);
    }

    /// True if the source is registered.
    pub fn is_registered(&self) -> bool {
        !self.keys.lock().unwrap().is_empty()
    }

    /// Takes the source out of the map, once for each name; how many times.
    pub fn close(&self) -> usize {
        let _registers = REGISTER.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = std::mem::take(&mut *self.keys.lock().unwrap());
        keys.into_iter().filter(|key| unregister(*key)).count()
    }

    /// Takes a connection; none if there are too many.
    pub fn connection(&self) -> Option<u32> {
        let mut pool = self.pool.lock().unwrap();
        if pool.0 >= 8 {
            return None;
        }
        pool.0 += 1;
        pool.1 = pool.1.saturating_sub(1);
        Some(pool.0)
    }

    /// Gives a connection back; false if none is taken.
    pub fn give_back(&self) -> bool {
        let mut pool = self.pool.lock().unwrap();
        if pool.0 == 0 {
            return false;
        }
        pool.0 -= 1;
        pool.1 += 1;
        true
    }

    /// Connections that are taken.
    pub fn active(&self) -> u32 {
        self.pool.lock().unwrap().0
    }

    /// Connections that wait.
    pub fn idle(&self) -> u32 {
        self.pool.lock().unwrap().1
    }

    /// What the source is for.
    pub fn description(&self) -> String {
        self.description.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_description(&self, text: &str) {
        text.clone_into(&mut self.description.lock().unwrap());
    }

    properties! {
        /// Most connections.
        maximum_active, set_maximum_active: u32;
        /// Most connections that wait.
        maximum_idle, set_maximum_idle: u32;
        /// How long to wait for a connection.
        maximum_wait, set_maximum_wait: u32;
        /// Whether connections commit by themselves.
        default_auto_commit, set_default_auto_commit: bool;
        /// Whether connections only read.
        default_read_only, set_default_read_only: bool;
        /// Isolation of transactions.
        default_isolation, set_default_isolation: u32;
        /// How long to wait for a login.
        login_timeout, set_login_timeout: u32;
        /// Whether connections are tested when taken.
        test_on_borrow, set_test_on_borrow: bool;
        /// Whether connections are tested when given back.
        test_on_return, set_test_on_return: bool;
        /// Whether connections are tested while they wait.
        test_while_idle, set_test_while_idle: bool;
        /// Time between two evictions.
        time_between_evictions, set_time_between_evictions: u32;
        /// Connections tested at each eviction.
        tests_per_eviction, set_tests_per_eviction: u32;
        /// How long a connection waits before it is evicted.
        minimum_evictable_idle, set_minimum_evictable_idle: u32;
        /// Whether a validation is rolled back.
        rollback_after_validation, set_rollback_after_validation: bool;
    }
}
