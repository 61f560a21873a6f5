//! Which call of the main thread is what. The main thread's calls are numbered through: objects, prefix, observers,
//! drop.

use super::RunnableTest;

/// What a call of the main thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MainCall {
    /// Makes the object with this index.
    Object(usize),
    /// Call of the prefix with this index.
    Prefix(usize),
    /// Observer with this index, after the lanes have ended.
    Observer(usize),
    /// Drops the objects.
    Drop,
}

/// Numbers of calls in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestShape {
    /// Objects.
    pub objects: usize,
    /// Calls of the prefix.
    pub prefix: usize,
    /// Calls of each lane.
    pub lanes: Vec<usize>,
    /// Observers.
    pub observers: usize,
}

impl TestShape {
    /// Of this test.
    #[must_use]
    pub fn of(test: &RunnableTest) -> Self {
        Self {
            objects: test.test.objects.len(),
            prefix: test.test.prefix.len(),
            lanes: test.test.threads.iter().map(Vec::len).collect(),
            observers: test.observers.len(),
        }
    }

    /// Number of calls of the main thread.
    #[must_use]
    pub fn main_calls(&self) -> usize {
        self.number(MainCall::Drop) + 1
    }

    /// Number of a call in the main thread, counting from 0.
    #[must_use]
    pub fn number(&self, call: MainCall) -> usize {
        match call {
            MainCall::Object(index) => index,
            MainCall::Prefix(index) => self.objects + index,
            MainCall::Observer(index) => self.objects + self.prefix + index,
            MainCall::Drop => self.objects + self.prefix + self.observers,
        }
    }

    /// What the call with this number is.
    #[must_use]
    pub fn main_call(&self, number: usize) -> MainCall {
        if number < self.objects {
            MainCall::Object(number)
        } else if number < self.objects + self.prefix {
            MainCall::Prefix(number - self.objects)
        } else if number < self.number(MainCall::Drop) {
            MainCall::Observer(number - self.objects - self.prefix)
        } else {
            MainCall::Drop
        }
    }
}
