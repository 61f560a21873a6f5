//! Lazily initialised statics inside executions of a hand-written model: each execution has a value of its own, beside
//! the real object, which stays as it was when the model began.

use std::marker::PhantomData;

use super::initialising::initialise_once;
use contest_engine::execution::Active;

/// What an execution has for one static: a value, or the mark that its initialiser panicked.
enum State<T> {
    Complete(T),
    Poisoned,
}

/// The value that the running execution has for the static at an address.
pub(super) struct OwnValue<T> {
    active: Active,
    address: usize,
    what: &'static str,
    _value: PhantomData<T>,
}

impl<T> Clone for OwnValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OwnValue<T> {}

impl<T> OwnValue<T> {
    /// `None` if the object is no static of the executable, or had its value when the model began; `complete` looks at the real one.
    #[inline]
    pub(super) fn of(
        active: Active,
        address: usize,
        what: &'static str,
        complete: impl FnOnce() -> bool,
    ) -> Option<Self> {
        let own = active.keeps_static(address) && active.owns_lazy_static(address, complete);
        own.then_some(Self {
            active,
            address,
            what,
            _value: PhantomData,
        })
    }

    fn state<'a>(self) -> Option<&'a State<T>> {
        // SAFETY: one type is used for one address, and the value lives until all threads of the execution have ended;
        // that references to it are `'static` to the compiler is what a static promises in the program that is
        // modelled.
        unsafe {
            self.active
                .lazy_static::<State<T>>(self.address)
                .map(|state| &*state)
        }
    }

    /// The value, without a visible operation.
    pub(super) fn value<'a>(self) -> Option<&'a T> {
        match self.state()? {
            State::Complete(value) => Some(value),
            State::Poisoned => None,
        }
    }

    /// True if an initialiser panicked, and that counts.
    pub(super) fn is_poisoned(self) -> bool {
        matches!(self.state(), Some(State::Poisoned))
    }

    /// The value, as one visible read.
    #[track_caller]
    pub(super) fn look<'a>(self) -> Option<&'a T> {
        self.active.once_peek(
            self.address,
            self.what,
            || self.value(),
            |value| value.is_some(),
        )
    }

    /// Waits, without making the value, until it is there.
    #[track_caller]
    pub(super) fn wait<'a>(self) -> &'a T {
        self.active
            .once_wait(self.address, self.what, || self.value().is_some());
        match self.value() {
            Some(value) => value,
            None => unreachable!("waited until the value was there"),
        }
    }

    /// Makes the value unless it is there. With `poisons`, a panic of `make` is remembered.
    #[track_caller]
    pub(super) fn get_or_make<'a>(self, poisons: bool, make: impl FnOnce() -> T) -> &'a T {
        initialise_once(
            self.active,
            self.address,
            self.what,
            || self.value().is_some(),
            |initialising| {
                let poison = Poison(self, poisons);
                let value = make();
                std::mem::forget(poison);
                initialising.ends();
                self.set(State::Complete(value));
            },
        );
        match self.value() {
            Some(value) => value,
            None => unreachable!("initialised, or the initialiser panicked"),
        }
    }

    fn set(self, state: State<T>) {
        // SAFETY: the static at this address owns a `T`, which therefore lives as long as the process.
        unsafe { self.active.set_lazy_static(self.address, state) };
    }
}

/// Marks the static when the initialiser panics.
struct Poison<T>(OwnValue<T>, bool);

impl<T> Drop for Poison<T> {
    fn drop(&mut self) {
        if self.1 {
            self.0.set(State::Poisoned);
        }
    }
}
