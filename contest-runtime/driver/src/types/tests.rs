//! Of a small program, compiled here.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use object::{Object, ObjectSymbol};

use super::*;

const PROGRAM: &str = r#"
    use std::cell::UnsafeCell;
    use std::sync::Arc;

    #[derive(Default)]
    #[repr(C)]
    pub struct Inner {
        head: UnsafeCell<u64>,
        pairs: [(u16, u16); 3],
    }

    pub mod of_module {
        pub struct Shared(pub super::Inner);
        unsafe impl Sync for Shared {}

        #[unsafe(no_mangle)]
        pub static SHARED: Shared = Shared(super::Inner {
            head: std::cell::UnsafeCell::new(1),
            pairs: [(0, 0); 3],
        });
    }

    #[inline(never)]
    pub fn make_it() -> Arc<Inner> {
        Arc::new(Inner::default())
    }

    fn main() {
        let head = unsafe { *of_module::SHARED.0.head.get() };
        println!("{} {head}", make_it().pairs[0].0);
    }
"#;

/// The program's types, and where some of its symbols are.
fn compiled(arguments: &[&str]) -> (Types, Vec<(String, u64, u64)>) {
    // A directory for each call: tests of one process run at the same time.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let directory =
        std::env::temp_dir().join(format!("contest-types-{}-{call}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let source = directory.join("program.rs");
    std::fs::write(&source, PROGRAM).unwrap();
    let executable = directory.join("program");
    let compiled = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "-g", "-o"])
        .arg(&executable)
        .arg(&source)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let types = Types::of(&DebugInformation::open(&executable).unwrap(), |file| {
        file.contains("/dependency/")
    })
    .unwrap();
    let file = std::fs::read(&executable).unwrap();
    let object = object::File::parse(&*file).unwrap();
    let symbols = object
        .symbols()
        .filter_map(|symbol| {
            let name = symbol.name().ok()?;
            let made = name.contains("Arc") && name.contains("3new");
            let named = made || name == "SHARED" || name.contains("make_it");
            named.then(|| (name.to_owned(), symbol.address(), symbol.size()))
        })
        .collect();
    std::fs::remove_dir_all(&directory).unwrap();
    (types, symbols)
}

#[test]
fn bytes_of_a_static_are_named_as_its_field() {
    let (types, symbols) = compiled(&[]);
    let of = |symbol: &&(String, u64, u64)| symbol.0 == "SHARED";
    let start = symbols.iter().find(of).unwrap().1;
    let at = |offset, size| types.of_static(start + offset, size).unwrap();
    assert_eq!(at(0, 8), "program::of_module::SHARED.0.head");
    assert_eq!(at(8 + 4 + 2, 2), "program::of_module::SHARED.0.pairs[1].1");
    // More than one field.
    assert_eq!(at(8, 8), "program::of_module::SHARED.0.pairs");
    assert_eq!(types.of_static(1, 8), None);
    let field = types.field_of_static(start + 8 + 4 + 2, 2).unwrap();
    assert_eq!(field.owner, "program::of_module::SHARED");
    assert_eq!(field.name, "0.pairs[].1");
}

#[test]
fn a_block_of_an_arc_has_the_type_in_it_if_the_sizes_agree() {
    for arguments in [&[][..], &["-C", "opt-level=1"]] {
        let (types, symbols) = compiled(arguments);
        // One of these addresses is that of the call that allocates.
        let mut calls = symbols
            .iter()
            .flat_map(|(_, start, size)| (*start..start + size).step_by(8));
        let size = 16 + 8 + 12 + 4;
        let field = |call, block| types.field(&[call], block, 16, 8);
        let found = calls.find(|&call| field(call, size).as_deref() == Some("Inner.head"));
        let found = found.expect("an address in the function that allocates");
        assert_eq!(field(found, size + 3), None);
        let content = types.content(&[found]).unwrap();
        assert_eq!(content.size, size);
        let field = types.field_of(content.number, 16, 8).unwrap();
        assert_eq!((&*field.owner, &*field.name), ("Inner", "head"));
        // The counters are those of `std`.
        assert_eq!(types.field_of(content.number, 0, 8), None);
    }
}
