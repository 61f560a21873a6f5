//! What threads keep over calls, and objects that know each other.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard};

/// Two numbers that are lent.
#[derive(Default)]
pub struct Registers {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

/// A number, until it is dropped.
pub struct Lent<'a>(MutexGuard<'a, u32>);

impl Deref for Lent<'_> {
    type Target = u32;
    fn deref(&self) -> &u32 {
        &self.0
    }
}

impl Registers {
    /// Both zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lends the left number. Who has both takes this one first.
    pub fn left(&self) -> Lent<'_> {
        Lent(self.left.lock().unwrap())
    }

    /// Lends the right number.
    pub fn right(&self) -> Lent<'_> {
        Lent(self.right.lock().unwrap())
    }

    /// Both together.
    pub fn sum(&self) -> u32 {
        let left = self.left.lock().unwrap();
        let right = self.right.lock().unwrap();
        *left + *right
    }
}

/// A text that many read. A thread that reads it does not read it once more.
#[derive(Default)]
pub struct Page(RwLock<String>);

impl Page {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lends it.
    pub fn read(&self) -> RwLockReadGuard<'_, String> {
        self.0.read().unwrap()
    }

    /// Writes another one.
    pub fn write(&self, text: &str) {
        text.clone_into(&mut self.0.write().unwrap());
    }
}

/// Two seats.
pub struct Seats {
    free: Mutex<u32>,
    changed: Condvar,
}

/// A seat, until it is dropped.
pub struct Seat<'a>(&'a Seats);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap() += 1;
        self.0.changed.notify_one();
    }
}

impl Seats {
    /// Both free.
    pub fn new() -> Self {
        Self {
            free: Mutex::new(2),
            changed: Condvar::new(),
        }
    }

    /// Waits for a free one.
    pub fn sit(&self) -> Seat<'_> {
        let mut free = self.free.lock().unwrap();
        while *free == 0 {
            free = self.changed.wait(free).unwrap();
        }
        *free -= 1;
        Seat(self)
    }

    /// One that is free, if there is any.
    pub fn try_sit(&self) -> Option<Seat<'_>> {
        let mut free = self.free.lock().unwrap();
        *free = free.checked_sub(1)?;
        Some(Seat(self))
    }
}

type Level = Arc<Mutex<u32>>;

/// A board of bars.
#[derive(Clone, Default)]
pub struct Board(Arc<Mutex<Vec<Level>>>);

/// A bar on a board.
#[derive(Clone)]
pub struct Bar {
    level: Level,
    board: Board,
}

impl Board {
    /// Without bars.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new bar at the end.
    pub fn add(&self) -> Bar {
        let level = Level::default();
        self.0.lock().unwrap().push(Arc::clone(&level));
        let board = self.clone();
        Bar { level, board }
    }

    /// Inserts a bar of the same level after this one.
    pub fn after(&self, bar: &Bar) {
        let level = *bar.level.lock().unwrap();
        self.0.lock().unwrap().push(Arc::new(Mutex::new(level)));
    }
}

impl Bar {
    /// Goes on by one, and draws the board.
    pub fn tick(&self) {
        *self.level.lock().unwrap() += 1;
        drop(self.board.0.lock().unwrap());
    }
}

/// A node of a tree, with what is below it in sum.
pub struct Node {
    sum: Level,
    parent: Option<Level>,
}

impl Node {
    /// Without a parent.
    pub fn root() -> Self {
        let parent = None;
        Self { sum: Level::default(), parent }
    }

    /// Below this one.
    pub fn child(parent: &Node) -> Self {
        let parent = Some(Arc::clone(&parent.sum));
        Self { sum: Level::default(), parent }
    }

    /// Adds one, to the parent first.
    pub fn up(&self) {
        let _parent = self.parent.as_ref().map(|it| {
            let mut sum = it.lock().unwrap();
            *sum += 1;
            sum
        });
        *self.sum.lock().unwrap() += 1;
    }

    /// Both together, one after the other.
    pub fn with(&self, child: &Node) -> u32 {
        let own = *self.sum.lock().unwrap();
        own + u32::from(Arc::ptr_eq(&self.sum, &child.sum))
    }
}
