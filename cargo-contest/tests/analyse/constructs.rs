//! Each construct with a rule: what it accesses, what it holds, and whether the summary stays exact.

use contest_catalog::method_summary::MethodSummary;

use crate::support::{accesses, locks, method, pairs, reasons, source};

/// A type with one method of this body, and items beside it.
#[track_caller]
fn of(fields: &str, body: &str, items: &str) -> MethodSummary {
    let text = format!(
        "use std::sync::*; use std::sync::atomic::*; use std::cell::*; use std::collections::*; use std::sync::atomic::Ordering::SeqCst;\n\
         pub struct S {{ {fields} }}\nimpl S {{ pub fn f(&self) {{ {body} }} }}\n{items}"
    );
    let analysis = source(&text);
    assert_eq!(analysis.skipped, [], "{text}");
    method(&analysis, "S", "f")
}

#[track_caller]
fn exact(summary: &MethodSummary) {
    assert!(summary.is_exact(), "{:?}", summary.inexact);
}

#[track_caller]
fn inexact(summary: &MethodSummary, why: &str) {
    assert!(
        reasons(summary).iter().any(|it| it.contains(why)),
        "{why} is not in {:?}",
        summary.inexact
    );
    assert!(
        summary
            .inexact
            .iter()
            .all(|it| it.at.contains("src/lib.rs:")),
        "{:?}",
        summary.inexact
    );
}

#[test]
fn atomics_read_write_or_both() {
    let it = of(
        "a: AtomicU32, b: AtomicU32, c: AtomicU32, d: AtomicBool",
        "self.a.load(SeqCst); self.b.store(1, SeqCst); self.c.fetch_add(1, SeqCst); let _ = self.d.compare_exchange(false, true, SeqCst, SeqCst);",
        "",
    );
    assert_eq!(
        accesses(&it),
        ["R(self.a)", "RW(self.c)", "RW(self.d)", "W(self.b)"]
    );
    exact(&it);
}

#[test]
fn plain_fields_are_fixed_while_the_object_is_shared() {
    let it = of(
        "capacity: usize, m: Mutex<u32>",
        "if self.capacity > 1 { *self.m.lock().unwrap() = 1; }",
        "",
    );
    assert_eq!(accesses(&it), ["W(self.m.*)"]);
    assert_eq!(locks(&it), ["self.m"]);
    exact(&it);
}

#[test]
fn a_lock_that_may_not_be_got_protects_nothing_and_waits_for_nothing() {
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>, n: AtomicU32",
        "let _k = self.k.lock().unwrap(); if let Ok(mut g) = self.m.try_lock() { *g = 1; self.n.store(1, SeqCst); }",
        "",
    );
    assert_eq!(locks(&it), ["self.k"]);
    assert!(pairs(&it).is_empty(), "{:?}", pairs(&it));
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>",
        "if let Ok(_g) = self.m.try_lock() { *self.k.lock().unwrap() = 1; }",
        "",
    );
    assert_eq!(pairs(&it), ["(self.m, self.k)"]);
}

#[test]
fn waiting_gives_the_lock_back() {
    let it = of(
        "m: Mutex<bool>, c: Condvar, k: Mutex<u32>",
        "let _k = self.k.lock().unwrap(); let mut g = self.m.lock().unwrap(); while !*g { g = self.c.wait(g).unwrap(); } *g = false;",
        "",
    );
    assert_eq!(locks(&it), ["self.k"]);
    assert_eq!(pairs(&it), ["(self.k, self.c)", "(self.k, self.m)"]);
    assert_eq!(accesses(&it), ["R(self.c)", "RW(self.m.*)"]);
    exact(&it);
    let it = of(
        "m: Mutex<bool>, c: Condvar",
        "*self.m.lock().unwrap() = true; self.c.notify_all();",
        "",
    );
    assert_eq!(accesses(&it), ["W(self.c)", "W(self.m.*)"]);
    let it = of(
        "m: Mutex<bool>, c: Condvar",
        "let _g = self.c.wait_while(self.m.lock().unwrap(), |it| !*it).unwrap();",
        "",
    );
    assert_eq!(accesses(&it), ["R(self.c)", "R(self.m.*)"]);
    exact(&it);
}

