//! Types for generic parameters.

use contest_catalog::subject_catalog::ConstructorEntry;

use crate::documented::{catalog_of, operation, skipped, subject};

#[track_caller]
fn instance(source: &str) -> String {
    let source = format!("use std::{{sync::*, hash::Hash, fmt::Debug}};\n{source}");
    let catalog = catalog_of(&source);
    subject(&catalog, "Subject").type_expression.clone()
}

#[test]
fn bounds_defaults_and_constants_decide() {
    let cases = [
        (
            "pub struct Subject<T>(Mutex<T>);
             impl<T: Ord + Hash + Clone + Default> Subject<T> { pub fn new(t: T) -> Self { Self(Mutex::new(t)) } pub fn get(&self) -> T { T::default() } }",
            "subject::Subject<u32>",
        ),
        (
            "pub struct Subject<T: AsRef<str> + Clone>(Mutex<T>);
             impl<T: AsRef<str> + Clone> Subject<T> { pub fn new(t: T) -> Self { Self(Mutex::new(t)) } pub fn get(&self) {} }",
            "subject::Subject<std::string::String>",
        ),
        (
            "pub struct Subject<T, const N: usize>(Mutex<[T; N]>);
             impl<T: Copy, const N: usize> Subject<T, N> { pub fn new(t: T) -> Self { Self(Mutex::new([t; N])) } pub fn get(&self) -> [T; N] { *self.0.lock().unwrap() } }",
            "subject::Subject<u32, 2>",
        ),
        (
            "pub struct Subject<T, F = fn() -> T>(Mutex<Option<T>>, F);
             impl<T, F: Fn() -> T> Subject<T, F> { pub fn new(f: F) -> Self { Self(Mutex::new(None), f) } pub fn get(&self) -> Option<T> { None } }",
            "subject::Subject<u32>",
        ),
        (
            "pub trait Key: Copy {} #[derive(Clone, Copy)] pub struct Spur(u32); impl Key for Spur {}
             pub struct Subject<K>(Mutex<Option<K>>);
             impl<K: Key> Subject<K> { pub fn new() -> Self { Self(Mutex::new(None)) } pub fn get(&self) {} }",
            "subject::Subject<subject::Spur>",
        ),
        (
            "pub unsafe trait Count {} unsafe impl<T> Count for Arc<T> {}
             pub struct Subject<T>(Mutex<Option<T>>);
             impl<T: Count> Subject<T> { pub fn new() -> Self { Self(Mutex::new(None)) } pub fn get(&self) {} }",
            "subject::Subject<std::sync::Arc<u32>>",
        ),
        (
            "pub struct Subject<T: ?Sized>(std::cell::Cell<u8>, std::marker::PhantomData<T>);
             unsafe impl<T: ?Sized + Send> Sync for Subject<T> {} unsafe impl<T: ?Sized> Send for Subject<T> {}
             impl<T> Subject<T> { pub fn new() -> Self { panic!() } pub fn get(&self) {} }",
            "subject::Subject<u32>",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(instance(source), expected, "{source}");
    }
}

#[test]
fn a_trait_without_implementations_gets_a_stand_in() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        pub trait Manage: Send + Sync + 'static {
            type Connection: Send + 'static;
            type Error: std::error::Error + 'static;
            const LIMIT: usize;
            fn connect(&self) -> Result<Self::Connection, Self::Error>;
            fn is_valid(&self, connection: &mut Self::Connection) -> bool;
            fn has_broken(&self, connection: &mut Self::Connection) -> bool;
            fn name(&self) -> String { String::new() }
        }
        pub struct Pool<M: Manage>(M, Mutex<Vec<M::Connection>>);
        impl<M: Manage> Pool<M> {
            pub fn new(manager: M) -> Result<Self, M::Error> { Ok(Pool(manager, Mutex::default())) }
            pub fn get(&self) -> Result<M::Connection, M::Error> { self.0.connect() }
            pub fn put(&self, connection: M::Connection) {}
        }",
    );
    let pool = subject(&catalog, "Pool");
    assert_eq!(pool.type_expression, "subject::Pool<StandInManage>");
    let [item] = &catalog.support_items[..] else {
        panic!("one stand-in: {:#?}", catalog.support_items)
    };
    assert_eq!(item.name, "StandInManage");
    assert!(item.source.contains("type Connection = u32;"));
    let bodies: Vec<&str> = item.source.lines().map(str::trim).collect();
    assert!(bodies.contains(&"true"), "is_valid: {}", item.source);
    assert!(bodies.contains(&"false"), "has_broken: {}", item.source);
    let put = operation(pool, "put");
    assert_eq!(put.arguments[0].type_expression.as_deref(), Some("u32"));
}

