//! A pool of connections: a thread that finds none free waits until one is returned.

#![forbid(unsafe_code)]

use std::sync::{Arc, Condvar, Mutex};

/// What is lent. A real one would hold a socket.
#[contest::shared]
#[derive(Debug, PartialEq, Eq)]
pub struct Connection {
    number: u32,
}

/// A pool of connections.
#[contest::shared]
#[derive(Debug)]
pub struct Pool {
    free: Mutex<Vec<Connection>>,
    returned: Condvar,
    size: usize,
}

/// A connection on loan; dropping it gives it back.
#[contest::shared]
#[derive(Debug)]
pub struct Lent {
    connection: Option<Connection>,
    pool: Arc<Pool>,
}

impl Lent {
    /// Sends a query.
    pub fn query(&self) -> u32 {
        self.connection
            .as_ref()
            .map_or(0, |connection| connection.number)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.free.lock().unwrap().push(connection);
            self.pool.returned.notify_one();
        }
    }
}

#[contest::operations]
impl Pool {
    /// With so many connections.
    #[contest(values(size = [1, 2]))]
    pub fn new(size: u32) -> Self {
        Self {
            free: Mutex::new((1..=size).map(|number| Connection { number }).collect()),
            returned: Condvar::new(),
            size: size as usize,
        }
    }

    /// Borrows a connection, sends a query and returns the connection; waits while none is free.
    pub fn query(self: &Arc<Self>) -> bool {
        self.lend().query() > 0
    }

    /// Lends a connection if one is free.
    pub fn try_lend(self: &Arc<Self>) -> Option<Lent> {
        let connection = self.free.lock().unwrap().pop();
        connection.map(|connection| self.lent(connection))
    }

    /// At quiescence, all connections are back.
    #[contest(invariant)]
    fn all_are_back(&self) -> bool {
        self.free.lock().unwrap().len() == self.size
    }

    /// Lends a connection; waits while all are on loan.
    #[contest(skip)]
    pub fn lend(self: &Arc<Self>) -> Lent {
        let mut free = self.free.lock().unwrap();
        loop {
            if let Some(connection) = free.pop() {
                return self.lent(connection);
            }
            free = self.returned.wait(free).unwrap();
        }
    }

    fn lent(self: &Arc<Self>, connection: Connection) -> Lent {
        Lent {
            connection: Some(connection),
            pool: Arc::clone(self),
        }
    }
}

/// The same with a mistake: it looks whether one is free, lets go of the lock, and waits: a connection that comes back
/// in between is not noticed.
#[contest::shared]
#[derive(Debug)]
pub struct DrowsyPool {
    free: Mutex<Vec<Connection>>,
    returned: Condvar,
}

#[contest::operations]
impl DrowsyPool {
    /// With one connection.
    pub fn new() -> Self {
        Self {
            free: Mutex::new(vec![Connection { number: 1 }]),
            returned: Condvar::new(),
        }
    }

    /// Lends a connection, runs a query on it and gives it back; waits while all are on loan.
    pub fn query(&self) -> u32 {
        loop {
            let free = self.free.lock().unwrap().pop();
            if let Some(connection) = free {
                let answer = connection.number;
                self.free.lock().unwrap().push(connection);
                self.returned.notify_one();
                return answer;
            }
            let free = self.free.lock().unwrap();
            drop(self.returned.wait(free).unwrap());
        }
    }
}

impl Default for DrowsyPool {
    fn default() -> Self {
        Self::new()
    }
}