#[test]
fn channels_block_like_locks() {
    let it = of(
        "m: Mutex<u32>, r: Mutex<mpsc::Receiver<u32>>",
        "let _m = self.m.lock().unwrap(); let _ = self.r.lock().unwrap().recv();",
        "",
    );
    assert!(
        pairs(&it).contains(&"(self.m, self.r.*)".to_string()),
        "{:?}",
        pairs(&it)
    );
    let it = of(
        "m: Mutex<u32>, s: mpsc::SyncSender<u32>",
        "let _m = self.m.lock().unwrap(); self.s.send(1).unwrap();",
        "",
    );
    assert_eq!(pairs(&it), ["(self.m, self.s)"]);
    let it = of(
        "m: Mutex<u32>, s: mpsc::Sender<u32>",
        "let _m = self.m.lock().unwrap(); self.s.send(1).unwrap();",
        "",
    );
    assert!(pairs(&it).is_empty());
    assert_eq!(accesses(&it), ["RW(self.s)"]);
    exact(&it);
}

#[test]
fn initialising_once_is_a_lock_around_the_closure() {
    let it = of(
        "o: OnceLock<u32>, m: Mutex<u32>",
        "let _ = self.o.get_or_init(|| *self.m.lock().unwrap());",
        "",
    );
    assert_eq!(pairs(&it), ["(self.o, self.m)"]);
    exact(&it);
    let it = of(
        "o: Once, n: AtomicU32",
        "self.o.call_once(|| self.n.store(1, SeqCst));",
        "",
    );
    assert_eq!(accesses(&it), ["RW(self.o)", "W(self.n)"]);
}

#[test]
fn parking_waits_for_others() {
    let it = of(
        "m: Mutex<u32>",
        "let _m = self.m.lock().unwrap(); std::thread::park();",
        "",
    );
    assert_eq!(pairs(&it), ["(self.m, ?Thread)"]);
    let it = of("t: std::thread::Thread", "self.t.unpark();", "");
    assert_eq!(accesses(&it), ["W(self.t)"]);
    exact(&it);
}

#[test]
fn a_thread_that_is_started_holds_nothing() {
    let it = of(
        "m: Mutex<u32>, a: Arc<AtomicU32>",
        "let _m = self.m.lock().unwrap(); let a = self.a.clone(); std::thread::spawn(move || { a.store(1, SeqCst); });",
        "",
    );
    assert!(
        accesses(&it).contains(&"W(self.a)".to_string()),
        "{:?}",
        accesses(&it)
    );
    assert!(locks(&it).is_empty());
}

#[test]
fn cells_and_static_muts_are_seen() {
    let it = of("c: UnsafeCell<u32>", "unsafe { *self.c.get() = 1; }", "");
    assert_eq!(accesses(&it), ["W(self.c.*)"]);
    let it = of("c: Cell<u32>", "self.c.set(self.c.get() + 1);", "");
    assert_eq!(accesses(&it), ["RW(self.c.*)"]);
    let it = of("x: u32", "unsafe { N += 1; }", "static mut N: u32 = 0;");
    assert_eq!(accesses(&it), ["RW(N.*)"]);
    exact(&it);
}

#[test]
fn methods_of_the_package_are_followed_through_arcs_guards_and_deref() {
    let it = of(
        "i: Arc<Inner>, w: Wrapped",
        "self.i.bump(); self.w.bump();",
        "pub struct Inner { m: Mutex<State> }
         pub struct State { n: u32 }
         impl State { fn add(&mut self) { self.n += 1; } }
         impl Inner { fn bump(&self) { self.m.lock().unwrap().add(); } }
         pub struct Wrapped { inner: Inner }
         impl std::ops::Deref for Wrapped { type Target = Inner; fn deref(&self) -> &Inner { &self.inner } }",
    );
    assert_eq!(
        accesses(&it),
        ["RW(self.i.m.*.n)", "RW(self.w.inner.m.*.n)"]
    );
    exact(&it);
}

#[test]
fn a_call_that_is_the_only_access_lends_its_locks() {
    let it = of(
        "m: Mutex<u32>",
        "self.add();",
        "impl S { fn add(&self) { let mut g = self.m.lock().unwrap(); *g += 1; } }",
    );
    assert_eq!(locks(&it), ["self.m"]);
    let it = of(
        "m: Mutex<u32>",
        "self.add(); self.add();",
        "impl S { fn add(&self) { let mut g = self.m.lock().unwrap(); *g += 1; } }",
    );
    assert!(locks(&it).is_empty());
}

