//! Operations made of two calls.

use contest_catalog::subject_catalog::{Returned, Taken};

use crate::documented::{catalog_of, constructors, operation, subject, texts};

#[test]
fn what_a_guard_leads_to_is_used_in_one_operation() {
    let catalog = catalog_of(
        "use std::{ops::{Deref, DerefMut}, sync::{Mutex, MutexGuard, atomic::AtomicU64}};
        #[derive(Default)] pub struct Counter(AtomicU64);
        impl Counter { pub fn inc(&self) -> u64 { 0 } pub fn get(&self) -> u64 { 0 } pub fn borrow(&self) -> &u64 { &0 } }
        pub struct Guard<'a>(MutexGuard<'a, Counter>);
        impl Deref for Guard<'_> { type Target = Counter; fn deref(&self) -> &Counter { &self.0 } }
        #[derive(Default)] pub struct Family(Mutex<Counter>);
        impl Guard<'_> { pub fn unwrap(self) -> u64 { 0 } }
        impl Family {
            pub fn get_or_create(&self, label: &u32) -> Guard<'_> { panic!() }
            pub fn find(&self, label: u32) -> Option<Guard<'_>> { None }
        }",
    );
    let family = subject(&catalog, "Family");
    let inc = operation(family, "get_or_create().inc");
    assert_eq!(inc.text.to_string(), "{s}.get_or_create({0}).inc()");
    assert!(operation(family, "get_or_create().get").observer);
    assert_eq!(
        operation(family, "find().inc").text.to_string(),
        "{s}.find({0}).map(|it| it.inc())"
    );
    // The creation, the use and the release of the guard are three events.
    assert_eq!(
        inc.expression
            .to_string()
            .matches("macro_support::step")
            .count(),
        2
    );
    assert!(
        !family
            .operations
            .iter()
            .any(|it| it.name.contains("unwrap"))
    );
    let borrowing = |it: &&str| it.ends_with(".borrow");
    assert!(
        !family
            .operations
            .iter()
            .map(|it| it.name.as_str())
            .any(|it| borrowing(&it))
    );
}

#[test]
fn what_a_handle_does_asynchronously_is_awaited_while_it_is_there() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        pub struct Actor(Arc<Mutex<u32>>);
        impl Actor {
            pub async fn ask(&self, by: u32) -> u32 { 0 }
            pub async fn stop(self) -> u32 { 0 }
        }
        pub struct Guard<'a>(&'a Mutex<u32>);
        impl Guard<'_> { pub async fn ask(&self) -> u32 { 0 } }
        #[derive(Default)] pub struct System(Mutex<u32>);
        impl System {
            pub async fn actor(&self, name: &str) -> Actor { panic!() }
            pub fn find(&self, name: &str) -> Option<Actor> { None }
            pub fn open(&self, name: &str) -> Result<Actor, u32> { Err(1) }
            pub fn guard(&self) -> Guard<'_> { panic!() }
        }",
    );
    let system = subject(&catalog, "System");
    let text = |name: &str| operation(system, name).text.to_string();
    assert_eq!(text("actor().ask"), "{s}.actor({0}).await.ask({1}).await");
    assert_eq!(text("find().ask"), "{s}.find({0})?.ask({1}).await");
    assert_eq!(text("open().ask"), "{s}.open({0}).ok()?.ask({1}).await");
    for name in ["actor().ask", "find().ask", "open().ask"] {
        let ask = operation(system, name);
        assert_eq!(ask.returned, Returned::Future);
        let expression = ask.expression.to_string();
        assert!(expression.starts_with("async { match "), "{expression}");
        assert!(
            ask.not_cancelled()
                .is_some_and(|it| it.contains("two calls"))
        );
    }
    let mut names = system.operations.iter().map(|it| it.name.as_str());
    assert!(!names.any(|it| it == "guard().ask"));
}

#[test]
fn a_guard_over_a_number_is_used_to_add_one() {
    let catalog = catalog_of(
        "use std::{ops::{Deref, DerefMut}, sync::MutexGuard};
        pub struct Lock<T>(std::sync::Mutex<T>);
        pub struct Guard<'a, T>(MutexGuard<'a, T>);
        impl<T> Deref for Guard<'_, T> { type Target = T; fn deref(&self) -> &T { &self.0 } }
        impl<T> DerefMut for Guard<'_, T> { fn deref_mut(&mut self) -> &mut T { &mut self.0 } }
        impl<T> Lock<T> {
            pub fn new(value: T) -> Self { Lock(value.into()) }
            pub fn lock(&self) -> Guard<'_, T> { Guard(self.0.lock().unwrap()) }
            pub fn try_lock(&self) -> Option<Guard<'_, T>> { None }
            pub async fn lock_async(&self) -> Guard<'_, T> { self.lock() }
        }",
    );
    let lock = subject(&catalog, "Lock");
    assert_eq!(
        operation(lock, "lock() += 1").text.to_string(),
        "*{s}.lock() += 1"
    );
    assert_eq!(operation(lock, "try_lock() += 1").taken, Taken::Reference);
}

