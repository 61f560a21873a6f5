//! What two threads keep at the same time, although one of them should wait for the other one.

use std::future::poll_fn;
use std::task::Poll;

use contest::sync::atomic::{AtomicBool, Ordering::SeqCst};
use contest::sync::{Condvar, Mutex};
use contest_data::finding::FindingKind::{Cancellation, NonLinearizable};
use contest_data::subject::{
    Argument, Constructor, Contract, Keeping, Operation, StandInMode, Subject,
};
use contest_engine::observe::running_thread;

use crate::subjects::{new, object, observer, operation};
use crate::support::{campaign, settings};

/// Lets one in at a time. With `SAFE` it looks and locks in one step.
#[derive(Default)]
struct Door<const SAFE: bool>(AtomicBool);

impl<const SAFE: bool> Door<SAFE> {
    fn enter(&self) {
        loop {
            if SAFE {
                if !self.0.swap(true, SeqCst) {
                    return;
                }
            } else if !self.0.load(SeqCst) {
                self.0.store(true, SeqCst);
                return;
            }
            contest::thread::yield_now();
        }
    }

    const OPERATIONS: &'static [Operation] = &[
        kept("enter", "let kept = {s}.enter()", Keeping::Keeps, |call| {
            object::<Self>(call).enter();
            Some("Inside".to_owned())
        }),
        kept("drop(kept)", "drop(kept)", Keeping::LetsGo, |call| {
            object::<Self>(call).0.store(false, SeqCst);
            None
        }),
        observer("in_use", "{s}.in_use()", &[], |call| {
            // Read only so that a thread may be stopped here.
            object::<Self>(call).0.load(SeqCst);
            None
        }),
    ];
}

/// One object for all, which is tested before it is handed out again. A call that is dropped meanwhile throws it away
/// and gives back its right to an object, without `SAFE` twice.
struct Pool<const SAFE: bool> {
    free: Mutex<u32>,
    /// How often the object was handed out, while nobody has it.
    uses: Mutex<u32>,
    given_back: Condvar,
    tests_slowly: bool,
    /// By thread: how often its object was handed out; 0 if it has none.
    has: [std::sync::atomic::AtomicU32; 16],
}

/// What callers see.
#[derive(Debug)]
struct Object {
    uses: u32,
}

impl<const SAFE: bool> Pool<SAFE> {
    fn new(tests_slowly: bool) -> Self {
        Self {
            free: Mutex::new(1),
            uses: Mutex::new(0),
            given_back: Condvar::new(),
            tests_slowly,
            has: Default::default(),
        }
    }

    async fn get(&self) -> u32 {
        struct Right<'a, const SAFE: bool>(&'a Pool<SAFE>, u32);
        impl<const SAFE: bool> Drop for Right<'_, SAFE> {
            fn drop(&mut self) {
                *self.0.free.lock().unwrap() += self.1;
                self.0.given_back.notify_all();
            }
        }
        self.take_right();
        let right = Right(self, if SAFE { 1 } else { 2 });
        let uses = std::mem::take(&mut *self.uses.lock().unwrap());
        let mut waits = self.tests_slowly;
        poll_fn(|context| {
            if std::mem::take(&mut waits) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        std::mem::forget(right);
        uses + 1
    }

    fn take_right(&self) {
        let free = self.free.lock().unwrap();
        let mut free = self.given_back.wait_while(free, |free| *free == 0).unwrap();
        *free -= 1;
    }

    fn give_back(&self, uses: u32) {
        *self.uses.lock().unwrap() = uses;
        *self.free.lock().unwrap() += 1;
        self.given_back.notify_all();
    }

    const CONSTRUCTORS: &'static [Constructor] = &[
        Constructor {
            text: "Pool::new(Manager)",
            arguments: &[],
            mode: StandInMode::Usual,
            make: |_| crate::subjects::shared(Self::new(false)),
        },
        Constructor {
            text: "Pool::new(Manager::WAITS)",
            arguments: &[],
            mode: StandInMode::Waits,
            make: |_| crate::subjects::shared(Self::new(true)),
        },
    ];

    const OPERATIONS: &'static [Operation] = &[
        operation(
            "get",
            "{s}.get().await{0}",
            &[Argument::OF_FUTURE],
            |call| {
                let pool = object::<Self>(call);
                let use_it = async {
                    let uses = pool.get().await;
                    let object = Object { uses };
                    pool.give_back(object.uses);
                    object
                };
                contest::observe_future!(use_it, call.choice(0))
            },
        ),
        kept(
            "get",
            "let kept = {s}.get().await",
            Keeping::Keeps,
            |call| {
                let pool = object::<Self>(call);
                let uses = contest_engine::observe::wait_for(pool.get());
                pool.has[running_thread()].store(uses, SeqCst);
                Some("Object".to_owned())
            },
        ),
        kept("drop(kept)", "drop(kept)", Keeping::LetsGo, |call| {
            let pool = object::<Self>(call);
            let uses = pool.has[running_thread()].swap(0, SeqCst);
            if uses > 0 {
                pool.give_back(uses);
            }
            None
        }),
        observer("ping", "{s}.ping()", &[], |call| {
            drop(object::<Self>(call).free.lock().unwrap());
            None
        }),
    ];
}

const fn kept(
    name: &'static str,
    text: &'static str,
    keeping: Keeping,
    call: fn(&contest_data::subject::Call<'_>) -> contest_data::subject::Response,
) -> Operation {
    Operation {
        contract: Contract {
            keeping,
            ..Contract::NONE
        },
        ..operation(name, text, &[], call)
    }
}

const fn door<const SAFE: bool>() -> Subject {
    Subject {
        name: "Door",
        path: "Door",
        constructors: &[const { new::<Door<SAFE>>("Door::new()") }],
        operations: Door::<SAFE>::OPERATIONS,
        state: None,
    }
}

const fn pool<const SAFE: bool>() -> Subject {
    Subject {
        name: "Pool",
        path: "Pool",
        constructors: Pool::<SAFE>::CONSTRUCTORS,
        operations: Pool::<SAFE>::OPERATIONS,
        state: None,
    }
}

static FAULTY_DOOR: [Subject; 1] = [door::<false>()];
static DOOR: [Subject; 1] = [door::<true>()];
static FAULTY_POOL: [Subject; 1] = [pool::<false>()];
static POOL: [Subject; 1] = [pool::<true>()];

const TOGETHER: &str = "are held at the same time";

#[test]
fn a_door_that_lets_two_in_is_found_although_all_results_are_right() {
    let found = campaign(&FAULTY_DOOR, &settings(3_000));
    let first = found.findings.first().expect("two are inside");
    assert_eq!(first.kind, NonLinearizable, "{}", found.text());
    assert!(first.message.contains(TOGETHER), "{}", found.text());
    assert!(campaign(&DOOR, &settings(1_000)).findings.is_empty());
}

#[test]
fn a_call_that_is_cancelled_while_its_user_works_gives_back_what_it_had_once() {
    let found = campaign(&FAULTY_POOL, &settings(4_000));
    let of_two = found
        .findings
        .iter()
        .find(|it| it.message.contains(TOGETHER));
    let of_two = of_two.unwrap_or_else(|| panic!("{}", found.text()));
    assert_eq!(of_two.kind, Cancellation, "{}", found.text());
    let right = campaign(&POOL, &settings(2_000));
    assert!(right.findings.is_empty(), "{}", right.text());
    // That the next one gets a new object is up to the pool.
    let said = right.text();
    assert!(said.contains("may have had something in hand"), "{said}");
}
