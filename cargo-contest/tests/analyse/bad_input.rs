//! Packages that are hard to read: never a crash, always a reason.

use crate::support::{accesses, analysed, files, method, source};

#[test]
fn a_package_that_does_not_compile_is_an_error_in_one_line() {
    let text = b"pub fn f( {";
    let error = analysed("2021", &[("src/lib.rs", text)]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("the package does not compile by itself"),
        "{text}"
    );
    assert!(!text.contains('\n') && text.contains("delimiter"), "{text}");
}

#[test]
fn modules_are_found_by_path_attributes_cfg_and_inside_macros() {
    let analysis = files(
        "2021",
        &[
            (
                "src/lib.rs",
                "#[macro_use] mod macros;
                 #[path = \"unusual/place.rs\"] mod elsewhere;
                 #[cfg(feature = \"on\")] mod chosen { pub(crate) mod inner; }
                 #[cfg(feature = \"off\")] mod not_chosen;
                 #[cfg_attr(all(), path = \"unusual/other.rs\")] mod by_cfg;
                 when_on! { mod made; }
                 use std::sync::Mutex;
                 pub struct S { m: Mutex<u32> }
                 impl S { pub fn f(&self) { elsewhere::a(&self.m); chosen::inner::b(&self.m); made::c(&self.m); by_cfg::d(&self.m); } }",
            ),
            ("src/macros.rs", "macro_rules! when_on { ($($item:item)*) => { $( #[cfg(feature = \"on\")] $item )* } }"),
            ("src/unusual/place.rs", "pub fn a(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/unusual/other.rs", "pub fn d(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/chosen/inner.rs", "pub fn b(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/made.rs", "pub fn c(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
        ],
    );
    assert_eq!(analysis.skipped, []);
    // That of the macro has no functions.
    assert_eq!(analysis.files, 5);
    let it = method(&analysis, "S", "f");
    assert!(it.is_exact(), "{:?}", it.inexact);
    assert_eq!(accesses(&it), ["W(self.m.*)"]);
}

#[test]
fn included_files_and_nested_macros_are_read() {
    let analysis = files(
        "2021",
        &[
            (
                "src/lib.rs",
                "macro_rules! m { (@ $x:expr) => { *$x.lock().unwrap() = 1 }; ($x:expr) => { m!(@ $x) } } include!(\"more.rs\");",
            ),
            (
                "src/more.rs",
                "pub struct S { m: std::sync::Mutex<u32> } impl S { pub fn f(&self) { m!(self.m); } }",
            ),
        ],
    );
    assert_eq!(analysis.skipped, []);
    let it = method(&analysis, "S", "f");
    assert!(it.is_exact(), "{:?}", it.inexact);
    assert_eq!(accesses(&it), ["W(self.m.*)"]);
}

#[test]
fn functions_of_other_languages_and_assembly_are_named() {
    let analysis = source(
        "extern \"C\" { fn abs(x: i32) -> i32; }
         pub struct S; impl S {
             pub fn foreign(&self) -> i32 { unsafe { abs(1) } }
             #[cfg(target_arch = \"x86_64\")]
             pub fn assembly(&self) { unsafe { std::arch::asm!(\"nop\", \"nop\") } }
             #[cfg(not(target_arch = \"x86_64\"))]
             pub fn assembly(&self) -> i32 { unsafe { abs(2) } }
         }",
    );
    let foreign = method(&analysis, "S", "foreign");
    assert!(foreign.hides_order(), "{:?}", foreign.inexact);
    let assembly = method(&analysis, "S", "assembly");
    assert!(!assembly.is_exact());
    assert_eq!(
        assembly.hides_order(),
        cfg!(not(target_arch = "x86_64")),
        "{:?}",
        assembly.inexact
    );
}

#[test]
fn methods_made_by_macros_are_read() {
    let analysis = source(
        "macro_rules! getters { ($($name:ident),*) => { impl S { $( pub fn $name(&self) -> u32 { *self.$name.lock().unwrap() } )* } } }
         pub struct S { a: std::sync::Mutex<u32>, b: std::sync::Mutex<u32> }
         getters!(a, b);",
    );
    assert_eq!(analysis.skipped, []);
    assert_eq!(accesses(&method(&analysis, "S", "a")), ["R(self.a.*)"]);
    assert_eq!(accesses(&method(&analysis, "S", "b")), ["R(self.b.*)"]);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!(
        "pub fn f() -> u32 {{ {}1{} }}",
        "(".repeat(90),
        ")".repeat(90)
    );
    assert_eq!(source(&deep).skipped, []);
    let sum = format!("pub fn f() -> u32 {{ 1{} }}", " + 1".repeat(2_000));
    assert_eq!(source(&sum).files, 1);
}

#[test]
fn three_hundred_methods_and_mutual_recursion_are_quick() {
    let mut text = String::from(
        "use std::sync::Mutex; pub struct S { m: Mutex<u32>, k: Mutex<u32> }\nimpl S {\n",
    );
    for n in 0..300 {
        text += &format!(
            "pub fn f{n}(&self, depth: u32) {{ if depth == 0 {{ return; }} let g = self.m.lock().unwrap(); drop(g); *self.k.lock().unwrap() += 1; self.f{}(depth - 1); self.f{}(depth - 1); }}\n",
            (n + 1) % 300,
            (n * 7 + 3) % 300
        );
    }
    text += "}\n";
    let analysis = source(&text);
    let it = method(&analysis, "S", "f0");
    assert!(
        accesses(&it).contains(&"RW(self.k.*)".to_string()),
        "{:?}",
        accesses(&it)
    );
    assert_eq!(analysis.exact_share().1, 300);
}

#[test]
fn unusual_files_are_read_or_named() {
    assert_eq!(source("").exact_share(), (0, 0));
    assert_eq!(
        source("\u{feff}#!/usr/bin/env run\npub struct S;").skipped,
        []
    );
    assert_eq!(
        source("// caf\u{e9}: \u{1f980}\npub fn f() -> char { '{' }").exact_share(),
        (1, 1)
    );
}

#[test]
fn what_the_compiler_expands_and_no_stable_source_may_say_is_read() {
    let analysis = source(
        "use std::future::Future;
         use std::sync::Mutex;
         use std::task::{Context, Poll, Waker};
         pub struct S { m: Mutex<u32> }
         impl S {
             pub fn f(&self) -> bool {
                 let mut future = std::pin::pin!(async { 1 });
                 let mut context = Context::from_waker(Waker::noop());
                 future.as_mut().poll(&mut context) == Poll::Ready(1)
             }
             pub fn g(&self) { *self.m.lock().unwrap() = 1; }
         }",
    );
    assert_eq!(analysis.skipped, []);
    let it = method(&analysis, "S", "g");
    assert_eq!(accesses(&it), ["W(self.m.*)"]);
    assert!(it.is_exact(), "{:?}", it.inexact);
}
