//! Counters by kind, as a server would have them.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

#[contest::shared(plain(Counter))]
#[derive(Default)]
struct Requests {
    by_kind: Family<u8, Counter>,
}

#[contest::operations]
impl Requests {
    pub fn new() -> Self {
        Self::default()
    }

    #[contest(values(kind = [1, 2]))]
    pub fn count(&self, kind: u8) {
        self.by_kind.get_or_create(&kind).inc();
    }

    #[contest(values(kind = [1, 2]))]
    pub fn counted(&self, kind: u8) -> u64 {
        self.by_kind.get_or_create(&kind).get()
    }
}

#[test]
fn generated() {
    report(contest::check::<Requests>());
}
