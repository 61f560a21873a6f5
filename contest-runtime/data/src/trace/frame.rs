//! Functions of a call stack, and the origin of their code.

/// One function that was running, as debug information names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// `queue::Queue<T>::push`; empty if unknown.
    pub function: String,
    /// `src/lib.rs:10:5`; empty if unknown.
    pub location: String,
    /// Its source is not in the package under test.
    pub of_dependency: bool,
}

/// Origin of the code of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The code under test and what it depends on.
    UnderTest,
    /// The standard library.
    Standard,
    /// The engine, its drop-in types, its coroutines.
    Engine,
    /// The generated driver.
    Driver,
}

/// Where the sources of what stands in for a dependency seem to lie.
pub const STAND_INS: &str = "/cargo-contest/";

/// True for the source of a published package or a checkout of one, or of what stands in for it.
#[must_use]
pub fn is_published(file: &str) -> bool {
    let elsewhere = ["/registry/src/", "/git/checkouts/"];
    file.starts_with(STAND_INS) || elsewhere.iter().any(|it| file.contains(it))
}

/// The only source file of a generated driver, which no report names.
pub const DRIVER_FILE: &str = "contest-driver.rs";

/// Name of the thread on which a driver runs the tasks that the code under test spawns.
pub const RUNTIME_THREAD: &str = "tokio";

/// How the names of threads begin that executors start: async-std, async-io, async-global-executor, blocking, smol and
/// tokio.
const EXECUTOR_THREADS: [&str; 7] = [
    "async-std/",
    "async-io",
    "async-global-executor-",
    "blocking-",
    "smol-",
    "tokio-runtime-worker",
    "tokio-rt-worker",
];

/// True for a thread of this name that runs the tasks or timers of an asynchronous runtime.
#[must_use]
pub fn is_executor_thread(name: &str) -> bool {
    name == RUNTIME_THREAD || EXECUTOR_THREADS.iter().any(|it| name.starts_with(it))
}

const SOURCES: [(&str, Origin); 9] = [
    ("/nptl/", Origin::Standard),
    ("/sysdeps/", Origin::Standard),
    ("/rustc/", Origin::Standard),
    ("/lib/rustlib/src/rust/library/", Origin::Standard),
    ("contest-runtime/", Origin::Engine),
    ("/contest-engine-", Origin::Engine),
    ("/contest-std-", Origin::Engine),
    ("/corosensei-", Origin::Engine),
    ("/contest/driver/", Origin::Driver),
];
/// Crates that are recognised by the function's name if the source location is unknown; a name may stand in `<>`.
const FUNCTIONS: [(&str, Origin); 12] = [
    ("std::", Origin::Standard),
    ("core::", Origin::Standard),
    ("alloc::", Origin::Standard),
    ("contest::", Origin::Engine),
    ("contest_data::", Origin::Engine),
    ("contest_engine::", Origin::Engine),
    ("contest_std::", Origin::Engine),
    ("contest_campaign::", Origin::Engine),
    ("contest_search::", Origin::Engine),
    ("contest_driver::", Origin::Engine),
    ("corosensei::", Origin::Engine),
    ("__", Origin::Standard),
];

/// The origin of a function with this name and location.
#[must_use]
pub fn origin(function: &str, location: &str) -> Origin {
    // Tests of the engine stand for code under test.
    let is_test = location.contains("/tests/");
    let by_source = SOURCES
        .iter()
        .find(|(part, origin)| location.contains(part) && !(is_test && *origin == Origin::Engine));
    if let Some((_, origin)) = by_source {
        return *origin;
    }
    let function = function.trim_start_matches('<');
    let by_name = FUNCTIONS
        .iter()
        .find(|(start, _)| function.starts_with(start));
    match by_name {
        Some((_, origin)) => *origin,
        // No debug information: a path is that of a Rust function, other names are the C library's.
        None if location.is_empty() && !function.contains("::") => Origin::Standard,
        None => Origin::UnderTest,
    }
}

impl Frame {
    /// `src/lib.rs:10:5`, or the function's name if the location is unknown.
    #[must_use]
    pub fn place(&self) -> &str {
        if self.location.is_empty() {
            &self.function
        } else {
            &self.location
        }
    }

    /// The origin of its code.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.function, &self.location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_debug_information_a_function_is_identified_by_its_name() {
        for (function, expected) in [
            ("queue::Queue<T>::push", Origin::UnderTest),
            ("<queue::Queue<u32>>::push", Origin::UnderTest),
            ("core::ptr::write", Origin::Standard),
            ("contest_std::thread::spawn", Origin::Engine),
            ("malloc", Origin::Standard),
        ] {
            assert_eq!(origin(function, ""), expected, "{function}");
        }
        let frame = Frame {
            function: "queue::push".to_owned(),
            ..Frame::default()
        };
        assert_eq!(frame.place(), "queue::push");
    }
}
