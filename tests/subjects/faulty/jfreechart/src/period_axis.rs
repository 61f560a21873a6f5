//! `org.jfree.chart.axis.PeriodAxis` of JFreeChart 1.0.1 (PCR, V13; DepCon+, C9, "data race"): the first and the last
//! period are set one after the other, and a range is made of both.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::SeqCst};

/// An axis that shows periods.
#[derive(Debug)]
pub struct PeriodAxis {
    first: AtomicI64,
    last: AtomicI64,
    auto_range: AtomicBool,
    auto_range_period: AtomicU32,
    major_tick_period: AtomicU32,
    minor_tick_period: AtomicU32,
    minor_tick_marks: AtomicBool,
    minor_tick_inside: AtomicU32,
    minor_tick_outside: AtomicU32,
    time_zone: AtomicU32,
    label_angle: AtomicU32,
    label_insets: AtomicU32,
    axis_line: AtomicBool,
    tick_labels: AtomicBool,
    tick_marks: AtomicBool,
    inverted: AtomicBool,
    lower_margin: AtomicU32,
    upper_margin: AtomicU32,
    fixed_range: AtomicU32,
}

impl PeriodAxis {
    /// An axis from 0 to 10.
    pub fn new() -> Self {
        Self {
            first: AtomicI64::new(0),
            last: AtomicI64::new(10),
            auto_range: AtomicBool::new(true),
            auto_range_period: AtomicU32::new(1),
            major_tick_period: AtomicU32::new(1),
            minor_tick_period: AtomicU32::new(1),
            minor_tick_marks: AtomicBool::new(false),
            minor_tick_inside: AtomicU32::new(0),
            minor_tick_outside: AtomicU32::new(2),
            time_zone: AtomicU32::new(0),
            label_angle: AtomicU32::new(0),
            label_insets: AtomicU32::new(3),
            axis_line: AtomicBool::new(true),
            tick_labels: AtomicBool::new(true),
            tick_marks: AtomicBool::new(true),
            inverted: AtomicBool::new(false),
            lower_margin: AtomicU32::new(5),
            upper_margin: AtomicU32::new(5),
            fixed_range: AtomicU32::new(0),
        }
    }

    /// From the first to the last period. The two are read one after the other.
    ///
    /// # Panics
    /// If the last one is before the first one.
    pub fn range(&self) -> (i64, i64) {
        let first = self.first.load(SeqCst);
        let last = self.last.load(SeqCst);
        assert!(first <= last, "illegal argument: {first} is after {last}");
        (first, last)
    }

    /// Shows so many periods from this one on. The fault: first and last are set one after the other.
    pub fn set_range(&self, first: u16, length: u16) {
        let first = i64::from(first);
        self.auto_range.store(false, SeqCst);
        self.first.store(first, SeqCst);
        self.last.store(first + i64::from(length), SeqCst);
    }

    /// Shows everything again.
    pub fn auto_adjust_range(&self) {
        self.first.store(0, SeqCst);
        self.last.store(10, SeqCst);
        self.auto_range.store(true, SeqCst);
    }

    /// Number of periods from the first to the last one.
    pub fn length(&self) -> i64 {
        let (first, last) = self.range();
        last - first
    }

    /// The first period.
    pub fn first(&self) -> i64 {
        self.first.load(SeqCst)
    }

    /// The last period.
    pub fn last(&self) -> i64 {
        self.last.load(SeqCst)
    }

    /// Where a value is on an area of this width.
    pub fn value_to_position(&self, value: i32, width: u16) -> i64 {
        let (first, last) = self.range();
        let share = (i64::from(value) - first) * i64::from(width) / (last - first).max(1);
        if self.is_inverted() {
            i64::from(width) - share
        } else {
            share
        }
    }

    /// What value is at a position on an area of this width.
    pub fn position_to_value(&self, position: u16, width: u16) -> i64 {
        let (first, last) = self.range();
        first + i64::from(position) * (last - first) / i64::from(width.max(1))
    }

    /// True if the axis adjusts itself.
    pub fn is_auto_range(&self) -> bool {
        self.auto_range.load(SeqCst)
    }

    /// True if it runs the other way.
    pub fn is_inverted(&self) -> bool {
        self.inverted.load(SeqCst)
    }

    /// Lets it run the other way.
    pub fn set_inverted(&self, inverted: bool) {
        self.inverted.store(inverted, SeqCst);
    }

    properties! {
        /// Period by which the range is adjusted.
        auto_range_period, set_auto_range_period: u32;
        /// Period of the major ticks.
        major_tick_period, set_major_tick_period: u32;
        /// Period of the minor ticks.
        minor_tick_period, set_minor_tick_period: u32;
        /// True if minor ticks are drawn.
        minor_tick_marks, set_minor_tick_marks: bool;
        /// Length of minor ticks inside.
        minor_tick_inside, set_minor_tick_inside: u32;
        /// Length of minor ticks outside.
        minor_tick_outside, set_minor_tick_outside: u32;
        /// Number of the time zone.
        time_zone, set_time_zone: u32;
        /// Angle of the label.
        label_angle, set_label_angle: u32;
        /// Space around the label.
        label_insets, set_label_insets: u32;
        /// True if the line is drawn.
        axis_line, set_axis_line: bool;
        /// True if ticks have labels.
        tick_labels, set_tick_labels: bool;
        /// True if ticks are drawn.
        tick_marks, set_tick_marks: bool;
        /// Space below, in percent.
        lower_margin, set_lower_margin: u32;
        /// Space above, in percent.
        upper_margin, set_upper_margin: u32;
        /// Length that automatic ranges have; 0 for any.
        fixed_range, set_fixed_range: u32;
    }
}

impl Default for PeriodAxis {
    fn default() -> Self {
        Self::new()
    }
}
