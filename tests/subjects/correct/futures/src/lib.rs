//! Futures that can be dropped at every `await`, and lose no wake-up: the mended twins of `faulty/futures`.

mod accounts;
mod bell;
mod gate;
mod give_way;
mod letterbox;
mod mailbox;
mod permits;
mod signal;
mod single_flight;
mod slate;
mod tasks;

pub use accounts::Accounts;
pub use bell::Bell;
pub use gate::Gate;
pub use letterbox::Letterbox;
pub use mailbox::Mailbox;
pub use permits::{Permit, Permits};
pub use signal::Signal;
pub use single_flight::SingleFlight;
pub use slate::Slate;
pub use tasks::{Tasks, Ticket};
