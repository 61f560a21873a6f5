//! What a call does whatever is held around it, found once for each call of a function.

use std::collections::HashMap;

use super::bindings::Places;
use super::mir::body::BlockId;
use super::mir::ty::Type;

/// What the accesses of a callee are in names of its caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effects {
    /// There are any.
    pub(crate) any: bool,
    /// One can be seen by others.
    pub(crate) any_shared: bool,
    /// One can be seen by others that could not in names of the callee.
    pub(crate) became_shared: bool,
}

/// What each argument refers to, and its type.
type Arguments = Vec<(Places, Type)>;

/// Those of calls, by block and function; a block may call a function with different arguments.
pub(crate) type KnownEffects = HashMap<(BlockId, u32), Vec<(Arguments, Effects)>>;
