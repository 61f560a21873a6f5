//! The classes of `faulty-classics`, mended.

mod file_appender;
mod int_range;
mod logger;
mod number_axis;
mod vector;
mod xy_series;

pub use file_appender::FileAppender;
pub use int_range::IntRange;
pub use logger::Logger;
pub use number_axis::NumberAxis;
pub use vector::Vector;
pub use xy_series::XySeries;
