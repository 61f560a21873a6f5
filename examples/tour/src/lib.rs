//! The types of the book. Each has one bug that threads show.

mod gate;
mod parcel;
mod visits;

pub use gate::Gate;
pub use parcel::Parcel;
pub use visits::Visits;
