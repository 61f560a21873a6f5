//! A file of MIR to its functions.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::code::Code;
use super::function::Body;
use super::inside::{Source, is_block, source};
use super::text::{bracket, find, split, without_comment};
use super::ty::Type;
use super::values::Statics;

/// What a file has.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) bodies: Vec<Body>,
    /// A hash of its named constants and statics.
    pub(crate) constants: u64,
}

/// Whether functions have hashes of their code: only those of the analysed package need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hashes {
    Made,
    LeftOut,
}

/// Reads the text of a file: where its functions are and what their first lines say. The code of each function is read
/// when it is first needed: of most crates only a few functions are reached.
pub(crate) fn read(text: Arc<str>, hashes: Hashes) -> File {
    let code = match hashes {
        Hashes::Made => Code::of(&text),
        Hashes::LeftOut => Code::default(),
    };
    let mut codes = code.functions.into_iter();
    let mut file = File {
        constants: code.constants,
        ..File::default()
    };
    let mut lines = Lines { text: &text, at: 0 }.peekable();
    while let Some((_, line)) = lines.next() {
        if !line.ends_with('{') {
            continue;
        }
        let mut inside: Option<Range<usize>> = None;
        for (at, line) in lines.by_ref() {
            if line == "}" {
                break;
            }
            inside = Some(inside.map_or(at, |it| it.start)..at + line.len());
        }
        let Some(header) = line.strip_prefix("fn ") else {
            continue;
        };
        let code = codes.next().unwrap_or_default();
        // Statics stand behind the function that uses them.
        let mut statics = Statics::new();
        while let Some((_, next)) = lines.peek() {
            if let Some((number, path)) = static_of(next) {
                statics.insert(number, path);
            }
            if next.starts_with("fn ")
                || next.starts_with("const ")
                || next.starts_with("static ")
                || (!next.starts_with("alloc") && next.ends_with(" = {"))
            {
                break;
            }
            lines.next();
        }
        let source = Source {
            text: Arc::clone(&text),
            inside: inside.unwrap_or_default(),
            statics,
        };
        file.bodies.extend(body(header, source, code));
    }
    file
}

/// Lines of a text, and where they begin.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|it| !it.is_empty())?;
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at = start + length + 1;
        Some((start, &rest[..length]))
    }
}

/// `alloc5 (static: a::B, size: 8, align: 8) {`
fn static_of(line: &str) -> Option<(String, String)> {
    let (number, rest) = line.split_once(" (")?;
    let rest = rest
        .strip_prefix("static: ")
        .or_else(|| rest.strip_prefix("extern static: "))?;
    let end = find(rest, ",")
        .or_else(|| rest.rfind(')'))
        .unwrap_or(rest.len());
    number.starts_with("alloc").then(|| {
        (
            number.to_string(),
            rest[..end].trim_end_matches(')').to_string(),
        )
    })
}

fn body(header: &str, source: Source, code: u64) -> Option<Body> {
    let open = find(header, "(")?;
    let (parameters, after) = bracket(&header[open..])?;
    let output = after.trim().strip_prefix("-> ").unwrap_or("()");
    let parameters: Vec<Type> = split(parameters, b',')
        .into_iter()
        .map(|it| {
            it.split_once(": ")
                .map_or(Type::parse(it), |(_, ty)| Type::parse(ty))
        })
        .collect();
    let start = Start::of(source.inside());
    Some(Body {
        path: header[..open].into(),
        output: Type::parse(output.trim_end_matches('{').trim()),
        parameters,
        has_self: start.has_self,
        file: start.file.into(),
        line: start.line,
        code,
        inside: OnceLock::new(),
        source,
    })
}

/// What the declarations of a function say about it.
#[derive(Debug, Default)]
struct Start<'a> {
    has_self: bool,
    /// File as the compiler names it, and the first line that is known.
    file: &'a str,
    line: u32,
}

impl<'a> Start<'a> {
    fn of(inside: &'a str) -> Self {
        let mut start = Self::default();
        let declarations = inside.lines().map(str::trim_start);
        for line in declarations.take_while(|line| !is_block(line)) {
            start.declaration(line);
        }
        start
    }

    /// `debug self => _1; // in scope 0 at a.rs:1:2: 1:3`
    fn declaration(&mut self, line: &'a str) {
        let (text, comment) = without_comment(line);
        self.has_self |= text == "debug self => _1";
        let place = comment.split_once(" at ").map(|(_, place)| place);
        if let Some((file, position)) = place.and_then(source)
            && (self.line == 0 || (self.file == file && position.line < self.line))
        {
            (self.file, self.line) = (file, position.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Terminator;
    use super::*;

    const TEXT: &str = "\
fn <impl at src/lib.rs:4:1: 4:20>::get(_1: &S<T>) -> usize {
    debug self => _1;                    // in scope 0 at src/lib.rs:7:17: 7:22
    let mut _0: usize;                   // return place in scope 0 at src/lib.rs:7:27: 7:32
    let mut _2: &std::sync::Mutex<u32>;  // in scope 0 at src/lib.rs:8:9: 8:10
    scope 1 {
    }

    bb0: {
        _2 = const {alloc1: &std::sync::Mutex<u32>}; // scope 0 at src/lib.rs:8:9: 8:10
        _0 = a::f(move _2) -> [return: bb1, unwind continue]; // scope 0 at src/lib.rs:8:9: 8:30
                                         // mir::ConstOperand
                                         // + span: src/lib.rs:8:11: 8:15
    }

    bb1: {
        return;                          // scope 0 at src/lib.rs:9:6: 9:6
    }
}

alloc1 (static: N, size: 8, align: 4) {
    00 00 00 00
}
";

    #[test]
    fn a_function_has_its_types_blocks_places_and_statics() {
        let file = read(TEXT.into(), Hashes::Made);
        let body = &file.bodies[0];
        assert!(body.has_self && body.name() == "get");
        assert_eq!(
            (&*body.file, body.line, body.locals().len()),
            ("src/lib.rs", 7, 3)
        );
        let (Terminator::Call(call), at) = &body.blocks()[0].terminator else {
            panic!("{:?}", body.blocks());
        };
        assert_eq!((at.column, call.named_at.column), (9, 11));
        assert!(format!("{:?}", body.blocks()[0].statements).contains("Static(\"N\", false)"));
    }
}
