//! Of a small program, compiled here.

use object::{Object, ObjectSymbol};

use super::*;
use crate::compiled_program::CompiledProgram;

const PROGRAM: &str = r#"
    use std::cell::UnsafeCell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, AtomicU64};

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

    #[repr(C)]
    pub struct Flags {
        up: AtomicU32,
        down: AtomicU32,
    }

    #[repr(C)]
    pub struct Registry<T> {
        number: u64,
        last: kept::Kept<Flags>,
        shared: Arc<T>,
    }

    #[inline(never)]
    pub fn registry() -> Arc<Registry<AtomicU64>> {
        let flags = Flags { up: AtomicU32::new(1), down: AtomicU32::new(2) };
        let last = kept::Kept::new(flags);
        Arc::new(Registry { number: 1, last, shared: Arc::default() })
    }

    #[inline(never)]
    pub fn make_it() -> Arc<Inner> {
        Arc::new(Inner::default())
    }

    fn main() {
        let head = unsafe { *of_module::SHARED.0.head.get() };
        println!("{} {head} {}", make_it().pairs[0].0, registry().number);
    }
"#;

/// What it depends on.
const DEPENDENCY: &str = r"
    use std::sync::atomic::AtomicUsize;

    #[repr(C)]
    pub struct Kept<T> {
        count: AtomicUsize,
        value: T,
    }

    impl<T> Kept<T> {
        #[inline(never)]
        pub fn new(value: T) -> Self {
            Self { count: AtomicUsize::new(0), value }
        }
    }
";

/// The program's types, and where some of its symbols are.
fn compiled(arguments: &[&str]) -> (Types, Vec<(String, u64, u64)>) {
    let made = CompiledProgram::new(arguments);
    made.library("dependency", "kept", DEPENDENCY);
    let executable = made.program(PROGRAM, "kept");
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
            let named =
                made || name.contains("registry") || name == "SHARED" || name.contains("make_it");
            named.then(|| (name.to_owned(), symbol.address(), symbol.size()))
        })
        .collect();
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

#[test]
fn an_object_is_the_innermost_field_of_the_packages_own_types() {
    for arguments in [&[][..], &["-C", "opt-level=1"]] {
        let (types, symbols) = compiled(arguments);
        let mut calls = symbols
            .iter()
            .flat_map(|(_, start, size)| (*start..start + size).step_by(4));
        // Two counts, a number, the count and the value of what is kept, a pointer.
        let size = 16 + 8 + (8 + 8) + 8;
        let content = calls.find_map(|call| {
            let content = types.content(&[call])?;
            let field = types.field_of(content.number, 16, 8)?;
            (content.size == size && field.name == "number").then_some(content)
        });
        let content = content.expect("an address in the function that allocates");
        let at = |offset, sought| types.object_in_block(content, size, offset, sought);
        let atomic = Sought::Object("atomic");

        // The type of a dependency is the field that it is in.
        let count = at(24, atomic).unwrap();
        assert_eq!((&*count.name, count.start), ("Registry.last", 24));
        assert_eq!(count.part, ["count"]);
        assert!(count.of_package);
        // What it keeps is the package's own again.
        let down = at(36, atomic).unwrap();
        assert_eq!((&*down.name, down.start), ("Registry.last.down", 36));
        assert!(down.part.is_empty());
        let shared = at(40, Sought::Pointer).unwrap();
        assert_eq!((&*shared.name, shared.start), ("Registry.shared", 40));
        assert_eq!(at(16, Sought::Pointer), None, "a number is no pointer");
        // The counts of the `Arc` are in no field.
        assert_eq!(at(0, atomic).unwrap().name, "");
        // One of two values in a block.
        let second = types.object_in_block(content, 2 * size, size + 36, atomic);
        let second = second.unwrap();
        assert_eq!(second.name, "Registry[1].last.down");
        assert_eq!((second.item, second.start), (Some(1), size + 36));
    }
}

#[test]
fn an_object_in_a_static_has_the_name_of_the_static() {
    let (types, symbols) = compiled(&[]);
    let start = symbols.iter().find(|it| it.0 == "SHARED").unwrap().1;
    let found = types.object_in_static(start, Sought::Object("atomic"));
    let found = found.unwrap();
    assert_eq!(found.name, "program::of_module::SHARED.0.head");
    assert!(found.of_package);
    assert_eq!(types.object_in_static(1, Sought::Object("atomic")), None);
}