#[test]
fn entries_are_used_up_by_their_methods() {
    let catalog = catalog_of(
        "use std::sync::{Mutex, MutexGuard};
        #[derive(Default)] pub struct Map(Mutex<u32>);
        pub struct Entry<'a>(MutexGuard<'a, u32>);
        impl<'a> Entry<'a> { pub fn or_insert(self, value: u32) -> u32 { value } }
        impl Map { pub fn entry(&self, key: u32) -> Entry<'_> { Entry(self.0.lock().unwrap()) } }",
    );
    let entry = operation(subject(&catalog, "Map"), "entry().or_insert");
    assert_eq!(entry.text.to_string(), "{s}.entry({0}).or_insert({1})");
    assert_eq!(entry.arguments.len(), 2);
}

#[test]
fn a_channel_may_have_no_room() {
    let catalog = catalog_of(
        r"
        use std::sync::{Arc, Mutex};
        pub struct Sender(Arc<Mutex<Vec<u32>>>);
        pub struct Receiver(Arc<Mutex<Vec<u32>>>);
        impl Sender { pub fn send(&self, it: u32) { self.0.lock().unwrap().push(it) } }
        impl Receiver { pub fn recv(&self) -> Option<u32> { self.0.lock().unwrap().pop() } }
        pub fn bounded(n: usize) -> (Sender, Receiver) {
            let all = Arc::new(Mutex::new(Vec::with_capacity(n)));
            (Sender(all.clone()), Receiver(all))
        }
        ",
    );
    let subject = &catalog.subjects[0];
    assert_eq!(
        texts(&subject.constructors[0].arguments[0]),
        ["1", "2", "0"]
    );
}

#[test]
fn half_of_a_pair_keeps_the_other_half_alive() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone)] pub struct Sender<T>(Arc<Mutex<Vec<T>>>);
        pub struct Receiver<T>(Arc<Mutex<Vec<T>>>);
        /// Nothing can be done with the other half, so the two are no pair.
        pub fn channel<T>(bound: usize) -> (Sender<T>, Receiver<T>) { panic!() }
        impl<T> Sender<T> { pub fn send(&self, value: T) {} }
        impl<T> Receiver<T> { unsafe fn recv(&self) -> Option<T> { None } }",
    );
    let sender = subject(&catalog, "Sender");
    assert_eq!(
        sender.constructors[0].text.to_string(),
        "{ let (part_0, part_1) = channel({0}); mem::forget(part_1); part_0 }"
    );
    assert!(
        sender.constructors[0]
            .expression
            .to_string()
            .contains("std::mem::forget")
    );
}

#[test]
fn what_comes_from_an_object_only_is_tested_together_with_it() {
    let catalog = catalog_of(
        "use std::{cell::Cell, sync::{Arc, Mutex, atomic::AtomicU32}};
        pub struct Hub(Arc<Mutex<u32>>);
        impl Hub {
            pub fn new() -> Self { Hub(Arc::default()) }
            pub fn send(&self, value: u32) { *self.0.lock().unwrap() += value }
            pub fn subscribe(&self) -> Reader { Reader(self.0.clone(), Cell::new(0)) }
            pub fn watcher(&mut self, limit: u32) -> Option<Watcher> { Some(Watcher(self.0.clone())) }
            pub fn view(&self) -> View<'_> { View(&self.0) }
            pub fn total(&self) -> Total { Total(1) }
        }
        pub struct Reader(Arc<Mutex<u32>>, Cell<u32>);
        impl Reader { pub fn recv(&mut self) -> u32 { 1 } pub fn close(self) {} }
        pub struct Watcher(Arc<Mutex<u32>>);
        impl Watcher { pub fn look(&self) -> u32 { 1 } }
        pub struct View<'a>(&'a Mutex<u32>);
        impl View<'_> { pub fn get(&self) -> u32 { 1 } }
        pub struct Total(u32);
        impl Total { pub fn get(&self) -> u32 { 1 } }
        pub struct Pool(Arc<AtomicU32>);
        impl Pool { pub fn of(size: u32) -> Self { Pool(Arc::default()) } pub fn get(&self) -> u32 { 1 } }",
    );
    let paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "subject::Hub",
            "subject::Pool",
            "subject::{Hub, Reader, Reader}",
            "subject::{Hub, Watcher}",
        ]
    );
    let family = subject(&catalog, "subject::{Hub, Reader, Reader}");
    assert_eq!(
        constructors(family),
        ["{ let x = Hub::new(); let y = x.subscribe(); let z = x.subscribe(); (x, y, z) }"]
    );
    let names: Vec<&str> = family
        .operations
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    for name in [
        "Hub::send",
        "Reader::recv",
        "Reader::close",
        "Reader 2::recv",
        "Reader 2::drop",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let watched = subject(&catalog, "subject::{Hub, Watcher}");
    assert_eq!(
        constructors(watched),
        ["{ let x = Hub::new(); let y = x.watcher(1).unwrap(); (x, y) }"]
    );
    assert!(
        catalog
            .skipped
            .iter()
            .all(|it| !it.item.ends_with("Reader"))
    );
}

