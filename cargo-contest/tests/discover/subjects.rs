//! Which types are subjects, how they are made, what can be done with them.

use contest_catalog::expression::Style;
use contest_catalog::subject_catalog::{Made, Passed, Returned, Taken};

use contest_data::subject::Needs;

use crate::documented::{
    catalog_of, catalog_with_dependency, catalog_with_named, constructors, left_out, operation,
    skipped, subject,
};

#[test]
fn a_type_with_shared_methods_and_a_constructor_is_a_subject() {
    let catalog = catalog_of(
        "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
        /// Counts.
        #[derive(Default)]
        pub struct Counter(AtomicU32);
        impl Counter {
            pub fn with_start(start: u32) -> Self { Self(start.into()) }
            pub fn inc(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
            pub fn get(&self) -> u32 { self.0.load(SeqCst) }
            pub fn reset(&mut self) { *self.0.get_mut() = 0; }
            pub fn len(&self) -> usize { 0 }
            pub fn into_inner(self) -> u32 { self.get() }
            pub unsafe fn poke(&self) {}
            #[doc(hidden)] pub fn secret(&self) {}
            pub fn _internal(&self) {}
            fn private(&self) {}
            pub fn address(&self) -> *const u32 { std::ptr::null() }
        }",
    );
    let counter = subject(&catalog, "Counter");
    assert_eq!(counter.path, "subject::Counter");
    assert_eq!(counter.type_expression, "subject::Counter");
    assert_eq!(counter.declared, "subject.rs:4");
    assert_eq!(
        constructors(counter),
        ["Counter::default()", "Counter::with_start({0})"]
    );
    let names: Vec<_> = counter
        .operations
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["inc", "get", "reset", "len", "into_inner"]);
    assert!(operation(counter, "get").observer);
    assert!(!operation(counter, "inc").observer);
    assert!(operation(counter, "len").weak);
    assert_eq!(operation(counter, "reset").taken, Taken::MutableReference);
    assert_eq!(operation(counter, "inc").declared, "subject.rs:7");
    assert_eq!(left_out(counter, "poke"), "unsafe fn");
    assert_eq!(left_out(counter, "secret"), "#[doc(hidden)]");
    assert_eq!(left_out(counter, "_internal"), "internal by its name");
    assert_eq!(left_out(counter, "address"), "returns a raw pointer");
}

#[test]
fn types_that_cannot_be_shared_made_or_changed_are_skipped_with_the_reason() {
    let catalog = catalog_of(
        "use std::{cell::Cell, sync::Mutex};
        #[derive(Default)] pub struct Local(Cell<u32>);
        impl Local { pub fn get(&self) -> u32 { self.0.get() } }
        #[derive(Default)] pub struct Plain { a: u32, b: Option<String> }
        impl Plain { pub fn a(&self) -> u32 { self.a } }
        pub struct Locked(Mutex<u32>);
        impl Locked { pub fn get(&self) -> u32 { 0 } }
        #[derive(Default)] pub struct Quiet(Mutex<u32>);
        pub struct Guard<'a>(&'a Mutex<u32>);
        impl<'a> Guard<'a> { pub fn get(&self) -> u32 { 0 } }
        #[doc(hidden)] #[derive(Default)] pub struct Hidden(Mutex<u32>);
        impl Hidden { pub fn get(&self) -> u32 { 0 } }
        mod private { pub struct Unseen(super::Mutex<u32>); impl Unseen { pub fn get(&self) {} } }",
    );
    assert_eq!(catalog.subjects, []);
    assert_eq!(skipped(&catalog, "Local"), "not Sync");
    assert_eq!(
        skipped(&catalog, "Plain"),
        "nothing in it can change while it is shared"
    );
    assert_eq!(skipped(&catalog, "Locked"), "no way to make one");
    assert_eq!(
        skipped(&catalog, "Quiet"),
        "no safe method takes a shared reference"
    );
    assert_eq!(skipped(&catalog, "Guard"), "borrows from another object");
    assert_eq!(skipped(&catalog, "Hidden"), "#[doc(hidden)]");
    assert!(!catalog.skipped.iter().any(|it| it.item.contains("Unseen")));
}

#[test]
fn a_type_is_named_by_its_shortest_public_path() {
    let catalog = catalog_of(
        "mod deep { pub mod inner {
            #[derive(Default)] pub struct Cell(std::sync::Mutex<u32>);
            impl Cell { pub fn set(&self, value: u32) {} }
        } }
        pub use deep::inner;
        pub use deep::inner::Cell as Slot;",
    );
    assert_eq!(subject(&catalog, "Slot").type_expression, "subject::Slot");
    assert_eq!(catalog.subjects.len(), 1);
}

