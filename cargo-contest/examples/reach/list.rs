//! Sixty well-known crates with types for threads.

/// By what they are for, each with the features that its types for threads need. Newest versions.
pub(crate) const CRATES: [(&str, &[&str]); 60] = [
    // Containers.
    ("dashmap", &[]),
    ("crossbeam-queue", &[]),
    ("crossbeam-deque", &[]),
    ("crossbeam-skiplist", &[]),
    ("concurrent-queue", &[]),
    ("scc", &[]),
    ("papaya", &[]),
    ("boxcar", &[]),
    ("sharded-slab", &[]),
    ("evmap", &[]),
    ("flurry", &[]),
    ("append-only-vec", &[]),
    ("orx-concurrent-vec", &[]),
    ("rtrb", &[]),
    ("ringbuf", &[]),
    ("thingbuf", &[]),
    ("thread_local", &[]),
    ("triple_buffer", &[]),
    // Channels.
    ("crossbeam-channel", &[]),
    ("flume", &[]),
    ("kanal", &[]),
    ("async-channel", &[]),
    ("async-broadcast", &[]),
    ("loole", &[]),
    ("postage", &[]),
    ("crossfire", &[]),
    ("bus", &[]),
    ("tokio", &["sync", "time", "rt"]),
    // Caches.
    ("moka", &["sync", "future"]),
    ("quick_cache", &[]),
    // Pools.
    ("r2d2", &[]),
    ("deadpool", &[]),
    ("bb8", &[]),
    ("object-pool", &[]),
    ("lockfree-object-pool", &[]),
    // What is made once.
    ("once_cell", &[]),
    ("state", &[]),
    ("async-once-cell", &[]),
    // Reclamation.
    ("arc-swap", &[]),
    ("crossbeam-epoch", &[]),
    ("seize", &[]),
    ("haphazard", &[]),
    ("sdd", &[]),
    ("left-right", &[]),
    // Locks.
    ("parking_lot", &[]),
    ("lock_api", &[]),
    ("spin", &[]),
    ("usync", &[]),
    ("async-lock", &[]),
    ("atomic_refcell", &[]),
    ("maitake-sync", &[]),
    // Metrics.
    ("prometheus", &[]),
    ("prometheus-client", &[]),
    ("metrics-util", &[]),
    // Tasks.
    ("tokio-util", &["time", "rt"]),
    ("event-listener", &[]),
    ("embassy-sync", &[]),
    // Registries with global state.
    ("internment", &["arc"]),
    ("lasso", &["multi-threaded"]),
    ("ustr", &[]),
];
