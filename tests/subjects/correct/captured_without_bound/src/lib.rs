//! Types with an `unsafe impl` that ask for `Send` where values, closures and sources come in.

use std::any::Any;
use std::sync::{Mutex, OnceLock};

/// Values of any type.
#[derive(Default)]
pub struct Drawer(Mutex<Vec<Box<dyn Any + Send>>>);

unsafe impl Send for Drawer {}
unsafe impl Sync for Drawer {}

impl Drawer {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value in.
    pub fn put<T: Send + 'static>(&self, value: T) {
        self.0.lock().unwrap().push(Box::new(value));
    }

    /// Throws all away.
    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}

/// Closures that are run later.
#[derive(Default)]
pub struct Tasks(Mutex<Vec<Box<dyn FnOnce() + Send>>>);

unsafe impl Send for Tasks {}
unsafe impl Sync for Tasks {}

impl Tasks {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs the closure later.
    pub fn defer(&self, task: impl FnOnce() + Send + 'static) {
        self.0.lock().unwrap().push(Box::new(task));
    }

    /// Runs all.
    pub fn run(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap());
        for task in all {
            task();
        }
    }
}

/// Where numbers come from.
pub trait Source {
    /// The next one.
    fn next(&mut self) -> u32;
}

/// Reads from a source until it is closed.
pub struct Reader<S: Source>(Mutex<Option<S>>);

unsafe impl<S: Source + Send> Send for Reader<S> {}
unsafe impl<S: Source + Send> Sync for Reader<S> {}

impl<S: Source> Reader<S> {
    /// Reads from this.
    pub fn new(source: S) -> Self {
        Self(Mutex::new(Some(source)))
    }

    /// The next number.
    pub fn read(&self) -> Option<u32> {
        self.0.lock().unwrap().as_mut().map(Source::next)
    }

    /// Drops the source.
    pub fn close(&self) {
        *self.0.lock().unwrap() = None;
    }
}

/// A value that is made by a closure when it is wanted first.
pub struct Late<T, F> {
    value: OnceLock<T>,
    make: Mutex<Option<F>>,
}

unsafe impl<T: Send + Sync, F: Send> Send for Late<T, F> {}
unsafe impl<T: Send + Sync, F: Send> Sync for Late<T, F> {}

impl<T, F: FnOnce() -> T> Late<T, F> {
    /// To be made so.
    pub fn new(make: F) -> Self {
        Self { value: OnceLock::new(), make: Mutex::new(Some(make)) }
    }

    /// The value.
    pub fn get(&self) -> &T {
        self.value.get_or_init(|| {
            let make = self.make.lock().unwrap().take();
            make.expect("only one caller makes it")()
        })
    }
}
