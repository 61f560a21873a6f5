//! Names and source locations of the functions of this process, from its debug information.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use addr2line::Context;
use contest_data::trace::{Frame, Origin, is_published, origin};
use contest_engine::memory::{Content, FieldName, ObjectField, Sought, Symbols};

use crate::debug_information::{Bytes, DebugInformation};
use crate::types::Types;

/// The directory of the package under test, if there is one package under test.
static PACKAGE: OnceLock<&str> = OnceLock::new();

/// Files outside of this directory are those of dependencies.
pub(crate) fn set_package(directory: &'static str) {
    let _ = PACKAGE.set(directory);
}

fn is_of_dependency(location: &str) -> bool {
    match PACKAGE.get() {
        Some(package) => location.starts_with('/') && !location.starts_with(package),
        None => is_published(location),
    }
}

/// The debug information of the running executable.
struct Executable {
    information: DebugInformation,
    functions: Context<Bytes>,
    /// Read when the first field is looked up.
    types: OnceCell<Option<Types>>,
    /// Whether the machine code at an address is of the tool, as far as that was looked up.
    of_tool: RefCell<HashMap<u64, bool>>,
    /// Functions at the addresses that were looked up: call stacks have most of theirs in common.
    frames: RefCell<HashMap<u64, Vec<Frame>>>,
}

impl Executable {
    fn open(path: &Path) -> Option<Self> {
        let information = DebugInformation::open(path)?;
        Some(Self {
            functions: Context::from_arc_dwarf(information.dwarf.clone()).ok()?,
            information,
            types: OnceCell::new(),
            of_tool: RefCell::default(),
            frames: RefCell::default(),
        })
    }

    fn types(&self) -> Option<&Types> {
        self.types
            .get_or_init(|| Types::of(&self.information, is_of_dependency))
            .as_ref()
    }

    /// True for machine code of one of the tool's own functions. Their units are the largest, and reading their lines
    /// and inlined functions, which no report has, takes longer than all others together. It is not true for functions
    /// of other crates in such a unit, as code under test may be linked to them, nor for generic ones of the tool that
    /// were compiled with other crates, as code under test may be inlined into them.
    fn is_of_tool(&self, address: u64) -> bool {
        let mut known = self.of_tool.borrow_mut();
        *known.entry(address).or_insert_with(|| {
            self.origin_of_symbol(address) == Origin::Engine
                && (self.types()).is_some_and(|types| types.is_unit_of_tool(address))
        })
    }

    /// The origin of the function or static at an address, by its path alone; code under test if it has none.
    fn origin_of_symbol(&self, address: u64) -> Origin {
        let symbol = self.information.symbols.get(address);
        let path = symbol.map(|symbol| readable(symbol.name()));
        path.filter(|path| path.contains("::"))
            .map_or(Origin::UnderTest, |path| origin(&path, ""))
    }

    /// The calls that are not in such functions.
    fn beside_tool(&self, calls: &[u64]) -> Vec<u64> {
        let calls = calls.iter().copied();
        calls.filter(|call| !self.is_of_tool(*call)).collect()
    }

    /// The functions at an address, innermost first.
    fn read_functions(&self, address: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        if !self.is_of_tool(address)
            && let Ok(mut found) = self.functions.find_frames(address).skip_all_loads()
        {
            while let Ok(Some(frame)) = found.next() {
                let location = frame.location.map(|at| location(&at)).unwrap_or_default();
                frames.push(Frame {
                    of_dependency: is_of_dependency(&location),
                    function: frame
                        .function
                        .and_then(|name| name.raw_name().ok().map(|name| readable(&name)))
                        .unwrap_or_default(),
                    location,
                });
            }
        }
        // Line tables lack the paths of functions; the symbol of the outermost function, into which the others are
        // inlined, has it.
        if let Some(symbol) = self.information.symbols.get(address) {
            let function = readable(symbol.name());
            match frames.last_mut() {
                Some(outermost) => outermost.function = function,
                None => frames.push(Frame {
                    function,
                    ..Frame::default()
                }),
            }
        }
        frames
    }
}

/// Opens the debug information of the running executable; `None` if it cannot be read.
#[must_use]
pub(crate) fn open_symbols() -> Option<Box<dyn Symbols>> {
    Some(Box::new(Executable::open(&std::env::current_exe().ok()?)?))
}

impl Symbols for Executable {
    fn functions_at(&self, address: u64) -> Vec<Frame> {
        let mut known = self.frames.borrow_mut();
        let frames = known.entry(address);
        frames
            .or_insert_with(|| self.read_functions(address))
            .clone()
    }

