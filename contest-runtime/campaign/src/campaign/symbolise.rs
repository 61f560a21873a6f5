//! Fields and lines of plain accesses, from debug information. Each thing is looked up once in the life of the process:
//! an access is known by the number of its call stack, and by where in its block it is and the number of the call stack
//! that allocated that.

use std::collections::{HashMap, HashSet};

use contest_data::fast_hash::FastSet;
use contest_data::trace::{AccessSymbols, Field, Frame, Origin, Touched};
use contest_engine::execution::Engine;
use contest_engine::execution::{AccessSymboliser, Names, Noted, NotedBlock};
use contest_engine::memory::{Content, Isolation, ObjectField, Sought};
use contest_search::coverage::{FastMap, SharedAccesses};

/// In larger blocks of unknown content the offset of an access is not shown.
const LARGEST_UNKNOWN: usize = 1_024;

/// Where in the source, and whose.
#[derive(Clone, Copy, Debug)]
struct Line {
    file: &'static str,
    line: u32,
    column: u32,
    origin: Origin,
    /// Whose the innermost function is, but for those of the standard library.
    by: Option<Origin>,
}

/// What was accessed, as far as it is alike in all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    /// Bytes of a value of a type; the block was allocated by this call stack.
    Typed(usize, usize, usize, u32),
    /// Bytes of a block of unknown content.
    Block(usize, usize, u32),
    /// Bytes that are in no block that code under test allocated.
    Elsewhere(usize, usize),
}

/// What was looked up so far.
#[derive(Debug, Default)]
pub(super) struct Symboliser {
    frames: FastMap<usize, &'static [Frame]>,
    lines: FastMap<u32, Line>,
    contents: FastMap<u32, Option<Content>>,
    fields: FastMap<What, (u32, Field, bool)>,
    /// Of what has no field, what was looked up only to see that.
    unknown: FastSet<What>,
    symbolised: FastMap<(u32, u32), &'static AccessSymbols>,
    known: HashMap<AccessSymbols, &'static AccessSymbols>,
    shared: SharedAccesses,
}

impl Symboliser {
    /// Symbolises the accesses of the last execution; if it had several threads, only those to shared memory.
    pub(super) fn symbolise_all(
        &mut self,
        engine: &mut Engine,
        isolation: &mut dyn Isolation,
        shared_only: bool,
    ) {
        let all = engine.record().plain.list.len();
        let mut shared = std::mem::take(&mut self.shared);
        let mut bound = BoundSymboliser {
            symboliser: self,
            isolation,
            // The trace of a call sequence consists of the fields that are known.
            only_known: !shared_only,
        };
        if shared_only {
            let numbers = shared.of(engine.record()).iter();
            engine.symbolise_plain_accesses(numbers.map(|number| *number as usize), &mut bound);
        } else {
            // What comes after the calls is the engine's look at the state.
            let record = engine.record();
            let last = record.calls.iter().map(|call| call.ended).max();
            let in_calls =
                |number: &usize| last.is_none_or(|last| record.plain.list[*number].step <= last);
            let numbers: Vec<usize> = (0..all).filter(in_calls).collect();
            engine.symbolise_plain_accesses(numbers.into_iter(), &mut bound);
        }
        self.shared = shared;
    }
}

/// The same, and what resolves the rest.
struct BoundSymboliser<'t> {
    symboliser: &'t mut Symboliser,
    isolation: &'t mut dyn Isolation,
    /// Accesses of other memory need no names.
    only_known: bool,
}

/// An access that needs no name.
static UNKNOWN: AccessSymbols = AccessSymbols {
    file: "",
    line: 0,
    column: 0,
    field: Field {
        owner: "memory",
        name: "",
    },
    origin: Origin::Standard,
    known: false,
};

