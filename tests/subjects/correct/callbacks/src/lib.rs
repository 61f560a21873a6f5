//! Closures of users that run inside of calls: one calls the object, another one panics.

use std::sync::{Condvar, Mutex, RwLock};

/// Numbers with a log of their changes.
#[derive(Default)]
pub struct Ledger {
    balance: Mutex<u32>,
    log: Mutex<Vec<u32>>,
}

impl Ledger {
    /// Zero, and an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the balance by what `change` makes of it.
    pub fn update(&self, change: impl FnOnce(u32) -> u32) {
        let mut balance = self.balance.lock().unwrap();
        *balance = change(*balance);
    }

    /// Writes a remark into the log.
    pub fn note(&self, remark: u32) {
        self.log.lock().unwrap().push(remark);
    }

    /// Closes the log with the balance.
    pub fn close(&self) {
        // In the order of `update` whose closure writes a remark.
        let balance = self.balance.lock().unwrap();
        let mut log = self.log.lock().unwrap();
        log.clear();
        log.push(*balance);
    }
}

enum State {
    Empty,
    Running,
    Full(u32),
}

/// A number that is made when it is wanted first. One caller makes it, and others wait for it.
pub struct Late {
    state: Mutex<State>,
    made: Condvar,
}

/// Makes the cell empty again if nothing was made.
struct Making<'a>(&'a Late);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(|it| it.into_inner());
        if matches!(*state, State::Running) {
            *state = State::Empty;
            self.0.made.notify_all();
        }
    }
}

impl Default for Late {
    fn default() -> Self {
        Self::new()
    }
}

impl Late {
    /// Without a number.
    pub fn new() -> Self {
        Self { state: Mutex::new(State::Empty), made: Condvar::new() }
    }

    /// The number; `make` makes it if there is none.
    pub fn get_or_make(&self, make: impl FnOnce() -> u32) -> u32 {
        let mut state = self.state.lock().unwrap();
        loop {
            match *state {
                State::Full(number) => return number,
                State::Running => state = self.made.wait(state).unwrap(),
                State::Empty => break,
            }
        }
        *state = State::Running;
        drop(state);
        let making = Making(self);
        let number = make();
        *self.state.lock().unwrap() = State::Full(number);
        self.made.notify_all();
        drop(making);
        number
    }
}

/// A number that closures look at while it is locked for reading: a look inside of another one waits behind a writer,
/// as in `std`, which is for the caller to know.
#[derive(Default)]
pub struct Watched(RwLock<u32>);

impl Watched {
    /// Zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// What `look` makes of the number.
    pub fn look(&self, look: impl FnOnce(&u32) -> u32) -> u32 {
        look(&self.0.read().unwrap())
    }

    /// Sets the number.
    pub fn set(&self, to: u32) {
        *self.0.write().unwrap() = to;
    }
}

/// As the ledger, with locks in opposite orders, which its documentation says.
#[derive(Default)]
pub struct Announced {
    balance: Mutex<u32>,
    log: Mutex<Vec<u32>>,
}

impl Announced {
    /// Zero, and an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the balance by what `change` makes of it, which must not call methods of this object: it would
    /// deadlock. Should the closure panic, later calls panic too.
    pub fn update(&self, change: impl FnOnce(u32) -> u32) {
        let mut balance = self.balance.lock().unwrap();
        *balance = change(*balance);
    }

    /// Writes a remark into the log.
    pub fn note(&self, remark: u32) {
        self.log.lock().unwrap().push(remark);
    }

    /// Closes the log with the balance.
    pub fn close(&self) {
        let mut log = self.log.lock().unwrap();
        log.clear();
        log.push(*self.balance.lock().unwrap());
    }
}

/// Makes connections.
pub trait Connect: Send + Sync {
    /// A new one, by its number.
    fn connect(&self) -> Result<u32, String>;
}

#[derive(Default)]
struct Connections {
    open: u32,
    idle: Vec<u32>,
}

/// One connection for all, which is opened when it is wanted first.
pub struct Line<C> {
    connect: C,
    state: Mutex<Connections>,
    changed: Condvar,
}

impl<C: Connect> Line<C> {
    /// Without a connection.
    pub fn new(connect: C) -> Self {
        Self { connect, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Uses the connection, once it is free.
    pub fn send(&self) -> Result<u32, String> {
        let mut state = self.state.lock().unwrap();
        let connection = loop {
            if let Some(idle) = state.idle.pop() {
                drop(state);
                break idle;
            }
            if state.open == 0 {
                state.open = 1;
                drop(state);
                match self.connect.connect() {
                    Ok(new) => break new,
                    Err(why) => {
                        self.state.lock().unwrap().open = 0;
                        self.changed.notify_one();
                        return Err(why);
                    }
                }
            }
            state = self.changed.wait(state).unwrap();
        };
        self.state.lock().unwrap().idle.push(connection);
        self.changed.notify_one();
        Ok(connection)
    }
}
