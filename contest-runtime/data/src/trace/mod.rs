//! What one execution did, as plain data. Imports nothing of ours; every later stage reads these types.

pub mod ending;
pub mod event;
pub mod frame;
#[cfg(feature = "explore")]
pub mod number;
mod plain_access;
pub mod race;
pub mod record;
pub mod schedule;
mod thread_set;
pub mod touched;
pub mod unowned;
pub mod visible;
mod waits_for;

pub use ending::{BlockedThread, Ending, Leak, Panic};
pub use event::{
    Action, Blocking, ChannelBefore, Event, LockMode, ObjectId, Pending, ThreadIndex, Update,
};
pub use frame::{Frame, Origin};
pub use plain_access::{Field, PlainAccess, PlainAccesses, Told};
pub use race::{AccessKind, Deed, FaultyAccess, MemoryFault, Occurrence, Place};
pub use record::{CallRecord, ExecutionRecord, Outcome};
pub use schedule::{Decision, Schedule};
pub use thread_set::{Members, ThreadSet};
pub use touched::{Touched, Within};
pub use unowned::{Allocated, Unowned};
pub use visible::{Contended, Home, VisibleAccess, VisibleBytes};
pub use waits_for::{HeldLock, ObjectName, WaitsFor};
