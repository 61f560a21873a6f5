//! Vector clocks as rows of equal length in one block.
//!
//! A row is a number of lanes of four threads each. Four threads or fewer are the usual case: one lane, joined by a few
//! vector instructions without a loop. That is less than it would take to find out by epochs whether the join is needed
//! at all.

/// The numbers of four threads.
pub(super) type Lane = [u32; LANE];
pub(super) const LANE: usize = 4;

#[inline]
fn join_lane(into: &mut Lane, from: &Lane) {
    for thread in 0..LANE {
        into[thread] = into[thread].max(from[thread]);
    }
}

/// Makes `into` the pointwise maximum of both.
#[inline]
pub(super) fn join(into: &mut [u32], from: &[u32]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into = (*into).max(*from);
    }
}

/// Makes `into` equal to `from`.
#[inline]
pub(super) fn copy(into: &mut [u32], from: &[u32]) {
    into.copy_from_slice(from);
}

/// Rows of one length, by number.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    lanes: Vec<Lane>,
    /// Lanes of a row.
    length: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            lanes: Vec::new(),
            length: 1,
        }
    }
}

impl Rows {
    /// Rows of `width` numbers each, a multiple of [`LANE`]; contents of earlier rows are meaningless after this.
    pub(super) fn set_width(&mut self, width: usize) {
        self.length = width / LANE;
    }

    /// Makes room for rows below `count`. What is in new rows is left over from earlier ones.
    #[inline]
    pub(super) fn fit(&mut self, count: usize) {
        let needed = count * self.length;
        if self.lanes.len() < needed {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        self.lanes
            .resize(needed.next_power_of_two().max(16), [0; LANE]);
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u32] {
        match self.length {
            1 => &self.lanes[row],
            _ => self.long_row(row),
        }
    }

    fn long_row(&self, row: usize) -> &[u32] {
        self.lanes[row * self.length..(row + 1) * self.length].as_flattened()
    }

    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u32] {
        self.lanes[row * self.length..(row + 1) * self.length].as_flattened_mut()
    }

    /// The number of a thread in a row.
    #[inline]
    pub(super) fn number(&self, row: usize, thread: usize) -> u32 {
        self.lanes.as_flattened()[row * self.length * LANE + thread]
    }

    #[inline]
    pub(super) fn number_mut(&mut self, row: usize, thread: usize) -> &mut u32 {
        &mut self.lanes.as_flattened_mut()[row * self.length * LANE + thread]
    }

    #[inline]
    pub(super) fn clear(&mut self, row: usize) {
        for lane in &mut self.lanes[row * self.length..(row + 1) * self.length] {
            *lane = [0; LANE];
        }
    }

    /// Joins a row of other rows of the same length into one of these.
    #[inline(always)]
    pub(super) fn join(&mut self, into: usize, other: &Self, from: usize) {
        if self.length == 1 {
            join_lane(&mut self.lanes[into], &other.lanes[from]);
        } else {
            self.join_long(into, other, from);
        }
    }

    /// Makes one of these rows equal to one of other rows of the same length.
    #[inline(always)]
    pub(super) fn copy(&mut self, into: usize, other: &Self, from: usize) {
        if self.length == 1 {
            self.lanes[into] = other.lanes[from];
        } else {
            self.copy_long(into, other, from);
        }
    }

    #[inline(never)]
    fn join_long(&mut self, into: usize, other: &Self, from: usize) {
        join(self.row_mut(into), other.row(from));
    }

    #[inline(never)]
    fn copy_long(&mut self, into: usize, other: &Self, from: usize) {
        copy(self.row_mut(into), other.row(from));
    }

    /// Joins one of these rows into another.
    #[inline]
    pub(super) fn join_own(&mut self, into: usize, from: usize) {
        for lane in 0..self.length {
            let from = self.lanes[from * self.length + lane];
            join_lane(&mut self.lanes[into * self.length + lane], &from);
        }
    }

    /// Makes one of these rows equal to another.
    #[inline]
    pub(super) fn copy_own(&mut self, into: usize, from: usize) {
        for lane in 0..self.length {
            self.lanes[into * self.length + lane] = self.lanes[from * self.length + lane];
        }
    }

    /// Makes the rows longer, keeping the first `count` of them.
    #[cold]
    pub(super) fn widen(&mut self, width: usize, count: usize) {
        let length = width / LANE;
        let mut lanes = vec![[0; LANE]; (count * length).max(16)];
        for row in 0..count {
            lanes[row * length..row * length + self.length]
                .copy_from_slice(&self.lanes[row * self.length..(row + 1) * self.length]);
        }
        self.lanes = lanes;
        self.length = length;
    }
}
