//! Packages whose tests have threads, tasks, files or time.

/// Each with the features that its tests need beside the default ones. Newest versions.
const PACKAGES: [(&str, &[&str]); 60] = [
    // Containers and statics.
    ("crossbeam-queue", &[]),
    ("crossbeam-deque", &[]),
    ("crossbeam-epoch", &[]),
    ("crossbeam-skiplist", &[]),
    ("crossbeam-utils", &[]),
    ("concurrent-queue", &[]),
    ("once_cell", &[]),
    ("thread_local", &[]),
    ("arc-swap", &[]),
    ("dashmap", &[]),
    ("scc", &[]),
    ("papaya", &[]),
    ("boxcar", &[]),
    ("sharded-slab", &[]),
    ("append-only-vec", &[]),
    ("rtrb", &[]),
    ("ringbuf", &[]),
    ("triple_buffer", &[]),
    // Locks, channels, events.
    ("parking_lot", &[]),
    ("parking_lot_core", &[]),
    ("spin", &[]),
    ("crossbeam-channel", &[]),
    ("flume", &[]),
    ("kanal", &[]),
    ("async-channel", &[]),
    ("async-broadcast", &[]),
    ("async-lock", &[]),
    ("event-listener", &[]),
    ("oneshot", &[]),
    // Executors and what belongs to them.
    ("rayon-core", &[]),
    ("threadpool", &[]),
    ("futures-util", &[]),
    ("futures-channel", &[]),
    ("async-executor", &[]),
    ("async-task", &[]),
    ("blocking", &[]),
    ("tokio-util", &["full"]),
    ("tokio-stream", &["full"]),
    ("mio", &["os-poll", "net", "os-ext"]),
    ("tower", &["full"]),
    ("hyper-util", &["full"]),
    ("async-io", &[]),
    // Caches and pools.
    ("moka", &["sync", "future"]),
    ("quick_cache", &[]),
    ("bb8", &[]),
    ("deadpool", &[]),
    ("r2d2", &[]),
    ("redis", &[]),
    // Logs and numbers.
    ("tracing-subscriber", &[]),
    ("tracing-appender", &[]),
    ("metrics", &[]),
    ("metrics-util", &[]),
    ("prometheus", &[]),
    ("hdrhistogram", &[]),
    // Files, processes, time.
    ("tempfile", &[]),
    ("serial_test", &[]),
    ("notify", &[]),
    ("jobserver", &[]),
    ("redb", &[]),
    ("fjall", &[]),
];

/// Those with these names, or all.
pub(crate) fn named(names: &[String]) -> Vec<(&'static str, &'static [&'static str])> {
    let all = PACKAGES.into_iter();
    all.filter(|(name, _)| names.is_empty() || names.iter().any(|it| it == name))
        .collect()
}
