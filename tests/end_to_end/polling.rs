//! Threads that poll what a lock guards: a round that changes nothing is not repeated for ever.

use crate::support::Subject;

const MANIFEST: &str = "[package]\nname = \"polls\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const TESTS: &str = r#"
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

#[test]
fn until_it_is_done() {
    let done = Arc::new(Mutex::new(false));
    let other = done.clone();
    let thread = thread::spawn(move || *other.lock().unwrap() = true);
    while !*done.lock().unwrap() {
        thread::yield_now();
    }
    thread.join().unwrap();
}

#[test]
fn as_a_reader() {
    let done = Arc::new(RwLock::new(false));
    let other = done.clone();
    let thread = thread::spawn(move || *other.write().unwrap() = true);
    while !*done.read().unwrap() {
        std::hint::spin_loop();
    }
    thread.join().unwrap();
}

#[test]
fn while_the_lock_is_held() {
    let done = Arc::new(Mutex::new(false));
    let other = done.clone();
    let thread = thread::spawn(move || *other.lock().unwrap() = true);
    loop {
        let held = done.lock().unwrap();
        if *held {
            break;
        }
        thread::yield_now();
    }
    thread.join().unwrap();
}

#[test]
fn two_workers_until_the_queue_is_closed() {
    let jobs = Arc::new((Mutex::new(vec![1, 2]), AtomicBool::new(false)));
    let workers = [1, 2].map(|_| {
        let jobs = jobs.clone();
        thread::spawn(move || {
            let mut done = 0;
            loop {
                let closed = jobs.1.load(Ordering::SeqCst);
                let job = jobs.0.lock().unwrap().pop();
                match job {
                    Some(job) => done += job,
                    None if closed => return done,
                    None => thread::yield_now(),
                }
            }
        })
    });
    jobs.1.store(true, Ordering::SeqCst);
    let done: u32 = workers.into_iter().map(|it| it.join().unwrap()).sum();
    assert_eq!(done, 3);
}

#[test]
fn as_often_as_it_takes() {
    let tries = Arc::new(Mutex::new(0));
    let other = tries.clone();
    let thread = thread::spawn(move || *other.lock().unwrap() += 1);
    loop {
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        if *tries > 20 {
            break;
        }
        drop(tries);
        thread::yield_now();
    }
    thread.join().unwrap();
}

#[test]
fn for_what_nobody_does() {
    let done = Arc::new(Mutex::new(false));
    let other = done.clone();
    let thread = thread::spawn(move || while !*other.lock().unwrap() { thread::yield_now(); });
    drop(done.lock().unwrap());
    thread.join().unwrap();
}
"#;

#[test]
fn loops_that_poll_a_lock_end_and_some_are_whole() {
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", ""),
        ("tests/polls.rs", TESTS),
    ];
    let polls = Subject::with("polls", &files);
    let run = polls.contest(&["test", "--message-format", "json"]);
    let tests = run.status(0).with_reason("test");
    let of = |name: &str| {
        let found = tests.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no test {name}"))
    };
    for name in ["until_it_is_done", "as_a_reader"] {
        let test = of(name);
        assert_eq!(
            (&test["result"], &test["complete"]),
            (&"ok".into(), &true.into()),
            "{test}"
        );
    }
    for name in [
        "while_the_lock_is_held",
        "two_workers_until_the_queue_is_closed",
        "as_often_as_it_takes",
    ] {
        let test = of(name);
        assert_eq!(test["result"], "ok", "{test}");
        assert!(test["executions"].as_u64() > Some(5), "{test}");
        assert!(
            !test["gaps"].to_string().contains("visible operations"),
            "{test}"
        );
    }
    let why = &of("for_what_nobody_does")["why"];
    assert!(
        why.as_str().is_some_and(|it| it.contains("only spin")),
        "{why}"
    );
}
