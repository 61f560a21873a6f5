//! Items of all kinds.

use crate::expand::{operations, shared, test};
use crate::{as_written, expansion};

const STRUCT: &str = "
    /// Kept.
    #[derive(Debug)]
    pub struct Queue<'a, T: Clone, const N: usize> where T: Send {
        pub(crate) items: std::sync::Mutex<Vec<T>>,
        named: Lock<T>,
        nested: Option<Arc<RwLock<HashMap<String, Inner<T>>>>>,
        tuple: (AtomicUsize, [Condvar; N], &'a str),
        parameter: T::Item,
        qualified: <T as Iterator>::Item,
        function: fn(Mutex<T>) -> u32,
    }
";

#[test]
fn a_struct() {
    insta::assert_snapshot!(expansion(shared, "", STRUCT, true));
}

#[test]
fn a_struct_without_the_feature_is_as_it_was_written() {
    assert_eq!(expansion(shared, "", STRUCT, false), as_written(STRUCT));
}

#[test]
fn an_enum_with_helpers_and_plain_types() {
    let item = "
        enum Slot<T> {
            Empty,
            Full(#[contest(opaque)] Mutex<T>, #[contest(plain)] Foreign),
            Many { #[contest(plain(Other))] items: Vec<(Other, Lock<T>, Config)> },
        }
    ";
    insta::assert_snapshot!(expansion(shared, "plain(a::Config)", item, true));
    let stripped = "
        enum Slot<T> {
            Empty,
            Full(Mutex<T>, Foreign),
            Many { items: Vec<(Other, Lock<T>, Config)> },
        }
    ";
    assert_eq!(expansion(shared, "", item, false), as_written(stripped));
}

#[test]
fn items_that_use_annotated_types() {
    let function = "
        fn work<'a, T>(lock: &'a Mutex<T>, other: Other) -> LockResult<MutexGuard<'a, T>> {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            const fn constant() -> Mutex<u32> { Mutex::new(1) }
            let (sender, receiver) = std::sync::mpsc::channel::<u32>();
            let named = Lock::new(Vec::new());
            let all = vec![Mutex::new(1), Mutex::<u64>::new(2)];
            let made: Vec<RwLock<u8>> = (0..3).map(RwLock::new).collect();
            let default: Mutex<u32> = Default::default();
            thread::spawn(move || { crate::thread::spawn(); std::hint::spin_loop(); fence(SeqCst) });
            let builder = thread::Builder::new().name(String::new());
            let lazy = LazyLock::new(|| Condvar::new());
            assert_eq!(Arc::new(AtomicBool::new(true)).load(Ordering::SeqCst), true);
            Other::new(T::default(), Self::new());
            lock.lock()
        }
    ";
    insta::assert_snapshot!(expansion(shared, "plain(Other)", function, true));
    assert_eq!(
        expansion(shared, "plain(Other)", function, false),
        as_written(function)
    );
}

const OPERATIONS: &str = "
    impl<K: Eq, V> Map<K, V> {
        pub fn new() -> Self { Self { entries: Mutex::new(HashMap::new()) } }
        #[contest(values(size = [1, 8]))]
        pub fn with_size(size: usize) -> Option<Arc<Self>> { None }
        pub fn insert(&self, key: K, value: V) -> Option<V> { None }
        pub fn get(&self, key: &K) -> Option<V> { None }
        #[contest(values(f = [|| 1, make]), weak)]
        pub fn get_with(&self, text: &str, f: impl Fn() -> V) -> V { f() }
        #[contest(with(value = factory))]
        pub fn push(&mut self, value: Opaque) {}
        pub fn merge(self: &Arc<Self>, other: &Self, all: &[K]) {}
        #[contest(may_panic, blocking)]
        pub async fn wait(&self) {}
        #[contest(invariant)]
        fn is_sound(&self) -> bool { true }
        #[contest(observe)]
        fn state(&self) -> u32 { 1 }
        pub fn into_inner(self) -> HashMap<K, V> { todo!() }
        pub unsafe fn raw(&self) {}
        #[contest(skip)]
        pub fn skipped<T>(&self, value: T) {}
        fn private(&self) -> MutexGuard<'_, HashMap<K, V>> { self.entries.lock().unwrap() }
    }
";

#[test]
fn operations_of_an_impl() {
    insta::assert_snapshot!(expansion(
        operations,
        "parts(Extend, Reads)",
        OPERATIONS,
        true
    ));
}

#[test]
fn operations_without_the_feature_are_as_they_were_written() {
    let mut stripped = OPERATIONS.to_owned();
    while let Some(start) = stripped.find("#[contest(") {
        let end = stripped[start..].find('\n').expect("a line of its own") + start;
        stripped.replace_range(start..end, "");
    }
    assert_eq!(
        expansion(operations, "parts(Extend, Reads)", OPERATIONS, false),
        as_written(&stripped)
    );
}

#[test]
fn operations_of_a_trait_are_a_part() {
    let item = "impl a::Push<u32> for Queue { fn push(&self, value: u32) {} }";
    insta::assert_snapshot!(expansion(operations, "", item, true));
}

#[test]
fn tests() {
    let item = "
        #[should_panic]
        fn two_threads() -> Result<(), String> {
            let lock = Arc::new(Mutex::new(1));
            thread::spawn(|| ()).join();
            Ok(())
        }
    ";
    let arguments =
        "strategy = \"random\", seed = 7, budget = \"2s\", max_executions = 10, allow_no_decisions";
    insta::assert_snapshot!(expansion(test, arguments, item, true));
    insta::assert_snapshot!(expansion(test, "", item, false));
}

#[test]
fn uses_of_fields() {
    let item = "
        impl Ring {
            fn all(&mut self, other: &Other) -> usize {
                let mut inner = self.inner.lock().unwrap();
                inner.head += 1;
                inner.tail = inner.head + other.step;
                inner.slots[inner.head] = None;
                if inner.slots.len() == inner.capacity { inner.items.push_back(self.name.clone()); }
                match inner.state { State::Idle => {} ref other => {} }
                let borrowed = &mut inner.items;
                self.inner.lock().unwrap().items.clear();
                other.each(|inner| inner.head + self.count);
                assert_eq!(inner.head, 1, \"{}\", inner.tail);
                LIMITS.most + crate::LIMITS.least;
                (self.a, self.b) = (self.b, self.a);
                inner.head
            }
            const fn constant(&self) -> usize { self.count + 1 }
        }
    ";
    insta::assert_snapshot!(expansion(shared, "", item, true));
}
