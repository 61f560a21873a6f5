//! The same faults behind so many other calls that neither all interleavings fit a budget nor a random one is likely to
//! meet them.

use super::beside;
use super::input_output::{BufferedInputStream, Logger};
use super::java_util::Vector117;
use super::jfreechart::NumberAxis;
use super::log4j::AppenderAttachable;

pub(super) fn vector_117() {
    beside(
        Vector117::new(2),
        |vector| {
            vector.add_element();
            vector.last_index_of();
            for _ in 0..25 {
                vector.add_element();
            }
        },
        |vector| {
            for _ in 0..25 {
                vector.add_element();
            }
            vector.size();
            vector.remove_all();
        },
    );
}

pub(super) fn logger() {
    beside(
        Logger::new(),
        |logger| {
            logger.log();
            for level in 1..30 {
                logger.set_level(level);
                logger.add_handler();
            }
        },
        |logger| {
            for level in 1..30 {
                logger.set_level(level);
                logger.add_handler();
            }
            logger.set_filter(0);
        },
    );
}

pub(super) fn number_axis() {
    beside(
        NumberAxis::new(),
        |axis| {
            for step in 0..30 {
                axis.set_range(step % 3, 3 + step % 3);
            }
            axis.set_range(9, 12);
        },
        |axis| {
            axis.range();
            for step in 0..30 {
                axis.set_range(step % 3, 3 + step % 3);
            }
        },
    );
}

pub(super) fn appender_attachable() {
    beside(
        AppenderAttachable::new(),
        |appenders| {
            appenders.is_attached();
            for _ in 0..30 {
                appenders.add();
            }
        },
        |appenders| {
            for _ in 0..30 {
                appenders.add();
            }
            appenders.remove_all();
        },
    );
}

pub(super) fn buffered_input_stream() {
    beside(
        BufferedInputStream::new(),
        |stream| {
            stream.read();
            for _ in 0..30 {
                stream.mark();
            }
        },
        |stream| {
            for _ in 0..30 {
                stream.mark();
            }
            stream.close();
        },
    );
}
