//! How a call uses the future that its operation returns.

/// How a call uses a future. An argument of the operation stands for it, so that tests with a cancelled call are tests
/// like others: they are enumerated, minimised and replayed as those are. *When* the future is dropped or polled is a
/// choice of the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FutureUse {
    /// Polled until it is ready: after it was woken only, and with a new waker each time.
    #[default]
    Run,
    /// Dropped at some `Pending`, if it is not ready before.
    Cancel,
    /// Polled once without having been woken; only the waker of the newest poll counts from then on.
    PollAgain,
    /// Dropped before its first poll.
    Drop,
    /// Polled inside the `wake` of its waker, by the thread that wakes it, as an executor may. Only if it is `Send`.
    PollInWake,
    /// Kept at some `Pending` without being polled again, by a thread that does nothing else either. Not enumerated: it
    /// is only for those who look for what is held then.
    Keep,
    /// Left at its first `Pending`, neither dropped nor polled again, while its caller goes on. Not enumerated: serial
    /// orders show by it what a call has done that waits.
    LeaveWaiting,
}

impl FutureUse {
    /// What a call came back with if its future was dropped.
    pub const CANCELLED: &'static str = "<cancelled>";
    /// The choices of the argument, as the text that follows the call in reports.
    pub const CHOICES: [&'static str; 7] = [
        "",
        " (cancelled)",
        " (polled without a wake-up)",
        " (dropped unpolled)",
        " (polled by its waker)",
        " (kept unpolled)",
        " (left waiting)",
    ];
    /// So many of them are enumerated.
    pub const ENUMERATED: usize = 5;

    /// The one with this number among the choices.
    #[must_use]
    pub fn of_choice(choice: u8) -> Self {
        match choice {
            1 => Self::Cancel,
            2 => Self::PollAgain,
            3 => Self::Drop,
            4 => Self::PollInWake,
            5 => Self::Keep,
            6 => Self::LeaveWaiting,
            _ => Self::Run,
        }
    }

    /// The future is dropped before its end, or may be.
    #[must_use]
    pub fn may_drop(self) -> bool {
        matches!(self, Self::Cancel | Self::Drop)
    }

    /// Its number among the choices.
    #[must_use]
    pub fn choice(self) -> u8 {
        self as u8
    }
}
