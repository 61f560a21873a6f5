//! What a body returns under a strategy, for the tests of strategies.

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_engine::execution::Engine;

/// Runs a strategy to its end; what `body` returned in each execution.
pub(super) fn outcomes<T>(strategy: &mut dyn Strategy, body: impl Fn() -> T) -> Vec<T> {
    let mut engine = Engine::new(Limits::default());
    let mut all = Vec::new();
    while strategy.begin() {
        let mut out = None;
        let record = engine.run(strategy, || out = Some(body()));
        strategy.end(record);
        all.extend(out);
    }
    all
}
