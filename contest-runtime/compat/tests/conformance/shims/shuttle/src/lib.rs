//! Shuttle's names for this engine.

pub use contest_compat::shuttle::*;
pub use contest::{future, hint, lazy_static};

pub mod thread {
    pub use contest_compat::shuttle::sleep;
    pub use contest::thread::*;
}

pub mod sync {
    pub use contest::sync::*;

    pub mod atomic {
        pub use contest_compat::shuttle::{AtomicI128, AtomicU128};
        pub use contest::sync::atomic::*;
    }
}

/// Shuttle re-exports `rand` 0.8.
pub mod rand {
    pub use rand::{Rng, RngCore};

    pub fn thread_rng() -> rngs::ThreadRng {
        rngs::ThreadRng::default()
    }

    pub mod rngs {
        use rand::{CryptoRng, Error, RngCore};

        #[derive(Clone, Debug, Default)]
        pub struct ThreadRng(contest::rand::ThreadRng);

        impl RngCore for ThreadRng {
            fn next_u32(&mut self) -> u32 {
                self.0.next_u32()
            }

            fn next_u64(&mut self) -> u64 {
                self.0.next_u64()
            }

            fn fill_bytes(&mut self, bytes: &mut [u8]) {
                self.0.fill_bytes(bytes);
            }

            fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
                self.fill_bytes(bytes);
                Ok(())
            }
        }

        impl CryptoRng for ThreadRng {}
    }
}