#[test]
fn an_unsafe_trait_is_never_stood_in_for() {
    let catalog = catalog_of(
        "pub unsafe trait Raw {}
        pub struct Lock<R: Raw>(R, std::sync::Mutex<u32>);
        impl<R: Raw> Lock<R> { pub fn new(r: R) -> Self { Lock(r, Default::default()) } pub fn get(&self) {} }",
    );
    assert_eq!(catalog.support_items, []);
    assert!(skipped(&catalog, "Lock").starts_with("no type known for `R: Raw`"));
}

#[test]
fn a_raw_lock_is_stood_in_for_by_an_atomic_and_supertraits_are_written_too() {
    let catalog = catalog_of(
        "pub unsafe trait RawMutex { const INIT: Self; type Guard; fn lock(&self) -> Self::Guard; fn try_lock(&self) -> Option<Self::Guard>;
            unsafe fn unlock(&self, guard: Self::Guard); fn is_locked(&self) -> bool { false } }
        pub struct Lock<R: RawMutex>(R, std::sync::Mutex<u32>);
        impl<R: RawMutex> Lock<R> { pub fn new() -> Self { Lock(R::INIT, Default::default()) } pub fn get(&self) -> u32 { 0 } }
        pub trait Name { fn name(&self) -> String; type Number: Default; }
        pub trait Job: Name + Send { fn run(&mut self, number: Self::Number) -> bool; }
        pub struct Queue<J: Job>(std::sync::Mutex<Vec<J>>);
        impl<J: Job> Queue<J> { pub fn new() -> Self { Queue(Default::default()) } pub fn push(&self, job: J) {} }
        pub trait Absorb<O> { fn absorb(&mut self, operation: &mut O); }
        pub struct Log<T: Absorb<O>, O>(std::sync::Mutex<Vec<O>>, std::marker::PhantomData<T>);
        impl<T: Absorb<O>, O> Log<T, O> { pub fn new() -> Self { panic!() } pub fn append(&self, operation: O) {} }",
    );
    let expression = |path: &str| subject(&catalog, path).type_expression.clone();
    assert_eq!(
        expression("subject::Lock"),
        "subject::Lock<StandInRawMutex>"
    );
    assert_eq!(expression("subject::Queue"), "subject::Queue<StandInJob>");
    assert_eq!(
        expression("subject::Log"),
        "subject::Log<StandInAbsorb, u32>"
    );
    operation(subject(&catalog, "subject::Log"), "append");
}

#[test]
fn methods_of_another_instantiation_are_left_out() {
    let catalog = catalog_of(
        "pub struct Subject<T>(std::sync::Mutex<T>);
        impl<T: Default> Subject<T> { pub fn new() -> Self { Subject(Default::default()) } pub fn a(&self) {} pub fn b(&self) {} }
        impl Subject<char> { pub fn only_for_char(&self) {} }
        impl<T: Iterator> Subject<T> { pub fn only_for_iterators(&self) {} }",
    );
    let found = subject(&catalog, "Subject");
    let why = |name| crate::documented::left_out(found, name);
    assert_eq!(found.type_expression, "subject::Subject<char>");
    assert_eq!(why("only_for_iterators"), "char is not Iterator");
}

#[test]
fn an_implementor_may_need_another_implementor() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex, atomic::{AtomicU32, Ordering}};
        pub trait Raw { fn raw(&self) -> u32; }
        #[derive(Default)] pub struct Local(std::cell::Cell<u32>);
        impl Raw for Local { fn raw(&self) -> u32 { self.0.get() } }
        #[derive(Default)] pub struct Shared(AtomicU32);
        impl Raw for Shared { fn raw(&self) -> u32 { self.0.fetch_add(1, Ordering::SeqCst) } }
        mod sealed { pub trait Sealed {} }
        pub trait Behaviour: sealed::Sealed { fn behave(&self) -> u32; }
        #[derive(Default)] pub struct Channel<R: Raw>(R);
        impl<R: Raw> sealed::Sealed for Channel<R> {}
        impl<R: Raw> Behaviour for Channel<R> { fn behave(&self) -> u32 { self.0.raw() } }
        #[derive(Default)] pub struct User<B: Behaviour>(B, Mutex<u32>);
        impl<B: Behaviour> User<B> { pub fn employ(&self) -> u32 { self.0.behave() } }",
    );
    assert_eq!(
        subject(&catalog, "User").type_expression,
        "subject::User<subject::Channel<subject::Shared>>"
    );
}

