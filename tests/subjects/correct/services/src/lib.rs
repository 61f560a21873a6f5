//! The classes of `faulty-services`, mended.

/// A getter and a setter for each atomic field.
macro_rules! properties {
    ($($(#[doc = $doc:literal])+ $field:ident, $set:ident: $value:ty;)+) => {$(
        $(#[doc = $doc])+
        pub fn $field(&self) -> $value {
            self.$field.load(std::sync::atomic::Ordering::SeqCst)
        }

        /// Sets it.
        pub fn $set(&self, value: $value) {
            self.$field.store(value, std::sync::atomic::Ordering::SeqCst);
        }
    )+};
}

mod input_buffer;
mod per_user_pool;
mod request;
mod shared_pool;
mod xstream;

pub use input_buffer::InputBuffer;
pub use per_user_pool::PerUserPoolDataSource;
pub use request::Request;
pub use shared_pool::SharedPoolDataSource;
pub use xstream::XStream;
