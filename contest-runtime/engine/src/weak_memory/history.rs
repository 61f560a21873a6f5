//! The writes to one location, and what each thread knows of them.

use contest_data::trace::{ThreadIndex, Writes};

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Its number in the execution.
    pub number: u32,
    pub value: u64,
    /// The event that wrote it; [`Writes::INITIAL`] if none did.
    pub event: u32,
    /// That event in the execution graph, if it is there.
    pub node: Option<usize>,
    /// A read-modify-write, which stays right after what it read.
    pub updates: bool,
}

impl Message {
    /// What was in memory before any event.
    pub(super) fn initial(number: u32, value: u64) -> Self {
        Self {
            number,
            value,
            event: Writes::INITIAL,
            node: None,
            updates: false,
        }
    }
}

/// The writes to one location.
#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    /// In modification order.
    pub messages: Vec<Message>,
    /// What comes before this one was overwritten by other means.
    pub first: usize,
    /// Number of the location in the execution graph, another one whenever it begins anew.
    pub number: u32,
    pub size: u8,
    /// By thread: from which of its epochs on it knew of a write, by number. Both grow.
    known: Vec<Vec<(u32, u32)>>,
}

impl Location {
    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.first = 0;
        self.size = 0;
        self.known.iter_mut().for_each(Vec::clear);
    }

    /// Memory has this value now, whatever was written before.
    pub(super) fn begin_anew(&mut self, number: u32, message: Message) {
        self.number = number;
        self.first = self.messages.len();
        self.messages.push(message);
        self.known.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn newest(&self) -> Option<&Message> {
        self.messages.last()
    }

    fn place(&self, number: u32) -> Option<usize> {
        let found = self.messages.iter();
        found
            .rev()
            .position(|message| message.number == number)
            .map(|back| self.messages.len() - 1 - back)
    }

    /// Place of the oldest write that a thread with this clock may still read; `None` if nothing is known to it.
    pub(super) fn floor(&self, thread: ThreadIndex, clock: &[u32]) -> Option<usize> {
        let floors = self.known.iter().enumerate().filter_map(|(other, known)| {
            let until = clock.get(other).copied().unwrap_or(0);
            let own = other == thread.index();
            let last = known
                .iter()
                .rev()
                .find(|(epoch, _)| own || *epoch <= until)?;
            self.place(last.1)
        });
        floors.max()
    }

    /// The thread knows of this write from now on.
    pub(super) fn know(&mut self, thread: ThreadIndex, epoch: u32, number: u32) {
        let index = thread.index();
        if self.known.len() <= index {
            self.known.resize(index + 1, Vec::new());
        }
        let known = &mut self.known[index];
        match known.last_mut() {
            Some(last) if last.1 == number => {}
            Some(last) if last.0 == epoch => last.1 = number,
            _ => known.push((epoch, number)),
        }
    }

    /// True if the thread has not read the newest write.
    pub(super) fn is_behind(&self, thread: ThreadIndex) -> bool {
        let known = self
            .known
            .get(thread.index())
            .and_then(|known| known.last());
        known.map(|known| known.1) != self.newest().map(|newest| newest.number)
    }
}
