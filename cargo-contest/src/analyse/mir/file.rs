//! A file of MIR to its functions.

use super::body::{Block, Body, Position, Terminator};
use super::code::Code;
use super::instruction::{Instruction, instruction};
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

/// Reads the text of a file.
pub(crate) fn read(text: &str) -> File {
    let code = Code::of(text);
    let mut codes = code.functions.into_iter();
    let mut file = File {
        constants: code.constants,
        ..File::default()
    };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.ends_with('{') {
            continue;
        }
        let mut inside = Vec::new();
        for line in lines.by_ref() {
            if line == "}" {
                break;
            }
            inside.push(line);
        }
        let Some(header) = line.strip_prefix("fn ") else {
            continue;
        };
        let code = codes.next().unwrap_or_default();
        // Statics stand behind the function that uses them.
        let mut statics = Statics::new();
        while let Some(next) = lines.peek() {
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
        file.bodies
            .extend(body(header, &inside, &statics).map(|body| Body { code, ..body }));
    }
    file
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

fn body(header: &str, lines: &[&str], statics: &Statics) -> Option<Body> {
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
    let mut body = Body {
        path: header[..open].into(),
        output: Type::parse(output.trim_end_matches('{').trim()),
        locals: vec![Type::Tuple(Vec::new())],
        parameters,
        has_self: false,
        file: "".into(),
        line: 0,
        code: 0,
        blocks: Vec::new(),
    };
    body.locals.extend(body.parameters.iter().cloned());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let text = line.trim_start();
        if text.starts_with("bb") && text.ends_with('{') {
            let from = at;
            while lines.get(at).is_some_and(|it| it.trim() != "}") {
                at += 1;
            }
            body.blocks
                .push(block(&lines[from..at], text.contains("(cleanup)"), statics));
        } else {
            declaration(text, &mut body);
        }
    }
    Some(body)
}

/// `let mut _3: T; // in scope 0 at a.rs:1:2: 1:3` or `debug self => _1; // …`.
fn declaration(line: &str, body: &mut Body) {
    let (text, comment) = without_comment(line);
    if let Some(debug) = text.strip_prefix("debug ") {
        body.has_self |= debug == "self => _1";
        // Inner variables come later than parameters and the return place; only the first lines count.
    } else if let Some(text) = text.strip_prefix("let ") {
        let text = text.strip_prefix("mut ").unwrap_or(text);
        let Some((local, ty)) = text.split_once(": ") else {
            return;
        };
        let Some(number) = local
            .strip_prefix('_')
            .and_then(|it| it.parse::<usize>().ok())
        else {
            return;
        };
        if body.locals.len() <= number {
            body.locals.resize(number + 1, Type::Tuple(Vec::new()));
        }
        body.locals[number] = Type::parse(ty);
    }
    let Some((_, place)) = comment.split_once(" at ") else {
        return;
    };
    if let Some((file, position)) = source(place)
        && (body.line == 0 || (*body.file == *file && position.line < body.line))
    {
        body.file = file.into();
        body.line = position.line;
    }
}

fn block(lines: &[&str], cleanup: bool, statics: &Statics) -> Block {
    let mut block = Block {
        statements: Vec::new(),
        terminator: (Terminator::Diverge, Position::default()),
        cleanup,
    };
    let mut at = 0;
    while at < lines.len() {
        let mut line = lines[at].trim().to_string();
        at += 1;
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        // The text of assembly is written as it is, line breaks too.
        while line.starts_with("asm!(") && !line.contains("-> [") && at < lines.len() {
            line.push_str(lines[at].trim());
            at += 1;
        }
        let (text, place) = without_comment(&line);
        let position = place
            .split_once(" at ")
            .and_then(|(_, place)| source(place))
            .map_or(Position::default(), |(_, position)| position);
        let name = lines[at..]
            .iter()
            .map(|it| it.trim())
            .take_while(|it| it.starts_with("//"))
            .find_map(|it| it.strip_prefix("// + span: "));
        let named_at = name
            .and_then(source)
            .map_or(position, |(_, position)| position);
        match instruction(text, named_at, statics) {
            Instruction::Statement(statement) => block.statements.push((statement, position)),
            Instruction::Terminator(terminator) => block.terminator = (terminator, position),
            Instruction::Nothing => {}
        }
    }
    block
}

/// `src/lib.rs:7:34: 7:47`.
fn source(text: &str) -> Option<(&str, Position)> {
    let text = text.split(" (#").next()?.trim();
    let (rest, _) = text.rsplit_once(": ")?;
    let mut parts = rest.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, Position { line, column }))
}

#[cfg(test)]
mod tests {
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
        let file = read(TEXT);
        let body = &file.bodies[0];
        assert!(body.has_self && body.name() == "get");
        assert_eq!(
            (&*body.file, body.line, body.locals.len()),
            ("src/lib.rs", 7, 3)
        );
        let (Terminator::Call(call), at) = &body.blocks[0].terminator else {
            panic!("{:?}", body.blocks);
        };
        assert_eq!((at.column, call.named_at.column), (9, 11));
        assert!(format!("{:?}", body.blocks[0].statements).contains("Static(\"N\", false)"));
    }
}