#[test]
fn re_exports_of_another_crate_are_followed() {
    let dependency = "#[derive(Default)] pub struct Thing(std::sync::Mutex<u32>);
        impl Thing { pub fn get(&self) -> u32 { 0 } }
        pub struct Other;";
    let catalog = catalog_with_dependency(
        "pub use inner_crate::Thing; pub use inner_crate as whole;",
        Some(("inner_crate", dependency)),
    );
    assert_eq!(catalog.subjects.len(), 1);
    assert_eq!(subject(&catalog, "Thing").type_expression, "subject::Thing");
    assert_eq!(
        skipped(&catalog, "whole"),
        "re-export of another crate; test it with `-p inner_crate`"
    );
}

#[test]
fn an_alias_of_a_dependencys_type_is_a_subject_by_its_own_name() {
    let dependency = "pub unsafe trait Raw { const INIT: Self; }
        pub struct Mutex<R, T> { raw: R, data: std::cell::UnsafeCell<T> }
        unsafe impl<R: Raw + Sync, T: Send> Sync for Mutex<R, T> {}
        impl<R: Raw, T> Mutex<R, T> {
            pub fn new(value: T) -> Self { Self { raw: R::INIT, data: value.into() } }
            pub fn replace(&self, value: T) {}
        }";
    let catalog = catalog_with_dependency(
        "pub struct RawSpin(std::sync::atomic::AtomicBool);
        unsafe impl inner_crate::Raw for RawSpin {
            const INIT: Self = RawSpin(std::sync::atomic::AtomicBool::new(false));
        }
        pub type SpinMutex<T> = inner_crate::Mutex<RawSpin, T>;",
        Some(("inner_crate", dependency)),
    );
    let mutex = subject(&catalog, "SpinMutex");
    assert_eq!(mutex.type_expression, "subject::SpinMutex<u32>");
    assert_eq!(constructors(mutex), ["SpinMutex::new({0})"]);
    operation(mutex, "replace");
}

#[test]
fn constructors_come_from_everywhere() {
    let catalog = catalog_of(
        "use std::{sync::{Arc, Mutex}};
        pub struct Pool(Mutex<u32>);
        impl Pool {
            pub fn get(&self) -> u32 { 0 }
            pub fn builder() -> Builder { Builder { size: 10 } }
            pub fn try_new(size: usize) -> Result<Self, String> { Err(String::new()) }
        }
        impl From<u32> for Pool { fn from(it: u32) -> Self { Self(it.into()) } }
        pub struct Builder { size: u32 }
        impl Builder {
            pub fn max_size(mut self, size: u32) -> Self { self.size = size; self }
            pub fn build(self) -> Pool { Pool(self.size.into()) }
        }
        pub fn shared() -> Arc<Pool> { Arc::new(Pool::from(1)) }
        pub fn pair() -> (Pool, u32) { (Pool::from(1), 1) }",
    );
    let pool = subject(&catalog, "Pool");
    let made: Vec<_> = pool
        .constructors
        .iter()
        .map(|it| (it.text.to_string(), it.made))
        .collect();
    for (text, how) in [
        ("Pool::try_new({0}).unwrap()", Made::Plain),
        ("Pool::from({0})", Made::Plain),
        ("shared()", Made::Arc),
        (
            "{ let (part_0, part_1) = pair(); mem::forget(part_1); part_0 }",
            Made::Plain,
        ),
        ("Pool::builder().max_size(1).build()", Made::Plain),
        ("Pool::builder().build()", Made::Plain),
    ] {
        assert!(
            made.contains(&(text.to_string(), how)),
            "{text} in {made:?}"
        );
    }
}

#[test]
fn methods_of_the_crates_own_traits_and_clone_are_operations() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        pub trait Collect { type Item; fn collect(&self) -> Vec<Self::Item>; fn twice(&self) -> u32 { 2 } }
        #[derive(Clone, Default)] pub struct Bag(Arc<Mutex<u32>>);
        impl Collect for Bag { type Item = u64; fn collect(&self) -> Vec<u64> { vec![] } }
        impl Extend<u32> for Bag { fn extend<T: IntoIterator<Item = u32>>(&mut self, _: T) {} }",
    );
    let bag = subject(&catalog, "Bag");
    let names: Vec<_> = bag.operations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        ["Collect::collect", "Collect::twice", "Clone::clone"]
    );
    let collect = operation(bag, "Collect::collect");
    assert_eq!(collect.text.to_string(), "{s}.collect()");
    assert_eq!(collect.from_trait.as_deref(), Some("subject::Collect"));
}

