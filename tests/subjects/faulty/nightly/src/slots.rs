use std::sync::Mutex;

/// Values in slots, without a fault.
#[derive(Debug, Default)]
pub struct Slots {
    values: Mutex<Vec<u32>>,
}

impl Slots {
    /// Without a slot.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value into a new slot, the number of which is returned.
    pub fn put(&self, value: u32) -> usize {
        let mut values = self.values.lock().unwrap();
        values.push(value);
        values.len() - 1
    }

    /// The value in a slot.
    pub fn value(&self, slot: usize) -> Option<u32> {
        self.values.lock().unwrap().get(slot).copied()
    }

    /// Exchanges the value in a slot.
    pub fn exchange(&self, slot: usize, value: u32) -> Option<u32> {
        let mut values = self.values.lock().unwrap();
        let old = values.get_mut(slot)?;
        Some(std::mem::replace(old, value))
    }
}
