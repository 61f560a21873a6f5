//! Prints the real name of what each path leads to.

#![allow(deprecated)]

use std::any::type_name;
use std::cell::Cell;

thread_local! {
    static WITHOUT_PATH: Cell<u8> = const { Cell::new(1) };
}

std::thread_local! {
    static WITH_PATH: Cell<u8> = Cell::new(1);
}

mod imported {
    use std::thread_local as renamed;
    renamed!(pub static RENAMED: u8 = 1);
}

fn name_of<T: ?Sized>(_: &T) -> &'static str {
    type_name::<T>()
}

macro_rules! types {
    ($($path:ty),* $(,)?) => {
        $(println!("{}: {}", stringify!($path), type_name::<$path>());)*
    };
}

macro_rules! values {
    ($($value:expr),* $(,)?) => {
        $(println!("{}: {}", stringify!($value), name_of(&$value));)*
    };
}

fn main() {
    types!(
        std::sync::Mutex<u8>,
        std::sync::MutexGuard<u8>,
        std::sync::RwLock<u8>,
        std::sync::RwLockReadGuard<u8>,
        std::sync::RwLockWriteGuard<u8>,
        std::sync::Condvar,
        std::sync::WaitTimeoutResult,
        std::sync::Once,
        std::sync::OnceState,
        std::sync::OnceLock<u8>,
        std::sync::LazyLock<u8>,
        std::sync::Barrier,
        std::sync::BarrierWaitResult,
        std::sync::mpsc::Sender<u8>,
        std::sync::mpsc::SyncSender<u8>,
        std::sync::mpsc::Receiver<u8>,
        std::sync::mpsc::Iter<u8>,
        std::sync::mpsc::TryIter<u8>,
        std::sync::mpsc::IntoIter<u8>,
        std::sync::atomic::AtomicBool,
        std::sync::atomic::AtomicI8,
        std::sync::atomic::AtomicU8,
        std::sync::atomic::AtomicI16,
        std::sync::atomic::AtomicU16,
        std::sync::atomic::AtomicI32,
        std::sync::atomic::AtomicU32,
        std::sync::atomic::AtomicI64,
        std::sync::atomic::AtomicU64,
        std::sync::atomic::AtomicIsize,
        std::sync::atomic::AtomicUsize,
        std::sync::atomic::AtomicPtr<u8>,
        core::sync::atomic::AtomicUsize,
        core::sync::atomic::AtomicPtr<u8>,
        std::thread::Thread,
        std::thread::ThreadId,
        std::thread::Builder,
        std::thread::JoinHandle<u8>,
        std::thread::Scope,
        std::thread::ScopedJoinHandle<u8>,
        std::thread::LocalKey<u8>,
        std::thread::AccessError,
    );
    values!(
        std::sync::ONCE_INIT,
        std::sync::atomic::ATOMIC_BOOL_INIT,
        std::sync::atomic::ATOMIC_ISIZE_INIT,
        std::sync::atomic::ATOMIC_USIZE_INIT,
        std::sync::atomic::fence,
        std::sync::atomic::spin_loop_hint,
        std::hint::spin_loop,
        core::hint::spin_loop,
        std::thread::spawn::<fn(), ()>,
        std::thread::park,
        std::thread::park_timeout,
        std::thread::park_timeout_ms,
        std::thread::sleep,
        std::thread::sleep_ms,
        std::thread::yield_now,
        std::thread::current,
        std::thread::panicking,
        std::thread::available_parallelism,
        std::process::exit,
        std::process::abort,
        WITHOUT_PATH,
        WITH_PATH,
        imported::RENAMED,
    );
}