impl AccessSymboliser for BoundSymboliser<'_> {
    fn symbolise(&mut self, access: &Noted<'_>) -> &'static AccessSymbols {
        let what = self.what(access);
        let Some((number, field, known)) = self.field(what, access) else {
            return &UNKNOWN;
        };
        if let Some(symbolised) = self.symboliser.symbolised.get(&(access.stack, number)) {
            return symbolised;
        }
        let line = self.line_of_access(access.stack, access.calls);
        let symbolised = AccessSymbols {
            file: line.file,
            line: line.line,
            column: line.column,
            field,
            origin: line.origin,
            known,
        };
        let known = &mut self.symboliser.known;
        let symbolised = *known
            .entry(symbolised)
            .or_insert_with(|| Box::leak(Box::new(symbolised)));
        self.symboliser
            .symbolised
            .insert((access.stack, number), symbolised);
        symbolised
    }
}

impl BoundSymboliser<'_> {
    fn what(&mut self, access: &Noted<'_>) -> What {
        let Some(block) = &access.block else {
            return What::Elsewhere(access.address, access.size);
        };
        let offset = access.address - block.start;
        match self.content(block) {
            Some(content) if block.size.is_multiple_of(content.size as usize) => {
                let offset = offset % content.size as usize;
                What::Typed(content.number, offset, access.size, block.stack)
            }
            _ if block.size <= LARGEST_UNKNOWN => What::Block(offset, access.size, block.stack),
            _ => What::Block(usize::MAX, 0, block.stack),
        }
    }

    fn content(&mut self, block: &NotedBlock<'_>) -> Option<Content> {
        if let Some(known) = self.symboliser.contents.get(&block.stack) {
            return *known;
        }
        let content = self.isolation.content_of_blocks(block.calls);
        self.symboliser.contents.insert(block.stack, content);
        content
    }

    /// The field, with its number and whether it is known; `None` if only known ones are wanted and it is not.
    fn field(&mut self, what: What, access: &Noted<'_>) -> Option<(u32, Field, bool)> {
        if let Some(found) = self.symboliser.fields.get(&what) {
            return (found.2 || !self.only_known).then_some(*found);
        }
        if self.only_known && self.symboliser.unknown.contains(&what) {
            return None;
        }
        self.add_field(what, access)
    }

    #[cold]
    fn add_field(&mut self, what: What, access: &Noted<'_>) -> Option<(u32, Field, bool)> {
        let named = match what {
            What::Typed(_, offset, size, stack) => self.symboliser.contents[&stack]
                .and_then(|content| self.isolation.field_of(content, offset, size)),
            What::Block(..) => None,
            What::Elsewhere(address, size) => self.isolation.field_of_static(address, size),
        };
        if self.only_known && named.is_none() {
            self.symboliser.unknown.insert(what);
            return None;
        }
        let known = named.is_some();
        let field = match (named, &access.block) {
            (Some(named), _) => Field {
                owner: named.owner.leak(),
                name: named.name.leak(),
            },
            (None, Some(block)) => Field {
                owner: self.place_in(what, block).leak(),
                name: "",
            },
            (None, None) => Field {
                owner: "memory",
                name: "",
            },
        };
        let fields = &mut self.symboliser.fields;
        let symbolised = (fields.len() as u32, field, known);
        fields.insert(what, symbolised);
        Some(symbolised)
    }

    /// `bytes 8..16 of a block allocated at src/lib.rs:10:5`.
    fn place_in(&mut self, what: What, block: &NotedBlock<'_>) -> String {
        let made = self.line(block.stack, block.calls);
        let by = match (made.origin, made.line) {
            (Origin::UnderTest, 0) => format!("allocated by {}", made.file),
            (Origin::UnderTest, line) => {
                format!("allocated at {}:{line}:{}", made.file, made.column)
            }
            (Origin::Driver, _) => "that the test allocated".to_owned(),
            _ => "allocated at an unknown place".to_owned(),
        };
        match what {
            What::Block(offset, size, _) if size > 0 => {
                format!("bytes {offset}..{} of a block {by}", offset + size)
            }
            _ => format!("a block {by}"),
        }
    }

    /// The line of an access; what the engine does on its own behalf is the engine's.
    fn line_of_access(&mut self, stack: u32, calls: &[usize]) -> Line {
        let mut line = self.line(stack, calls);
        if line.by == Some(Origin::Engine) {
            line.origin = Origin::Engine;
        }
        line
    }

    /// The most informative line of a call stack: the innermost one of the code under test, else of the driver.
    fn line(&mut self, stack: u32, calls: &[usize]) -> Line {
        if let Some(known) = self.symboliser.lines.get(&stack) {
            return *known;
        }
        let mut best: Option<&'static Frame> = None;
        let mut by = None;
        for &call in calls {
            let frames = match self.symboliser.frames.get(&call) {
                Some(known) => known,
                None => {
                    let frames: &[Frame] = self.isolation.name_functions(&[call]).leak();
                    self.symboliser.frames.insert(call, frames);
                    frames
                }
            };
            let of = |origin| frames.iter().find(|frame| frame.origin() == origin);
            let mut origins = frames.iter().map(Frame::origin);
            by = by.or_else(|| origins.find(|origin| *origin != Origin::Standard));
            if let Some(found) = of(Origin::UnderTest) {
                best = Some(found);
                break;
            }
            best = best.or_else(|| of(Origin::Driver));
        }
        let (file, line, column) = best.map_or(("", 0, 0), line_of);
        let line = Line {
            file,
            line,
            column,
            origin: best.map_or(Origin::Standard, Frame::origin),
            by,
        };
        self.symboliser.lines.insert(stack, line);
        line
    }
}