#[test]
fn free_functions_on_a_reference_are_operations() {
    let catalog = catalog_of(
        "#[derive(Default)] pub struct Queue<T>(std::sync::Mutex<Vec<T>>);
        pub fn push<T>(queue: &Queue<T>, value: T) {}
        pub fn take<T>(queue: &mut Queue<T>) {}
        pub fn other(value: &u32) {}",
    );
    let queue = subject(&catalog, "Queue");
    let push = operation(queue, "push");
    assert_eq!(push.text.to_string(), "push({s}, {0})");
    assert_eq!(push.arguments.len(), 1);
    assert_eq!(operation(queue, "take").taken, Taken::MutableReference);
    assert_eq!(queue.operations.len(), 2);
}

#[test]
fn receivers_by_arc_futures_and_iterators_are_distinguished() {
    let catalog = catalog_of(
        "use std::{sync::{Arc, Mutex}, future::Future, pin::Pin, task::{Context, Poll}};
        #[derive(Default)] pub struct Queue(Mutex<Vec<u32>>);
        pub struct Wait(Option<u32>);
        impl Future for Wait { type Output = u32;
            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> { Poll::Ready(1) } }
        impl Queue {
            pub fn by_arc(self: Arc<Self>) {}
            pub fn by_reference(self: &Arc<Self>) {}
            pub fn associated(this: &Self, other: &Self) -> bool { true }
            pub fn merge(&self, other: Arc<Self>) {}
            pub async fn pop(&self) -> u32 { 0 }
            pub fn wait(&self) -> Wait { Wait(None) }
            pub fn iter(&self) -> std::vec::IntoIter<u32> { vec![].into_iter() }
            pub fn lazily(&self) -> impl Iterator<Item = u32> { 0..1 }
            pub fn pinned(self: Pin<&Self>) {}
        }",
    );
    let queue = subject(&catalog, "Queue");
    let taken = |name| operation(queue, name).taken;
    assert_eq!(taken("by_arc"), Taken::Arc);
    assert_eq!(taken("by_reference"), Taken::ArcReference);
    assert_eq!(taken("associated"), Taken::Reference);
    let passed = |name| operation(queue, name).arguments[0].passed;
    assert_eq!(passed("associated"), Passed::OtherObject);
    assert_eq!(passed("merge"), Passed::OtherObjectArc);
    let returned = |name| operation(queue, name).returned;
    assert_eq!(returned("pop"), Returned::Future);
    assert_eq!(returned("wait"), Returned::Future);
    assert_eq!(returned("iter"), Returned::Iterator);
    assert_eq!(returned("lazily"), Returned::Iterator);
    let wait = operation(queue, "wait").expression.to_string();
    assert_eq!(wait, "::contest::macro_support::step({s}.wait())");
    assert!(operation(queue, "iter").weak);
    assert!(left_out(queue, "pinned").contains("not supported"));
}

