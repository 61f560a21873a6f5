//! What is measured: on each crate the same two calls in two threads.

use std::path::Path;

/// One crate, a type of it, and a program that does to it what a generated test does.
pub(crate) struct Subject {
    pub(crate) package: &'static str,
    pub(crate) type_name: &'static str,
    version: &'static str,
    /// Makes the object `object`.
    make: &'static str,
    /// The calls of each of the two threads.
    calls: &'static str,
}

pub(crate) const SUBJECTS: [Subject; 3] = [
    Subject {
        package: "crossbeam-queue",
        type_name: "SegQueue",
        version: "0.3",
        make: "crossbeam_queue::SegQueue::<u32>::new()",
        calls: "object.push(1); std::hint::black_box(object.pop());",
    },
    Subject {
        package: "concurrent-queue",
        type_name: "ConcurrentQueue",
        version: "2",
        make: "concurrent_queue::ConcurrentQueue::<u32>::bounded(2)",
        calls: "let _ = object.push(1); let _ = std::hint::black_box(object.pop());",
    },
    Subject {
        package: "arc-swap",
        type_name: "ArcSwapAny",
        version: "1",
        make: "arc_swap::ArcSwap::<u32>::from_pointee(1)",
        calls: "object.store(std::sync::Arc::new(2)); std::hint::black_box(**object.load());",
    },
];

impl Subject {
    /// Writes a package that depends on the crate. Its program runs the two threads on fresh objects: `rounds N` of
    /// them, or as many as fit into `milliseconds N`; it prints how many.
    pub(crate) fn write_package(&self, folder: &Path) {
        let manifest = format!(
            "[package]\nname = \"cost-{}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{} = \"{}\"\n\n[workspace]\n\n\
             [profile.dev]\nopt-level = 1\n",
            self.package, self.package, self.version
        );
        let program = include_str!("stress.rs.txt")
            .replace("MAKE", self.make)
            .replace("CALLS", self.calls);
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("the target directory can be written");
        };
        std::fs::create_dir_all(folder.join("src")).expect("the target directory can be written");
        write("Cargo.toml", &manifest);
        write("src/main.rs", &program);
    }
}
