//! A range of whole numbers that keeps its text.

use std::sync::Mutex;

/// From a smallest to a largest number, both included.
#[derive(Debug)]
pub struct IntRange {
    smallest: i32,
    largest: i32,
    text: Mutex<Option<String>>,
}

impl IntRange {
    /// From one number to the other.
    pub fn new(one: i32, other: i32) -> Self {
        Self {
            smallest: one.min(other),
            largest: one.max(other),
            text: Mutex::new(None),
        }
    }

    /// The smallest number.
    pub fn minimum(&self) -> i32 {
        self.smallest
    }

    /// The largest number.
    pub fn maximum(&self) -> i32 {
        self.largest
    }

    /// Both ends.
    pub fn ends(&self) -> (i32, i32) {
        (self.smallest, self.largest)
    }

    /// How many numbers there are.
    pub fn count(&self) -> i64 {
        i64::from(self.largest) - i64::from(self.smallest) + 1
    }

    /// True if the number is in the range.
    pub fn contains(&self, number: i32) -> bool {
        (self.smallest..=self.largest).contains(&number)
    }

    /// True if it has one number only.
    pub fn is_single(&self) -> bool {
        self.smallest == self.largest
    }

    /// True if all numbers are below this one.
    pub fn is_before(&self, number: i32) -> bool {
        self.largest < number
    }

    /// True if all numbers are above this one.
    pub fn is_after(&self, number: i32) -> bool {
        self.smallest > number
    }

    /// The number of the range that is nearest to this one.
    pub fn nearest(&self, number: i32) -> i32 {
        number.clamp(self.smallest, self.largest)
    }

    /// How far the number is from the range.
    pub fn distance(&self, number: i32) -> i64 {
        (i64::from(number) - i64::from(self.nearest(number))).abs()
    }

    /// The middle, rounded towards the smallest number.
    pub fn middle(&self) -> i64 {
        (i64::from(self.smallest) + i64::from(self.largest)).div_euclid(2)
    }

    /// True if the other range lies within this one.
    pub fn covers(&self, other: &IntRange) -> bool {
        self.contains(other.smallest) && self.contains(other.largest)
    }

    /// True if the two have a number in common.
    pub fn overlaps(&self, other: &IntRange) -> bool {
        self.smallest <= other.largest && other.smallest <= self.largest
    }

    /// True if the text was made already.
    pub fn has_text(&self) -> bool {
        self.text.lock().unwrap().is_some()
    }

    /// Makes the text anew when it is asked for next.
    pub fn forget_text(&self) {
        *self.text.lock().unwrap() = None;
    }

    /// The range as text, made once.
    pub fn text(&self) -> String {
        let mut text = self.text.lock().unwrap();
        let made = text.get_or_insert_with(|| format!("Range[{},{}]", self.smallest, self.largest));
        made.clone()
    }

    /// Length of the text in bytes.
    pub fn text_length(&self) -> usize {
        self.text.lock().unwrap().as_ref().map_or(0, String::len)
    }
}
