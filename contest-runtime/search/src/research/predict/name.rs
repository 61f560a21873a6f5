//! Names that mean the same in every execution of a test.

use std::panic::Location;

use crate::coverage::FastMap;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, ExecutionRecord, ObjectId};

/// 128 bits that name a sequence of words: two of these mixed differently. Equal words give equal names in every
/// process; the chance that different ones do is that of a random 128-bit collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u128);

impl Name {
    pub fn new() -> Self {
        Self(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D)
    }

    #[must_use]
    pub fn with(self, word: u64) -> Self {
        const MULTIPLIER: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B_u128 << 1 | 0x9E37_79B9;
        let mixed = (self.0 ^ u128::from(word)).wrapping_mul(MULTIPLIER | 1);
        Self(mixed ^ mixed >> 61)
    }

    #[must_use]
    pub(crate) fn with_name(self, other: Self) -> Self {
        self.with(other.0 as u64).with((other.0 >> 64) as u64)
    }

    #[must_use]
    pub(crate) fn with_text(self, text: &str) -> Self {
        text.bytes()
            .fold(self.with(text.len() as u64), |name, byte| {
                name.with(u64::from(byte))
            })
    }
}

/// The name of each event: its thread and number, what it is and where, and what its thread did and read before.
/// Objects are named by their first use in the order of threads, because their numbers depend on the interleaving.
pub(super) fn event_names(record: &ExecutionRecord) -> Vec<Name> {
    let mut objects: Vec<Option<(u16, u32)>> = vec![None; record.objects.len()];
    for event in &record.events {
        for object in [event.object, event.second] {
            if let Some(name) = objects.get_mut(object.0 as usize) {
                let use_of = (event.thread.0, event.index);
                *name = Some(name.map_or(use_of, |known| known.min(use_of)));
            }
        }
    }
    let mut histories = vec![Name::new(); usize::from(record.threads)];
    let mut places: FastMap<usize, u64> = FastMap::default();
    let mut names = Vec::with_capacity(record.events.len());
    for event in &record.events {
        let location: *const Location<'_> = event.location;
        let place = *places.entry(location as usize).or_insert_with(|| {
            let file = Name::new().with_text(event.location.file());
            file.with(u64::from(event.location.line()) << 32 | u64::from(event.location.column()))
                .0 as u64
        });
        let object = |object: ObjectId| {
            let named = objects.get(object.0 as usize).copied().flatten();
            named.map_or(u64::MAX, |(thread, index)| {
                u64::from(thread) << 32 | u64::from(index)
            })
        };
        let name = histories[event.thread.index()]
            .with(
                u64::from(event.thread.0) << 40
                    | u64::from(event.index) << 8
                    | u64::from(check_of(event.action, event.name)),
            )
            .with(place)
            .with(object(event.object))
            .with(object(event.second));
        names.push(name);
        histories[event.thread.index()] = match event.action {
            Action::Load(_) | Action::CasFail(_) | Action::Rmw(..) => name.with(event.read),
            Action::TryAcquire(_, taken)
            | Action::Arrive(taken)
            | Action::Receive(_, taken)
            | Action::Send(_, taken) => name.with(u64::from(taken)),
            Action::OncePeek(done) | Action::OnceBegin(done) => name.with(u64::from(done)),
            _ => name,
        };
    }
    names
}
