//! A library without `std`, as many that are used in crates with it.

#![no_std]

extern crate alloc;
#[macro_use]
extern crate std;

use alloc::string::String;
use alloc::sync::Arc;
use core::any::type_name;
use core::cell::Cell;
use core::sync::atomic::AtomicUsize;

thread_local! {
    static LOCAL: Cell<u8> = const { Cell::new(1) };
}

fn name_of<T: ?Sized>(_: &T) -> &'static str {
    type_name::<T>()
}

/// Names of what this crate sees.
pub fn names() -> alloc::vec::Vec<String> {
    let shared = Arc::new(AtomicUsize::new(0));
    alloc::vec![
        String::from(name_of(&LOCAL)),
        String::from(name_of(&*shared)),
        format!("{}", type_name::<std::sync::Mutex<u8>>()),
    ]
}
