//! Discovery on crates written here. Every catalog made in these tests has been compiled: see `documented`.

mod arguments;
mod bad_input;
mod behind_lock;
mod callbacks;
mod callers_flag;
mod documented;
mod driver_of_catalog;
mod endings;
mod filled;
mod fitting_texts;
mod formats;
mod generics;
mod handles;
mod kept;
mod keys;
mod observers;
mod probes;
mod related;
mod selection;
mod subjects;
