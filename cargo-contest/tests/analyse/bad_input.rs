//! Sources that are hard to read: never a crash, always a reason.

use crate::support::{accesses, files, method, source};

#[test]
fn a_file_that_does_not_parse_costs_that_file() {
    let analysis = files(
        "2021",
        &[
            (
                "src/lib.rs",
                "mod bad; mod gone; pub struct S { m: std::sync::Mutex<u32> } impl S { pub fn f(&self) { *self.m.lock().unwrap() = 1; } }",
            ),
            ("src/bad.rs", "pub fn f( {"),
        ],
    );
    let left_out: Vec<String> = analysis
        .skipped
        .iter()
        .map(|it| format!("{}: {}", it.item, it.why))
        .collect();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(
        left_out
            .iter()
            .any(|it| it.starts_with("src/bad.rs:1: cannot be parsed")),
        "{left_out:?}"
    );
    assert!(
        left_out
            .iter()
            .any(|it| it.contains("gone") && it.contains("cannot be read")),
        "{left_out:?}"
    );
    assert_eq!(accesses(&method(&analysis, "S", "f")), ["W(self.m.*)"]);
}

#[test]
fn modules_are_found_by_path_attributes_cfg_and_inside_macros() {
    let analysis = files(
        "2021",
        &[
            (
                "src/lib.rs",
                "#[macro_use] mod macros;
                 #[path = \"odd/place.rs\"] mod elsewhere;
                 #[cfg(feature = \"on\")] mod chosen { pub(crate) mod inner; }
                 #[cfg(feature = \"off\")] mod not_chosen;
                 #[cfg_attr(all(), path = \"odd/other.rs\")] mod by_cfg;
                 when_on! { mod made; }
                 use std::sync::Mutex;
                 pub struct S { m: Mutex<u32> }
                 impl S { pub fn f(&self) { elsewhere::a(&self.m); chosen::inner::b(&self.m); made::c(&self.m); by_cfg::d(&self.m); } }",
            ),
            ("src/macros.rs", "macro_rules! when_on { ($($item:item)*) => { $( #[cfg(feature = \"on\")] $item )* } }"),
            ("src/odd/place.rs", "pub fn a(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/odd/other.rs", "pub fn d(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/chosen/inner.rs", "pub fn b(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
            ("src/made.rs", "pub fn c(m: &std::sync::Mutex<u32>) { *m.lock().unwrap() = 1; }"),
        ],
    );
    assert_eq!(analysis.skipped, []);
    assert_eq!(analysis.files, 6);
    let it = method(&analysis, "S", "f");
    assert!(it.is_exact(), "{:?}", it.inexact);
    assert_eq!(accesses(&it), ["W(self.m.*)"]);
}

#[test]
fn what_cannot_be_expanded_is_counted() {
    let analysis = source(
        "include!(\"more.rs\"); foreign_items! { fn f() -> } pub struct S; impl S { pub fn f(&self) { self.from_elsewhere(); } }",
    );
    let why: Vec<&str> = analysis.skipped.iter().map(|it| it.why.as_str()).collect();
    assert!(why.iter().any(|it| it.contains("include!")), "{why:?}");
    assert!(
        why.iter().any(|it| it.contains("foreign_items!")),
        "{why:?}"
    );
    let it = method(&analysis, "S", "f");
    assert!(
        it.inexact[0].why.contains("not in the sources"),
        "{:?}",
        it.inexact
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
fn a_module_that_declares_itself_and_a_macro_that_never_ends_end() {
    let analysis = files(
        "2021",
        &[(
            "src/lib.rs",
            "#[path = \"lib.rs\"] mod again; macro_rules! m { () => { m!() } } pub struct S; impl S { pub fn f(&self) { m!(); } }",
        )],
    );
    assert!(
        analysis
            .skipped
            .iter()
            .any(|it| it.why.contains("nested too deeply")),
        "{:?}",
        analysis.skipped.len()
    );
    assert!(!method(&analysis, "S", "f").is_exact());
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!(
        "pub fn f() -> u32 {{ {}1{} }}",
        "(".repeat(150),
        ")".repeat(150)
    );
    assert_eq!(source(&deep).skipped, []);
    let deeper = format!(
        "pub fn f() -> u32 {{ {}1{} }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(source(&deeper).skipped[0].why.contains("nested"));
    let chain = format!(
        "pub fn f(v: Vec<u32>) -> usize {{ v{}.len() }}",
        ".clone()".repeat(2_000)
    );
    assert_eq!(source(&chain).files, 1);
    let sum = format!("pub fn f() -> u32 {{ 1{} }}", " + 1".repeat(3_000));
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
fn odd_files_are_read_or_named() {
    assert_eq!(source("").exact_share(), (0, 0));
    assert_eq!(
        source("\u{feff}#!/usr/bin/env run\npub struct S;").skipped,
        []
    );
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(
        scratch.path().join("lib.rs"),
        b"pub fn f() { let _ = \"\xff\xfe\"; }",
    )
    .unwrap();
    let analysis = crate::support::directory("2021", scratch.path(), "lib.rs");
    assert_eq!(analysis.files, 1);
    let analysis = crate::support::directory("2021", scratch.path(), "gone.rs");
    assert_eq!(analysis.skipped.len(), 1);
}