#[test]
fn guards_travel_through_functions_and_objects() {
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>",
        "let h = Held::new(self); h.go(&self.k);",
        "pub struct Held<'a> { g: MutexGuard<'a, u32> }
         impl<'a> Held<'a> { fn new(s: &'a S) -> Self { Held { g: s.m.lock().unwrap() } } fn go(&self, k: &Mutex<u32>) { *k.lock().unwrap() = 1; } }",
    );
    assert_eq!(pairs(&it), ["(self.m, self.k)"]);
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>",
        "let e = Entered { of: self }; e.leave();",
        "pub struct Entered<'a> { of: &'a S }
         impl Entered<'_> { fn leave(self) {} }
         impl Drop for Entered<'_> { fn drop(&mut self) { *self.of.m.lock().unwrap() += 1; } }",
    );
    assert_eq!(accesses(&it), ["RW(self.m.*)"]);
}

#[test]
fn closures_are_walked_where_they_are_called() {
    let it = of(
        "m: Mutex<Vec<u32>>, n: AtomicU32",
        "self.m.lock().unwrap().iter().for_each(|it| { self.n.fetch_add(*it, SeqCst); });",
        "",
    );
    assert_eq!(locks(&it), ["self.m"]);
    exact(&it);
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>",
        "self.with(|n| { *self.k.lock().unwrap() = *n; });",
        "impl S { fn with<R>(&self, f: impl FnOnce(&mut u32) -> R) -> R { f(&mut self.m.lock().unwrap()) } }",
    );
    assert_eq!(pairs(&it), ["(self.m, self.k)"]);
    assert_eq!(accesses(&it), ["R(self.m.*)", "W(self.k.*)"]);
    exact(&it);
}

#[test]
fn a_closure_that_is_given_from_outside_may_do_anything() {
    let text = "use std::sync::*; pub struct S { m: Mutex<u32> }
        impl S { pub fn with<R>(&self, f: impl FnOnce(&mut u32) -> R) -> R { let mut g = self.m.lock().unwrap(); f(&mut g) } }";
    let it = method(&source(text), "S", "with");
    inexact(&it, "calls its closure argument");
    assert!(locks(&it).is_empty());
    assert_eq!(pairs(&it), ["(self.m, ?)"]);
}

#[test]
fn a_trait_object_of_the_package_is_any_of_its_impls() {
    let items = "trait Part: Send + Sync { fn go(&self); }
        pub struct One { m: Mutex<u32> } pub struct Two { n: AtomicU32 }
        impl Part for One { fn go(&self) { *self.m.lock().unwrap() = 1; } }
        impl Part for Two { fn go(&self) { self.n.store(1, SeqCst); } }";
    let it = of("p: Box<dyn Part>", "self.p.go();", items);
    assert_eq!(accesses(&it), ["W(self.p.m.*)", "W(self.p.n)"]);
    exact(&it);
    let it = of(
        "p: Box<dyn Part>",
        "self.p.go();",
        &items.replace("trait Part", "pub trait Part"),
    );
    inexact(&it, "which others may implement");
}

#[test]
fn recursion_settles() {
    let it = of(
        "m: Mutex<u32>, next: Option<Box<S>>",
        "*self.m.lock().unwrap() += 1; if let Some(next) = &self.next { next.f(); }",
        "",
    );
    assert!(
        accesses(&it).contains(&"RW(self.m.*)".to_string()),
        "{:?}",
        accesses(&it)
    );
    assert!(
        accesses(&it).iter().any(|it| it.contains("self.next")),
        "{:?}",
        accesses(&it)
    );
    exact(&it);
}

#[test]
fn a_guard_that_is_kept_over_a_round_meets_the_next_one() {
    let it = of(
        "m: Mutex<u32>, k: Mutex<u32>",
        "let mut kept = None; for n in 0..2 { *self.k.lock().unwrap() += 1; if n == 0 { kept = Some(self.m.lock().unwrap()); } } drop(kept);",
        "",
    );
    assert!(
        pairs(&it).contains(&"(self.m, self.k)".to_string()),
        "{:?}",
        pairs(&it)
    );
}

