use std::sync::atomic::{AtomicU32, Ordering};

/// Counts visits.
#[derive(Debug, Default)]
pub struct Visits {
    count: AtomicU32,
}

impl Visits {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one, and returns its number.
    pub fn visit(&self) -> u32 {
        let before = self.count.load(Ordering::SeqCst);
        self.count.store(before + 1, Ordering::SeqCst);
        before + 1
    }
}

#[cfg(test)]
mod tests {
    use super::Visits;

    #[test]
    fn two_visitors_have_two_numbers() {
        let visits = Visits::new();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| visits.visit());
            let own = visits.visit();
            assert_ne!(own, other.join().unwrap());
        });
    }
}
