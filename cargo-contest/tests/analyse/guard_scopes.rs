//! When a guard is released, in both editions: every form of the table is run with locks that write down what is held,
//! and what was seen is compared with the double-lock summary. A probe is a lock of its own that is taken and released
//! at one point, so a pair
//! `(m, probe)` says that `m` was held there.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support;

/// Name and body of `fn name(&self, on: bool)`. Each is run with `on` and without.
const FORMS: &[(&str, &str)] = &[
    ("underscore", "let _ = self.m.lock(); self.a.hit();"),
    (
        "named",
        "{ let _g = self.m.lock().unwrap(); self.a.hit(); } self.b.hit();",
    ),
    (
        "named_or_else",
        "{ let _g = self.m.lock().unwrap_or_else(|it| it.into_inner()); self.a.hit(); } self.b.hit();",
    ),
    (
        "from_a_function",
        "{ let _g = self.enter(); self.a.hit(); } self.b.hit();",
    ),
    (
        "chain",
        "self.m.lock().unwrap().push(self.a.hit()); self.b.hit();",
    ),
    (
        "let_of_a_copy",
        "let _n = (self.m.lock().unwrap().len(), self.a.hit()); self.b.hit();",
    ),
    (
        "argument",
        "both(self.m.lock().unwrap().len(), self.a.hit()); self.b.hit();",
    ),
    (
        "tuple",
        "let _t = (self.m.lock().unwrap().len(), self.a.hit()); self.b.hit();",
    ),
    (
        "structure",
        "let _t = Pair { x: self.m.lock().unwrap().len(), y: self.a.hit() }; self.b.hit();",
    ),
    (
        "array",
        "let _t = [self.m.lock().unwrap().len(), self.a.hit()]; self.b.hit();",
    ),
    (
        "index",
        "let t = [1; 9]; let _v = t[self.m.lock().unwrap().len()] + self.a.hit(); self.b.hit();",
    ),
    (
        "sum",
        "let _n = self.m.lock().unwrap().len() + self.k.lock().unwrap().len() + self.a.hit(); self.b.hit();",
    ),
    (
        "assigned",
        "let _z; _z = self.m.lock().unwrap().len() + self.a.hit(); self.b.hit();",
    ),
    (
        "assigned_to",
        "self.m.lock().unwrap()[0] = self.a.hit(); self.b.hit();",
    ),
    (
        "borrowed",
        "{ let _r = &*self.m.lock().unwrap(); self.a.hit(); } self.b.hit();",
    ),
    (
        "borrowed_mutably",
        "{ let _r = &mut self.m.lock().unwrap(); self.a.hit(); } self.b.hit();",
    ),
    (
        "borrowed_element",
        "{ let _r = &self.m.lock().unwrap()[0]; self.a.hit(); } self.b.hit();",
    ),
    (
        "condition",
        "if self.m.lock().unwrap().len() < 9 { self.a.hit(); } self.b.hit();",
    ),
    (
        "if_let",
        "if let Some(_) = self.pick(on, self.m.lock().unwrap().first()) { self.a.hit(); } else { self.b.hit(); } self.c.hit();",
    ),
    (
        "if_let_copied",
        "if let Some(_) = self.pick(on, self.m.lock().unwrap().first()).copied() { self.a.hit(); } else { self.b.hit(); } self.c.hit();",
    ),
    (
        "if_let_in_tail",
        "if let Some(_) = self.pick(on, self.m.lock().unwrap().first()) { self.a.hit(); } else { self.b.hit(); }",
    ),
    (
        "match_",
        "match self.m.lock().unwrap().first() { Some(_) => { self.a.hit(); } None => {} } self.b.hit();",
    ),
    (
        "match_of_a_copy",
        "match self.m.lock().unwrap().len() { _ => { self.a.hit(); } } self.b.hit();",
    ),
    (
        "match_guard",
        "match 1 { _ if self.m.lock().unwrap().len() < 9 => { self.a.hit(); } _ => {} } self.b.hit();",
    ),
    (
        "while_",
        "let mut n = 0; while self.m.lock().unwrap().len() > n { n += 9; self.a.hit(); } self.b.hit();",
    ),
    (
        "while_let",
        "while let Some(_) = self.m.lock().unwrap().pop() { self.a.hit(); } self.b.hit(); self.m.lock().unwrap().push(1);",
    ),
    (
        "for_",
        "for _ in self.m.lock().unwrap().iter().take(1) { self.a.hit(); } self.b.hit();",
    ),
    (
        "for_in_a_range",
        "for _ in 0..self.m.lock().unwrap().len().min(1) { self.a.hit(); } self.b.hit();",
    ),
    (
        "and",
        "let _ = self.m.lock().unwrap().len() < 9 && self.a.hit() < 9; self.b.hit();",
    ),
    (
        "or",
        "let _ = self.m.lock().unwrap().len() > 9 || self.a.hit() < 9; self.b.hit();",
    ),
    (
        "let_else",
        "let Some(_x) = self.pick(on, self.m.lock().unwrap().first()).copied() else { self.a.hit(); return; }; self.b.hit();",
    ),
    (
        "block_tail",
        "let _n = { let _l = Last(&self.a); self.m.lock().unwrap().len() }; self.b.hit();",
    ),
    ("function_tail", "self.tail(); self.b.hit();"),
    ("function_return", "self.ret(); self.b.hit();"),
    (
        "dropped",
        "{ let g = self.m.lock().unwrap(); self.a.hit(); drop(g); self.b.hit(); }",
    ),
    (
        "mem_dropped",
        "{ let g = self.m.lock().unwrap(); self.a.hit(); std::mem::drop(g); self.b.hit(); }",
    ),
    (
        "dropped_on_one_way",
        "{ let g = self.m.lock().unwrap(); if on { drop(g); self.a.hit(); } else { self.b.hit(); } self.c.hit(); }",
    ),
    (
        "dropped_before_leaving",
        "let g = self.m.lock().unwrap(); if on { drop(g); self.a.hit(); return; } self.b.hit();",
    ),
    (
        "moved",
        "{ let g = self.m.lock().unwrap(); eat(g); self.a.hit(); }",
    ),
    (
        "moved_to_a_name",
        "{ let g = self.m.lock().unwrap(); { let _h = g; self.a.hit(); } self.b.hit(); }",
    ),
    (
        "reassigned",
        "{ let mut _g = self.m.lock().unwrap(); self.a.hit(); _g = self.k.lock().unwrap(); self.b.hit(); } self.c.hit();",
    ),
    (
        "shadowed",
        "{ let g = self.m.lock().unwrap(); let g = (g.len(), self.a.hit()).0; self.b.hit(); let _ = g; } self.c.hit();",
    ),
    (
        "two_in_order",
        "{ let _x = self.m.lock().unwrap(); let _y = self.k.lock().unwrap(); self.a.hit(); } self.b.hit();",
    ),
    (
        "in_an_option",
        "{ let o = Some(self.m.lock().unwrap()); self.a.hit(); if let Some(g) = o { self.b.hit(); let _ = g.len(); } self.c.hit(); }",
    ),
    (
        "matched_result",
        "{ let _g = match self.m.lock() { Ok(g) => g, Err(e) => e.into_inner() }; self.a.hit(); } self.b.hit();",
    ),
    (
        "in_a_structure",
        "{ let _h = Holder { guard: self.m.lock().unwrap() }; self.a.hit(); } self.b.hit();",
    ),
    (
        "formatted",
        "let _s = format!(\"{}{}\", self.m.lock().unwrap().len(), self.a.hit()); self.b.hit();",
    ),
    (
        "asserted",
        "assert!(self.m.lock().unwrap().len() < 9, \"{}\", self.a.hit()); self.b.hit();",
    ),
    (
        "asserted_equal",
        "assert_ne!(self.m.lock().unwrap().len(), self.a.hit() + 9); self.b.hit();",
    ),
    (
        "matches_",
        "let _ = matches!(self.m.lock().unwrap().first(), Some(_) if self.a.hit() < 9); self.b.hit();",
    ),
    ("question_mark", "let _ = self.question(); self.b.hit();"),
    (
        "broken_out",
        "let _v = loop { break self.m.lock().unwrap().len(); }; self.a.hit();",
    ),
    (
        "held_over_a_break",
        "let _v = loop { let _g = self.m.lock().unwrap(); if on { break 1; } self.a.hit(); break 2; }; self.b.hit();",
    ),
    (
        "closure",
        "let f = || self.m.lock().unwrap().len() + self.a.hit(); self.b.hit(); f(); self.c.hit();",
    ),
    (
        "closure_in_an_adapter",
        "let _g = self.m.lock().unwrap(); let _v: Vec<usize> = [1].iter().map(|_| self.a.hit()).collect(); drop(_g); self.b.hit();",
    ),
    (
        "collected",
        "let _all: Vec<_> = [1, 2].iter().map(|_| self.w.read().unwrap()).collect(); self.a.hit();",
    ),
    (
        "inner_block",
        "let _v = { let g = self.m.lock().unwrap(); g.len() + self.a.hit() }; self.b.hit();",
    ),
    (
        "tried",
        "if let Ok(_g) = self.m.try_lock() { self.a.hit(); } self.b.hit();",
    ),
    (
        "read_and_write",
        "{ let _r = self.w.read().unwrap(); self.a.hit(); } { let _w = self.w.write().unwrap(); self.b.hit(); } self.c.hit();",
    ),
];

