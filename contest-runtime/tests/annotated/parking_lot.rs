//! Locks of parking_lot in annotated types.

use std::time::Duration;

use parking_lot::{
    Condvar, MappedMutexGuard, Mutex, MutexGuard, RwLock as Shared, RwLockUpgradableReadGuard,
};

/// Looks under a shared lock and writes under another one.
#[contest::shared]
pub(crate) struct Names {
    names: Shared<Vec<String>>,
    count: Mutex<usize>,
    changed: Condvar,
}

#[contest::operations]
impl Names {
    pub(crate) fn new() -> Self {
        Self {
            names: Shared::new(Vec::new()),
            count: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    #[contest(values(name = ["a"]))]
    pub(crate) fn add(&self, name: &str) -> bool {
        let names = self.names.upgradable_read();
        if names.iter().any(|known| known == name) {
            return false;
        }
        RwLockUpgradableReadGuard::upgrade(names).push(name.to_owned());
        *self.counted() += 1;
        self.changed.notify_all();
        true
    }

    #[contest(values(name = ["a"]))]
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.names.read().iter().any(|known| known == name)
    }

    fn counted(&self) -> MappedMutexGuard<'_, usize> {
        MutexGuard::map(self.count.lock(), |count| count)
    }
}

/// The same, in two steps.
#[contest::shared]
pub(crate) struct Hasty {
    names: Shared<Vec<String>>,
}

#[contest::operations]
impl Hasty {
    pub(crate) fn new() -> Self {
        Self {
            names: Shared::new(Vec::new()),
        }
    }

    #[contest(values(name = ["a"]))]
    pub(crate) fn add(&self, name: &str) -> bool {
        if self.names.read().iter().any(|known| known == name) {
            return false;
        }
        self.names.write().push(name.to_owned());
        true
    }
}

#[test]
fn locks_of_parking_lot_are_seen_under_any_name() {
    let names = contest::check::<Names>()
        .budget(Duration::from_millis(300))
        .report();
    assert!(names.findings.is_empty(), "{:#?}", names.findings);
    assert!(names.totals.exhausted > 0);
    let hasty = contest::check::<Hasty>().report();
    assert_eq!(
        hasty.findings[0].threads,
        [["a.add(\"a\")"], ["a.add(\"a\")"]]
    );
}
