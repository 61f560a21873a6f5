//! The array below a vector: some slots are in use, the rest is room.

/// Slots in use come first.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    slots: Vec<Option<u32>>,
    used: usize,
}

impl Slots {
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The slot, in use or not.
    ///
    /// # Panics
    /// Beyond the capacity.
    pub(crate) fn slot(&self, index: usize) -> Option<u32> {
        self.slots[index]
    }

    pub(crate) fn get(&self, index: usize) -> Option<u32> {
        self.used().gt(&index).then(|| self.slots[index]).flatten()
    }

    pub(crate) fn elements(&self) -> Vec<u32> {
        self.slots[..self.used].iter().flatten().copied().collect()
    }

    pub(crate) fn position(&self, element: u32, from: usize) -> Option<usize> {
        (from..self.used).find(|&index| self.slots[index] == Some(element))
    }

    /// Room for so many; twice as many as before if it has to grow.
    pub(crate) fn ensure(&mut self, capacity: usize) {
        let capacity = capacity.min(1 << 16);
        if capacity > self.slots.len() {
            let grown = capacity.max(2 * self.slots.len());
            self.slots.resize(grown, None);
        }
    }

    /// Gives unused room back.
    pub(crate) fn trim(&mut self) {
        self.slots.truncate(self.used);
    }

    pub(crate) fn push(&mut self, element: u32) {
        self.ensure(self.used + 1);
        self.slots[self.used] = Some(element);
        self.used += 1;
    }

    pub(crate) fn set(&mut self, index: usize, element: u32) -> bool {
        let inside = index < self.used;
        if inside {
            self.slots[index] = Some(element);
        }
        inside
    }

    pub(crate) fn insert(&mut self, index: usize, element: u32) -> bool {
        let inside = index <= self.used;
        if inside {
            self.push(element);
            self.slots[index..self.used].rotate_right(1);
        }
        inside
    }

    pub(crate) fn remove(&mut self, index: usize) -> Option<u32> {
        if index >= self.used {
            return None;
        }
        self.slots[index..self.used].rotate_left(1);
        self.used -= 1;
        self.slots[self.used].take()
    }

    /// Exactly so many in use; new ones are 0.
    pub(crate) fn resize(&mut self, size: usize) {
        let size = size.min(1 << 16);
        self.ensure(size);
        for index in self.used..size {
            self.slots[index] = Some(0);
        }
        for index in size..self.used {
            self.slots[index] = None;
        }
        self.used = size;
    }

    pub(crate) fn clear(&mut self) {
        self.slots[..self.used].fill(None);
        self.used = 0;
    }
}
