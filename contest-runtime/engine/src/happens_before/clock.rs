//! Vector clocks as rows of equal length in one block.

/// Makes `into` the pointwise maximum of both.
#[inline]
pub fn join(into: &mut [u32], from: &[u32]) {
    // Four threads are the usual case, and a fixed length needs no loop.
    if let (Ok(into), Ok(from)) = (
        <&mut [u32; 4]>::try_from(&mut *into),
        <&[u32; 4]>::try_from(from),
    ) {
        for thread in 0..4 {
            into[thread] = into[thread].max(from[thread]);
        }
    } else {
        for (into, from) in into.iter_mut().zip(from) {
            *into = (*into).max(*from);
        }
    }
}

/// Makes `into` equal to `from`.
#[inline]
pub fn copy(into: &mut [u32], from: &[u32]) {
    if let (Ok(into), Ok(from)) = (
        <&mut [u32; 4]>::try_from(&mut *into),
        <&[u32; 4]>::try_from(from),
    ) {
        *into = *from;
    } else {
        into.copy_from_slice(from);
    }
}

/// Rows of one length, by number.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    numbers: Vec<u32>,
    width: usize,
}

impl Rows {
    /// Rows of `width` numbers each; contents of earlier rows are meaningless after this.
    pub fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    /// Makes room for rows below `count`.
    #[inline]
    pub fn fit(&mut self, count: usize) {
        let needed = count * self.width;
        if self.numbers.len() < needed {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        self.numbers.resize(needed.next_power_of_two().max(64), 0);
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.numbers[row * self.width..(row + 1) * self.width]
    }

    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u32] {
        &mut self.numbers[row * self.width..(row + 1) * self.width]
    }

    /// Makes the rows longer, keeping the first `count` of them.
    #[cold]
    pub fn widen(&mut self, width: usize, count: usize) {
        let mut numbers = vec![0; (count * width).max(64)];
        for row in 0..count {
            numbers[row * width..row * width + self.width].copy_from_slice(self.row(row));
        }
        self.numbers = numbers;
        self.width = width;
    }
}
