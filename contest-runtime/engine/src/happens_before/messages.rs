//! Clocks of single writes, where reads may take another one than the last: the rules are those for the one message of
//! a location.

use super::synchronisation::{FENCE_RELEASED, OWN, Synchronisation, THREAD_ROWS, TO_ACQUIRE};
use contest_data::trace::ThreadIndex;

impl Synchronisation {
    /// What this write hands on; makes room for it.
    pub(crate) fn message(&mut self, number: u32) -> &[u32] {
        let row = self.message_row(number);
        self.messages.row(row)
    }

    /// As [`message`](Self::message), of a write that has a row.
    pub(crate) fn known_message(&self, number: u32) -> &[u32] {
        self.messages.row(number as usize)
    }

    fn message_row(&mut self, number: u32) -> usize {
        let row = number as usize;
        if row >= self.known_messages {
            self.messages.fit(row + 1);
            for new in self.known_messages..=row {
                self.messages.clear(new);
            }
            self.known_messages = row + 1;
        }
        row
    }

    pub(super) fn read_message(&mut self, thread: ThreadIndex, read: u32, acquire: bool) {
        let row = self.message_row(read);
        let first = thread.index() * THREAD_ROWS;
        if acquire {
            self.threads.join(first + OWN, &self.messages, row);
            return;
        }
        let to_acquire = first + TO_ACQUIRE;
        if self.to_acquire.contains(thread) {
            self.threads.join(to_acquire, &self.messages, row);
        } else {
            self.threads.copy(to_acquire, &self.messages, row);
            self.to_acquire.insert(thread);
        }
    }

    pub(super) fn write_own_message(
        &mut self,
        thread: ThreadIndex,
        (read, wrote): (u32, u32),
        release: bool,
        keeps: bool,
    ) {
        let from = self.message_row(read);
        let row = self.message_row(wrote);
        if keeps {
            self.messages.copy_own(row, from);
        } else {
            self.messages.clear(row);
        }
        let first = thread.index() * THREAD_ROWS;
        if release {
            self.messages.join(row, &self.threads, first + OWN);
            self.step(thread);
        } else if self.fence_released.contains(thread) {
            self.messages
                .join(row, &self.threads, first + FENCE_RELEASED);
        }
    }
}
