//! loom `tests/thread_api.rs`.

use std::sync::Arc;

use contest::sync::Mutex;
use contest::sync::mpsc::channel;
use contest::thread;

use crate::runs::{inside_and_outside, join_all, passes};

#[test]
fn the_main_thread_of_a_loom_model_has_an_id_and_no_name() {
    contest_compat::loom::model(|| {
        let main = thread::current();
        assert_eq!(main.name(), None);
        let id = thread::spawn(|| thread::current().id()).join().unwrap();
        assert_ne!(main.id(), id);
    });
}

#[test]
fn threads_that_wait_for_a_lock_can_all_be_joined() {
    inside_and_outside(|| {
        let mutex = Arc::new(Mutex::new(0));
        let held = mutex.lock().unwrap();
        let threads = [(); 2].map(|()| {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || *mutex.lock().unwrap() += 1)
        });
        drop(held);
        join_all(threads);
        assert_eq!(*mutex.lock().unwrap(), 2);
    });
}

#[test]
fn a_thread_may_be_joined_by_another_than_its_parent() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let first = thread::spawn(|| 1);
        let second = thread::spawn(move || sender.send(first.join().unwrap()).unwrap());
        thread::spawn(|| {}).join().unwrap();
        second.join().unwrap();
        assert_eq!(receiver.recv(), Ok(1));
    });
}

#[test]
fn threads_have_different_ids_which_their_handles_know() {
    inside_and_outside(|| {
        let (sender, receiver) = channel();
        let mut ids = vec![thread::current().id()];
        for _ in 0..2 {
            let sender = sender.clone();
            let thread = thread::spawn(move || sender.send(thread::current().id()).unwrap());
            let id = receiver.recv().unwrap();
            assert_eq!(id, thread.thread().id());
            assert!(!ids.contains(&id));
            ids.push(id);
            thread.join().unwrap();
        }
    });
}

#[test]
fn threads_have_the_names_they_were_given() {
    inside_and_outside(|| {
        let here = || thread::current().name().map(str::to_owned);
        for name in [None, Some("worker")] {
            let mut builder = thread::Builder::new();
            if let Some(name) = name {
                builder = builder.name(name.to_owned());
            }
            let thread = builder.spawn(here).unwrap();
            assert_eq!(thread.thread().name(), name);
            assert_eq!(thread.join().unwrap().as_deref(), name);
        }
    });
}

#[test]
fn half_a_megabyte_fits_on_the_stack_of_a_loom_model() {
    contest_compat::loom::model(|| {
        let body = || {
            std::hint::black_box(&mut [1_u8; 1 << 19])
                .iter()
                .map(|&byte| u32::from(byte))
                .sum::<u32>()
        };
        let thread = thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(body)
            .unwrap();
        assert_eq!(thread.join().unwrap(), 1 << 19);
    });
}

#[test]
fn a_thread_that_was_unparked_before_it_parks_goes_on() {
    inside_and_outside(|| {
        thread::current().unpark();
        thread::park();
    });
}

#[test]
fn the_real_park_works_beside_models() {
    passes(|| {});
    std::thread::current().unpark();
    std::thread::park();
}