#[test]
fn an_end_that_is_for_one_thread_has_a_clone_for_another() {
    let catalog = catalog_of(
        "use std::{cell::Cell, sync::{Arc, Mutex}};
        pub fn channel() -> (Sender, Receiver) { panic!() }
        #[derive(Clone)] pub struct Sender(Arc<Mutex<u32>>);
        impl Sender { pub fn send(&self, value: u32) {} }
        #[derive(Clone)] pub struct Receiver(Arc<Mutex<u32>>, Cell<u32>);
        impl Receiver { pub fn recv(&mut self) -> u32 { 1 } }",
    );
    let paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "subject::{Sender, Receiver, Receiver}",
            "subject::{Sender, Receiver}",
        ]
    );
    assert_eq!(
        constructors(&catalog.subjects[0]),
        ["{ let (x, y) = channel(); let z = y.clone(); (x, y, z) }"]
    );
}

#[test]
fn what_operations_return_needs_no_subject_of_its_own() {
    let catalog = catalog_of(
        "use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
        #[derive(Default)] pub struct Pool(AtomicU32);
        pub struct Permit(Arc<Pool>);
        impl Pool { pub fn take(self: Arc<Self>) -> Permit { self.0.fetch_add(1, Ordering::SeqCst); Permit(self) } }
        impl Permit { pub fn forget(self) { std::mem::forget(self) } }
        impl Drop for Permit { fn drop(&mut self) { self.0.0.fetch_sub(1, Ordering::SeqCst); } }
        pub struct Draining(AtomicU32);
        impl Draining { pub fn next(&mut self) -> u32 { 1 } }",
    );
    let why = |name: &str| {
        let it = catalog.skipped.iter().find(|it| it.item.ends_with(name));
        it.map(|it| it.why.as_str())
    };
    assert_eq!(why("Permit"), Some("used by the operations that return it"));
    assert_eq!(
        why("Draining"),
        Some("no safe method takes a shared reference")
    );
}

#[test]
fn a_future_that_owns_the_handle_it_comes_from_is_a_chain() {
    let catalog = catalog_of(
        "use std::{future::Future, sync::Mutex};
        #[derive(Default)] pub struct Cache<K, V>(Mutex<Vec<(K, V)>>);
        pub struct Entry<'a, K, V> { key: K, cache: &'a Cache<K, V> }
        pub enum Change<V> { Nothing, Put(V) }
        impl<K, V: Clone> Cache<K, V> {
            pub fn entry(&self, key: K) -> Entry<'_, K, V> { Entry { key, cache: self } }
            pub async fn later(&self, key: K) -> Entry<'_, K, V> { Entry { key, cache: self } }
        }
        impl<'a, K, V: Clone> Entry<'a, K, V> {
            pub async fn or_insert(self, value: V) -> V { value }
            pub async fn compute<F, W>(self, change: F) -> Option<V>
            where F: FnOnce(Option<V>) -> W, W: Future<Output = Change<V>> { change(None).await; None }
            pub async fn look(&self) -> Option<V> { None }
            /// This future is not cancel safe.
            pub async fn remove(self) {}
        }",
    );
    let cache = subject(&catalog, "Cache");
    let insert = operation(cache, "entry().or_insert");
    assert_eq!(insert.text.to_string(), "{s}.entry({0}).or_insert({1})");
    assert_eq!(insert.returned, Returned::Future);
    assert_eq!(
        operation(cache, "entry().compute").returned,
        Returned::Future
    );
    assert!(operation(cache, "entry().remove").not_cancel_safe.is_some());
    let names: Vec<&str> = cache.operations.iter().map(|it| it.name.as_str()).collect();
    // It borrows the handle, or the handle is a future's.
    assert!(!names.contains(&"entry().look"), "{names:?}");
    assert!(!names.contains(&"later().or_insert"), "{names:?}");
}

