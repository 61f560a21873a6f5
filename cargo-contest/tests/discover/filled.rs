//! Objects made of something that was filled before.

use contest_catalog::subject_catalog::{SubjectCatalog, SubjectEntry};
use contest_data::subject::StandInMode;

use crate::documented::{catalog_of, subject, texts};

/// What stands for the arguments of constructors with something that was filled.
fn filled(of: &SubjectEntry) -> Vec<Vec<&str>> {
    let constructors = of.constructors.iter();
    let filled = constructors.filter(|it| it.mode == StandInMode::Filled);
    filled
        .map(|it| it.arguments.iter().flat_map(texts).collect())
        .collect()
}

const ACCOUNTS: &str = "
    use std::{sync::*, collections::*};
    #[derive(Default)] pub struct Accounts(Mutex<HashMap<u32, u64>>);
    impl Accounts {
        pub fn new() -> Self { Self::default() }
        pub fn get(&self, id: u32) -> Option<u64> { self.0.lock().unwrap().get(&id).copied() }
        pub fn open(&self, id: u32, balance: u64) -> Option<u64> { self.0.lock().unwrap().insert(id, balance) }
        pub fn close(&self, id: u32) -> bool { self.0.lock().unwrap().remove(&id).is_some() }
        pub fn len(&self) -> usize { self.0.lock().unwrap().len() }
    }";

fn with_accounts(source: &str) -> SubjectCatalog {
    catalog_of(&format!("{ACCOUNTS}{source}"))
}

#[test]
fn a_service_is_also_made_with_a_repository_that_has_something_in_it() {
    let catalog = with_accounts(
        "pub struct Bank(Arc<Accounts>);
        impl Bank {
            pub fn new(accounts: Arc<Accounts>) -> Self { Self(accounts) }
            pub fn pay(&self, from: u32, to: u32) -> bool { self.0.get(from) > self.0.get(to) }
        }",
    );
    let bank = subject(&catalog, "Bank");
    assert_eq!(
        filled(bank),
        [
            ["{ let made = Arc::new(Accounts::new()); made.open(1, 1); made.open(0, 0); made }"],
            ["{ let made = Arc::new(Accounts::new()); made.close(1); made.close(0); made }"],
        ]
    );
    let modes = bank.constructors.iter().map(|it| it.mode);
    let modes: Vec<StandInMode> = modes.take(2).collect();
    assert_eq!(modes, [StandInMode::Usual, StandInMode::Filled]);
    // What it is made of has nothing of the kind.
    assert_eq!(filled(subject(&catalog, "Accounts")), [[""; 0]; 0]);
}

#[test]
fn what_an_object_owns_is_filled_and_a_future_is_waited_for() {
    let catalog = catalog_of(
        "use std::sync::*;
        #[derive(Default)] pub struct Store(Mutex<Vec<String>>);
        impl Store {
            pub async fn add(&self, line: String) { self.0.lock().unwrap().push(line) }
        }
        pub struct Journal { store: Store, size: usize }
        impl Journal {
            pub fn new(size: usize, store: Store) -> Self { Self { size, store } }
            pub fn is_full(&self) -> bool { self.store.0.lock().unwrap().len() >= self.size }
        }",
    );
    let made = "{ let made = Store::default(); made.add(\"a\".to_string()).await; \
                made.add(\"b\".to_string()).await; made }";
    assert_eq!(
        filled(subject(&catalog, "Journal")).concat().last(),
        Some(&made)
    );
}

#[test]
fn what_is_behind_a_trait_is_filled_by_its_methods() {
    let catalog = catalog_of(
        "use std::{sync::*, collections::*, future::Future, pin::Pin};
        pub trait Repository: Send + Sync {
            fn find(&self, id: u32) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>>;
            fn save(&self, id: u32, name: String) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
        }
        #[derive(Default)] pub struct InMemory(Mutex<HashMap<u32, String>>);
        impl Repository for InMemory {
            fn find(&self, id: u32) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
                Box::pin(async move { self.0.lock().unwrap().get(&id).cloned() })
            }
            fn save(&self, id: u32, name: String) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
                Box::pin(async move { self.0.lock().unwrap().insert(id, name); })
            }
        }
        pub struct Service { users: Arc<dyn Repository> }
        impl Service {
            pub fn new(users: Arc<dyn Repository>) -> Self { Self { users } }
            pub async fn rename(&self, id: u32, name: String) -> bool {
                let known = self.users.find(id).await.is_some();
                self.users.save(id, name).await;
                known
            }
        }",
    );
    let made = "{ let made = Arc::new(InMemory::default()); made.save(1, \"a\".to_string()).await; \
                made.save(0, \"b\".to_string()).await; made }";
    assert_eq!(filled(subject(&catalog, "Service")), [[made]]);
}

#[test]
fn what_is_behind_a_lock_is_filled_through_it() {
    let catalog = catalog_of(
        "use std::sync::*;
        #[derive(Default)] pub struct Stack(Vec<u32>);
        impl Stack {
            pub fn push(&mut self, it: u32) { self.0.push(it) }
            pub fn pop(&mut self) -> Option<u32> { self.0.pop() }
        }
        pub struct Shared(Arc<RwLock<Stack>>);
        impl Shared {
            pub fn new(stack: Arc<RwLock<Stack>>) -> Self { Self(stack) }
            pub fn take(&self) -> Option<u32> { self.0.write().unwrap().pop() }
        }
        pub struct Owned(Mutex<Stack>);
        impl Owned {
            pub fn new(stack: Stack) -> Self { Self(Mutex::new(stack)) }
            pub fn take(&self) -> Option<u32> { self.0.lock().unwrap().pop() }
        }",
    );
    let made = "{ let made = Arc::new(RwLock::new(Stack::default())); made.write().unwrap().push(1); \
                made.write().unwrap().push(0); made }";
    assert_eq!(filled(subject(&catalog, "Shared")), [[made]]);
    let made = "{ let mut made = Stack::default(); made.push(1); made.push(0); made }";
    assert_eq!(filled(subject(&catalog, "Owned")), [[made]]);
}

#[test]
fn a_method_that_is_given_nothing_or_that_looks_or_lends_does_not_fill() {
    let catalog = catalog_of(
        "use std::sync::*;
        #[derive(Default)] pub struct Clock(Mutex<u64>);
        impl Clock {
            pub fn now(&self) -> u64 { *self.0.lock().unwrap() }
            pub fn is(&self, name: &str) -> bool { name.is_empty() }
            pub fn get(&self, at: u64) -> u64 { *self.0.lock().unwrap() + at }
            pub fn lend(&self, _at: u64) -> MutexGuard<'_, u64> { self.0.lock().unwrap() }
            pub fn of_handle(self: &Arc<Self>, _at: u64) {}
            pub fn end(&self, _code: i32) -> ! { std::process::abort() }
        }
        pub struct Timer(Arc<Clock>);
        impl Timer {
            pub fn new(clock: Arc<Clock>) -> Self { Self(clock) }
            pub fn set(&self) { *self.0.0.lock().unwrap() += 1 }
        }",
    );
    assert_eq!(filled(subject(&catalog, "Timer")), [[""; 0]; 0]);
}