#[test]
fn macros_of_the_package_are_expanded() {
    let analysis = source(
        "macro_rules! locked { ($s:expr, $g:ident, $e:expr) => {{ let mut $g = $s.m.lock().unwrap(); $e; }} }
         pub struct S { m: std::sync::Mutex<u32> }
         impl S { pub fn f(&self) { locked!(self, g, *g += 1); } }",
    );
    let it = method(&analysis, "S", "f");
    assert_eq!(accesses(&it), ["RW(self.m.*)"]);
    assert_eq!(locks(&it), ["self.m"]);
    exact(&it);
}

#[test]
fn function_pointers_may_do_anything_to_what_they_are_given() {
    let it = of(
        "m: Mutex<u32>, p: fn(&mut u32)",
        "let mut g = self.m.lock().unwrap(); (self.p)(&mut g);",
        "",
    );
    inexact(&it, "function pointer");
    assert!(
        accesses(&it).contains(&"RW(self.m.*..)".to_string()),
        "{:?}",
        accesses(&it)
    );
    assert_eq!(pairs(&it), ["(self.m, ?)"]);
}

#[test]
fn raw_pointers_and_awaits_and_stored_guards_are_not_exact() {
    let it = of(
        "p: AtomicPtr<u32>",
        "unsafe { *self.p.load(SeqCst) += 1; }",
        "",
    );
    inexact(&it, "raw pointer");
    assert!(
        accesses(&it).iter().any(|it| it.starts_with("RW(?")),
        "{:?}",
        accesses(&it)
    );
    let text = "pub struct S { m: std::sync::Mutex<u32> } impl S { pub async fn f(&self) { std::future::ready(1).await; *self.m.lock().unwrap() = 1; } }";
    inexact(&method(&source(text), "S", "f"), "is async");
    let it = of(
        "m: Mutex<u32>",
        "std::mem::forget(self.m.lock().unwrap());",
        "",
    );
    inexact(&it, "forgetting");
}

#[test]
fn what_a_type_formats_and_compares_by_itself_is_followed() {
    let items = "pub struct P { n: AtomicU32 }
        impl std::fmt::Debug for P { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, \"{}\", self.n.load(SeqCst)) } }
        impl PartialEq for P { fn eq(&self, other: &P) -> bool { self.n.swap(1, SeqCst) == other.n.load(SeqCst) } }";
    let it = of("p: P, q: P", "let _ = format!(\"{:?}\", self.p);", items);
    assert_eq!(accesses(&it), ["R(self.p.n)"]);
    let it = of("p: P, q: P", "let _ = self.p == self.q;", items);
    assert_eq!(accesses(&it), ["R(self.q.n)", "RW(self.p.n)"]);
    exact(&it);
}

#[test]
fn a_method_of_a_supertrait_of_a_bound_is_not_taken_for_one_of_std() {
    let analysis = source(
        "use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
         pub trait Inner { fn load(&self) -> usize; }
         pub trait Strategy: Inner {}
         pub struct Own(AtomicUsize);
         impl Inner for Own { fn load(&self) -> usize { self.0.fetch_add(1, SeqCst) } }
         impl Strategy for Own {}
         pub struct S<T: Strategy = Own> { strategy: T }
         impl<T: Strategy> S<T> { pub fn load(&self) -> usize { self.strategy.load() } }",
    );
    let load = method(&analysis, "S", "load");
    assert_eq!(accesses(&load), ["RW(self.strategy.0)"]);
}

#[test]
fn a_function_of_another_language_may_do_anything() {
    for items in [
        "extern \"C\" { fn tally() -> u32; }",
        "use inner::tally; mod inner { extern \"C\" { pub fn tally() -> u32; } }",
    ] {
        let it = of("m: Mutex<u32>", "unsafe { tally(); }", items);
        inexact(&it, "tally`, a function of another language");
    }
}

#[test]
fn a_static_of_another_language_is_a_static() {
    let items = "extern \"C\" { static mut tally: u32; }";
    let it = of("m: Mutex<u32>", "unsafe { tally += 1; }", items);
    assert_eq!(accesses(&it), ["RW(tally.*)"]);
}
