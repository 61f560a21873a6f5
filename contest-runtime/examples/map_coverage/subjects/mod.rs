//! The 20 faulty classes of the paper's Table 3 as small Rust types: fields are relaxed atomics, monitors are mutexes,
//! `null` is 0, and an exception is a panic. Each keeps the atomicity bug it is known for and has one fixed test that
//! can fail.

mod data_sources;
mod input_output;
mod java_util;
mod jfreechart;
mod large;
mod log4j;
mod tomcat;

use std::sync::Arc;

use contest::sync::{Mutex, MutexGuard};
use contest::thread;

/// What the paper reports for a class: executions to the first failure.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Number in Table 3.
    pub id: &'static str,
    pub pcr: f64,
    pub maptest: f64,
    pub mcr: f64,
}

/// A class with its test.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub name: &'static str,
    /// `None` for tests of ours that are larger than those of the paper.
    pub published: Option<Published>,
    pub test: fn(),
}

const fn of_paper(
    name: &'static str,
    id: &'static str,
    schedules: [f64; 3],
    test: fn(),
) -> Subject {
    let [pcr, maptest, mcr] = schedules;
    Subject {
        name,
        published: Some(Published {
            id,
            pcr,
            maptest,
            mcr,
        }),
        test,
    }
}

const fn of_ours(name: &'static str, test: fn()) -> Subject {
    Subject {
        name,
        published: None,
        test,
    }
}

/// All of them.
pub const SUBJECTS: [Subject; 25] = [
    of_paper(
        "PerUserPoolDataSource",
        "V1",
        [5.0, 15.2, 3.0],
        data_sources::per_user_pool,
    ),
    of_paper(
        "SharedPoolDataSource",
        "V2",
        [6.4, 411.6, 3.0],
        data_sources::shared_pool,
    ),
    of_paper("InputBuffer", "V3", [5.0, 35.1, 11.6], tomcat::input_buffer),
    of_paper("Request", "V4", [9.5, 10.0, 4.3], tomcat::request),
    of_paper(
        "BufferedInputStream",
        "V5",
        [2.0, 4.8, 5.0],
        input_output::buffered_input_stream,
    ),
    of_paper(
        "ConcurrentHashMap",
        "V6",
        [2.8, 1.0, 6.8],
        java_util::concurrent_hash_map,
    ),
    of_paper("Hashtable", "V7", [2.0, 31.4, 21.3], java_util::hashtable),
    of_paper("Logger", "V8", [5.0, 9.0, 4.7], input_output::logger),
    of_paper(
        "StringBuffer",
        "V9",
        [1.0, 6.3, 1.0],
        java_util::string_buffer,
    ),
    of_paper(
        "Vector 1.1.7",
        "V10",
        [2.0, 14.0, 3.0],
        java_util::vector_117,
    ),
    of_paper(
        "Vector 1.4.2",
        "V11",
        [3.0, 44.9, 4.0],
        java_util::vector_142,
    ),
    of_paper(
        "NumberAxis",
        "V12",
        [11.0, 149.0, 7.0],
        jfreechart::number_axis,
    ),
    of_paper(
        "PeriodAxis",
        "V13",
        [6.8, 22.0, 5.8],
        jfreechart::period_axis,
    ),
    of_paper(
        "TimeSeries",
        "V14",
        [2.0, 1.0, 2.0],
        jfreechart::time_series,
    ),
    of_paper("XYPlot", "V15", [3.0, 24.6, 3.0], jfreechart::xy_plot),
    of_paper("XYSeries", "V16", [4.9, 17.0, 3.1], jfreechart::xy_series),
    of_paper(
        "AppenderAttachableImpl",
        "V17",
        [2.0, 86.2, 8.2],
        log4j::appender_attachable,
    ),
    of_paper(
        "FileAppender",
        "V18",
        [3.0, 21.7, 2.8],
        log4j::file_appender,
    ),
    of_paper(
        "NullAppender",
        "V19",
        [2.0, 20.4, 3.3],
        log4j::null_appender,
    ),
    of_paper("XStream", "V20", [3.0, 670.3, 3.0], tomcat::xstream),
    of_ours("Vector 1.1.7, large", large::vector_117),
    of_ours("Logger, large", large::logger),
    of_ours("NumberAxis, large", large::number_axis),
    of_ours("Appenders, large", large::appender_attachable),
    of_ours("BufferedInput, large", large::buffered_input_stream),
];

/// A Java monitor.
#[derive(Debug, Default)]
pub(crate) struct Monitor(Mutex<()>);

impl Monitor {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(()))
    }

    pub(crate) fn enter(&self) -> MutexGuard<'_, ()> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Runs both beside each other on one object.
pub(crate) fn beside<T: Send + Sync + 'static>(object: T, one: fn(&T), two: fn(&T)) {
    let object = Arc::new(object);
    let shared = Arc::clone(&object);
    let first = thread::spawn(move || one(&shared));
    let second = thread::spawn(move || two(&object));
    // What failed is in the record.
    let _ = first.join();
    let _ = second.join();
}