/// Everything but the locks: the same text is analysed and run.
const REST: &str = "
struct Pair { x: usize, y: usize }
struct Holder<'a> { guard: MutexGuard<'a, Vec<i32>> }
struct Last<'a>(&'a Probe);
impl Drop for Last<'_> { fn drop(&mut self) { self.0.hit(); } }
fn both(_: usize, _: usize) {}
fn eat(g: MutexGuard<'_, Vec<i32>>) { let _ = g.len(); }
pub struct Probe(Mutex<()>);
impl Probe { fn hit<T: From<bool>>(&self) -> T { drop(self.0.lock().unwrap()); T::from(false) } }
pub struct Locks { m: Mutex<Vec<i32>>, k: Mutex<Vec<i32>>, w: RwLock<i32>, a: Probe, b: Probe, c: Probe }
impl Locks {
    fn enter(&self) -> MutexGuard<'_, Vec<i32>> { self.m.lock().unwrap() }
    fn pick<'a>(&self, on: bool, it: Option<&'a i32>) -> Option<&'a i32> { if on { it } else { None } }
    fn tail(&self) -> usize { let _l = Last(&self.a); self.m.lock().unwrap().len() }
    fn ret(&self) -> usize { let _l = Last(&self.a); return self.m.lock().unwrap().len(); }
    fn question(&self) -> Result<(), ()> { self.m.lock().map_err(|_| ())?.push(self.a.hit()); self.c.hit(); Ok(()) }
";

/// Locks that write down what is held when one is taken.
const TRACED: &str = r#"
mod traced {
    use std::cell::RefCell;
    use std::ops::{Deref, DerefMut};
    thread_local! { static HELD: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) }; }
    fn take(name: &'static str, blocks: bool) {
        HELD.with(|held| {
            if blocks { for it in held.borrow().iter() { println!("({it}, {name})"); } }
            held.borrow_mut().push(name);
        });
    }
    pub struct Mutex<T>(std::sync::Mutex<T>, &'static str);
    pub struct MutexGuard<'a, T>(std::sync::MutexGuard<'a, T>, &'static str);
    pub struct RwLock<T>(std::sync::RwLock<T>, &'static str);
    pub struct Read<'a, T>(#[allow(dead_code)] std::sync::RwLockReadGuard<'a, T>, &'static str);
    pub struct Write<'a, T>(#[allow(dead_code)] std::sync::RwLockWriteGuard<'a, T>, &'static str);
    pub struct Poison<G>(G);
    impl<G> Poison<G> { pub fn into_inner(self) -> G { self.0 } }
    impl<G> std::fmt::Debug for Poison<G> { fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { Ok(()) } }
    fn release(name: &'static str) {
        HELD.with(|held| {
            let at = held.borrow().iter().rposition(|it| *it == name).unwrap();
            held.borrow_mut().remove(at);
        });
    }
    impl<T> Mutex<T> {
        pub fn new(value: T, name: &'static str) -> Self { Self(std::sync::Mutex::new(value), name) }
        pub fn lock(&self) -> Result<MutexGuard<'_, T>, Poison<MutexGuard<'_, T>>> {
            take(self.1, true);
            Ok(MutexGuard(self.0.try_lock().ok().unwrap(), self.1))
        }
        pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, ()> {
            take(self.1, false);
            Ok(MutexGuard(self.0.try_lock().ok().unwrap(), self.1))
        }
    }
    impl<T> RwLock<T> {
        pub fn new(value: T, name: &'static str) -> Self { Self(std::sync::RwLock::new(value), name) }
        pub fn read(&self) -> Result<Read<'_, T>, ()> { take("self.w (read)", true); Ok(Read(self.0.read().unwrap(), "self.w (read)")) }
        pub fn write(&self) -> Result<Write<'_, T>, ()> { take(self.1, true); Ok(Write(self.0.write().unwrap(), self.1)) }
    }
    impl<T> Deref for MutexGuard<'_, T> { type Target = T; fn deref(&self) -> &T { &self.0 } }
    impl<T> DerefMut for MutexGuard<'_, T> { fn deref_mut(&mut self) -> &mut T { &mut self.0 } }
    impl<T> Drop for MutexGuard<'_, T> { fn drop(&mut self) { release(self.1); } }
    impl<T> Drop for Read<'_, T> { fn drop(&mut self) { release(self.1); } }
    impl<T> Drop for Write<'_, T> { fn drop(&mut self) { release(self.1); } }
}
"#;

fn methods() -> String {
    FORMS
        .iter()
        .map(|(name, body)| {
            // A probe gives whatever the form needs at its place: a number or nothing.
            let body = body
                .replace("push(self.a.hit())", "push(self.a.hit::<i32>())")
                .replace("[0] = self.a.hit()", "[0] = self.a.hit::<i32>()");
            let body = number_probes(&body);
            format!("    pub fn {name}(&self, on: bool) {{ let _ = on; {body} }}\n")
        })
        .collect()
}

/// `hit()` as a number where it stands in an expression.
fn number_probes(body: &str) -> String {
    body.replace(".hit()", ".hit::<usize>()")
        .replace("hit::<usize>::<", "hit::<")
}

fn analysed() -> String {
    format!(
        "use std::sync::{{Mutex, MutexGuard, RwLock}};\n{}\n{}}}\n",
        number(REST),
        methods()
    )
}

fn number(rest: &str) -> String {
    rest.replace("push(self.a.hit())", "push(self.a.hit::<i32>())")
        .replace("self.0.hit();", "self.0.hit::<usize>();")
        .replace("self.c.hit();", "self.c.hit::<usize>();")
}

fn runnable() -> String {
    let calls: String = FORMS
        .iter()
        .map(|(name, _)| {
            format!(
                "    println!(\"{name}\"); Locks::new().{name}(true); Locks::new().{name}(false);\n"
            )
        })
        .collect();
    format!(
        "#![allow(unused, clippy::all)]\nuse traced::{{Mutex, MutexGuard, RwLock}};\n{TRACED}\n{}\n{}\n\
         fn new() -> Self {{ let p = |n| Probe(Mutex::new((), n)); Self {{ m: Mutex::new(vec![1], \"self.m\"), k: Mutex::new(vec![1], \"self.k\"), \
         w: RwLock::new(1, \"self.w\"), a: p(\"self.a.0\"), b: p(\"self.b.0\"), c: p(\"self.c.0\") }} }}\n}}\nfn main() {{\n{calls}}}\n",
        number(REST),
        methods()
    )
}

type Pairs = BTreeMap<String, BTreeSet<String>>;

fn run(edition: &str) -> Pairs {
    let scratch = tempfile::tempdir().unwrap();
    let (source, program) = (
        scratch.path().join("forms.rs"),
        scratch.path().join("forms"),
    );
    std::fs::write(&source, runnable()).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["--edition", edition, "-A", "warnings", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let output = Command::new(&program).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut seen = Pairs::new();
    let mut form = String::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if line.starts_with('(') {
            seen.get_mut(&form).unwrap().insert(line.to_string());
        } else {
            form = line.to_string();
            seen.insert(form.clone(), BTreeSet::new());
        }
    }
    seen
}

fn summarised(edition: &str) -> Pairs {
    let analysis = support::files(edition, &[("src/lib.rs", &analysed())]);
    assert_eq!(analysis.skipped, []);
    FORMS
        .iter()
        .map(|(name, _)| {
            let summary = support::method(&analysis, "Locks", name);
            (
                name.to_string(),
                support::pairs(&summary).into_iter().collect(),
            )
        })
        .collect()
}

#[track_caller]
fn check(edition: &str) -> Pairs {
    let (seen, summarised) = (run(edition), summarised(edition));
    let wrong: Vec<String> = seen
        .iter()
        .filter(|(form, pairs)| summarised[*form] != **pairs)
        .map(|(form, pairs)| format!("{form}: seen {pairs:?}, summarised {:?}", summarised[form]))
        .collect();
    assert!(wrong.is_empty(), "edition {edition}:\n{}", wrong.join("\n"));
    seen
}

#[test]
fn summaries_hold_what_runs_in_edition_2021() {
    check("2021");
}

#[test]
fn summaries_hold_what_runs_in_edition_2024() {
    check("2024");
}

#[test]
fn the_editions_differ_where_they_are_known_to() {
    let (old, new) = (summarised("2021"), summarised("2024"));
    let differing: Vec<&str> = old
        .keys()
        .filter(|it| old[*it] != new[*it])
        .map(String::as_str)
        .collect();
    assert_eq!(
        differing,
        [
            "block_tail",
            "function_tail",
            "if_let",
            "if_let_copied",
            "if_let_in_tail"
        ]
    );
}
