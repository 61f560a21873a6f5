//! Sound types, each around one or two collections of std under a lock.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, RwLock};

/// `VecDeque`.
#[derive(Debug, Default)]
pub struct Line(Mutex<VecDeque<u32>>);

impl Line {
    pub fn join(&self, n: u32) -> usize {
        let mut line = self.0.lock().unwrap();
        line.push_back(n);
        line.len()
    }

    pub fn jump(&self, n: u32) {
        self.0.lock().unwrap().push_front(n);
    }

    pub fn next(&self) -> Option<u32> {
        self.0.lock().unwrap().pop_front()
    }

    pub fn all(&self) -> Vec<u32> {
        self.0.lock().unwrap().iter().copied().collect()
    }
}

/// `BTreeMap` with ranges.
#[derive(Debug, Default)]
pub struct Prices(RwLock<BTreeMap<u32, u32>>);

impl Prices {
    pub fn set(&self, at: u32, price: u32) -> Option<u32> {
        self.0.write().unwrap().insert(at, price)
    }

    pub fn at(&self, at: u32) -> Option<u32> {
        let prices = self.0.read().unwrap();
        prices.range(..=at).next_back().map(|(_, price)| *price)
    }

    pub fn remove_before(&self, at: u32) -> usize {
        let mut prices = self.0.write().unwrap();
        let kept = prices.split_off(&at);
        std::mem::replace(&mut *prices, kept).len()
    }
}

/// `HashMap` with entries.
#[derive(Debug, Default)]
pub struct Words(Mutex<HashMap<String, u32>>);

impl Words {
    pub fn count(&self, word: &str) -> u32 {
        let mut words = self.0.lock().unwrap();
        let count = words.entry(word.to_owned()).or_insert(0);
        *count += 1;
        *count
    }

    pub fn total(&self) -> u32 {
        self.0.lock().unwrap().values().sum()
    }

    /// In the order of the map.
    pub fn list(&self) -> Vec<(String, u32)> {
        let words = self.0.lock().unwrap();
        words
            .iter()
            .map(|(word, count)| (word.clone(), *count))
            .collect()
    }
}

/// `HashSet` and `BTreeSet`.
#[derive(Debug, Default)]
pub struct Tags {
    all: Mutex<HashSet<u32>>,
    seen: Mutex<BTreeSet<u32>>,
}

impl Tags {
    pub fn add(&self, tag: u32) -> bool {
        self.all.lock().unwrap().insert(tag)
    }

    pub fn see(&self, tag: u32) -> bool {
        let all = self.all.lock().unwrap();
        all.contains(&tag) && self.seen.lock().unwrap().insert(tag)
    }

    pub fn unseen(&self) -> Vec<u32> {
        let all = self.all.lock().unwrap();
        let seen = self.seen.lock().unwrap();
        let mut unseen: Vec<u32> = all
            .iter()
            .filter(|it| !seen.contains(it))
            .copied()
            .collect();
        unseen.sort_unstable();
        unseen
    }
}

/// `BinaryHeap`.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<BinaryHeap<(u32, u32)>>);

impl Jobs {
    pub fn add(&self, priority: u32, job: u32) {
        self.0.lock().unwrap().push((priority, job));
    }

    pub fn next(&self) -> Option<u32> {
        self.0.lock().unwrap().pop().map(|(_, job)| job)
    }

    pub fn peek(&self) -> Option<(u32, u32)> {
        self.0.lock().unwrap().peek().copied()
    }
}

/// `LinkedList`.
#[derive(Debug, Default)]
pub struct Chain(Mutex<LinkedList<u32>>);

impl Chain {
    pub fn append(&self, n: u32) {
        let mut other = LinkedList::from([n, n + 1]);
        self.0.lock().unwrap().append(&mut other);
    }

    pub fn take_all(&self) -> Vec<u32> {
        std::mem::take(&mut *self.0.lock().unwrap())
            .into_iter()
            .collect()
    }
}

/// A cache of two, the one used last stays.
#[derive(Debug, Default)]
pub struct Recent {
    state: Mutex<(HashMap<u32, u32>, VecDeque<u32>)>,
}

impl Recent {
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        let mut state = self.state.lock().unwrap();
        let (values, order) = &mut *state;
        order.retain(|it| *it != key);
        order.push_back(key);
        let old = values.insert(key, value);
        if order.len() > 2
            && let Some(oldest) = order.pop_front()
        {
            values.remove(&oldest);
        }
        old
    }

    pub fn get(&self, key: u32) -> Option<u32> {
        let mut state = self.state.lock().unwrap();
        let (values, order) = &mut *state;
        let value = values.get(&key).copied()?;
        order.retain(|it| *it != key);
        order.push_back(key);
        Some(value)
    }
}

/// `String` and `write!`.
#[derive(Debug, Default)]
pub struct Log(Mutex<String>);

impl Log {
    pub fn line(&self, n: u32) -> usize {
        let mut log = self.0.lock().unwrap();
        writeln!(log, "line {n}").unwrap();
        log.lines().count()
    }

    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

/// Interned `Arc<str>`.
#[derive(Debug, Default)]
pub struct Interned(Mutex<HashMap<String, Arc<str>>>);

impl Interned {
    pub fn get(&self, text: &str) -> Arc<str> {
        let mut all = self.0.lock().unwrap();
        let new = || Arc::from(text);
        Arc::clone(all.entry(text.to_owned()).or_insert_with(new))
    }

    pub fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// `Vec`, sorted and searched.
#[derive(Debug, Default)]
pub struct Sorted(Mutex<Vec<u32>>);

impl Sorted {
    pub fn insert(&self, n: u32) -> bool {
        let mut all = self.0.lock().unwrap();
        match all.binary_search(&n) {
            Ok(_) => false,
            Err(at) => {
                all.insert(at, n);
                true
            }
        }
    }

    pub fn median(&self) -> Option<u32> {
        let all = self.0.lock().unwrap();
        all.get(all.len() / 2).copied()
    }

    pub fn drain(&self) -> Vec<u32> {
        self.0.lock().unwrap().drain(..).collect()
    }
}

/// A map in parts, each with a lock.
#[derive(Debug, Default)]
pub struct Sharded([Mutex<HashMap<u32, u32>>; 4]);

impl Sharded {
    fn part(&self, key: u32) -> &Mutex<HashMap<u32, u32>> {
        &self.0[key as usize % self.0.len()]
    }

    pub fn insert(&self, key: u32, value: u32) -> Option<u32> {
        self.part(key).lock().unwrap().insert(key, value)
    }

    pub fn get(&self, key: u32) -> Option<u32> {
        self.part(key).lock().unwrap().get(&key).copied()
    }

    pub fn remove(&self, key: u32) -> Option<u32> {
        self.part(key).lock().unwrap().remove(&key)
    }
}
