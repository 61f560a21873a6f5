//! Names of strategies and generators, as the command line and the library accept them.

/// The strategies by name, each with what it is.
pub const STRATEGIES: [(&str, &str); 17] = [
    (
        "auto",
        "exhaustive while it fits the budget of the test, else pcr and then the portfolio",
    ),
    (
        "dpor",
        "every interleaving that can make a difference, once",
    ),
    (
        "portfolio",
        "surw, urw, pct and dfs in turns, where a test is too large for dpor",
    ),
    ("dfs", "every interleaving with at most two preemptions"),
    (
        "switch-once",
        "each thread preempted once, wherever it conflicts with another",
    ),
    (
        "switch-twice",
        "each thread meets, wherever it is, what another makes and ends again: a lock held, a flag set",
    ),
    ("random", "random walk"),
    ("pct", "random priorities, for bugs of depth three"),
    (
        "pos",
        "random priorities of operations, drawn anew at races",
    ),
    ("urw", "random walk, uniform over interleavings"),
    (
        "surw",
        "random walk, uniform over the interleavings of one location",
    ),
    (
        "pcr",
        "executions with new access patterns, planned by a constraint solver",
    ),
    (
        "mcr",
        "executions in which a read returns something new, planned by a constraint solver",
    ),
    (
        "maptest",
        "random walk that holds threads back for access patterns seldom seen",
    ),
    (
        "pta",
        "predicts the 11 orders that break atomicity from each thread alone, and forces them",
    ),
    ("pta14", "the same with 14 orders"),
    ("pta32", "the same with all 32"),
];

/// The strategy that has no interleavings of its own: only campaigns of generated tests know it, in drivers.
pub const STRESS: (&str, &str) = (
    "stress",
    "real threads that no scheduler controls; where they fail, auto looks for a schedule (ConTeGe)",
);

/// The generators by name, each with what it is.
pub const GENERATORS: [(&str, &str); 14] = [
    (
        "auto",
        "all of the others but autocontest in turn, each with a fixed share of the tests; ends when the ladder does",
    ),
    (
        "ladder",
        "every test of a shape, shape after shape: 2 threads of 1 call, of 2, 3 threads, more calls before them, more values, ...",
    ),
    (
        "autocontest",
        "whole sequences of calls that enlarge sequential coverage, side by side (AutoConTest as published; with strategy pta)",
    ),
    (
        "callbacks",
        "closures that call the object from inside a call of it, or panic there",
    ),
    (
        "consuite",
        "the order of three accesses that was aimed at least often, whatever calls led to them",
    ),
    ("covcon", "the pair of operations tested least often"),
    (
        "depcon",
        "only pairs that depend on each other, the one tested least often first",
    ),
    (
        "effects",
        "calls that change the state one after the other, beside one of several steps; a call beside itself and a change",
    ),
    (
        "holders",
        "locks in opposite orders; results that are kept, as guards are, over a further call of their thread",
    ),
    (
        "injection",
        "calls in which code of the user waits, fails or answers otherwise, cancelled there; none where there is no such code",
    ),
    (
        "maptest",
        "the memory-access pattern that was aimed at least often",
    ),
    (
        "mixed",
        "promising pairs first, then calls in the states that sequences of new coverage lead to",
    ),
    ("random", "random calls in both threads (ConTeGe)"),
    (
        "waiters",
        "calls that wait, beside calls that let them go on and what may come between; none where no call waits",
    ),
];

/// Names under which strategy `pta` counts.
pub mod pta {
    /// In [`Strategy::counts`]: the orders that are required.
    pub const REQUIRED: &str = "requirements";
    /// In [`Strategy::counts`]: those of them that locks do not allow.
    pub const EXCLUDED: &str = "requirements excluded by locks";
    /// In [`Strategy::counts`]: those that locks allow, and no execution showed in which they were forced.
    pub const NOT_FORCED: &str = "requirements not forced";
    /// In [`Strategy::counts`]: those of them that an execution showed in which they were forced.
    pub const COVERED: &str = "requirements covered";
    /// Of a campaign: those that were covered, each once in whichever tests it was.
    pub const DIFFERENT: &str = "different requirements covered";
}
