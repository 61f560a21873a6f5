//! Names and source locations of the functions of this process, from its debug information.

use std::cell::OnceCell;
use std::sync::OnceLock;

use addr2line::Context;
use contest_data::trace::Frame;
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
        None => location.contains("/registry/src/") || location.contains("/git/checkouts/"),
    }
}

/// The debug information of the running executable.
struct Executable {
    information: DebugInformation,
    functions: Context<Bytes>,
    /// Read when the first field is looked up.
    types: OnceCell<Option<Types>>,
}

impl Executable {
    fn types(&self) -> Option<&Types> {
        self.types
            .get_or_init(|| Types::of(&self.information, is_of_dependency))
            .as_ref()
    }
}

/// Opens the debug information of the running executable; `None` if it cannot be read.
#[must_use]
pub(crate) fn open_symbols() -> Option<Box<dyn Symbols>> {
    let information = DebugInformation::open(&std::env::current_exe().ok()?)?;
    Some(Box::new(Executable {
        functions: Context::from_arc_dwarf(information.dwarf.clone()).ok()?,
        information,
        types: OnceCell::new(),
    }))
}

impl Symbols for Executable {
    fn functions_at(&self, address: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        if let Ok(mut found) = self.functions.find_frames(address).skip_all_loads() {
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

    fn static_at(&self, address: u64, size: u64) -> Option<String> {
        self.types()?.of_static(address, size)
    }

    fn field_at(&self, calls: &[u64], block: u64, offset: u64, size: u64) -> Option<String> {
        self.types()?.field(calls, block, offset, size)
    }

    fn content_at(&self, calls: &[u64]) -> Option<Content> {
        self.types()?.content(calls)
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

    #[inline(never)]
    fn somewhere() -> usize {
        somewhere as *const () as usize
    }

    #[test]
    fn a_function_of_this_executable_is_found_with_its_line() {
        let symbols = open_symbols().expect("tests have debug information");
        // The loader adds the same number to all addresses; the symbol table knows them without.
        let base = {
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            let first = maps.lines().next().unwrap();
            usize::from_str_radix(first.split('-').next().unwrap(), 16).unwrap()
        };
        let frames = symbols.functions_at((somewhere() - base) as u64);
        let frame = frames.last().unwrap();
        assert!(frame.function.ends_with("somewhere"), "{frame:?}");
        assert!(frame.location.contains("symbols.rs:"), "{frame:?}");
    }
}
