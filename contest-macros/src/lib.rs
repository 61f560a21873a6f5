//! Attributes of `cargo contest`; use them through `contest-runtime`, which exports them as `contest::shared`,
//! `contest::operations` and `contest::test`.
//!
//! Three steps for each attribute, as in thiserror: `ast` parses the item and the `#[contest(..)]` attributes in it,
//! `valid` rejects contradictions, `expand` generates the code. Without feature `explore` there is no third step: the
//! item comes out as it was written, without the helper attributes. An error never swallows the item.

mod ast;
mod crate_name;
mod expand;
mod valid;

use proc_macro::TokenStream;

/// Without it items come out as they were written.
const INSTRUMENT: bool = cfg!(feature = "explore");
/// Instrumented types in a release build are no error.
const RELEASE: bool = cfg!(feature = "release");

/// Makes a type, or code that uses it, one whose locks, atomics, channels and threads the scheduler sees.
///
/// On a `struct` or an `enum`, each field's type is replaced by the drop-in type that stands for it, and so inside of
/// `Vec`, `Arc`, `Option` and other containers. The compiler resolves the name: `use std::sync::Mutex as Lock` is
/// understood. On a `fn`, `impl`, `static`, `const`, `type`, `trait` or inline `mod` the types in signatures and the
/// paths in bodies (`Mutex::new`, `thread::spawn`, `mpsc::channel`) are.
///
/// # Arguments
/// * `plain(Name, ..)`: types of these names stay as they are. They must hold no locks that block.
///
/// # On fields
/// * `#[contest(plain)]`: this field stays as it is; `#[contest(plain(Name, ..))]`: these types in it do.
/// * `#[contest(opaque)]`: this field is no part of the state.
///
/// # Fields
/// In code under this attribute or [`macro@operations`], uses of the fields of annotated structs are recorded:
/// `inner.head += 1`, where `inner` is the guard of a `Mutex<Inner>`, is a read and a write of `Inner.head` in the
/// table of a finding, in coverage and in what is predicted. They are no scheduling points, as the lock keeps others
/// away, and say nothing about data races (`cargo contest --memory` does). Recorded is what the syntax shows: a borrow
/// with `&mut` counts as a write, a method of a collection or an `Option` by its name, any other method as a read. Not
/// recorded are fields in patterns, through a reference that is kept, in macros but those of `format!`'s and
/// `assert!`'s family, in `const fn`, and in closures and `async` blocks those of variables from outside.
///
/// # What is not seen
/// * In code, names of `std` are recognised as such; under another name, `Lock::new(..)` is understood in a body and
///   not in a `static`, `const` or `const fn`, nor is a bare `spawn(..)`: write `Mutex::new`, `thread::spawn` there, as
///   before the `use`.
/// * Locks inside of a type behind an alias (`type Table = Mutex<HashMap<u32, Mutex<u8>>>`) and in types of other
///   crates.
/// * `Instant` and `SystemTime` stay those of `std`; for virtual time import `contest::time`.
/// * Cells of `std` stay as they are.
///
/// A lock that is not seen and blocks ends the test with a message that names it.
///
/// Without feature `explore` of contest-runtime the item is what was written.
#[proc_macro_attribute]
pub fn shared(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = expand::shared(arguments.into(), item.into(), INSTRUMENT);
    not_released(expanded).into()
}

/// Declares the operations of a type: the methods of this `impl`, which [`check`](../contest/fn.check.html) calls
/// concurrently.
///
/// Every `pub` method with a receiver is an operation, private ones are not; in an `impl` of a trait all are. Every
/// `pub` function that returns `Self` is a constructor, also in an `Arc`, an `Option` or a `Result`. Bodies and
/// signatures are treated as by [`macro@shared`].
///
/// # Arguments
/// * `parts(Name, ..)`: further annotated impls of the type: names of traits, or what another inherent `impl` says with
///   `part = Name`.
/// * `part = Name`: this `impl` is a part of another one.
/// * `plain(Name, ..)`: as for [`macro@shared`].
///
/// # On methods: `#[contest(..)]`
/// * `skip`: no operation.
/// * `constructor`: makes an object, whatever the signature looks like.
/// * `operation`: an operation although it is private.
/// * `values(name = [first, second])`: values for an argument, as expressions.
/// * `with(name = path)`: a factory for an argument, `fn(usize) -> Type`; it is called with 0, 1 and 2.
/// * `observe`: looks at the object and changes nothing: also called when all threads have ended. Methods that take
///   `&self` and return something are taken for such if they are named as getters are.
/// * `invariant`: called when all threads have ended, and not before; returning `false` or `Err`, or a panic, is a bug.
/// * `weak`: what it returns is not linearizable by design; compared only when all threads have ended.
/// * `may_panic`: a panic in it is no bug.
/// * `blocking`: waiting in it for ever is no bug.
#[proc_macro_attribute]
pub fn operations(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = expand::operations(arguments.into(), item.into(), INSTRUMENT);
    not_released(expanded).into()
}

/// A hand-written concurrent test: a function that is run under one interleaving after another, as by `contest::model`.
///
/// # Arguments
/// `exhaustive`, `strategy = "random"`, `seed = 7`, `budget = "500ms"`, `max_executions = 1000`,
/// `preemption_bound = 2`, `allow_no_decisions`: as the methods of `contest::Builder` of these names.
///
/// The body is treated as by [`macro@shared`]. Without feature `explore` it runs once, on real threads.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::test(arguments.into(), item.into(), INSTRUMENT).into()
}

/// With a check that no release build has instrumented types by mistake.
fn not_released(mut expanded: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    if INSTRUMENT && !RELEASE {
        expanded.extend(quote::quote! {
            #[cfg(not(debug_assertions))]
            ::core::compile_error!(
                "feature `explore` of contest-runtime is on in a build without debug assertions: the locks of this release would be those of a \
                 test. Turn the feature on in [dev-dependencies] only. If this is a test or a benchmark that shall run like that (`cargo test \
                 --release`), turn on feature `release` of contest-runtime too"
            );
        });
    }
    expanded
}
