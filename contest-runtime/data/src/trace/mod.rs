//! What one execution did, as plain data. Imports nothing of ours; every later stage reads these types.

#[cfg(feature = "explore")]
pub(crate) mod base64url;
mod ending;
mod event;
mod frame;
mod left_out;
#[cfg(feature = "explore")]
pub(crate) mod number;
mod orders;
mod plain_access;
mod race;
mod record;
pub mod schedule;
mod thread_set;
mod touched;
mod unowned;
mod visible;
mod waits_for;
mod writes;

pub use ending::{BlockedThread, Ending, Leak, Panic};
pub use event::{
    Action, AwaitEnd, Blocking, ChannelBefore, Event, LENT, LockMode, ObjectId, POLLED_IN_WAKE,
    Pending, REST, ThreadIndex, Update,
};
pub use frame::{
    DRIVER_FILE, Frame, Origin, RUNTIME_THREAD, STAND_INS, is_executor_thread, is_published, origin,
};
pub use left_out::LeftOut;
pub use orders::{acquires, releases};
pub use plain_access::{AccessSymbols, Field, PlainAccess, PlainAccesses};
pub use race::{AccessKind, Deed, FaultyAccess, MemoryFault, Occurrence, Place};
pub use record::{CallRecord, Drawn, ExecutionRecord, NamedObject, Outcome};
pub use schedule::{Decision, Schedule};
pub use thread_set::{Members, ThreadSet};
pub use touched::{Touched, Within};
pub use unowned::{Allocated, Unowned};
pub use visible::{Contended, Home, VisibleAccess, VisibleBytes};
pub use waits_for::{Awaited, HeldLock, ObjectName, WaitsFor};
pub use writes::{ReadWrite, Writes};