#[test]
fn types_that_need_each_other_without_end_are_left_out_or_made_otherwise() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex, atomic::{AtomicU32, Ordering}};
        pub trait Link { type Next: Link; type Borrowed<'a> where Self: 'a; fn lend(&self) -> Self::Borrowed<'_>; }
        pub struct Chain<L: Link>(Mutex<u32>, std::marker::PhantomData<L>);
        impl<L: Link> Link for Chain<L> { type Next = Chain<Chain<L>>; type Borrowed<'a> = &'a Mutex<u32> where L: 'a;
            fn lend(&self) -> &Mutex<u32> { &self.0 } }
        impl<L: Link> Chain<L> { pub fn new() -> Self { Self(Mutex::new(0), std::marker::PhantomData) } pub fn add(&self) {} }
        pub struct Even(Arc<Mutex<u32>>); pub struct Odd(Arc<Mutex<u32>>);
        impl Even { pub fn of(odd: Odd) -> Self { Self(odd.0) } pub fn count(&self) -> u32 { 0 } }
        impl Odd { pub fn of(even: Even) -> Self { Self(even.0) } pub fn count(&self) -> u32 { 0 } }
        pub struct Own<T>(Mutex<Option<T>>);
        impl Own<Own<u32>> { pub fn nested(own: Own<Own<u32>>) -> Self { own } }
        impl<T> Own<T> { pub fn new() -> Self { Self(Mutex::new(None)) } pub fn put(&self, own: Own<Own<T>>) { let _ = own; } }
        #[derive(Default)] pub struct Plain(AtomicU32); impl Plain { pub fn add(&self) { self.0.fetch_add(1, Ordering::SeqCst); } }",
    );
    subject(&catalog, "Plain");
    operation(subject(&catalog, "Own"), "put");
    assert!(skipped(&catalog, "Even").starts_with("no way to make one"));
    let chained = catalog.subjects.iter().any(|it| it.path.ends_with("Chain"));
    assert!(chained, "{:?}", catalog.skipped);
}

#[test]
fn a_stand_in_names_the_type_of_a_future_that_its_trait_leaves_open() {
    let catalog = catalog_of(
        "use std::{fmt, future::Future, sync::Mutex};
        pub trait Manage: Sized + Send + Sync + 'static {
            type Connection: Send + 'static;
            type Error: fmt::Debug + Send + 'static;
            fn connect(&self) -> impl Future<Output = Result<Self::Connection, Self::Error>> + Send;
            fn is_valid(&self, it: &mut Self::Connection) -> impl Future<Output = Result<(), Self::Error>> + Send;
            fn has_broken(&self, it: &mut Self::Connection) -> bool;
        }
        pub struct Pool<M: Manage>(M, Mutex<Vec<M::Connection>>);
        impl<M: Manage> Pool<M> {
            pub fn new(manager: M) -> Self { Pool(manager, Mutex::new(Vec::new())) }
            pub async fn get(&self) -> Result<M::Connection, M::Error> { self.0.connect().await }
        }",
    );
    let pool = subject(&catalog, "Pool");
    assert_eq!(pool.type_expression, "subject::Pool<StandInManage>");
    let first = |it: &ConstructorEntry| it.arguments[0].choices[0].text.clone();
    let managers: Vec<String> = pool.constructors.iter().map(first).collect();
    assert_eq!(
        managers,
        [
            "StandInManage",
            "StandInManage::WAITS",
            "StandInManage::connect_FAILS",
            "StandInManage::is_valid_FAILS",
            "StandInManage::has_broken_DIFFERS",
        ]
    );
}

#[test]
fn futures_and_ranges_are_types_for_parameters_and_arguments() {
    let catalog = catalog_of(
        "use std::{borrow::Borrow, collections::BTreeMap, future::{Future, IntoFuture}, io::Read, ops::RangeBounds, pin::Pin, sync::{Arc, Mutex}};
        pub struct Shared<F: Future>(Arc<Mutex<Option<F::Output>>>);
        impl<F: Future> Shared<F> where F::Output: Clone {
            pub fn new(future: F) -> Self { Self(Arc::default()) }
            pub fn peek(&self) -> Option<F::Output> { self.0.lock().unwrap().clone() }
        }
        pub struct Map<K, V>(Mutex<BTreeMap<K, V>>);
        impl<K: Ord, V: Clone> Map<K, V> {
            pub fn new() -> Self { Self(Mutex::default()) }
            pub fn within(&self, range: impl RangeBounds<K>) -> usize { self.0.lock().unwrap().range(range).count() }
            pub fn count<Q: Ord, R: RangeBounds<Q>>(&self, range: R) -> usize where K: Borrow<Q> { self.0.lock().unwrap().range(range).count() }
            pub fn read(&self, from: impl Read) {}
            pub fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {}
            pub async fn within_time<F: IntoFuture>(&self, task: F) -> F::Output { task.await }
        }",
    );
    let shared = subject(&catalog, "Shared");
    assert_eq!(shared.type_expression, "subject::Shared<Later<u32>>");
    assert_eq!(shared.constructors[0].text.to_string(), "Shared::new({0})");
    let map = subject(&catalog, "Map");
    for name in ["within", "count"] {
        let choices = &operation(map, name).arguments[0].choices;
        assert_eq!(choices[0].text, "..", "{name}: {choices:?}");
    }
    for (name, text) in [
        ("read", "Cursor::new(vec![1, 0])"),
        ("spawn", "Box::into_pin(Box::new(Later::now(())))"),
        ("within_time", "Later::now(1)"),
    ] {
        assert_eq!(operation(map, name).arguments[0].choices[0].text, text);
    }
}

