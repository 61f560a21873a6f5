//! The configuration of loom: what to explore.

use std::path::PathBuf;
use std::time::Duration;

use contest::MemoryModel;

/// Stack of a thread. A test of loom's own puts half a megabyte there, in a debug build.
const STACK_BYTES: usize = 4 << 20;

/// loom's configuration, with its public fields. Environment variables are not read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Most threads; the default is [`MAX_THREADS`](super::MAX_THREADS).
    pub max_threads: usize,
    /// Most visible operations of one execution; more fail the model. The default is 10,000: loom counts less as one.
    pub max_branches: usize,
    /// Most executions; what is left is not explored.
    pub max_permutations: Option<usize>,
    /// Most time; what is left is not explored.
    pub max_duration: Option<Duration>,
    /// Most preemptions of one execution.
    pub preemption_bound: Option<usize>,
    /// Ignored: an exploration cannot be continued in another process.
    pub checkpoint_file: Option<PathBuf>,
    /// Ignored.
    pub checkpoint_interval: usize,
    /// Ignored: everything is explored.
    pub expect_explicit_explore: bool,
    /// Ignored: a failure always shows locations.
    pub location: bool,
    /// Ignored: a failure always shows the interleaving.
    pub log: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Everything is explored.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_threads: super::MAX_THREADS,
            max_branches: 10_000,
            max_permutations: None,
            max_duration: None,
            preemption_bound: None,
            checkpoint_file: None,
            checkpoint_interval: 20_000,
            expect_explicit_explore: false,
            location: false,
            log: false,
        }
    }

    /// Ignored, as the field is.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Runs the model under RC11, and also under sequential consistency if RC11 leaves something out (futures, say).
    /// Statics of `lazy_static!` are dropped when the main thread returns, and may not be used after.
    ///
    /// # Panics
    /// If an interleaving fails, or does not drop all that is counted in `alloc`.
    #[track_caller]
    pub fn check<F>(&self, f: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let weak = self.limited().memory_model(MemoryModel::Rc11);
        let report = self.searched(weak).run(|| run(&f));
        report.assert_clean();
        if !report.exhausted() {
            self.searched(self.limited()).check(|| run(&f));
        }
    }

    fn searched(&self, builder: contest::Builder) -> contest::Builder {
        match self.preemption_bound {
            Some(bound) => builder.preemption_bound(u32::try_from(bound).unwrap_or(u32::MAX)),
            None if self.max_permutations.is_some() || self.max_duration.is_some() => {
                builder.strategy("dpor")
            }
            None => builder.exhaustive(),
        }
    }

    fn limited(&self) -> contest::Builder {
        let builder = contest::Builder::new()
            .max_executions(self.max_permutations.map_or(u64::MAX, |most| most as u64))
            .max_steps(u32::try_from(self.max_branches).unwrap_or(u32::MAX))
            .threads(self.max_threads.min(super::MAX_THREADS) as u16)
            .stack_size(STACK_BYTES)
            .allow_no_decisions()
            .without_repetitions();
        match self.max_duration {
            Some(time) => builder.budget(time),
            None => builder,
        }
    }
}

fn run(f: impl Fn()) {
    if let Some(active) = contest_engine::execution::active() {
        active.name_main(&contest_engine::execution::MainName::Nameless);
        f();
        active.drop_statics();
        return;
    }
    f();
}

/// Runs the model under every interleaving that can make a difference.
///
/// # Panics
/// As [`Builder::check`].
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(f);
}
