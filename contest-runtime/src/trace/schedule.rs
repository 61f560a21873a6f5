//! The decisions of one execution as a value, and their text form.

/// One decision that had more than one alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Which thread goes on, by number.
    Thread(u16),
    /// Which of several values (notify target, spurious wake-up, timeout), counting from 0.
    Value(u16),
}

/// What makes an execution come out the same again: its decisions in order, and for each a check that says what it was
/// about, so that a replay against changed code can name the first step that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Decisions, in order; only points with more than one alternative are recorded.
    pub decisions: Vec<Decision>,
    /// For each decision, a short hash of the operation that the chosen thread then performed (kind and method name,
    /// no line numbers).
    pub checks: Vec<u8>,
}