#[test]
fn what_a_trait_makes_of_a_value_is_made_so() {
    let catalog = catalog_of(
        "use std::{future::Future, sync::Mutex};
        pub trait FutureExt: Future {
            fn memo(self) -> Memo<Self> where Self: Sized, Self::Output: Clone { Memo(Mutex::new(Some(self))) }
        }
        impl<T: ?Sized + Future> FutureExt for T {}
        pub struct Memo<F: Future>(Mutex<Option<F>>);
        impl<F: Future> Memo<F> { pub fn is_over(&self) -> bool { self.0.lock().unwrap().is_none() } }

        pub trait Buffer { fn rest(&self) -> usize; fn chain<B: Buffer>(self, other: B) -> Chain<Self, B> where Self: Sized { Chain(self, Mutex::new(other)) } }
        impl Buffer for String { fn rest(&self) -> usize { self.len() } }
        pub struct Chain<A, B>(A, Mutex<B>);
        impl<A: Buffer, B: Buffer> Chain<A, B> { pub fn all(&self) -> usize { self.0.rest() + self.1.lock().unwrap().rest() } }",
    );
    let memo = subject(&catalog, "Memo");
    assert_eq!(memo.type_expression, "subject::Memo<Later<u32>>");
    let made = memo.constructors[0].text.to_string();
    assert_eq!(made, "Later::now(1).memo()");
    let chain = subject(&catalog, "Chain");
    let string = "std::string::String";
    let expected = format!("subject::Chain<{string}, {string}>");
    assert_eq!(chain.type_expression, expected);
    let made = chain.constructors[0].text.to_string();
    assert_eq!(made, "\"a\".to_string().chain({0})");
}

#[test]
fn a_service_whose_future_names_its_other_types_is_stood_in_for() {
    let catalog = catalog_of(
        "use std::{future::Future, sync::Mutex, task::{Context, Poll}};
        pub trait Serve<Request> {
            type Response;
            type Error;
            type Future: Future<Output = Result<Self::Response, Self::Error>>;
            fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>>;
            fn call(&mut self, request: Request) -> Self::Future;
        }
        pub struct Shared<S>(Mutex<S>);
        impl<S: Serve<u32>> Shared<S> {
            pub fn new(inner: S) -> Self { Shared(inner.into()) }
            pub fn ask(&self, request: u32) -> S::Future { self.0.lock().unwrap().call(request) }
        }
        pub trait Stream { type Item; fn next(&mut self) -> Option<Self::Item>; }
        impl Stream for std::vec::IntoIter<u32> { type Item = u32; fn next(&mut self) -> Option<u32> { None } }
        pub struct All<Svc: Serve<S::Item>, S: Stream> { service: Mutex<Svc>, stream: Mutex<S> }
        impl<Svc: Serve<S::Item>, S: Stream> All<Svc, S> {
            pub fn new(service: Svc, stream: S) -> Self { All { service: service.into(), stream: stream.into() } }
            pub fn step(&self) -> bool { true }
        }",
    );
    let shared = subject(&catalog, "Shared");
    assert_eq!(shared.type_expression, "subject::Shared<StandInServe>");
    assert!(shared.operations.iter().any(|it| it.name == "ask"));
    let all = subject(&catalog, "All");
    assert!(
        all.type_expression.contains("StandInServe"),
        "{}",
        all.type_expression
    );
}

#[test]
fn a_list_is_one_of_what_its_items_are_to_be() {
    let source = "use std::{borrow::Borrow, ffi::c_int, sync::Mutex};
         pub struct Signals(Mutex<Vec<c_int>>);
         impl Signals {
             pub fn new<I, S>(signals: I) -> Self where I: IntoIterator<Item = S>, S: Borrow<c_int> {
                 Self(Mutex::new(signals.into_iter().map(|it| *it.borrow()).collect()))
             }
             pub fn add(&self, signal: c_int) { self.0.lock().unwrap().push(signal) }
         }";
    let catalog = catalog_of(source);
    let signals = subject(&catalog, "Signals");
    let made: Vec<String> = signals
        .constructors
        .iter()
        .map(|it| it.text.to_string())
        .collect();
    assert_eq!(made, ["Signals::new({0})"]);
    assert_eq!(operation(signals, "add").text.to_string(), "{s}.add({0})");
}
