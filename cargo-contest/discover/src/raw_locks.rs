//! Raw locks for traits like `lock_api::RawMutex`: unsafe to implement, because what they promise (that a lock which is
//! held exclusively is held by no other thread) is not checked. A count in an atomic keeps that promise.

use rustdoc_types::{ItemEnum, Trait};

use super::library::{ItemRef, Library};
use super::rust_type::RustType;

/// What a raw lock is made of: how often it is held, all ones where it is held exclusively.
pub(super) const DECLARATION: &str = "(std::sync::atomic::AtomicUsize);\n";

/// Its only value without help of the trait.
pub(super) const INITIAL: &str = "Self(std::sync::atomic::AtomicUsize::new(0))";

/// Traits that a raw lock does not implement although other stand-ins do.
pub(super) const LACKS: &[&str] = &[
    "core::clone::Clone",
    "core::marker::Copy",
    "core::cmp::PartialEq",
    "core::cmp::Eq",
    "core::cmp::PartialOrd",
    "core::cmp::Ord",
    "core::hash::Hash",
];

const TAKE: &str = "self.0.compare_exchange(0, usize::MAX, std::sync::atomic::Ordering::Acquire, \
                    std::sync::atomic::Ordering::Relaxed).is_ok()";
const TAKE_SHARED: &str = "self.0.fetch_update(std::sync::atomic::Ordering::Acquire, \
                           std::sync::atomic::Ordering::Relaxed, |it| (it != usize::MAX).then(|| it + 1)).is_ok()";
const GIVE: &str = "self.0.store(0, std::sync::atomic::Ordering::Release);";
const GIVE_SHARED: &str = "self.0.fetch_sub(1, std::sync::atomic::Ordering::Release);";
/// The address of a thread-local is another one in each thread.
const THREAD: &str = "std::thread_local! { static HERE: u8 = const { 0 } }
        HERE.with(|it| std::num::NonZeroUsize::new(std::ptr::from_ref(it).addr()).expect(\"an address\"))";
const HOLDS: &str = "self.0.load(std::sync::atomic::Ordering::Relaxed)";

/// True if a trait is one of a raw lock, and all that it requires is known.
pub(super) fn is_raw_lock(library: &Library, at: ItemRef, name: &str, trait_: &Trait) -> bool {
    let others = ["RawRwLockUpgrade", "GetThreadId"];
    let by_name = name.starts_with("Raw") && (name.ends_with("Mutex") || name.ends_with("Lock"));
    (by_name || others.contains(&name))
        && trait_.generics.params.is_empty()
        && trait_.items.iter().all(|id| {
            let Some(item) = library.item(ItemRef { id: *id, ..at }) else {
                return false;
            };
            let own = item.name.as_deref().unwrap_or_default();
            match &item.inner {
                ItemEnum::Function(function) => {
                    function.has_body || body(own, &RustType::unit()).is_some()
                }
                ItemEnum::AssocConst { value, .. } => value.is_some() || own == "INIT",
                ItemEnum::AssocType { generics, .. } => generics.params.is_empty(),
                _ => true,
            }
        })
}

/// The body of a method with this output.
pub(super) fn body(method: &str, output: &RustType) -> Option<String> {
    let tried = |taken: &str| match output.path() {
        "core::option::Option" => format!("({taken}).then(|| ())"),
        _ => taken.to_owned(),
    };
    let waits = |taken: &str| format!("while !{taken} {{ std::hint::spin_loop(); }}");
    Some(match method {
        "lock" | "lock_exclusive" => waits(TAKE),
        "lock_shared" => waits(TAKE_SHARED),
        "try_lock" | "try_lock_exclusive" => tried(TAKE),
        "try_lock_shared" => tried(TAKE_SHARED),
        "unlock" | "unlock_exclusive" => GIVE.to_owned(),
        "unlock_shared" => GIVE_SHARED.to_owned(),
        "is_locked" => format!("{HOLDS} != 0"),
        // One holder may upgrade: here no other one is let in meanwhile.
        "lock_upgradable" => waits(TAKE),
        "try_lock_upgradable" => tried(TAKE),
        "unlock_upgradable" => GIVE.to_owned(),
        "upgrade" => "let _ = self;".to_owned(),
        "try_upgrade" => tried("true"),
        "nonzero_thread_id" => THREAD.to_owned(),
        "is_locked_exclusive" => format!("{HOLDS} == usize::MAX"),
        _ => return None,
    })
}