#[test]
fn ends_that_are_made_together_are_tested_as_a_pair() {
    let catalog = catalog_of(
        "use std::{cell::Cell, sync::{Arc, Mutex}};
        pub struct Sender<T>(Arc<Mutex<Vec<T>>>);
        pub struct Receiver<T>(Arc<Mutex<Vec<T>>>, Cell<u32>);
        pub struct Report(Arc<Mutex<u32>>);
        pub fn bounded<T>(size: usize) -> Result<(Sender<T>, Receiver<T>), String> {
            let items = Arc::new(Mutex::new(Vec::with_capacity(size)));
            Ok((Sender(items.clone()), Receiver(items, Cell::new(0))))
        }
        impl<T> Sender<T> {
            pub fn send(&self, item: T) { self.0.lock().unwrap().push(item); }
            pub fn same(&self, other: &Self) -> bool { Arc::ptr_eq(&self.0, &other.0) }
            pub fn close(self) -> Report { Report(Arc::default()) }
        }
        impl<T> Receiver<T> {
            pub fn recv(&mut self) -> Option<T> { self.0.lock().unwrap().pop() }
            pub fn seen(&self) -> u32 { self.1.get() }
        }",
    );
    assert_eq!(catalog.subjects.len(), 1);
    let pair = &catalog.subjects[0];
    assert_eq!(pair.path, "subject::{Sender, Receiver}");
    assert_eq!(
        pair.type_expression,
        "(SharedEnd<subject::Sender<u32>>, OwnEnd<subject::Receiver<u32>>)"
    );
    // Readers know no wrappers.
    assert_eq!(
        pair.shown(),
        "(subject::Sender<u32>, subject::Receiver<u32>)"
    );
    assert_eq!(constructors(pair), ["bounded({0}).unwrap()"]);
    let needs = |name: &str| match operation(pair, name).taken {
        Taken::End(of) => (of.end, of.needs),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(needs("Sender::send"), (0, Needs::Shared));
    assert_eq!(needs("Sender::close"), (0, Needs::Whole));
    assert_eq!(needs("Sender::drop"), (0, Needs::Whole));
    assert_eq!(needs("Receiver::recv"), (1, Needs::Alone));
    assert_eq!(needs("Receiver::seen"), (1, Needs::Alone));
    assert_eq!(
        left_out(pair, "Sender::same"),
        "takes an end of another pair"
    );
    assert!(
        !catalog
            .skipped
            .iter()
            .any(|it| it.item.contains("Receiver")),
        "{:?}",
        catalog.skipped
    );
}

#[test]
fn what_is_polled_through_a_mutable_reference_is_shared_in_a_mutex() {
    let catalog = catalog_of(
        "use std::pin::Pin;
        use std::task::{Context, Poll};
        #[derive(Default)]
        pub struct Timers(Vec<u32>);
        #[derive(Clone)]
        pub struct Key(usize);
        impl From<usize> for Key { fn from(at: usize) -> Self { Self(at) } }
        impl Timers {
            pub fn new() -> Self { Self::default() }
            pub fn first(&self) -> Option<Key> { None }
            pub fn insert(&mut self, at: u32) -> Key { Key(0) }
            pub fn insert_for(&mut self, time: std::time::Duration) -> Key { Key(0) }
            pub fn is_due(&self, key: &Key) -> bool { false }
            pub fn reset(&mut self, key: &Key, at: u32) {}
            pub fn remove(&mut self, key: Key) -> u32 { 0 }
            pub fn len(&self) -> usize { self.0.len() }
            pub async fn all(&mut self) {}
            pub fn poll_expired(self: Pin<&mut Self>, cx: &mut Context<'_>, most: u32) -> Poll<u32> {
                Poll::Pending
            }
        }
        pub struct Looked(u32);
        impl Looked {
            pub fn new() -> Self { Self(0) }
            pub fn set(&mut self, to: u32) {}
            pub fn get(&self) -> u32 { self.0 }
        }",
    );
    assert_eq!(catalog.subjects.len(), 1, "{:?}", catalog.subjects);
    let timers = &catalog.subjects[0];
    assert_eq!(timers.path, "subject::Timers");
    assert_eq!(
        timers.type_expression,
        "(std::sync::Mutex<subject::Timers>, subject::Key)"
    );
    assert_eq!(
        timers.constructors[0].expression.to_string(),
        "{ let mut object = <subject::Timers>::new(); \
         let key = <subject::Timers>::insert_for(&mut object, std::time::Duration::from_secs(1)); \
         (std::sync::Mutex::new(object), key) }"
    );
    let of = |name: &str| {
        let found = operation(timers, name);
        let Taken::End(end) = found.taken else {
            panic!("{found:?}");
        };
        let expression = found.expression.render(Style::Standalone);
        (end.end, end.needs, expression)
    };
    let (end, needs, expression) = of("poll_expired");
    assert_eq!(
        expression,
        "std::future::poll_fn(|context| <subject::Timers>::poll_expired(\
         std::pin::Pin::new(&mut *&mut *{s}.0.lock().unwrap()), context, std::clone::Clone::clone(&{0})))"
    );
    assert_eq!(end, 1, "others use it meanwhile");
    assert_eq!(needs, Needs::Alone);
    assert_eq!(
        of("reset"),
        (
            0,
            Needs::Shared,
            "{s}.0.lock().unwrap().reset(&{s}.1, {0})".to_owned()
        )
    );
    assert_eq!(
        of("remove").2,
        "{s}.0.lock().unwrap().remove(std::clone::Clone::clone(&{s}.1))"
    );
    assert_eq!(of("len").2, "{s}.0.lock().unwrap().len()");
    assert_eq!(
        left_out(timers, "all"),
        "its future keeps the object to itself"
    );
}

#[test]
fn two_values_that_share_nothing_are_no_pair() {
    let catalog = catalog_of(
        "pub struct Head(Vec<u8>);
        pub struct Body(Vec<u8>);
        pub fn parse(text: &str) -> (Head, Body) { (Head(text.into()), Body(Vec::new())) }
        impl Head { pub fn push(&mut self, byte: u8) { self.0.push(byte); } }
        impl Body { pub fn push(&mut self, byte: u8) { self.0.push(byte); } }",
    );
    assert!(catalog.subjects.is_empty(), "{:?}", catalog.subjects);
}

#[test]
fn functions_that_share_statics_are_one_subject_for_each_module() {
    let catalog = catalog_of(
        "use std::sync::{Mutex, atomic::AtomicU32};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        pub fn next() -> u32 { 0 }
        pub fn reset(to: u32) {}
        pub unsafe fn raw() {}
        pub struct Counter(Mutex<u32>);
        impl Counter { pub fn get(&self) -> u32 { 0 } }
        pub fn counter() -> Counter { Counter(Mutex::new(0)) }
        pub fn look(counter: &Counter) -> u32 { 0 }",
    );
    let functions = subject(&catalog, "subject");
    let names: Vec<&str> = functions
        .operations
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["next", "reset"]);
    assert_eq!(functions.type_expression, "()");
    assert_eq!(left_out(functions, "raw"), "unsafe fn");
    assert_eq!(
        constructors(subject(&catalog, "subject::Counter")),
        ["counter()"]
    );
}

