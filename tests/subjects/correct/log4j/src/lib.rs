//! The appenders of `faulty-log4j`, mended.

mod appender_attachable;
mod null_appender;
mod writer_appender;

pub use appender_attachable::AppenderAttachable;
pub use null_appender::NullAppender;
pub use writer_appender::WriterAppender;