#[test]
fn the_handle_of_a_task_is_not_dropped() {
    let catalog = catalog_of(
        "use std::{future::Future, pin::Pin, sync::Mutex, task::{Context, Poll}};
        #[derive(Default)] pub struct Executor(Mutex<Vec<Pin<Box<dyn Future<Output = u32> + Send>>>>);
        pub struct Task(Option<u32>);
        impl Future for Task { type Output = u32;
            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> { Poll::Ready(1) } }
        impl Executor {
            pub fn spawn(&self, future: impl Future<Output = u32> + Send + 'static) -> Task {
                self.0.lock().unwrap().push(Box::pin(future)); Task(None) }
            pub async fn run(&self, future: impl Future<Output = u32>) -> u32 { future.await }
        }",
    );
    let executor = subject(&catalog, "Executor");
    let why = operation(executor, "spawn").not_cancelled();
    assert_eq!(why.as_deref(), Some("its future is the handle of a task"));
    assert_eq!(operation(executor, "run").not_cancelled(), None);
}

#[test]
fn what_a_guard_does_to_its_object_by_an_exclusive_borrow_of_itself_is_an_operation() {
    let catalog = catalog_of(
        "use std::sync::atomic::AtomicU64;
        #[derive(Default)] pub struct Queue(AtomicU64);
        pub struct Producer<'a>(&'a Queue);
        pub struct Own(u32);
        impl Producer<'_> { pub fn push(&mut self, value: u32) -> bool { true } }
        impl Own { pub fn grow(&mut self) -> bool { true } }
        impl Queue {
            pub fn producer(&self) -> Option<Producer<'_>> { None }
            pub fn own(&self) -> Own { panic!() }
        }",
    );
    let queue = subject(&catalog, "Queue");
    let push = operation(queue, "producer().push");
    assert_eq!(
        push.text.to_string(),
        "{s}.producer().map(|it| it.push({0}))"
    );
    assert!(push.expression.to_string().contains("mut handle"));
    // What does not refer to the object changes by itself.
    let mut names = queue.operations.iter().map(|it| it.name.as_str());
    assert!(!names.any(|it| it.contains("grow")));
}

#[test]
fn what_a_clone_shares_is_changed_through_clones_by_all_threads() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone, Default)] pub struct Log(Arc<Mutex<Vec<u32>>>);
        impl Log {
            pub fn append(&mut self, line: u32) { self.0.lock().unwrap().push(line) }
            pub async fn send(&mut self, line: u32) -> bool { true }
            pub fn last(&mut self) -> &u32 { panic!() }
            pub fn len(&self) -> usize { 0 }
        }
        #[derive(Clone, Default)] pub struct List(Vec<u32>);
        impl List { pub fn append(&mut self, line: u32) { self.0.push(line) } }
        #[derive(Clone, Default)] pub struct Rules(Arc<Vec<u32>>);
        impl Rules { pub fn append(&mut self, line: u32) {} }",
    );
    let log = subject(&catalog, "Log");
    let of = |taken: Taken| -> Vec<String> {
        let fitting = log.operations.iter().filter(|it| it.taken == taken);
        fitting.map(|it| it.text.to_string()).collect()
    };
    assert_eq!(
        of(Taken::MutableReference),
        ["{s}.append({0})", "{s}.send({0})", "{s}.last()"]
    );
    let shared = of(Taken::Reference);
    assert!(
        shared.contains(&"{s}.clone().append({0})".to_owned()),
        "{shared:?}"
    );
    assert!(
        shared.contains(&"{s}.clone().send({0})".to_owned()),
        "{shared:?}"
    );
    assert!(!shared.iter().any(|it| it.contains("last")), "{shared:?}");
    // A clone of these has nothing to do with the rest.
    for name in ["List", "Rules"] {
        assert!(
            !catalog.subjects.iter().any(|it| it.path.ends_with(name)),
            "{name}"
        );
    }
}
