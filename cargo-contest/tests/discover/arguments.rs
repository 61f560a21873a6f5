//! Alternatives for arguments.

use contest_catalog::subject_catalog::Passed;

use crate::documented::{
    catalog_of, catalog_with_dependency, constructors, left_out, operation, subject, texts,
};

/// A subject with one method that takes `arguments`.
fn argument_texts(arguments: &str, items: &str) -> Vec<Vec<String>> {
    let source = format!(
        "use std::{{sync::*, time::*, borrow::Cow, num::*, ops::Range, collections::*}};
        {items}
        #[derive(Default)] pub struct Subject(Mutex<u32>);
        impl Subject {{ pub fn call(&self, {arguments}) {{}} }}"
    );
    let catalog = catalog_of(&source);
    let call = operation(subject(&catalog, "Subject"), "call");
    let all = call.arguments.iter().map(texts);
    all.map(|it| it.into_iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn values_of_std_types_have_small_alternatives() {
    let texts = argument_texts(
        "a: u32, b: bool, c: &str, d: String, e: Option<u8>, f: (u8, char), g: [u8; 2], h: Duration,
         i: NonZeroU32, j: &[u32], k: Result<u8, String>, l: Box<str>, m: Cow<'_, str>, n: Range<usize>,
         o: Arc<Mutex<u32>>, p: HashMap<u32, String>, q: &mut Vec<u8>, r: f64, s: &&str, value: i64",
        "",
    );
    assert_eq!(texts[0], ["1", "0", "2"]);
    assert_eq!(texts[1], ["true", "false"]);
    assert_eq!(texts[2], ["\"a\"", "\"b\""]);
    assert_eq!(texts[3], ["\"a\".to_string()", "\"b\".to_string()"]);
    assert_eq!(texts[4], ["Some(1)", "None", "Some(0)"]);
    assert_eq!(texts[5][0], "(1, 'a')");
    assert_eq!(texts[6], ["[1, 1]"]);
    assert_eq!(texts[9][0], "&vec![1, 0]");
    assert_eq!(texts[10].len(), 2);
    assert_eq!(texts[13], ["0..2"]);
    assert_eq!(texts[19], ["1", "0", "2", "i64::MAX"]);
    assert!(texts.iter().all(|it| !it.is_empty()));
}

#[test]
fn values_of_own_types_come_from_their_constructors() {
    let texts = argument_texts(
        "key: Key, mode: Mode, options: Options, nested: Outer, unit: Marker",
        "#[derive(Clone)] pub struct Key(u32);
        impl Key { pub fn new(n: u32) -> Self { Key(n) } }
        pub enum Mode { Fast, Slow { by: u8 }, #[doc(hidden)] Secret }
        pub struct Options { pub depth: u8, pub name: String }
        pub struct Outer(Key); impl Outer { pub fn of(key: Key) -> Self { Self(key) } }
        pub struct Marker;",
    );
    assert_eq!(texts[0], ["Key::new(1)", "Key::new(0)"]);
    assert_eq!(texts[1][0], "Mode::Fast");
    assert!(!texts[1].iter().any(|it| it.contains("Secret")));
    assert_eq!(texts[2][0], "Options { depth: 1, name: \"a\".to_string() }");
    assert_eq!(texts[3][0], "Outer::of(Key::new(1))");
    assert_eq!(texts[4], ["Marker"]);
}

#[test]
fn builders_give_a_small_value_first() {
    let texts = argument_texts(
        "config: Config",
        "#[derive(Default)] pub struct Config(u32);
        pub struct Builder(u32);
        impl Config { pub fn builder() -> Builder { Builder(10) } }
        impl Builder {
            pub fn pool_size(self, size: u32) -> Self { Builder(size) }
            pub fn build(self) -> Config { Config(self.0) }
        }",
    );
    assert_eq!(texts[0][0], "Config::builder().pool_size(1).build()");
    assert!(texts[0].contains(&"Config::default()".to_owned()));
}

#[test]
fn limits_are_small_first_and_usual_second() {
    let texts = argument_texts(
        "a: Public, b: Few, c: Chained, d: Private, e: Plain, f: CacheConfig",
        "#[derive(Default)] pub struct Public { pub capacity: usize, pub max_waiting: Option<u32>, pub fair: bool, pub wait: Option<Duration> }
        pub struct Few { pub limit: NonZeroU32, pub len: u8 } impl Default for Few { fn default() -> Self { Few { limit: NonZeroU32::MIN, len: 0 } } }
        #[derive(Default)] pub struct Chained(u32);
        impl Chained {
            pub fn max_size(self, size: usize) -> Self { self }
            pub fn queue_limit(self, size: u32) -> Self { self }
            pub fn retries(self, times: u32) -> Self { self }
        }
        #[derive(Default)] pub struct Private { pub capacity: usize, hidden: u8 }
        #[derive(Default)] pub struct Plain { pub ratio: u32 }
        #[derive(Default)] pub struct CacheConfig { pub capacity: usize }",
    );
    assert_eq!(
        texts[0][..2],
        [
            "Public { capacity: 1, max_waiting: Some(1), ..Default::default() }",
            "Public::default()"
        ]
    );
    assert_eq!(
        texts[1][0],
        "Few { limit: NonZero::new(1).unwrap(), len: 1 }"
    );
    assert_eq!(
        texts[2],
        [
            "Chained::default().max_size(1).queue_limit(1)",
            "Chained::default()"
        ]
    );
    assert_eq!(texts[3], ["Private::default()"]);
    assert_eq!(texts[4][0], "Plain::default()");
    // What a cache evicts is for it to say.
    assert_eq!(texts[5][0], "CacheConfig { capacity: 1000 }");
}

#[test]
fn bounds_are_satisfied_by_types_that_fit() {
    let texts = argument_texts(
        "a: impl Into<String>, b: impl AsRef<str>, c: impl IntoIterator<Item = u64>, d: impl std::fmt::Display,
         e: impl ToString, f: impl std::hash::BuildHasher, g: &impl std::borrow::Borrow<str>, h: impl Iterator<Item = u8>,
         i: &dyn std::fmt::Debug, j: Box<dyn std::error::Error>, k: impl Own, l: impl Into<Duration>",
        "pub trait Own { fn own(&self) -> u8; } pub struct Implementor; impl Own for Implementor { fn own(&self) -> u8 { 1 } }",
    );
    assert_eq!(texts[0], ["\"a\"", "\"b\""]);
    assert_eq!(texts[1], ["\"a\"", "\"b\""]);
    assert_eq!(texts[2][0], "vec![1, 0]");
    assert_eq!(texts[10], ["Implementor"]);
}

#[test]
fn closures_have_several_bodies_of_one_type() {
    let texts = argument_texts(
        "a: impl FnOnce() -> u32, b: impl Fn(u32) -> u32, c: impl FnMut(&u32) -> bool, d: impl FnOnce() -> Result<u8, String>,
         e: impl FnOnce(&mut u32), f: Box<dyn Fn(&str) -> String + Send>, g: fn(u8) -> Option<u8>, h: &dyn Fn()",
        "",
    );
    assert_eq!(texts[0], ["|| 1", "|| 0", "|| 2"]);
    assert_eq!(texts[1], ["|x| x + 1", "|x| x", "|_| 1"]);
    assert_eq!(texts[2], ["|_| true", "|_| false"]);
    assert_eq!(texts[3], ["|| Ok(1)", "|| Err(\"a\".to_string())"]);
    assert_eq!(texts[4][0], "|x| *x += 1");
    assert_eq!(texts[6][..2], ["|_| Some(1)", "|_| None"]);
}

#[test]
fn closures_count_their_calls_only_where_the_documentation_promises_one() {
    let catalog = catalog_of(
        "#[derive(Default)] pub struct Once(std::sync::Mutex<u32>);
        impl Once {
            /// Only one of several concurrent callers evaluates its closure.
            pub fn get_with(&self, init: impl FnOnce() -> u32) -> u32 { init() }
            /// More than one of the closures can be called.
            pub fn race(&self, init: impl FnOnce() -> u32) -> u32 { init() }
            /// Exactly once for each element.
            pub fn each(&self, f: impl FnMut(&u32)) {}
        }",
    );
    let once = subject(&catalog, "Once");
    let counts = |name| {
        let argument = &operation(once, name).arguments[0];
        argument
            .choices
            .iter()
            .all(|it| it.expression.to_string().contains("count_call()"))
    };
    assert!(counts("get_with"));
    assert!(!counts("race"));
    assert!(!counts("each"));
}

#[test]
fn the_type_of_a_lookup_key_is_that_of_the_map() {
    let catalog = catalog_of(
        "use std::{borrow::Borrow, hash::{Hash, BuildHasher, RandomState}, sync::Mutex};
        pub struct Map<K, V, S = RandomState>(Mutex<Vec<(K, V)>>, S);
        impl<K: Eq + Hash, V> Map<K, V> { pub fn new() -> Self { Map(Mutex::default(), RandomState::new()) } }
        impl<K: Eq + Hash, V: Clone, S: BuildHasher> Map<K, V, S> {
            pub fn get<Q: ?Sized>(&self, key: &Q) -> Option<V> where K: Borrow<Q>, Q: Hash + Eq { None }
            pub fn view<R>(&self, key: &K, f: impl FnOnce(&V) -> R) -> Option<R> { None }
        }",
    );
    let map = subject(&catalog, "Map");
    assert_eq!(map.type_expression, "subject::Map<u32, u32>");
    let get = operation(map, "get");
    assert_eq!(get.arguments[0].type_expression.as_deref(), Some("u32"));
    assert_eq!(get.arguments[0].passed, Passed::Reference);
    let view = operation(map, "view");
    assert_eq!(
        view.arguments[1].type_expression.as_deref(),
        Some("fn(&u32) -> u32")
    );
}

#[test]
fn what_cannot_be_made_is_named() {
    let catalog = catalog_of(
        "use std::{sync::Mutex, task::Context};
        pub struct Token(Mutex<u32>);
        #[derive(Default)] pub struct Lock(Mutex<u32>); impl Lock { pub fn lock(&self) -> Guard<'_> { Guard(&self.0) } }
        pub struct Guard<'a>(&'a Mutex<u32>);
        #[derive(Default)] pub struct Subject(Mutex<u32>);
        impl Subject {
            pub fn get(&self) -> u32 { 0 }
            pub fn redeem(&self, token: &Token) {}
            pub fn poll(&self, context: &mut Context<'_>) {}
            pub fn wait(&self, guard: &mut Guard<'_>) {}
        }",
    );
    let subject = subject(&catalog, "::Subject");
    assert_eq!(
        left_out(subject, "redeem"),
        "takes a type that cannot be made: Token"
    );
    assert_eq!(
        left_out(subject, "wait"),
        "takes a type that cannot be made: Guard"
    );
    assert_eq!(
        left_out(subject, "poll"),
        "takes a type that cannot be made: Context"
    );
}

#[test]
fn sizes_of_caches_are_large_first_and_those_of_queues_small() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        pub struct Cache(Mutex<u32>); impl Cache { pub fn new(max_capacity: u64) -> Self { Cache(Mutex::new(1)) } pub fn get(&self) {} }
        pub struct Queue(Mutex<u32>); impl Queue { pub fn new(cap: usize) -> Self { Queue(Mutex::new(1)) } pub fn get(&self) {} }",
    );
    let first = |name| texts(&subject(&catalog, name).constructors[0].arguments[0]).join(" ");
    assert_eq!(first("Cache"), "1000 1 2");
    assert_eq!(first("Queue"), "1 2 4");
}

#[test]
fn associated_constants_make_values() {
    let catalog = catalog_of(
        "use std::sync::atomic::AtomicBool;
        pub trait Raw { const INIT: Self; fn try_take(&self) -> bool; }
        pub struct Lock(AtomicBool);
        impl Raw for Lock { const INIT: Self = Lock(AtomicBool::new(false)); fn try_take(&self) -> bool { true } }
        pub struct Gate<T>(AtomicBool, T);
        impl Gate<u32> { pub const OPEN: Gate<u32> = Gate(AtomicBool::new(true), 1); pub fn pass(&self) {} }",
    );
    assert_eq!(constructors(subject(&catalog, "Lock")), ["Lock::INIT"]);
    assert_eq!(constructors(subject(&catalog, "Gate")), ["Gate::OPEN"]);
}

#[test]
fn a_future_that_is_passed_is_ready_at_once_or_later() {
    let catalog = catalog_of(
        "use std::future::Future;
        use std::sync::Mutex;
        #[derive(Default)]
        pub struct Tasks(Mutex<u32>);
        impl Tasks {
            pub fn new() -> Self { Self::default() }
            pub fn spawn<F: Future<Output = u32> + Send + 'static>(&self, task: F) {}
            pub fn until<F, R>(&self, timer: F) -> bool where F: Future<Output = R> + Send { true }
            pub async fn made<F, E>(&self, made: F) -> Option<std::sync::Arc<E>>
            where F: Future<Output = Result<u32, E>>, E: Send + Sync + 'static { made.await.err().map(std::sync::Arc::new) }
            pub async fn first<F>(&self, left: F, right: F) -> F::Output where F: Future { left.await }
        }",
    );
    let tasks = &catalog.subjects[0];
    let spawn = operation(tasks, "spawn");
    let argument = &spawn.arguments[0];
    assert_eq!(argument.type_expression.as_deref(), Some("Later<u32>"));
    let texts: Vec<&str> = argument.choices.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Later::now(1)", "Later::soon(1)"]);
    assert_eq!(operation(tasks, "first").arguments.len(), 2);
    assert!(catalog.support_items.iter().any(|it| it.name == "Later"));
    // What it is ready with may be a parameter too, or have one in it.
    let until = &operation(tasks, "until").arguments[0];
    assert_eq!(until.type_expression.as_deref(), Some("Later<u32>"));
    let made = &operation(tasks, "made").arguments[0];
    let written = made.type_expression.as_deref().unwrap();
    assert!(
        written.starts_with("Later<std::result::Result<u32,"),
        "{written}"
    );
}

#[test]
fn orderings_are_the_strongest_and_the_weakest_that_everything_accepts() {
    let catalog = catalog_of(
        "use std::sync::atomic::{AtomicU32, Ordering};
        #[derive(Default)]
        pub struct Number(AtomicU32);
        impl Number {
            pub fn swap(&self, new: u32, order: Ordering) -> u32 { self.0.swap(new, order) }
        }",
    );
    let order = &operation(&catalog.subjects[0], "swap").arguments[1];
    let texts: Vec<&str> = order.choices.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Ordering::SeqCst", "Ordering::Relaxed"]);
}

#[test]
fn an_argument_may_come_from_the_object_itself() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        pub trait Pin { fn refresh(&mut self); }
        pub struct Local<'a>(&'a Map);
        impl Pin for Local<'_> { fn refresh(&mut self) {} }
        pub struct Guard<'a>(&'a Map);
        #[derive(Default)] pub struct Map(Mutex<u32>);
        impl Map {
            pub fn pin_local(&self) -> Local<'_> { Local(self) }
            pub fn guard(&self) -> Guard<'_> { Guard(self) }
            pub fn insert<'g>(&'g self, key: u32, guard: &'g Guard<'_>, value: u8) -> Option<u32> { None }
            pub fn get<'g>(&self, key: u32, pin: &'g impl Pin) -> Option<&'g u32> { None }
            pub fn clear(&mut self, guard: &Guard<'_>) {}
        }",
    );
    let map = subject(&catalog, "Map");
    let shown = |name: &str| operation(map, name).text.to_string();
    assert_eq!(shown("insert"), "{s}.insert({0}, &{s}.guard(), {1})");
    assert_eq!(shown("get"), "{s}.get({0}, &{s}.pin_local())");
    assert_eq!(operation(map, "insert").arguments.len(), 2);
    // Such an object is borrowed for the call already.
    assert!(!map.operations.iter().any(|it| it.name == "clear"));
}

#[test]
fn an_instant_of_tokio_is_passed_where_the_package_does_not_re_export_it() {
    let tokio = "pub mod time {
        mod instant {
            #[derive(Clone, Copy)] pub struct Instant(std::time::Instant);
            impl From<std::time::Instant> for Instant { fn from(it: std::time::Instant) -> Self { Self(it) } }
        }
        pub use instant::Instant;
    }";
    let catalog = catalog_with_dependency(
        "use std::sync::Mutex; use tokio::time::Instant;
        pub struct Alarm(Mutex<Option<Instant>>);
        impl Alarm {
            pub fn new() -> Self { Self(Mutex::new(None)) }
            pub fn set(&self, to: Instant) { *self.0.lock().unwrap() = Some(to); }
            pub fn set_like(&self, to: &Instant) { self.set(*to); }
        }",
        Some(("tokio", tokio)),
    );
    let alarm = subject(&catalog, "Alarm");
    for name in ["set", "set_like"] {
        let argument = &operation(alarm, name).arguments[0];
        assert_eq!(argument.choices.len(), 2, "{argument:?}");
        assert_eq!(argument.type_expression, None);
    }
}
