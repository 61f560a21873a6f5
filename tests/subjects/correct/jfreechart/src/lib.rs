//! The classes of `faulty-jfreechart`, mended.

/// A getter and a setter for each atomic field.
macro_rules! properties {
    ($($(#[doc = $doc:literal])+ $field:ident, $set:ident: $value:ty;)+) => {$(
        $(#[doc = $doc])+
        pub fn $field(&self) -> $value {
            self.$field.load(std::sync::atomic::Ordering::SeqCst)
        }

        /// Sets it.
        pub fn $set(&self, value: $value) {
            self.$field.store(value, std::sync::atomic::Ordering::SeqCst);
        }
    )+};
}

mod day;
mod period_axis;
mod time_series;
mod xy_plot;

pub use day::Day;
pub use period_axis::PeriodAxis;
pub use time_series::TimeSeries;
pub use xy_plot::XyPlot;
