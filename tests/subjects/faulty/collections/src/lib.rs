//! Collections of the literature with their faults: AutoConTest (Table 1), PCR (Table 3), DepCon+ (Table I).

mod as_map;
mod concurrent_hash_map;
mod double_int_index;
mod enumerated_table;
mod nested_table;
mod slots;
mod stack;
mod vector;

pub use as_map::AsMap;
pub use concurrent_hash_map::ConcurrentHashMap;
pub use double_int_index::DoubleIntIndex;
pub use enumerated_table::EnumeratedTable;
pub use nested_table::NestedTable;
pub use stack::Stack;
pub use vector::Vector;
