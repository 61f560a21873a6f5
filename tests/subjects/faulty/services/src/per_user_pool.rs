//! `PerUserPoolDataSource` of Commons DBCP 1.4 (PCR, V1; DepCon+, C2, "data race"): the map of a setting by users is made
//! when the first user has one, without a lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, PoisonError};

type Map = Arc<Mutex<BTreeMap<u32, u32>>>;

/// A setting by users; there is no map before the first one.
#[derive(Debug, Default)]
struct PerUser {
    map: Mutex<Option<Map>>,
}

impl PerUser {
    fn map(&self) -> Option<Map> {
        self.map
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn get(&self, user: u32) -> Option<u32> {
        let map = self.map()?;
        let value = map.lock().unwrap().get(&user).copied();
        value
    }

    /// The fault: two threads may both find no map, and the map that is made first is lost.
    fn set(&self, user: u32, value: u32) {
        let map = self.map().unwrap_or_else(|| {
            let map = Map::default();
            *self.map.lock().unwrap() = Some(Arc::clone(&map));
            map
        });
        map.lock().unwrap().insert(user, value);
    }
}

/// A source of connections with a pool for each user.
#[derive(Debug, Default)]
pub struct PerUserPoolDataSource {
    auto_commit: PerUser,
    read_only: PerUser,
    isolation: PerUser,
    maximum_active: PerUser,
    maximum_idle: PerUser,
    maximum_wait: PerUser,
    pools: Mutex<BTreeMap<u32, (u32, u32)>>,
    default_auto_commit: AtomicBool,
    default_read_only: AtomicBool,
    default_isolation: AtomicU32,
    default_maximum_active: AtomicU32,
    default_maximum_idle: AtomicU32,
    default_maximum_wait: AtomicU32,
    login_timeout: AtomicU32,
    test_on_borrow: AtomicBool,
    test_on_return: AtomicBool,
    test_while_idle: AtomicBool,
    time_between_evictions: AtomicU32,
    tests_per_eviction: AtomicU32,
    minimum_evictable_idle: AtomicU32,
    rollback_after_validation: AtomicBool,
}

impl PerUserPoolDataSource {
    /// Without pools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a connection of a user; the number that are taken then, none if there are too many.
    pub fn connection(&self, user: u32) -> Option<u32> {
        let mut pools = self.pools.lock().unwrap();
        let most = self.maximum_active.get(user).unwrap_or(8);
        let pool = pools.entry(user).or_default();
        if pool.0 >= most {
            return None;
        }
        pool.0 += 1;
        pool.1 = pool.1.saturating_sub(1);
        Some(pool.0)
    }

    /// Gives a connection of a user back; false if none is taken.
    pub fn give_back(&self, user: u32) -> bool {
        let mut pools = self.pools.lock().unwrap();
        let Some(pool) = pools.get_mut(&user).filter(|pool| pool.0 > 0) else {
            return false;
        };
        pool.0 -= 1;
        pool.1 += 1;
        true
    }

    /// Connections of a user that are taken.
    pub fn active(&self, user: u32) -> u32 {
        self.pools
            .lock()
            .unwrap()
            .get(&user)
            .map_or(0, |pool| pool.0)
    }

    /// Connections of a user that wait.
    pub fn idle(&self, user: u32) -> u32 {
        self.pools
            .lock()
            .unwrap()
            .get(&user)
            .map_or(0, |pool| pool.1)
    }

    /// Closes all pools.
    pub fn close(&self) {
        self.pools.lock().unwrap().clear();
    }

    /// Whether connections of a user commit by themselves.
    pub fn per_user_default_auto_commit(&self, user: u32) -> Option<u32> {
        self.auto_commit.get(user)
    }

    /// Sets it.
    pub fn set_per_user_default_auto_commit(&self, user: u32, value: u32) {
        self.auto_commit.set(user, value);
    }

    /// Whether connections of a user only read.
    pub fn per_user_default_read_only(&self, user: u32) -> Option<u32> {
        self.read_only.get(user)
    }

    /// Sets it.
    pub fn set_per_user_default_read_only(&self, user: u32, value: u32) {
        self.read_only.set(user, value);
    }

    /// Isolation of a user's transactions.
    pub fn per_user_default_transaction_isolation(&self, user: u32) -> Option<u32> {
        self.isolation.get(user)
    }

    /// Sets it.
    pub fn set_per_user_default_transaction_isolation(&self, user: u32, value: u32) {
        self.isolation.set(user, value);
    }

    /// Most connections of a user.
    pub fn per_user_max_active(&self, user: u32) -> Option<u32> {
        self.maximum_active.get(user)
    }

    /// Sets it.
    pub fn set_per_user_max_active(&self, user: u32, value: u32) {
        self.maximum_active.set(user, value);
    }

    /// Most connections of a user that wait.
    pub fn per_user_max_idle(&self, user: u32) -> Option<u32> {
        self.maximum_idle.get(user)
    }

    /// Sets it.
    pub fn set_per_user_max_idle(&self, user: u32, value: u32) {
        self.maximum_idle.set(user, value);
    }

    /// How long a user waits for a connection.
    pub fn per_user_max_wait(&self, user: u32) -> Option<u32> {
        self.maximum_wait.get(user)
    }

    /// Sets it.
    pub fn set_per_user_max_wait(&self, user: u32, value: u32) {
        self.maximum_wait.set(user, value);
    }

    properties! {
        /// Whether connections commit by themselves.
        default_auto_commit, set_default_auto_commit: bool;
        /// Whether connections only read.
        default_read_only, set_default_read_only: bool;
        /// Isolation of transactions.
        default_isolation, set_default_isolation: u32;
        /// Most connections.
        default_maximum_active, set_default_maximum_active: u32;
        /// Most connections that wait.
        default_maximum_idle, set_default_maximum_idle: u32;
        /// How long to wait for a connection.
        default_maximum_wait, set_default_maximum_wait: u32;
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
