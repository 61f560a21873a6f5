//! std `once_lock.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::OnceLock;
use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::inside_and_outside;

#[test]
fn the_value_of_another_thread_stays() {
    inside_and_outside(|| {
        let cell = Arc::new(OnceLock::new());
        assert_eq!(cell.get(), None);
        let theirs = Arc::clone(&cell);
        thread::spawn(move || assert_eq!(*theirs.get_or_init(|| 92), 92))
            .join()
            .unwrap();
        cell.get_or_init(|| panic!("it is there"));
        assert_eq!(cell.get(), Some(&92));
    });
}

#[test]
fn an_exclusive_cell_can_be_changed_and_taken_apart() {
    inside_and_outside(|| {
        let mut cell = OnceLock::new();
        assert_eq!(cell.get_mut(), None);
        cell.set(90).unwrap();
        *cell.get_mut().unwrap() += 2;
        assert_eq!(cell.set(1), Err(1));
        assert_eq!(cell.into_inner(), Some(92));
        assert_eq!(OnceLock::<u8>::new().into_inner(), None);
    });
}

#[test]
fn the_value_is_dropped_with_the_cell_and_once() {
    struct Counts(Arc<AtomicU32>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    inside_and_outside(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&drops);
        let cell = OnceLock::new();
        thread::spawn(move || {
            cell.get_or_init(|| Counts(Arc::clone(&theirs)));
            assert_eq!(theirs.load(Ordering::SeqCst), 0);
        })
        .join()
        .unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 1);
        drop(OnceLock::<Counts>::new());
    });
}

#[test]
fn cells_are_cloned_made_and_compared_by_value() {
    inside_and_outside(|| {
        let cell: OnceLock<String> = OnceLock::new();
        assert_eq!(cell.clone().get(), None);
        cell.set("text".to_owned()).unwrap();
        assert_eq!(cell.clone(), cell);
        assert_eq!(OnceLock::from("text".to_owned()), cell);
        assert_ne!(OnceLock::new(), cell);
        assert!(OnceLock::<u8>::new() == OnceLock::new());
    });
}

#[test]
fn a_maker_that_panics_leaves_the_cell_empty() {
    inside_and_outside(|| {
        let cell = OnceLock::new();
        let failed = catch_unwind(AssertUnwindSafe(|| cell.get_or_init(|| panic!("no value"))));
        assert!(failed.is_err());
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_or_init(|| 5), &5);
    });
}

#[test]
fn a_cell_can_be_sent_and_shared_and_outlived_by_nothing_it_borrows() {
    fn check<T: Send + Sync>() {}
    check::<OnceLock<String>>();
    let text = String::from("longer");
    let cell = OnceLock::new();
    cell.set(&text).unwrap();
}

#[test]
fn readers_see_the_whole_value_of_one_writer() {
    inside_and_outside(|| {
        let cell = Arc::new(OnceLock::new());
        for text in ["Hello, World", "Hello, Moon"] {
            let cell = Arc::clone(&cell);
            thread::spawn(move || drop(cell.set(text.to_owned())));
        }
        let text = loop {
            match cell.get() {
                Some(text) => break text,
                None => thread::yield_now(),
            }
        };
        assert!(text == "Hello, World" || text == "Hello, Moon");
        assert_eq!(cell.get(), Some(text));
    });
}
