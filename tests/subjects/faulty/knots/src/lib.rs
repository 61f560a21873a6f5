//! What threads keep over calls, and objects that know each other.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};

/// Two numbers, of which the left one is lent.
#[derive(Default)]
pub struct Registers {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

/// The left number, until it is dropped.
pub struct Left<'a>(MutexGuard<'a, u32>);

impl Deref for Left<'_> {
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

    /// Lends the left number.
    pub fn left(&self) -> Left<'_> {
        Left(self.left.lock().unwrap())
    }

    /// Adds to the right number.
    pub fn add_right(&self, amount: u16) {
        *self.right.lock().unwrap() += u32::from(amount);
    }

    /// Both together.
    pub fn sum(&self) -> u32 {
        let right = self.right.lock().unwrap();
        let left = self.left.lock().unwrap();
        *left + *right
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
        let mut all = self.0.lock().unwrap();
        let level = bar.level.lock().unwrap();
        all.push(Arc::new(Mutex::new(*level)));
    }
}

impl Bar {
    /// Goes on by one, and draws the board.
    pub fn tick(&self) {
        let mut level = self.level.lock().unwrap();
        *level += 1;
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

    /// Adds one, to the parent too.
    pub fn up(&self) {
        let mut sum = self.sum.lock().unwrap();
        if let Some(parent) = &self.parent {
            *parent.lock().unwrap() += 1;
        }
        *sum += 1;
    }

    /// Takes back what this child has added.
    pub fn down(&self, child: &Node) {
        if Arc::ptr_eq(&self.sum, &child.sum) {
            return;
        }
        let mut sum = self.sum.lock().unwrap();
        let mut of_child = child.sum.lock().unwrap();
        *sum = sum.saturating_sub(*of_child);
        *of_child = 0;
    }
}
