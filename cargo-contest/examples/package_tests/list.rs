//! Which packages. Newest versions, each with the features that its tests need beside the default ones.

/// A package and features.
pub(crate) type Named = (&'static str, &'static [&'static str]);

/// Their tests have threads, tasks, files or time.
pub(crate) const CONCURRENT: [Named; 60] = [
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

/// Much used packages of all kinds; none of them is in the list above.
pub(crate) const OF_ALL_KINDS: [Named; 60] = [
    // Parsers and formats.
    ("semver", &[]),
    ("serde_json", &[]),
    ("toml_edit", &[]),
    ("winnow", &[]),
    ("nom", &[]),
    ("httparse", &[]),
    ("url", &[]),
    ("percent-encoding", &[]),
    ("csv", &[]),
    ("regex-syntax", &[]),
    ("pest", &[]),
    ("quick-xml", &[]),
    ("syn", &[]),
    ("proc-macro2", &[]),
    // Numbers.
    ("num-bigint", &[]),
    ("num-integer", &[]),
    ("num-rational", &[]),
    ("num-complex", &[]),
    ("itoa", &[]),
    ("ryu", &[]),
    ("half", &[]),
    ("fastrand", &[]),
    ("rand", &[]),
    ("ordered-float", &[]),
    // Collections and bytes.
    ("bytes", &[]),
    ("smallvec", &[]),
    ("arrayvec", &[]),
    ("tinyvec", &[]),
    ("indexmap", &[]),
    ("hashbrown", &[]),
    ("slab", &[]),
    ("either", &[]),
    ("itertools", &[]),
    ("petgraph", &[]),
    ("bitflags", &[]),
    ("fixedbitset", &[]),
    ("lru", &[]),
    ("memchr", &[]),
    ("aho-corasick", &[]),
    ("base64", &[]),
    // Web.
    ("http", &[]),
    ("http-body-util", &[]),
    ("headers", &[]),
    ("cookie", &[]),
    ("mime", &[]),
    ("h2", &[]),
    ("tungstenite", &[]),
    // Async.
    ("async-trait", &[]),
    ("pin-project-lite", &[]),
    ("futures-lite", &[]),
    ("async-stream", &[]),
    // Text, time, errors, files.
    ("anyhow", &[]),
    ("thiserror", &[]),
    ("heck", &[]),
    ("unicode-segmentation", &[]),
    ("textwrap", &[]),
    ("time", &[]),
    ("uuid", &[]),
    ("walkdir", &[]),
    ("log", &[]),
];

/// Those with these names, or all of a list.
pub(crate) fn named(list: [Named; 60], names: &[String]) -> Vec<Named> {
    list.into_iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|it| it == name))
        .collect()
}