    fn static_at(&self, address: u64, size: u64) -> Option<String> {
        self.types()?.of_static(address, size)
    }

    fn field_at(&self, calls: &[u64], block: u64, offset: u64, size: u64) -> Option<String> {
        (self.types()?).field(&self.beside_tool(calls), block, offset, size)
    }

    fn content_at(&self, calls: &[u64]) -> Option<Content> {
        self.types()?.content(&self.beside_tool(calls))
    }

    fn field_of(&self, content: Content, offset: u64, size: u64) -> Option<FieldName> {
        self.types()?.field_of(content.number, offset, size)
    }

    fn field_of_static(&self, address: u64, size: u64) -> Option<FieldName> {
        self.types()?.field_of_static(address, size)
    }

    fn object_in_block(
        &self,
        content: Content,
        block: u64,
        offset: u64,
        sought: Sought,
    ) -> Option<ObjectField> {
        self.types()?
            .object_in_block(content, block, offset, sought)
    }

    fn object_in_static(&self, address: u64, sought: Sought) -> Option<ObjectField> {
        // Statics of the tool and of `std` have no name in a report: those of the others need not be read for them.
        if self.origin_of_symbol(address) != Origin::UnderTest {
            return None;
        }
        self.types()?.object_in_static(address, sought)
    }
}

/// Without the hash at the end.
fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// `src/lib.rs:10:5`, as far as it is known; empty without a file, as compilers write it for glue of their own.
fn location(at: &addr2line::Location<'_>) -> String {
    let Some(file) = at.file.filter(|file| !file.is_empty()) else {
        return String::new();
    };
    let mut text = file.to_owned();
    for number in [at.line, at.column].into_iter().flatten() {
        text.push(':');
        text.push_str(&number.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled_program::CompiledProgram;

    #[test]
    fn a_line_without_a_file_is_no_location() {
        let at = |file| {
            location(&addr2line::Location {
                file,
                line: Some(1),
                column: None,
            })
        };
        assert_eq!(at(Some("src/lib.rs")), "src/lib.rs:1");
        assert_eq!(at(Some("")), "");
        assert_eq!(at(None), "");
    }

    #[test]
    fn what_stands_in_for_a_dependency_is_no_code_of_the_package() {
        let lock = format!(
            "{}parking_lot/raw_mutex.rs:34:16",
            contest_data::trace::STAND_INS
        );
        assert!(is_of_dependency(&lock) && !is_of_dependency("/home/me/queue/src/lib.rs:1:1"));
    }

    const TOOL: &str = "
        #[inline(never)]
        pub fn plain(number: u64) -> u64 {
            std::hint::black_box(number)
        }

        #[inline(never)]
        pub fn generic<T>(value: T) -> T {
            std::hint::black_box(value)
        }
    ";
    const PROGRAM: &str = "
        struct Own(u64);

        #[inline(never)]
        fn of_program(own: Own) -> u64 {
            std::hint::black_box(own.0)
        }

        fn main() {
            let own = contest_engine::generic(Own(contest_engine::plain(1)));
            println!(\"{}\", of_program(own));
        }
    ";

    /// The function with this name, in a program that is linked to a crate with the name of one of the tool's.
    fn function(name: &str) -> Frame {
        let made = CompiledProgram::new(&[]);
        made.library("tool", "contest_engine", TOOL);
        let executable = Executable::open(&made.program(PROGRAM, "contest_engine")).unwrap();
        let mut symbols = executable.information.symbols.symbols().iter();
        let symbol = symbols.find(|symbol| readable(symbol.name()) == name);
        let mut frames = executable.functions_at(symbol.unwrap().address());
        frames.pop().unwrap()
    }

    #[test]
    fn a_function_is_found_with_its_line() {
        let frame = function("program::of_program");
        assert_eq!(frame.function, "program::of_program");
        assert!(frame.location.contains("program.rs:5"), "{frame:?}");
    }

    #[test]
    fn only_the_name_of_a_function_of_the_tool_is_read() {
        let frame = function("contest_engine::plain");
        assert_eq!(frame.location, "");
        assert_eq!(frame.origin(), Origin::Engine);
    }

    #[test]
    fn a_function_of_the_tool_that_was_compiled_with_the_code_under_test_has_its_line() {
        let frame = function("contest_engine::generic");
        assert!(frame.location.contains("contest_engine.rs:8"), "{frame:?}");
    }
}
