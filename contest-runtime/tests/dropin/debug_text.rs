//! `Debug` output, letter by letter that of `std`.

use std::fmt::Debug;

/// What a value writes, short and long.
fn text(value: &dyn Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

/// The text of the same code over both.
macro_rules! same_text {
    ($($body:tt)*) => {{
        let ours = {
            #[allow(unused_imports, reason = "not all code names all")]
            use contest::{sync, thread};
            $($body)*
        };
        let real = {
            #[allow(unused_imports, reason = "not all code names all")]
            use std::{sync, thread};
            $($body)*
        };
        assert_eq!(ours, real);
    }};
}

#[test]
fn locks_write_themselves_as_in_std() {
    same_text!(text(&sync::Mutex::new("a")));
    same_text!(let lock = sync::Mutex::new(1); let _guard = lock.lock(); text(&lock));
    same_text!(let lock = sync::Mutex::new(1); text(&lock.lock().unwrap()));
    same_text!(text(&sync::RwLock::new("a")));
    same_text!(let lock = sync::RwLock::new(1); let _guard = lock.read(); text(&lock));
    same_text!(let lock = sync::RwLock::new(1); let _guard = lock.write(); text(&lock));
    same_text!(let lock = sync::RwLock::new(1); text(&lock.read().unwrap()));
    same_text!(let lock = sync::RwLock::new(1); text(&lock.write().unwrap()));
    same_text!(text(&sync::Condvar::new()));
    same_text!(text(&sync::Barrier::new(1)));
    same_text!(text(&sync::Barrier::new(1).wait()));
}

#[test]
fn poisoned_locks_write_themselves_as_in_std() {
    same_text!(let lock = sync::Mutex::new(1);
        let _ = std::panic::catch_unwind(|| { let _guard = lock.lock(); panic!("poison") }); text(&(&lock, lock.lock())));
    same_text!(let lock = sync::RwLock::new(1);
        let _ = std::panic::catch_unwind(|| { let _guard = lock.write(); panic!("poison") }); text(&(&lock, lock.read())));
}

#[test]
fn once_types_write_themselves_as_in_std() {
    same_text!(text(&sync::Once::new()));
    same_text!(text(&sync::OnceLock::<u8>::new()));
    same_text!(text(&sync::OnceLock::from("a")));
    same_text!(let lazy = sync::LazyLock::<u8>::new(|| 3); text(&lazy));
    same_text!(let lazy = sync::LazyLock::<u8>::new(|| 3); let _ = *lazy; text(&lazy));
    let mut ours = String::new();
    contest::sync::Once::new().call_once_force(|state| ours = format!("{state:?}"));
    let mut real = String::new();
    std::sync::Once::new().call_once_force(|state| real = format!("{state:?}"));
    assert_eq!(ours, real);
}

#[test]
fn atomics_write_themselves_as_in_std() {
    same_text!(text(&sync::atomic::AtomicBool::new(true)));
    same_text!(text(&sync::atomic::AtomicI8::new(-3)));
    same_text!(text(&sync::atomic::AtomicUsize::new(7)));
    same_text!(text(&sync::atomic::AtomicPtr::<u8>::default()));
    let ours = contest::sync::atomic::AtomicPtr::<u8>::default();
    let real = std::sync::atomic::AtomicPtr::<u8>::default();
    assert_eq!(format!("{ours:p}"), format!("{real:p}"));
}

#[test]
fn channels_write_themselves_as_in_std() {
    same_text!(text(&sync::mpsc::channel::<u8>()));
    same_text!(text(&sync::mpsc::sync_channel::<u8>(1)));
    same_text!(let (_sender, receiver) = sync::mpsc::channel::<u8>(); text(&receiver.iter()));
    same_text!(let (_sender, receiver) = sync::mpsc::channel::<u8>(); text(&receiver.try_iter()));
    same_text!(let (_sender, receiver) = sync::mpsc::channel::<u8>(); text(&receiver));
}

#[test]
fn threads_write_themselves_as_in_std() {
    same_text!(text(&thread::current()));
    same_text!(text(&thread::current().id()));
    same_text!(text(
        &thread::Builder::new().name("n".to_owned()).stack_size(9)
    ));
    same_text!(text(&thread::spawn(|| ())));
    same_text!(text(&thread::scope(|scope| format!("{scope:?}"))));
    same_text!(text(&thread::scope(|scope| format!(
        "{:?}",
        scope.spawn(|| ())
    ))));
}