/// File, line and column of a function; its name alone if they are not known.
fn line_of(frame: &Frame) -> (&str, u32, u32) {
    let mut parts = frame.location.rsplitn(3, ':');
    let column = parts.next().and_then(|text| text.parse().ok());
    let line = parts.next().and_then(|text| text.parse().ok());
    match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => (file, line, column),
        _ => (frame.place(), 0, 0),
    }
}

/// What was named before. It is kept for good: there are no more than places in the program.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// Call stacks whose functions are known.
    stacks: HashMap<u32, &'static [Frame]>,
    /// Fields; a block's by the number of the call stack that allocated it.
    fields: HashMap<Touched, Option<&'static str>>,
    /// Names of objects.
    objects: HashSet<&'static str>,
}

impl KnownNames {
    /// The same, and what resolves the rest.
    pub(super) fn with<'n>(&'n mut self, isolation: &'n mut dyn Isolation) -> impl Names + 'n {
        Named {
            known: self,
            isolation,
        }
    }
}

/// The names that are known, and the reader of symbols that adds to them.
struct Named<'n> {
    known: &'n mut KnownNames,
    isolation: &'n mut dyn Isolation,
}

impl Names for Named<'_> {
    fn functions(&mut self, number: u32, addresses: &[usize]) -> &'static [Frame] {
        self.known
            .stacks
            .entry(number)
            .or_insert_with(|| self.isolation.name_functions(addresses).leak())
    }

    fn field(&mut self, touched: &Touched, calls: &[usize]) -> Option<&'static str> {
        *self.known.fields.entry(*touched).or_insert_with(|| {
            let field = self.isolation.name_field(touched, calls)?;
            Some(&*field.leak())
        })
    }

    fn object(
        &mut self,
        address: usize,
        block: Option<&NotedBlock<'_>>,
        sought: Sought,
    ) -> Option<ObjectField> {
        let Some(block) = block else {
            return self.isolation.object_in_static(address, sought);
        };
        let content = self.isolation.content_of_blocks(block.calls)?;
        let offset = address - block.start;
        (self.isolation).object_in_block(content, block.size, offset, sought)
    }

    fn keep(&mut self, text: String) -> &'static str {
        match self.known.objects.get(text.as_str()) {
            Some(kept) => kept,
            None => {
                let kept = &*text.leak();
                self.known.objects.insert(kept);
                kept
            }
        }
    }
}
