//! Everything that `std` can make in a constant.

#![expect(deprecated, reason = "std still has them")]

use contest::sync::atomic::{
    ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, AtomicBool, AtomicI64, AtomicIsize,
    AtomicPtr, AtomicU8, AtomicUsize, Ordering,
};
use contest::sync::{
    Barrier, Condvar, LazyLock, Mutex, ONCE_INIT, Once, OnceLock, PoisonError, RwLock,
};

static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static RWLOCK: RwLock<Option<String>> = RwLock::new(None);
static CONDVAR: Condvar = Condvar::new();
static ONCE: Once = Once::new();
static OLD_ONCE: Once = ONCE_INIT;
static CELL: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<String> = LazyLock::new(|| "lazy".to_owned());
static BARRIER: Barrier = Barrier::new(1);
static BOOLEAN: AtomicBool = AtomicBool::new(true);
static BYTE: AtomicU8 = AtomicU8::new(7);
static POINTER: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static OLD_BOOLEAN: AtomicBool = ATOMIC_BOOL_INIT;
static OLD_ISIZE: AtomicIsize = ATOMIC_ISIZE_INIT;
static OLD_USIZE: AtomicUsize = ATOMIC_USIZE_INIT;
const INNER: i64 = AtomicI64::new(-3).into_inner();
static TABLE: [AtomicUsize; 4] = [const { AtomicUsize::new(5) }; 4];

#[test]
fn what_std_makes_in_a_static_can_be_made_in_a_static() {
    MUTEX.lock().unwrap_or_else(PoisonError::into_inner).push(1);
    *RWLOCK.write().unwrap() = Some("text".to_owned());
    assert_eq!(MUTEX.lock().unwrap().as_slice(), [1]);
    assert_eq!(RWLOCK.read().unwrap().as_deref(), Some("text"));
    CONDVAR.notify_all();
    ONCE.call_once(|| ());
    OLD_ONCE.call_once(|| ());
    assert!(ONCE.is_completed() && OLD_ONCE.is_completed());
    assert_eq!(CELL.get_or_init(|| "cell".to_owned()), "cell");
    assert_eq!(LAZY.len(), 4);
    assert!(BARRIER.wait().is_leader());
    assert!(BOOLEAN.load(Ordering::SeqCst) && !OLD_BOOLEAN.load(Ordering::SeqCst));
    assert_eq!(BYTE.load(Ordering::SeqCst), 7);
    assert!(POINTER.load(Ordering::SeqCst).is_null());
    assert_eq!(
        (
            OLD_ISIZE.load(Ordering::SeqCst),
            OLD_USIZE.load(Ordering::SeqCst)
        ),
        (0, 0)
    );
    assert_eq!(INNER, -3);
    assert_eq!(
        TABLE
            .iter()
            .map(|n| n.load(Ordering::SeqCst))
            .sum::<usize>(),
        20
    );
}

#[test]
fn an_atomic_made_from_a_pointer_is_the_value_behind_it() {
    let mut value = 5_u32;
    {
        // SAFETY: aligned, exclusive, and alive for the block.
        let atomic = unsafe { contest::sync::atomic::AtomicU32::from_ptr(&raw mut value) };
        atomic.fetch_add(1, Ordering::Relaxed);
        assert_eq!(atomic.as_ptr(), &raw mut value);
    }
    assert_eq!(value, 6);
}
