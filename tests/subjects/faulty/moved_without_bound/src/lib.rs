//! Values that move to other threads by a hand-written promise.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

/// Owns its value.
pub struct Owned<T>(*mut T);

// Wrong: another thread drops a `T` that is not `Send`.
unsafe impl<T> Send for Owned<T> {}

impl<T> Owned<T> {
    pub fn new(value: T) -> Self {
        Self(Box::into_raw(Box::new(value)))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(self.0) }); // OWNED
    }
}

/// As `Owned`, and requires enough.
pub struct SafeOwned<T>(Owned<T>, PhantomData<*mut T>);

unsafe impl<T: Send> Send for SafeOwned<T> {}

impl<T> SafeOwned<T> {
    pub fn new(value: T) -> Self {
        Self(Owned::new(value), PhantomData)
    }
}

/// A reference-counted value; each handle is for one thread.
pub struct Handle<T> {
    value: Arc<T>,
    looks: Cell<u32>,
}

// Wrong: clones of one handle lend one value to several threads, so `T: Sync` is needed.
unsafe impl<T: Send> Send for Handle<T> {}

impl<T> Handle<T> {
    pub fn new(value: T) -> Self {
        Self {
            value: Arc::new(value),
            looks: Cell::new(0),
        }
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        self.looks.set(self.looks.get() + 1);
        (*self.value).clone() // HANDLE
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            looks: Cell::new(0),
        }
    }
}

/// As `Handle`, and requires enough.
#[derive(Clone)]
pub struct SafeHandle<T>(Handle<T>, PhantomData<*const T>);

unsafe impl<T: Send + Sync> Send for SafeHandle<T> {}

impl<T> SafeHandle<T> {
    pub fn new(value: T) -> Self {
        Self(Handle::new(value), PhantomData)
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        self.0.copy()
    }
}

/// A lock, whose guards are `Sync` by hand.
#[derive(Default)]
pub struct Lock<T> {
    held: Mutex<()>,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub fn new(value: T) -> Self {
        Self {
            held: Mutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    pub fn lock(&self) -> Guard<'_, T> {
        Guard {
            _held: self.held.lock().unwrap(),
            value: self.value.get(),
        }
    }

    pub fn safe_lock(&self) -> SafeGuard<'_, T> {
        SafeGuard {
            _held: self.held.lock().unwrap(),
            value: self.value.get(),
        }
    }
}

pub struct Guard<'a, T> {
    _held: MutexGuard<'a, ()>,
    value: *mut T,
}

// Wrong: two threads that share a guard use one `T` at once.
unsafe impl<T> Sync for Guard<'_, T> {}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        unsafe { &*self.value }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.value }
    }
}

pub struct SafeGuard<'a, T> {
    _held: MutexGuard<'a, ()>,
    value: *mut T,
}

unsafe impl<T: Sync> Sync for SafeGuard<'_, T> {}

impl<T> Deref for SafeGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        unsafe { &*self.value }
    }
}

/// Two values.
pub struct Two<T>(Vec<T>);

impl<T: Clone> Two<T> {
    pub fn new(value: T) -> Self {
        Self(vec![value.clone(), value])
    }
}

impl<T> Two<T> {
    pub fn emptying(&mut self) -> Emptying<'_, T> {
        Emptying(&mut self.0, PhantomData)
    }

    pub fn safe_emptying(&mut self) -> SafeEmptying<'_, T> {
        SafeEmptying(&mut self.0, PhantomData)
    }
}

pub struct Emptying<'a, T>(*mut Vec<T>, PhantomData<&'a mut T>);

// Wrong: another thread takes values out.
unsafe impl<T> Send for Emptying<'_, T> {}

impl<T> Iterator for Emptying<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        unsafe { (*self.0).pop() }
    }
}

pub struct SafeEmptying<'a, T>(*mut Vec<T>, PhantomData<&'a mut T>);

unsafe impl<T: Send> Send for SafeEmptying<'_, T> {}

impl<T> Iterator for SafeEmptying<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        unsafe { (*self.0).pop() }
    }
}

/// Lets its value out on the thread that made it only, and forgets it elsewhere.
pub struct Sealed<T> {
    value: Option<T>,
    made_by: ThreadId,
}

// Right without a bound.
unsafe impl<T> Send for Sealed<T> {}

impl<T> Sealed<T> {
    pub fn new(value: T) -> Self {
        Self {
            value: Some(value),
            made_by: std::thread::current().id(),
        }
    }

    pub fn is_here(&self) -> bool {
        self.made_by == std::thread::current().id()
    }

    pub fn open(mut self) -> Option<T> {
        if self.is_here() { self.value.take() } else { None }
    }
}

impl<T> Drop for Sealed<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.value.take());
        }
    }
}
