//! What is in the corpus.

/// A bug of a published crate.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    /// A version that has it, and one that does not.
    pub(crate) buggy: &'static str,
    pub(crate) fixed: &'static str,
    /// Features that the type needs.
    pub(crate) features: Option<&'static str>,
    /// A finding of one of these kinds, with all of these in its locations or calls, is the bug.
    pub(crate) shows: (&'static [&'static str], &'static [&'static str]),
    /// Where it was reported or mended.
    pub(crate) _source: &'static str,
}

const RACE: &[&str] = &["data-race"];
const FREED: &[&str] = &["use-after-free", "double-free"];

pub(crate) const ENTRIES: &[Entry] = &[
    entry(
        "metrics-util-bucket",
        "metrics-util",
        ["0.3.1", "0.4.0"],
        (RACE, &["bucket.rs"]),
        "metrics-rs/metrics 8b57975",
    ),
    entry(
        "lock-api-remutex",
        "lock_api",
        ["0.3.0", "0.3.1"],
        (&["data-race", "panic"], &["remutex.rs"]),
        "Amanieu/parking_lot da16c2c",
    ),
    entry(
        "internment-arcintern",
        "internment",
        ["0.3.13", "0.4.0"],
        (FREED, &[]),
        "RUSTSEC-2020-0017",
    ),
    Entry {
        features: Some("multi-threaded"),
        ..entry(
            "lasso-lockfree-arena",
            "lasso",
            ["0.7.0", "0.7.1"],
            (RACE, &["atomic_bucket.rs"]),
            "Kixiron/lasso #39",
        )
    },
    entry(
        "cb-channel-double-free",
        "crossbeam-channel",
        ["0.5.14", "0.5.15"],
        (FREED, &["list.rs"]),
        "RUSTSEC-2025-0024",
    ),
    entry(
        "sharded-slab-get-take",
        "sharded-slab",
        ["0.0.3", "0.0.5"],
        (
            &["use-after-free", "data-race"],
            &["a.get(0)", "a.remove(0)"],
        ),
        "hawkw/sharded-slab 27af7d6",
    ),
    entry(
        "rust-i18n-atomicstr",
        "rust-i18n-support",
        ["3.0.0", "3.0.1"],
        (FREED, &["atomic_str.rs"]),
        "RUSTSEC-2024-0007",
    ),
    entry(
        "spin-rwlock-order",
        "spin",
        ["0.5.1", "0.5.2"],
        (RACE, &["try_write()"]),
        "RUSTSEC-2019-0013",
    ),
    entry(
        "sync-cow-order",
        "sync_cow",
        ["0.1.1", "0.1.2"],
        (&["data-race", "use-after-free"], &[]),
        "w0xel/sync_cow #1",
    ),
    entry(
        "bound-slock",
        "slock",
        ["0.1.2", "0.2.0"],
        (RACE, &["map("]),
        "RUSTSEC-2020-0135",
    ),
    entry(
        "bound-v9",
        "v9",
        ["0.1.42", "0.1.43"],
        (RACE, &["util.rs"]),
        "RUSTSEC-2020-0127",
    ),
    entry(
        "bound-boxcar",
        "boxcar",
        ["0.2.12", "0.2.13"],
        (&["wrong-thread"], &[]),
        "ibraheemdev/boxcar 9cbc6a6",
    ),
    entry(
        "arc-swap-load-order",
        "arc-swap",
        ["1.8.2", "1.9.1"],
        (FREED, &["hybrid.rs"]),
        "vorner/arc-swap #198",
    ),
    entry(
        "arc-swap-failure-order",
        "arc-swap",
        ["1.9.0", "1.9.1"],
        (FREED, &["hybrid.rs"]),
        "vorner/arc-swap #204",
    ),
    entry(
        "sdd-order-of-callers",
        "sdd",
        ["4.7.5", "4.8.1"],
        (RACE, &["ref_counted.rs"]),
        "wvwwvwwv/scalable-delayed-dealloc #12",
    ),
];

const fn entry(
    name: &'static str,
    package: &'static str,
    [buggy, fixed]: [&'static str; 2],
    shows: (&'static [&'static str], &'static [&'static str]),
    source: &'static str,
) -> Entry {
    Entry {
        name,
        package,
        buggy,
        fixed,
        features: None,
        shows,
        _source: source,
    }
}
