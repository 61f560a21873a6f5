//! Hashes of the code of functions and constants, by which an edit is seen.

use std::hash::Hasher;

use fnv::FnvHasher;

use super::position_free::position_free;
use super::text::without_comment;

/// Hashes of a file of MIR. They stay the same when code moves to other lines.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// Of each function, in the order of the file, with the constants that stand behind it.
    pub(crate) functions: Vec<u64>,
    /// Of all constants and statics that have a name.
    pub(crate) constants: u64,
}

impl Code {
    pub(crate) fn of(text: &str) -> Self {
        let mut functions: Vec<FnvHasher> = Vec::new();
        let mut constants = FnvHasher::default();
        let mut in_function = false;
        for line in text.lines() {
            if line.starts_with("fn ") && line.ends_with('{') {
                functions.push(FnvHasher::default());
                in_function = true;
            } else if is_named_constant(line) {
                in_function = false;
            }
            let (code, _) = without_comment(line);
            if code.is_empty() || code.starts_with("//") {
                continue;
            }
            let hasher = match functions.last_mut() {
                Some(function) if in_function => function,
                _ => &mut constants,
            };
            hasher.write(position_free(code).as_bytes());
            hasher.write_u8(b'\n');
        }
        Self {
            functions: functions.iter().map(Hasher::finish).collect(),
            constants: constants.finish(),
        }
    }
}

/// `const a::LIMIT: u32 = {`; what the compiler made a constant of stands behind its function and belongs to it.
fn is_named_constant(line: &str) -> bool {
    (line.starts_with("const ") || line.starts_with("static ")) && !line.contains("promoted[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(line: u32, value: u32, limit: u32) -> Code {
        Code::of(&format!(
            "\
fn a::get(_1: &S) -> u32 {{
    debug self => _1;                    // in scope 0 at src/lib.rs:{line}:17: {line}:22
    bb0: {{
        _0 = const {value}_u32;          // scope 0 at src/lib.rs:{line}:9: {line}:10
                                         // + span: src/lib.rs:{line}:9: {line}:10
    }}
}}

const a::LIMIT: u32 = {{
    bb0: {{
        _0 = const {limit}_u32;
    }}
}}
"
        ))
    }

    #[test]
    fn code_that_moves_is_the_same_and_other_values_are_not() {
        let before = file(7, 3, 10);
        assert_eq!(before.functions, file(90, 3, 10).functions);
        assert_eq!(before.constants, file(90, 3, 10).constants);
        assert_ne!(before.functions, file(7, 4, 10).functions);
        assert_eq!(before.constants, file(7, 4, 10).constants);
        assert_ne!(before.constants, file(7, 3, 11).constants);
        assert_eq!(before.functions, file(7, 3, 11).functions);
    }
}