#[test]
fn values_that_are_in_a_static_as_long_as_they_exist_are_made_and_dropped() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        static ALL: Mutex<Vec<u32>> = Mutex::new(Vec::new());
        pub struct Entry(u32);
        impl Entry { pub fn new(number: u32) -> Self { ALL.lock().unwrap().push(number); Self(number) } }
        impl Drop for Entry { fn drop(&mut self) { ALL.lock().unwrap().retain(|it| *it != self.0) } }
        pub struct Other(Mutex<u32>);
        impl Other { pub fn new() -> Self { Self(Mutex::new(0)) } pub fn get(&self) -> u32 { 0 } }",
    );
    let functions = subject(&catalog, "subject");
    let texts: Vec<String> = (functions.operations.iter())
        .map(|it| it.text.to_string())
        .collect();
    assert_eq!(texts, ["drop(Entry::new({0}))"]);
    assert_eq!(functions.operations[0].name, "Entry::new");
    assert_eq!(functions.type_expression, "()");
}

#[test]
fn streams_and_sinks_are_polled_by_traits_of_a_crate_that_can_be_named() {
    let traits = "use std::pin::Pin; use std::task::{Context, Poll};
        pub mod stream { use super::*;
            pub trait Stream { type Item; fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>>; }
        }
        pub use stream::Stream;
        pub trait Sink<Item> { type Error;
            fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>>;
            fn start_send(self: Pin<&mut Self>, item: Item) -> Result<(), Self::Error>;
        }";
    let source = "use std::pin::Pin; use std::task::{Context, Poll}; use std::sync::{Arc, Mutex}; use std::future::Future;
        use futures_core::{Sink, Stream};
        pub struct Outlet(Arc<Mutex<u32>>); pub struct Inlet(Arc<Mutex<u32>>);
        pub fn pipe() -> (Outlet, Inlet) { let it = Arc::new(Mutex::new(0)); (Outlet(it.clone()), Inlet(it)) }
        impl Sink<u32> for Outlet { type Error = ();
            fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), ()>> { Poll::Pending }
            fn start_send(self: Pin<&mut Self>, item: u32) -> Result<(), ()> { Ok(()) }
        }
        impl Stream for Inlet { type Item = u32;
            fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u32>> { Poll::Pending }
        }
        pub struct Crowd<F>(Vec<F>);
        impl<F> Crowd<F> { pub fn new() -> Self { Crowd(Vec::new()) } pub fn push(&mut self, member: F) { self.0.push(member) } }
        impl<F: Future> Stream for Crowd<F> { type Item = F::Output;
            fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<F::Output>> { Poll::Pending }
        }";
    let catalog = catalog_with_named(source, "futures_core", traits);
    let pipe = subject(&catalog, "subject::{Outlet, Inlet}");
    for name in [
        "Inlet::Stream::poll_next",
        "Outlet::Sink::poll_ready",
        "Outlet::Sink::start_send",
    ] {
        operation(pipe, name);
    }
    let crowd = subject(&catalog, "Crowd");
    assert_eq!(
        crowd.type_expression,
        "std::sync::Mutex<subject::Crowd<Later<u32>>>"
    );
    operation(crowd, "Stream::poll_next");
    // What cannot be named is not called.
    let catalog = catalog_with_dependency(source, Some(("futures_core", traits)));
    assert!(catalog.subjects.iter().all(|it| {
        let mut names = it.operations.iter().map(|it| it.name.as_str());
        names.all(|it| !it.contains("poll"))
    }));
}
