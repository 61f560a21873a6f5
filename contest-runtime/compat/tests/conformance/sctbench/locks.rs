//! Bugs in programs whose shared data is under locks all the time: which critical section comes first, and in which
//! order locks are taken.

use contest::sync::Mutex;

use super::{Program, asserts, deadlocks, threads};

pub(super) const PROGRAMS: [Program; 7] = [
    asserts("account", account),
    asserts("circular_buffer", circular_buffer),
    asserts("lazy01", lazy01),
    asserts("queue", queue),
    asserts("stack", stack),
    deadlocks("carter01", carter01),
    deadlocks("deadlock01", deadlock01),
];

#[derive(Default)]
struct Account {
    balance: i32,
    deposited: bool,
    withdrawn: bool,
}

/// Balance 1, deposit 2, withdraw 4; who checks last subtracts the deposit.
fn account() {
    let account = Account {
        balance: 1,
        ..Account::default()
    };
    threads!(Mutex::new(account);
        |account: &Mutex<Account>| {
            let account = account.lock().unwrap();
            if account.deposited && account.withdrawn {
                assert_eq!(account.balance, 1 - 2 - 4);
            }
        },
        |account: &Mutex<Account>| {
            let mut account = account.lock().unwrap();
            account.balance += 2;
            account.deposited = true;
        },
        |account: &Mutex<Account>| {
            let mut account = account.lock().unwrap();
            account.balance -= 4;
            account.withdrawn = true;
        },
    );
}

struct Log {
    buffer: [i32; 10],
    first: usize,
    next: usize,
    send: bool,
    receive: bool,
}

/// One turn of seven each, by a flag; a turn that finds the flag down is lost, and the counts drift apart.
fn circular_buffer() {
    const TURNS: i32 = 7;
    let log = Log {
        buffer: [0; 10],
        first: 0,
        next: 0,
        send: true,
        receive: false,
    };
    threads!(Mutex::new(log);
        |log: &Mutex<Log>| for turn in 0..TURNS {
            let mut log = log.lock().unwrap();
            if log.send {
                let next = log.next;
                log.buffer[next] = turn;
                log.next = (next + 1) % 10;
                (log.send, log.receive) = (false, true);
            }
        },
        |log: &Mutex<Log>| for turn in 0..TURNS {
            let mut log = log.lock().unwrap();
            if log.receive {
                let element = if log.next > 0 && log.first < 10 {
                    log.first += 1;
                    log.buffer[log.first - 1]
                } else {
                    -1
                };
                assert_eq!(element, turn);
                (log.receive, log.send) = (false, true);
            }
        },
    );
}

/// Fails if both others come before the third.
fn lazy01() {
    threads!(Mutex::new(0);
        |data: &Mutex<i32>| *data.lock().unwrap() += 1,
        |data: &Mutex<i32>| *data.lock().unwrap() += 2,
        |data: &Mutex<i32>| {
            let data = data.lock().unwrap();
            assert!(*data < 3);
        },
    );
}

struct Queue {
    elements: [i32; 21],
    head: usize,
    tail: usize,
    stored: [i32; 20],
    enqueue: bool,
    dequeue: bool,
}

impl Queue {
    fn put(&mut self, element: i32) {
        self.elements[self.tail] = element;
        self.tail = if self.tail == 20 { 1 } else { self.tail + 1 };
    }

    fn take(&mut self) -> i32 {
        let element = self.elements[self.head];
        self.head = if self.head == 20 { 1 } else { self.head + 1 };
        element
    }
}

/// As [`circular_buffer`], with a first element that is put before the turns begin.
fn queue() {
    let queue = Queue {
        elements: [0; 21],
        head: 0,
        tail: 0,
        stored: [0; 20],
        enqueue: true,
        dequeue: false,
    };
    threads!(Mutex::new(queue);
        |queue: &Mutex<Queue>| {
            let mut value = 0;
            {
                let mut queue = queue.lock().unwrap();
                queue.put(value);
                queue.stored[0] = value;
            }
            for turn in 0..19 {
                let mut queue = queue.lock().unwrap();
                if queue.enqueue {
                    value += 1;
                    queue.put(value);
                    queue.stored[turn + 1] = value;
                    (queue.enqueue, queue.dequeue) = (false, true);
                }
            }
        },
        |queue: &Mutex<Queue>| for turn in 0..20 {
            let mut queue = queue.lock().unwrap();
            if queue.dequeue {
                assert_eq!(queue.take(), queue.stored[turn]);
                (queue.dequeue, queue.enqueue) = (false, true);
            }
        },
    );
}

/// The flag says that something was pushed once, not that something is there.
fn stack() {
    const SIZE: usize = 10;
    threads!(Mutex::new((0, false));
        |stack: &Mutex<(usize, bool)>| for _ in 0..SIZE {
            let mut stack = stack.lock().unwrap();
            assert!(stack.0 < SIZE, "overflow");
            stack.0 += 1;
            stack.1 = true;
        },
        |stack: &Mutex<(usize, bool)>| for _ in 0..SIZE {
            let mut stack = stack.lock().unwrap();
            if stack.1 {
                assert!(stack.0 > 0, "underflow");
                stack.0 -= 1;
            }
        },
    );
}

/// The first of a class takes the lock of the classes while it holds the lock of the counts, and the other class needs
/// that to give it back.
fn carter01() {
    struct Classes {
        counts: Mutex<[i32; 2]>,
        taken: Mutex<()>,
    }
    fn operate(classes: &Classes, class: usize) {
        let mut guard = None;
        {
            let mut counts = classes.counts.lock().unwrap();
            counts[class] += 1;
            if counts[class] == 1 {
                guard = Some(classes.taken.lock().unwrap());
            }
        }
        let mut counts = classes.counts.lock().unwrap();
        counts[class] -= 1;
        if counts[class] == 0 {
            drop(guard);
        }
    }
    let classes = Classes {
        counts: Mutex::new([0, 0]),
        taken: Mutex::new(()),
    };
    threads!(classes;
        |classes: &Classes| operate(classes, 0),
        |classes: &Classes| operate(classes, 1),
        |_: &Classes| {},
        |_: &Classes| {},
    );
}

/// Two locks in both orders.
fn deadlock01() {
    type Locks = (Mutex<()>, Mutex<()>);
    threads!((Mutex::new(()), Mutex::new(()));
        |(a, b): &Locks| {
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
        },
        |(a, b): &Locks| {
            let _b = b.lock().unwrap();
            let _a = a.lock().unwrap();
        },
    );
}
